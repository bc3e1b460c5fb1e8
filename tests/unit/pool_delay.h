/* Delays before atomic steps and locks, so that threads meet in places where they seldom do. For
 * gcc's -include; CONTRIBUTING.md says how. */
#ifndef POOL_DELAY_H
#define POOL_DELAY_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static inline void pool_delay(void)
{
	static _Thread_local unsigned seed;
	seed = seed ? seed : (unsigned)((unsigned long)pthread_self() >> 8) | 1u;
	seed = seed * 1103515245u + 12345u;
	unsigned luck = (seed >> 16) % 256u;
	if (luck == 0)
		usleep(1);
	else if (luck < 8)
		sched_yield();
}

#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_store_explicit
#undef atomic_compare_exchange_weak_explicit

#define POOL_ORDER __ATOMIC_SEQ_CST
#define atomic_fetch_or(p, v) (pool_delay(), __atomic_fetch_or(p, v, POOL_ORDER))
#define atomic_fetch_or_explicit(p, v, o) (pool_delay(), __atomic_fetch_or(p, v, o))
#define atomic_fetch_and(p, v) (pool_delay(), __atomic_fetch_and(p, v, POOL_ORDER))
#define atomic_fetch_and_explicit(p, v, o) (pool_delay(), __atomic_fetch_and(p, v, o))
#define atomic_fetch_add(p, v) (pool_delay(), __atomic_fetch_add(p, v, POOL_ORDER))
#define atomic_fetch_add_explicit(p, v, o) (pool_delay(), __atomic_fetch_add(p, v, o))
#define atomic_fetch_sub(p, v) (pool_delay(), __atomic_fetch_sub(p, v, POOL_ORDER))
#define atomic_fetch_sub_explicit(p, v, o) (pool_delay(), __atomic_fetch_sub(p, v, o))
#define atomic_exchange(p, v) (pool_delay(), __atomic_exchange_n(p, v, POOL_ORDER))
#define atomic_exchange_explicit(p, v, o) (pool_delay(), __atomic_exchange_n(p, v, o))
#define atomic_store_explicit(p, v, o) (pool_delay(), __atomic_store_n(p, v, o))
#define atomic_compare_exchange_weak_explicit(p, e, v, s, f) \
	(pool_delay(), __atomic_compare_exchange_n(p, e, v, 1, s, f))
#define pthread_mutex_lock(m) (pool_delay(), pthread_mutex_lock(m))
#define pthread_mutex_unlock(m) (pool_delay(), pthread_mutex_unlock(m))

#endif
