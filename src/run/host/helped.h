/* Calls with small arguments, for a kernel that cannot fault on paged memory. */
#ifndef TD_PRELOAD_HELPED_H
#define TD_PRELOAD_HELPED_H

#include <errno.h>
#include <string.h>

#include "calls.h"
#include "next.h"

static inline bool td_helped_on(void)
{
	return !td_preload_off() && td_preload_settings.helps;
}

/* Every page of it, for writing if fill. Was there anything to do? */
static inline unsigned td_helped_touch(const void *p, size_t bytes, bool fill)
{
	uintptr_t at = (uintptr_t)p, end = at + bytes;

	if (!td_calls_mine(p, bytes))
		return 0;
	for (; at < end; at = (at / TD_OS_PAGE + 1) * TD_OS_PAGE) {
		if (fill)
			__atomic_fetch_or((char *)at, 0, __ATOMIC_RELAXED);
		else
			(void)*(volatile const char *)at;
	}
	return 1;
}

/* To measure it is to touch it. */
static inline unsigned td_helped_name(const char *name)
{
	return td_preload_paged(name) ? td_helped_touch(name, strlen(name) + 1, false) : 0;
}

/* Where the kernel can get at it: p itself, or a copy in room. */
static inline void *td_helped_in(const void *p, void *room, size_t bytes)
{
	if (!p || !td_helped_on() || !td_calls_mine(p, bytes))
		return (void *)(uintptr_t)p;
	return memcpy(room, p, bytes);
}

static inline void td_helped_out(void *p, const void *room, const void *used, size_t bytes)
{
	if (used == room)
		memcpy(p, room, bytes);
}

/* What is paged is touched first, and again where it left before the kernel got to it: for calls
 * that have done nothing where they fail with EFAULT. failed: what the call gives then. */
#define TD_HELPED_TRIES 100
#define TD_HELPED(type, name, params, args, failed, touched) \
	TD_EXPORT type name params \
	{ \
		type rc = failed; \
		if (!td_helped_on()) \
			return next.name args; \
		for (int i = 0; i < TD_HELPED_TRIES; i++) { \
			unsigned any = touched; \
			rc = next.name args; \
			if (!any || rc != (failed) || errno != EFAULT) \
				break; \
		} \
		return rc; \
	}

#endif
