/* What the files that serve faults and notices share: fault.c, ask.c, set.c, observe.c, tiers.c. */
#ifndef TD_ENGINE_STEPS_H
#define TD_ENGINE_STEPS_H

#include "core/assert.h"
#include "engine.h"
#include "lanes.h"

/* Which callback runs now: a watchdog names one that does not return. */
#define CALLING(e, what, ear) ((e)->call = (uint16_t)(TD_CALL_##what | (ear) << 8))
#define CALLING_BOX(e, what, box) CALLING(e, what, (unsigned)TD_CALL_BOX | (unsigned)(box))
#define CALLED(e) ((e)->call = TD_CALL_NONE)

/* Tells all policies that have a callback; mostly that is one. */
#define TELL(e, callback, ...) \
	do { \
		if (!(e)->ears.callback[0].fn) \
			break; \
		CALLING(e, callback, 0); \
		(e)->ears.callback[0].fn((e)->ears.callback[0].self, ##__VA_ARGS__); \
		if (__builtin_expect(!(e)->ears.callback[1].fn, 1)) \
			break; \
		for (unsigned i_ = 1; (e)->ears.callback[i_].fn; i_++) { \
			CALLING(e, callback, i_); \
			(e)->ears.callback[i_].fn((e)->ears.callback[i_].self, ##__VA_ARGS__); \
		} \
	} while (0)

/* Always inlined, so that lanes that are not used cost nothing. */
#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS struct td_lanes load(struct td_engine *e, uint32_t index)
{
	td_assert(index < e->near.chunks);
	return td_lanes_load(td_engine_record(e, index), e->near.lane_bytes);
}

ALWAYS void store(struct td_engine *e, uint32_t index, struct td_lanes lanes)
{
	td_assert(index < e->near.chunks);
	td_assert(!((lanes.touched | lanes.dirty) & ~lanes.resident));
	td_lanes_store(td_engine_record(e, index), e->near.lane_bytes, lanes);
}

ALWAYS uint64_t resident(struct td_engine *e, uint32_t index)
{
	return load(e, index).resident;
}

ALWAYS bool is_held(struct td_engine *e, uint32_t index)
{
	return e->held_chunks &&
	       ((const uint64_t *)(void *)e->planned.at)[index / 64] >> (index % 64) & 1;
}

static inline uint64_t number_of(const struct td_engine *e, tide_chunk c)
{
	return tide_chunk_number(&e->box[TD_BOX_EVICT].view, c);
}

/* At the end of a call, now and then: seldom enough that the walk over all chunks costs each call
 * no more than one step. */
#define CHECK_SOMETIMES(e) \
	td_assert((e)->counts.faults % ((uint64_t)(e)->near.chunks + 4096) || \
		  td_engine_check(e) == 0)

/* ---- set.c: the pages to bring in ---- */

/* Empties the plan, except for the faulting page. */
void td_set_begin(struct td_engine *e, uint64_t fault_bit);
/* Makes the answered plan a set: the pages that are absent, in range and fit. */
int td_set_settle(struct td_engine *e, tide_chunk c, uint64_t fault_bit, uint64_t *size,
		  struct tide_error *err);
/* Takes the highest-numbered page other than the faulting one out of the set; where chunks move as
 * a whole, the highest-numbered chunk. How many pages were that? */
uint64_t td_set_drop_highest(struct td_engine *e, uint64_t fault_bit);
void td_set_end(struct td_engine *e);
uint64_t td_set_pages(const struct td_engine *e); /* in the set */

/* ---- observe.c ---- */

int td_observe_init(struct td_engine *e, struct tide_error *err);
/* Call it after a fault or a notice is fully served. */
int td_observe_after(struct td_engine *e, tide_chunk c, uint64_t fault_bit, struct tide_error *err);
void td_observe_fault(struct td_engine *e, tide_chunk c);
/* The chunk leaves: was it observed, and what for? */
void td_observe_evicted(struct td_engine *e, tide_chunk c, const struct td_lanes *l,
			struct tide_evicted *what);
/* No armed page of the chunk is left. */
void td_observe_forget(struct td_engine *e, tide_chunk c);

/* ---- tiers.c ---- */

/* The page comes up from tier 2 or 3: was it dirty in tier 2? */
bool td_tiers_fetch(struct td_engine *e, tide_chunk c);
/* Where the placement policy puts the victim; TIDE_KEEP: nowhere. */
int td_tiers_place(struct td_engine *e, tide_chunk victim, unsigned kept,
		   enum tide_placement *where, struct tide_error *err);
void td_tiers_put(struct td_engine *e, tide_chunk victim, bool dirty, enum tide_placement where);

/* Frees the page's slot of tier 2, if it has one. */
void td_tiers_forget(struct td_engine *e, tide_chunk c);

/* ---- box.c ---- */

static inline unsigned td_box_of(enum tide_role role)
{
	return role == TIDE_EVICT      ? TD_BOX_EVICT
	       : role == TIDE_PREFETCH ? TD_BOX_PREFETCH
				       : TD_BOX_PLACE;
}

int td_box_fill(struct td_engine *e, struct td_engine_box *box, struct td_policy_choice *choice,
		struct tide_error *err);
void td_box_empty(struct td_engine *e, struct td_engine_box *box);
void td_box_publish(struct td_engine_box *box); /* its slots may have moved */
int td_box_reserve(struct td_engine_box *box, uint64_t chunks);
uint64_t td_box_bytes(const struct td_engine_box *box);
void td_box_find_ears(struct td_engine *e);
/* Does no policy but the eviction policy hear what happens? */
bool td_box_evict_alone(const struct td_engine *e);
/* What takes over from the policy of each box that answers wrongly too often, made ready where
 * nothing may be allocated later. */
int td_box_fill_spares(struct td_engine *e, struct tide_error *err);
/* Has no policy written behind its state or its slots? */
int td_box_check_guards(const struct td_engine *e, struct tide_error *err);

/* ---- maps.c ---- */

void td_maps_init(struct td_engine *e, bool on);
/* The pages of a chunk that exist. */
uint64_t td_maps_pages(const struct td_engine *e, uint64_t number);

#endif
