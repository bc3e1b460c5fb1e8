/* The one clock. All code that needs the time asks here. */
#ifndef TD_CORE_CLOCK_H
#define TD_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* clock: CLOCK_THREAD_CPUTIME_ID, say. */
static inline uint64_t td_clock_of_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time since some fixed moment. It runs on evenly when somebody sets the computer's clock. */
static inline uint64_t td_clock_ns(void)
{
	return td_clock_of_ns(CLOCK_MONOTONIC);
}

static inline double td_clock_seconds(void)
{
	return (double)td_clock_ns() / 1e9;
}

static inline struct timespec td_clock_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

#endif
