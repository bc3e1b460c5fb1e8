#include "walk.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { EDGES, WEIGHTS };
enum { ALIGN = 16 };

/* The body's variables: a group is the steps that begin in one page of the edges. */
enum { V, GROUP, GROUP_END, AT, CHANGED };

struct step {
	uint64_t from; /* edge */
	unsigned lanes;
};

/* The part of the step at AT that belongs to the node. */
static struct step step_of(const struct td_walk *t, const struct td_gpu_warp *w)
{
	uint64_t first = t->g.first[w->v[V]], end = t->g.first[w->v[V] + 1];
	uint64_t from = (uint64_t)w->v[AT], to = from + TD_GPU_LANES;

	from = from < first ? first : from;
	return (struct step){from, (unsigned)((to < end ? to : end) - from)};
}

static struct td_gpu_access read_step(const struct td_walk *t, const struct td_gpu_warp *w,
				      unsigned pc, unsigned array, unsigned bytes)
{
	struct step s = step_of(t, w);

	return td_gpu_row(pc, array, TD_GPU_READ, s.from * bytes, bytes, s.lanes);
}

static struct td_gpu_access read_values(const struct td_walk *t, struct td_gpu_warp *w)
{
	struct step s = step_of(t, w);

	for (unsigned l = 0; l < s.lanes; l++)
		w->gather[l] = UINT64_C(4) * t->g.to[s.from + l];
	return td_gpu_gather(4, t->values, TD_GPU_READ, s.lanes);
}

/* Works on the edges of a step; the values that change are left in gather. */
static unsigned visit_step(struct td_walk *t, struct td_gpu_warp *w)
{
	struct step s = step_of(t, w);
	unsigned changed = 0;

	for (unsigned l = 0; l < s.lanes; l++) {
		if (t->visit(t, (uint32_t)w->v[V], s.from + l))
			w->gather[changed++] = UINT64_C(4) * t->g.to[s.from + l];
	}
	return changed;
}

static void begin_group(const struct td_walk *t, struct td_gpu_warp *w)
{
	uint64_t page_edges = (t->app.page_bytes + 7) / 8, at = (uint64_t)w->v[GROUP];
	uint64_t end = t->g.first[w->v[V] + 1], next = (at / page_edges + 1) * page_edges;

	next = (next + TD_GPU_LANES - 1 - at) / TD_GPU_LANES * TD_GPU_LANES + at;
	w->v[GROUP_END] = (int64_t)(next < end ? next : end);
}

#define EACH_STEP(w) \
	for ((w)->v[AT] = (w)->v[GROUP]; (w)->v[AT] < (w)->v[GROUP_END]; (w)->v[AT] += TD_GPU_LANES)

/* In a page, the edges of all steps are read before the weights of all steps: the repetitions of an
 * instruction on a page are one event. */
static bool walk(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out)
{
	struct td_walk *t = (struct td_walk *)app;

	WARP_BEGIN(w)
	w->v[V] = t->active[w->block];
	if (t->all) {
		GIVE(w, out, td_gpu_row(2, t->offsets, TD_GPU_READ, (uint64_t)w->v[V] * 8, 8, 2));
		GIVE(w, out, td_gpu_row(3, t->values, TD_GPU_READ, (uint64_t)w->v[V] * 4, 4, 1));
	}
	w->v[GROUP] = (int64_t)t->g.first[w->v[V]] / ALIGN * ALIGN;
	for (; w->v[GROUP] < (int64_t)t->g.first[w->v[V] + 1]; w->v[GROUP] = w->v[GROUP_END]) {
		begin_group(t, w);
		EACH_STEP(w)
		GIVE(w, out, read_step(t, w, 0, EDGES, 8));
		if (t->weighted)
			EACH_STEP(w)
		GIVE(w, out, read_step(t, w, 1, WEIGHTS, 4));
		EACH_STEP(w)
		{
			if (t->all && t->reads_values)
				GIVE(w, out, read_values(t, w));
			w->v[CHANGED] = visit_step(t, w);
			if (t->all && w->v[CHANGED])
				GIVE(w, out,
				     td_gpu_gather(5, t->values, TD_GPU_WRITE,
						   (unsigned)w->v[CHANGED]));
		}
	}
	WARP_END;
}

bool td_walk_launch(struct td_walk *t, const char *kernel, struct td_gpu_launch *out)
{
	*out = td_gpu_grid(kernel, t->actives, 1, TD_GPU_LANES, 1);
	out->body = walk;
	return t->actives > 0;
}

static void release(struct td_gpu_app *app)
{
	struct td_walk *t = (struct td_walk *)app;

	td_graph_free(&t->g);
	free(t->active);
	for (unsigned i = 0; i < TD_WALK_NODE_VALUES; i++)
		free(t->node[i].word);
}

static void add_arrays(struct td_walk *t)
{
	td_gpu_add(&t->app, "edges", t->g.edges * 8);
	if (t->weighted)
		td_gpu_add(&t->app, "weights", t->g.edges * 4);
	if (t->all) {
		t->offsets = td_gpu_add(&t->app, "offsets", (t->g.nodes + 1) * 8);
		t->values = td_gpu_add(&t->app, "values", t->g.nodes * 4);
	}
}

static int scale_of(const struct td_walk *t, const union tide_value *v, unsigned *scale,
		    struct tide_error *err)
{
	double s = (double)v[TD_WALK_S].i + floor(log2(v[TD_WALK_SCALE].r) + 0.5);

	if (s < 1 || s > TD_GRAPH_SCALE_MOST)
		return tide_fail(err, -EINVAL,
				 "workload %s: a graph of 2^%.0f nodes cannot be made: give s and "
				 "scale for 2^1 to 2^%d",
				 t->app.name, s, TD_GRAPH_SCALE_MOST);
	*scale = (unsigned)s;
	return 0;
}

int td_walk_setup(struct td_walk *t, const union tide_value *v, unsigned values, size_t bytes,
		  struct tide_error *err)
{
	unsigned scale = 0;
	int rc = scale_of(t, v, &scale, err);

	if (rc)
		return rc;
	t->app.release = release;
	t->app.by_data = true;
	t->machine = *t->app.machine;
	t->machine.blocks_per_sm = (unsigned)v[TD_WALK_WARPS].i; /* blocks are warps */
	t->app.machine = &t->machine;
	t->all = v[TD_WALK_ALL].i != 0;
	rc = td_graph_kronecker(&t->g, t->app.name, scale, t->app.seed,
				(values * bytes + sizeof *t->active) << scale, err);
	if (rc)
		return rc;
	t->active = malloc(t->g.nodes * sizeof *t->active);
	bool got = t->active != NULL;
	for (unsigned i = 0; i < values; i++) {
		t->node[i].word = calloc(t->g.nodes, bytes);
		got = got && t->node[i].word;
	}
	if (!got)
		return tide_fail(err, -ENOMEM, "workload %s: no memory for its graph: free some",
				 t->app.name);
	add_arrays(t);
	return 0;
}

int td_walk_source(const struct td_walk *t, int64_t wanted, uint32_t *source,
		   struct tide_error *err)
{
	uint64_t v = wanted < 0 ? 0 : (uint64_t)wanted;

	while (wanted < 0 && v < t->g.nodes && t->g.first[v] == t->g.first[v + 1])
		v++;
	if (v >= t->g.nodes)
		return tide_fail(err, -EINVAL,
				 "workload %s: source=%" PRIu64 " is no node: give 0 to %" PRIu64,
				 t->app.name, v, t->g.nodes - 1);
	*source = (uint32_t)v;
	return 0;
}
