/* B+TREE of Rodinia: queries for ranges of keys, then for single keys. A block per query, a thread
 * per key of a node. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "bt.h"
#include "graph.h"

/* The second command has its own copy of the nodes. */
enum { NODES, CURR, OFF, LAST, OFF2, START, END, FIRST, LENGTH };
enum { RECORDS = LENGTH + 1, POINT_NODES, POINT_CURR, POINT_OFF, KEY, ANSWER };
enum { SCALE };
enum { HALF = TD_BT_ORDER / 2, WIDTH = 3000, KEYS_MOST = 2000000000 };

_Static_assert(sizeof(struct td_bt_node) == 2068, "nodes lie in memory as in the program");

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_JITTER,
	{0},
};

/* ---- the tree ---- */

/* Keys came in ascending order, so a node was split in half when it was full and its left half
 * never grew again: all have half, but for the last of a level, which has the rest. */
static uint32_t nodes_for(uint32_t children)
{
	return children <= TD_BT_ORDER ? 1 : (children - HALF - 1) / HALF + 1;
}

static uint32_t leaves_for(uint32_t keys)
{
	return keys < TD_BT_ORDER ? 1 : keys / HALF;
}

static void begin_node(struct td_bt *b, uint32_t at, bool leaf, uint32_t n)
{
	struct td_bt_node *node = &b->node[at];

	node->location = (int32_t)at;
	node->leaf = leaf;
	node->n = (int32_t)n;
	node->keys[0] = INT32_MIN;
	node->keys[n - 1] = INT32_MAX;
}

/* The leaves, of which the first is node `at`. */
static void make_leaves(struct td_bt *b, uint32_t at)
{
	for (uint32_t i = 0; i < b->leaves; i++) {
		uint32_t first = i * HALF, n = i + 1 == b->leaves ? b->keys - first : HALF;
		begin_node(b, at + i, true, n + 2);
		for (uint32_t k = 0; k < n; k++) {
			b->node[at + i].keys[k + 1] = (int32_t)(first + k);
			b->node[at + i].idx[k + 1] = (int32_t)(first + k);
		}
	}
}

/* A level of n nodes from `at` on, above one of `children` from `below` on; a child that is not its
 * parent's first is found by its smallest key. `under`: keys under a child that is not the last. */
static void make_level(struct td_bt *b, uint32_t at, uint32_t n, uint32_t below, uint32_t children,
		       uint32_t under)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = i * HALF, own = i + 1 == n ? children - first : HALF;
		begin_node(b, at + i, false, own + 1);
		for (uint32_t k = 0; k < own; k++) {
			b->node[at + i].idx[k] = (int32_t)(below + first + k);
			if (k)
				b->node[at + i].keys[k] = (int32_t)((first + k) * under);
		}
	}
}

/* From the leaves up. */
static void make_tree(struct td_bt *b)
{
	uint32_t below = b->nodes - b->leaves, children = b->leaves, under = HALF;

	make_leaves(b, below);
	while (below) {
		uint32_t n = nodes_for(children);
		make_level(b, below - n, n, below, children, under);
		below -= n;
		children = n;
		under *= HALF;
	}
}

static void measure(struct td_bt *b)
{
	b->leaves = b->nodes = leaves_for(b->keys);
	for (uint32_t n = b->leaves; n > 1; b->levels++) {
		n = nodes_for(n);
		b->nodes += n;
	}
}

/* ---- a query ---- */

/* A query's way down the tree: to the first key of a range, to its last, or to the only one. Arrays
 * and instructions; pc: the first one at a node. */
static const struct path {
	unsigned pc, nodes, curr, key, off, found;
	unsigned advance_pc, found_pc;
} ways[] = {
	{0, NODES, CURR, START, OFF, FIRST, 10, 12},
	{5, NODES, LAST, END, OFF2, LENGTH, 11, 13},
	{14, POINT_NODES, POINT_CURR, KEY, POINT_OFF, ANSWER, 19, 21},
};

enum { IS_POINTS }; /* of a launch's arguments */

/* The body's variables. MATCH: the lane whose key is the one, -1 where there is none. */
enum { LEVEL, PATH, MATCH };

static bool is_point(const struct td_gpu_warp *w)
{
	return w->launch->arg[IS_POINTS] != 0;
}

static const struct path *path_of(const struct td_gpu_warp *w)
{
	return &ways[is_point(w) ? 2 : w->v[PATH]];
}

/* The node that the query is at. */
static const struct td_bt_node *node_of(const struct td_bt *b, const struct td_gpu_warp *w,
					const struct td_bt_query *q)
{
	return &b->node[q->curr[w->v[PATH]]];
}

/* A value of the query's own, the same for all lanes or written by one of them. */
static struct td_gpu_access own(const struct td_gpu_warp *w, unsigned pc, unsigned array,
				bool write, unsigned bytes)
{
	return td_gpu_row(pc, array, write, (uint64_t)w->block * bytes, 0, 1);
}

/* What a lane accesses of the node's keys or indices. */
static uint64_t slot(const struct td_gpu_warp *w, const struct td_bt_query *q, size_t member,
		     unsigned lane)
{
	return (uint64_t)q->curr[w->v[PATH]] * sizeof(struct td_bt_node) + member +
	       UINT64_C(4) * td_gpu_thread(w, lane);
}

static struct td_gpu_access read_keys(const struct td_gpu_warp *w, const struct td_bt_query *q)
{
	const struct path *p = path_of(w);

	return td_gpu_row(p->pc + 1, p->nodes, TD_GPU_READ,
			  slot(w, q, offsetof(struct td_bt_node, keys), 0), 4, TD_GPU_LANES);
}

/* The keys after, of lanes whose own is not above the one sought. */
static struct td_gpu_access read_next_keys(const struct td_bt *b, struct td_gpu_warp *w,
					   const struct td_bt_query *q)
{
	const struct path *p = path_of(w);
	const int32_t *key = &node_of(b, w, q)->keys[td_gpu_thread(w, 0)];
	int32_t sought = q->key[w->v[PATH]];
	unsigned n = 0;

	w->v[MATCH] = -1;
	for (unsigned l = 0; l < TD_GPU_LANES; l++) {
		if (key[l] > sought)
			continue;
		w->gather[n++] = slot(w, q, offsetof(struct td_bt_node, keys), l + 1);
		if (key[l + 1] > sought)
			w->v[MATCH] = l;
	}
	return td_gpu_gather(p->pc + 1, p->nodes, TD_GPU_READ, n);
}

static bool find_equal(const struct td_bt *b, struct td_gpu_warp *w, const struct td_bt_query *q)
{
	const int32_t *key = &node_of(b, w, q)->keys[td_gpu_thread(w, 0)];

	w->v[MATCH] = -1;
	for (unsigned l = 0; l < TD_GPU_LANES; l++) {
		if (key[l] == q->key[w->v[PATH]])
			w->v[MATCH] = l;
	}
	return w->v[MATCH] >= 0;
}

static struct td_gpu_access read_idx(const struct td_gpu_warp *w, const struct td_bt_query *q)
{
	const struct path *p = path_of(w);

	return td_gpu_row(p->pc + 3, p->nodes, TD_GPU_READ,
			  slot(w, q, offsetof(struct td_bt_node, idx), (unsigned)w->v[MATCH]), 4,
			  1);
}

static int32_t matched(const struct td_bt *b, const struct td_gpu_warp *w,
		       const struct td_bt_query *q)
{
	return node_of(b, w, q)->idx[td_gpu_thread(w, (unsigned)w->v[MATCH])];
}

static void take_result(const struct td_bt *b, const struct td_gpu_warp *w, struct td_bt_query *q)
{
	int32_t record = matched(b, w, q);

	if (is_point(w))
		q->found[0] = b->record[record];
	else
		q->found[w->v[PATH]] = w->v[PATH] ? record - q->found[0] + 1 : record;
}

static bool search(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_bt *b = (struct td_bt *)app;
	struct td_bt_query *q = &b->query[w->block + (is_point(w) ? b->ranges : 0)];
	const struct path *p = path_of(w);
	int64_t paths = is_point(w) ? 1 : 2;

	WARP_BEGIN(w)
	for (; w->v[LEVEL] < b->levels; w->v[LEVEL]++) {
		for (w->v[PATH] = 0; w->v[PATH] < paths; w->v[PATH]++) {
			p = path_of(w);
			GIVE(w, out, own(w, p->pc, p->curr, TD_GPU_READ, 8));
			GIVE(w, out, read_keys(w, q));
			GIVE(w, out, read_next_keys(b, w, q));
			GIVE(w, out, own(w, p->pc + 2, p->key, TD_GPU_READ, 4));
			if (w->v[MATCH] < 0)
				continue;
			GIVE(w, out, read_idx(w, q));
			q->off[w->v[PATH]] = matched(b, w, q);
			GIVE(w, out, own(w, p->pc + 4, p->off, TD_GPU_WRITE, 8));
		}
		GIVE(w, out, td_gpu_barrier());
		for (w->v[PATH] = 0; w->v[PATH] < paths && w->warp == 0; w->v[PATH]++) {
			p = path_of(w);
			q->curr[w->v[PATH]] = q->off[w->v[PATH]];
			GIVE(w, out, own(w, p->advance_pc, p->curr, TD_GPU_WRITE, 8));
		}
		GIVE(w, out, td_gpu_barrier());
	}
	for (w->v[PATH] = 0; w->v[PATH] < paths; w->v[PATH]++) {
		p = path_of(w);
		GIVE(w, out, own(w, p->pc, p->curr, TD_GPU_READ, 8));
		GIVE(w, out, read_keys(w, q));
		GIVE(w, out, own(w, p->pc + 2, p->key, TD_GPU_READ, 4));
		if (find_equal(b, w, q)) {
			GIVE(w, out, read_idx(w, q));
			take_result(b, w, q);
			if (is_point(w))
				GIVE(w, out,
				     td_gpu_row(20, RECORDS, TD_GPU_READ,
						(uint64_t)matched(b, w, q) * 4, 4, 1));
			GIVE(w, out, own(w, p->found_pc, p->found, TD_GPU_WRITE, 4));
		}
		GIVE(w, out, td_gpu_barrier());
	}
	WARP_END;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_bt *b = (const struct td_bt *)app;

	*out = td_gpu_grid(i ? "points" : "ranges", i ? b->points : b->ranges, 1, TD_BT_ORDER, 1);
	out->body = search;
	out->arg[IS_POINTS] = i != 0;
	return i < 2;
}

/* ---- setup ---- */

static void restart(struct td_gpu_app *app)
{
	struct td_bt *b = (struct td_bt *)app;

	for (uint32_t i = 0; i < b->ranges + b->points; i++) {
		struct td_bt_query *q = &b->query[i];
		*q = (struct td_bt_query){.key = {q->key[0], q->key[1]}};
	}
}

static void release(struct td_gpu_app *app)
{
	struct td_bt *b = (struct td_bt *)app;

	free(b->node);
	free(b->record);
	free(b->query);
}

static void draw_queries(struct td_bt *b)
{
	uint64_t random = b->app.seed;
	uint32_t width = b->keys > WIDTH ? WIDTH : b->keys - 1;

	for (uint32_t i = 0; i < b->keys; i++)
		b->record[i] = (int32_t)(tide_random_next(&random) >> 33);
	for (uint32_t i = 0; i < b->ranges + b->points; i++) {
		uint32_t most = i < b->ranges ? b->keys - width : b->keys;
		int32_t *key = b->query[i].key;
		key[0] = (int32_t)(tide_random_next(&random) % most);
		key[1] = key[0] + (int32_t)width;
	}
}

static void add_arrays(struct td_bt *b)
{
	static const char *const names[] = {"nodes", "curr", "off", "last", "off2",
					    "start", "end",  "rs",  "rl"};
	struct td_gpu_app *app = &b->app;
	uint64_t nodes = (uint64_t)b->nodes * sizeof *b->node;

	td_gpu_add(app, names[NODES], nodes);
	for (unsigned i = CURR; i <= LENGTH; i++)
		td_gpu_add(app, names[i], (uint64_t)b->ranges * (i <= OFF2 ? 8 : 4));
	td_gpu_add(app, "records", (uint64_t)b->keys * 4);
	td_gpu_add(app, "point_nodes", nodes);
	td_gpu_add(app, "point_curr", (uint64_t)b->points * 8);
	td_gpu_add(app, "point_off", (uint64_t)b->points * 8);
	td_gpu_add(app, "key", (uint64_t)b->points * 4);
	td_gpu_add(app, "ans", (uint64_t)b->points * 4);
}

static int get_memory(struct td_bt *b, struct tide_error *err)
{
	uint64_t queries = (uint64_t)b->ranges + b->points;
	double bytes = (double)b->nodes * sizeof *b->node + (double)b->keys * 4 +
		       (double)queries * sizeof *b->query;
	int rc = td_graph_fits(b->app.name, bytes, err);

	if (rc)
		return rc;
	b->node = calloc(b->nodes, sizeof *b->node);
	b->record = malloc(b->keys * sizeof *b->record);
	b->query = calloc(queries, sizeof *b->query);
	if (b->node && b->record && b->query)
		return 0;
	return tide_fail(err, -ENOMEM, "workload b+t: no memory for its tree: free some");
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_bt *b = (struct td_bt *)app;
	int64_t keys = 0;
	int rc = td_gpu_size(app, &keys, 1000000, v[SCALE].r, 1, 1, err);

	if (!rc && keys > KEYS_MOST)
		rc = tide_fail(err, -EINVAL,
			       "workload b+t: scale=%g makes more keys than 31 bits count: give at "
			       "most %d",
			       v[SCALE].r, KEYS_MOST / 1000000);
	if (rc)
		return rc;
	app->launch = launch;
	app->restart = restart;
	app->release = release;
	b->keys = (uint32_t)keys;
	b->ranges = (uint32_t)td_gpu_scaled(6000, v[SCALE].r, 1, 1, 1);
	b->points = (uint32_t)td_gpu_scaled(10000, v[SCALE].r, 1, 1, 1);
	measure(b);
	rc = get_memory(b, err);
	if (rc)
		return rc;
	make_tree(b);
	draw_queries(b);
	add_arrays(b);
	return 0;
}

const struct td_gpu_workload td_workload_app_b_t = {
	.head =
		{
			.name = "b+t",
			.paper = "CPPE",
			.type = "VI region moving",
			.summary = "look-ups in a B+ tree: ranges of keys, then single keys",
			.published_bytes = UINT64_C(347) * 1048576 / 10,
			.footprint_bytes = 36409344,
			.accesses = 1797474,
			.arrays = 15,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct td_bt),
	.setup = setup,
};
