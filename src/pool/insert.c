/* Puts what a batch brought into main memory, and serves its requests, in their order. So equal
 * blocks of one batch find each other, and the queue is as if the requests had come one by one. The
 * crew holds the lock. */
#include <errno.h>
#include <string.h>

#include "queue.h"

static void arrive(struct td_pool *p, uint32_t b, uint32_t frame)
{
	td_pool_give_slot(p, p->blocks[b].slot);
	p->blocks[b].busy = 0;
	td_pool_to_main(p, b, frame);
}

static void stay_on_device(struct td_pool *p, uint32_t b)
{
	td_assert(!p->blocks[b].in_frame && !(td_pool_word(p, b) & (TD_MAIN | TD_DEVICE)));
	p->blocks[b].busy = 0;
	atomic_fetch_or(&p->blocks[b].word, TD_DEVICE);
	td_queue_enter_device(p, b);
}

static void arrive_all(struct td_pool *p, struct td_pool_work *w)
{
	for (size_t i = 0; i < w->coming_n; i++) {
		if (!w->coming_rc || !w->came[i]) {
			arrive(p, w->coming[i], w->frames[i]);
			continue;
		}
		td_pool_give_frame(p, w->frames[i]);
		stay_on_device(p, w->coming[i]);
	}
}

/* ---- a block that was read ---- */

/* The crew's own: what is still reserved is other crews'. */
static uint32_t take_reserved(struct td_pool *p)
{
	td_assert(p->frames_n > p->reserved);
	return td_pool_take_frame(p);
}

static uint32_t take_frame(struct td_pool *p, struct td_pool_item *item, const unsigned char *bytes)
{
	uint32_t frame = item->frame;
	if (frame != TIDE_NIL) {
		item->frame = TIDE_NIL;
		return frame;
	}
	frame = take_reserved(p);
	memcpy(td_pool_frame(p, frame), bytes, p->block_bytes);
	return frame;
}

/* Its bytes, if they can be had here: in main memory, or fetched for comparison. */
static const unsigned char *bytes_to_compare(struct td_pool *p, const struct td_pool_work *w,
					     uint32_t b, size_t place)
{
	if (td_pool_word(p, b) & TD_MAIN)
		return td_pool_bytes_of(p, b);
	return w->candidates[place] == b ? w->compare + place * p->block_bytes : NULL;
}

static bool is_equal(struct td_pool *p, const struct td_pool_work *w, uint32_t b, size_t place,
		     const unsigned char *bytes)
{
	const unsigned char *other = bytes_to_compare(p, w, b, place);
	p->figures.compared_blocks += other != NULL;
	return other && memcmp(other, bytes, p->block_bytes) == 0;
}

/* An equal one on the device need not be fetched: its bytes are here. */
static bool try_share(struct td_pool *p, struct td_pool_item *item, size_t place, uint64_t ref,
		      const unsigned char *bytes)
{
	uint32_t b = td_pool_index_find(p, item->crew->signatures[place]);
	if (b == TIDE_NIL || !td_pool_takes_more(p, b) || !is_equal(p, item->crew, b, place, bytes))
		return false;
	if (td_pool_word(p, b) & TD_DEVICE) {
		tide_list_remove(&p->device, td_pool_links(p), b);
		atomic_fetch_and(&p->blocks[b].word, ~TD_DEVICE);
		arrive(p, b, take_frame(p, item, bytes));
	}
	td_pool_share(p, ref, b);
	p->figures.shared_blocks++;
	return true;
}

/* Pages known to be equal; others are not worth a place in the index where sharing does not pay. */
static bool has_equals(const struct td_pool *p, uint64_t ref)
{
	uint32_t content = td_pool_content_of(p, ref);
	return content != TIDE_NIL && p->contents[content].links > 1;
}

static void place_block(struct td_pool *p, struct td_pool_item *item, size_t place, uint64_t ref,
			const unsigned char *bytes)
{
	bool shared = item->share && try_share(p, item, place, ref, bytes);
	if (item->share)
		td_pool_region_hashed(p, item->page, has_equals(p, ref));
	if (shared)
		return;
	uint32_t b = td_pool_block_new(p, take_frame(p, item, bytes));
	if (item->share || (!item->first->write && has_equals(p, ref))) {
		uint64_t known = td_pool_signature_of(p, ref);
		td_pool_hold(p, ref, b, known ? known : item->crew->signatures[place]);
		td_pool_thaw(p, b);
		return;
	}
	td_pool_unlink(p, ref);
	td_pool_block_own(p, b, ref);
}

static void place_page(struct td_pool *p, struct td_pool_item *item, size_t i)
{
	for (uint32_t k = 0; k < p->degree; k++) {
		uint64_t ref = item->page * p->degree + k;
		const unsigned char *bytes = item->data + (size_t)k * p->block_bytes;
		if (td_pool_resolve(p, ref) == TIDE_NIL)
			place_block(p, item, i * p->degree + k, ref, bytes);
	}
}

/* Absent, and overwritten as a whole. */
static void place_fresh(struct td_pool *p, struct td_pool_item *item)
{
	const unsigned char *bytes = item->first->from;
	for (uint32_t k = 0; k < p->degree; k++) {
		uint64_t ref = item->page * p->degree + k;
		if (td_pool_resolve(p, ref) != TIDE_NIL)
			continue;
		uint32_t frame = take_reserved(p);
		memcpy(td_pool_frame(p, frame), bytes + (size_t)k * p->block_bytes, p->block_bytes);
		td_pool_unlink(p, ref);
		td_pool_block_own(p, td_pool_block_new(p, frame), ref);
	}
}

/* ---- requests ---- */

static void again(struct td_pool *p, struct td_pool_request *r)
{
	r->next = p->queue;
	if (!p->queue)
		p->queue_end = &r->next;
	p->queue = r;
	p->queued++;
	p->retry = true;
}

static void serve_item(struct td_pool *p, struct td_pool_item *item)
{
	struct td_pool_request *next;
	for (struct td_pool_request *r = item->first; r; r = next) {
		next = r->sibling;
		int rc = item->rc ? item->rc : td_pool_serve(p, r, true);
		if (rc == -EAGAIN && !item->rc) /* not the storage's: that would be for ever */
			again(p, r);
		else
			td_pool_finish(p, item->crew, r, rc);
	}
}

/* A shared block may have come with another page, and left again. */
static bool is_here(struct td_pool *p, uint64_t page)
{
	if (!p->has_links)
		return true;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b == TIDE_NIL || !(td_pool_word(p, b) & TD_MAIN))
			return false;
	}
	return true;
}

static void queue_again(struct td_pool *p, struct td_pool_item *item)
{
	struct td_pool_request *next;
	for (struct td_pool_request *r = item->first; r; r = next) {
		next = r->sibling;
		again(p, r);
	}
}

static bool is_on_device(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b != TIDE_NIL && td_pool_word(p, b) & TD_DEVICE)
			return true;
	}
	return false;
}

/* A page of which a block stayed on the device gets no new ones either: it is as it was. */
static void insert_item(struct td_pool *p, struct td_pool_item *item)
{
	struct td_pool_work *w = item->crew;
	if (!item->rc && w->coming_rc && is_on_device(p, item->page))
		item->rc = w->coming_rc;
	if (item->read && !item->rc)
		place_page(p, item, (size_t)(item - w->items));
	else if (item->fresh && !item->rc)
		place_fresh(p, item);
	if (item->frame != TIDE_NIL)
		td_pool_give_frame(p, item->frame);
	td_pool_item_done(p, item);
	if (item->rc || is_here(p, item->page))
		serve_item(p, item);
	else
		queue_again(p, item);
}

/* Other crews may have its blocks again. */
static void let_go(struct td_pool *p, const struct td_pool_work *w, const uint32_t *blocks)
{
	for (size_t place = 0; place < w->n * p->degree; place++) {
		uint32_t b = blocks[place];
		if (b != TIDE_NIL && p->blocks[b].busy == w->id)
			p->blocks[b].busy = 0;
	}
}

static void unpin_held(struct td_pool *p, const struct td_pool_work *w)
{
	for (size_t place = 0; place < w->n * p->degree; place++)
		if (w->held[place] != TIDE_NIL)
			td_pool_release(p, w->held[place], false);
}

/* Frames that are left over are free when it ends. */
void td_pool_insert(struct td_pool *p, struct td_pool_work *w)
{
	td_pool_drain(p);
	p->reserved -= w->reserved;
	w->reserved = 0;
	unpin_held(p, w);
	arrive_all(p, w);
	for (size_t i = 0; i < w->n; i++)
		insert_item(p, &w->items[i]);
	if (w->candidates_n)
		let_go(p, w, w->candidates);
	td_assert(p->reserved <= p->frames_n);
	td_pool_tell_news(p);
}
