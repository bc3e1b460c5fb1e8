/* Makes one range durable: writes its dirty pages, and waits until the storage has them. What else
 * is dirty stays so. */
#include "inside.h"

#define WALKED 4096 /* pages that are looked at before other threads have their turn */

/* Another crew may be writing the page, or have a dirty block of it on its way. */
static bool is_elsewhere(struct td_pool *p, const struct td_pool_work *w, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b != TIDE_NIL && p->blocks[b].busy && p->blocks[b].busy != w->id)
			return true;
	}
	return false;
}

static bool is_dirty(struct td_pool *p, uint64_t page)
{
	uint32_t b = td_pool_resolve(p, page * p->degree);
	return b != TIDE_NIL && td_pool_word(p, b) & TD_DIRTY;
}

/* Claims dirty pages from *page on, at most a batch. Waits for a page only if it is the first. */
static size_t claim_pages(struct td_pool *p, struct td_pool_work *w, uint64_t *page, uint64_t end)
{
	size_t n = 0;
	end = end - *page < WALKED ? end : *page + WALKED;
	while (n < p->batch && *page < end) {
		if (is_elsewhere(p, w, *page)) {
			if (n)
				break;
			pthread_cond_wait(&p->news, &p->lock);
			continue;
		}
		if (is_dirty(p, *page)) {
			bool claimed = td_pool_claim(p, w, *page);
			td_assert(claimed); /* what is dirty is there as a whole */
			w->pages[n] = *page;
			n += claimed;
		}
		++*page;
	}
	return n;
}

static int write_some(struct td_pool *p, uint64_t *page, uint64_t end)
{
	pthread_mutex_lock(&p->lock);
	struct td_pool_work *w = td_pool_work_begin(p, p->crews + 1);
	size_t n = claim_pages(p, w, page, end);
	int rc = n ? td_pool_flush_pages(p, w, n) : 0;
	td_pool_work_end(p, w);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* What is dirty, or was and is being written, is in a private block until the file has it. */
static bool may_be_dirty(const struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint64_t ref = atomic_load_explicit(td_pool_ref_at(p, page * p->degree + i),
						    memory_order_acquire);
		uint64_t word = td_pool_word(p, (uint32_t)(ref >> 32));
		if (word >> 32 == (uint32_t)ref && word & TD_PRIVATE)
			return true;
	}
	return false;
}

/* Without the lock: of a range of gigabytes, most pages are absent. */
static uint64_t next_page(const struct td_pool *p, uint64_t page, uint64_t end)
{
	while (page < end && !may_be_dirty(p, page))
		page++;
	return page;
}

static int write_range(struct td_pool *p, uint64_t page, uint64_t end)
{
	int rc = 0;
	pthread_mutex_lock(&p->range_lock);
	while ((page = next_page(p, page, end)) < end) {
		int failed = write_some(p, &page, end);
		rc = rc ? rc : failed;
	}
	pthread_mutex_unlock(&p->range_lock);
	return rc;
}

int td_pool_sync(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = td_pool_check_range(p, offset, bytes, false, err);
	if (rc || !bytes)
		return rc;
	rc = write_range(p, offset / p->page_bytes, (offset + bytes - 1) / p->page_bytes + 1);
	int failed = td_pool_sync_file(p);
	rc = rc ? rc : failed;
	return rc ? td_pool_explain_flush(p, rc, err) : 0;
}
