/* The applications of ObservUVM that depend on data. */
#include <math.h>
#include <stdio.h>

#include "gpu_entries.h"
#include "lab/workload/bfs.h"
#include "lab/workload/btr.h"
#include "lab/workload/spm.h"

/* ---- spm ---- */

static void assert_spm_product(const char *spec)
{
	struct td_trace_source *source = done(spec);
	const struct td_spm *s = (const struct td_spm *)td_gpu_of(source);

	assert_int_equal(s->rows, 64);
	for (uint32_t i = 0; i < s->rows; i++) {
		for (uint64_t j = 0; j < s->columns; j++) {
			float sum = 0;
			for (uint64_t k = i * s->entries; k < (i + 1) * s->entries; k++)
				sum += s->vals[k] * s->b[s->cols[k] + j * s->rows];
			assert_true(fabsf(sum - s->c[i + j * s->rows]) <= 1e-5F);
		}
	}
	td_trace_close(source);
}

static void spm_multiplies(void **state)
{
	(void)state;
	assert_spm_product("spm:scale=0.00006,mode=exact");
	assert_spm_product("spm:scale=0.00006,mode=exact,columns=96,entries=5");
}

/* Columns of A, and how many entries are in the first tenth of them. */
static double share_of_first_columns(const char *spec)
{
	struct td_trace_source *source = open_source(spec, PAGE_BYTES, 1);
	const struct td_spm *s = (const struct td_spm *)td_gpu_of(source);
	uint32_t first = 0;

	for (uint32_t i = 0; i < s->rows * s->entries; i++) {
		uint32_t column = td_spm_column(s, i / s->entries, i % s->entries);
		assert_true(column < s->rows);
		first += column < s->rows / 10;
	}
	double share = first / (double)s->rows / s->entries;
	td_trace_close(source);
	return share;
}

static void spm_has_columns_as_asked(void **state)
{
	(void)state;
	assert_true(fabs(share_of_first_columns("spm:scale=0.001") - .1) < .01);
	/* .1 ^ (1 - .5) */
	assert_true(fabs(share_of_first_columns("spm:scale=0.001,power=0.5") - .316) < .01);
}

/* Entries of its row that a warp loads at once. */
static unsigned spm_chunk(const struct td_spm *s)
{
	return s->entries < 32 ? s->entries : 32;
}

/* Instructions of a warp for a tile of its row, and the pc of one of them. */
static unsigned spm_instrs(const struct td_spm *s)
{
	return 2 + s->entries / spm_chunk(s) * (spm_chunk(s) + 2);
}

static unsigned spm_pc(const struct td_spm *s, unsigned n)
{
	unsigned in_chunk = (n - 1) % (spm_chunk(s) + 2);

	if (n == 0)
		return 0;
	return n == spm_instrs(s) - 1 ? 4 : in_chunk < 2 ? in_chunk + 1 : 3;
}

static struct entry spm_entry(uint64_t block, unsigned warp, unsigned pc)
{
	return (struct entry){
		.block = (uint32_t)block, .warp = warp, .pc = pc, .array = pc, .write = pc == 4};
}

/* The n-th instruction of a lane: pc, array, and which number of it; false: it has no part. */
static bool columns_lane(const struct td_spm *s, uint64_t block, unsigned warp, unsigned lane,
			 unsigned n, struct entry *e, uint64_t *at)
{
	uint64_t row = block % (s->rows / 8) * 8 + warp, tile = block / (s->rows / 8);
	unsigned each = spm_chunk(s);
	unsigned first = (n - 1) / (each + 2) * each, in_chunk = (n - 1) % (each + 2);
	uint64_t entry = row * s->entries + first, column = tile * 32 + lane;

	*e = spm_entry(block, warp, spm_pc(s, n));
	switch (e->pc) {
	case 0: *at = row + lane; return lane < 2;
	case 1:
	case 2: *at = entry + lane; return lane < each;
	case 3:
		*at = td_spm_column(s, (uint32_t)row, first + in_chunk - 2) + column * s->rows;
		return true;
	default: *at = row + column * s->rows; return true;
	}
}

/* The same of row-major B and C: a lane has an entry of the row, or a number of C. */
static bool rows_lane(const struct td_spm *s, uint64_t block, unsigned warp, unsigned lane,
		      unsigned n, struct entry *e, uint64_t *at)
{
	uint64_t row = block % s->rows, column = block / s->rows * 128 + warp * 32;
	unsigned each = spm_chunk(s), chunks = s->entries / each, first = (n - 1) / 3 * each;

	*e = spm_entry(block, warp, n == 0 ? 0 : n > chunks * 3 ? 4 : (n - 1) % 3 + 1);
	e->kernel = 1;
	switch (e->pc) {
	case 0: *at = row + lane; return warp == 0 && lane < 2;
	case 1:
	case 2: *at = row * s->entries + first + lane; return warp == 0 && lane < each;
	case 3:
		if (lane < each)
			*at = td_spm_column(s, (uint32_t)row, first + lane) * (uint64_t)s->columns +
			      column;
		return lane < each;
	default: *at = row * s->columns + column + lane; return true;
	}
}

/* C made zero, four numbers a lane: a warp's 128 of a row. */
static bool clear_lane(const struct td_spm *s, uint64_t block, unsigned warp, unsigned lane,
		       unsigned n, struct entry *e, uint64_t *at)
{
	uint64_t across = s->columns / 128, row = block / across * 4 + warp;

	(void)n;
	*e = spm_entry(block, warp, 4);
	e->pc = 5;
	*at = row * s->columns + block % across * 128 + lane * UINT64_C(4);
	return true;
}

struct spm_kernel {
	bool (*lane)(const struct td_spm *s, uint64_t block, unsigned warp, unsigned lane,
		     unsigned n, struct entry *e, uint64_t *at);
	uint64_t blocks;
	unsigned warps, instrs;
};

/* Steps in which an instruction of the wave was last on a page; who was counted there last. */
struct spm_page {
	uint64_t step, warp;
	size_t event;
};

static void naive_step(const struct td_spm *s, const struct spm_kernel *k, uint64_t first,
		       uint64_t end, unsigned n, uint64_t step, struct spm_page *pages,
		       uint64_t all_pages, struct entries *out)
{
	for (uint64_t w = first * k->warps; w < end * k->warps; w++) {
		for (unsigned lane = 0; lane < 32; lane++) {
			uint64_t at;
			struct entry e;
			if (!k->lane(s, w / k->warps, (unsigned)(w % k->warps), lane, n, &e, &at))
				continue;
			e.page = (s->app.array[e.array].base + at * 4) / s->app.page_bytes;
			struct spm_page *p = &pages[e.pc * all_pages + e.page];
			if (p->step != step) {
				bool is_new = p->step + 1 != step;
				*p = (struct spm_page){step, 0, is_new ? out->n + 1 : 0};
				if (is_new)
					keep(out, e);
			}
			if (p->warp != w + 1 && p->event)
				out->at[p->event - 1].count++;
			p->warp = w + 1;
		}
	}
}

/* Wave mode as it is defined, lane by lane. */
static void naive_kernel(const struct td_spm *s, const struct spm_kernel *k, struct entries *out)
{
	const struct td_gpu_machine *m = s->app.machine;
	const struct td_gpu_array *last = &s->app.array[4];
	uint64_t fit = m->threads_per_sm / (k->warps * 32), step[6] = {0};
	uint64_t width = m->sms * (fit < m->blocks_per_sm ? fit : m->blocks_per_sm);
	uint64_t pages = (last->base + last->bytes) / s->app.page_bytes + 1, at;
	struct spm_page *page = calloc(pages * COUNT(step), sizeof *page);
	struct entry e;

	assert_non_null(page);
	for (uint64_t first = 0; first < k->blocks; first += width) {
		uint64_t end = first + width < k->blocks ? first + width : k->blocks;
		for (unsigned i = 0; i < COUNT(step); i++)
			step[i] += 2;
		for (unsigned n = 0; n < k->instrs; n++) {
			k->lane(s, first, 0, 0, n, &e, &at);
			naive_step(s, k, first, end, n, ++step[e.pc], page, pages, out);
		}
	}
	free(page);
}

static struct entries naive_spm(const struct td_spm *s)
{
	unsigned chunks = s->entries / spm_chunk(s), wide = s->columns / 128;
	struct spm_kernel columns = {columns_lane, s->rows / 8 * (s->columns / 32), 8,
				     spm_instrs(s)};
	struct spm_kernel clear = {clear_lane, s->rows / 4 * wide, 4, 1};
	struct spm_kernel rows = {rows_lane, s->rows * wide, 4, 2 + 3 * chunks};
	struct entries all = {0};

	if (s->by_rows)
		naive_kernel(s, &clear, &all);
	naive_kernel(s, s->by_rows ? &rows : &columns, &all);
	return all;
}

static void assert_spm_waves(const char *spec, uint64_t page_bytes, const struct td_gpu_machine *m)
{
	char exact[96];
	struct td_trace_source *s = open_source(spec, page_bytes, 1);
	struct td_gpu_app *app = td_gpu_of(s);
	struct entries all[4];

	app->machine = m;
	all[0] = read_entries(s);
	all[1] = naive_spm((const struct td_spm *)app);
	assert_same(spec, &all[0], &all[1], true);
	snprintf(exact, sizeof exact, "%s,mode=exact", spec);
	struct td_trace_source *s2 = open_source(exact, page_bytes, 1);
	td_gpu_of(s2)->machine = m;
	all[2] = first_touches(s);
	all[3] = first_touches(s2);
	assert_same(spec, &all[2], &all[3], false);
	free_all(all, COUNT(all));
	td_trace_close(s);
	td_trace_close(s2);
}

static void spm_waves_are_exact_in_order(void **state)
{
	(void)state;
	/* 64 rows: columns are 256 bytes; 88: 352 */
	assert_spm_waves("spm:scale=0.00006", 256, &small_machine);
	assert_spm_waves("spm:scale=0.00006", 128, &tiny_machine);
	assert_spm_waves("spm:scale=0.00006", 4096, &small_machine);
	assert_spm_waves("spm:scale=0.00006", 65536, &td_gpu_observuvm);
	assert_spm_waves("spm:scale=0.000084", 256, &tiny_machine);
	assert_spm_waves("spm:scale=0.000084,power=0.9", 128, &small_machine);
	assert_spm_waves("spm:scale=0.00006,power=0.7", 128, &td_gpu_observuvm);
	assert_spm_waves("spm:scale=0.00006,columns=64,entries=8", 128, &tiny_machine);
	assert_spm_waves("spm:scale=0.00006,layout=rows", 4096, &small_machine);
	assert_spm_waves("spm:scale=0.000084,layout=rows", 65536, &td_gpu_observuvm);
	assert_spm_waves("spm:scale=0.00006,layout=rows,power=0.7", 1024, &tiny_machine);
	assert_spm_waves("spm:scale=0.000084,layout=rows,columns=128,entries=5", 128,
			 &small_machine);
}

/* Every page of a tile of B once per wave of rows: the paper's wave is 3,936 rows. */
static void spm_uses_all_of_a_tile(void **state)
{
	struct td_trace_source *s = open_source("spm:scale=0.0078125", 4096, 1); /* 8192 rows */
	struct entries all = read_entries(s);
	uint64_t reads = 0, waves = (8192 * 28 + 3935) / 3936;

	(void)state;
	for (size_t i = 0; i < all.n; i++)
		reads += all.at[i].pc == 3;
	/* 8 pages of 32 columns; waves that begin in one tile and end in the next have two */
	assert_in_range(reads, waves * 256, (waves + 28) * 256);
	free(all.at);
	td_trace_close(s);
}

/* ---- btr ---- */

struct walk {
	const struct td_btr *b;
	uint32_t keys, nodes, depth; /* seen so far; of the leaves */
};

/* All keys from `from` up to before `to` are under the node, in order. */
static void check_node(struct walk *w, uint32_t at, uint64_t from, uint64_t to, uint32_t depth)
{
	const struct td_btr_node *node = &w->b->node[at];

	assert_true(at < w->b->nodes);
	assert_in_range(node->n, at == w->b->root ? 1 : TD_BTR_ENTRIES / 2, TD_BTR_ENTRIES);
	w->nodes++;
	for (uint32_t i = 0; i < node->n; i++) {
		uint64_t next = i + 1 < node->n ? node->key[i + 1] : to;
		assert_true(node->key[i] >= from && node->key[i] < next);
		if (!node->leaf) {
			check_node(w, node->to[i], node->key[i], next, depth + 1);
			continue;
		}
		assert_int_equal(node->key[i], w->keys++);
		assert_int_equal(node->to[i], td_btr_value(node->key[i]));
	}
	if (node->leaf) {
		w->depth = w->depth ? w->depth : depth;
		assert_int_equal(w->depth, depth);
	}
}

static void btr_is_a_tree(void **state)
{
	struct td_trace_source *s = open_source("btr:scale=0.0001", PAGE_BYTES, 1);
	const struct td_btr *b = (const struct td_btr *)td_gpu_of(s);
	struct walk w = {.b = b};

	(void)state;
	assert_int_equal(b->keys, 25000);
	check_node(&w, b->root, 0, b->keys, 1);
	assert_int_equal(w.keys, b->keys);
	assert_int_equal(w.nodes, b->nodes);
	/* Random insertions fill nodes to ln 2: 27 million for the paper's 250 million keys. */
	assert_in_range(b->nodes, b->keys / 10, b->keys / 9);
	assert_in_range(w.depth, 5, 5);
	td_trace_close(s);
}

static void btr_finds_values(void **state)
{
	static const char *const specs[] = {"btr:scale=0.0001", "btr:scale=0.0001,queries=skewed",
					    "btr:scale=0.00000105", "btr:scale=0.0002,jitter=64",
					    "btr:scale=0.0001,keys=320000000"};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = done(specs[i]);
		const struct td_btr *b = (const struct td_btr *)td_gpu_of(s);
		for (uint32_t q = 0; q < b->queries; q++)
			assert_int_equal(b->result[q], td_btr_value(td_btr_query(b, q)));
		td_trace_close(s);
	}
}

static void btr_asks_as_told(void **state)
{
	struct td_trace_source *s = open_source("btr:scale=0.001", PAGE_BYTES, 1);
	struct td_btr *b = (struct td_btr *)td_gpu_of(s);
	bool *asked = calloc(b->keys, 1);
	uint32_t top = 0, rising = 0;

	(void)state;
	assert_non_null(asked);
	assert_int_equal(b->queries, 134218);
	for (uint32_t q = 0; q < b->queries; q++) {
		uint32_t key = td_btr_query(b, q);
		assert_true(key < b->keys && !asked[key]);
		asked[key] = true;
		rising += q && key > td_btr_query(b, q - 1);
	}
	assert_in_range(rising, b->queries * 49 / 100, b->queries * 51 / 100);
	b->skewed = true;
	for (uint32_t q = 0; q < b->queries; q++)
		top += td_btr_query(b, q) >= b->keys / 25 * 24;
	assert_in_range(top, b->queries / 25 * 24, b->queries / 1000 * 965);
	free(asked);
	td_trace_close(s);
}

/* Binary search, node by node. */
static void model_search(struct model *m, const struct td_btr *b, uint32_t key)
{
	for (uint32_t at = b->root;;) {
		const struct td_btr_node *node = &b->node[at];
		uint32_t low = 0, high = node->n;
		for (unsigned l = 0; l < 32; l++)
			lane(m, 0, at * UINT64_C(128) + l * 4);
		end_warp(m, 1);
		if (node->leaf)
			return;
		while (low + 1 < high) {
			uint32_t mid = (low + high) / 2;
			if (node->key[mid] <= key)
				low = mid;
			else
				high = mid;
		}
		at = node->to[low];
	}
}

static void model_btr(struct model *m)
{
	const struct td_btr *b = (const struct td_btr *)m->app;

	for (uint32_t first = 0; first < b->queries; first += 32) {
		uint32_t end = first + 32 < b->queries ? first + 32 : b->queries;
		for (unsigned array = 1; array <= 2; array++) {
			for (uint32_t q = first; q < end; q++)
				lane(m, array, q * UINT64_C(4));
			end_warp(m, array == 1 ? 0 : 2);
		}
		for (uint32_t q = first; q < end; q++)
			model_search(m, b, td_btr_query(b, q));
	}
}

static void btr_is_its_kernel(void **state)
{
	(void)state;
	assert_like_model("btr:scale=0.0003", model_btr);
	assert_like_model("btr:scale=0.0001,queries=skewed,jitter=64", model_btr);
}

/* ---- bfs ---- */

static void bfs_finds_levels(void **state)
{
	struct td_trace_source *s = done("observuvm-bfs:scale=0.001");
	const struct td_bfs *b = (const struct td_bfs *)td_gpu_of(s);
	const struct td_graph *g = &b->g;
	int32_t *level = malloc(g->nodes * sizeof *level), now = 0;

	(void)state;
	assert_non_null(level);
	memset(level, -1, g->nodes * sizeof *level);
	level[0] = 0;
	for (bool more = true; more; now++) {
		more = false;
		for (uint64_t v = 0; v < g->nodes; v++) {
			for (uint64_t e = g->first[v]; level[v] == now && e < g->first[v + 1];
			     e++) {
				more = more || level[g->to[e]] < 0;
				level[g->to[e]] = level[g->to[e]] < 0 ? now + 1 : level[g->to[e]];
			}
		}
	}
	assert_memory_equal(b->cost, level, g->nodes * sizeof *level);
	assert_int_equal(g->nodes, 16777);
	/* 15 partners on average, both ways */
	assert_in_range(g->edges, g->nodes * 30 * 98 / 100, g->nodes * 30 * 102 / 100);
	free(level);
	td_trace_close(s);
}

/* ---- all ---- */

static void rewinding_repeats(void **state)
{
	static const char *const specs[] = {
		"spm:scale=0.0005", "spm:scale=0.00006,mode=exact", "btr:scale=0.001",
		"observuvm-bfs:scale=0.0003,jitter=8", "an:scale=0.0005"};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], 128, 7);
		uint64_t hash = run_through(s);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_int_equal(run_through(s), hash);
		td_trace_close(s);
		s = open_source(specs[i], 128, 8);
		/* Another seed makes other data; networks have none. */
		assert_int_equal(run_through(s) == hash, strncmp(specs[i], "an", 2) == 0);
		td_trace_close(s);
	}
}

static void bad_parameters_are_told(void **state)
{
	static const char *const specs[][2] = {
		{"spm:scale=0.000001", "less than one block"},
		{"spm:scale=100", "2^23 rows"},
		{"spm:mode=fast", "mode=fast"},
		{"spm:power=1", "power"},
		{"spm:jitter=4", "mode=exact"},
		{"an:scale=0.0001", "less than one block"},
		{"an:scale=1000000", "too many"},
		{"sn:scale=0.0001", "less than one block"},
		{"sn:mode=", "mode"},
		{"btr:scale=0.0000001", "scale"},
		{"btr:scale=0.000001", ""},
		{"btr:scale=100", "keys"},
		{"btr:queries=sorted", "queries=sorted"},
		{"observuvm-bfs:scale=1000", "numbered"},
		{"observuvm-bfs:scale=200", "of memory"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = NULL;
		struct tide_error err = {0};
		int rc = td_workload_open(&s, specs[i][0], 65536, 1, &err);
		if (!specs[i][1][0]) {
			assert_int_equal(rc, 0);
			td_trace_close(s);
			continue;
		}
		assert_int_equal(rc, -EINVAL);
		if (!strstr(err.text, specs[i][1]))
			fail_msg("%s: %s", specs[i][0], err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spm_multiplies),
		cmocka_unit_test(spm_has_columns_as_asked),
		cmocka_unit_test(spm_waves_are_exact_in_order),
		cmocka_unit_test(spm_uses_all_of_a_tile),
		cmocka_unit_test(btr_is_a_tree),
		cmocka_unit_test(btr_finds_values),
		cmocka_unit_test(btr_asks_as_told),
		cmocka_unit_test(btr_is_its_kernel),
		cmocka_unit_test(bfs_finds_levels),
		cmocka_unit_test(rewinding_repeats),
		cmocka_unit_test(bad_parameters_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
