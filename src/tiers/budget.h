/* Bytes that may be used, counted by many threads. */
#ifndef TD_TIERS_BUDGET_H
#define TD_TIERS_BUDGET_H

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

struct td_budget {
	_Atomic uint64_t used_bytes;
	uint64_t limit_bytes;
};

static inline int td_budget_take(struct td_budget *b, uint64_t bytes)
{
	uint64_t used = atomic_load_explicit(&b->used_bytes, memory_order_relaxed);
	do
		if (bytes > b->limit_bytes || used > b->limit_bytes - bytes)
			return -ENOSPC;
	while (!atomic_compare_exchange_weak_explicit(&b->used_bytes, &used, used + bytes,
						      memory_order_relaxed, memory_order_relaxed));
	return 0;
}

static inline void td_budget_give(struct td_budget *b, uint64_t bytes)
{
	atomic_fetch_sub_explicit(&b->used_bytes, bytes, memory_order_relaxed);
}

#endif
