/* Reads ahead of streams. Some reads that follow one another are a stream. Then a thread brings
 * what comes next into main memory, twice as much each time, up to `ahead`.
 *
 * Clients have several reads under way, and a server handles them in any order. So a stream that is
 * known may be met a little before or behind its end. One that is not yet known must be met
 * exactly, because random reads come near it by chance. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "inside.h"

#define KNOWN 2       /* reads that followed */
#define SLACK 64      /* pages */
#define FIRST_PAGES 8 /* of the first time */

/* ---- streams ---- */

static uint64_t next_of(struct td_pool_ahead *a, size_t i)
{
	return atomic_load_explicit(&a->next[i], memory_order_relaxed);
}

static void set_next(struct td_pool_ahead *a, size_t i, uint64_t page, bool known)
{
	atomic_store_explicit(&a->next[i], page * 2 + known, memory_order_relaxed);
}

static bool meets(uint64_t next, uint64_t page)
{
	uint64_t slack = next & 1 ? SLACK : 0;
	return next && page + slack >= next / 2 && page <= next / 2 + slack;
}

/* TD_STREAMS: none. */
static size_t find_stream(struct td_pool_ahead *a, uint64_t page)
{
	size_t i = 0;
	while (i < TD_STREAMS && !meets(next_of(a, i), page))
		i++;
	return i;
}

/* Asks for what comes next, once half of what was asked for before is read. */
static void ask(struct td_pool_ahead *a, size_t i, uint64_t next)
{
	struct td_pool_stream *s = &a->streams[i];
	uint64_t from = s->until > next ? s->until : next;
	if (a->jobs == TD_AHEAD_JOBS || s->until > next + s->window / 2)
		return;
	s->window = s->window * 2 < a->pages ? s->window * 2 : a->pages;
	s->until = from + s->window;
	a->job[(a->first_job + a->jobs++) % TD_AHEAD_JOBS] =
		(struct td_pool_job){i, from, s->until};
	sem_post(&a->news);
}

static void go_on(struct td_pool_ahead *a, size_t i, uint64_t end)
{
	if (end <= next_of(a, i) / 2)
		return;
	bool known = ++a->streams[i].followed >= KNOWN;
	set_next(a, i, end, known);
	if (known)
		ask(a, i, end);
}

/* In place of the one that was begun the longest time ago. */
static void begin(struct td_pool_ahead *a, uint64_t end)
{
	size_t i = a->turn++ % TD_STREAMS;
	set_next(a, i, end, false);
	a->streams[i] = (struct td_pool_stream){.window = FIRST_PAGES / 2};
}

/* A hit can only go on with a stream that is known: what is in memory need not be read ahead. If
 * another thread is here, this read is not heard of. */
void td_pool_ahead_of(struct td_pool *p, uint64_t page, uint64_t end, bool missed)
{
	struct td_pool_ahead *a = &p->ahead;
	size_t i = find_stream(a, page);
	bool known = i < TD_STREAMS && next_of(a, i) & 1;
	if ((!known && !missed) || pthread_mutex_trylock(&a->lock))
		return;
	i = find_stream(a, page);
	if (i < TD_STREAMS)
		go_on(a, i, end);
	else
		begin(a, end);
	pthread_mutex_unlock(&a->lock);
}

/* ---- the thread ---- */

static bool next_job(struct td_pool_ahead *a, struct td_pool_job *job)
{
	pthread_mutex_lock(&a->lock);
	bool any = a->jobs && !a->ends;
	if (any) {
		*job = a->job[a->first_job];
		a->first_job = (a->first_job + 1) % TD_AHEAD_JOBS;
		a->jobs--;
	}
	pthread_mutex_unlock(&a->lock);
	return any;
}

/* All of it was there: reads by chance in what is in memory would look like a stream for ever. */
static void forget(struct td_pool_ahead *a, size_t i)
{
	pthread_mutex_lock(&a->lock);
	set_next(a, i, 0, false);
	pthread_mutex_unlock(&a->lock);
}

/* The stream may be past some of it by now. If a page cannot be read, the stream itself will see.
 */
static void fetch(struct td_pool *p, const struct td_pool_job *job)
{
	uint64_t end = job->end < p->pages ? job->end : p->pages, page = job->page;
	uint64_t next = next_of(&p->ahead, job->stream) / 2;
	size_t n = 0;
	for (page = page > next ? page : next; page < end; page++)
		if (!td_pool_is_here(p, page))
			p->ahead.requests[n++] =
				(struct td_pool_request){.page = page, .to = p->zeros};
	if (!n) {
		forget(&p->ahead, job->stream);
		return;
	}
	td_pool_submit(p, p->ahead.requests, n);
	pthread_mutex_lock(&p->lock);
	p->figures.ahead_pages += n;
	pthread_mutex_unlock(&p->lock);
}

static void *read_ahead(void *arg)
{
	struct td_pool *p = arg;
	struct td_pool_job job;
	for (;;) {
		while (sem_wait(&p->ahead.news) && errno == EINTR)
			;
		if (!next_job(&p->ahead, &job))
			break;
		fetch(p, &job);
	}
	return NULL;
}

/* ---- life ---- */

/* Of a small pool, a little: what is read ahead must not push out itself. */
static uint64_t window_of(const struct td_pool *p, uint64_t pages)
{
	uint64_t most = p->main_max / p->degree / 8;
	pages = pages < p->batch ? pages : p->batch;
	pages = pages < most ? pages : most;
	return pages < FIRST_PAGES ? 0 : pages;
}

int td_pool_ahead_start(struct td_pool *p, uint64_t pages, struct tide_error *err)
{
	struct td_pool_ahead *a = &p->ahead;
	sigset_t all, before;
	pages = window_of(p, pages);
	if (!pages)
		return 0;
	a->requests = calloc(pages, sizeof *a->requests);
	if (!a->requests)
		return tide_fail(err, -ENOMEM, "no memory for the pool: free some");
	pthread_mutex_init(&a->lock, NULL);
	sem_init(&a->news, 0, 0);
	a->pages = pages;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&a->thread, NULL, read_ahead, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!rc)
		return 0;
	free(a->requests);
	a->pages = 0;
	return tide_fail(err, -EAGAIN, "no thread to read ahead: end some");
}

void td_pool_ahead_stop(struct td_pool *p)
{
	struct td_pool_ahead *a = &p->ahead;
	if (!a->pages)
		return;
	pthread_mutex_lock(&a->lock);
	a->ends = true;
	pthread_mutex_unlock(&a->lock);
	sem_post(&a->news);
	pthread_join(a->thread, NULL);
	pthread_mutex_destroy(&a->lock);
	sem_destroy(&a->news);
	free(a->requests);
	a->pages = 0;
}
