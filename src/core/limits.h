/* Limits of this process that are looked at before they are reached. */
#ifndef TD_CORE_LIMITS_H
#define TD_CORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* May a file have that size (ulimit -f)? Beyond the limit, a write not only fails: the kernel also
 * sends SIGXFSZ, which ends the program. */
static inline bool td_core_may_reach(uint64_t bytes)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) || bytes <= limit.rlim_cur;
}

#endif
