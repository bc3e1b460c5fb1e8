/* A thread of the processor as a warp of one lane: lanes.h. */
#ifndef TIDE_DEVICE_LANES_HOST_H
#define TIDE_DEVICE_LANES_HOST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifndef TD_DEV_HOOK
#define TD_DEV_HOOK(at) ((void)(at))
#endif
#ifndef TD_DEV_PAUSE
#define TD_DEV_PAUSE() sched_yield()
#endif

#define TD_DEV static inline
#define TD_DEV_SLOW static inline

struct td_dev_lanes {
	uint32_t mask, rank, width;
};

TD_DEV struct td_dev_lanes td_dev_warp(void)
{
	return (struct td_dev_lanes){1, 0, 1};
}

TD_DEV struct td_dev_lanes td_dev_alone(void)
{
	return td_dev_warp();
}

TD_DEV uint32_t td_dev_of32(struct td_dev_lanes g, uint32_t value, uint32_t rank)
{
	(void)g, (void)rank;
	return value;
}

TD_DEV uint64_t td_dev_of64(struct td_dev_lanes g, uint64_t value, uint32_t rank)
{
	(void)g, (void)rank;
	return value;
}

TD_DEV uint32_t td_dev_vote(struct td_dev_lanes g, bool yes)
{
	(void)g;
	return yes;
}

TD_DEV void td_dev_meet(struct td_dev_lanes g)
{
	(void)g;
}

TD_DEV uint64_t td_dev_sum(struct td_dev_lanes g, uint64_t value)
{
	(void)g;
	return value;
}

TD_DEV uint32_t td_dev_lowest(uint32_t bits)
{
	return (uint32_t)__builtin_ctz(bits);
}

#define TD_DEV_PARTS 1
TD_DEV uint32_t td_dev_part(void)
{
	return 0;
}

TD_DEV uint64_t td_dev_peek(const uint64_t *p)
{
	TD_DEV_HOOK(p);
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

TD_DEV uint64_t td_dev_load(const uint64_t *p)
{
	TD_DEV_HOOK(p);
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

TD_DEV uint32_t td_dev_peek32(const uint32_t *p)
{
	TD_DEV_HOOK(p);
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_poke32(uint32_t *p, uint32_t v)
{
	TD_DEV_HOOK(p);
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_poke(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_store32(uint32_t *p, uint32_t v)
{
	TD_DEV_HOOK(p);
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

TD_DEV uint64_t td_dev_cas(uint64_t *p, uint64_t expected, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return expected;
}

TD_DEV uint32_t td_dev_cas32(uint32_t *p, uint32_t expected, uint32_t v)
{
	TD_DEV_HOOK(p);
	__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
	return expected;
}

TD_DEV uint64_t td_dev_add_acquire(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	return __atomic_fetch_add(p, v, __ATOMIC_ACQUIRE);
}

TD_DEV void td_dev_add_release(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_fetch_add(p, v, __ATOMIC_RELEASE);
}

TD_DEV uint64_t td_dev_add(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_raise(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_or(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_and(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_fetch_and(p, v, __ATOMIC_RELAXED);
}

TD_DEV void td_dev_fence(void)
{
#ifdef __SANITIZE_THREAD__ /* ThreadSanitizer knows no fences; the words around it are atomic \
			      anyway */
	;
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

TD_DEV uint64_t td_dev_load_far(const uint64_t *p)
{
	return td_dev_load(p);
}

TD_DEV double td_dev_load_far_real(const double *p)
{
	double v;
	TD_DEV_HOOK(p);
	__atomic_load(p, &v, __ATOMIC_ACQUIRE);
	return v;
}

TD_DEV void td_dev_store_far(uint64_t *p, uint64_t v)
{
	TD_DEV_HOOK(p);
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

TD_DEV uint32_t td_dev_load_far32(const uint32_t *p)
{
	TD_DEV_HOOK(p);
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

TD_DEV void td_dev_store_far32(uint32_t *p, uint32_t v)
{
	td_dev_store32(p, v);
}

TD_DEV void td_dev_fence_far(void)
{
	td_dev_fence();
}

TD_DEV uint64_t td_dev_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

TD_DEV void td_dev_pause(uint32_t ns)
{
	(void)ns;
	TD_DEV_PAUSE();
}

/* Copies word by word, because a reader without a pin may read meanwhile. Such a reader throws
 * away what it read. */
TD_DEV void td_dev_copy(struct td_dev_lanes g, void *to, const void *from, uint64_t bytes)
{
	uint64_t *d = (uint64_t *)to;
	const uint64_t *s = (const uint64_t *)from;
	(void)g;
	for (uint64_t i = 0; i < bytes / 8; i++) {
		TD_DEV_HOOK(&d[i]);
		__atomic_store_n(&d[i], __atomic_load_n(&s[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	}
}

TD_DEV void td_dev_zero(struct td_dev_lanes g, void *to, uint64_t bytes)
{
	uint64_t *d = (uint64_t *)to;
	(void)g;
	for (uint64_t i = 0; i < bytes / 8; i++) {
		TD_DEV_HOOK(&d[i]);
		__atomic_store_n(&d[i], 0, __ATOMIC_RELAXED);
	}
}

#endif
