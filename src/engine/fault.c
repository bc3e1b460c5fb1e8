/* A fault, from the first notice to the access that caused it: steps 2 to 5 of the model. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine.h"
#include "lanes.h"
#include "log.h"

/* Tells everybody who listens to a callback; mostly that is one. */
#define TELL(e, callback, ...) \
	do { \
		if (!(e)->ears.callback[0].fn) \
			break; \
		(e)->ears.callback[0].fn((e)->ears.callback[0].self, ##__VA_ARGS__); \
		if (__builtin_expect(!(e)->ears.callback[1].fn, 1)) \
			break; \
		for (unsigned i_ = 1; (e)->ears.callback[i_].fn; i_++) \
			(e)->ears.callback[i_].fn((e)->ears.callback[i_].self, ##__VA_ARGS__); \
	} while (0)

/* Inlined, so that lanes nobody looks at cost nothing. */
#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS struct td_lanes load(struct td_engine *e, uint32_t index)
{
	return td_lanes_load(td_engine_record(e, index), e->near.lane_bytes);
}

ALWAYS void store(struct td_engine *e, uint32_t index, struct td_lanes lanes)
{
	td_lanes_store(td_engine_record(e, index), e->near.lane_bytes, lanes);
}

ALWAYS uint64_t resident(struct td_engine *e, uint32_t index)
{
	return load(e, index).resident;
}

static uint64_t number_of(const struct td_engine *e, tide_chunk c)
{
	return tide_chunk_number(&e->box[TD_BOX_EVICT].view, c);
}

static uint64_t own_number(const struct td_engine *e)
{
	return number_of(e, e->near.fault_chunk);
}

/* ---- step 3: the set ---- */

/* Pages of a chunk that lie in the address range. */
static uint64_t in_range(const struct td_engine *e, uint64_t number)
{
	uint64_t whole = UINT64_MAX >> (64 - e->near.chunk_pages);
	uint64_t last = td_space_number(&e->space, e->near.last_page);
	if (number != last)
		return number < last ? whole : 0;
	return whole >> (e->near.chunk_pages - 1 - e->near.last_page % e->near.chunk_pages);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct tide_plan_entry *)a)->number;
	uint64_t y = ((const struct tide_plan_entry *)b)->number;
	return (x > y) - (x < y);
}

static void sort_others(struct tide_plan *plan)
{
	for (uint32_t i = 1; i < plan->n; i++) {
		if (plan->other[i - 1].number >= plan->other[i].number) {
			qsort(plan->other, plan->n, sizeof *plan->other, by_number);
			return;
		}
	}
}

static void block(struct td_engine *e, uint32_t index)
{
	((uint64_t *)(void *)e->planned.at)[index / 64] |= UINT64_C(1) << (index % 64);
	e->near.blocked_chunks += resident(e, index) != 0;
}

static void unblock(struct td_engine *e, uint32_t index)
{
	((uint64_t *)(void *)e->planned.at)[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* The other chunks of the plan: sorted, merged, in range, not resident, with an index. */
static int settle_others(struct td_engine *e, uint64_t *size)
{
	struct tide_plan *plan = &e->plan;
	uint32_t kept = 0;
	sort_others(plan);
	for (uint32_t i = 0; i < plan->n; i++) {
		struct tide_plan_entry at = plan->other[i];
		for (; i + 1 < plan->n && plan->other[i + 1].number == at.number; i++)
			at.pages |= plan->other[i + 1].pages;
		at.pages &= in_range(e, at.number);
		if (at.number == own_number(e)) {
			plan->own |= at.pages;
			continue;
		}
		if (!at.pages)
			continue;
		int rc = td_engine_index(e, at.number, &at.index);
		if (rc)
			return rc;
		at.pages &= ~resident(e, at.index);
		if (!at.pages)
			continue;
		plan->other[kept++] = at;
		*size += td_lanes_count(at.pages);
	}
	plan->n = kept;
	for (uint32_t i = 0; i < kept; i++)
		block(e, plan->other[i].index);
	e->near.planned = kept ? (const uint64_t *)(void *)e->planned.at : NULL;
	return 0;
}

/* Takes the highest-numbered page other than the faulting one out of the set. */
static void drop_highest(struct td_engine *e, uint64_t fault_bit)
{
	struct tide_plan *plan = &e->plan;
	uint64_t own = plan->own & ~fault_bit;
	struct tide_plan_entry *last = plan->n ? &plan->other[plan->n - 1] : NULL;
	if (!last || (own && own_number(e) > last->number)) {
		plan->own &= ~(UINT64_C(1) << (63 - __builtin_clzll(own)));
		return;
	}
	last->pages &= ~(UINT64_C(1) << (63 - __builtin_clzll(last->pages)));
	if (last->pages)
		return;
	unblock(e, last->index);
	e->near.blocked_chunks -= resident(e, last->index) != 0;
	plan->n--;
}

static int count_error(struct td_engine *e, const struct tide_policy *p, const char *why,
		       struct tide_error *err)
{
	e->counts.policy_errors++;
	if (e->replace_invalid)
		return 0;
	return tide_fail(err, -EPROTO,
			 "%s policy %s gave an invalid answer at access %" PRIu64
			 " (fault in chunk %" PRIu64 ", %" PRIu64 " of %" PRIu64
			 " pages free, %" PRIu64
			 " chunks resident): %s: mend the policy or add --replace-invalid",
			 td_policy_role_name(p->role), p->name, e->near.time, own_number(e),
			 e->near.free_pages, e->near.capacity_pages, e->near.resident_chunks, why);
}

/* Asks for the plan and makes it the set: what is absent, in range and fits. */
static int plan_set(struct td_engine *e, tide_chunk c, tide_page page, uint64_t fault_bit,
		    uint64_t *size, struct tide_error *err)
{
	const struct tide_policy *p = e->box[TD_BOX_PREFETCH].choice.policy;
	struct tide_plan *plan = &e->plan;
	plan->own = fault_bit;
	plan->n = 0;
	plan->overflow = false;
	*size = 1;
	if (!p || !p->plan_prefetch)
		return 0;
	p->plan_prefetch(e->box[TD_BOX_PREFETCH].self, c, page, plan);
	if (plan->overflow) {
		plan->own = fault_bit;
		plan->n = 0;
		return count_error(e, p, "the plan has too many chunks", err);
	}
	*size = 0;
	if (plan->n && settle_others(e, size))
		return tide_fail(err, -ENOMEM, "out of memory for the state of the chunks");
	plan->own &= in_range(e, own_number(e)) & ~resident(e, c.index);
	plan->own |= fault_bit;
	*size += td_lanes_count(plan->own);
	for (; *size > e->near.capacity_pages; --*size)
		drop_highest(e, fault_bit);
	return 0;
}

/* ---- step 4: room ---- */

/* Why an answer is not a valid victim, NULL if it is. */
static const char *why_invalid(struct td_engine *e, tide_chunk c)
{
	if (c.index == UINT32_MAX)
		return "it named no chunk although one is valid";
	if (c.index >= e->near.chunks)
		return "the chunk does not exist";
	if (!resident(e, c.index))
		return "the chunk is not resident";
	if (c.index == e->near.fault_chunk.index)
		return "the chunk is the one that faulted";
	if (!tide_valid(&e->box[TD_BOX_EVICT].view, c))
		return "the chunk has a page that is being brought in";
	return NULL;
}

/* The valid chunk whose last migration is the oldest. */
static tide_chunk fallback(struct td_engine *e)
{
	const uint64_t *migrated = (const uint64_t *)(void *)e->migrated.at;
	tide_chunk best = TIDE_NO_CHUNK;
	for (uint32_t i = 0; i < e->near.chunks; i++) {
		if (why_invalid(e, (tide_chunk){i}))
			continue;
		if (best.index == UINT32_MAX || migrated[i] < migrated[best.index])
			best.index = i;
	}
	return best;
}

static int choose_victim(struct td_engine *e, tide_chunk *victim, struct tide_error *err)
{
	struct td_engine_box *box = &e->box[TD_BOX_EVICT];
	*victim = e->pick_victim(e->evict_self);
	const char *why = why_invalid(e, *victim);
	if (__builtin_expect(!why, 1))
		return 0;
	int rc = count_error(e, box->choice.policy, why, err);
	if (rc)
		return rc;
	*victim = fallback(e);
	if (++e->replaced == TD_ENGINE_EJECT_AFTER)
		return td_engine_eject(e, err);
	return 0;
}

static void evict(struct td_engine *e, tide_chunk victim)
{
	struct td_lanes l = load(e, victim.index);
	struct tide_evicted what = {l.resident, l.touched, l.dirty, false};
	uint64_t pages = td_lanes_count(l.resident);
	e->counts.evicted_chunks++;
	e->counts.evicted_pages += pages;
	e->counts.writeback_pages += td_lanes_count(l.dirty);
	e->counts.untouched_evicted_pages += td_lanes_count(l.resident & ~l.touched);
	TELL(e, on_evicted, victim, &what);
	if (e->log)
		td_engine_log_evict(e->log, number_of(e, victim));
	store(e, victim.index, (struct td_lanes){0});
	e->near.free_pages += pages;
	e->near.resident_chunks--;
}

static int make_room(struct td_engine *e, uint64_t fault_bit, uint64_t *size,
		     struct tide_error *err)
{
	if (!e->full) {
		e->full = true;
		TELL(e, on_full);
	}
	while (e->near.free_pages < *size) {
		if (e->near.resident_chunks == e->near.blocked_chunks) {
			drop_highest(e, fault_bit);
			--*size;
			continue;
		}
		tide_chunk victim;
		int rc = choose_victim(e, &victim, err);
		if (rc)
			return rc;
		evict(e, victim);
	}
	return 0;
}

/* ---- step 5: the set becomes resident ---- */

static void make_resident(struct td_engine *e, uint32_t index, uint64_t pages, uint64_t touched,
			  uint64_t dirty)
{
	struct td_lanes l = load(e, index);
	e->near.resident_chunks += !l.resident;
	l.resident |= pages;
	l.touched |= touched;
	l.dirty |= dirty;
	store(e, index, l);
	if (e->migrated.at)
		((uint64_t *)(void *)e->migrated.at)[index] = ++e->migrations;
	if (e->log)
		td_engine_log_bring(e->log, number_of(e, (tide_chunk){index}) * e->near.chunk_pages,
				    pages);
}

static void bring_in(struct td_engine *e, tide_chunk c, uint64_t fault_bit, uint64_t size,
		     bool write)
{
	const struct tide_plan *plan = &e->plan;
	make_resident(e, c.index, plan->own, fault_bit, write ? fault_bit : 0);
	for (uint32_t i = 0; i < plan->n; i++)
		make_resident(e, plan->other[i].index, plan->other[i].pages, 0, 0);
	e->near.free_pages -= size;
	e->counts.migrated_pages += size;
	e->counts.prefetched_pages += size - 1;
	TELL(e, on_migrated, c, plan->own);
	for (uint32_t i = 0; i < plan->n; i++)
		TELL(e, on_migrated, (tide_chunk){plan->other[i].index}, plan->other[i].pages);
}

static int serve(struct td_engine *e, tide_chunk c, unsigned bit, const struct tide_event *event,
		 struct tide_error *err)
{
	tide_page page = {event->page};
	uint64_t fault_bit = UINT64_C(1) << bit, size;
	TELL(e, on_fault, c, page);
	int rc = plan_set(e, c, page, fault_bit, &size, err);
	if (!rc && e->near.free_pages < size)
		rc = make_room(e, fault_bit, &size, err);
	if (rc)
		return rc;
	bring_in(e, c, fault_bit, size, event->write);
	TELL(e, on_access, c, page, event->ref);
	return 0;
}

int td_engine_fault(struct td_engine *e, tide_chunk c, unsigned bit, const struct tide_event *event,
		    struct tide_error *err)
{
	e->counts.faults++;
	e->near.fault_chunk = c;
	e->near.blocked_chunks = resident(e, c.index) != 0;
	if (e->log)
		td_engine_log_fault(e->log, e->near.time, event->page);
	int rc = serve(e, c, bit, event, err);
	if (e->log)
		td_engine_log_end(e->log);
	if (e->near.planned) {
		for (uint32_t i = 0; i < e->plan.n; i++)
			unblock(e, e->plan.other[i].index);
		e->near.planned = NULL;
	}
	e->near.fault_chunk = TIDE_NO_CHUNK;
	return rc;
}

/* ---- the same for chunks of one page ----
 *
 * Demand paging over single pages is what cache studies run by the hundred million faults, and
 * most of the steps above fall away: the set is the page, its chunk is absent, so every resident
 * chunk is valid; whatever is resident was touched; and the counts follow from the number of
 * faults. A record is one word: resident, touched and dirty are bits 0, 8 and 16. */

#define RESIDENT_TOUCHED 0x101u

__attribute__((noinline, cold)) static int refuse_page(struct td_engine *e, tide_chunk victim,
						       struct tide_error *err)
{
	return count_error(e, e->box[TD_BOX_EVICT].choice.policy, why_invalid(e, victim), err);
}

__attribute__((noinline, cold)) static void become_full(struct td_engine *e)
{
	e->full = true;
	TELL(e, on_full);
}

int td_engine_fault_page(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
			 struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	tide_chunk c = {e->index[i]};
	e->near.fault_chunk = c;
	TELL(e, on_fault, c, (tide_page){batch->page[i]});
	if (__builtin_expect(e->near.free_pages != 0, 0)) {
		e->near.free_pages--;
		e->near.resident_chunks++;
	} else {
		if (__builtin_expect(!e->full, 0))
			become_full(e);
		tide_chunk victim = e->pick_victim(e->evict_self);
		if (__builtin_expect(victim.index >= e->near.chunks || !records[victim.index], 0))
			return refuse_page(e, victim, err);
		struct tide_evicted what = {1, 1, records[victim.index] >> 16, false};
		e->counts.writeback_pages += what.dirty;
		TELL(e, on_evicted, victim, &what);
		records[victim.index] = 0;
	}
	records[c.index] = RESIDENT_TOUCHED | (uint32_t)batch->write[i] << 16;
	TELL(e, on_migrated, c, 1);
	TELL(e, on_access, c, (tide_page){batch->page[i]}, batch->ref[i]);
	e->near.fault_chunk = TIDE_NO_CHUNK;
	return 0;
}

void td_engine_count_pages(struct td_engine *e, uint64_t faults, uint64_t came_into_free)
{
	e->counts.faults += faults;
	e->counts.migrated_pages += faults;
	e->counts.evicted_chunks += faults - came_into_free;
	e->counts.evicted_pages += faults - came_into_free;
}
