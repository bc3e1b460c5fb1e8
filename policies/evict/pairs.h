/* What duel and auto share: duels. A challenger names a victim, and the leader names the next one.
 * The member whose chunk of this pair faults first has lost the duel. Both members chose from the
 * same memory, so it does not matter what the program does or how long it takes until a victim
 * comes back. */
#ifndef TIDE_EVICT_PAIRS_H
#define TIDE_EVICT_PAIRS_H

#include "members.h"

/* The slot of the outer policy. */
struct pair {
	uint8_t cause;  /* 1 + the member that named the chunk when it left; 0: none to blame */
	uint8_t pages;  /* how many pages left with it */
	uint32_t rival; /* index + 1 of the chunk it is in a duel with; 0: none */
};

/* The struct of the outer policy begins with this. */
struct pairs {
	struct members members;
	unsigned leader;
	uint32_t waiting; /* index + 1 of a challenger's victim without a rival yet */
};

static inline struct pair *pair_of(const struct pairs *s, tide_chunk c)
{
	return tide_slot(s->members.view, struct pair, c);
}

/* The first chunk of a pair has come back, and its member loses. Its fault is the price of the
 * frames that it freed: the more frames, the smaller the loss. So the points are the pages that the
 * other chunk freed. They also give every phase of the program its weight in pages. Returns the
 * points of the challenger, negative if it has lost; 0: there was no duel with the leader. */
static inline int64_t pairs_end(const struct pairs *s, tide_chunk loser, unsigned *challenger)
{
	struct pair *lost = pair_of(s, loser);
	if (!lost->rival)
		return 0;
	struct pair *won = pair_of(s, (tide_chunk){lost->rival - 1});
	lost->rival = 0;
	if (won->rival != loser.index + 1)
		return 0; /* the rival came back by prefetch before */
	won->rival = 0;
	bool lead = won->cause - 1U == s->leader;
	if (!lead && lost->cause - 1U != s->leader)
		return 0;
	*challenger = (lead ? lost : won)->cause - 1U;
	return lead ? -(int64_t)won->pages : won->pages;
}

/* A victim leaves. That of a challenger waits for the leader's next one. By then it may have come
 * back, or its member may have become the leader. */
static inline void pairs_begin(struct pairs *s, tide_chunk c, uint64_t resident)
{
	struct pair *at = pair_of(s, c);
	at->cause = (uint8_t)(s->members.named_by + 1);
	at->pages = (uint8_t)__builtin_popcountll(resident);
	s->members.victims[s->members.named_by]++;
	if (s->members.named_by != s->leader) {
		s->waiting = c.index + 1;
		return;
	}
	struct pair *other = s->waiting ? pair_of(s, (tide_chunk){s->waiting - 1}) : NULL;
	if (other && other->cause && other->cause != at->cause) {
		other->rival = c.index + 1;
		at->rival = s->waiting;
	}
	s->waiting = 0;
}

/* A chunk that came back has no cause any more, and is in no duel. If a prefetch brought it back,
 * no member is blamed. */
static inline void pairs_on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct pairs *s = self;
	pair_of(s, c)->cause = 0;
	pair_of(s, c)->rival = 0;
	TELL(&s->members, on_migrated, c, pages);
}

#endif
