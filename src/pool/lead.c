/* Requests that wait, and the leader that serves them in batches.
 *
 * A thread that waits and finds no leader becomes the leader. It collects requests until the batch
 * is full, as many calls wait as the last batch served, or the epoch is over. Calls are counted,
 * not threads, because a server may make the calls of one client in different threads. So a lone
 * client never waits. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "inside.h"

#define PATIENCE_NS 1000000000 /* how long a leader waits for a thread to put a page */
#define PAUSE_NS 100000
/* Batches between walks of everything: so a batch costs a few blocks more. */
#define CHECK_EVERY(p) (1024 + ((p)->pages * (p)->degree + (p)->n_blocks + (p)->table_n) / 16)

/* ---- the leader ---- */

void td_pool_lead_begin(struct td_pool *p)
{
	while (p->busy)
		pthread_cond_wait(&p->news, &p->lock);
	p->busy = true;
}

/* Calls `done` for requests for which no thread waits. Only the server does this: a caller of the
 * pool may hold locks that `done` takes. */
static void tell(struct td_pool *p)
{
	struct td_pool_request *list = p->told;
	p->told = NULL;
	p->told_end = &p->told;
	while (list) {
		struct td_pool_request *r = list;
		list = r->next;
		pthread_mutex_unlock(&p->lock);
		r->done(r->arg, &r->pin, r->result);
		free(r);
		pthread_mutex_lock(&p->lock);
		td_assert(p->async);
		p->async--;
	}
	pthread_cond_broadcast(&p->news);
}

static void add_spent(struct td_pool *p)
{
	struct td_pool_spent *s = &p->work.spent;
	p->figures.device_ns += s->device_ns;
	p->figures.file_ns += s->file_ns;
	p->figures.hash_ns += s->hash_ns;
	p->figures.gathers += s->gathers;
	p->figures.gathered_bytes += s->gathered_bytes;
	p->figures.hashed_blocks += s->hashed_blocks;
	*s = (struct td_pool_spent){0};
}

void td_pool_lead_end(struct td_pool *p)
{
	td_assert(p->busy);
	add_spent(p);
	p->busy = false;
	pthread_cond_broadcast(&p->news);
}

static void end_call(struct td_pool *p)
{
	td_assert(p->waiting);
	p->waiting--;
	p->served++;
}

void td_pool_finish(struct td_pool *p, struct td_pool_request *r, int result)
{
	r->result = result;
	if (r->left) {
		td_assert(*r->left);
		if (!--*r->left)
			end_call(p);
		return;
	}
	end_call(p);
	r->next = NULL;
	*p->told_end = r;
	p->told_end = &r->next;
}

/* ---- a batch ---- */

static bool is_due(const struct td_pool *p)
{
	return !p->epoch_ns || p->queued >= p->batch || p->waiting >= p->served_before;
}

static void collect(struct td_pool *p)
{
	if (is_due(p))
		return;
	uint64_t end_ns = td_clock_ns() + p->epoch_ns;
	struct timespec end = td_clock_timespec(end_ns);
	while (!is_due(p))
		if (pthread_cond_timedwait(&p->more, &p->lock, &end) == ETIMEDOUT)
			return;
}

static void pause_unlocked(struct td_pool *p)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	pthread_mutex_unlock(&p->lock);
	nanosleep(&pause, NULL);
	pthread_mutex_lock(&p->lock);
	td_pool_drain(p);
	td_pool_evict(p);
}

static bool is_absent(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		if (td_pool_resolve(p, page * p->degree + i) == TIDE_NIL)
			return true;
	return false;
}

/* Reads bytes past the cache, which has no room because nothing can be written. A page that is not
 * in memory as a whole is clean, so the file has it. No other thread can bring it in or change it,
 * because only the leader can. */
static int read_past(struct td_pool *p, const struct td_pool_request *r)
{
	if (r->write || r->pinned || !is_absent(p, r->page))
		return p->write_error;
	struct td_io_request io = {.file = &p->file,
				   .offset = r->page * p->page_bytes,
				   .addr = p->work.staging,
				   .bytes = p->page_bytes};
	p->counts.accesses++;
	p->counts.faults++;
	p->counts.tier2_misses++;
	p->counts.tier3_reads++;
	pthread_mutex_unlock(&p->lock);
	td_io_now(p->io, &io);
	if (!io.result)
		memcpy(r->to, p->work.staging + r->at, r->n);
	pthread_mutex_lock(&p->lock);
	return io.result;
}

/* There is no frame even for one page: all are pinned, or cannot be written. */
static void end_first(struct td_pool *p)
{
	struct td_pool_request *r = p->queue;
	td_assert(p->queued);
	p->queue = r->next;
	p->queue_end = p->queue ? p->queue_end : &p->queue;
	p->queued--;
	td_pool_finish(p, r, p->write_error ? read_past(p, r) : -ENOBUFS);
}

/* Tries to write again: storage may have room by now. Waits until a thread puts a page. If none
 * does, the requests that have waited fail, except those that need no frame. */
static void wait_for_frames(struct td_pool *p)
{
	uint64_t end_ns = td_clock_ns() + PATIENCE_NS;
	size_t waiting = p->queued;
	td_pool_evict(p);
	td_pool_plan(p);
	while (!p->work.n && !p->write_error && td_clock_ns() < end_ns) {
		pause_unlocked(p);
		td_pool_plan(p);
	}
	if (p->write_error)
		waiting = 1; /* the next request tries to write again */
	for (; !p->work.n && p->queue && waiting; waiting--) {
		end_first(p);
		td_pool_plan(p);
	}
}

static void run_batch(struct td_pool *p)
{
	td_pool_plan(p);
	if (!p->work.n && p->queue)
		wait_for_frames(p);
	if (!p->work.n) {
		p->write_error = 0;
		td_pool_evict(p);
		return;
	}
	td_pool_fetch(p);
	td_pool_insert(p);
	pthread_cond_broadcast(&p->news);
	td_pool_evict(p);
}

static void lead(struct td_pool *p)
{
	td_assert(!p->busy);
	p->busy = true;
	collect(p);
	run_batch(p);
	td_assert(p->figures.batches % CHECK_EVERY(p) || td_pool_agrees(p) == 0);
	p->served_before = p->served;
	p->served = 0;
	td_pool_lead_end(p);
}

/* ---- requests ---- */

static void enqueue(struct td_pool *p, struct td_pool_request *r)
{
	r->next = NULL;
	*p->queue_end = r;
	p->queue_end = &r->next;
	p->queued++;
}

/* True: it waits in the queue. */
static bool begin(struct td_pool *p, struct td_pool_request *r)
{
	r->result = td_pool_ready(p, r) ? td_pool_serve(p, r, false) : -EAGAIN;
	if (r->result == -EAGAIN) {
		enqueue(p, r);
		return true;
	}
	p->counts.accesses++;
	p->counts.hits++;
	return false;
}

static void wait_for(struct td_pool *p, const size_t *left)
{
	p->waiting++;
	pthread_cond_signal(&p->more);
	while (*left)
		if (p->busy)
			pthread_cond_wait(&p->news, &p->lock);
		else
			lead(p);
}

void td_pool_submit(struct td_pool *p, struct td_pool_request *requests, size_t n)
{
	size_t left = 0;
	pthread_mutex_lock(&p->lock);
	td_pool_drain(p);
	for (size_t i = 0; i < n; i++) {
		requests[i].left = &left;
		left += begin(p, &requests[i]);
	}
	if (left)
		wait_for(p, &left);
	pthread_mutex_unlock(&p->lock);
}

/* ---- without a thread that waits ---- */

static void *serve_async(void *arg)
{
	struct td_pool *p = arg;
	pthread_mutex_lock(&p->lock);
	while (!p->stop)
		if (p->told)
			tell(p);
		else if (p->queue && !p->busy)
			lead(p);
		else
			pthread_cond_wait(&p->news, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* The program's signals are for its own threads. */
static int start_server(struct td_pool *p)
{
	sigset_t all, before;
	if (p->has_server)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&p->server, NULL, serve_async, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->has_server = !rc;
	return rc ? -EAGAIN : 0;
}

/* 1: it waits; 0: it is served. */
int td_pool_submit_async(struct td_pool *p, struct td_pool_request *r)
{
	pthread_mutex_lock(&p->lock);
	td_pool_drain(p);
	int rc = start_server(p);
	if (!rc && begin(p, r)) {
		rc = 1;
		p->async++;
		p->waiting++;
		pthread_cond_signal(&p->more);
		pthread_cond_broadcast(&p->news);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

void td_pool_stop(struct td_pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->async)
		pthread_cond_wait(&p->news, &p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->news);
	pthread_mutex_unlock(&p->lock);
	if (p->has_server)
		pthread_join(p->server, NULL);
}
