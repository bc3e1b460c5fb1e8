/* CPPE's his and b+t: what they compute, and every access of every warp against the kernels written
 * out plainly. */
#include <stdio.h>

#include "gpu_data.h"
#include "lab/workload/bt.h"
#include "lab/workload/his.h"

/* ---- his ---- */

enum { HIS_INPUT, HIS_MAP, HIS_SUB, HIS_GHIST, HIS_OVERFLOW, HIS_FINAL };

static uint64_t his_samples(const struct td_his *h)
{
	return (uint64_t)h->rows * TD_HIS_WIDTH;
}

static void assert_histogram(const char *spec)
{
	struct td_trace_source *s = done(spec);
	const struct td_his *h = (const struct td_his *)td_gpu_of(s);
	uint32_t *count = calloc(h->bins, sizeof *count);

	assert_non_null(count);
	for (uint64_t i = 0; i < his_samples(h); i++)
		count[h->input[i]]++;
	for (uint32_t bin = 0; bin < h->bins; bin++)
		assert_int_equal(h->final[bin], count[bin] < 255 ? count[bin] : 255);
	free(count);
	td_trace_close(s);
}

static void his_counts(void **state)
{
	(void)state;
	assert_histogram("his:scale=0.1,iters=1");
	assert_histogram("his:scale=0.05,iters=3,jitter=64");
	assert_histogram("his:scale=0.05,iters=2,sigma=0.001");
}

/* The bin in a cell of the map: the even samples of a row, then the odd ones. */
static uint32_t his_bin(const struct td_his *h, uint64_t at)
{
	uint64_t row = at / 996, t = at % 996;

	return h->input[row * 996 + (t < 498 ? 2 * t : 2 * (t - 498) + 1)];
}

static void model_his_ends(struct model *m, const struct td_his *h)
{
	uint64_t stripe = his_samples(h) / 64;

	for (uint64_t b = 0; b < 64; b++) {
		for (uint64_t i = 0; i < 2 * (stripe / 8); i++) {
			uint64_t t = i % (stripe / 8);
			lane(m, HIS_INPUT, (b * stripe + t) * 4);
			end_lane(m, i < stripe / 8 ? 0 : 1, t, stripe / 8);
		}
	}
	for (uint64_t i = 0; i < his_samples(h) * 3 / 2; i++) {
		uint64_t row = i / (3 * 498), part = i / 498 % 3, t = i % 498;
		if (part == 0)
			lane(m, HIS_INPUT, (row * 996 + 2 * t) * 4);
		else
			lane(m, HIS_MAP, (row * 996 + (part - 1) * 498 + t) * 4);
		end_lane(m, 2 + (unsigned)part, t, 498);
	}
}

/* A warp's 32 cells of the map, in a block of the range's row. */
static void model_his_cells(struct model *m, const struct td_his *h, uint64_t at, uint32_t range)
{
	uint64_t end = at + LANES < his_samples(h) ? at + LANES : his_samples(h);

	for (uint64_t i = at; i < end; i++)
		lane(m, HIS_MAP, i * 4);
	end_warp(m, 5);
	for (unsigned pc = 6; pc < 8; pc++) {
		for (uint64_t i = at; i < end; i++) {
			uint32_t bin = his_bin(h, i);
			bool hot = bin >= h->first && bin < h->first + h->range * 24576;
			if (range == 0 && !hot)
				lane(m, HIS_GHIST, bin * 2);
		}
		end_warp(m, pc);
	}
}

static void model_his_count(struct model *m, const struct td_his *h)
{
	for (uint32_t x = 0; x < 14; x++) {
		for (uint32_t y = 0; y < h->range; y++) {
			for (uint64_t w = x * 768; w < (x + 1) * 768; w += LANES) {
				for (uint64_t at = w; at < his_samples(h); at += 14 * 768)
					model_his_cells(m, h, at, y);
			}
			uint64_t first = (uint64_t)x * h->bins + h->first + y * 24576;
			for (uint64_t t = 0; t < 6144; t++) {
				lane(m, HIS_SUB, first + t * 4);
				end_lane(m, 9, t, 6144);
			}
		}
	}
}

/* Lanes have 4 bins each. */
static void model_his_quads(struct model *m, unsigned pc, unsigned array, uint64_t first,
			    uint64_t end, uint64_t bytes)
{
	for (uint64_t bin = first; bin < end; bin += 4) {
		lane(m, array, bin * bytes);
		end_lane(m, pc, (bin - first) / 4, (end - first) / 4);
	}
}

static void model_his(struct model *m)
{
	const struct td_his *h = (const struct td_his *)m->app;
	uint64_t first = h->first, end = first + h->range * 24576, bins = h->bins;

	model_his_ends(m, h);
	model_his_count(m, h);
	for (unsigned twice = 0; twice < 2; twice++) {
		model_his_quads(m, 10, HIS_GHIST, 0, first, 2);
		model_his_quads(m, 10, HIS_GHIST, end, bins, 2);
		model_his_quads(m, 12, HIS_OVERFLOW, first, end, 4);
	}
	model_his_quads(m, 11, HIS_FINAL, 0, first, 1);
	model_his_quads(m, 11, HIS_FINAL, end, bins, 1);
	model_his_quads(m, 14, HIS_FINAL, first, end, 1);
	for (uint64_t plane = 0; plane < 14; plane++)
		model_his_quads(m, 13, HIS_SUB, plane * bins + first, plane * bins + end, 1);
}

static void his_is_its_kernels(void **state)
{
	(void)state;
	assert_like_model("his:scale=0.3,iters=1", model_his); /* two hot ranges */
}

/* With every bin on a page of its own, one event for 256 hits in one of the 14 blocks. */
static void his_counts_run_over(void **state)
{
	struct td_trace_source *s =
		open_source("his:scale=0.1,iters=1,sigma=0.0001", sizeof(uint32_t), 1);
	const struct td_his *h = (const struct td_his *)td_gpu_of(s);
	uint32_t *count = calloc((size_t)h->bins * 14, sizeof *count);
	struct tide_batch *batch = new_batch();
	uint64_t expected = 0, seen = 0;

	(void)state;
	assert_non_null(count);
	for (uint64_t i = 0; i < his_samples(h); i++)
		count[i / 768 % 14 * h->bins + his_bin(h, i)]++;
	for (uint64_t i = 0; i < (uint64_t)h->bins * 14; i++)
		expected += count[i] / 256;
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++)
			seen += batch->ref[i] == 8 + 1;
	}
	assert_true(expected > 50);
	assert_int_equal(seen, expected);
	free(count);
	free_batch(batch);
	td_trace_close(s);
}

/* 256 hits by the first block alone: its count is 0 again, and the rest is in memory. */
static void his_adds_what_ran_over(void **state)
{
	struct td_trace_source *s = open_source("his:scale=0.05,iters=1", PAGE_BYTES, 1);
	struct td_his *h = (struct td_his *)td_gpu_of(s);

	(void)state;
	for (uint64_t i = 0; i < his_samples(h); i++)
		h->input[i] = i < 512 && i % 2 == 0 ? h->first : h->first + 1;
	run_through(s);
	assert_int_equal(h->final[h->first], 255);
	assert_int_equal(h->final[h->first + 1], 255);
	assert_int_equal(h->final[h->first + 2], 0);
	assert_int_equal(h->overflow[h->first], 0); /* ready for the next */
	td_trace_close(s);
}

/* ---- b+t ---- */

enum { BT_NODES, BT_CURR, BT_OFF, BT_LAST, BT_OFF2, BT_START, BT_END, BT_RS, BT_RL };
enum { BT_RECORDS = BT_RL + 1, BT_POINT_NODES, BT_POINT_CURR, BT_POINT_OFF, BT_KEY, BT_ANS };

static void assert_answers(const char *spec)
{
	struct td_trace_source *s = done(spec);
	const struct td_bt *b = (const struct td_bt *)td_gpu_of(s);
	int32_t width = b->keys > 3000 ? 3000 : (int32_t)b->keys - 1;

	for (uint32_t i = 0; i < b->ranges + b->points; i++) {
		const struct td_bt_query *q = &b->query[i];
		assert_in_range(q->key[0], 0, b->keys - 1);
		if (i >= b->ranges) {
			assert_int_equal(q->found[0], b->record[q->key[0]]);
			continue;
		}
		assert_int_equal(q->key[1], q->key[0] + width);
		assert_int_equal(q->found[0], q->key[0]);
		assert_int_equal(q->found[1], width + 1);
	}
	td_trace_close(s);
}

static void bt_finds_records(void **state)
{
	(void)state;
	assert_answers("b+t:scale=0.0625");
	assert_answers("b+t:scale=0.02,jitter=64"); /* one level of inner nodes */
	assert_answers("b+t:scale=0.0002");         /* a single leaf */
}

/* Inserts ascending keys one by one, as far as it matters: the last node of a level grows to 255
 * keys or 256 children, and the next one splits it. */
static void assert_shape(uint32_t keys)
{
	uint32_t nodes[4] = {1, 1, 1, 1}, last[4] = {0, 1, 1, 1}, levels = 0, all = 0;
	char spec[64];

	for (uint32_t i = 0; i < keys; i++) {
		if (++last[0] < 256)
			continue;
		last[0] = 128;
		nodes[0]++;
		for (unsigned up = 1; up < 4 && ++last[up] > 256; up++) {
			last[up] = 129;
			nodes[up]++;
		}
	}
	while (nodes[levels] > 1)
		all += nodes[levels++];
	snprintf(spec, sizeof spec, "b+t:scale=%.6f", keys * 1e-6);
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	const struct td_bt *b = (const struct td_bt *)td_gpu_of(s);
	assert_int_equal(b->keys, keys);
	assert_int_equal(b->leaves, nodes[0]);
	assert_int_equal(b->levels, levels);
	assert_int_equal(b->nodes, all + 1);
	assert_int_equal(b->node[b->nodes - 1].n, last[0] + 2);
	td_trace_close(s);
}

static void bt_is_a_tree_of_ascending_keys(void **state)
{
	static const uint32_t keys[] = {1,     255,   256,   383,     384,    32767,
					32768, 32895, 32896, 1000000, 2113663};

	(void)state;
	for (unsigned i = 0; i < COUNT(keys); i++)
		assert_shape(keys[i]);
	struct td_trace_source *s = open_source("b+t", PAGE_BYTES, 1);
	const struct td_bt *b = (const struct td_bt *)td_gpu_of(s);
	assert_int_equal(b->nodes, 7874);
	assert_int_equal(b->node[0].idx[0], 1);
	assert_int_equal(b->node[0].idx[60], 61);
	assert_int_equal(b->node[1].idx[0], 62);
	assert_true(b->node[62].leaf && !b->node[61].leaf);
	td_trace_close(s);
}

static void bt_own(struct model *m, unsigned pc, unsigned array, uint64_t byte)
{
	lane(m, array, byte);
	end_warp(m, pc);
}

/* Arrays and instructions of a way down, as the program has them. */
struct bt_way {
	unsigned pc, nodes, curr, key, off, advance_pc, found_pc, found;
};

/* A block's warps at an inner node; the child that its key is under. */
static int32_t bt_node(struct model *m, const struct bt_way *y, const struct td_bt_node *n,
		       uint64_t query, int32_t key)
{
	uint64_t base = (uint64_t)n->location * 2068;
	int32_t child = -1;

	for (unsigned t = 0; t < 256; t++) {
		lane(m, y->nodes, base + 1032 + t * 4);
		end_lane(m, y->pc + 1, t, 256);
	}
	for (unsigned t = 0; t < 256; t++) {
		if (n->keys[t] <= key)
			lane(m, y->nodes, base + 1032 + (t + 1) * 4);
		end_lane(m, y->pc + 1, t, 256);
		if (n->keys[t] <= key && key < n->keys[t + 1]) {
			assert_int_equal(child, -1);
			child = n->idx[t];
		}
	}
	for (unsigned warp = 0; warp < 8; warp++) {
		bt_own(m, y->pc, y->curr, query * 8);
		bt_own(m, y->pc + 2, y->key, query * 4);
	}
	for (unsigned t = 0; t < 256; t++) {
		if (n->idx[t] == child)
			bt_own(m, y->pc + 3, y->nodes, base + 4 + t * 4);
	}
	bt_own(m, y->pc + 4, y->off, query * 8);
	bt_own(m, y->advance_pc, y->curr, query * 8);
	return child;
}

static void bt_leaf(struct model *m, const struct bt_way *y, const struct td_bt_node *n,
		    uint64_t query, int32_t key)
{
	uint64_t base = (uint64_t)n->location * 2068;

	assert_true(n->leaf);
	for (unsigned t = 0; t < 256; t++) {
		lane(m, y->nodes, base + 1032 + t * 4);
		end_lane(m, y->pc + 1, t, 256);
	}
	for (unsigned warp = 0; warp < 8; warp++) {
		bt_own(m, y->pc, y->curr, query * 8);
		bt_own(m, y->pc + 2, y->key, query * 4);
	}
	for (unsigned t = 0; t < 256; t++) {
		if (n->keys[t] != key)
			continue;
		bt_own(m, y->pc + 3, y->nodes, base + 4 + t * 4);
		if (y->pc == 14)
			bt_own(m, 20, BT_RECORDS, (uint64_t)key * 4);
		bt_own(m, y->found_pc, y->found, query * 4);
	}
}

static void model_bt(struct model *m)
{
	static const struct bt_way ways[] = {
		{0, BT_NODES, BT_CURR, BT_START, BT_OFF, 10, 12, BT_RS},
		{5, BT_NODES, BT_LAST, BT_END, BT_OFF2, 11, 13, BT_RL},
		{14, BT_POINT_NODES, BT_POINT_CURR, BT_KEY, BT_POINT_OFF, 19, 21, BT_ANS},
	};
	const struct td_bt *b = (const struct td_bt *)m->app;

	for (uint64_t i = 0; i < (uint64_t)b->ranges + b->points; i++) {
		bool point = i >= b->ranges;
		uint64_t query = point ? i - b->ranges : i;
		for (unsigned path = 0; path < (point ? 1 : 2); path++) {
			const struct bt_way *y = &ways[point ? 2 : path];
			int32_t node = 0, key = b->query[i].key[path];
			assert_true(key > 0); /* 0 is in unused places of nodes too */
			while (!b->node[node].leaf)
				node = bt_node(m, y, &b->node[node], query, key);
			bt_leaf(m, y, &b->node[node], query, key);
		}
	}
}

static void bt_is_its_kernels(void **state)
{
	(void)state;
	assert_like_model("b+t:scale=0.05", model_bt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(his_counts),
		cmocka_unit_test(his_is_its_kernels),
		cmocka_unit_test(his_counts_run_over),
		cmocka_unit_test(his_adds_what_ran_over),
		cmocka_unit_test(bt_finds_records),
		cmocka_unit_test(bt_is_a_tree_of_ascending_keys),
		cmocka_unit_test(bt_is_its_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
