/* From 64-bit keys to 32-bit values: open addressing, linear probing, grows by doubling. There
 * is no removal: it numbers things, and a number once given stays. */
#ifndef TD_CORE_MAP_H
#define TD_CORE_MAP_H

#include "list.h"
#include "tide/event.h"
#include "vec.h"

struct td_map_entry {
	uint64_t key;
	uint32_t value_plus_1; /* 0: empty */
	uint32_t unused;
};

struct td_map {
	struct td_vec entries;
	uint64_t mask; /* capacity - 1 */
	uint64_t n;
};

int td_map_init(struct td_map *m, uint64_t expected);
void td_map_free(struct td_map *m);
int td_map_grow(struct td_map *m);

/* Where key is or would go. */
static inline struct td_map_entry *td_map_find(const struct td_map *m, uint64_t key)
{
	struct td_map_entry *entries = (struct td_map_entry *)(void *)m->entries.at;
	uint64_t i = tide_hash64(key) & m->mask;
	while (entries[i].value_plus_1 && entries[i].key != key)
		i = (i + 1) & m->mask;
	return &entries[i];
}

/* Asks for the memory that td_map_find(key) will look at. Inlined at all costs: gcc takes a
 * function that only prefetches for one without effect, and drops the call. */
__attribute__((always_inline)) static inline void td_map_prefetch(const struct td_map *m,
								  uint64_t key)
{
	__builtin_prefetch((struct td_map_entry *)(void *)m->entries.at +
			   (tide_hash64(key) & m->mask));
}

/* The value of key, or TD_NIL. */
static inline uint32_t td_map_get(const struct td_map *m, uint64_t key)
{
	return td_map_find(m, key)->value_plus_1 - 1;
}

/* Fills an entry that td_map_find() found empty: 0 or -ENOMEM. Entries may move. */
static inline int td_map_put(struct td_map *m, struct td_map_entry *e, uint64_t key, uint32_t value)
{
	e->key = key;
	e->value_plus_1 = value + 1;
	return ++m->n * 4 > m->mask * 3 ? td_map_grow(m) : 0;
}

#endif
