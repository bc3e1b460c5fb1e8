/* What was decided is carried out: pages come, are mapped, and others are unmapped to watch them.
 */
#include "pager.h"

#define OTHERS 32 /* other chunks that one fault maps */

/* ---- pages that are watched ---- */

static void add_ranges(struct td_pager *p, const struct td_move *m, struct iovec *ranges, size_t *n)
{
	const struct td_extent *x = td_pager_extent(p, m->chunk);
	uint64_t pages = m->pages;
	unsigned at, length;
	while (*n < TD_PAGER_RANGES && td_pager_run(&pages, &at, &length))
		ranges[(*n)++] = (struct iovec){td_extent_at(p, x, m->chunk, at),
						(size_t)length * p->page_bytes};
}

/* Pages that were armed: the next touch of them is to be seen. A chunk that is busy already is so
 * by this very thread, or is moving anyway: a page that is mapped meanwhile is unmapped once too
 * often, and mapped again by its next touch. */
static void unmap_watched(struct td_pager *p)
{
	struct iovec ranges[TD_PAGER_RANGES];
	uint32_t made_busy[TD_PAGER_BATCH];
	size_t n = 0, made = 0;
	for (uint32_t i = 0; i < p->watched_n; i++) {
		uint8_t *state = td_pager_state(p, p->watched[i].chunk);
		add_ranges(p, &p->watched[i], ranges, &n);
		if (!(*state & CHUNK_BUSY))
			made_busy[made++] = p->watched[i].chunk;
		*state |= CHUNK_BUSY;
	}
	pthread_mutex_unlock(&p->lock);
	td_uffd_unmap(&p->unmapper, ranges, n);
	td_pager_lock(p);
	while (made)
		td_pager_calm(p, made_busy[--made]);
}

/* ---- pages that come ---- */

/* Somebody may have evicted the chunk while its pages came. What was packed then counts as tier 2
 * already. */
void td_pager_settle(struct td_pager *p, uint32_t chunk, uint64_t came, uint64_t unpacked)
{
	uint64_t lost = came & ~td_pager_engine_lanes(p, chunk).resident &
			~td_pager_get(p, chunk, LANE_LINGER);
	uint64_t mapped = lost & td_pager_get(p, chunk, LANE_MAPPED);
	p->packed_near -= td_lanes_count(unpacked & ~lost);
	p->tier2_pages -= td_lanes_count(unpacked & lost);
	if (mapped)
		td_pager_let_linger(p, chunk, mapped);
	if (lost & ~mapped)
		td_pager_enter_tier2(p, chunk, lost & ~mapped);
}

/* The lock is not held. */
static int enter(struct td_pager *p, const struct td_arrival *a)
{
	struct td_extent *x = a->extent;
	int rc = td_pager_map_pages(p, x, a->chunk, a->maps & a->held, a->maps & ~a->held,
				    a->writable);
	if (rc || !a->unprotect)
		return rc;
	unsigned char *at = td_extent_at(p, x, a->chunk, (unsigned)__builtin_ctzll(a->unprotect));
	return td_uffd_protect(p->uffd, at, p->page_bytes, false, p->service->wakes);
}

static void note_mapped(struct td_pager *p, const struct td_arrival *a)
{
	p->held_pages += td_lanes_count(a->to_map & ~td_pager_get(p, a->chunk, LANE_HELD));
	td_pager_set(p, a->chunk, LANE_HELD, a->to_map);
	td_pager_set(p, a->chunk, LANE_MAPPED, a->to_map);
	td_pager_set(p, a->chunk, LANE_WRITABLE, a->writable);
	td_pager_set(p, a->chunk, LANE_DIRTY, a->writable);
	td_pager_set(p, a->chunk, LANE_STALE, a->stale);
}

/* What it takes to get the content of wanted pages, and to map those of to_map, of which some are
 * about to be written. The lock is held. */
static struct td_arrival plan(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
			      uint64_t written)
{
	struct td_arrival a = {.chunk = chunk, .to_map = to_map, .written = written};
	a.extent = td_pager_extent(p, chunk);
	a.fill = td_pager_plan_fill(p, chunk, wanted | to_map);
	a.fill.stored &= to_map; /* unpacking can wait until it is touched */
	a.filled = a.fill.stored | a.fill.swapped | a.fill.file;
	a.held = td_pager_get(p, chunk, LANE_HELD) | a.filled;
	a.extent->mapping->plan(p, &a);
	return a;
}

/* The chunk is busy. */
static int bring(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
		 uint64_t written)
{
	struct td_arrival a = plan(p, chunk, wanted, to_map, written);
	pthread_mutex_unlock(&p->lock);
	int rc = a.filled ? td_pager_fill(p, a.extent, &a.fill) : 0;
	if (!rc)
		rc = enter(p, &a);
	td_pager_lock(p);
	if (rc)
		return rc;
	td_pager_filled(p, a.extent, &a.fill);
	note_mapped(p, &a);
	td_pager_settle(p, chunk, a.to_map | a.filled, a.fill.stored);
	return 0;
}

/* ---- with the lock given up only while pages move ---- */

/* Other chunks that came with the plan: they are busy from now on. What has to be read is read
 * while the program goes on; what is in memory is mapped, where the mapping does that. Whatever is
 * left out here is done at its first touch. */
struct others {
	struct td_move map[OTHERS];
	unsigned n;
};

static void claim_others(struct td_pager *p, uint32_t chunk, struct others *o)
{
	for (uint32_t i = 0; i < p->arrivals_n; i++) {
		struct td_move m = p->arrivals[i];
		if (m.chunk == chunk || *td_pager_state(p, m.chunk) & CHUNK_BUSY)
			continue;
		struct td_fill f = td_pager_plan_fill(p, m.chunk, m.pages);
		if (f.swapped | f.file) {
			struct td_read *r = td_pager_claim_read(p, &f);
			if (r)
				td_pager_queue_read(p, r);
		} else if (td_pager_extent(p, m.chunk)->mapping->maps_arrivals && o->n < OTHERS) {
			*td_pager_state(p, m.chunk) |= CHUNK_BUSY;
			o->map[o->n++] = m;
		}
	}
}

static void bring_others(struct td_pager *p, const struct others *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		bring(p, o->map[i].chunk, o->map[i].pages, o->map[i].pages, 0);
		td_pager_calm(p, o->map[i].chunk);
	}
}

static bool is_among_arrivals(const struct td_pager *p, uint32_t chunk)
{
	for (uint32_t i = 0; i < p->arrivals_n; i++) {
		if (p->arrivals[i].chunk == chunk)
			return true;
	}
	return false;
}

/* Where files are written, a helper does it while the program goes on, up to a second batch. Beyond
 * that the program waits until what leaves has left. */
static void evict_batch(struct td_pager *p)
{
	uint64_t limit = p->helpers_n ? 2 * p->batch_pages : p->batch_pages;
	if (td_pager_can_leave(p) > p->batch_pages)
		td_pager_call_helper(p);
	while (td_pager_can_leave(p) > limit && p->leaving_pages >= p->batch_pages &&
	       p->batch_pages)
		td_pager_await_room(p);
	if (td_pager_can_leave(p) > limit || (p->engine->tiers.on && p->queue.n))
		td_pager_flush(p, false);
}

/* All that the decision left behind is taken before the lock is given up. */
static void carry_others(struct td_pager *p, uint32_t chunk)
{
	struct others o;
	o.n = 0;
	if (chunk != TD_NIL)
		*td_pager_state(p, chunk) |= CHUNK_BUSY;
	if (p->arrivals_n > is_among_arrivals(p, chunk))
		claim_others(p, chunk, &o);
	if (p->watched_n)
		unmap_watched(p);
	bring_others(p, &o);
	evict_batch(p);
}

static int bring_touched(struct td_pager *p, uint32_t chunk, unsigned bit, bool write)
{
	const struct td_mapping *m = td_pager_extent(p, chunk)->mapping;
	uint64_t touched = UINT64_C(1) << bit, written = write ? touched : 0;
	/* With one page of it all are read that should be here and are not yet. */
	int rc = bring(p, chunk, td_pager_engine_lanes(p, chunk).resident,
		       m->pages_to_map(p, chunk, touched), written);
	/* That others cannot be had need not concern who touched this one. */
	if (rc && td_pager_get(p, chunk, LANE_HELD) & touched)
		rc = bring(p, chunk, touched, touched, written);
	td_pager_calm(p, chunk);
	return rc;
}

void td_pager_carry(struct td_pager *p)
{
	carry_others(p, TD_NIL);
}

/* ---- with the lock given up for good ---- */

/* What is in memory is there before it is mapped, as far as the others can see, who leave a busy
 * chunk alone; only what cannot be mapped after all makes it necessary to say more. */
static bool plan_ahead(struct td_pager *p, struct td_ahead *a)
{
	struct td_extent *x = td_pager_extent(p, a->chunk);
	uint64_t touched = UINT64_C(1) << a->bit;
	uint64_t to_map = x->mapping->pages_to_map(p, a->chunk, touched);
	uint64_t wanted = to_map | td_pager_engine_lanes(p, a->chunk).resident;
	struct td_fill f = td_pager_plan_fill(p, a->chunk, wanted);
	if (!x->mapping->maps_unlocked || f.stored | f.swapped | f.file ||
	    !(a->done = td_pager_take_done(p)))
		return false;
	a->arrival = plan(p, a->chunk, to_map, to_map, a->write ? touched : 0);
	a->writable = a->arrival.writable & ~td_pager_get(p, a->chunk, LANE_WRITABLE);
	a->stale = a->arrival.stale & ~td_pager_get(p, a->chunk, LANE_STALE);
	note_mapped(p, &a->arrival);
	td_pager_settle(p, a->chunk, to_map, 0);
	return true;
}

/* The lock is held; the chunk stays busy. */
static void take_back(struct td_pager *p, const struct td_ahead *a)
{
	uint64_t zero = a->arrival.maps & ~a->arrival.held;
	uint64_t lingers = td_pager_get(p, a->chunk, LANE_LINGER) & zero;
	if (lingers)
		td_pager_stop_lingering(p, a->chunk, lingers);
	td_pager_clear(p, a->chunk, LANE_HELD, zero);
	p->held_pages -= td_lanes_count(zero);
	td_pager_clear(p, a->chunk, LANE_MAPPED, a->arrival.maps);
	td_pager_clear(p, a->chunk, LANE_WRITABLE, a->writable);
	td_pager_clear(p, a->chunk, LANE_STALE, a->stale);
	td_pager_give_done(p, a->done);
}

bool td_pager_carry_touched(struct td_pager *p, struct td_ahead *a, int *rc)
{
	carry_others(p, a->chunk);
	if (plan_ahead(p, a))
		return true;
	*rc = bring_touched(p, a->chunk, a->bit, a->write);
	return false;
}

int td_pager_carry_ahead(struct td_pager *p, const struct td_ahead *a, uint64_t began_ns)
{
	int rc = enter(p, &a->arrival);
	if (!rc) {
		td_pager_say_done(p, a->done, a->chunk, td_pager_now_ns() - began_ns);
		return 0;
	}
	td_pager_lock(p);
	take_back(p, a);
	rc = bring_touched(p, a->chunk, a->bit, a->write);
	p->stalled_ns += td_pager_now_ns() - began_ns;
	pthread_mutex_unlock(&p->lock);
	return rc;
}
