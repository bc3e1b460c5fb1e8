/* Between the files that serve faults and notices: fault.c, set.c, observe.c, tiers.c. */
#ifndef TD_ENGINE_STEPS_H
#define TD_ENGINE_STEPS_H

#include "core/assert.h"
#include "engine.h"
#include "lanes.h"

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

static inline uint64_t number_of(const struct td_engine *e, tide_chunk c)
{
	return tide_chunk_number(&e->box[TD_BOX_EVICT].view, c);
}

/* The policy answered wrongly: 0 if that is to be counted and replaced, else the run ends. */
int td_engine_invalid(struct td_engine *e, const struct tide_policy *p, const char *why,
		      struct tide_error *err);

/* Why a chunk is not a valid victim, NULL if it is. */
const char *td_engine_why_invalid(struct td_engine *e, tide_chunk c);

/* At the end of a call, now and then: a walk of all chunks costs each call as much as a step. */
#define CHECK_SOMETIMES(e) \
	td_assert((e)->counts.faults % ((uint64_t)(e)->near.chunks + 4096) || \
		  td_engine_check(e) == 0)

/* ---- set.c: the pages to bring in ---- */

/* Empties the plan but for the faulting page of chunk c. */
void td_set_begin(struct td_engine *e, uint64_t fault_bit);
/* Makes of the answered plan a set: what is absent, in range and fits. */
int td_set_settle(struct td_engine *e, const struct tide_policy *p, tide_chunk c,
		  uint64_t fault_bit, uint64_t *size, struct tide_error *err);
/* Takes the highest-numbered page other than the faulting one out of the set. */
void td_set_drop_highest(struct td_engine *e, uint64_t fault_bit);
void td_set_end(struct td_engine *e);
uint64_t td_set_pages(const struct td_engine *e); /* in the set */

/* ---- observe.c ---- */

void td_observe_init(struct td_engine *e);
/* After a fault or a notice is fully served. */
void td_observe_after(struct td_engine *e, tide_chunk c, uint64_t fault_bit);
void td_observe_fault(struct td_engine *e, tide_chunk c);
/* The chunk leaves: was it observed, and what for? */
void td_observe_evicted(struct td_engine *e, tide_chunk c, const struct td_lanes *l,
			struct tide_evicted *what);
/* No armed page of it is left. */
void td_observe_forget(struct td_engine *e, tide_chunk c);

/* ---- tiers.c ---- */

/* The page comes up from tier 2 or 3: was it dirty in tier 2? */
bool td_tiers_fetch(struct td_engine *e, tide_chunk c);
/* Where the placement policy puts the victim; TIDE_KEEP: nowhere. */
int td_tiers_place(struct td_engine *e, tide_chunk victim, unsigned kept,
		   enum tide_placement *where, struct tide_error *err);
void td_tiers_put(struct td_engine *e, tide_chunk victim, bool dirty, enum tide_placement where);

/* Its slot is free again; where there is none, nothing happens. */
void td_tiers_forget(struct td_engine *e, tide_chunk c);

/* ---- maps.c ---- */

void td_maps_init(struct td_engine *e, bool on);
/* The pages of a chunk that exist. */
uint64_t td_maps_pages(const struct td_engine *e, uint64_t number);

#endif
