/* CPPE's bfs and spv: what they compute, and every access of every warp against the kernels written
 * out plainly. */
#include "gpu_data.h"
#include "lab/workload/bfs.h"
#include "lab/workload/spv.h"

/* ---- bfs ---- */

enum { BFS_NODES, BFS_EDGES, BFS_MASK, BFS_UPDATING, BFS_VISITED, BFS_COST, BFS_OVER };

static int32_t *plain_levels(const struct td_graph *g)
{
	int32_t *level = malloc(g->nodes * sizeof *level);
	uint32_t *queue = malloc(g->nodes * sizeof *queue);
	uint64_t head = 0, tail = 1;

	assert_true(level && queue);
	memset(level, -1, g->nodes * sizeof *level);
	level[0] = 0;
	for (queue[0] = 0; head < tail; head++) {
		uint32_t v = queue[head];
		for (uint64_t e = g->first[v]; e < g->first[v + 1]; e++) {
			if (level[g->to[e]] >= 0)
				continue;
			level[g->to[e]] = level[v] + 1;
			queue[tail++] = g->to[e];
		}
	}
	free(queue);
	return level;
}

static void assert_levels(const char *spec)
{
	struct td_trace_source *s = done(spec);
	const struct td_bfs *b = (const struct td_bfs *)td_gpu_of(s);
	int32_t *level = plain_levels(&b->g), deepest = 0;

	for (uint64_t v = 0; v < b->g.nodes; v++) {
		assert_int_equal(b->cost[v], level[v]);
		deepest = level[v] > deepest ? level[v] : deepest;
	}
	assert_in_range(deepest, 4, 15);
	free(level);
	td_trace_close(s);
}

static void bfs_finds_levels(void **state)
{
	(void)state;
	assert_levels("bfs:scale=0.01");
	assert_levels("bfs:scale=0.0333,jitter=64");
}

/* Where a page is a node, only those of nodes that take part are accessed. */
static void bfs_leaves_other_nodes_alone(void **state)
{
	static const unsigned writes[] = {1, 9, 10, 12};
	struct td_trace_source *s = open_source("bfs:scale=0.002", 1, 1);
	const struct td_bfs *b = (const struct td_bfs *)td_gpu_of(s);
	struct tide_batch *batch = new_batch();
	uint64_t n[13] = {0}, reached = 0;

	(void)state;
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++)
			n[batch->ref[i] - 1]++;
	}
	for (uint64_t v = 0; v < b->g.nodes; v++)
		reached += b->cost[v] >= 0;
	assert_true(reached > 1900);
	for (size_t i = 0; i < COUNT(writes); i++) /* the first was there at the beginning */
		assert_int_equal(n[writes[i]] + (i > 0), reached);
	assert_int_equal(n[2], reached);
	free_batch(batch);
	td_trace_close(s);
}

/* The model of one level. */
struct bfs_model {
	struct model *m;
	const struct td_graph *g;
	const int32_t *level;
	int32_t now;
};

static void bfs_step(const struct bfs_model *x, uint64_t first, uint64_t end, unsigned pc,
		     uint64_t k)
{
	static const unsigned array[] = {BFS_EDGES, BFS_VISITED, BFS_COST, BFS_COST, BFS_UPDATING};

	for (uint64_t v = first; v < end; v++) {
		uint64_t e = x->g->first[v] + k;
		if (x->level[v] != x->now || e >= x->g->first[v + 1])
			continue;
		uint64_t to = x->g->to[e];
		uint64_t byte[] = {e * 4, to, v * 4, to * 4, to};
		if (pc < 5 || x->level[to] > x->now)
			lane(x->m, array[pc - 3], byte[pc - 3]);
	}
	end_warp(x->m, pc);
}

static uint64_t lanes_at(const struct bfs_model *x, uint64_t first, uint64_t end, int32_t level,
			 unsigned pc, unsigned array, unsigned bytes)
{
	uint64_t n = 0, v;

	for (v = first; v < end; v++) {
		if (x->level[v] != level)
			continue;
		lane(x->m, array, v * bytes);
		n++;
	}
	end_warp(x->m, pc);
	return n;
}

static void bfs_expand(const struct bfs_model *x, uint64_t first, uint64_t end)
{
	uint64_t longest = 0;

	lane(x->m, BFS_MASK, first);
	end_warp(x->m, 0);
	lanes_at(x, first, end, x->now, 1, BFS_MASK, 1);
	lanes_at(x, first, end, x->now, 2, BFS_NODES, 8);
	for (uint64_t v = first; v < end; v++) {
		uint64_t degree = x->g->first[v + 1] - x->g->first[v];
		longest = x->level[v] == x->now && degree > longest ? degree : longest;
	}
	for (uint64_t k = 0; k < longest; k++) {
		for (unsigned pc = 3; pc < 8; pc++)
			bfs_step(x, first, end, pc, k);
	}
}

static uint64_t bfs_advance(const struct bfs_model *x, uint64_t first, uint64_t end)
{
	uint64_t n;

	lane(x->m, BFS_UPDATING, first);
	end_warp(x->m, 8);
	lanes_at(x, first, end, x->now + 1, 9, BFS_MASK, 1);
	n = lanes_at(x, first, end, x->now + 1, 10, BFS_VISITED, 1);
	if (n)
		lane(x->m, BFS_OVER, 0);
	end_warp(x->m, 11);
	lanes_at(x, first, end, x->now + 1, 12, BFS_UPDATING, 1);
	return n;
}

static void model_bfs(struct model *m)
{
	const struct td_graph *g = &((const struct td_bfs *)m->app)->g;
	int32_t *level = plain_levels(g);
	struct bfs_model x = {m, g, level, 0};

	for (uint64_t found = 1; found; x.now++) {
		found = 0;
		for (uint64_t v = 0; v < g->nodes; v += LANES) {
			uint64_t end = v + LANES < g->nodes ? v + LANES : g->nodes;
			bfs_expand(&x, v, end);
			found += bfs_advance(&x, v, end);
		}
	}
	free(level);
}

static void bfs_is_its_kernels(void **state)
{
	(void)state;
	assert_like_model("bfs:scale=0.0201", model_bfs);
}

/* ---- spv ---- */

enum { SPV_DATA, SPV_INDEX, SPV_PERM, SPV_X, SPV_Y };

static void assert_product(const char *spec)
{
	struct td_trace_source *s = done(spec);
	const struct td_spv *a = (const struct td_spv *)td_gpu_of(s);
	uint32_t column[TD_SPV_LONGEST];
	float value[TD_SPV_LONGEST];

	for (uint32_t row = 0; row < a->rows; row++) {
		unsigned n = td_spv_row(a->app.seed, a->side, row, column, value);
		double sum = 0;
		for (unsigned k = 0; k < n; k++)
			sum += (double)value[k] * (double)a->x[column[k]];
		assert_float_equal(a->y[row], sum, 1e-4);
	}
	td_trace_close(s);
}

static void spv_multiplies(void **state)
{
	(void)state;
	assert_product("spv:scale=0.01,iters=2");
	assert_product("spv:scale=0.002,iters=3,jitter=64");
}

/* Three quarters of the rows have 15 to 25 entries, the others 25 to 38. */
static void spv_has_rows_of_a_mesh(void **state)
{
	uint32_t column[TD_SPV_LONGEST], n = 383 * 383, few = 0, near = 0, all = 0;
	float value[TD_SPV_LONGEST];

	(void)state;
	for (uint32_t row = 0; row < n; row++) {
		unsigned length = td_spv_row(1, 383, row, column, value);
		assert_in_range(length, 15, 38);
		few += length < 25;
		all += length;
		for (unsigned k = 0; k < length; k++) {
			uint32_t far = column[k] < row ? row - column[k] : column[k] - row;
			assert_true(column[k] < n && (!k || column[k] > column[k - 1]));
			assert_true(far <= 3600);
			near += far <= 12;
		}
	}
	/* 10/11 of the short ones are below 25; 22.875 is the average length. */
	assert_in_range(few, n * 67 / 100, n * 69 / 100);
	assert_in_range(all, 3340000, 3375000);
	assert_in_range(near, all / 4, all / 2);
}

static void model_spv(struct model *m)
{
	const struct td_spv *a = (const struct td_spv *)m->app;

	for (uint32_t first = 0; first < a->rows; first += LANES) {
		uint32_t end = first + LANES < a->rows ? first + LANES : a->rows,
			 column[TD_SPV_LONGEST];
		float value[TD_SPV_LONGEST];
		unsigned longest = td_spv_row(1, a->side, a->perm[first], column, value);
		for (unsigned k = 0; k < longest; k++) {
			for (unsigned l = 0; l < end - first; l++)
				lane(m, SPV_INDEX, (a->ptr[k] + first + l) * UINT64_C(4));
			end_warp(m, 0);
			for (unsigned l = 0; l < end - first; l++)
				lane(m, SPV_DATA, (a->ptr[k] + first + l) * UINT64_C(4));
			end_warp(m, 1);
			for (unsigned l = 0; l < end - first; l++) {
				unsigned n =
					td_spv_row(1, a->side, a->perm[first + l], column, value);
				assert_true(n <= longest);
				lane(m, SPV_X, column[k < n ? k : n - 1] * UINT64_C(4));
			}
			end_warp(m, 2);
		}
		for (unsigned l = 0; l < end - first; l++)
			lane(m, SPV_PERM, (first + l) * UINT64_C(4));
		end_warp(m, 3);
		for (unsigned l = 0; l < end - first; l++)
			lane(m, SPV_Y, a->perm[first + l] * UINT64_C(4));
		end_warp(m, 4);
	}
}

static void spv_is_its_kernel(void **state)
{
	(void)state;
	assert_like_model("spv:scale=0.02,iters=1", model_spv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bfs_finds_levels),
		cmocka_unit_test(bfs_leaves_other_nodes_alone),
		cmocka_unit_test(bfs_is_its_kernels),
		cmocka_unit_test(spv_multiplies),
		cmocka_unit_test(spv_has_rows_of_a_mesh),
		cmocka_unit_test(spv_is_its_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
