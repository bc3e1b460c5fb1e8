/* A fault, from the first notice to the access that caused it: steps 2 to 5 of the model. */
#include <errno.h>
#include <inttypes.h>

#include "ask.h"
#include "log.h"

/* ---- step 4: room ---- */

/* With a placement policy a victim may stay, and another is looked for. */
static int place_victim(struct td_engine *e, tide_chunk *victim, enum tide_placement *where,
			struct tide_error *err)
{
	for (unsigned kept = 0;; kept++) {
		int rc = td_ask_victim(e, victim, err);
		if (!rc)
			rc = td_tiers_place(e, *victim, kept, where, err);
		if (rc || *where != TIDE_KEEP)
			return rc;
	}
}

static void evict(struct td_engine *e, tide_chunk victim, tide_tier to)
{
	struct td_lanes l = load(e, victim.index);
	struct tide_evicted what = {l.resident, l.touched, l.dirty, false, TIDE_OBSERVE};
	uint64_t pages = td_lanes_count(l.resident);
	td_assert(pages && e->near.resident_chunks);
	td_assert(victim.index != e->near.fault_chunk.index);
	td_assert(to.number == 2 || to.number == 3);
	e->counts.evicted_chunks++;
	e->counts.evicted_pages += pages;
	e->counts.writeback_pages += td_lanes_count(l.dirty);
	e->counts.untouched_evicted_pages += td_lanes_count(l.resident & ~l.touched);
	e->near.follows_lru = td_ask_follows_lru(e);
	if (e->observing)
		td_observe_evicted(e, victim, &l, &what);
	TELL(e, on_evicted, victim, &what);
	if (e->log)
		td_engine_log_evict(e->log, number_of(e, victim));
	if (e->carrier.leave)
		e->carrier.leave(e->carrier.arg, victim, &l, to);
	/* What remains is mapped from afar, not resident. */
	store(e, victim.index, (struct td_lanes){.armed = l.armed & ~l.resident});
	e->near.free_pages += pages;
	e->near.resident_chunks--;
	td_assert(e->near.free_pages <= e->near.capacity_pages);
}

static int make_room(struct td_engine *e, uint64_t fault_bit, uint64_t *size,
		     struct tide_error *err)
{
	if (!e->full) {
		e->full = true;
		TELL(e, on_full);
	}
	while (e->near.free_pages < *size) {
		td_assert(e->near.resident_chunks >= e->near.blocked_chunks);
		if (e->near.resident_chunks == e->near.blocked_chunks) {
			*size -= td_set_drop_highest(e, fault_bit);
			continue;
		}
		tide_chunk victim;
		enum tide_placement where = TIDE_TO_TIER2;
		int rc = e->tiers.on ? place_victim(e, &victim, &where, err)
				     : td_ask_victim(e, &victim, err);
		if (rc)
			return rc;
		if (e->tiers.on)
			td_tiers_put(e, victim, load(e, victim.index).dirty, where);
		evict(e, victim, (tide_tier){(uint8_t)where});
	}
	return 0;
}

/* ---- step 5: the set becomes resident ---- */

/* Half the bytes of a time. When turns run out all are halved: neighbours become equal, and ties go
 * to the lowest chunk number. */
static void note_migration(struct td_engine *e, uint32_t index)
{
	uint32_t *migrated = (uint32_t *)(void *)e->migrated.at;
	if (e->migrations == UINT32_MAX) {
		for (uint32_t i = 0; i < e->near.chunks; i++)
			migrated[i] /= 2;
		e->migrations /= 2;
	}
	migrated[index] = ++e->migrations;
}

static void make_resident(struct td_engine *e, uint32_t index, uint64_t pages, uint64_t touched,
			  uint64_t dirty)
{
	struct td_lanes l = load(e, index);
	td_assert(pages && !(l.resident & pages));
	td_assert(!((touched | dirty) & ~pages));
	e->near.resident_chunks += !l.resident;
	l.resident |= pages;
	l.touched |= touched;
	l.dirty |= dirty;
	l.armed &= ~pages;
	store(e, index, l);
	if (e->migrated.at)
		note_migration(e, index);
	if (e->log)
		td_engine_log_bring(e->log, number_of(e, (tide_chunk){index}) * e->near.chunk_pages,
				    pages);
}

static void carry_in(struct td_engine *e, tide_chunk c, uint64_t fault_bit)
{
	const struct td_engine_carrier *to = &e->carrier;
	const struct tide_plan *plan = &e->plan;
	tide_tier from = e->tiers.on ? e->tiers.from : (tide_tier){2};
	if (plan->own)
		to->come(to->arg, c, plan->own, fault_bit, from);
	for (uint32_t i = 0; i < plan->n; i++)
		to->come(to->arg, (tide_chunk){plan->other[i].index}, plan->other[i].pages, 0,
			 from);
}

/* fault_bit is 0 where pages come without a fault; dirty pages are of c. */
static void bring_in(struct td_engine *e, tide_chunk c, uint64_t fault_bit, uint64_t size,
		     uint64_t dirty)
{
	const struct tide_plan *plan = &e->plan;
	td_assert(size == td_set_pages(e) && size <= e->near.free_pages);
	td_assert(!fault_bit || plan->own & fault_bit);
	if (plan->own)
		make_resident(e, c.index, plan->own, fault_bit, dirty);
	for (uint32_t i = 0; i < plan->n; i++)
		make_resident(e, plan->other[i].index, plan->other[i].pages, 0, 0);
	if (e->carrier.come)
		carry_in(e, c, fault_bit);
	e->near.free_pages -= size;
	e->counts.migrated_pages += size;
	e->counts.prefetched_pages += size - (fault_bit != 0);
	if (plan->own)
		TELL(e, on_migrated, c, plan->own);
	for (uint32_t i = 0; i < plan->n; i++)
		TELL(e, on_migrated, (tide_chunk){plan->other[i].index}, plan->other[i].pages);
}

/* How many resident chunks may not leave while a call about c is served. */
static uint64_t blocked_by(struct td_engine *e, tide_chunk c)
{
	return e->held_chunks + (resident(e, c.index) && !is_held(e, c.index));
}

/* The page stays where it is: later accesses to it go there. */
static void map_remotely(struct td_engine *e, tide_chunk c, uint64_t fault_bit)
{
	struct td_lanes l = load(e, c.index);
	l.armed |= fault_bit;
	store(e, c.index, l);
}

static int serve(struct td_engine *e, tide_chunk c, unsigned bit, const struct td_event *event,
		 struct tide_error *err)
{
	tide_page page = {event->page};
	uint64_t fault_bit = UINT64_C(1) << bit, size = 1;
	int rc = 0;
	TELL(e, on_fault, c, page);
	bool dirty = (e->tiers.on && td_tiers_fetch(e, c)) || event->write;
	td_set_begin(e, fault_bit);
	if (e->plan_prefetch) {
		rc = td_ask_plan(e, c, page, fault_bit, err);
		if (!rc && e->plan.remote) {
			map_remotely(e, c, fault_bit);
			return 0;
		}
	}
	if (!rc && (e->plan_prefetch || e->whole))
		rc = td_set_settle(e, c, fault_bit, &size, err);
	if (!rc && e->near.free_pages < size)
		rc = make_room(e, fault_bit, &size, err);
	if (rc)
		return rc;
	bring_in(e, c, fault_bit, size, dirty ? fault_bit : 0);
	TELL(e, on_access, c, page, event->ref);
	return 0;
}

__attribute__((noinline, cold)) static int refuse_absent(const struct td_event *event,
							 struct tide_error *err)
{
	return tide_fail(err, -EFAULT,
			 "page %" PRIu64 " is accessed while it does not exist: it is in no map",
			 event->page);
}

int td_engine_fault(struct td_engine *e, tide_chunk c, unsigned bit, const struct td_event *event,
		    struct tide_error *err)
{
	if (e->maps.on && !(td_maps_pages(e, c.index) >> bit & 1))
		return refuse_absent(event, err);
	td_assert(bit < e->near.chunk_pages && !(resident(e, c.index) >> bit & 1));
	td_assert(e->near.fault_chunk.index == UINT32_MAX && (e->held_chunks || !e->near.planned));
	e->counts.faults++;
	e->near.fault_chunk = c;
	e->near.blocked_chunks = blocked_by(e, c);
	if (e->log)
		td_engine_log_fault(e->log, e->near.time, event->page);
	if (e->observing)
		td_observe_fault(e, c);
	int rc = serve(e, c, bit, event, err);
	if (e->log)
		td_engine_log_end(e->log);
	td_set_end(e);
	e->near.fault_chunk = TIDE_NO_CHUNK;
	if (e->observing && !rc)
		rc = td_observe_after(e, c, UINT64_C(1) << bit, err);
	CALLED(e);
	CHECK_SOMETIMES(e);
	return rc;
}

/* ---- pages that come without a fault ---- */

/* The chunk that gave the notice is being accessed: it is no valid victim either. */
static int serve_noticed(struct td_engine *e, tide_chunk c, struct tide_error *err)
{
	uint64_t size;
	e->near.fault_chunk = c;
	e->near.blocked_chunks = blocked_by(e, c);
	int rc = td_set_settle(e, c, 0, &size, err);
	if (!rc && e->near.free_pages < size)
		rc = make_room(e, 0, &size, err);
	e->near.fault_chunk = TIDE_NO_CHUNK;
	if (!rc && size)
		bring_in(e, c, 0, size, 0);
	return rc;
}

int td_engine_bring_noticed(struct td_engine *e, tide_chunk c, const struct td_event *event,
			    enum tide_purpose purpose, struct tide_error *err)
{
	td_set_begin(e, 0);
	int rc = td_ask_plan_noticed(e, c, (tide_page){event->page}, purpose, err);
	if (!rc && (e->plan.own || e->plan.n)) {
		td_engine_log_notice(e->log, e->near.time, event->page);
		rc = serve_noticed(e, c, err);
		td_engine_log_end(e->log);
		td_set_end(e);
	}
	if (!rc && purpose != TIDE_REMOTE)
		rc = td_observe_after(e, c, 0, err);
	CALLED(e);
	return rc;
}

/* ---- what the program asks for ---- */

/* The chunk is about to be accessed: it is no valid victim. */
static int serve_asked(struct td_engine *e, tide_chunk c, struct tide_error *err)
{
	uint64_t size = td_lanes_count(e->plan.own);
	bool dirty = e->tiers.on && td_tiers_fetch(e, c);
	e->near.fault_chunk = c;
	int rc = e->near.free_pages < size ? make_room(e, 0, &size, err) : 0;
	e->near.fault_chunk = TIDE_NO_CHUNK;
	if (!rc && size)
		bring_in(e, c, 0, size, dirty ? e->plan.own : 0);
	return rc;
}

int td_engine_bring(struct td_engine *e, tide_chunk c, uint64_t pages, struct tide_error *err)
{
	uint64_t size;
	td_set_begin(e, 0);
	e->plan.own = pages;
	e->near.blocked_chunks = blocked_by(e, c);
	int rc = td_set_settle(e, c, 0, &size, err);
	if (rc || !size)
		return rc;
	td_engine_log_asked(e->log, e->near.time, number_of(e, c) * e->near.chunk_pages);
	rc = serve_asked(e, c, err);
	td_engine_log_end(e->log);
	CALLED(e);
	return rc;
}

int td_engine_cold(struct td_engine *e, tide_chunk c, struct tide_error *err)
{
	enum tide_placement where = TIDE_TO_TIER2;
	if (!resident(e, c.index))
		return 0;
	int rc = e->tiers.on ? td_tiers_place(e, c, 0, &where, err) : 0;
	if (rc)
		return rc;
	if (where == TIDE_KEEP)
		where = TIDE_TO_TIER2;
	if (e->tiers.on)
		td_tiers_put(e, c, load(e, c.index).dirty, where);
	td_engine_log_cold(e->log, e->near.time, number_of(e, c) * e->near.chunk_pages);
	evict(e, c, (tide_tier){(uint8_t)where});
	td_engine_log_end(e->log);
	CALLED(e);
	return 0;
}
