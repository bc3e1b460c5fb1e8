#include "graph.h"

#include <errno.h>
#include <math.h>

#include "lab/workload/graph.h"

enum { EDGES_PER_NODE = 32 }; /* both ways */
enum { SCALE_MOST = 28 };

static void fill_edges(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint64_t *edge = to;

	for (uint64_t i = 0; i < n; i++)
		edge[i] = s->graph->to[first + i];
}

static void fill_first(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint64_t *at = to;

	for (uint64_t i = 0; i < n; i++)
		at[i] = s->graph->first[first + i];
}

void td_app_graph_fill_none(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint32_t *value = to;

	(void)s;
	(void)first;
	for (uint64_t i = 0; i < n; i++)
		value[i] = TD_APP_NO_VALUE;
}

void td_app_graph_fill_source(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	uint64_t source = s->size[TD_APP_SOURCE];

	td_app_graph_fill_none(s, first, n, to);
	if (source >= first && source - first < n)
		((uint32_t *)to)[source - first] = 0;
}

int td_app_graph_size(struct td_app_shape *s, struct tide_error *err)
{
	double both = ((double)s->near_bytes + (double)s->host_bytes) * s->scale;
	double scale = floor(log2(2 * both / (8 * EDGES_PER_NODE)) + .5);

	if (!(scale >= 1 && scale <= SCALE_MOST))
		return tide_fail(
			err, -EINVAL,
			"%s: a graph of 2^%.0f nodes: give tiers and scale for 2^1 to 2^%d",
			s->plan->name, scale, SCALE_MOST);
	uint64_t nodes = UINT64_C(1) << (unsigned)scale, edges = nodes * EDGES_PER_NODE;
	td_app_size(s, TD_APP_SCALE, "scale", (uint64_t)scale);
	td_app_size(s, TD_APP_NODES, "nodes", nodes);
	td_app_size(s, TD_APP_EDGE_COUNT, "edges", edges);
	td_app_size(s, TD_APP_SOURCE, "source", 0);
	td_app_add(s, "edges", edges, 8, TD_APP_GRAPH, fill_edges);
	td_app_add(s, "first", nodes + 1, 8, TD_APP_GRAPH | TD_APP_NEAR, fill_first);
	td_app_add(s, "active", (nodes + 31) / 32, 4, TD_APP_NEAR, NULL);
	td_app_add(s, "counters", 2, 8, TD_APP_NEAR, NULL);
	return 0;
}

/* Whole pages, and at least one. */
static uint64_t pages_of(const struct td_app_shape *s, double bytes)
{
	return td_app_round(bytes, s->page_bytes);
}

void td_app_graph_tiers(struct td_app_shape *s)
{
	double both = (double)s->near_bytes + (double)s->host_bytes;
	double part = (double)s->data_bytes / s->oversubscription / both;

	s->near_bytes = pages_of(s, (double)s->near_bytes * part);
	if (s->host_bytes)
		s->host_bytes = pages_of(s, (double)s->host_bytes * part);
}
