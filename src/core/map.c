#include "map.h"

#include <errno.h>

static int init_capacity(struct td_map *m, uint64_t capacity)
{
	td_vec_init(&m->entries, sizeof(struct td_map_entry));
	m->mask = capacity - 1;
	m->n = 0;
	return td_vec_reserve(&m->entries, capacity);
}

int td_map_init(struct td_map *m, uint64_t expected)
{
	uint64_t capacity = 1024;
	*m = (struct td_map){0};
	if (expected > UINT64_C(1) << 40)
		return -ENOMEM;
	while (capacity / 4 * 3 <= expected)
		capacity *= 2;
	return init_capacity(m, capacity);
}

void td_map_free(struct td_map *m)
{
	td_vec_free(&m->entries);
}

int td_map_grow(struct td_map *m)
{
	struct td_map wider;
	int rc = init_capacity(&wider, (m->mask + 1) * 2);
	if (rc)
		return rc;
	const struct td_map_entry *old = (const struct td_map_entry *)(void *)m->entries.at;
	for (uint64_t i = 0; i <= m->mask; i++) {
		if (old[i].value_plus_1)
			*td_map_find(&wider, old[i].key) = old[i];
	}
	wider.n = m->n;
	td_vec_free(&m->entries);
	*m = wider;
	return 0;
}
