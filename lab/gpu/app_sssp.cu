#include "walk.cuh"

/* A node is active whose cost fell since it was last. */
struct fallen {
	const uint32_t *cost;
	uint32_t *before;

	__device__ bool operator()(uint64_t v) const
	{
		bool fell = cost[v] < before[v];
		if (fell)
			before[v] = cost[v];
		return fell;
	}
};

/* With the cost from before the launch, so that the order of warps does not matter. */
struct relax {
	uint32_t *cost;
	const uint32_t *before;
	static constexpr bool weighted = true;

	__device__ uint32_t begin(uint64_t v) const
	{
		return before[v];
	}
	__device__ void edge(uint32_t so_far, uint64_t u, uint32_t weight) const
	{
		if (so_far + weight < cost[u])
			atomicMin(&cost[u], so_far + weight);
	}
};

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	td_walk_graph g = td_walk_of(r);
	uint32_t *cost = td_app_near<uint32_t>(r, TD_SSSP_COST);
	uint32_t *before = td_app_near<uint32_t>(r, TD_SSSP_BEFORE);

	for (;;) {
		uint64_t actives = 0;
		int rc = td_walk_activate(g, fallen{cost, before}, &actives, err);
		if (rc || !actives)
			return rc;
		rc = td_walk_launch<Access>(r, g, TD_SSSP_WEIGHTS, relax{cost, before}, err);
		if (rc)
			return rc;
	}
}

const struct td_gpu_kernels td_gpu_kernels_sssp = {&td_app_plan_sssp, run<td_paged>, run<td_plain>};
