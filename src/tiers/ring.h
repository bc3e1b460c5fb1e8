/* The state of a struct td_io, for io.c and ring.c.
 *
 *   start                    take (one thread at a time)          finish
 *     -> in the ring, under way ---------------------> taken -----------> done
 *     -> taken, where there is no ring or nothing to ask it for
 *
 * There is one lock. A thread that waits for a request in the ring becomes the reaper, unless there
 * is one already. The reaper sleeps in the kernel, without the lock. All other waiting threads
 * sleep on `news`. Three rules keep threads from sleeping for ever. A reaper that stops wakes the
 * others, so that one of them can follow. A thread that finishes a request wakes the others. No
 * thread becomes the reaper for a request that is already taken, because the kernel has nothing
 * more to say about it. */
#ifndef TD_TIERS_RING_H
#define TD_TIERS_RING_H

#include <liburing.h>
#include <pthread.h>

#include "inject.h"
#include "io.h"

enum { TD_IO_IDLE, TD_IO_IN_RING, TD_IO_TAKEN, TD_IO_DONE }; /* td_io_request.state */

/* A callback `done` that is running, in the thread on whose stack this struct lies. */
struct td_io_call {
	const struct td_io_request *r;
	struct td_io_call *next;
};

struct td_io {
	struct td_inject inject;
	_Atomic uint64_t errors;
	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t news;
	unsigned sleepers;
	size_t open; /* requests started and not done */
	struct td_io_call *calls;
	bool ring;     /* new requests go to the ring */
	bool made;     /* there is a ring */
	bool reaping;  /* there is a reaper */
	unsigned used; /* requests in the ring; at most depth */
	unsigned depth;
	struct io_uring uring;
	struct __kernel_timespec delay;
};

/* The caller holds the lock. */

int td_ring_make(struct td_io *io);
void td_ring_put(struct td_io *io, struct td_io_request *r, int fd, size_t bytes);
/* Tells the kernel about the requests that were put. Gives a list of the requests that the kernel
 * refused, mostly NULL. If there are any, the ring is off from now on. */
struct td_io_request *td_ring_submit(struct td_io *io);
/* Gives a list of the requests that the kernel has answered, with the answers as their results. If
 * `wait` is set, it waits for an answer without the lock; the list may be empty even so. Only one
 * thread at a time may reap. */
struct td_io_request *td_ring_reap(struct td_io *io, bool wait);

static inline void td_io_wake(struct td_io *io)
{
	if (io->sleepers)
		pthread_cond_broadcast(&io->news);
}

#endif
