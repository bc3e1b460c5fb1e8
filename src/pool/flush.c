/* Writes everything dirty to the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"

/* ---- what was written and is clean now may be shared again ---- */

/* Is the block clean, and safe from writes? It is frozen now, or it is on the device. */
static bool is_calm(struct td_pool *p, uint32_t b)
{
	uint64_t word = td_pool_word(p, b);
	if (!(word & TD_PRIVATE) || word & TD_DIRTY)
		return false;
	if (!(word & TD_MAIN))
		return true;
	if (!td_pool_freeze(p, b))
		return false;
	if (!(td_pool_word(p, b) & TD_DIRTY))
		return true;
	td_pool_thaw(p, b);
	return false;
}

static size_t list_calm(struct td_pool *p, struct td_pool_work *w, size_t pages)
{
	size_t n = 0;
	for (size_t k = 0; k < pages; k++) {
		bool wanted =
			w->sources[k] && !w->results[k] && td_pool_region_wants(p, w->pages[k]);
		for (uint32_t i = 0; wanted && i < p->degree; i++) {
			uint32_t b = td_pool_resolve(p, w->pages[k] * p->degree + i);
			if (!is_calm(p, b))
				continue;
			w->hashed[n] = w->sources[k] + (size_t)i * p->block_bytes;
			w->places[n] = (uint32_t)n;
			w->coming[n++] = b;
		}
	}
	return n;
}

static void thaw(struct td_pool *p, uint32_t b)
{
	if (p->blocks[b].in_frame)
		td_pool_thaw(p, b);
}

static void hold_alone(struct td_pool *p, uint32_t b, uint64_t signature)
{
	uint64_t ref = p->blocks[b].owner;
	atomic_fetch_and(&p->blocks[b].word, ~TD_PRIVATE);
	td_pool_hold(p, ref, b, signature);
	thaw(p, b);
}

/* Merges the block into an equal one. That must be in main memory to be compared. */
static void merge(struct td_pool *p, uint32_t b, uint64_t signature, const void *bytes)
{
	uint32_t other = td_pool_index_find(p, signature);
	if (other == TIDE_NIL) {
		hold_alone(p, b, signature);
		return;
	}
	bool here = td_pool_word(p, other) & TD_MAIN && td_pool_takes_more(p, other);
	p->figures.compared_blocks += here;
	if (!here || memcmp(td_pool_bytes_of(p, other), bytes, p->block_bytes) != 0) {
		thaw(p, b);
		return;
	}
	if (p->blocks[b].in_frame)
		td_queue_leave(p, b);
	else
		tide_list_remove(&p->device, td_pool_links(p), b);
	td_pool_share(p, p->blocks[b].owner, other);
	td_pool_block_free(p, b);
	p->figures.shared_blocks++;
}

static void share_written(struct td_pool *p, struct td_pool_work *w, size_t pages)
{
	if (p->dedup == TD_POOL_OFF || (pages + p->queued) * p->degree > p->max_backlog)
		return;
	size_t n = list_calm(p, w, pages);
	pthread_mutex_unlock(&p->lock);
	int rc = td_pool_sign(p, w, n);
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < n; i++)
		if (rc)
			thaw(p, w->coming[i]);
		else
			merge(p, w->coming[i], w->signatures[i], w->hashed[i]);
}

/* ---- flush ---- */

/* One pass over the dirty bits of all blocks. The next flush writes what becomes dirty behind the
 * pass, and what could not be written. */
struct sweep {
	uint64_t bits;    /* the bits of the last word that are still to come */
	uint32_t at, end; /* words */
};

#define SWEEPS 3 /* of a flush beside evictions that fail */

static bool has_more(struct td_pool *p, struct sweep *s)
{
	while (!s->bits && s->at < s->end) {
		_Atomic uint64_t *bits = &p->dirty[s->at++];
		if (atomic_load_explicit(bits, memory_order_relaxed))
			s->bits = atomic_exchange(bits, 0);
	}
	return s->bits != 0;
}

/* The next batch of pages, claimed. Waits for a page only if it is the first: what is claimed is
 * written meanwhile. */
static size_t take_dirty(struct td_pool *p, struct td_pool_work *w, struct sweep *s)
{
	size_t n = 0;
	while (n < p->batch && has_more(p, s)) {
		uint32_t b = (s->at - 1) * 64 + (uint32_t)__builtin_ctzll(s->bits);
		bool dirty = atomic_load(&p->blocks[b].word) & TD_DIRTY;
		uint64_t page = p->blocks[b].owner / p->degree;
		if (!dirty || td_pool_claim(p, w, page)) {
			w->pages[n] = page;
			n += dirty;
			s->bits &= s->bits - 1;
		} else if (n) {
			break;
		} else {
			pthread_cond_wait(&p->news, &p->lock);
		}
	}
	return n;
}

static int compare_pages(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* In the order of the file, so that neighbours are one write. */
int td_pool_flush_pages(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	int rc = 0;
	qsort(w->pages, n, sizeof *w->pages, compare_pages);
	td_pool_write_back(p, w, n);
	for (size_t k = 0; !rc && k < n; k++)
		rc = w->results[k];
	share_written(p, w, n);
	td_pool_unclaim(p, w, n);
	return rc;
}

static int flush_some(struct td_pool *p, struct sweep *s)
{
	pthread_mutex_lock(&p->lock);
	struct td_pool_work *w = td_pool_work_begin(p, p->crews);
	int rc = td_pool_flush_pages(p, w, take_dirty(p, w, s));
	td_pool_work_end(p, w);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* What an eviction or a sync was writing when the sweep came by was not dirty then. */
static void wait_for_writes(struct td_pool *p)
{
	for (uint32_t i = 0; i < p->crews + TD_OTHER_WORKS; i++) {
		const struct td_pool_work *w = &p->works[i];
		uint64_t ended = w->writes_ended;
		while (w->writing && w->writes_ended == ended)
			pthread_cond_wait(&p->news, &p->lock);
	}
}

/* Writes everything dirty. If a write of another crew failed meanwhile, its page may be dirty
 * behind the sweep. */
static int sweep_once(struct td_pool *p, bool *again)
{
	int rc = 0;
	pthread_mutex_lock(&p->lock);
	struct sweep s = {.end = (p->blocks_used + 63) / 64};
	uint64_t failed_writes = p->failed_writes;
	pthread_mutex_unlock(&p->lock);
	while (has_more(p, &s)) {
		int failed = flush_some(p, &s);
		rc = rc ? rc : failed;
	}
	pthread_mutex_lock(&p->lock);
	wait_for_writes(p);
	*again = p->failed_writes != failed_writes;
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* -EIO: writes go on failing, though not those of this flush. */
static int sweep_all(struct td_pool *p)
{
	bool again = true;
	int rc = 0;
	for (unsigned i = 0; again && !rc && i < SWEEPS; i++)
		rc = sweep_once(p, &again);
	return !rc && again ? -EIO : rc;
}

/* If storage could not keep data, the kernel forgets the data, and says so once. The data may have
 * left the pool long ago, so the pool cannot write it again. So no later flush may succeed. */
int td_pool_sync_file(struct td_pool *p)
{
	pthread_mutex_lock(&p->sync_lock);
	if (!p->sync_error)
		p->sync_error = td_io_flush(p->io, &p->file);
	int rc = p->sync_error;
	pthread_mutex_unlock(&p->sync_lock);
	return rc;
}

int td_pool_explain_flush(struct td_pool *p, int rc, struct tide_error *err)
{
	pthread_mutex_lock(&p->sync_lock);
	bool lost = p->sync_error;
	pthread_mutex_unlock(&p->sync_lock);
	if (lost)
		return tide_fail(err, rc,
				 "%s: the storage lost what was written: %s: repair it, and open "
				 "the pool again",
				 p->file.name, strerror(-rc));
	return tide_fail(err, rc,
			 "%s cannot be written: %s; its pages are kept: make room or repair it, "
			 "and flush again",
			 p->file.name, strerror(-rc));
}

int td_pool_flush(struct td_pool *p, struct tide_error *err)
{
	pthread_mutex_lock(&p->lock);
	p->flushing++;
	p->figures.flushes++;
	pthread_mutex_unlock(&p->lock);
	pthread_mutex_lock(&p->flush_lock);
	int rc = sweep_all(p), failed = td_pool_sync_file(p);
	rc = rc ? rc : failed;
	rc = rc ? td_pool_explain_flush(p, rc, err) : 0;
	pthread_mutex_unlock(&p->flush_lock);
	pthread_mutex_lock(&p->lock);
	p->flushing--;
	pthread_cond_broadcast(&p->news);
	pthread_mutex_unlock(&p->lock);
	return rc;
}
