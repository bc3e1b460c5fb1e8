/* A touch that the page table could not serve: what it is to the engine, and what is to be done.
 *
 *     lock    whose page? wait while its chunk is busy; ask the engine; the chunk is busy now
 *     unlock  evict a batch if one is due; get the content; map
 *     lock    say what is where; the chunk is calm
 */
#include "pager.h"

#include <errno.h>
#include <unistd.h>

#define OTHERS 32 /* other chunks of a `fast` mapping that one fault maps */

/* ---- carrying out ---- */

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

/* Which of these can be written without a fault. What the view has is only seen to change where the
 * first write since the page came faults. */
static uint64_t writable_of(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			    uint64_t to_map, uint64_t written)
{
	if (x->read_only)
		return 0;
	if (!td_extent_tracks(p, x))
		return to_map;
	return to_map & (x->copies ? written : td_pager_get(p, chunk, LANE_DIRTY));
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
	p->held_pages += td_lanes_count(to_map & ~held);
	td_pager_set(p, chunk, LANE_HELD, to_map);
	td_pager_set(p, chunk, LANE_MAPPED, to_map | (x->fast ? filled : 0));
	td_pager_set(p, chunk, LANE_WRITABLE, writable);
	td_pager_set(p, chunk, LANE_DIRTY, writable);
	td_pager_set(p, chunk, LANE_STALE, x->copies ? writable | filled : 0);
	td_pager_settle(p, chunk, to_map | filled, f.stored);
	return 0;
}

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
	if (p->linger_pages > p->batch_pages)
		td_pager_call_helper(p);
	while (p->linger_pages > limit && p->leaving_pages >= p->batch_pages && p->batch_pages)
		td_pager_await_room(p);
	if (p->linger_pages > limit || (p->engine->tiers.on && p->queue.n))
		td_pager_flush(p, false);
}

int td_pager_carry(struct td_pager *p, uint32_t chunk, unsigned bit, bool write)
{
	uint64_t touched = chunk == TD_NIL ? 0 : UINT64_C(1) << bit;
	struct others o;
	o.n = 0;
	int rc = 0;
	/* All that the decision left behind is taken before the lock is given up. */
	if (chunk != TD_NIL)
		*td_pager_state(p, chunk) |= CHUNK_BUSY;
	if (p->arrivals_n > is_among_arrivals(p, chunk))
		claim_others(p, chunk, &o);
	if (p->watched_n)
		unmap_watched(p);
	bring_others(p, &o);
	evict_batch(p);
	if (chunk != TD_NIL) {
		struct td_extent *x = td_pager_extent(p, chunk);
		uint64_t near = td_pager_engine_lanes(p, chunk).resident;
		uint64_t armed = td_pager_engine_lanes(p, chunk).armed;
		uint64_t to_map = pages_to_map(p, x, chunk, touched);
		/* One write and the others may follow; of a file only what was written is. */
		if (write && p->around && !x->has_file)
			td_pager_set(p, chunk, LANE_DIRTY, near & ~armed);
		/* With one page of it all are read that should be here and are not yet. */
		rc = bring(p, chunk, near, to_map, write ? touched : 0);
		/* That others cannot be had need not concern who touched this one. */
		if (rc && td_pager_get(p, chunk, LANE_HELD) & touched)
			rc = bring(p, chunk, touched, touched, write ? touched : 0);
		td_pager_calm(p, chunk);
	}
	return rc;
}

/* ---- deciding ---- */

/* What could not be written has to stay in memory; there is a limit to that. */
static bool too_full(const struct td_pager *p)
{
	uint64_t limit = p->config.host_pages;
	return p->write_error && limit != UINT64_MAX &&
	       p->tier2_pages > limit + p->config.near_pages;
}

/* What is in memory needs no more of it. */
static bool is_in_memory(struct td_pager *p, uint32_t chunk, uint64_t page)
{
	return (td_pager_get(p, chunk, LANE_HELD) | td_pager_get(p, chunk, LANE_STORED)) & page;
}

/* More waits to leave, or has gone to tier 2, than there is room for. Pages that cannot be written
 * are another matter. */
static bool is_crowded(const struct td_pager *p)
{
	uint64_t going = p->linger_pages + p->leaving_pages;
	uint64_t there = p->tier2_pages - p->leaving_pages, limit = p->config.host_pages;
	if (!p->batch_pages)
		return false;
	if (going > 3 * p->batch_pages)
		return true;
	return limit != UINT64_MAX && !p->store && !p->engine->tiers.on && !p->write_error &&
	       there > limit + p->batch_pages;
}

bool td_pager_make_way(struct td_pager *p)
{
	if (!is_crowded(p))
		return false;
	if (td_pager_flush(p, false))
		return true;
	if (!p->leaving_pages && !td_pager_some_busy(p))
		return false;
	td_pager_await_room(p);
	return true;
}

static int ask_engine(struct td_pager *p, tide_chunk c, unsigned bit,
		      const struct tide_event *event, bool resident)
{
	enum td_engine_touched what = TD_ABSENT;
	int rc = 0;
	if (resident)
		rc = td_engine_touch(p->engine, c, bit, event, &what, NULL);
	if (!rc && what == TD_NOTICE)
		rc = td_engine_notice(p->engine, c, event, NULL);
	if (!rc && what == TD_ABSENT) {
		td_engine_tick(p->engine, c);
		rc = td_engine_fault(p->engine, c, bit, event, NULL);
	}
	return rc;
}

static int decide(struct td_pager *p, const struct td_touch *t, uint32_t chunk, unsigned bit)
{
	uint64_t mask = UINT64_C(1) << bit;
	struct tide_event event = {(uint64_t)chunk * p->chunk_pages + bit, t->ref, t->stream,
				   t->write};
	bool resident = td_pager_engine_lanes(p, chunk).resident & mask;
	bool mapped = td_pager_get(p, chunk, LANE_MAPPED) & mask;
	bool writable = td_pager_get(p, chunk, LANE_WRITABLE) & mask;
	int rc = 0;
	if (!resident && too_full(p) && !is_in_memory(p, chunk, mask))
		return -p->write_error;
	td_pager_decide(p);
	/* Else another thread was served in the meantime, and this one only has to try again. */
	if (!resident || !mapped || (t->write && !writable)) {
		rc = ask_engine(p, (tide_chunk){chunk}, bit, &event, resident);
		if (!rc && p->config.event)
			p->config.event(p->config.record_arg, &event);
	}
	td_pager_decided(p);
	if (!rc && t->write)
		td_pager_set(p, chunk, LANE_DIRTY, mask);
	return rc;
}

/* -EAGAIN: something happened meanwhile, look again. */
static int try_touch(struct td_pager *p, const struct td_touch *t)
{
	const struct td_region *r = td_pager_region(p, t->addr);
	if (!r)
		return -ENOENT;
	uint64_t page = td_extent_page(p, r->extent, t->addr);
	uint32_t chunk = (uint32_t)(page / p->chunk_pages);
	unsigned bit = (unsigned)(page % p->chunk_pages);
	if (*td_pager_state(p, chunk) & CHUNK_BUSY) {
		p->waited_faults++;
		td_pager_await(p, chunk);
		return -EAGAIN;
	}
	if (td_pager_make_way(p))
		return -EAGAIN;
	if (too_full(p))
		td_pager_flush(p, true);
	if (*td_pager_state(p, chunk) & CHUNK_BUSY)
		return -EAGAIN;
	int rc = decide(p, t, chunk, bit);
	return rc ? rc : td_pager_carry(p, chunk, bit, t->write);
}

int td_pager_touch(struct td_pager *p, const struct td_touch *t)
{
	uint64_t began = td_pager_now_ns();
	int rc;
	td_pager_lock(p);
	do
		rc = try_touch(p, t);
	while (rc == -EAGAIN);
	p->stalled_ns += td_pager_now_ns() - began;
	pthread_mutex_unlock(&p->lock);
	return rc;
}
