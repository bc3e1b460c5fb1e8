/* Every answer of a policy, and every member of one, is checked by this file and ask.h. An invalid
 * answer ends the run, or is counted and replaced. The engine ejects a policy that gave too many.
 */
#include "ask.h"

#include <errno.h>
#include <inttypes.h>

/* 0 if the answer is counted and the caller replaces it, else the run ends. */
static int invalid(struct td_engine *e, unsigned which, const char *why, struct tide_error *err)
{
	const struct tide_policy *p = e->box[which].choice.policy;
	const tide_chunk c = e->near.fault_chunk;
	char where[64] = "no fault";
	e->counts.policy_errors++;
	if (e->replace_invalid)
		return ++e->replaced[which] == TD_ENGINE_EJECT_AFTER
			       ? td_engine_eject(e, which, err)
			       : 0;
	CALLED(e);
	if (c.index != UINT32_MAX)
		snprintf(where, sizeof where, "fault in chunk %" PRIu64, number_of(e, c));
	return tide_fail(err, -EPROTO,
			 "%s policy %s gave an invalid answer at access %" PRIu64 " (%s, %" PRIu64
			 " of %" PRIu64 " pages free, %" PRIu64
			 " chunks resident): %s: mend the policy or add `replace_invalid`",
			 td_policy_role_name(p->role), p->name, e->near.time, where,
			 e->near.free_pages, e->near.capacity_pages, e->near.resident_chunks, why);
}

/* ---- the victim ---- */

static const char *why_no_victim(struct td_engine *e, tide_chunk c)
{
	if (c.index == UINT32_MAX)
		return "it named no chunk although one is valid";
	if (c.index >= e->near.chunks)
		return "the chunk does not exist";
	if (!resident(e, c.index))
		return "the chunk is not resident";
	if (c.index == e->near.fault_chunk.index)
		return "the chunk is the one that faulted";
	return "the chunk has a page that is being brought in";
}

/* The valid chunk whose last migration is the oldest. */
static tide_chunk fallback(struct td_engine *e)
{
	const uint32_t *migrated = (const uint32_t *)(void *)e->migrated.at;
	tide_chunk best = TIDE_NO_CHUNK;
	for (uint32_t i = 0; i < e->near.chunks; i++) {
		if (!td_ask_is_victim(e, (tide_chunk){i}))
			continue;
		if (best.index == UINT32_MAX || migrated[i] < migrated[best.index])
			best.index = i;
	}
	return best;
}

int td_ask_replace_victim(struct td_engine *e, tide_chunk *victim, struct tide_error *err)
{
	int rc = invalid(e, TD_BOX_EVICT, why_no_victim(e, *victim), err);
	if (!rc)
		*victim = fallback(e);
	return rc;
}

/* ---- the plan ---- */

static const char *why_no_plan(const struct td_engine *e, bool noticed)
{
	const struct tide_plan *plan = &e->plan;
	const unsigned purposes = 1u << TIDE_FEEDBACK | 1u << TIDE_TRIGGER;
	unsigned needs = e->box[TD_BOX_PREFETCH].choice.needs;
	if (plan->n > TIDE_PLAN_ENTRIES || td_ask_byte(&plan->overflow))
		return "the plan has too many chunks";
	if (td_ask_byte(&plan->remote) > 1)
		return "remote is neither true nor false";
	if (plan->remote && !(needs & TIDE_NEEDS_REMOTE))
		return "it leaves a page in far memory without TIDE_NEEDS_REMOTE among its needs";
	if (plan->remote && noticed)
		return "it leaves a page in far memory although none faulted";
	if (plan->arm & ~purposes)
		return "it arms pages for a purpose that prefetchers do not have";
	if (plan->arm && !(needs & TIDE_NEEDS_NOTICES))
		return "it arms pages without TIDE_NEEDS_NOTICES among its needs";
	return NULL;
}

int td_ask_check_plan(struct td_engine *e, uint64_t fault_bit, struct tide_error *err)
{
	const char *why = why_no_plan(e, !fault_bit);
	if (!why && !e->plan.remote)
		return 0;
	/* What else a plan with remote says does not count. */
	td_set_begin(e, fault_bit);
	e->plan.remote = !why;
	return why ? invalid(e, TD_BOX_PREFETCH, why, err) : 0;
}

int td_ask_plan_noticed(struct td_engine *e, tide_chunk c, tide_page page,
			enum tide_purpose purpose, struct tide_error *err)
{
	const struct td_engine_box *box = &e->box[TD_BOX_PREFETCH];
	if (!box->self || !box->choice.policy->plan_notice)
		return 0;
	CALLING(e, plan_notice, 0);
	box->choice.policy->plan_notice(box->self, c, page, purpose, &e->plan);
	return td_ask_is_plain(&e->plan) ? 0 : td_ask_check_plan(e, 0, err);
}

/* ---- what to observe ---- */

int td_ask_refuse_observed(struct td_engine *e, tide_chunk *c, struct tide_error *err)
{
	*c = TIDE_NO_CHUNK;
	return invalid(e, TD_BOX_EVICT, "it wants to observe a chunk that does not exist", err);
}

/* ---- where victims go ---- */

#define KEEPS_PER_EVICTION 64 /* any policy keeps more pages than are resident only by mistake */

int td_ask_place(struct td_engine *e, tide_chunk victim, unsigned kept, enum tide_placement *where,
		 struct tide_error *err)
{
	const struct td_engine_box *box = &e->box[TD_BOX_PLACE];
	CALLING(e, place_victim, 0);
	int answer = (int)box->choice.policy->place_victim(box->self, victim);
	const char *why = NULL;
	if (answer == TIDE_KEEP && kept > e->near.resident_chunks + KEEPS_PER_EVICTION)
		why = "it keeps every page";
	else if (answer != TIDE_KEEP && answer != TIDE_TO_TIER2 && answer != TIDE_TO_TIER3)
		why = "it named no tier";
	*where = why ? TIDE_TO_TIER3 : (enum tide_placement)answer;
	return why ? invalid(e, TD_BOX_PLACE, why, err) : 0;
}

bool td_ask_yields(struct td_engine *e, tide_chunk oldest, tide_chunk victim)
{
	const struct td_engine_box *box = &e->box[TD_BOX_PLACE];
	CALLING(e, yields, 0);
	return box->choice.policy->yields(box->self, oldest, victim);
}
