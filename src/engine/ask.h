/* The questions that the engine asks its policies. An answer is looked at before anything is done
 * with it: here, whether it is one of the valid kind, as nearly all are; in ask.c, what is wrong.
 */
#ifndef TD_ENGINE_ASK_H
#define TD_ENGINE_ASK_H

#include "steps.h"

/* ---- ask.c: an invalid answer ends the run, or is counted and replaced ---- */

int td_ask_replace_victim(struct td_engine *e, tide_chunk *victim, struct tide_error *err);
int td_ask_check_plan(struct td_engine *e, uint64_t fault_bit, struct tide_error *err);
int td_ask_refuse_observed(struct td_engine *e, tide_chunk *c, struct tide_error *err);

/* ---- questions ---- */

ALWAYS bool td_ask_is_victim(struct td_engine *e, tide_chunk c)
{
	return c.index < e->near.chunks && resident(e, c.index) &&
	       tide_valid(&e->box[TD_BOX_EVICT].view, c);
}

/* Asked only where a valid chunk exists. */
ALWAYS int td_ask_victim(struct td_engine *e, tide_chunk *victim, struct tide_error *err)
{
	CALLING(e, pick_victim, 0);
	*victim = e->pick_victim(e->evict_self);
	return __builtin_expect(td_ask_is_victim(e, *victim), 1)
		       ? 0
		       : td_ask_replace_victim(e, victim, err);
}

ALWAYS bool td_ask_follows_lru(struct td_engine *e)
{
	if (!e->follows_lru)
		return true;
	CALLING(e, follows_lru, 0);
	return e->follows_lru(e->evict_self);
}

/* A bool that a policy wrote may be any byte, and to read one that is neither 0 nor 1 is undefined.
 */
ALWAYS unsigned td_ask_byte(const bool *at)
{
	unsigned char byte;
	memcpy(&byte, at, 1);
	return byte;
}

/* Nothing is asked for but pages. Of those that do not exist none comes: see td_set_settle(). */
ALWAYS bool td_ask_is_plain(const struct tide_plan *plan)
{
	return plan->n <= TIDE_PLAN_ENTRIES &&
	       !(td_ask_byte(&plan->overflow) | td_ask_byte(&plan->remote) | plan->arm);
}

/* The answer is e->plan, which td_set_begin() has emptied; where it is replaced, it is so again. */
ALWAYS int td_ask_plan(struct td_engine *e, tide_chunk c, tide_page page, uint64_t fault_bit,
		       struct tide_error *err)
{
	CALLING(e, plan_prefetch, 0);
	e->plan_prefetch(e->box[TD_BOX_PREFETCH].self, c, page, &e->plan);
	return __builtin_expect(td_ask_is_plain(&e->plan), 1)
		       ? 0
		       : td_ask_check_plan(e, fault_bit, err);
}

int td_ask_plan_noticed(struct td_engine *e, tide_chunk c, tide_page page,
			enum tide_purpose purpose, struct tide_error *err);

/* TIDE_NO_CHUNK: none. */
ALWAYS int td_ask_observed(struct td_engine *e, tide_chunk *c, struct tide_error *err)
{
	*c = TIDE_NO_CHUNK;
	if (!e->pick_observed)
		return 0;
	CALLING(e, pick_observed, 0);
	*c = e->pick_observed(e->evict_self);
	return c->index < e->near.chunks || c->index == UINT32_MAX
		       ? 0
		       : td_ask_refuse_observed(e, c, err);
}

/* TIDE_KEEP: the victim, of this fault the kept-th, stays. */
int td_ask_place(struct td_engine *e, tide_chunk victim, unsigned kept, enum tide_placement *where,
		 struct tide_error *err);
bool td_ask_yields(struct td_engine *e, tide_chunk oldest, tide_chunk victim);

#endif
