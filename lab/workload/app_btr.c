/* Look-ups in a B-tree that was built by inserting keys in random order: a warp takes 32 queries,
 * one after another, and reads a node of each level at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "btr.h"
#include "graph.h"

enum { POOL, QUERIES, RESULTS };
enum { SCALE, INSERTED, ORDER };
enum { POOL_NODES = 1 << 25, ASKED = 1 << 27 }; /* at scale 1 */
enum { KEYS_LEAST = 64 };
enum { THREADS = 256, NODE_BYTES = sizeof(struct td_btr_node) };
enum { HALF = TD_BTR_ENTRIES / 2, LEVELS_MOST = 16 };

_Static_assert(NODE_BYTES == 128, "a warp reads a node at once");

static const struct tide_param params[] = {
	{"scale", TIDE_PARAM_REAL, "0.0625", 1e-6, 1e6,
	 "size of the data, relative to the paper's; 1 takes minutes to build"},
	{"keys", TIDE_PARAM_INT, "250000000", 1e6, 1e9,
	 "keys inserted, at scale 1; about 320000000 use up the pool of nodes"},
	{"queries", TIDE_PARAM_TEXT, "shuffled", 0, 0,
	 "shuffled (each key once) or skewed (24 of 25 for the highest 4 % of the keys)"},
	TD_GPU_PARAM_JITTER,
	{0},
};

/* ---- the tree ---- */

/* The last entry whose key is not above this one. */
static unsigned find(const struct td_btr_node *node, uint32_t key)
{
	unsigned n = 0;

	for (unsigned i = 0; i < TD_BTR_ENTRIES; i++)
		n += node->key[i] <= key;
	return n - 1;
}

static uint32_t new_node(struct td_btr *b, bool leaf)
{
	struct td_btr_node *node = &b->node[b->nodes];

	*node = (struct td_btr_node){.leaf = leaf};
	memset(node->key, 0xff, sizeof node->key);
	return b->nodes++;
}

static void put(struct td_btr_node *node, uint32_t key, uint32_t to)
{
	unsigned at = find(node, key) + 1;

	memmove(&node->key[at + 1], &node->key[at], (node->n - at) * sizeof *node->key);
	memmove(&node->to[at + 1], &node->to[at], (node->n - at) * sizeof *node->to);
	node->key[at] = key;
	node->to[at] = to;
	node->n++;
}

/* The upper half goes to a new node. */
static uint32_t split(struct td_btr *b, uint32_t left)
{
	uint32_t right = new_node(b, b->node[left].leaf);
	struct td_btr_node *from = &b->node[left], *to = &b->node[right];

	to->n = HALF;
	from->n -= HALF;
	memcpy(to->key, &from->key[from->n], HALF * sizeof *to->key);
	memcpy(to->to, &from->to[from->n], HALF * sizeof *to->to);
	memset(&from->key[from->n], 0xff, HALF * sizeof *to->key);
	return right;
}

/* Inserts into a node on the way down, and what becomes of it into those above. */
static void insert_at(struct td_btr *b, const uint32_t *path, unsigned level, uint32_t key,
		      uint32_t to)
{
	for (;; level--) {
		uint32_t left = path[level];
		if (b->node[left].n < TD_BTR_ENTRIES) {
			put(&b->node[left], key, to);
			return;
		}
		uint32_t right = split(b, left), pivot = b->node[right].key[0];
		put(&b->node[key < pivot ? left : right], key, to);
		key = pivot;
		to = right;
		if (!level) {
			b->root = new_node(b, false);
			put(&b->node[b->root], 0, left);
			put(&b->node[b->root], key, to);
			return;
		}
	}
}

static void insert(struct td_btr *b, uint32_t key)
{
	uint32_t path[LEVELS_MOST] = {b->root};
	unsigned level = 0;

	while (!b->node[path[level]].leaf) {
		const struct td_btr_node *node = &b->node[path[level]];
		path[++level] = node->to[find(node, key)];
	}
	insert_at(b, path, level, key, td_btr_value(key));
}

static uint32_t number_at(const struct td_workload_scatter *s, uint64_t i)
{
	td_workload_scatter_map(s, 0, &i, 1);
	return (uint32_t)i;
}

static void build(struct td_btr *b)
{
	b->root = new_node(b, true);
	for (uint32_t i = 0; i < b->keys; i++)
		insert(b, number_at(&b->order, i));
}

/* ---- queries ---- */

uint32_t td_btr_value(uint32_t key)
{
	return (uint32_t)tide_hash64(key);
}

uint32_t td_btr_query(const struct td_btr *b, uint32_t i)
{
	uint64_t draw = tide_hash64(tide_hash64(b->app.seed) + i);
	uint32_t top = b->keys / 25;

	if (!b->skewed)
		return number_at(&b->asked, i);
	return i % 25 ? b->keys - 1 - (uint32_t)((draw >> 32) * top >> 32)
		      : (uint32_t)((draw >> 32) * b->keys >> 32);
}

/* The body's variables. A lane's query is in its place of gather. */
enum { FIRST, LANES, LANE, NODE };

static void take_queries(const struct td_btr *b, struct td_gpu_warp *w)
{
	for (int64_t l = 0; l < w->v[LANES]; l++)
		w->gather[l] = td_btr_query(b, (uint32_t)(w->v[FIRST] + l));
}

static struct td_gpu_access per_query(const struct td_gpu_warp *w, unsigned pc, unsigned array,
				      bool write)
{
	return td_gpu_row(pc, array, write, (uint64_t)w->v[FIRST] * 4, 4, (unsigned)w->v[LANES]);
}

/* Down to the next node; at a leaf the result. */
static bool descend(struct td_btr *b, struct td_gpu_warp *w)
{
	const struct td_btr_node *node = &b->node[w->v[NODE]];
	uint32_t to = node->to[find(node, (uint32_t)w->gather[w->v[LANE]])];

	if (node->leaf)
		b->result[w->v[FIRST] + w->v[LANE]] = to;
	else
		w->v[NODE] = to;
	return !node->leaf;
}

static bool look_up(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_btr *b = (struct td_btr *)app;
	int64_t left = (int64_t)b->queries - (int64_t)td_gpu_global(w, 0);

	WARP_BEGIN(w)
	w->v[FIRST] = (int64_t)td_gpu_global(w, 0);
	w->v[LANES] = left < w->lanes ? left : w->lanes;
	if (left <= 0)
		return false;
	take_queries(b, w);
	GIVE(w, out, per_query(w, 0, QUERIES, TD_GPU_READ));
	for (; w->v[LANE] < w->v[LANES]; w->v[LANE]++) {
		w->v[NODE] = b->root;
		do {
			GIVE(w, out,
			     td_gpu_row(1, POOL, TD_GPU_READ, (uint64_t)w->v[NODE] * NODE_BYTES, 4,
					TD_GPU_LANES));
		} while (descend(b, w));
	}
	GIVE(w, out, per_query(w, 2, RESULTS, TD_GPU_WRITE));
	WARP_END;
}

static bool launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	const struct td_btr *b = (const struct td_btr *)app;

	*out = td_gpu_grid("look_up", ((uint64_t)b->queries + THREADS - 1) / THREADS, 1, THREADS,
			   1);
	out->body = look_up;
	return i < 1;
}

/* ---- setup ---- */

static void release(struct td_gpu_app *app)
{
	struct td_btr *b = (struct td_btr *)app;

	free(b->node);
	free(b->result);
}

/* As many as there can be at the worst, nodes of half the entries each; most of them, and so most
 * of the memory, are never used. Places are random: large pages of memory save time. */
static int make_room(struct td_btr *b)
{
	enum { LARGE = 2 << 20 };
	uint64_t bytes = ((uint64_t)b->keys / (HALF - 1) + LEVELS_MOST) * NODE_BYTES;

	bytes = (bytes + LARGE - 1) / LARGE * LARGE;
	b->node = aligned_alloc(LARGE, bytes);
	b->result = calloc(b->queries, sizeof *b->result);
	if (!b->node || !b->result)
		return -ENOMEM;
	(void)madvise(b->node, bytes, MADV_HUGEPAGE);
	return 0;
}

static int set_queries(struct td_btr *b, const char *text, struct tide_error *err)
{
	b->skewed = strcmp(text, "skewed") == 0;
	if (b->skewed || strcmp(text, "shuffled") == 0)
		return 0;
	return tide_fail(err, -EINVAL, "workload btr: queries=%s are none: give shuffled or skewed",
			 text);
}

static int set_size(struct td_btr *b, int64_t inserted, double scale, struct tide_error *err)
{
	int64_t keys = td_gpu_scaled(inserted, scale, 1, 1, 0);
	int64_t queries = td_gpu_scaled(ASKED, scale, 1, 1, 1);

	if (keys < KEYS_LEAST || keys > UINT32_MAX / 2)
		return tide_fail(err, -EINVAL,
				 "workload btr: scale=%g makes %lld keys: give a scale for %d to "
				 "2^31",
				 scale, (long long)keys, KEYS_LEAST);
	b->keys = (uint32_t)keys;
	b->queries = (uint32_t)(queries < keys ? queries : keys);
	/* A node holds ten entries on average, and one in ten holds no keys. */
	return td_graph_fits("btr", (double)keys * NODE_BYTES / 9 + (double)b->queries * 4, err);
}

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct td_btr *b = (struct td_btr *)app;
	int rc = set_queries(b, v[ORDER].text, err);

	app->release = release;
	app->launch = launch;
	if (!rc)
		rc = set_size(b, v[INSERTED].i, v[SCALE].r, err);
	if (!rc && make_room(b))
		rc = tide_fail(err, -ENOMEM, "workload btr: no memory for its tree: free some");
	if (rc)
		return rc;
	td_workload_scatter_make(&b->order, b->keys, app->seed);
	td_workload_scatter_make(&b->asked, b->keys, app->seed + 1);
	build(b);
	uint64_t pool = (uint64_t)td_gpu_scaled(POOL_NODES, v[SCALE].r, 1, 1, 1);
	td_gpu_add(app, "pool", (pool > b->nodes ? pool : b->nodes) * NODE_BYTES);
	td_gpu_add(app, "queries", (uint64_t)b->queries * 4);
	td_gpu_add(app, "results", (uint64_t)b->queries * 4);
	return 0;
}

const struct td_gpu_workload td_workload_app_btr = {
	.head =
		{
			.name = "btr",
			.paper = "ObservUVM",
			.type = "LFU",
			.summary = "look-ups in a B-tree built by random insertions",
			.published_bytes = (UINT64_C(5) << 30) / 16, /* the default scale is 1/16 */
			.footprint_bytes = UINT64_C(5120) * 65536,
			.touched_bytes = UINT64_C(4222) * 65536,
			.accesses = 57091776,
			.arrays = 3,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.app_bytes = sizeof(struct td_btr),
	.setup = setup,
};
