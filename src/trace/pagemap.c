#include "pagemap.h"

#include <errno.h>

#define LOOK_AHEAD 16

int td_trace_pagemap_init(struct td_trace_pagemap *m)
{
	tide_vec_init(&m->values, sizeof(uint64_t));
	return tide_map_init(&m->map, 0);
}

void td_trace_pagemap_free(struct td_trace_pagemap *m)
{
	tide_map_free(&m->map);
	tide_vec_free(&m->values);
}

static int place_of(struct td_trace_pagemap *m, uint64_t page, uint32_t *place)
{
	struct tide_map_entry *entry = tide_map_find(&m->map, page);

	if (entry->value_plus_1) {
		*place = entry->value_plus_1 - 1;
		return 0;
	}
	if (m->map.n >= UINT32_MAX - 1)
		return -ENOMEM;
	*place = (uint32_t)m->map.n;
	return tide_map_put(&m->map, entry, page, *place);
}

int td_trace_pagemap_swap(struct td_trace_pagemap *m, uint64_t page, uint64_t value,
			  uint64_t *before)
{
	uint32_t place;
	int rc = place_of(m, page, &place);

	if (!rc)
		rc = tide_vec_reserve(&m->values, (uint64_t)place + 1);
	if (rc)
		return rc;
	uint64_t *at = (uint64_t *)(void *)m->values.at + place;
	*before = *at;
	*at = value;
	return 0;
}

int td_trace_pagemap_add(struct td_trace_pagemap *m, const uint64_t *pages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t place;
		if (i + LOOK_AHEAD < n)
			tide_map_prefetch(&m->map, pages[i + LOOK_AHEAD]);
		int rc = place_of(m, pages[i], &place);
		if (rc)
			return rc;
	}
	return 0;
}
