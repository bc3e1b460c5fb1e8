/* Finds the pages of a batch, and what each of them lacks. The leader holds the lock. */
#include "inside.h"
#include "tide/event.h"

static uint32_t *mark_of(struct td_pool_work *w, uint64_t page)
{
	uint32_t i = (uint32_t)tide_hash64(page) & w->marks_mask;
	while (w->marks[i] && w->items[w->marks[i] - 1].page != page)
		i = (i + 1) & w->marks_mask;
	return &w->marks[i];
}

static void clear_marks(struct td_pool_work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->marks[w->items[i].mark] = 0;
}

/* What a page needs of main memory, and whether all of it is somewhere in memory. */
static uint32_t count_frames(struct td_pool *p, const struct td_pool_request *r, bool *held)
{
	uint32_t n = 0;
	*held = true;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, r->page * p->degree + i);
		uint64_t word = b == TIDE_NIL ? 0 : td_pool_word(p, b);
		*held &= b != TIDE_NIL;
		n += !(word & TD_MAIN);
		n += b != TIDE_NIL && r->write && !(word & TD_PRIVATE);
	}
	return n;
}

/* Out of the device, on its way to a frame. */
static void fetch_block(struct td_pool *p, uint32_t b)
{
	struct td_pool_work *w = &p->work;
	tide_list_remove(&p->device, td_pool_links(p), b);
	atomic_fetch_and(&p->blocks[b].word, ~TD_DEVICE);
	uint32_t frame = td_pool_take_frame(p);
	w->slots[w->coming_n] = p->blocks[b].slot;
	w->host[w->coming_n] = td_pool_frame(p, frame);
	w->frames[w->coming_n] = frame;
	td_assert(w->coming_n < (size_t)p->batch * p->degree && p->reserved);
	w->coming[w->coming_n++] = b;
	p->reserved--;
}

static bool fetch_blocks(struct td_pool *p, uint64_t page)
{
	bool any = false;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b == TIDE_NIL || !(td_pool_word(p, b) & TD_DEVICE))
			continue;
		fetch_block(p, b);
		any = true;
	}
	return any;
}

/* What is remembered of it will be looked up once it is read. */
static void expect_page(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint64_t signature = td_pool_signature_of(p, page * p->degree + i);
		if (signature)
			td_pool_index_expect(p, (uint32_t)(signature >> 32));
	}
}

static void read_page(struct td_pool *p, struct td_pool_item *item, size_t at)
{
	item->read = true;
	item->data = p->work.staging + at * p->page_bytes;
	if (p->degree == 1) {
		item->frame = td_pool_take_frame(p);
		item->data = td_pool_frame(p, item->frame);
		p->reserved--;
	}
	p->counts.tier3_reads++;
	td_pool_region_read(p, item->page);
}

static bool is_whole(const struct td_pool *p, const struct td_pool_request *r)
{
	return r->from && r->n == p->page_bytes;
}

static void count(struct td_pool *p, bool held, bool from_device)
{
	if (held && !from_device) {
		p->counts.hits++;
		return;
	}
	p->counts.faults++;
	p->counts.migrated_pages++;
	p->counts.tier2_hits += held;
	p->counts.tier2_misses += !held;
}

static void plan_item(struct td_pool *p, struct td_pool_request *r, bool held)
{
	struct td_pool_work *w = &p->work;
	td_assert(w->n < p->batch);
	struct td_pool_item *item = &w->items[w->n++];
	*item = (struct td_pool_item){.page = r->page, .first = r, .last = r, .frame = TIDE_NIL};
	bool from_device = fetch_blocks(p, r->page);
	item->fresh = !held && is_whole(p, r);
	if (!held && !item->fresh)
		read_page(p, item, w->n - 1);
	item->share = item->read && !r->write && td_pool_region_wants(p, r->page);
	if (item->share)
		expect_page(p, r->page);
	count(p, held, from_device);
}

/* The last frames are for what comes from the device, which makes as much room there as it takes
 * here: it can be had even where nothing can leave for the file. */
static uint32_t kept_frames(const struct td_pool *p, const struct td_pool_request *r, bool held)
{
	return held && !(r->write && p->has_links) ? 0 : p->degree;
}

/* False: there is no room for it in this batch. */
static bool plan_request(struct td_pool *p, struct td_pool_request *r)
{
	struct td_pool_work *w = &p->work;
	uint32_t *mark = mark_of(w, r->page);
	bool held;
	uint32_t need = count_frames(p, r, &held);
	if (*mark && !r->write)
		need = 0; /* it comes anyway */
	if (p->frames_n < p->reserved + need + kept_frames(p, r, held) ||
	    (!*mark && w->n == p->batch))
		return false;
	p->reserved += need;
	p->counts.accesses++;
	if (*mark) {
		struct td_pool_item *item = &w->items[*mark - 1];
		item->last->sibling = r;
		item->last = r;
		p->counts.hits++;
		return true;
	}
	plan_item(p, r, held);
	w->items[w->n - 1].mark = (uint32_t)(mark - w->marks);
	*mark = (uint32_t)w->n;
	return true;
}

void td_pool_plan(struct td_pool *p)
{
	struct td_pool_work *w = &p->work;
	w->n = w->coming_n = w->candidates_n = 0;
	w->coming_rc = 0;
	p->reserved = 0;
	td_pool_drain(p);
	while (p->queue && plan_request(p, p->queue)) {
		p->queue->sibling = NULL;
		p->queue = p->queue->next;
		p->queued--;
	}
	if (!p->queue)
		p->queue_end = &p->queue;
	td_assert(!p->queue == !p->queued && p->reserved <= p->frames_n);
	clear_marks(w);
	p->figures.batches += w->n > 0;
	p->figures.batched_pages += w->n;
}
