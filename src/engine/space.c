#include "space.h"

#include <errno.h>
#include <string.h>

#include "core/assert.h"

#define LOOK_AHEAD 64 /* a step here is so short that a miss takes many */
#define DIRECT_AT_FIRST 65536
#define EXPECT_AT_MOST (UINT64_C(1) << 24)
#define IDENTITY_ALWAYS 65536 /* a range this small is worth it however sparse */

int td_space_init(struct td_space *s, uint32_t chunk_pages, uint64_t range, uint64_t chunks)
{
	td_assert(chunk_pages >= 1 && chunk_pages <= 64);
	*s = (struct td_space){.chunk_pages = chunk_pages, .shift = -1};
	if (!(chunk_pages & (chunk_pages - 1)))
		s->shift = __builtin_ctz(chunk_pages);
	tide_vec_init(&s->numbers, sizeof(uint64_t));
	tide_vec_init(&s->direct, sizeof(uint32_t));
	uint64_t dense = chunks == TD_SPACE_ANY ? 0 : chunks > UINT32_MAX / 2 ? 0 : chunks * 2;
	s->identity = range <= IDENTITY_ALWAYS || (range <= dense && range < UINT32_MAX);
	if (s->identity) {
		s->n = (uint32_t)range;
		return 0;
	}
	/* A file may claim any number of pages: the map grows to what is really there. */
	if (chunks > EXPECT_AT_MOST)
		chunks = chunks == TD_SPACE_ANY ? 0 : EXPECT_AT_MOST;
	return tide_map_init(&s->map, chunks);
}

void td_space_free(struct td_space *s)
{
	if (!s->identity)
		tide_map_free(&s->map);
	tide_vec_free(&s->direct);
	tide_vec_free(&s->numbers);
}

static int give_index(struct td_space *s, uint64_t number, uint32_t *index)
{
	if (s->n >= UINT32_MAX - 1)
		return -EOVERFLOW;
	int rc = tide_vec_reserve(&s->numbers, (uint64_t)s->n + 1);
	if (rc)
		return rc;
	((uint64_t *)(void *)s->numbers.at)[s->n] = number;
	*index = s->n++;
	return 0;
}

/* What the map knows and the table now reaches. The map keeps it too: nothing leaves a map. */
static void fill_direct(struct td_space *s, uint64_t from)
{
	const struct tide_map_entry *entry =
		(const struct tide_map_entry *)(void *)s->map.entries.at;
	for (uint64_t i = 0; i <= s->map.mask; i++) {
		if (entry[i].value_plus_1 && entry[i].key >= from &&
		    entry[i].key < s->direct_chunks)
			((uint32_t *)(void *)s->direct.at)[entry[i].key] = entry[i].value_plus_1;
	}
}

/* Longer by doubling, as long as an eighth of it would be in use. */
static int grow_direct(struct td_space *s)
{
	uint64_t was = s->direct_chunks, n = was ? was * 2 : DIRECT_AT_FIRST;
	if (__builtin_expect((uint64_t)s->n * 8 < n, 1))
		return 0;
	int rc = tide_vec_reserve(&s->direct, n);
	if (rc)
		return rc;
	s->direct_chunks = n;
	fill_direct(s, was);
	return 0;
}

static int index_by_map(struct td_space *s, uint64_t number, uint32_t *index)
{
	struct tide_map_entry *entry = tide_map_find(&s->map, number);
	if (entry->value_plus_1) {
		*index = entry->value_plus_1 - 1;
		td_assert(*index < s->n);
		return 0;
	}
	int rc = give_index(s, number, index);
	if (!rc)
		rc = tide_map_put(&s->map, entry, number, *index);
	return rc ? rc : grow_direct(s);
}

static int index_by_table(struct td_space *s, uint64_t number, uint32_t *index)
{
	td_assert(number < s->direct_chunks);
	int rc = give_index(s, number, index);
	if (rc)
		return rc;
	((uint32_t *)(void *)s->direct.at)[number] = *index + 1;
	return grow_direct(s);
}

static inline int find_index(struct td_space *s, uint64_t number, uint32_t *index)
{
	if (number >= s->direct_chunks)
		return index_by_map(s, number, index);
	uint32_t plus_1 = ((const uint32_t *)(void *)s->direct.at)[number];
	if (__builtin_expect(!plus_1, 0))
		return index_by_table(s, number, index);
	*index = plus_1 - 1;
	td_assert(*index < s->n);
	return 0;
}

int td_space_index(struct td_space *s, uint64_t number, uint32_t *index)
{
	if (!s->identity)
		return find_index(s, number, index);
	if (number >= s->n)
		return -EOVERFLOW;
	*index = (uint32_t)number;
	return 0;
}

uint32_t td_space_find(const struct td_space *s, uint64_t number)
{
	if (s->identity)
		return number < s->n ? (uint32_t)number : UINT32_MAX;
	if (number < s->direct_chunks)
		return ((const uint32_t *)(void *)s->direct.at)[number] - 1;
	return tide_map_get(&s->map, number);
}

__attribute__((always_inline)) static inline void look_ahead(const struct td_space *s,
							     uint64_t number)
{
	if (number < s->direct_chunks)
		__builtin_prefetch((const uint32_t *)(void *)s->direct.at + number);
	else
		tide_map_prefetch(&s->map, number);
}

/* Chunk numbers and places inside the chunk. A chunk of one page is its page. */
static const uint64_t *split(const struct td_space *s, const uint64_t *page, uint32_t n,
			     uint64_t *number, uint8_t *bit)
{
	uint64_t chunk_pages = s->chunk_pages;
	if (chunk_pages == 1) {
		memset(bit, 0, n);
		return page;
	}
	for (uint32_t i = 0; i < n; i++) {
		number[i] = s->shift >= 0 ? page[i] >> s->shift : page[i] / chunk_pages;
		bit[i] = (uint8_t)(page[i] - number[i] * chunk_pages);
	}
	return number;
}

static int batch_identity(const struct td_space *s, const uint64_t *number, uint32_t n,
			  uint32_t *index)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < n; i++) {
		all |= number[i];
		index[i] = (uint32_t)number[i];
	}
	/* Seldom true of numbers in range: only if so does each have to be looked at. */
	for (uint32_t i = 0; i < n && all >= s->n; i++) {
		if (number[i] >= s->n)
			return -EOVERFLOW;
	}
	return 0;
}

/* The lookups of the table alone, up to the first that needs more: how many were done. */
static uint32_t batch_direct(const struct td_space *s, const uint64_t *number, uint32_t n,
			     uint32_t *index)
{
	const uint32_t *direct = (const uint32_t *)(void *)s->direct.at;
	const uint64_t reach = s->direct_chunks;
	uint32_t i;
	for (i = 0; i + LOOK_AHEAD < n && number[i] < reach; i++) {
		uint32_t plus_1 = direct[number[i]];
		/* Any number may come there, also one without a place in the table. */
		__builtin_prefetch((const void *)((uintptr_t)direct +
						  number[i + LOOK_AHEAD] * sizeof *direct));
		if (__builtin_expect(!plus_1, 0))
			break;
		index[i] = plus_1 - 1;
	}
	return i;
}

int td_space_batch(struct td_space *s, const uint64_t *page, uint32_t n, uint32_t *index,
		   uint8_t *bit)
{
	uint64_t numbers[TIDE_BATCH];
	const uint64_t *number = split(s, page, n, numbers, bit);
	if (s->identity)
		return batch_identity(s, number, n, index);
	for (uint32_t i = 0; i < n; i++) {
		i += batch_direct(s, number + i, n - i, index + i);
		if (i + LOOK_AHEAD < n)
			look_ahead(s, number[i + LOOK_AHEAD]);
		int rc = find_index(s, number[i], &index[i]);
		if (rc)
			return rc;
	}
	return 0;
}
