/* From where a page is to where it should be. */
#include "core/assert.h"
#include "orchestrator.h"
#include "tide/sort.h"

#define HYBRID 8   /* pages of a batch that the copy engine takes, transfer hybrid */
#define RETRIES 64 /* lingering pages that are tried at once */
#define ROUNDS 16  /* batches after which they are tried also where there is more to do */

static bool is_ending(struct td_cuda_orchestrator *o)
{
	return atomic_load_explicit(&o->ending, memory_order_relaxed);
}

static bool should_be_near(struct td_cuda_orchestrator *o, uint32_t page)
{
	uint64_t resident = td_orch_lanes(o, page / o->chunk_pages).resident;
	return o->pages[page].bits & TD_ORCH_WANTED || resident >> page % o->chunk_pages & 1;
}

static bool by_engine(struct td_cuda_orchestrator *o)
{
	o->moved++;
	return o->g->set.transfer == TD_DEV_DMA ||
	       (o->g->set.transfer == TD_DEV_HYBRID && o->moved <= HYBRID);
}

/* ---- frames ---- */

void td_orch_frame_free(struct td_cuda_orchestrator *o, uint32_t frame)
{
	o->free[frame / 64] |= UINT64_C(1) << frame % 64;
	o->free_n++;
}

/* There is one. The next after the last, so that neighbours get neighbours where they can. */
static uint32_t take_frame(struct td_cuda_orchestrator *o)
{
	uint32_t words = (o->g->control.frames + 63) / 64, word = o->hand / 64;
	uint64_t bits = o->free[word] & UINT64_MAX << o->hand % 64;
	while (!bits) {
		word = (word + 1) % words;
		bits = o->free[word];
	}
	uint32_t frame = word * 64 + (uint32_t)__builtin_ctzll(bits);
	o->free[word] &= ~(UINT64_C(1) << frame % 64);
	o->free_n--;
	o->hand = (frame + 1) % o->g->control.frames;
	return frame;
}

/* ---- on its way in ---- */

static void come(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	p->state = TD_ORCH_COMING;
	p->frame = take_frame(o);
	if (p->bits & TD_ORCH_FRESH)
		td_orch_command(o, TD_DEV_MAKE_ZERO, page, p->frame);
	else if (by_engine(o))
		td_orch_copy(o, TD_ORCH_IN, page, p->frame);
	else
		td_orch_command(o, TD_DEV_BRING, page, p->frame);
}

static struct tide_list *queue_of(struct td_cuda_orchestrator *o, const struct td_orch_page *p)
{
	return &o->queues[p->hurried];
}

static void go_near(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	td_assert(p->state == TD_ORCH_AWAY);
	if (!(p->bits & (TD_ORCH_HOMED | TD_ORCH_FRESH))) {
		p->state = TD_ORCH_READING;
		p->alone = 0;
		tide_list_push_tail(&o->reading, td_orch_links(o), page);
	} else {
		p->state = TD_ORCH_QUEUED;
		p->hurried = (p->bits & TD_ORCH_WANTED) != 0;
		tide_list_push_tail(queue_of(o, p), td_orch_links(o), page);
	}
}

static void unqueue(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	td_assert(p->state == TD_ORCH_QUEUED);
	tide_list_remove(queue_of(o, p), td_orch_links(o), page);
	p->state = TD_ORCH_AWAY;
}

void td_orch_hurry(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	if (p->state != TD_ORCH_QUEUED || p->hurried)
		return;
	unqueue(o, page);
	p->state = TD_ORCH_QUEUED;
	p->hurried = 1;
	tide_list_push_tail(&o->queues[true], td_orch_links(o), page);
}

/* ---- on its way out ---- */

static void go_away(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	td_assert(p->state == TD_ORCH_NEAR);
	p->state = TD_ORCH_LEAVING;
	td_orch_command(o, by_engine(o) ? TD_DEV_TAKE : TD_DEV_EVICT, page, 0);
}

static void stop_lingering(struct td_cuda_orchestrator *o, uint32_t page)
{
	td_assert(o->pages[page].bits & TD_ORCH_LINGERS);
	tide_list_remove(&o->lingering, td_orch_links(o), page);
	o->pages[page].bits &= (uint8_t)~TD_ORCH_LINGERS;
}

/* It was tried again: no matter how that went. */
static void end_retry(struct td_cuda_orchestrator *o, struct td_orch_page *p)
{
	o->retried -= (p->bits & TD_ORCH_LINGERS) != 0;
	p->bits &= (uint8_t)~TD_ORCH_LINGERS;
}

/* ---- steps ---- */

void td_orch_settle(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	if (is_ending(o))
		return;
	bool near = should_be_near(o, page), lingers = p->bits & TD_ORCH_LINGERS;
	if (p->state == TD_ORCH_AWAY && near)
		go_near(o, page);
	else if (p->state == TD_ORCH_QUEUED && !near)
		unqueue(o, page);
	else if (p->state == TD_ORCH_NEAR && !near && !lingers)
		go_away(o, page);
	else if (p->state == TD_ORCH_NEAR && near && lingers)
		stop_lingering(o, page);
}

void td_orch_has_read(struct td_cuda_orchestrator *o, uint32_t page, int error, bool together)
{
	struct td_orch_page *p = &o->pages[page];
	bool wanted = p->bits & TD_ORCH_WANTED;
	td_assert(p->state == TD_ORCH_READING);
	p->state = TD_ORCH_AWAY;
	if (!error) {
		p->bits |= TD_ORCH_HOMED;
		td_orch_settle(o, page);
	} else if (wanted && together && !is_ending(o)) {
		p->state = TD_ORCH_READING;
		p->alone = 1;
		tide_list_push_tail(&o->reading, td_orch_links(o), page);
	} else if (wanted) {
		p->bits &= (uint8_t)~TD_ORCH_WANTED;
		td_cuda_failed(o->g, error, page, TD_DEV_READ);
		td_orch_command(o, TD_DEV_REFUSE, page, (uint32_t)-error);
	} /* else nobody may ever touch it; who does will hear of it */
}

void td_orch_arrived(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	o->brought += !(p->bits & TD_ORCH_FRESH);
	if (p->bits & TD_ORCH_WATCH)
		td_orch_command(o, TD_DEV_WATCH, page, 0);
	p->state = TD_ORCH_NEAR;
	p->bits &= (uint8_t) ~(TD_ORCH_WANTED | TD_ORCH_FRESH | TD_ORCH_WATCH);
	td_orch_settle(o, page);
}

void td_orch_left(struct td_cuda_orchestrator *o, uint32_t page, bool dirty)
{
	struct td_orch_page *p = &o->pages[page];
	end_retry(o, p);
	if (p->frame != TD_DEV_NONE)
		td_orch_frame_free(o, p->frame);
	p->frame = TD_DEV_NONE;
	p->state = TD_ORCH_AWAY;
	p->bits &= (uint8_t)~TD_ORCH_WATCH;
	if (dirty) {
		p->bits |= TD_ORCH_HOMED | TD_ORCH_UNSAVED;
		o->saved++;
	}
	td_orch_settle(o, page);
}

void td_orch_pinned(struct td_cuda_orchestrator *o, uint32_t page)
{
	struct td_orch_page *p = &o->pages[page];
	end_retry(o, p);
	p->state = TD_ORCH_NEAR;
	if (should_be_near(o, page))
		return;
	p->bits |= TD_ORCH_LINGERS;
	tide_list_push_tail(&o->lingering, td_orch_links(o), page);
}

void td_orch_watch(struct td_cuda_orchestrator *o, uint32_t page)
{
	if (o->pages[page].state == TD_ORCH_NEAR)
		td_orch_command(o, TD_DEV_WATCH, page, 0);
	else
		o->pages[page].bits |= TD_ORCH_WATCH;
}

/* ---- many ---- */

static void retry(struct td_cuda_orchestrator *o)
{
	while (o->lingering.n && o->retried < RETRIES) {
		uint32_t page = o->lingering.head;
		tide_list_remove(&o->lingering, td_orch_links(o), page);
		o->retried++;
		go_away(o, page);
	}
}

static int by_page(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	(void)arg;
	return (x > y) - (x < y);
}

/* Of those that wait for a frame, the first; for the copy engine in the order of their pages, so
 * that neighbours get neighbouring frames. */
static void give_frames(struct td_cuda_orchestrator *o)
{
	size_t n = 0;
	while (n < TD_ORCH_BATCH && n < o->free_n && (o->queues[true].n || o->queues[false].n)) {
		uint32_t page = o->queues[true].n ? o->queues[true].head : o->queues[false].head;
		unqueue(o, page);
		if (should_be_near(o, page))
			o->dealt[n++] = page;
	}
	if (o->g->set.transfer != TD_DEV_ZERO_COPY)
		tide_sort(o->dealt, n, sizeof *o->dealt, by_page, NULL);
	for (size_t i = 0; i < n; i++)
		come(o, o->dealt[i]);
}

/* What a warp still holds is tried again only where its frame is needed. */
void td_orch_deal(struct td_cuda_orchestrator *o, bool busy)
{
	if (is_ending(o))
		return;
	while (o->free_n && (o->queues[true].n || o->queues[false].n))
		give_frames(o);
	if (!(o->queues[true].n + o->queues[false].n) || o->retried ||
	    (busy && ++o->rounds < ROUNDS))
		return;
	o->rounds = 0;
	retry(o);
}
