/* One run of tide pool bench. */
#ifndef TD_CLI_POOL_BENCH_H
#define TD_CLI_POOL_BENCH_H

#include "use.h"
#include "workload/zipf.h"

struct td_pool_bench {
	struct tide_pool_options options;
	struct tide_pool *pool;
	double set, copies, updates, zeros; /* updates, zeros: per cent */
	uint64_t pages, accesses, warm, threads, depth, seed;
	uint64_t page_bytes, block_bytes;
	struct td_workload_zipf zipf;
	bool is_zipf;
	uint64_t hot, scans;      /* hot pages beside a scan; its share of the accesses, of 2^53 */
	struct tide_error failed; /* of any thread: the first one seen */
	_Atomic bool has_failed;
	double seconds;
	struct tide_pool_stats before, after;
};

/* pattern.c. The pages that one thread accesses, some at a time. */
#define TD_POOL_DRAWN 1024
struct td_pool_draw {
	uint64_t random, scanned;
	uint64_t pages[TD_POOL_DRAWN];
};

int td_pool_bench_pattern(struct td_pool_bench *b, const char *text, uint64_t main_pages,
			  struct tide_error *err);
void td_pool_bench_begin(const struct td_pool_bench *b, struct td_pool_draw *d, uint64_t seed,
			 size_t thread);
void td_pool_bench_draw(const struct td_pool_bench *b, struct td_pool_draw *d);

/* Counts without those of the accesses that warmed; for people, or as JSON. */
int td_pool_bench_show(struct td_pool_bench *b, const struct td_pool_use_options *args,
		       struct tide_error *err);

#endif
