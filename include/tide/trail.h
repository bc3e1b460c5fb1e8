/* Walking a long list costs a miss of the cache at every step, since the next entry is known only
 * when this one has arrived. Where entries keep their order, each can remember the one that stood
 * a few steps further on when they were put there, and a walk can ask for that one in time.
 *
 *     a -> b -> .. -> h -> i        a.ahead = i
 *
 * The memory is a hint: when it is out of date, only the prefetch is wasted. */
#ifndef TIDE_TRAIL_H
#define TIDE_TRAIL_H

#include "list.h"
#include "policy.h"

struct tide_walked {
	struct tide_link link;
	uint32_t ahead; /* index + 1, 0: not known */
	uint8_t used;
	uint8_t queue; /* of a policy that has several */
};

#define TIDE_TRAIL 8

struct tide_trail {
	uint32_t last[TIDE_TRAIL]; /* index + 1 of the entries put in order before, a ring */
	unsigned at;
};

static inline struct tide_links tide_walked_links(const struct tide_view *v)
{
	return (struct tide_links){v->slots, sizeof(struct tide_walked)};
}

/* i now stands after all that came here before it. */
static inline void tide_trail_put(struct tide_trail *t, const struct tide_view *v, uint32_t i)
{
	uint32_t behind = t->last[t->at];
	if (behind)
		tide_slot(v, struct tide_walked, (tide_chunk){behind - 1})->ahead = i + 1;
	t->last[t->at] = i + 1;
	t->at = (t->at + 1) % TIDE_TRAIL;
}

/* At a step of a walk among chunks that have left. */
__attribute__((always_inline)) static inline void tide_trail_look_gone(const struct tide_view *v,
								       const struct tide_walked *at)
{
	if (at->ahead)
		__builtin_prefetch(tide_slot(v, struct tide_walked, (tide_chunk){at->ahead - 1}),
				   1);
}

/* At a step of a walk among those that are here: the one ahead may be a victim. */
__attribute__((always_inline)) static inline void tide_trail_look(const struct tide_view *v,
								  const struct tide_walked *at)
{
	if (at->ahead) {
		tide_chunk c = {at->ahead - 1};
		__builtin_prefetch(tide_slot(v, struct tide_walked, c), 1);
		tide_expect(v, c);
	}
}

#endif
