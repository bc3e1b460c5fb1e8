/* The graphs, and what GMT's applications compute on them. */
#include <math.h>
#include <stdio.h>

#include "gpu_model.h"
#include "lab/workload/walk.h"

#define GMT_PAGE 65536

/* ---- graphs ---- */

static struct td_graph kronecker(unsigned scale, uint64_t seed)
{
	struct tide_error err = {0};
	struct td_graph g;

	if (td_graph_kronecker(&g, "test", scale, seed, 0, &err))
		fail_msg("%s", err.text);
	return g;
}

/* As many edges from u to v as from v to u: sums of a hash of the pair, one for each direction. */
static void assert_both_ways(const struct td_graph *g)
{
	uint64_t there = 0, back = 0;

	assert_int_equal(g->first[0], 0);
	assert_int_equal(g->first[g->nodes], g->edges);
	for (uint64_t v = 0; v < g->nodes; v++) {
		assert_true(g->first[v] <= g->first[v + 1]);
		for (uint64_t e = g->first[v]; e < g->first[v + 1]; e++) {
			assert_true(g->to[e] < g->nodes);
			there += tide_hash64(v << 32 | g->to[e]);
			back += tide_hash64((uint64_t)g->to[e] << 32 | v);
		}
	}
	assert_true(there == back);
}

static uint64_t most_edges(const struct td_graph *g)
{
	uint64_t most = 0;

	for (uint64_t v = 0; v < g->nodes; v++) {
		uint64_t degree = g->first[v + 1] - g->first[v];
		most = degree > most ? degree : most;
	}
	return most;
}

static void kronecker_has_its_shape(void **state)
{
	(void)state;
	for (unsigned scale = 1; scale <= 13; scale += 3) {
		struct td_graph g = kronecker(scale, 5);
		assert_int_equal(g.nodes, UINT64_C(1) << scale);
		assert_int_equal(g.edges, UINT64_C(32) << scale);
		assert_both_ways(&g);
		/* An end of an edge is the first node with probability (.57 + .19)^scale. */
		double hub = (double)g.edges * pow(.76, scale);
		if (scale >= 4)
			assert_true(fabs((double)most_edges(&g) - hub) < 5 * sqrt(hub));
		td_graph_free(&g);
	}
}

static void seeds_make_graphs(void **state)
{
	struct td_graph a = kronecker(8, 1), b = kronecker(8, 1), c = kronecker(8, 2);

	(void)state;
	assert_memory_equal(a.to, b.to, a.edges * sizeof *a.to);
	assert_memory_not_equal(a.to, c.to, a.edges * sizeof *a.to);
	td_graph_free(&a);
	td_graph_free(&b);
	td_graph_free(&c);
}

static void random_graph_draws_partners(void **state)
{
	struct td_graph g;

	(void)state;
	assert_int_equal(td_graph_random(&g, "test", 20000, 2, 4, 1, 0, NULL), 0);
	assert_both_ways(&g);
	/* 3 partners on average, each in two lists; the deviation of the sum is 231. */
	assert_in_range(g.edges, 118800, 121200);
	for (uint64_t v = 0; v < g.nodes; v++)
		assert_true(g.first[v + 1] - g.first[v] >= 2);
	td_graph_free(&g);
	assert_int_equal(td_graph_random(&g, "test", 100, 3, 2, 1, 0, NULL), -EINVAL);
	assert_int_equal(td_graph_random(&g, "test", 0, 2, 4, 1, 0, NULL), -EINVAL);
}

/* Before anything is drawn. */
static void too_large_a_graph_is_said(void **state)
{
	struct tide_error err = {0};
	struct td_graph g = {0};

	(void)state;
	assert_int_equal(td_graph_kronecker(&g, "test", 3, 1, UINT64_C(1) << 60, &err), -EINVAL);
	assert_non_null(strstr(err.text, "GiB are free"));
	assert_null(g.first);
	assert_int_equal(td_graph_random(&g, "test", 9, 2, 4, 1, UINT64_C(1) << 60, &err), -EINVAL);
	assert_null(g.first);
}

/* ---- what is computed ---- */

/* Runs to the end. */
static struct td_walk *walked(struct td_trace_source *s)
{
	struct tide_batch *batch = new_batch();

	while (next_batch(s, batch))
		;
	free_batch(batch);
	return (struct td_walk *)td_gpu_of(s);
}

static uint32_t source_of(const struct td_graph *g)
{
	uint32_t v = 0;

	while (g->first[v] == g->first[v + 1])
		v++;
	return v;
}

static void bfs_finds_levels(void **state)
{
	struct td_trace_source *s = open_source("gmt-bfs:s=12", GMT_PAGE, 3);
	struct td_walk *t = walked(s);
	uint32_t *level = malloc(t->g.nodes * 4), *queue = malloc(t->g.nodes * 4);
	uint64_t head = 0, tail = 1;

	(void)state;
	assert_true(level && queue);
	memset(level, 0xff, t->g.nodes * 4);
	queue[0] = source_of(&t->g);
	level[queue[0]] = 0;
	for (; head < tail; head++) {
		for (uint64_t e = t->g.first[queue[head]]; e < t->g.first[queue[head] + 1]; e++) {
			uint32_t u = t->g.to[e];
			if (level[u] == UINT32_MAX) {
				level[u] = level[queue[head]] + 1;
				queue[tail++] = u;
			}
		}
	}
	assert_true(tail > t->g.nodes / 2);
	assert_memory_equal(t->node[0].word, level, t->g.nodes * 4);
	free(level);
	free(queue);
	td_trace_close(s);
}

static void sssp_finds_distances(void **state)
{
	struct td_trace_source *s = open_source("sssp:s=11", GMT_PAGE, 4);
	struct td_walk *t = walked(s);
	uint32_t *cost = malloc(t->g.nodes * 4);
	bool fell = true;

	(void)state;
	assert_non_null(cost);
	memset(cost, 0xff, t->g.nodes * 4);
	cost[source_of(&t->g)] = 0;
	while (fell) {
		fell = false;
		for (uint64_t v = 0; v < t->g.nodes; v++) {
			for (uint64_t e = t->g.first[v]; e < t->g.first[v + 1]; e++) {
				uint32_t weight = td_walk_weight(t, e), u = t->g.to[e];
				assert_in_range(weight, 1, 255);
				if (cost[v] != UINT32_MAX && cost[v] + weight < cost[u]) {
					cost[u] = cost[v] + weight;
					fell = true;
				}
			}
		}
	}
	assert_memory_equal(t->node[0].word, cost, t->g.nodes * 4);
	free(cost);
	td_trace_close(s);
}

/* One pass by gathering: what every node gets of its neighbours' gifts. */
static void gather_pass(const struct td_graph *g, const double *gift, double *got)
{
	for (uint64_t v = 0; v < g->nodes; v++) {
		got[v] = 0;
		for (uint64_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint64_t u = g->to[e];
			got[v] += gift[u] * .85 / (double)(g->first[u + 1] - g->first[u]);
		}
	}
}

/* What is at most .001 is not given on, but waits. Passes beyond the last change nothing. */
static void plain_pagerank(const struct td_graph *g, double tolerance, int passes, double *value)
{
	double *residual = calloc(g->nodes, 8), *gift = calloc(g->nodes, 8),
	       *got = calloc(g->nodes, 8);

	assert_true(residual && gift && got);
	for (uint64_t v = 0; v < g->nodes; v++) {
		residual[v] = .15;
		value[v] = 0;
	}
	for (int i = 0; i <= passes; i++) {
		for (uint64_t v = 0; v < g->nodes; v++) {
			gift[v] = residual[v] > tolerance ? residual[v] : 0;
			value[v] += gift[v];
			residual[v] -= gift[v];
		}
		gather_pass(g, gift, got);
		for (uint64_t v = 0; v < g->nodes; v++)
			residual[v] += got[v];
	}
	free(residual);
	free(gift);
	free(got);
}

static void assert_ranks(const char *spec, int passes)
{
	struct td_trace_source *s = open_source(spec, GMT_PAGE, 5);
	struct td_walk *t = walked(s);
	double *plain = calloc(t->g.nodes, 8), *exact = calloc(t->g.nodes, 8), off = 0;

	assert_true(plain && exact);
	plain_pagerank(&t->g, .001, passes, plain);
	plain_pagerank(&t->g, 0, 300, exact);
	for (uint64_t v = 0; v < t->g.nodes; v++) {
		assert_true(fabs(t->node[0].real[v] - plain[v]) < 1e-9 * (1 + plain[v]));
		off += fabs(t->node[0].real[v] - exact[v]);
	}
	/* Residuals of .001 that nobody passed on would have become this much. */
	if (passes > 100)
		assert_true(off <= (double)t->g.nodes * .001 / .15);
	free(plain);
	free(exact);
	td_trace_close(s);
}

static void pagerank_sums_up(void **state)
{
	(void)state;
	assert_ranks("pagerank:s=11", 10);
	assert_ranks("pagerank:s=11,iters=3", 3);
	assert_ranks("pagerank:s=11,iters=0", 300);
}

/* Every pass of PageRank at first reads every edge once: 32 at a time, from a multiple of 16 on. */
static void walks_read_their_edges(void **state)
{
	struct td_trace_source *s = open_source("pagerank:s=10,iters=1", PAGE_BYTES, 1);
	struct td_walk *t = (struct td_walk *)td_gpu_of(s);
	struct model m = {.app = &t->app, .t = new_tally(&t->app)};
	struct tally got = tally_of(s);

	(void)state;
	for (uint64_t v = 0; v < t->g.nodes; v++) {
		for (uint64_t e = t->g.first[v]; e < t->g.first[v + 1]; e++) {
			lane(&m, 0, e * 8);
			if ((e + 1 - t->g.first[v] / 16 * 16) % 32 == 0)
				end_warp(&m, 0);
		}
		end_warp(&m, 0);
	}
	assert_memory_equal(got.n, m.t.n, got.pages * PCS * sizeof *got.n);
	free(got.n);
	free(m.t.n);
	td_trace_close(s);
}

/* all=1 adds to the events and changes nothing of what there was. */
static void all_adds_nodes(void **state)
{
	static const char *const specs[] = {"gmt-bfs:s=9", "sssp:s=9", "pagerank:s=9,iters=2"};
	char spec[64];

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		snprintf(spec, sizeof spec, "%s,all=1,warps=1", specs[i]);
		struct td_trace_source *some = open_source(specs[i], PAGE_BYTES, 1);
		struct td_trace_source *all = open_source(spec, PAGE_BYTES, 1);
		unsigned arrays = td_gpu_of(some)->arrays;
		assert_int_equal(td_gpu_of(all)->arrays, arrays + 2);
		struct tally a = tally_of(some), b = tally_of(all);
		uint64_t nodes = 0;
		for (uint64_t k = 0; k < b.pages * PCS; k++)
			nodes += k / b.pages >= 2 ? b.n[k] : 0;
		assert_true(nodes > 0);
		if (i != 1) /* the order of turns decides how often a cost falls */
			for (uint64_t page = 0; page < a.pages - 1; page++)
				assert_int_equal(a.n[page], b.n[page]);
		free(a.n);
		free(b.n);
		td_trace_close(some);
		td_trace_close(all);
	}
}

/* However far apart multiprocessors start, the same is read; rounds in which nobody runs, ten
 * million here, take no time. */
static void late_starts_read_the_same(void **state)
{
	struct td_trace_source *s = open_source("pagerank:s=8", PAGE_BYTES, 1);
	struct td_trace_source *late = open_source("pagerank:s=8,jitter=1000000", PAGE_BYTES, 1);
	struct tally a = tally_of(s), b = tally_of(late);

	(void)state;
	assert_memory_equal(a.n, b.n, a.pages * PCS * sizeof *a.n);
	free(a.n);
	free(b.n);
	td_trace_close(s);
	td_trace_close(late);
}

/* Pages smaller than an edge are one per edge, as those of its size are. */
static void tiny_pages_are_fine(void **state)
{
	static const char *const specs[] = {"gmt-bfs:s=6", "pagerank:s=6,iters=2"};
	struct tide_batch *one = new_batch(), *eight = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *tiny = open_source(specs[i], 1, 1);
		struct td_trace_source *edge = open_source(specs[i], 8, 1);
		while (next_batch(edge, eight)) {
			assert_true(next_batch(tiny, one));
			assert_int_equal(one->n, eight->n);
			for (uint32_t k = 0; k < one->n; k++)
				assert_int_equal(one->page[k], eight->page[k] * 8);
		}
		assert_false(next_batch(tiny, one));
		td_trace_close(tiny);
		td_trace_close(edge);
	}
	free_batch(one);
	free_batch(eight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kronecker_has_its_shape),
		cmocka_unit_test(seeds_make_graphs),
		cmocka_unit_test(too_large_a_graph_is_said),
		cmocka_unit_test(random_graph_draws_partners),
		cmocka_unit_test(bfs_finds_levels),
		cmocka_unit_test(sssp_finds_distances),
		cmocka_unit_test(pagerank_sums_up),
		cmocka_unit_test(walks_read_their_edges),
		cmocka_unit_test(all_adds_nodes),
		cmocka_unit_test(late_starts_read_the_same),
		cmocka_unit_test(tiny_pages_are_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
