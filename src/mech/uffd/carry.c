/* What was decided is carried out: pages come, are mapped, and others are unmapped to watch them.
 */
#include "pager.h"

#define OTHERS 32 /* other chunks of a `fast` mapping that one fault maps */

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

/* Which pages of a resident chunk are mapped when one of them is touched: that one; and those that
 * were touched before, and only unmapped to sample accesses. Of a `fast` mapping all, with `around`
 * those that are in memory. */
static uint64_t pages_to_map(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			     uint64_t touched)
{
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	uint64_t more = x->fast || p->around ? l.resident : l.touched;
	more &= l.resident & ~l.armed & ~td_pager_get(p, chunk, LANE_MAPPED);
	return touched | (x->fast ? more : more & td_pager_get(p, chunk, LANE_HELD));
}

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

/* A fast mapping's pages are mapped by filling them, or by moving them from the view. */
static int map(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
	       uint64_t held, uint64_t writable, uint64_t unprotect)
{
	unsigned char *at;
	int rc = td_pager_map_pages(p, x, chunk, pages & held, pages & ~held, writable);
	if (rc || !unprotect)
		return rc;
	at = td_extent_at(p, x, chunk, (unsigned)__builtin_ctzll(unprotect));
	return td_uffd_protect(p->uffd, at, p->page_bytes, false, p->thread);
}

/* A first write to a page that was mapped to be read is a second fault, and all processors are told
 * of it. Where a page had that once it is mapped writable from then on, which costs a copy when it
 * leaves; and now and then not, to see whether it is still written. */
#define DOUBT_EVERY 16

static uint64_t take_eager(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	uint64_t eager = pages & td_pager_get(p, chunk, LANE_EAGER);
	eager &= td_pager_get(p, chunk, LANE_HELD) & ~td_pager_get(p, chunk, LANE_MAPPED);
	if (!eager || ++p->doubts % DOUBT_EVERY)
		return eager;
	td_pager_clear(p, chunk, LANE_EAGER, eager);
	return 0;
}

static void note_eager(struct td_pager *p, uint32_t chunk, uint64_t unprotected)
{
	if (p->lane[LANE_EAGER].stride && unprotected)
		td_pager_set(p, chunk, LANE_EAGER, unprotected);
}

/* Which of these can be written without a fault. What the view has is only seen to change where the
 * first write since the page came faults. */
static uint64_t writable_of(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			    uint64_t to_map, uint64_t written)
{
	if (x->read_only)
		return 0;
	if (!td_extent_tracks(p, x))
		return to_map;
	if (x->copies)
		return to_map & (written | take_eager(p, chunk, to_map));
	return to_map & td_pager_get(p, chunk, LANE_DIRTY);
}

/* Pages are mapped, among them some that come from elsewhere than the view, and some writable. */
static void note_mapped(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			uint64_t pages, uint64_t filled, uint64_t writable)
{
	p->held_pages += td_lanes_count(pages & ~td_pager_get(p, chunk, LANE_HELD));
	td_pager_set(p, chunk, LANE_HELD, pages);
	td_pager_set(p, chunk, LANE_MAPPED, pages | filled);
	td_pager_set(p, chunk, LANE_WRITABLE, writable);
	td_pager_set(p, chunk, LANE_DIRTY, writable);
	td_pager_set(p, chunk, LANE_STALE, x->copies ? writable | filled : 0);
}

/* The chunk is busy. Gets the content of wanted pages, and maps those of to_map, of which some are
 * about to be written. */
static int bring(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
		 uint64_t written)
{
	struct td_extent *x = td_pager_extent(p, chunk);
	uint64_t mapped = td_pager_get(p, chunk, LANE_MAPPED);
	uint64_t protected = mapped & ~td_pager_get(p, chunk, LANE_WRITABLE);
	struct td_fill f = td_pager_plan_fill(p, chunk, wanted | to_map);
	f.stored &= to_map; /* unpacking can wait until it is touched */
	if (p->around)
		to_map |= (f.swapped | f.file) & ~td_pager_engine_lanes(p, chunk).armed;
	uint64_t filled = f.stored | f.swapped | f.file;
	uint64_t held = td_pager_get(p, chunk, LANE_HELD) | filled;
	uint64_t writable = writable_of(p, x, chunk, to_map, written);
	uint64_t there = mapped | (x->fast ? filled : 0);
	/* A page that is only protected is there; any other that is mapped is mapped again, as it
	 * may have been unmapped to watch it. */
	uint64_t maps = to_map & ~(x->fast ? there : protected & writable);
	uint64_t unprotect = td_extent_tracks(p, x) ? there & writable : 0;
	pthread_mutex_unlock(&p->lock);
	int rc = filled ? td_pager_fill(p, x, &f) : 0;
	if (!rc)
		rc = map(p, x, chunk, maps, held, writable, unprotect);
	td_pager_lock(p);
	if (rc)
		return rc;
	td_pager_filled(p, &f);
	note_mapped(p, x, chunk, to_map, x->fast ? filled : 0, writable);
	note_eager(p, chunk, mapped & unprotect);
	td_pager_settle(p, chunk, to_map | filled, f.stored);
	return 0;
}

/* ---- with the lock given up only while pages move ---- */

/* Other chunks that came with the plan: they are busy from now on. What has to be read is read
 * while the program goes on; of a `fast` mapping what is in memory is mapped. Whatever is left out
 * here is done at its first touch. */
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
		} else if (td_pager_extent(p, m.chunk)->fast && o->n < OTHERS) {
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
	struct td_extent *x = td_pager_extent(p, chunk);
	uint64_t touched = UINT64_C(1) << bit, written = write ? touched : 0;
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	uint64_t to_map = pages_to_map(p, x, chunk, touched);
	/* One write and the others may follow; of a file only what was written is. */
	if (write && p->around && !x->has_file)
		td_pager_set(p, chunk, LANE_DIRTY, l.resident & ~l.armed);
	/* With one page of it all are read that should be here and are not yet. */
	int rc = bring(p, chunk, l.resident, to_map, written);
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
	uint64_t to_map = pages_to_map(p, x, a->chunk, touched);
	uint64_t wanted = to_map | td_pager_engine_lanes(p, a->chunk).resident;
	struct td_fill f = td_pager_plan_fill(p, a->chunk, wanted);
	if (!x->copies || f.stored | f.swapped | f.file || !(a->done = td_pager_take_done(p)))
		return false;
	uint64_t mapped = td_pager_get(p, a->chunk, LANE_MAPPED);
	uint64_t writable = writable_of(p, x, a->chunk, to_map, a->write ? touched : 0);
	a->extent = x;
	a->maps = to_map & ~mapped;
	a->held = a->maps & td_pager_get(p, a->chunk, LANE_HELD);
	a->writable = writable & ~td_pager_get(p, a->chunk, LANE_WRITABLE);
	a->stale = writable & ~td_pager_get(p, a->chunk, LANE_STALE);
	a->unprotect = td_extent_tracks(p, x) ? mapped & writable : 0;
	note_mapped(p, x, a->chunk, to_map, 0, writable);
	note_eager(p, a->chunk, a->unprotect);
	td_pager_settle(p, a->chunk, to_map, 0);
	return true;
}

/* The lock is held; the chunk stays busy. */
static void take_back(struct td_pager *p, const struct td_ahead *a)
{
	uint64_t zero = a->maps & ~a->held, lingers = td_pager_get(p, a->chunk, LANE_LINGER) & zero;
	if (lingers)
		td_pager_stop_lingering(p, a->chunk, lingers);
	td_pager_clear(p, a->chunk, LANE_HELD, zero);
	p->held_pages -= td_lanes_count(zero);
	td_pager_clear(p, a->chunk, LANE_MAPPED, a->maps);
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
	int rc = map(p, a->extent, a->chunk, a->maps, a->held, a->writable, a->unprotect);
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
