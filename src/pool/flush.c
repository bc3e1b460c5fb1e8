/* Writes everything dirty to the file, and forgets what is trimmed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "inside.h"

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

static size_t list_calm(struct td_pool *p, size_t pages)
{
	struct td_pool_work *w = &p->work;
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
		tide_list_remove(&p->main, td_pool_links(p), b);
	else
		tide_list_remove(&p->device, td_pool_links(p), b);
	td_pool_share(p, p->blocks[b].owner, other);
	td_pool_block_free(p, b);
	p->figures.shared_blocks++;
}

static void share_written(struct td_pool *p, size_t pages)
{
	struct td_pool_work *w = &p->work;
	if (p->dedup == TD_POOL_OFF || (pages + p->queued) * p->degree > p->max_backlog)
		return;
	size_t n = list_calm(p, pages);
	pthread_mutex_unlock(&p->lock);
	int rc = td_pool_sign(p, n);
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

static bool has_more(struct td_pool *p, struct sweep *s)
{
	while (!s->bits && s->at < s->end) {
		_Atomic uint64_t *bits = &p->dirty[s->at++];
		if (atomic_load_explicit(bits, memory_order_relaxed))
			s->bits = atomic_exchange(bits, 0);
	}
	return s->bits != 0;
}

/* The next batch of pages. */
static size_t take_dirty(struct td_pool *p, struct sweep *s)
{
	struct td_pool_work *w = &p->work;
	size_t n = 0;
	for (; n < p->batch && has_more(p, s); s->bits &= s->bits - 1) {
		uint32_t b = (s->at - 1) * 64 + (uint32_t)__builtin_ctzll(s->bits);
		if (atomic_load(&p->blocks[b].word) & TD_DIRTY)
			w->pages[n++] = p->blocks[b].owner / p->degree;
	}
	return n;
}

static int flush_some(struct td_pool *p, struct sweep *s)
{
	int rc = 0;
	pthread_mutex_lock(&p->lock);
	td_pool_lead_begin(p);
	size_t n = take_dirty(p, s);
	td_pool_write_back(p, n);
	for (size_t k = 0; !rc && k < n; k++)
		rc = p->work.results[k];
	share_written(p, n);
	td_pool_lead_end(p);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* If storage could not keep data, the kernel forgets the data, and says so once. The data may have
 * left the pool long ago, so the pool cannot write it again. So no later flush may succeed. */
static int sync_file(struct td_pool *p)
{
	if (!p->sync_error)
		p->sync_error = td_io_flush(p->io, &p->file);
	return p->sync_error;
}

static int explain(const struct td_pool *p, int rc, struct tide_error *err)
{
	if (p->sync_error)
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
	int rc = 0, failed;
	pthread_mutex_lock(&p->flush_lock);
	pthread_mutex_lock(&p->lock);
	p->figures.flushes++;
	struct sweep s = {.end = (p->blocks_used + 63) / 64};
	pthread_mutex_unlock(&p->lock);
	while (has_more(p, &s)) {
		failed = flush_some(p, &s);
		rc = rc ? rc : failed;
	}
	failed = sync_file(p);
	rc = rc ? rc : failed;
	rc = rc ? explain(p, rc, err) : 0;
	pthread_mutex_unlock(&p->flush_lock);
	return rc;
}

/* ---- trim ---- */

#define PAGES_AT_ONCE 256

/* The caller is the leader, so no page is read or written meanwhile. Pinned pages stay. */
static size_t forget_pages(struct td_pool *p, uint64_t first, uint64_t end, uint64_t *pinned)
{
	size_t n = 0;
	for (uint64_t page = first; page < end; page++)
		if (!td_pool_forget(p, page))
			pinned[n++] = page;
	return n;
}

static int punch(const struct td_pool *p, uint64_t first, uint64_t end)
{
	int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, rc;
	do
		rc = fallocate(p->file.fd, how, (off_t)(first * p->page_bytes),
			       (off_t)((end - first) * p->page_bytes));
	while (rc && errno == EINTR);
	return rc;
}

static int zero_pages(struct td_pool *p, uint64_t first, uint64_t end, struct tide_error *err)
{
	return td_pool_write(p, NULL, (end - first) * p->page_bytes, first * p->page_bytes, err);
}

static bool has_window(struct td_pool *p, uint64_t first, uint64_t end)
{
	for (uint64_t page = first; page < end; page++)
		if (td_pool_window_find(p, page))
			return true;
	return false;
}

/* A thread needs only the lock to pin a page of several blocks. No page may be pinned meanwhile:
 * putting zeros into shared blocks may fail, and then the file must not have the zeros already. So
 * the lock is kept here. */
static bool try_punch(struct td_pool *p, uint64_t first, uint64_t end)
{
	if (p->degree > 1)
		return !has_window(p, first, end) && !punch(p, first, end);
	pthread_mutex_unlock(&p->lock);
	bool punched = !punch(p, first, end);
	pthread_mutex_lock(&p->lock);
	return punched;
}

/* Pages in memory are forgotten only when the file has no more of them. If the file system cannot
 * punch holes, zeros are written, which may fail. */
static int trim_some(struct td_pool *p, uint64_t first, uint64_t end, struct tide_error *err)
{
	uint64_t pinned[PAGES_AT_ONCE];
	int rc = 0;
	pthread_mutex_lock(&p->lock);
	td_pool_lead_begin(p);
	bool punched = try_punch(p, first, end);
	size_t n = punched ? forget_pages(p, first, end, pinned) : 0;
	td_pool_lead_end(p);
	pthread_mutex_unlock(&p->lock);
	if (!punched)
		return zero_pages(p, first, end, err);
	for (size_t i = 0; !rc && i < n; i++)
		rc = zero_pages(p, pinned[i], pinned[i] + 1, err);
	return rc;
}

static int trim_pages(struct td_pool *p, uint64_t page, uint64_t end, struct tide_error *err)
{
	int rc = 0;
	for (; !rc && page < end; page += PAGES_AT_ONCE) {
		uint64_t stop = end - page < PAGES_AT_ONCE ? end : page + PAGES_AT_ONCE;
		rc = trim_some(p, page, stop, err);
	}
	return rc;
}

int td_pool_trim(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	uint64_t size = td_pool_bytes(p);
	if (p->read_only || offset > size || bytes > size - offset)
		return td_pool_write(p, NULL, bytes, offset, err); /* says what is wrong */
	uint64_t first = (offset + p->page_bytes - 1) / p->page_bytes;
	uint64_t last = (offset + bytes) / p->page_bytes;
	if (first >= last)
		return td_pool_write(p, NULL, bytes, offset, err);
	uint64_t from = first * p->page_bytes, to = last * p->page_bytes;
	int rc = td_pool_write(p, NULL, from - offset, offset, err);
	if (!rc)
		rc = td_pool_write(p, NULL, offset + bytes - to, to, err);
	return rc ? rc : trim_pages(p, first, last, err);
}
