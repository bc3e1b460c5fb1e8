/* The writing thread: writes dirty pages before a flush or an eviction has to, so that both have
 * little to do. It begins when half of what may be dirty is dirty, and ends below that. Callers
 * that write faster wait for it where more is dirty than may be.
 *
 * It writes as a flush does, with the flush's crew, one batch at a time, and never beside a flush:
 * a flush that waits comes first. It goes round all blocks, so a page that is written again and
 * again is written to the file once per round. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "inside.h"

#define PAUSE_SECONDS 1 /* after an error of the file */

/* ---- how much is dirty ---- */

static int64_t begin_at(const struct td_pool *p)
{
	return p->dirty_max / 2 + 1;
}

static bool has_work(const struct td_pool *p)
{
	return atomic_load(&p->dirty_blocks) >= begin_at(p);
}

void td_pool_count_dirty(struct td_pool *p)
{
	int64_t now = atomic_fetch_add(&p->dirty_blocks, 1) + 1;
	if (p->dirty_max && now == begin_at(p))
		sem_post(&p->writer_news);
}

static bool is_too_dirty(const struct td_pool *p)
{
	return atomic_load_explicit(&p->dirty_blocks, memory_order_relaxed) > p->dirty_max;
}

/* No caller waits for a file that cannot be written: then memory takes what it can. */
void td_pool_heed_bound(struct td_pool *p)
{
	if (!p->dirty_max || !is_too_dirty(p))
		return;
	pthread_mutex_lock(&p->lock);
	while (is_too_dirty(p) && p->has_writer && !p->writer_failed)
		pthread_cond_wait(&p->news, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

/* ---- a batch ---- */

/* Claims dirty pages of 64 blocks. What another crew works on keeps its bit. */
static size_t take_word(struct td_pool *p, struct td_pool_work *w, uint32_t at, size_t n)
{
	uint64_t bits = atomic_exchange(&p->dirty[at], 0), left = 0;
	for (; bits; bits &= bits - 1) {
		uint32_t b = at * 64 + (uint32_t)__builtin_ctzll(bits);
		uint64_t page = p->blocks[b].owner / p->degree;
		if (!(atomic_load(&p->blocks[b].word) & TD_DIRTY))
			continue;
		if (n < p->batch && td_pool_claim(p, w, page))
			w->pages[n++] = page;
		else
			left |= bits & -bits;
	}
	if (left)
		atomic_fetch_or(&p->dirty[at], left);
	return n;
}

/* From where the last batch ended. */
static size_t take_some(struct td_pool *p, struct td_pool_work *w)
{
	uint32_t words = (p->blocks_used + 63) / 64;
	size_t n = 0;
	for (uint32_t i = 0; i < words && n < p->batch; i++) {
		p->writer_at = p->writer_at < words ? p->writer_at : 0;
		if (atomic_load_explicit(&p->dirty[p->writer_at], memory_order_relaxed))
			n = take_word(p, w, p->writer_at, n);
		p->writer_at += n < p->batch;
	}
	return n;
}

/* With flush_lock: while bits are taken off, no flush looks at them. */
static int write_some(struct td_pool *p, size_t *n)
{
	pthread_mutex_lock(&p->lock);
	struct td_pool_work *w = td_pool_work_begin(p, p->crews);
	*n = take_some(p, w);
	int rc = *n ? td_pool_flush_pages(p, w, *n) : 0;
	p->figures.background_pages += rc ? 0 : *n;
	p->writer_failed = rc != 0;
	td_pool_work_end(p, w);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* ---- the thread ---- */

static void let_flushes_first(struct td_pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->flushing)
		pthread_cond_wait(&p->news, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

/* True: there may be more to do, and it can be done. */
static bool step(struct td_pool *p)
{
	size_t n;
	let_flushes_first(p);
	pthread_mutex_lock(&p->flush_lock);
	int rc = write_some(p, &n);
	pthread_mutex_unlock(&p->flush_lock);
	return !rc && n;
}

/* After an error, or where other crews have all that is dirty. */
static void rest(struct td_pool *p)
{
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (p->writer_failed)
		end.tv_sec += PAUSE_SECONDS;
	else
		end.tv_nsec += 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	while (sem_clockwait(&p->writer_news, CLOCK_MONOTONIC, &end) && errno == EINTR)
		;
}

static void *write_behind(void *arg)
{
	struct td_pool *p = arg;
	while (!atomic_load(&p->writer_ends))
		if (!has_work(p))
			while (sem_wait(&p->writer_news) && errno == EINTR)
				;
		else if (!step(p))
			rest(p);
	return NULL;
}

int td_pool_writer_start(struct td_pool *p, struct tide_error *err)
{
	sigset_t all, before;
	if (!p->dirty_max || p->read_only)
		return 0;
	sem_init(&p->writer_news, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	p->has_writer = !pthread_create(&p->writer, NULL, write_behind, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return p->has_writer ? 0 : tide_fail(err, -EAGAIN, "no thread to write: end some");
}

void td_pool_writer_stop(struct td_pool *p)
{
	if (!p->has_writer)
		return;
	atomic_store(&p->writer_ends, true);
	sem_post(&p->writer_news);
	pthread_join(p->writer, NULL);
	p->has_writer = false;
	sem_destroy(&p->writer_news);
}
