/* The lock, and waiting for a chunk or for room; the lock is held where nothing else is said. */
#ifndef TD_UFFD_LOCK_H
#define TD_UFFD_LOCK_H

#include "pager.h"

void td_pager_lock(struct td_pager *p);
/* By whomever: for assertions. */
static inline bool td_pager_is_locked(struct td_pager *p)
{
	return pthread_mutex_trylock(&p->lock) != 0;
}
/* The lock is held: what is done by now is calm; true: something was. */
bool td_pager_collect_done(struct td_pager *p);
struct td_done *td_pager_take_done(struct td_pager *p); /* the lock is held; NULL: none is free */
void td_pager_give_done(struct td_pager *p, struct td_done *done);
/* Without the lock: the chunk can be calm. */
void td_pager_say_done(struct td_pager *p, struct td_done *done, uint32_t chunk,
		       uint64_t stalled_ns);

/* For calls of the program: signals are blocked, as a handler that touches paged memory would wait
 * for this very thread; nor is it cancelled, as it would take the lock with it. */
void td_pager_enter(struct td_pager *p, struct td_pager_caller *saved);
void td_pager_leave(struct td_pager *p, const struct td_pager_caller *saved);
/* Until the chunk is not busy; the lock is given up meanwhile, so whatever was looked at before may
 * have changed. */
void td_pager_await_chunk(struct td_pager *p, uint32_t chunk);
void td_pager_calm(struct td_pager *p, uint32_t chunk); /* not busy any more */
void td_pager_await_room(struct td_pager *p);
void td_pager_made_room(struct td_pager *p);
void td_pager_say(struct td_pager *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
