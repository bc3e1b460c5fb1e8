/* The walk of the graph applications: a warp for each active node goes along its edges, 32 at a
 * time from a multiple of 16 on. Warps take nodes in ascending order, as many as a word of the
 * active bits has, so those of a time work on edges that lie side by side.
 *
 * What there is per node is in plain memory of the GPU. An application says which nodes are active
 * (Choose) and what to do with an edge (Visit). */
#ifndef TD_GPU_APPS_WALK_CUH
#define TD_GPU_APPS_WALK_CUH

#include "access.cuh"
#include "graph.h"

enum { TD_WALK_ACTIVES, TD_WALK_TAKEN }; /* counters */

struct td_walk_graph {
	const uint64_t *first;
	uint32_t *active;
	unsigned long long *counters;
	uint64_t nodes, edges;
};

/* ---- which nodes are active ---- */

template <class Choose> static __global__ void td_walk_choose(td_walk_graph g, Choose choose)
{
	for (uint64_t word = td_warp(); word * 32 < g.nodes; word += td_warps()) {
		uint64_t v = word * 32 + td_lane();
		unsigned bits = __ballot_sync(TD_FULL, v < g.nodes && choose(v));
		if (td_lane() == 0) {
			g.active[word] = bits;
			atomicAdd(&g.counters[TD_WALK_ACTIVES], (unsigned long long)__popc(bits));
		}
	}
}

/* How many nodes are active now. This touches no tide array. */
template <class Choose>
static int td_walk_activate(td_walk_graph g, Choose choose, uint64_t *actives,
			    struct tide_error *err)
{
	int rc = td_app_cuda(cudaMemset(g.counters, 0, 2 * sizeof *g.counters), "clear counters",
			     err);

	if (rc)
		return rc;
	td_walk_choose<<<512, 256>>>(g, choose);
	rc = td_app_cuda(cudaGetLastError(), "launch a kernel", err);
	if (!rc)
		rc = td_app_cuda(cudaMemcpy(actives, &g.counters[TD_WALK_ACTIVES], sizeof *actives,
					    cudaMemcpyDeviceToHost),
				 "count active nodes", err);
	return rc;
}

/* ---- their edges ---- */

template <class Access, class Edges, class Weights, class Visit>
static __device__ __forceinline__ void td_walk_node(const td_walk_graph &g, Edges &edges,
						    Weights &weights, const Visit &visit,
						    uint64_t v, uint64_t begin, uint64_t end)
{
	auto mine = visit.begin(v);

	for (uint64_t i = begin / 16 * 16; i < end; i += 32) {
		uint64_t e = i + td_lane();
		bool active = e >= begin && e < end;
		uint64_t u = edges.get(e, active);
		uint32_t weight = Visit::weighted ? weights.get(e, active) : 0;
		if (active && u < g.nodes)
			visit.edge(mine, u, weight);
	}
}

template <class Access, class Visit>
static __global__ void td_walk(typename Access::span edge, typename Access::span weight,
			       td_walk_graph g, Visit visit)
{
	typename Access::template cursor<uint64_t> edges(edge);
	typename Access::template cursor<uint32_t> weights(weight);

	for (;;) {
		unsigned long long word = 0;
		if (td_lane() == 0)
			word = atomicAdd(&g.counters[TD_WALK_TAKEN], 1ull);
		word = __shfl_sync(TD_FULL, word, 0);
		if (word * 32 >= g.nodes)
			break;
		uint32_t bits = g.active[word];
		uint64_t v = word * 32 + td_lane(), safe = td_least(v, g.nodes - 1);
		uint64_t begin = g.first[safe], end = td_least(g.first[safe + 1], g.edges);
		for (; bits; bits &= bits - 1) {
			int lane = __ffs((int)bits) - 1;
			td_walk_node<Access>(g, edges, weights, visit, word * 32 + (uint64_t)lane,
					     __shfl_sync(TD_FULL, begin, lane),
					     __shfl_sync(TD_FULL, end, lane));
		}
	}
}

/* Along all edges of the active nodes. weights: an array, or that of the edges where there are
 * none. */
template <class Access, class Visit>
static int td_walk_launch(struct td_app_run *r, td_walk_graph g, unsigned weights, Visit visit,
			  struct tide_error *err)
{
	enum { PINS = 1 };
	uint64_t warps = td_app_warps(r, PINS, (g.nodes + 31) / 32, 1);

	return td_app_launch(r, err, warps, 1, PINS, td_walk<Access, Visit>,
			     Access::array(r, TD_APP_EDGES), Access::array(r, weights), g, visit);
}

static inline td_walk_graph td_walk_of(const struct td_app_run *r)
{
	return {td_app_near<const uint64_t>(r, TD_APP_FIRST),
		td_app_near<uint32_t>(r, TD_APP_ACTIVE),
		td_app_near<unsigned long long>(r, TD_APP_COUNTERS), r->shape->size[TD_APP_NODES],
		r->shape->size[TD_APP_EDGE_COUNT]};
}

#endif
