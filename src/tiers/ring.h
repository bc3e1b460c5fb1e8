/* The state of a struct td_io, for io.c and ring.c.
 *
 *   start                    take (one thread at a time)          finish
 *     -> in the ring, under way ---------------------> taken -----------> done
 *     -> taken, where there is no ring or nothing to ask it for
 *
 * One lock. Whoever waits for a request in the ring is its reaper, unless there is one already;
 * the reaper sleeps in the kernel, without the lock, and everybody else on `news`. Three rules keep
 * anybody from sleeping for ever: a reaper that leaves says so, so that another can follow; a
 * request that gets done is said; and nobody becomes a reaper for a request that is taken already,
 * since the kernel has nothing to say about that any more. */
#ifndef TD_TIERS_RING_H
#define TD_TIERS_RING_H

#include <liburing.h>
#include <pthread.h>

#include "inject.h"
#include "io.h"

enum { TD_IO_IDLE, TD_IO_IN_RING, TD_IO_TAKEN, TD_IO_DONE }; /* td_io_request.state */

/* A done that is running, in the thread on whose stack this lies. */
struct td_io_call {
	const struct td_io_request *r;
	struct td_io_call *next;
};

struct td_io {
	struct td_inject inject;
	_Atomic uint64_t errors;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t news;
	unsigned sleepers;
	size_t open; /* requests started and not done */
	struct td_io_call *calls;
	bool ring;     /* new requests go there */
	bool made;     /* there is one */
	bool reaping;  /* somebody is at the end of the ring that answers */
	unsigned used; /* requests in the ring; at most depth */
	unsigned depth;
	struct io_uring uring;
	struct __kernel_timespec delay;
};

/* All with the lock held. */

int td_ring_make(struct td_io *io);
void td_ring_put(struct td_io *io, struct td_io_request *r, int fd, size_t bytes);
/* Tells the kernel of what was put. A list of requests that it would not take, and the ring is off
 * from now on; mostly NULL. */
struct td_io_request *td_ring_submit(struct td_io *io);
/* A list of requests that the kernel has answered, the answers as their results. Waits for one
 * without the lock where that is wanted; may be empty even so. Not while somebody is reaping. */
struct td_io_request *td_ring_reap(struct td_io *io, bool wait);

static inline void td_io_wake(struct td_io *io)
{
	if (io->sleepers)
		pthread_cond_broadcast(&io->news);
}

#endif
