#include "numbers.h"

#include <math.h>

#define LOOK_AHEAD 32

static int number_new(struct tide_map *map, struct tide_map_entry *entry, uint64_t page,
		      uint32_t *index)
{
	if (map->n >= UINT32_MAX - 1)
		return -ENOMEM;
	*index = (uint32_t)map->n;
	return tide_map_put(map, entry, page, *index);
}

int td_mrc_number(struct td_mrc_numbers *numbers, const struct td_mrc_accesses *accesses,
		  struct tide_error *err)
{
	struct tide_map *map = &numbers->map;
	const uint64_t *page = accesses->page;
	uint32_t n = accesses->n;
	for (uint32_t i = 0; i < n; i++) {
		if (i + LOOK_AHEAD < n)
			tide_map_prefetch(map, page[i + LOOK_AHEAD]);
		struct tide_map_entry *entry = tide_map_find(map, page[i]);
		if (__builtin_expect(entry->value_plus_1 != 0, 1))
			numbers->index[i] = entry->value_plus_1 - 1;
		else if (number_new(map, entry, page[i], &numbers->index[i]))
			return td_mrc_no_memory(err);
	}
	return 0;
}

void td_mrc_hist_init(struct td_mrc_hist *h)
{
	*h = (struct td_mrc_hist){0};
	tide_vec_init(&h->counts, sizeof(uint64_t));
}

void td_mrc_hist_free(struct td_mrc_hist *h)
{
	tide_vec_free(&h->counts);
}

int td_mrc_hist_reserve(struct td_mrc_hist *h, uint64_t n)
{
	int rc = n > h->n ? tide_vec_reserve(&h->counts, n) : 0;
	if (!rc && n > h->n)
		h->n = n;
	return rc;
}

static uint64_t misses_of(const struct td_mrc_hist *h, double pages)
{
	double others = ceil(pages); /* a hit has fewer others than there are pages */
	return others < (double)h->n ? td_mrc_hist_counts(h)[(uint64_t)others] : h->first;
}

void td_mrc_hist_answer(struct td_mrc_hist *h, struct td_mrc_point *at, size_t n)
{
	uint64_t *counts = td_mrc_hist_counts(h), sum = h->first;
	for (uint64_t i = h->n; i-- > 0;)
		counts[i] = sum += counts[i];
	for (size_t i = 0; i < n; i++)
		at[i].misses = misses_of(h, at[i].pages);
}
