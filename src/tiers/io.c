#include "io.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "transfer.h"

#define DEPTH_MAX 4096

int td_io_open(struct td_io **out, unsigned depth, const char *inject, struct tide_error *err)
{
	struct td_io *io = calloc(1, sizeof *io);
	*out = NULL;
	if (!io)
		return tide_fail(err, -ENOMEM, "no memory for reads and writes: free some");
	int rc = td_inject_parse(&io->inject, inject, err);
	if (!rc && (depth < 1 || depth > DEPTH_MAX))
		rc = tide_fail(err, -EINVAL, "%u requests at a time: give 1 to %d", depth,
			       DEPTH_MAX);
	if (rc) {
		free(io);
		return rc;
	}
	io->depth = depth;
	pthread_mutex_init(&io->lock, NULL);
	pthread_cond_init(&io->news, NULL);
	if (!io->inject.sync)
		td_ring_make(io); /* refused: there are pread and pwrite */
	*out = io;
	return 0;
}

void td_io_close(struct td_io *io)
{
	if (!io)
		return;
	td_io_drain(io);
	if (io->made)
		io_uring_queue_exit(&io->uring);
	pthread_cond_destroy(&io->news);
	pthread_mutex_destroy(&io->lock);
	free(io);
}

/* ---- requests that end ---- */

static void remove_call(struct td_io *io, struct td_io_call *call)
{
	struct td_io_call **p = &io->calls;
	while (*p != call)
		p = &(*p)->next;
	*p = call->next;
}

/* With the lock, which is free while done runs. */
static void finish(struct td_io *io, struct td_io_request *r, int result)
{
	struct td_io_call call = {r, io->calls};
	r->result = result;
	if (result)
		atomic_fetch_add_explicit(&io->errors, 1, memory_order_relaxed);
	r->state = TD_IO_DONE;
	if (r->done) {
		io->calls = &call;
		pthread_mutex_unlock(&io->lock);
		r->done(r);
		pthread_mutex_lock(&io->lock);
		remove_call(io, &call);
	}
	io->open--;
	td_io_wake(io);
}

/* Nothing is wrong with the file: the kernel drops what a thread that ends had asked for, or tries
 * it without that thread's memory. */
static bool is_worth_a_try(int answer)
{
	return answer == -EAGAIN || answer == -EINTR || answer == -ECANCELED || answer == -EFAULT ||
	       answer == -EINVAL;
}

/* What the kernel did not do, we do: it may stop anywhere. */
static int complete(struct td_io_request *r)
{
	int answer = r->result;
	if (answer < 0 && !is_worth_a_try(answer))
		return answer;
	return td_transfer_rest(r, answer < 0 ? 0 : (size_t)answer, SIZE_MAX);
}

static void finish_all(struct td_io *io, struct td_io_request *list)
{
	while (list) {
		struct td_io_request *r = list;
		list = r->next;
		pthread_mutex_unlock(&io->lock);
		int rc = complete(r);
		pthread_mutex_lock(&io->lock);
		finish(io, r, rc);
	}
}

static void submit(struct td_io *io)
{
	finish_all(io, td_ring_submit(io));
}

/* ---- waiting ---- */

static void sleep_for_news(struct td_io *io)
{
	io->sleepers++;
	pthread_cond_wait(&io->news, &io->lock);
	io->sleepers--;
}

/* in_ring: what is waited for is there. */
static void step(struct td_io *io, bool in_ring)
{
	if (in_ring && !io->reaping)
		finish_all(io, td_ring_reap(io, true));
	else
		sleep_for_news(io);
}

static bool is_called(const struct td_io *io, const struct td_io_request *r)
{
	const struct td_io_call *call = io->calls;
	while (call && call->r != r)
		call = call->next;
	return call != NULL;
}

static bool is_open(const struct td_io *io, const struct td_io_request *r)
{
	return r->state == TD_IO_IN_RING || r->state == TD_IO_TAKEN || is_called(io, r);
}

void td_io_wait(struct td_io *io, struct td_io_request *r)
{
	pthread_mutex_lock(&io->lock);
	while (is_open(io, r))
		step(io, r->state == TD_IO_IN_RING);
	pthread_mutex_unlock(&io->lock);
}

void td_io_drain(struct td_io *io)
{
	pthread_mutex_lock(&io->lock);
	while (io->open)
		step(io, io->used > 0);
	pthread_mutex_unlock(&io->lock);
}

void td_io_poll(struct td_io *io)
{
	pthread_mutex_lock(&io->lock);
	if (io->used && !io->reaping)
		finish_all(io, td_ring_reap(io, false));
	pthread_mutex_unlock(&io->lock);
}

/* ---- requests that begin ---- */

static int move_here(struct td_io *io, struct td_io_request *r, bool cut)
{
	uint64_t ns = io->inject.delay_ns;
	struct timespec delay = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	while (ns && clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, &delay) == EINTR)
		;
	return td_transfer_rest(r, 0, cut ? td_transfer_cut(r->bytes) : SIZE_MAX);
}

static void finish_here(struct td_io *io, struct td_io_request *r, int rc, bool cut)
{
	submit(io); /* what was put before it need not wait for it */
	pthread_mutex_unlock(&io->lock);
	if (!rc)
		rc = move_here(io, r, cut);
	pthread_mutex_lock(&io->lock);
	finish(io, r, rc);
}

/* Is there still a ring then? */
static bool wait_for_place(struct td_io *io)
{
	while (io->ring && io->used == io->depth) {
		submit(io);
		if (io->used == io->depth)
			step(io, true);
	}
	return io->ring;
}

static void begin(struct td_io *io, struct td_io_request *r)
{
	int fd;
	bool cut;
	int rc = td_inject_count(&io->inject, r->write, &cut);
	size_t body = td_transfer_body(r, &fd);
	td_transfer_make_room(r);
	r->state = TD_IO_TAKEN;
	io->open++;
	bool ring = !rc && body && wait_for_place(io);
	if (ring)
		td_ring_put(io, r, fd, cut ? td_transfer_cut(body) : body);
	else
		finish_here(io, r, rc, cut);
}

void td_io_start(struct td_io *io, struct td_io_request *const *requests, size_t n)
{
	pthread_mutex_lock(&io->lock);
	for (size_t i = 0; i < n; i++)
		begin(io, requests[i]);
	submit(io);
	pthread_mutex_unlock(&io->lock);
}

int td_io_now(struct td_io *io, struct td_io_request *r)
{
	bool cut;
	int rc = td_inject_count(&io->inject, r->write, &cut);
	td_transfer_make_room(r);
	if (!rc)
		rc = move_here(io, r, cut);
	if (rc)
		atomic_fetch_add_explicit(&io->errors, 1, memory_order_relaxed);
	r->result = rc;
	r->state = TD_IO_DONE;
	return rc;
}

int td_io_flush(struct td_io *io, struct td_io_file *f)
{
	int rc;
	do
		rc = fdatasync(f->fd) ? -errno : 0;
	while (rc == -EINTR);
	if (rc)
		atomic_fetch_add_explicit(&io->errors, 1, memory_order_relaxed);
	return rc;
}

bool td_io_has_ring(struct td_io *io)
{
	pthread_mutex_lock(&io->lock);
	bool ring = io->ring;
	pthread_mutex_unlock(&io->lock);
	return ring;
}

int td_io_map_fails(struct td_io *io)
{
	return td_inject_map(&io->inject);
}

uint64_t td_io_errors(const struct td_io *io)
{
	return atomic_load_explicit(&io->errors, memory_order_relaxed);
}
