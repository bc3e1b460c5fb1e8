/* Where a victim goes, and what it pushes out of tier 2. One lane, under the shard's lock. */
#ifndef TIDE_DEVICE_PLACE_H
#define TIDE_DEVICE_PLACE_H

#include "slots.h"

/* Many warps change shared words of a placement at once. */
#define TIDE_SHARED_READ(at) td_dev_peek(at)
#define TIDE_SHARED_CAS(at, old, to) td_dev_cas(at, old, to)

/* Made by the build from policies/place. */
#include <tide/device/placements.h>
#include <tide/device/rules.h>

/* What a search found, in the order in which it tries. */
enum td_dev_found {
	TD_DEV_NO_FRAME, /* none just now */
	TD_DEV_FREE,     /* a frame without a page */
	TD_DEV_VICTIM,   /* a frame whose page must be carried away first */
};

struct td_dev_victim {
	enum td_dev_found found;
	uint32_t frame, page;
	uint32_t slot; /* tier 2, or tier 3 and dirty: where it goes */
	uint32_t tier; /* 2 or 3 */
	uint32_t dirty;
	uint32_t pushed; /* slot of the tier 2 page that must be written now, or TD_DEV_NONE */
};

TD_DEV void td_dev_note(struct td_dev_control *c, uint32_t page, uint32_t tier)
{
	if (!c->log)
		return;
	uint64_t at = td_dev_add(&c->log_used, 1);
	if (at < c->log_room) {
		c->log[at].page = page;
		c->log[at].tier = tier;
	}
}

/* ---- the placement's rules, by its number ---- */

TD_DEV struct tide_leaver td_dev_leaver(struct td_dev_control *c, uint32_t page, uint64_t now,
					bool dirty)
{
	struct tide_leaver v = {c->own + (uint64_t)page * c->placing.page_words, now, dirty};
	return v;
}

#define TD_DEV_KEEPS_CASE(name) \
	case TIDE_PLACES_##name: \
		return tide_##name##_keeps(&c->placing, v, may);
#define TD_DEV_TIER_CASE(name) \
	case TIDE_PLACES_##name: \
		return tide_##name##_tier(&c->placing, v, room);
#define TD_DEV_YIELDS_CASE(name) \
	case TIDE_PLACES_##name: \
		return tide_##name##_yields(&c->placing, there, comes);
#define TD_DEV_LEFT_CASE(name) \
	case TIDE_PLACES_##name: tide_##name##_left(&c->placing, v); return;

TD_DEV bool td_dev_keeps(struct td_dev_control *c, struct tide_leaver v, bool may)
{
	switch (c->place) {
		TIDE_PLACEMENTS(TD_DEV_KEEPS_CASE)
	default: return false;
	}
}

TD_DEV struct tide_answer td_dev_tier(struct td_dev_control *c, struct tide_leaver v,
				      struct tide_room room)
{
	struct tide_answer storage = {3, false};
	switch (c->place) {
		TIDE_PLACEMENTS(TD_DEV_TIER_CASE)
	default: return storage;
	}
}

TD_DEV bool td_dev_yields(struct td_dev_control *c, struct tide_leaver there,
			  struct tide_leaver comes)
{
	switch (c->place) {
		TIDE_PLACEMENTS(TD_DEV_YIELDS_CASE)
	default: return true;
	}
}

TD_DEV void td_dev_left_near(struct td_dev_control *c, struct tide_leaver v)
{
	switch (c->place) {
		TIDE_PLACEMENTS(TD_DEV_LEFT_CASE)
	default: return;
	}
}

/* ---- victims ---- */

/* Is the page spared? */
TD_DEV bool td_dev_spare(struct td_dev_control *c, struct td_dev_shard *s, uint32_t page,
			 uint64_t now, bool dirty)
{
	if (!td_dev_keeps(c, td_dev_leaver(c, page, now, dirty), s->kept < TIDE_KEEPS_MAX))
		return false;
	s->kept++;
	td_dev_count(s, TD_DEV_KEEPS, 1);
	td_dev_note(c, page, 1);
	return true;
}

TD_DEV uint32_t td_dev_place_victim(struct td_dev_control *c, struct td_dev_shard *s,
				    struct tide_leaver v)
{
	struct tide_room room = {s->host_pages != 0, s->host_used < s->host_pages, &s->random,
				 c->decisions ? &c->decisions[s - c->shard] : NULL};
	struct tide_answer answer = td_dev_tier(c, v, room);
	s->kept = 0;
	if (answer.lifted)
		td_dev_count(s, TD_DEV_LIFTED, 1);
	return answer.tier;
}

/* What a page in a slot of tier 2 is weighed by. The shard's lock is held, but a warp that wants
 * the page may change its words at any time. */
TD_DEV void td_dev_note_own(struct td_dev_control *c, const struct td_dev_victim *v)
{
	uint32_t n = c->placing.page_words;
	for (uint32_t i = 0; c->placing.weighs && i < n; i++)
		c->slot_own[(uint64_t)v->slot * n + i] = c->own[(uint64_t)v->page * n + i];
}

/* Does the page in a slot of tier 2 make room for v's page? If the placement weighs pages, a page
 * that stays counts as the newest. */
TD_DEV bool td_dev_makes_room(struct td_dev_control *c, struct td_dev_shard *s,
			      const struct td_dev_victim *v, uint32_t slot, uint64_t now)
{
	if (!c->placing.weighs)
		return true;
	uint64_t e = td_dev_peek(&c->entries[c->slot_page[slot]]);
	struct tide_leaver there = {c->slot_own + (uint64_t)slot * c->placing.page_words, now,
				    (e & TD_DEV_DIRTY) != 0};
	if (td_dev_yields(c, there, td_dev_leaver(c, v->page, now, v->dirty != 0)))
		return true;
	td_dev_host_remove(c, s, slot);
	td_dev_host_add(c, s, slot);
	return false;
}

/* Removes the oldest page of tier 2 that makes room for v's page. Its slot is free at once, or
 * when the page is written. */
TD_DEV_SLOW uint32_t td_dev_push_oldest(struct td_dev_control *c, struct td_dev_shard *s,
					const struct td_dev_victim *v, uint64_t now)
{
	uint32_t left = c->placing.weighs ? TIDE_YIELDS_MAX : UINT32_MAX, next;
	for (uint32_t slot = s->oldest; slot != TD_DEV_NONE && left; slot = next, left--) {
		uint64_t *at = &c->entries[c->slot_page[slot]];
		next = c->slot_next[slot];
		if (!td_dev_makes_room(c, s, v, slot, now))
			continue;
		if (!td_dev_move(at, TD_DEV_TIER2, TD_DEV_STATE, td_dev_entry(TD_DEV_EVICTING, 0)))
			continue; /* a warp wants the page, or it is not yet complete */
		td_dev_host_remove(c, s, slot);
		if (td_dev_peek(at) & TD_DEV_DIRTY) {
			td_dev_pending(c, slot);
			td_dev_writing_add(c, s, slot);
			return slot;
		}
		td_dev_change(at, TD_DEV_STATE | TD_DEV_INDEX, td_dev_entry(TD_DEV_ABSENT, 0));
		td_dev_slot_free(c, s, slot);
		return TD_DEV_NONE;
	}
	return TD_DEV_NONE;
}

/* Decides where the page in the frame goes. It is evicting, and ours. */
TD_DEV void td_dev_judge(struct td_dev_control *c, struct td_dev_shard *s, struct td_dev_victim *v,
			 uint64_t now)
{
	struct tide_leaver leaver = td_dev_leaver(c, v->page, now, v->dirty != 0);
	v->found = TD_DEV_VICTIM;
	v->tier = td_dev_place_victim(c, s, leaver);
	v->slot = v->pushed = TD_DEV_NONE;
	td_dev_left_near(c, leaver);
	if (v->tier == 2 && s->host_used >= s->host_pages)
		v->pushed = td_dev_push_oldest(c, s, v, now);
	if (v->tier == 2 && !td_dev_host_room(s))
		v->tier = 3; /* no page made room, or too many pages of tier 2 are on their way */
	td_dev_note(c, v->page, v->tier);
	if (v->tier == 2 || v->dirty)
		v->slot = td_dev_slot_take(c, s, v->page);
	if (v->tier == 2) {
		td_dev_host_add(c, s, v->slot);
		td_dev_note_own(c, v);
	} else if (v->dirty) {
		td_dev_pending(c, v->slot);
		td_dev_writing_add(c, s, v->slot);
	}
	if (v->slot != TD_DEV_NONE) /* so that no warp takes the slot for an unused one */
		td_dev_change(&c->entries[v->page], TD_DEV_INDEX, v->slot);
}

#endif
