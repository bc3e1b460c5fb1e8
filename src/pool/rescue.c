/* What is done where a device fails, or is so full that a page has no frame. What is looked at here
 * is busy for this crew, so it does not change its place. What is clean, the file has: a page that
 * is being written is busy for the crew that writes it. */
#include <string.h>

#include "inside.h"

void td_pool_gather_each(struct td_pool *p, struct td_pool_work *w, size_t n, int rc)
{
	for (size_t i = 0; i < n; i++)
		w->came[i] = n > 1 ? td_pool_gather(p, w, i, 1) : rc;
}

/* ---- blocks that did not come ---- */

static uint64_t ref_of(const struct td_pool *p, const struct td_pool_work *w, size_t item,
		       uint32_t k)
{
	return w->items[item].page * p->degree + k;
}

/* Which of work.coming that block of the item is, if it did not come and is clean; else coming_n.
 */
static size_t find_lost(struct td_pool *p, const struct td_pool_work *w, size_t item, uint32_t k)
{
	uint32_t b = td_pool_resolve(p, ref_of(p, w, item, k));
	size_t i = 0;
	if (b == TIDE_NIL || td_pool_word(p, b) & (TD_MAIN | TD_DIRTY))
		return w->coming_n;
	while (i < w->coming_n && (w->coming[i] != b || !w->came[i]))
		i++;
	return i;
}

static bool has_lost(struct td_pool *p, const struct td_pool_work *w, size_t item)
{
	for (uint32_t k = 0; k < p->degree; k++)
		if (find_lost(p, w, item, k) < w->coming_n)
			return true;
	return false;
}

static int read_page(struct td_pool *p, uint64_t page, void *to)
{
	struct td_io_request io = {.file = &p->file,
				   .offset = page * p->page_bytes,
				   .addr = to,
				   .bytes = p->page_bytes};
	p->counts.tier3_reads++;
	pthread_mutex_unlock(&p->lock);
	td_io_now(p->io, &io);
	pthread_mutex_lock(&p->lock);
	return io.result;
}

static void rescue_item(struct td_pool *p, struct td_pool_work *w, size_t item)
{
	unsigned char *page = w->staging + item * p->page_bytes;
	int rc = w->items[item].read ? w->items[item].rc : read_page(p, w->items[item].page, page);
	for (uint32_t k = 0; !rc && k < p->degree; k++) {
		size_t i = find_lost(p, w, item, k);
		if (i == w->coming_n)
			continue;
		memcpy(td_pool_frame(p, w->frames[i]), page + (size_t)k * p->block_bytes,
		       p->block_bytes);
		w->came[i] = 0;
	}
}

void td_pool_rescue(struct td_pool *p, struct td_pool_work *w)
{
	pthread_mutex_unlock(&p->lock);
	td_pool_gather_each(p, w, w->coming_n, w->coming_rc);
	pthread_mutex_lock(&p->lock);
	for (size_t item = 0; item < w->n; item++)
		if (has_lost(p, w, item))
			rescue_item(p, w, item);
}

/* ---- past the cache ---- */

/* The bytes of blocks in main memory are copied, those on the device are to be gathered: how many.
 */
static size_t list_held(struct td_pool *p, struct td_pool_work *w, uint64_t page)
{
	size_t n = 0;
	for (uint32_t k = 0; k < p->degree; k++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + k);
		unsigned char *to = w->staging + (size_t)k * p->block_bytes;
		if (td_pool_word(p, b) & TD_MAIN) {
			memcpy(to, td_pool_bytes_of(p, b), p->block_bytes);
			continue;
		}
		w->slots[n] = p->blocks[b].slot;
		w->host[n++] = to;
	}
	return n;
}

/* A flush may be at work, and writes what it has made busy. It waits for no crew. */
static bool claim(struct td_pool *p, struct td_pool_work *w, uint64_t page)
{
	while (!td_pool_claim(p, w, page)) {
		for (uint32_t k = 0; k < p->degree; k++)
			if (td_pool_resolve(p, page * p->degree + k) == TIDE_NIL)
				return false;
		pthread_cond_wait(&p->news, &p->lock);
	}
	return true;
}

static int gather_page(struct td_pool *p, struct td_pool_work *w, uint64_t page)
{
	size_t n = list_held(p, w, page);
	pthread_mutex_unlock(&p->lock);
	int rc = td_pool_gather(p, w, 0, n);
	pthread_mutex_lock(&p->lock);
	w->pages[0] = page;
	td_pool_unclaim(p, w, 1);
	td_pool_tell_news(p);
	return rc;
}

/* A page that is not in memory as a whole is clean, so the file has it. If a caller writes it
 * meanwhile, this read is at the same time as that write. */
int td_pool_read_past(struct td_pool *p, struct td_pool_work *w, const struct td_pool_request *r)
{
	if (r->write || r->pinned)
		return w->write_error;
	bool held = claim(p, w, r->page);
	p->past_reads++;
	p->counts.accesses++;
	p->counts.faults++;
	p->counts.tier2_hits += held;
	p->counts.tier2_misses += !held;
	int rc = held ? gather_page(p, w, r->page) : read_page(p, r->page, w->staging);
	if (!rc)
		memcpy(r->to, w->staging + r->at, r->n);
	return rc;
}
