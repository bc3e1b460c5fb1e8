#include "pagemap.h"

#include <errno.h>
#include <stdlib.h>

#include "tide/event.h"

#define FIRST_SLOTS ((size_t)1 << 12)

static int allocate(struct td_trace_pagemap *m, size_t slots, bool values)
{
	m->keys = calloc(slots, sizeof *m->keys);
	m->values = values ? malloc(slots * sizeof *m->values) : NULL;
	m->slots = slots;
	if (m->keys && (m->values || !values))
		return 0;
	td_trace_pagemap_free(m);
	return -ENOMEM;
}

int td_trace_pagemap_init(struct td_trace_pagemap *m, bool values)
{
	*m = (struct td_trace_pagemap){0};
	return allocate(m, FIRST_SLOTS, values);
}

void td_trace_pagemap_free(struct td_trace_pagemap *m)
{
	free(m->keys);
	free(m->values);
	m->keys = m->values = NULL;
}

static size_t find(const struct td_trace_pagemap *m, uint64_t key)
{
	size_t i = (size_t)tide_hash64(key) & (m->slots - 1);

	while (m->keys[i] && m->keys[i] != key)
		i = (i + 1) & (m->slots - 1);
	return i;
}

/* At most three quarters full, so that searches stay short. */
static int make_room(struct td_trace_pagemap *m)
{
	struct td_trace_pagemap old = *m;

	if (m->pages < m->slots / 4 * 3)
		return 0;
	if (allocate(m, old.slots * 2, old.values)) {
		*m = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.slots; i++) {
		if (!old.keys[i])
			continue;
		size_t to = find(m, old.keys[i]);
		m->keys[to] = old.keys[i];
		if (old.values)
			m->values[to] = old.values[i];
	}
	td_trace_pagemap_free(&old);
	return 0;
}

static uint64_t swap_top(struct td_trace_pagemap *m, uint64_t value)
{
	uint64_t before = m->top_value;

	m->pages += !m->top;
	m->top = true;
	m->top_value = value;
	return before;
}

int td_trace_pagemap_swap(struct td_trace_pagemap *m, uint64_t page, uint64_t value,
			  uint64_t *before)
{
	size_t i;

	if (page == UINT64_MAX) {
		*before = swap_top(m, value);
		return 0;
	}
	i = find(m, page + 1);
	*before = 0;
	if (!m->keys[i]) {
		if (make_room(m))
			return -ENOMEM;
		i = find(m, page + 1);
		m->keys[i] = page + 1;
		m->pages++;
	} else {
		*before = m->values[i];
	}
	m->values[i] = value;
	return 0;
}

static int add_one(struct td_trace_pagemap *m, uint64_t page)
{
	size_t i;

	if (page == UINT64_MAX) {
		swap_top(m, 0);
		return 0;
	}
	i = find(m, page + 1);
	if (m->keys[i])
		return 0;
	if (make_room(m))
		return -ENOMEM;
	m->keys[find(m, page + 1)] = page + 1;
	m->pages++;
	return 0;
}

int td_trace_pagemap_add(struct td_trace_pagemap *m, const uint64_t *pages, size_t n)
{
	enum { AHEAD = 16 };

	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			__builtin_prefetch(
				&m->keys[tide_hash64(pages[i + AHEAD] + 1) & (m->slots - 1)]);
		if (add_one(m, pages[i]))
			return -ENOMEM;
	}
	return 0;
}
