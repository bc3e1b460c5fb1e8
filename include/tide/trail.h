/* A walk over a long list costs a cache miss at every step, because the next entry is known only
 * when the present one has arrived. A trail helps where entries keep their order. Each entry
 * remembers the entry that was put into the list TIDE_TRAIL steps later. A walk prefetches that
 * entry in time.
 *
 *     a -> b -> .. -> h -> i        a.ahead = i
 *
 * The remembered entry is a hint. If it is out of date, only the prefetch is wasted. */
#ifndef TIDE_TRAIL_H
#define TIDE_TRAIL_H

#include "list.h"
#include "policy.h"

struct tide_walked {
	struct tide_link link;
	uint32_t ahead; /* index + 1, 0: not known */
	uint8_t used;
	uint8_t queue; /* for a policy that has several queues */
};

#define TIDE_TRAIL 8

struct tide_trail {
	uint32_t last[TIDE_TRAIL]; /* a ring: index + 1 of each of the entries put last */
	unsigned at;
};

static inline struct tide_links tide_walked_links(const struct tide_view *v)
{
	return (struct tide_links){v->slots, sizeof(struct tide_walked)};
}

/* Chunk i now stands after all entries that were put before it. */
static inline void tide_trail_put(struct tide_trail *t, const struct tide_view *v, uint32_t i)
{
	uint32_t behind = t->last[t->at];
	if (behind)
		tide_slot(v, struct tide_walked, (tide_chunk){behind - 1})->ahead = i + 1;
	t->last[t->at] = i + 1;
	t->at = (t->at + 1) % TIDE_TRAIL;
}

/* Call it at each step of a walk over chunks that have left. */
__attribute__((always_inline)) static inline void tide_trail_look_gone(const struct tide_view *v,
								       const struct tide_walked *at)
{
	if (at->ahead)
		__builtin_prefetch(tide_slot(v, struct tide_walked, (tide_chunk){at->ahead - 1}),
				   1);
}

/* Call it at each step of a walk over resident chunks. The chunk ahead may become the victim, so
 * this prefetches its bitmaps too. */
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
