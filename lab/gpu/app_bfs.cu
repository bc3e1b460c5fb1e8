#include "walk.cuh"

struct of_level {
	const uint32_t *level;
	uint32_t now;

	__device__ bool operator()(uint64_t v) const
	{
		return level[v] == now;
	}
};

/* Several warps may find a node: all write the same. */
struct reach {
	uint32_t *level;
	uint32_t next;
	static constexpr bool weighted = false;

	__device__ uint32_t begin(uint64_t) const
	{
		return next;
	}
	__device__ void edge(uint32_t to, uint64_t u, uint32_t) const
	{
		if (level[u] == TD_APP_NO_VALUE)
			level[u] = to;
	}
};

template <class Access> static int run(struct td_app_run *r, struct tide_error *err)
{
	td_walk_graph g = td_walk_of(r);
	uint32_t *level = td_app_near<uint32_t>(r, TD_BFS_LEVEL);

	for (uint32_t now = 0;; now++) {
		uint64_t actives = 0;
		int rc = td_walk_activate(g, of_level{level, now}, &actives, err);
		if (rc || !actives)
			return rc;
		rc = td_walk_launch<Access>(r, g, TD_APP_EDGES, reach{level, now + 1}, err);
		if (rc)
			return rc;
	}
}

const struct td_gpu_kernels td_gpu_kernels_bfs = {&td_app_plan_bfs, run<td_paged>, run<td_plain>};
