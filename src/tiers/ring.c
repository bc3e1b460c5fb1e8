#include "ring.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "transfer.h"

#define TRIES 200
#define PAUSE_NS 50000

int td_ring_make(struct td_io *io)
{
	uint64_t delay_ns = io->inject.delay_ns;
	io->delay.tv_sec = (int64_t)(delay_ns / 1000000000);
	io->delay.tv_nsec = (long long)(delay_ns % 1000000000);
	/* A delay takes a place of its own. */
	int rc = io_uring_queue_init(delay_ns ? io->depth * 2 : io->depth, &io->uring, 0);
	io->made = io->ring = rc == 0;
	return rc;
}

/* Before the request, which the kernel starts only when this is over. */
static void put_delay(struct td_io *io)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&io->uring);
	io_uring_prep_timeout(sqe, &io->delay, 0, IORING_TIMEOUT_ETIME_SUCCESS);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK);
	io_uring_sqe_set_data(sqe, NULL);
}

void td_ring_put(struct td_io *io, struct td_io_request *r, int fd, size_t bytes)
{
	unsigned n = bytes < 1u << 30 ? (unsigned)bytes : 1u << 30; /* the rest is a short read's */
	if (io->inject.delay_ns)
		put_delay(io);
	struct io_uring_sqe *sqe = io_uring_get_sqe(&io->uring);
	if (r->write)
		io_uring_prep_write(sqe, fd, r->addr, n, r->offset);
	else
		io_uring_prep_read(sqe, fd, r->addr, n, r->offset);
	io_uring_sqe_set_data(sqe, r);
	r->state = TD_IO_IN_RING;
	io->used++;
}

static void take(struct td_io *io, struct td_io_request *r, int answer, struct td_io_request **list)
{
	r->state = TD_IO_TAKEN;
	r->result = answer;
	r->next = *list;
	*list = r;
	io->used--;
}

/* The kernel has not seen these, and they become nothing to it. */
static struct td_io_request *give_up(struct td_io *io)
{
	struct io_uring_sq *sq = &io->uring.sq;
	struct td_io_request *list = NULL;
	for (unsigned i = *sq->khead; i != sq->sqe_tail; i++) {
		struct io_uring_sqe *sqe = &sq->sqes[i & *sq->kring_mask];
		struct td_io_request *r = (void *)(uintptr_t)sqe->user_data;
		io_uring_prep_nop(sqe);
		sqe->user_data = 0;
		if (r)
			take(io, r, -EAGAIN, &list);
	}
	io->ring = false;
	td_io_wake(io);
	return list;
}

struct td_io_request *td_ring_submit(struct td_io *io)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	unsigned tries = 0;
	while (io->ring && io_uring_sq_ready(&io->uring)) {
		int n = io_uring_submit(&io->uring);
		if (n > 0 || n == -EINTR)
			continue;
		if ((n && n != -EAGAIN && n != -EBUSY) || ++tries > TRIES)
			return give_up(io);
		nanosleep(&pause, NULL); /* memory is short */
	}
	return NULL;
}

static struct td_io_request *take_answers(struct td_io *io)
{
	struct td_io_request *list = NULL;
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;
	io_uring_for_each_cqe(&io->uring, head, cqe)
	{
		struct td_io_request *r = io_uring_cqe_get_data(cqe);
		if (r)
			take(io, r, cqe->res, &list);
		n++;
	}
	io_uring_cq_advance(&io->uring, n);
	return list;
}

static void await(struct td_io *io)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct io_uring_cqe *cqe;
	pthread_mutex_unlock(&io->lock);
	int rc = io_uring_wait_cqe(&io->uring, &cqe);
	if (rc && rc != -EINTR)
		nanosleep(&pause, NULL); /* forbidden meanwhile: answers still appear in memory */
	pthread_mutex_lock(&io->lock);
}

struct td_io_request *td_ring_reap(struct td_io *io, bool wait)
{
	io->reaping = true;
	struct td_io_request *list = take_answers(io);
	if (!list && wait) {
		await(io);
		list = take_answers(io);
	}
	io->reaping = false;
	td_io_wake(io);
	return list;
}
