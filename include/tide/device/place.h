/* Where a victim goes, and what it pushes out of tier 2. One lane, under the shard's lock. */
#ifndef TIDE_DEVICE_PLACE_H
#define TIDE_DEVICE_PLACE_H

#include "slots.h"

/* In the order in which they are tried; what a search found. */
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

/* place reuse: is it spared? If so, it is marked. */
TD_DEV bool td_dev_spare(struct td_dev_control *c, struct td_dev_shard *s, uint32_t page)
{
	struct tide_past *past = &c->past[page];
	if (c->place != TD_DEV_REUSE)
		return false;
	unsigned predicted = tide_weights_predict(td_dev_peek(&c->weights), tide_past_prev(*past));
	tide_past_set_predicted(past, predicted);
	if (predicted != 1 || s->kept >= TIDE_KEEPS_MAX || tide_past_kept(*past))
		return false;
	tide_past_keep(past);
	s->kept++;
	td_dev_count(s, TD_DEV_KEEPS, 1);
	td_dev_note(c, page, 1);
	return true;
}

/* Where pages are weighed. */
TD_DEV bool td_dev_has_claim(struct td_dev_control *c, uint32_t page)
{
	struct tide_returns r = {td_dev_peek(&c->returns)};
	struct tide_weighed comes = {c->away[page], 0,
				     (td_dev_peek(&c->entries[page]) & TD_DEV_DIRTY) != 0};
	return tide_saves(r, comes) > 0;
}

TD_DEV uint32_t td_dev_place_victim(struct td_dev_control *c, struct td_dev_shard *s, uint32_t page)
{
	bool room = s->host_used < s->host_pages;
	switch (c->place) {
	case TD_DEV_BAM: return 3;
	case TD_DEV_TIER_ORDER: return s->host_pages ? 2 : 3;
	case TD_DEV_RANDOM:
		return tide_random_next(&s->random) < c->random_bound && s->host_pages ? 2 : 3;
	default: break;
	}
	s->kept = 0;
	if (c->replaces == TD_DEV_WEIGHS)
		return room || (s->host_pages && td_dev_has_claim(c, page)) ? 2 : 3;
	unsigned predicted = tide_past_predicted(c->past[page]);
	unsigned tier = tide_place(&c->decisions[s - c->shard], predicted, false, room,
				   c->replaces && s->host_pages);
	if (predicted == 3 && tier == 2)
		td_dev_count(s, TD_DEV_LIFTED, 1);
	return tier;
}

/* Does the page in a slot of tier 2 make room for v's? */
TD_DEV bool td_dev_yields(struct td_dev_control *c, const struct td_dev_victim *v, uint32_t slot,
			  uint64_t now)
{
	struct tide_returns r = {td_dev_peek(&c->returns)};
	struct td_dev_since since = c->slot_since[slot];
	uint64_t e = td_dev_peek(&c->entries[c->slot_page[slot]]);
	struct tide_weighed there = {since.away, tide_gone(since.evicted, now),
				     (e & TD_DEV_DIRTY) != 0};
	struct tide_weighed comes = {c->away[v->page], 0, v->dirty != 0};
	return tide_yields(r, there, comes);
}

TD_DEV void td_dev_note_since(struct td_dev_control *c, const struct td_dev_victim *v, uint64_t now)
{
	if (c->replaces != TD_DEV_WEIGHS)
		return;
	c->slot_since[v->slot].evicted = now;
	c->slot_since[v->slot].away = c->away[v->page];
}

/* Where pages are weighed, one that stays is taken for the newest. */
TD_DEV bool td_dev_makes_room(struct td_dev_control *c, struct td_dev_shard *s,
			      const struct td_dev_victim *v, uint32_t slot, uint64_t now)
{
	if (c->replaces != TD_DEV_WEIGHS || td_dev_yields(c, v, slot, now))
		return true;
	td_dev_host_remove(c, s, slot);
	td_dev_host_add(c, s, slot);
	return false;
}

/* The oldest page of tier 2 that makes room for v's leaves it. Its slot is free at once, or once it
 * is written. */
TD_DEV_SLOW uint32_t td_dev_push_oldest(struct td_dev_control *c, struct td_dev_shard *s,
					const struct td_dev_victim *v, uint64_t now)
{
	uint32_t left = c->replaces == TD_DEV_WEIGHS ? TIDE_YIELDS_MAX : UINT32_MAX, next;
	for (uint32_t slot = s->oldest; slot != TD_DEV_NONE && left; slot = next, left--) {
		uint64_t *at = &c->entries[c->slot_page[slot]];
		next = c->slot_next[slot];
		if (!td_dev_makes_room(c, s, v, slot, now))
			continue;
		if (!td_dev_move(at, TD_DEV_TIER2, TD_DEV_STATE, td_dev_entry(TD_DEV_EVICTING, 0)))
			continue; /* somebody wants it, or it is not yet all there */
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

/* The page in the frame is evicting now and ours: where does it go? */
TD_DEV void td_dev_judge(struct td_dev_control *c, struct td_dev_shard *s, struct td_dev_victim *v,
			 uint64_t now)
{
	v->found = TD_DEV_VICTIM;
	v->tier = td_dev_place_victim(c, s, v->page);
	v->slot = v->pushed = TD_DEV_NONE;
	tide_past_evict(&c->past[v->page], now);
	if (v->tier == 2 && s->host_used >= s->host_pages)
		v->pushed = td_dev_push_oldest(c, s, v, now);
	if (v->tier == 2 && !td_dev_host_room(s))
		v->tier = 3; /* none made room, or too many pages of tier 2 are on their way */
	td_dev_note(c, v->page, v->tier);
	if (v->tier == 2 || v->dirty)
		v->slot = td_dev_slot_take(c, s, v->page);
	if (v->tier == 2) {
		td_dev_host_add(c, s, v->slot);
		td_dev_note_since(c, v, now);
	} else if (v->dirty) {
		td_dev_pending(c, v->slot);
		td_dev_writing_add(c, s, v->slot);
	}
	if (v->slot != TD_DEV_NONE) /* so that nobody takes the slot for one that is not needed */
		td_dev_change(&c->entries[v->page], TD_DEV_INDEX, v->slot);
}

#endif
