/* BFS of Rodinia on a random graph of a million nodes. */
#include "bfs.h"

enum { SCALE };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int64_t nodes = 0;
	int rc = td_gpu_size(app, &nodes, 1000000, v[SCALE].r, 1, 1, err);

	return rc ? rc : td_bfs_setup((struct td_bfs *)app, nodes, 2, 4, err);
}

const struct td_gpu_workload td_workload_app_bfs = {
	.head =
		{
			.name = "bfs",
			.paper = "CPPE",
			.type = "III mostly repetitive",
			.summary = "breadth-first search in a random graph, a thread per node",
			.published_bytes = UINT64_C(372) * 1048576 / 10,
			.footprint_bytes = 39018496,
			.accesses = 13064564,
			.arrays = 7,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_cppe,
	.app_bytes = sizeof(struct td_bfs),
	.setup = setup,
};
