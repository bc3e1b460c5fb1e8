/* One run of tide pool bench. */
#ifndef TD_CLI_POOL_BENCH_H
#define TD_CLI_POOL_BENCH_H

#include "use.h"
#include "workload/zipf.h"

struct td_pool_bench {
	struct tide_pool_options options;
	struct tide_pool *pool;
	double set, copies, updates; /* updates: per cent */
	uint64_t pages, accesses, warm, threads, depth, seed;
	uint64_t page_bytes, block_bytes;
	struct td_workload_zipf zipf;
	bool is_zipf;
	struct tide_error failed; /* of any thread: the first one seen */
	_Atomic bool has_failed;
	double seconds;
	struct tide_pool_stats before, after;
};

/* Counts without those of the accesses that warmed; for people, or as JSON. */
int td_pool_bench_show(struct td_pool_bench *b, const struct td_pool_use_options *args,
		       struct tide_error *err);

#endif
