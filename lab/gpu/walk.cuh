/* The walk of the graph applications: a warp for each active node goes along its edges, 32 at a
 * time. Warps take nodes in ascending order, so those of a time work on edges that lie side by
 * side: some words of the active bits at once, about a page of edges, which they ask for first, so
 * that as many pages are under way as there are warps.
 *
 * What there is per node is in plain memory of the GPU. An application says which nodes are active
 * (Choose) and what to do with an edge (Visit). */
#ifndef TD_GPU_APPS_WALK_CUH
#define TD_GPU_APPS_WALK_CUH

#include "access.cuh"
#include "graph.h"

enum { TD_WALK_ACTIVES, TD_WALK_TAKEN }; /* counters */
enum { TD_WALK_TURNS = 4 };              /* edges that a lane has under way */
enum { TD_WALK_LONG = 4 };               /* pages that are asked for at once for one node */
enum { TD_WALK_TAKES = 8 }; /* words: with 32 edges per node, as many edges as a page has */

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

/* Edges k, k + 32, .. of n on a page. */
template <class Visit, class Mine>
static __device__ __forceinline__ void td_walk_edges(const td_walk_graph &g, const uint64_t *edge,
						     const uint32_t *weight, const Visit &visit,
						     Mine mine, uint64_t k, uint64_t n)
{
	uint64_t u[TD_WALK_TURNS];
	uint32_t w[TD_WALK_TURNS];

#pragma unroll
	for (unsigned i = 0; i < TD_WALK_TURNS; i++) {
		bool is_one = k + 32 * i < n;
		u[i] = is_one ? edge[k + 32 * i] : g.nodes;
		w[i] = is_one && Visit::weighted ? weight[k + 32 * i] : 0;
	}
#pragma unroll
	for (unsigned i = 0; i < TD_WALK_TURNS; i++) {
		if (u[i] < g.nodes)
			visit.edge(mine, u[i], w[i]);
	}
}

/* Asks for the next pages of a node that has edges on many, and for those of their weights. */
template <class Access, class Visit, class Edges, class Weights>
static __device__ __forceinline__ void td_walk_long(Edges &edges, Weights &weights, uint64_t begin,
						    uint64_t end)
{
	unsigned turn = td_lane() / TD_WALK_LONG;
	uint64_t i = begin + td_lane() % TD_WALK_LONG * edges.per_page();
	typename Access::wishes wishes;

	if (end - begin <= edges.per_page())
		return;
	wishes.template each<uint64_t>(edges.a, i, turn == 0 && i < end);
	if (Visit::weighted)
		wishes.template each<uint32_t>(weights.a, i, turn == 1 && i < end);
	wishes.bring();
}

template <class Access, class Edges, class Weights, class Visit>
static __device__ __forceinline__ void td_walk_node(const td_walk_graph &g, Edges &edges,
						    Weights &weights, const Visit &visit,
						    uint64_t v, uint64_t begin, uint64_t end)
{
	auto mine = visit.begin(v);

	while (begin < end) {
		td_walk_long<Access, Visit>(edges, weights, begin, end);
		const uint64_t *edge = edges.read(begin);
		const uint32_t *weight = Visit::weighted ? weights.read(begin) : nullptr;
		uint64_t n = td_least(edges.left(begin), end - begin);
		for (uint64_t k = td_lane(); k < n; k += 32 * TD_WALK_TURNS)
			td_walk_edges(g, edge, weight, visit, mine, k, n);
		begin += n;
	}
}

/* The active nodes of a word of bits. */
template <class Access, class Edges, class Weights, class Visit>
static __device__ __forceinline__ void td_walk_word(const td_walk_graph &g, Edges &edges,
						    Weights &weights, const Visit &visit,
						    uint64_t word)
{
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

/* Asks for the pages where the edges of active nodes begin, and for those of their weights: a lane
 * looks at eight nodes, or at sixteen and for one of both. */
template <class Access, class Visit>
static __device__ __forceinline__ void td_walk_bring(const typename Access::span &edge,
						     const typename Access::span &weight,
						     const td_walk_graph &g, uint64_t word)
{
	constexpr unsigned lanes = Visit::weighted ? 16 : 32, each = TD_WALK_TAKES * 32 / lanes;
	uint64_t v = word * 32 + td_lane() % lanes * each;
	uint32_t bits = v < g.nodes ? g.active[v / 32] >> v % 32 & ((1u << each) - 1) : 0;
	uint64_t e = bits ? g.first[v + (uint64_t)__ffs((int)bits) - 1] : 0;
	bool some = bits && e < g.edges;
	typename Access::wishes wishes;

	wishes.template each<uint64_t>(edge, e, some && td_lane() < lanes);
	if (Visit::weighted)
		wishes.template each<uint32_t>(weight, e, some && td_lane() >= lanes);
	wishes.bring();
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
			word = atomicAdd(&g.counters[TD_WALK_TAKEN],
					 (unsigned long long)TD_WALK_TAKES);
		word = __shfl_sync(TD_FULL, word, 0);
		if (word * 32 >= g.nodes)
			break;
		td_walk_bring<Access, Visit>(edge, weight, g, word);
		for (unsigned k = 0; k < TD_WALK_TAKES && (word + k) * 32 < g.nodes; k++)
			td_walk_word<Access>(g, edges, weights, visit, word + k);
	}
}

/* Along all edges of the active nodes. weights: an array, or that of the edges where there are
 * none. */
template <class Access, class Visit>
static int td_walk_launch(struct td_app_run *r, td_walk_graph g, unsigned weights, Visit visit,
			  struct tide_error *err)
{
	enum { PINS = Visit::weighted ? 2 : 1 };
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
