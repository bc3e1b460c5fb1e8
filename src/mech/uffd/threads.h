/* Threads of the pager, and what it has to say. */
#ifndef TD_UFFD_THREADS_H
#define TD_UFFD_THREADS_H

#include "pager.h"

/* ---- helpers.c: threads that read ahead and write behind ---- */

/* From the first mapping on that has to do with files. The lock is held, or nobody else there. */
int td_pager_start_helpers(struct td_pager *p);
void td_pager_stop_helpers(struct td_pager *p);
/* The lock is held: hands a read over; says that a batch is due. */
void td_pager_queue_read(struct td_pager *p, struct td_read *r);
void td_pager_call_helper(struct td_pager *p);

/* ---- watchdog.c, advise.c ---- */

/* A thread of ours, which no signal of the program's reaches: 0 or -errno. */
int td_pager_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg);
/* Tells the program that the page at addr cannot be had. */
void td_pager_tell_failure(struct td_pager *p, void *addr, int rc);
/* ---- refuse.c ---- */

/* An access in a thread that sleeps until the page comes: the thread gets a SIGBUS. */
void td_pager_refuse(struct td_pager *p, uintptr_t addr, int rc);
/* From now on an access tries again. Those that were refused some time ago: are some left? Those of
 * a chunk, where the lock is held and pages of the chunk are about to be mapped. */
bool td_pager_forgive_old(struct td_pager *p);
void td_pager_forgive_chunk(struct td_pager *p, uint32_t chunk);
/* Ends the program: nobody can be told, or has time to hear it. */
void td_pager_end_program(struct td_pager *p, const char *why) __attribute__((noreturn));
int td_pager_start_watchdog(struct td_pager *p, struct tide_error *err);
void td_pager_stop_watchdog(struct td_pager *p);

#endif
