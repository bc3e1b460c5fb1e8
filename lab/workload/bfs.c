#include "bfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NODES, EDGES, MASK, UPDATING, VISITED, COST, OVER };
enum { THREADS = 512, NODE_BYTES = 8 }; /* a node is where its edges begin, and how many */

/* The body's variables. SET and NEW are sets of lanes, a bit each. */
enum { FIRST, SET, EDGE, AT, NEW };

static unsigned lanes_of(const struct td_bfs *b, const struct td_gpu_warp *w)
{
	uint64_t first = td_gpu_global(w, 0);

	if (first >= b->g.nodes)
		return 0;
	return b->g.nodes - first < w->lanes ? (unsigned)(b->g.nodes - first) : w->lanes;
}

/* Lanes whose flag is set. */
static int64_t flagged(const uint8_t *flags, const struct td_gpu_warp *w, unsigned lanes)
{
	uint32_t set = 0;

	for (unsigned l = 0; l < lanes; l++)
		set |= (uint32_t)flags[w->v[FIRST] + l] << l;
	return set;
}

static void set_flags(uint8_t *flags, const struct td_gpu_warp *w, uint8_t to)
{
	for (uint32_t set = (uint32_t)w->v[SET]; set; set &= set - 1)
		flags[w->v[FIRST] + __builtin_ctz(set)] = to;
}

/* What the lanes of a set access of their own nodes, which lie side by side: from the first lane
 * of the set to the last, where no page lies between lanes. */
static struct td_gpu_access own(const struct td_bfs *b, struct td_gpu_warp *w, int64_t lanes,
				unsigned pc, unsigned array, bool write, int64_t bytes)
{
	uint32_t set = (uint32_t)lanes;
	unsigned from = (unsigned)__builtin_ctz(set), to = 32 - (unsigned)__builtin_clz(set), n = 0;

	if (b->app.page_bytes >= (uint64_t)bytes * TD_GPU_LANES)
		return td_gpu_row(pc, array, write, (uint64_t)((w->v[FIRST] + from) * bytes), bytes,
				  to - from);
	for (; set; set &= set - 1)
		w->gather[n++] = (uint64_t)((w->v[FIRST] + __builtin_ctz(set)) * bytes);
	return td_gpu_gather(pc, array, write, n);
}

/* ---- along the edges of a level's nodes ---- */

/* The edges that the lanes are at; lanes that have no more leave. AT: those that have. */
static struct td_gpu_access read_edges(const struct td_bfs *b, struct td_gpu_warp *w)
{
	unsigned n = 0;

	w->v[AT] = 0;
	for (uint32_t set = (uint32_t)w->v[SET]; set; set &= set - 1) {
		unsigned lane = (unsigned)__builtin_ctz(set);
		const uint64_t *first = &b->g.first[w->v[FIRST] + lane];
		uint64_t edge = first[0] + (uint64_t)w->v[EDGE];
		if (edge >= first[1])
			continue;
		w->v[AT] |= INT64_C(1) << lane;
		w->gather[n++] = edge * 4;
	}
	return td_gpu_gather(3, EDGES, TD_GPU_READ, n);
}

static uint32_t partner(const struct td_bfs *b, const struct td_gpu_warp *w, uint32_t set)
{
	unsigned lane = (unsigned)__builtin_ctz(set);

	return b->g.to[b->g.first[w->v[FIRST] + lane] + (uint64_t)w->v[EDGE]];
}

/* Accesses the partners of the lanes of a set. */
static struct td_gpu_access partners(const struct td_bfs *b, struct td_gpu_warp *w, int64_t lanes,
				     unsigned pc, unsigned array, bool write, unsigned bytes)
{
	unsigned n = 0;

	for (uint32_t set = (uint32_t)lanes; set; set &= set - 1)
		w->gather[n++] = (uint64_t)partner(b, w, set) * bytes;
	return td_gpu_gather(pc, array, write, n);
}

/* Lanes whose partners were in no level before. */
static int64_t unvisited(const struct td_bfs *b, const struct td_gpu_warp *w)
{
	uint32_t found = 0;

	for (uint32_t set = (uint32_t)w->v[AT]; set; set &= set - 1) {
		if (!b->visited[partner(b, w, set)])
			found |= set & -set;
	}
	return found;
}

static void reach(struct td_bfs *b, const struct td_gpu_warp *w)
{
	for (uint32_t set = (uint32_t)w->v[NEW]; set; set &= set - 1) {
		uint32_t to = partner(b, w, set);
		b->cost[to] = b->cost[w->v[FIRST] + __builtin_ctz(set)] + 1;
		b->updating[to] = 1;
	}
}

static bool expand(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_bfs *b = (struct td_bfs *)app;
	unsigned lanes = lanes_of(b, w);

	WARP_BEGIN(w)
	w->v[FIRST] = (int64_t)td_gpu_global(w, 0);
	GIVE(w, out, td_gpu_row(0, MASK, TD_GPU_READ, (uint64_t)w->v[FIRST], 1, lanes));
	w->v[SET] = flagged(b->mask, w, lanes);
	if (!w->v[SET])
		return false;
	GIVE(w, out, own(b, w, w->v[SET], 1, MASK, TD_GPU_WRITE, 1));
	set_flags(b->mask, w, 0);
	GIVE(w, out, own(b, w, w->v[SET], 2, NODES, TD_GPU_READ, NODE_BYTES));
	for (;; w->v[EDGE]++) {
		GIVE(w, out, read_edges(b, w));
		if (!w->v[AT])
			return false;
		GIVE(w, out, partners(b, w, w->v[AT], 4, VISITED, TD_GPU_READ, 1));
		w->v[NEW] = unvisited(b, w);
		if (!w->v[NEW])
			continue;
		GIVE(w, out, own(b, w, w->v[NEW], 5, COST, TD_GPU_READ, 4));
		reach(b, w);
		GIVE(w, out, partners(b, w, w->v[NEW], 6, COST, TD_GPU_WRITE, 4));
		GIVE(w, out, partners(b, w, w->v[NEW], 7, UPDATING, TD_GPU_WRITE, 1));
	}
	WARP_END;
}

/* ---- the nodes found are the next level ---- */

static bool advance(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_bfs *b = (struct td_bfs *)app;
	unsigned lanes = lanes_of(b, w);

	WARP_BEGIN(w)
	w->v[FIRST] = (int64_t)td_gpu_global(w, 0);
	GIVE(w, out, td_gpu_row(8, UPDATING, TD_GPU_READ, (uint64_t)w->v[FIRST], 1, lanes));
	w->v[SET] = flagged(b->updating, w, lanes);
	if (!w->v[SET])
		return false;
	GIVE(w, out, own(b, w, w->v[SET], 9, MASK, TD_GPU_WRITE, 1));
	set_flags(b->mask, w, 1);
	GIVE(w, out, own(b, w, w->v[SET], 10, VISITED, TD_GPU_WRITE, 1));
	set_flags(b->visited, w, 1);
	GIVE(w, out, td_gpu_row(11, OVER, TD_GPU_WRITE, 0, 0, 1));
	b->over = true;
	GIVE(w, out, own(b, w, w->v[SET], 12, UPDATING, TD_GPU_WRITE, 1));
	set_flags(b->updating, w, 0);
	WARP_END;
}

/* ---- the whole search ---- */

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	struct td_bfs *b = (struct td_bfs *)app;
	bool expands = i % 2 == 0;

	if (expands && i && !b->over)
		return false;
	b->over = b->over && !expands;
	*out = td_gpu_grid(expands ? "expand" : "advance", (b->g.nodes + THREADS - 1) / THREADS, 1,
			   THREADS, 1);
	out->body = expands ? expand : advance;
	return true;
}

static void restart(struct td_gpu_app *app)
{
	struct td_bfs *b = (struct td_bfs *)app;

	memset(b->mask, 0, b->g.nodes);
	memset(b->updating, 0, b->g.nodes);
	memset(b->visited, 0, b->g.nodes);
	memset(b->cost, -1, b->g.nodes * sizeof *b->cost);
	b->over = false;
	b->cost[0] = 0;
	b->mask[0] = b->visited[0] = 1;
}

static void release(struct td_gpu_app *app)
{
	struct td_bfs *b = (struct td_bfs *)app;

	td_graph_free(&b->g);
	free(b->mask);
	free(b->updating);
	free(b->visited);
	free(b->cost);
}

static void add_arrays(struct td_bfs *b)
{
	td_gpu_add(&b->app, "nodes", b->g.nodes * NODE_BYTES);
	td_gpu_add(&b->app, "edges", b->g.edges * 4);
	td_gpu_add(&b->app, "mask", b->g.nodes);
	td_gpu_add(&b->app, "updating", b->g.nodes);
	td_gpu_add(&b->app, "visited", b->g.nodes);
	td_gpu_add(&b->app, "cost", b->g.nodes * 4);
	td_gpu_add(&b->app, "over", 1);
}

int td_bfs_setup(struct td_bfs *b, int64_t nodes, unsigned least, unsigned most,
		 struct tide_error *err)
{
	uint64_t n = (uint64_t)nodes;

	b->app.release = release;
	int rc = td_graph_random(&b->g, b->app.name, n, least, most, b->app.seed,
				 n * (3 + sizeof *b->cost), err);
	if (rc)
		return rc;
	b->mask = malloc(n);
	b->updating = malloc(n);
	b->visited = malloc(n);
	b->cost = malloc(n * sizeof *b->cost);
	if (!b->mask || !b->updating || !b->visited || !b->cost)
		return tide_fail(err, -ENOMEM, "workload %s: no memory for its nodes: free some",
				 b->app.name);
	add_arrays(b);
	b->app.by_data = true;
	b->app.launch = launch;
	b->app.restart = restart;
	return 0;
}
