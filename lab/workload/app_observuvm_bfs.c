/* BFS of Rodinia on a random graph of 16 million nodes. */
#include "bfs.h"

enum { SCALE };
enum { NODES = 1 << 24, PARTNERS_LEAST = 2, PARTNERS_MOST = 28 };

static const struct tide_param params[] = {
	TD_GPU_PARAM_SCALE,
	TD_GPU_PARAM_JITTER,
	{0},
};

static int setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	int64_t nodes = 0;
	int rc = td_gpu_size(app, &nodes, NODES, v[SCALE].r, 1, 1, err);

	return rc ? rc
		  : td_bfs_setup((struct td_bfs *)app, nodes, PARTNERS_LEAST, PARTNERS_MOST, err);
}

const struct td_gpu_workload td_workload_app_observuvm_bfs = {
	.head =
		{
			.name = "observuvm-bfs",
			.paper = "ObservUVM",
			.type = "CP",
			.summary = "breadth-first search in a random graph, a thread per node",
			.published_bytes = UINT64_C(211) * (UINT64_C(1) << 30) / 100,
			.footprint_bytes = UINT64_C(34564) * 65536,
			.accesses = 816679348,
			.arrays = 7,
			.params = params,
			TD_GPU_WORKLOAD,
		},
	.machine = &td_gpu_observuvm,
	.app_bytes = sizeof(struct td_bfs),
	.setup = setup,
};
