/* Finds the pages of a batch, and what each of them lacks. The crew holds the lock. */
#include "inside.h"
#include "tide/event.h"

/* ---- pages under way ---- */

static struct td_pool_item **bucket(const struct td_pool *p, uint64_t page)
{
	return &p->under_way[(uint32_t)tide_hash64(page) & p->under_way_mask];
}

static struct td_pool_item *find_item(const struct td_pool *p, uint64_t page)
{
	struct td_pool_item *item = *bucket(p, page);
	while (item && item->page != page)
		item = item->next;
	return item;
}

void td_pool_item_done(struct td_pool *p, struct td_pool_item *item)
{
	struct td_pool_item **at = bucket(p, item->page);
	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
}

static void reserve(struct td_pool *p, struct td_pool_work *w, uint32_t frames)
{
	w->reserved += frames;
	p->reserved += frames;
}

/* A write may find that the page is shared, and take a copy. */
static bool join(struct td_pool *p, struct td_pool_item *item, struct td_pool_request *r)
{
	uint32_t need = r->write && p->has_links ? p->degree : 0;
	if (need && p->frames_n < p->reserved + need + p->degree)
		return false;
	reserve(p, item->crew, need);
	r->sibling = NULL;
	item->last->sibling = r;
	item->last = r;
	p->counts.accesses++;
	p->counts.hits++;
	return true;
}

bool td_pool_join(struct td_pool *p, struct td_pool_request *r)
{
	struct td_pool_item *item = find_item(p, r->page);
	return item && join(p, item, r);
}

/* ---- what a page needs ---- */

/* Main memory that a page needs; is all of it somewhere in memory; is a block that it lacks busy
 * elsewhere? What this crew has comes with the batch. */
struct need {
	uint32_t frames;
	bool held, busy;
};

static bool is_busy(const struct td_pool *p, const struct td_pool_work *w, uint32_t b,
		    uint64_t word)
{
	if (word & TD_MAIN || p->blocks[b].busy == w->id)
		return false;
	return p->blocks[b].busy || !(word & TD_DEVICE);
}

static struct need find_need(struct td_pool *p, const struct td_pool_work *w,
			     const struct td_pool_request *r)
{
	struct need need = {0, true, false};
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, r->page * p->degree + i);
		if (b == TIDE_NIL) {
			need.held = false;
			need.frames++;
			continue;
		}
		uint64_t word = td_pool_word(p, b);
		need.busy |= is_busy(p, w, b, word);
		need.frames += !(word & TD_MAIN);
		need.frames += r->write && !(word & TD_PRIVATE);
	}
	return need;
}

static uint32_t use_frame(struct td_pool *p, struct td_pool_work *w)
{
	td_assert(w->reserved && p->reserved >= w->reserved);
	w->reserved--;
	p->reserved--;
	return td_pool_take_frame(p);
}

/* Out of the device, on its way to a frame. */
static void fetch_block(struct td_pool *p, struct td_pool_work *w, uint32_t b)
{
	tide_list_remove(&p->device, td_pool_links(p), b);
	atomic_fetch_and(&p->blocks[b].word, ~TD_DEVICE);
	p->blocks[b].busy = w->id;
	uint32_t frame = use_frame(p, w);
	w->slots[w->coming_n] = p->blocks[b].slot;
	w->host[w->coming_n] = td_pool_frame(p, frame);
	w->frames[w->coming_n] = frame;
	td_assert(w->coming_n < (size_t)p->batch * p->degree);
	w->coming[w->coming_n++] = b;
}

/* Fetches blocks from the device, and holds those in main memory. Were any on the device? */
static bool gather_blocks(struct td_pool *p, struct td_pool_work *w, uint64_t page, size_t place)
{
	bool any = false;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		uint64_t word = b == TIDE_NIL ? 0 : td_pool_word(p, b);
		bool here = word & TD_MAIN && td_pool_try_pin(p, td_pool_ref(b, word), TD_MAIN);
		w->held[place + i] = here ? b : TIDE_NIL;
		if (word & TD_DEVICE)
			fetch_block(p, w, b);
		any |= (word & TD_DEVICE) != 0;
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

static void read_page(struct td_pool *p, struct td_pool_work *w, struct td_pool_item *item)
{
	item->read = true;
	item->data = w->staging + (size_t)(item - w->items) * p->page_bytes;
	if (p->degree == 1) {
		item->frame = use_frame(p, w);
		item->data = td_pool_frame(p, item->frame);
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
	p->counts.accesses++;
	if (held && !from_device) {
		p->counts.hits++;
		return;
	}
	p->counts.faults++;
	p->counts.migrated_pages++;
	p->counts.tier2_hits += held;
	p->counts.tier2_misses += !held;
}

static void plan_item(struct td_pool *p, struct td_pool_work *w, struct td_pool_request *r,
		      bool held)
{
	td_assert(w->n < p->batch);
	struct td_pool_item *item = &w->items[w->n];
	*item = (struct td_pool_item){.page = r->page,
				      .first = r,
				      .last = r,
				      .frame = TIDE_NIL,
				      .crew = w,
				      .next = *bucket(p, r->page)};
	*bucket(p, r->page) = item;
	r->sibling = NULL;
	bool from_device = gather_blocks(p, w, r->page, w->n * p->degree);
	item->fresh = !held && is_whole(p, r);
	if (!held && !item->fresh)
		read_page(p, w, item);
	item->share = item->read && !r->write && td_pool_region_wants(p, r->page);
	if (item->share)
		expect_page(p, r->page);
	count(p, held, from_device);
	w->n++;
}

/* ---- a batch ---- */

/* The last frames are for what comes from the device, which makes as much room there as it takes
 * here: it can be had even where nothing can leave for the file. */
static uint32_t kept_frames(const struct td_pool *p, const struct td_pool_request *r, bool held)
{
	return held && !(r->write && p->has_links) ? 0 : p->degree;
}

enum verdict { TAKEN, LATER, FULL };

static enum verdict plan_request(struct td_pool *p, struct td_pool_work *w,
				 struct td_pool_request *r)
{
	struct td_pool_item *item = find_item(p, r->page);
	if (item)
		return join(p, item, r) ? TAKEN : LATER;
	if (w->n == p->batch)
		return FULL;
	struct need need = find_need(p, w, r);
	if (need.busy)
		return LATER;
	if (p->frames_n < p->reserved + need.frames + kept_frames(p, r, need.held)) {
		w->stuck = r;
		return FULL;
	}
	reserve(p, w, need.frames);
	plan_item(p, w, r, need.held);
	return TAKEN;
}

/* Takes what it can, in order. The others stay, in their order. */
static void take_requests(struct td_pool *p, struct td_pool_work *w)
{
	struct td_pool_request *r, **at = &p->queue;
	enum verdict verdict = TAKEN;
	while ((r = *at)) {
		struct td_pool_request *next = r->next;
		verdict = plan_request(p, w, r);
		if (verdict == FULL)
			break;
		if (verdict == LATER) {
			at = &r->next;
			continue;
		}
		*at = next;
		p->queued--;
	}
	if (!r)
		p->queue_end = at;
	p->retry = r && !w->stuck; /* for another crew at once */
}

void td_pool_plan(struct td_pool *p, struct td_pool_work *w)
{
	td_assert(!w->reserved && !w->promised);
	w->n = w->coming_n = w->candidates_n = 0;
	w->coming_rc = 0;
	w->stuck = NULL;
	td_pool_drain(p);
	take_requests(p, w);
	td_assert(!p->queue == !p->queued && p->reserved <= p->frames_n);
	p->figures.batches += w->n > 0;
	p->figures.batched_pages += w->n;
}
