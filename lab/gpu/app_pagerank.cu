#include "walk.cuh"

/* An active node takes its residual, and lays ready what each neighbour gets. */
struct take {
	const uint64_t *first;
	uint64_t *value, *residual, *gift;

	__device__ bool operator()(uint64_t v) const
	{
		uint64_t all = residual[v];
		if (all <= TD_PAGERANK_LEAST)
			return false;
		value[v] += all;
		gift[v] = td_pagerank_gift(all, first[v + 1] - first[v]);
		residual[v] = 0;
		return true;
	}
};

struct push {
	unsigned long long *residual;
	const uint64_t *gift;
	static constexpr bool weighted = false;

	__device__ uint64_t begin(uint64_t v) const
	{
		return gift[v];
	}
	__device__ void edge(uint64_t gives, uint64_t u, uint32_t) const
	{
		atomicAdd(&residual[u], (unsigned long long)gives);
	}
};

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	td_walk_graph g = td_walk_of(r);
	uint64_t *value = td_app_near<uint64_t>(r, TD_PAGERANK_VALUE);
	uint64_t *residual = td_app_near<uint64_t>(r, TD_PAGERANK_RESIDUAL);
	uint64_t *gift = td_app_near<uint64_t>(r, TD_PAGERANK_GIFT);

	for (uint64_t i = 0; i < r->shape->iterations; i++) {
		uint64_t actives = 0;
		int rc = td_walk_activate(g, take{g.first, value, residual, gift}, &actives, err);
		if (rc || !actives)
			return rc;
		rc = td_walk_launch<Access>(r, g, TD_APP_EDGES,
					    push{(unsigned long long *)residual, gift}, err);
		if (rc)
			return rc;
	}
	return 0;
}

const struct td_gpu_kernels td_gpu_kernels_pagerank = {&td_app_plan_pagerank, run<td_paged>,
						       run<td_plain>};
