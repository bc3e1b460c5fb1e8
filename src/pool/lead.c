/* Requests that wait, and the crews that serve them in batches.
 *
 * A thread that waits leads a crew if one is idle. It collects requests until the batch is full, as
 * many calls wait as the last batch served, or the epoch is over. Calls are counted, not threads,
 * because a server may make the calls of one client in different threads. So a lone client never
 * waits. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "inside.h"

#define PATIENCE_NS 1000000000 /* how long a crew waits for a thread to put a page */
#define PAUSE_NS 100000
/* Batches between walks of everything: so a batch costs a few blocks more. */
#define CHECK_EVERY(p) (1024 + ((p)->pages * (p)->degree + (p)->n_blocks + (p)->table_n) / 16)

/* ---- turns ---- */

/* Everything that a crew does may let another one do what it could not. */
void td_pool_tell_news(struct td_pool *p)
{
	p->retry = true;
	pthread_cond_broadcast(&p->news);
}

static bool may_start(const struct td_pool *p)
{
	return !p->exclusive && (!p->exclusives_waiting || p->crews_first);
}

static void start_work(struct td_pool *p)
{
	p->crews_first = false;
	p->at_work++;
}

static void end_work(struct td_pool *p, struct td_pool_work *w)
{
	struct td_pool_spent *s = &w->spent;
	td_assert(p->at_work);
	p->at_work--;
	p->figures.device_ns += s->device_ns;
	p->figures.file_ns += s->file_ns;
	p->figures.hash_ns += s->hash_ns;
	p->figures.gathers += s->gathers;
	p->figures.gathered_bytes += s->gathered_bytes;
	p->figures.scatters += s->scatters;
	p->figures.scattered_bytes += s->scattered_bytes;
	p->figures.hashed_blocks += s->hashed_blocks;
	*s = (struct td_pool_spent){0};
	pthread_cond_broadcast(&p->news);
}

void td_pool_exclusive_begin(struct td_pool *p)
{
	p->exclusives_waiting++;
	while (p->at_work || p->exclusive || p->crews_first)
		pthread_cond_wait(&p->news, &p->lock);
	p->exclusives_waiting--;
	p->exclusive = true;
}

void td_pool_exclusive_end(struct td_pool *p)
{
	td_assert(p->exclusive && !p->at_work);
	p->exclusive = false;
	p->crews_first = p->exclusives_waiting && (p->queue || p->others_waiting);
	td_pool_tell_news(p);
}

struct td_pool_work *td_pool_work_begin(struct td_pool *p, uint32_t i)
{
	p->others_waiting++;
	while (!may_start(p))
		pthread_cond_wait(&p->news, &p->lock);
	p->others_waiting--;
	start_work(p);
	return &p->works[i];
}

void td_pool_work_end(struct td_pool *p, struct td_pool_work *w)
{
	p->retry = true;
	end_work(p, w);
}

static struct td_pool_work *take_crew(struct td_pool *p)
{
	uint32_t i = (uint32_t)__builtin_ctz(p->idle);
	p->idle &= p->idle - 1;
	start_work(p);
	p->works[i].served = 0;
	return &p->works[i];
}

static void give_crew(struct td_pool *p, struct td_pool_work *w)
{
	p->idle |= UINT32_C(1) << (w - p->works);
	if (w->served)
		p->served_before = w->served;
	end_work(p, w);
}

struct td_pool_work *td_pool_crew_try(struct td_pool *p)
{
	return p->idle && !p->collecting && may_start(p) ? take_crew(p) : NULL;
}

void td_pool_crew_end(struct td_pool *p, struct td_pool_work *w)
{
	p->retry = true;
	give_crew(p, w);
}

static bool is_alone(const struct td_pool *p)
{
	return (uint32_t)__builtin_popcount(p->idle) + 1 == p->crews;
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

static void end_call(struct td_pool *p, struct td_pool_work *w)
{
	td_assert(p->waiting);
	p->waiting--;
	w->served++;
}

void td_pool_finish(struct td_pool *p, struct td_pool_work *w, struct td_pool_request *r,
		    int result)
{
	r->result = result;
	if (r->left) {
		td_assert(*r->left);
		if (!--*r->left)
			end_call(p, w);
		return;
	}
	end_call(p, w);
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

static void pause_unlocked(struct td_pool *p, struct td_pool_work *w)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	pthread_mutex_unlock(&p->lock);
	nanosleep(&pause, NULL);
	pthread_mutex_lock(&p->lock);
	td_pool_drain(p);
	td_pool_evict(p, w);
	td_pool_tell_news(p); /* to flushes */
}

static void dequeue(struct td_pool *p, const struct td_pool_request *r)
{
	struct td_pool_request **at = &p->queue;
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	p->queue_end = r->next ? p->queue_end : at;
	p->queued--;
}

/* There is no frame even for one page: all are pinned, or cannot be written. */
static void end_stuck(struct td_pool *p, struct td_pool_work *w)
{
	struct td_pool_request *r = w->stuck;
	dequeue(p, r);
	td_pool_finish(p, w, r, w->write_error ? td_pool_read_past(p, w, r) : -ENOBUFS);
}

/* No other crew could free a frame. Tries to write again: storage may have room by now. Waits until
 * a thread puts a page. If none does, the requests that have waited fail, except those that need no
 * frame. */
static void wait_for_frames(struct td_pool *p, struct td_pool_work *w)
{
	uint64_t end_ns = td_clock_ns() + PATIENCE_NS;
	size_t waiting = p->queued;
	w->write_error = 0;
	td_pool_evict(p, w);
	td_pool_plan(p, w);
	while (w->stuck && !w->n && !w->write_error && td_clock_ns() < end_ns) {
		pause_unlocked(p, w);
		td_pool_plan(p, w);
	}
	if (w->write_error)
		waiting = 1; /* the next request tries to write again */
	for (; w->stuck && !w->n && waiting; waiting--) {
		end_stuck(p, w);
		td_pool_plan(p, w);
	}
}

/* Requests that come while it collects, or waits for frames, leave it to this crew to plan them. */
static void begin_batch(struct td_pool *p, struct td_pool_work *w)
{
	p->collecting = true;
	collect(p);
	td_pool_plan(p, w);
	if (w->stuck && !w->n && is_alone(p))
		wait_for_frames(p, w);
	if (w->stuck && !w->n && is_alone(p))
		p->retry = true; /* nothing else would say so */
	p->collecting = false;
	if (p->queue && p->retry)
		pthread_cond_broadcast(&p->news);
}

static void lead(struct td_pool *p)
{
	struct td_pool_work *w = take_crew(p);
	begin_batch(p, w);
	if (w->n) {
		td_pool_fetch(p, w);
		td_pool_insert(p, w);
		td_pool_evict(p, w);
	}
	td_assert(p->at_work > 1 || p->figures.batches % CHECK_EVERY(p) || td_pool_agrees(p) == 0);
	give_crew(p, w);
}

/* ---- requests ---- */

static void enqueue(struct td_pool *p, struct td_pool_request *r)
{
	r->next = NULL;
	*p->queue_end = r;
	p->queue_end = &r->next;
	p->queued++;
	p->retry = true;
}

/* True: it waits. */
static bool begin(struct td_pool *p, struct td_pool_request *r)
{
	r->result = td_pool_ready(p, r) ? td_pool_serve(p, r, false) : -EAGAIN;
	if (r->result == -EAGAIN) {
		if (!td_pool_join(p, r))
			enqueue(p, r);
		return true;
	}
	p->counts.accesses++;
	p->counts.hits++;
	return false;
}

static bool can_lead(const struct td_pool *p)
{
	return p->queue && p->retry && p->idle && !p->collecting && may_start(p);
}

static void wait_for(struct td_pool *p, const size_t *left)
{
	p->waiting++;
	pthread_cond_signal(&p->more);
	while (*left)
		if (can_lead(p))
			lead(p);
		else
			pthread_cond_wait(&p->news, &p->lock);
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
		else if (can_lead(p))
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
