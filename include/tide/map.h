/* A map from 64-bit keys to 32-bit values: open addressing, linear probing, growth by doubling.
 * Nothing is ever removed, because the map gives numbers to things, and they keep their numbers. */
#ifndef TIDE_MAP_H
#define TIDE_MAP_H

#include "event.h"
#include "list.h"
#include "vec.h"
#include <errno.h>

struct tide_map_entry {
	uint64_t key;
	uint32_t value_plus_1; /* 0: empty */
	uint32_t unused;
};

struct tide_map {
	struct tide_vec entries;
	uint64_t mask; /* capacity - 1 */
	uint64_t n;
};

static inline int tide_map_init(struct tide_map *m, uint64_t expected);
static inline void tide_map_free(struct tide_map *m);
static inline int tide_map_grow(struct tide_map *m);

/* The entry of key, or the empty entry where key would go. */
static inline struct tide_map_entry *tide_map_find(const struct tide_map *m, uint64_t key)
{
	struct tide_map_entry *entries = (struct tide_map_entry *)(void *)m->entries.at;
	uint64_t i = tide_hash64(key) & m->mask;
	while (entries[i].value_plus_1 && entries[i].key != key)
		i = (i + 1) & m->mask;
	return &entries[i];
}

/* Prefetches the memory that tide_map_find(key) will look at. Always inlined, because gcc drops
 * calls of a function that only prefetches. */
__attribute__((always_inline)) static inline void tide_map_prefetch(const struct tide_map *m,
								    uint64_t key)
{
	__builtin_prefetch((struct tide_map_entry *)(void *)m->entries.at +
			   (tide_hash64(key) & m->mask));
}

/* The value of key, or TIDE_NIL. */
static inline uint32_t tide_map_get(const struct tide_map *m, uint64_t key)
{
	return tide_map_find(m, key)->value_plus_1 - 1;
}

/* Fills an empty entry that tide_map_find() gave. Returns 0 or -ENOMEM. Entries may move. */
static inline int tide_map_put(struct tide_map *m, struct tide_map_entry *e, uint64_t key,
			       uint32_t value)
{
	e->key = key;
	e->value_plus_1 = value + 1;
	return ++m->n * 4 > m->mask * 3 ? tide_map_grow(m) : 0;
}

/* ---- how ---- */

static inline int tide_map_init_capacity(struct tide_map *m, uint64_t capacity)
{
	tide_vec_init(&m->entries, sizeof(struct tide_map_entry));
	m->mask = capacity - 1;
	m->n = 0;
	return tide_vec_reserve(&m->entries, capacity);
}

static inline int tide_map_init(struct tide_map *m, uint64_t expected)
{
	uint64_t capacity = 1024;
	*m = (struct tide_map){0};
	if (expected > UINT64_C(1) << 40)
		return -ENOMEM;
	while (capacity / 4 * 3 <= expected)
		capacity *= 2;
	return tide_map_init_capacity(m, capacity);
}

static inline void tide_map_free(struct tide_map *m)
{
	tide_vec_free(&m->entries);
}

static inline int tide_map_grow(struct tide_map *m)
{
	struct tide_map wider;
	int rc = tide_map_init_capacity(&wider, (m->mask + 1) * 2);
	if (rc)
		return rc;
	const struct tide_map_entry *old = (const struct tide_map_entry *)(void *)m->entries.at;
	for (uint64_t i = 0; i <= m->mask; i++) {
		if (old[i].value_plus_1)
			*tide_map_find(&wider, old[i].key) = old[i];
	}
	wider.n = m->n;
	tide_vec_free(&m->entries);
	*m = wider;
	return 0;
}

#endif
