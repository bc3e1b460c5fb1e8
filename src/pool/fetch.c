/* Fetches what a batch lacks from the device and from the file, and signs what is new. */
#include <string.h>

#include "core/clock.h"
#include "inside.h"

#define READ_BYTES ((size_t)1 << 18) /* neighbours read together, at most */

/* ---- the device ---- */

static void device_begin(struct td_pool *p)
{
	if (!p->device_ops->parallel)
		pthread_mutex_lock(&p->device_lock);
}

static void device_end(struct td_pool *p)
{
	if (!p->device_ops->parallel)
		pthread_mutex_unlock(&p->device_lock);
}

int td_pool_gather(struct td_pool *p, struct td_pool_work *w, size_t first, size_t n)
{
	if (!n)
		return 0;
	uint64_t start = td_clock_ns();
	device_begin(p);
	int rc = p->device_ops->gather(p->device_state, w->slots + first, w->host + first, n);
	device_end(p);
	w->spent.device_ns += td_clock_ns() - start;
	w->spent.gathers++;
	w->spent.gathered_bytes += n * p->block_bytes;
	return rc;
}

int td_pool_scatter(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	uint64_t start = td_clock_ns();
	device_begin(p);
	int rc = p->device_ops->scatter(p->device_state, w->slots, (const void *const *)w->host, n);
	device_end(p);
	w->spent.device_ns += td_clock_ns() - start;
	w->spent.scatters++;
	w->spent.scattered_bytes += n * p->block_bytes;
	return rc;
}

/* ---- the file ---- */

/* Items from i on that are neighbours in the file, and read by one request. */
static size_t run_of(const struct td_pool *p, const struct td_pool_work *w, size_t i)
{
	size_t n = 1, most = READ_BYTES / p->page_bytes;
	while (n < most && i + n < w->n && w->items[i + n].read &&
	       w->items[i + n].page == w->items[i].page + n)
		n++;
	return n;
}

static void list_read(struct td_pool *p, struct td_io_request *io, uint64_t page, void *to,
		      size_t pages)
{
	*io = (struct td_io_request){.file = &p->file,
				     .offset = page * p->page_bytes,
				     .addr = to,
				     .bytes = pages * p->page_bytes};
}

/* Frames are in no order, so neighbours are read into the staging memory of their crew. */
static size_t start_reads(struct td_pool *p, struct td_pool_work *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n; i += w->items[i].run) {
		struct td_pool_item *item = &w->items[i];
		item->run = item->read ? run_of(p, w, i) : 1;
		if (!item->read)
			continue;
		void *staged = w->staging + i * p->page_bytes;
		list_read(p, &item->io, item->page, item->run > 1 ? staged : item->data, item->run);
		w->started[n++] = &item->io;
	}
	if (n > 1)
		td_io_start(p->io, w->started, n);
	return n;
}

/* A page that cannot be read must not fail its neighbours. */
static void read_each(struct td_pool *p, struct td_pool_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		list_read(p, &items[i].io, items[i].page, items[i].data, 1);
		items[i].rc = td_io_now(p->io, &items[i].io);
	}
}

static void finish_run(struct td_pool *p, struct td_pool_work *w, size_t i)
{
	struct td_pool_item *items = &w->items[i];
	size_t n = items->run;
	if (n == 1 || items->io.result) {
		items->rc = items->read ? items->io.result : 0;
		if (n > 1)
			read_each(p, items, n);
		return;
	}
	for (size_t k = 0; k < n; k++) {
		const unsigned char *staged = w->staging + (i + k) * p->page_bytes;
		if (items[k].data != staged)
			memcpy(items[k].data, staged, p->page_bytes);
	}
}

static void finish_reads(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	uint64_t start = td_clock_ns();
	if (n == 1)
		td_io_now(p->io, w->started[0]);
	for (size_t i = 0; n > 1 && i < n; i++)
		td_io_wait(p->io, w->started[i]);
	for (size_t i = 0; i < w->n; i += w->items[i].run)
		finish_run(p, w, i);
	w->spent.file_ns += n ? td_clock_ns() - start : 0;
}

/* ---- signatures ---- */

int td_pool_sign(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	if (!n)
		return 0;
	uint64_t start = td_clock_ns();
	device_begin(p);
	int rc = p->device_ops->hash(p->device_state, p->hash, w->hashed, n, w->found);
	device_end(p);
	w->spent.hash_ns += td_clock_ns() - start;
	w->spent.hashed_blocks += n;
	for (size_t i = 0; !rc && i < n; i++)
		w->signatures[w->places[i]] = w->found[i].at[0] | 1;
	return rc;
}

/* The signatures of one page's blocks: those that are remembered, and those to be computed. */
static size_t list_blocks(struct td_pool *p, struct td_pool_work *w, size_t i, size_t n)
{
	struct td_pool_item *item = &w->items[i];
	for (uint32_t k = 0; k < p->degree; k++) {
		size_t place = i * p->degree + k;
		w->signatures[place] = td_pool_signature_of(p, item->page * p->degree + k);
		if (w->signatures[place]) {
			p->figures.known_blocks++;
			continue;
		}
		w->hashed[n] = item->data + (size_t)k * p->block_bytes;
		w->places[n++] = (uint32_t)place;
	}
	return n;
}

/* If too many blocks wait for signatures, a page comes in unshared rather than late. This does not
 * apply to pages whose signatures are known. */
static bool is_too_much(const struct td_pool *p, uint64_t page, size_t before)
{
	size_t n = 0;
	if (before + p->degree <= p->max_backlog)
		return false;
	for (uint32_t k = 0; k < p->degree; k++)
		n += !td_pool_signature_of(p, page * p->degree + k);
	return n && before + n > p->max_backlog;
}

static size_t list_unsigned(struct td_pool *p, struct td_pool_work *w)
{
	size_t n = 0, behind = p->queued * p->degree;
	for (size_t i = 0; i < w->n; i++) {
		struct td_pool_item *item = &w->items[i];
		if (!item->share || item->rc)
			continue;
		if (is_too_much(p, item->page, n + behind)) {
			item->share = false;
			p->figures.unshared_blocks += p->degree;
			continue;
		}
		n = list_blocks(p, w, i, n);
	}
	return n;
}

static void share_none(struct td_pool_work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->items[i].share = false;
}

/* ---- what might be equal, and is on the device ---- */

/* Busy until it was compared. What another crew compares or moves does not count as equal. */
static void list_candidate(struct td_pool *p, struct td_pool_work *w, size_t place)
{
	uint32_t b = td_pool_index_find(p, w->signatures[place]);
	if (b == TIDE_NIL || !(td_pool_word(p, b) & TD_DEVICE) ||
	    (p->blocks[b].busy && p->blocks[b].busy != w->id))
		return;
	p->blocks[b].busy = w->id;
	w->candidates[place] = b;
	w->slots[w->candidates_n] = p->blocks[b].slot;
	w->host[w->candidates_n++] = w->compare + place * p->block_bytes;
}

static void list_candidates(struct td_pool *p, struct td_pool_work *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (uint32_t k = 0; k < p->degree; k++) {
			w->candidates[i * p->degree + k] = TIDE_NIL;
			if (w->items[i].share && !w->items[i].rc)
				list_candidate(p, w, i * p->degree + k);
		}
}

static void fetch_candidates(struct td_pool *p, struct td_pool_work *w)
{
	list_candidates(p, w);
	if (!w->candidates_n)
		return;
	pthread_mutex_unlock(&p->lock);
	int rc = td_pool_gather(p, w, 0, w->candidates_n);
	pthread_mutex_lock(&p->lock);
	if (rc)
		share_none(w);
}

/* ---- a batch ---- */

void td_pool_fetch(struct td_pool *p, struct td_pool_work *w)
{
	pthread_mutex_unlock(&p->lock);
	size_t reads = start_reads(p, w);
	w->coming_rc = td_pool_gather(p, w, 0, w->coming_n);
	finish_reads(p, w, reads);
	pthread_mutex_lock(&p->lock);
	if (w->coming_rc)
		td_pool_rescue(p, w);
	if (p->dedup == TD_POOL_OFF)
		return;
	size_t n = list_unsigned(p, w);
	if (n) {
		pthread_mutex_unlock(&p->lock);
		int rc = td_pool_sign(p, w, n);
		pthread_mutex_lock(&p->lock);
		if (rc)
			share_none(w);
	}
	fetch_candidates(p, w);
}
