/* Chunks in a line, oldest first: whoever is in it is in it once. For few among many chunks, for
 * which links of every chunk would cost more than looking for one. */
#ifndef TD_UFFD_LINE_H
#define TD_UFFD_LINE_H

#include <string.h>

#include "tide/list.h"
#include "tide/vec.h"

#define TD_LINE_SLACK 1024u

struct td_line {
	struct tide_vec room; /* uint32_t; for as many as there are chunks */
	uint32_t first, n;
	uint32_t reached; /* places of the room that were ever used */
};

static inline uint32_t *td_line_at(const struct td_line *l, uint32_t i)
{
	return (uint32_t *)(void *)l->room.at + l->first + i;
}

static inline void td_line_push(struct td_line *l, uint32_t chunk)
{
	uint64_t room = l->room.mapped_bytes / sizeof(uint32_t);
	/* The places before the first are used again, so that the line stays where it is. */
	if (l->first >= l->n + TD_LINE_SLACK || l->first + l->n == room) {
		memmove(l->room.at, td_line_at(l, 0), l->n * sizeof(uint32_t));
		l->first = 0;
	}
	*td_line_at(l, l->n++) = chunk;
	if (l->first + l->n > l->reached)
		l->reached = l->first + l->n;
}

static inline uint32_t td_line_pop(struct td_line *l)
{
	l->n--;
	return ((const uint32_t *)(const void *)l->room.at)[l->first++];
}

static inline void td_line_remove(struct td_line *l, uint32_t chunk)
{
	uint32_t i = 0;
	while (*td_line_at(l, i) != chunk)
		i++;
	l->n--;
	memmove(td_line_at(l, i), td_line_at(l, i + 1), (l->n - i) * sizeof(uint32_t));
}

#endif
