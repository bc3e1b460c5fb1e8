/* Matrix multiplication as one writes it first: B is walked against its grain. */
#include "matmul.h"

enum { N };

static const struct tide_param params[] = {
	{"n", TIDE_PARAM_INT, "256", 1, TD_WORKLOAD_MATMUL_MOST,
	 "rows and columns of each of the three f64 matrices"},
	{0},
};

static int open(struct td_trace_source **out, const struct td_workload *w,
		const union tide_value *v, uint64_t page_bytes, uint64_t seed,
		struct tide_error *err)
{
	uint64_t n = (uint64_t)v[N].i;

	(void)w;
	(void)seed; /* nothing in it is random */
	return td_workload_matmul_open(out, "matmul", n, n, page_bytes, err);
}

const struct td_workload td_workload_pattern_matmul = {
	.name = "matmul",
	.paper = "pattern",
	.type = "repetitive-thrashing",
	.summary = "n x n matrices multiplied by the naive loop; refs 1, 2, 3 are A, B, C",
	.params = params,
	.open = open,
};
