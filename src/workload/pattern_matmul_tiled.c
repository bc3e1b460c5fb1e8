/* Matrix multiplication in tiles, which reuses what it has brought in. */
#include <errno.h>
#include <inttypes.h>

#include "matmul.h"

enum { N, TILE };

static const struct tide_param params[] = {
	{"n", TIDE_PARAM_INT, "256", 1, TD_WORKLOAD_MATMUL_MOST,
	 "rows and columns of each of the three f64 matrices"},
	{"tile", TIDE_PARAM_INT, "32", 1, TD_WORKLOAD_MATMUL_MOST,
	 "rows and columns of a tile, at most n"},
	{0},
};

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t n = (uint64_t)v[N].i, tile = (uint64_t)v[TILE].i;

	(void)w;
	(void)seed; /* nothing in it is random */
	if (tile > n)
		return tide_fail(err, -EINVAL,
				 "workload matmul-tiled: tile=%" PRIu64 " is larger than "
				 "n=%" PRIu64 ": give a tile of at most n",
				 tile, n);
	return td_workload_matmul_open(out, "matmul-tiled", n, tile, page_bytes, err);
}

const struct td_workload td_workload_pattern_matmul_tiled = {
	.name = "matmul-tiled",
	.paper = "pattern",
	.type = "repetitive",
	.summary = "n x n matrices multiplied in tiles; refs 1, 2, 3 are A, B, C",
	.params = params,
	.open = open,
};
