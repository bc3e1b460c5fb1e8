#include "kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEATS 256 /* pages with so many accesses or more are alike */

int td_lib_kept_init(struct td_lib_kept *k)
{
	*k = (struct td_lib_kept){0};
	return td_space_init(&k->space, 1, TD_SPACE_ANY, TD_SPACE_ANY);
}

void td_lib_kept_free(struct td_lib_kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->at[i]);
	free(k->at);
	td_space_free(&k->space);
}

static int add_batch(struct td_lib_kept *k)
{
	if (k->n == k->room) {
		size_t room = k->room ? 2 * k->room : 16;
		struct td_lib_kept_batch **at = reallocarray(k->at, room, sizeof(void *));
		if (!at)
			return -ENOMEM;
		k->at = at;
		k->room = room;
	}
	k->at[k->n] = calloc(1, sizeof *k->at[0]);
	return k->at[k->n] ? (k->n++, 0) : -ENOMEM;
}

int td_lib_kept_add(struct td_lib_kept *k, const struct tide_batch *from, uint32_t i,
		    uint64_t group)
{
	if (k->accesses % TIDE_BATCH == 0 && add_batch(k))
		return -ENOMEM;
	struct td_lib_kept_batch *last = k->at[k->n - 1];
	struct tide_batch *to = &last->events;
	uint32_t n = to->n++;
	k->accesses++;
	to->page[n] = from->page[i];
	if (from->ref[i])
		to->ref[n] = from->ref[i];
	if (from->stream[i])
		to->stream[n] = from->stream[i];
	if (from->write[i])
		to->write[n] = from->write[i];
	if (from->object)
		to->object = &last->object;
	if (group != k->group)
		last->object.first[n] = 1;
	k->group = group;
	return 0;
}

/* ---- whole batches ---- */

/* The arrays of a batch, and behind them those of its object. */
static const struct field {
	size_t offset, width;
} fields[] = {
	{offsetof(struct tide_batch, page), sizeof(uint64_t)},
	{offsetof(struct tide_batch, ref), sizeof(uint64_t)},
	{offsetof(struct tide_batch, stream), sizeof(uint64_t)},
	{offsetof(struct tide_batch, write), sizeof(uint8_t)},
	{offsetof(struct tide_batch_object, first), sizeof(uint8_t)},
	{offsetof(struct tide_batch_object, bytes), sizeof(uint64_t)},
	{offsetof(struct tide_batch_object, cost), sizeof(uint64_t)},
};
#define FIELDS (sizeof fields / sizeof fields[0])
#define FIRST_OF_OBJECT 4

static const char *field_of(const struct tide_batch *b, unsigned i)
{
	const void *base = i < FIRST_OF_OBJECT ? (const void *)b : (const void *)b->object;
	return base ? (const char *)base + fields[i].offset : NULL;
}

static bool is_zero(const char *at, size_t bytes)
{
	return !bytes || (!at[0] && !memcmp(at, at + 1, bytes - 1));
}

int td_lib_kept_append(struct td_lib_kept *k, const struct tide_batch *from, uint64_t *bytes)
{
	if (add_batch(k))
		return -ENOMEM;
	struct td_lib_kept_batch *b = k->at[k->n - 1];
	b->events.n = from->n;
	b->events.object = from->object ? &b->object : NULL;
	k->accesses += from->n;
	*bytes = 0;
	for (unsigned i = 0; i < FIELDS; i++) {
		size_t n = from->n * fields[i].width;
		const char *at = field_of(from, i);
		if (!at || is_zero(at, n))
			continue;
		memcpy((char *)field_of(&b->events, i), at, n);
		b->has |= 1u << i;
		*bytes += n;
	}
	k->has |= b->has;
	return 0;
}

void td_lib_kept_copy(const struct td_lib_kept *k, size_t batch, struct tide_batch *to)
{
	const struct td_lib_kept_batch *b = k->at[batch];
	to->n = b->events.n;
	for (unsigned i = 0; i < FIELDS; i++) {
		size_t n = to->n * fields[i].width;
		char *at = (char *)field_of(to, i);
		if (at && b->has >> i & 1)
			memcpy(at, field_of(&b->events, i), n);
		else if (at && k->has >> i & 1)
			memset(at, 0, n);
	}
}

/* ---- numbers ---- */

/* Pages as they appear. */
static int number_once(struct td_lib_kept *k)
{
	uint8_t bit[TIDE_BATCH];
	int rc = 0;
	for (size_t i = 0; i < k->n && !rc; i++) {
		const struct tide_batch *b = &k->at[i]->events;
		rc = td_space_batch(&k->space, b->page, b->n, k->at[i]->index, bit);
	}
	return rc;
}

static void count_heat(const struct td_lib_kept *k, uint8_t *heat)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct td_lib_kept_batch *b = k->at[i];
		for (uint32_t j = 0; j < b->events.n; j++) {
			uint8_t *h = &heat[b->index[j]];
			*h = (uint8_t)(*h + (*h < HEATS - 1));
		}
	}
}

/* The place of each page among all, the hottest first; in one heat, as they appeared. */
static void order_by_heat(const uint8_t *heat, uint32_t n, uint32_t *place)
{
	uint32_t next[HEATS] = {0}, sum = 0;
	for (uint32_t i = 0; i < n; i++)
		next[heat[i]]++;
	for (unsigned h = HEATS; h-- > 0;) {
		uint32_t pages = next[h];
		next[h] = sum;
		sum += pages;
	}
	for (uint32_t i = 0; i < n; i++)
		place[i] = next[heat[i]]++;
}

/* A space with the same pages, in the new order. */
static int reorder(struct td_space *space, const uint32_t *place, uint64_t *number)
{
	const uint64_t *old = (const uint64_t *)(void *)space->numbers.at;
	struct td_space own;
	uint32_t n = space->n, index;
	int rc = td_space_init(&own, 1, TD_SPACE_ANY, n);
	for (uint32_t i = 0; i < n; i++)
		number[place[i]] = old[i];
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = td_space_index(&own, number[i], &index);
	td_space_free(rc ? &own : space);
	if (!rc)
		*space = own;
	return rc;
}

static void renumber(const struct td_lib_kept *k, const uint32_t *place)
{
	for (size_t i = 0; i < k->n; i++) {
		struct td_lib_kept_batch *b = k->at[i];
		for (uint32_t j = 0; j < b->events.n; j++)
			b->index[j] = place[b->index[j]];
	}
}

int td_lib_kept_number(struct td_lib_kept *k)
{
	int rc = number_once(k);
	size_t n = k->space.n;
	if (rc || !n)
		return rc;
	uint8_t *heat = calloc(n, 1);
	uint32_t *place = calloc(n, sizeof *place);
	uint64_t *number = calloc(n, sizeof *number);
	rc = heat && place && number ? 0 : -ENOMEM;
	if (!rc) {
		count_heat(k, heat);
		order_by_heat(heat, (uint32_t)n, place);
		rc = reorder(&k->space, place, number);
	}
	if (!rc)
		renumber(k, place);
	free(heat);
	free(place);
	free(number);
	return rc;
}

/* ---- runs ---- */

int td_lib_kept_share(const struct td_lib_kept *k, struct td_engine *e, struct tide_error *err)
{
	bool own = td_policy_is_built_in(&e->box[TD_BOX_EVICT].choice);
	return e->wants_future || !own ? 0 : td_engine_share(e, &k->space, err);
}

int td_lib_kept_run(const struct td_lib_kept *k, size_t batch, struct td_engine *e,
		    struct tide_error *err)
{
	const struct td_lib_kept_batch *b = k->at[batch];
	return e->borrows ? td_sim_batch_indexed(e, &b->events, b->index, err)
			  : td_sim_batch(e, &b->events, err);
}
