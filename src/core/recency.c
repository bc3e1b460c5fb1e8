#include "recency.h"

#include <errno.h>
#include <string.h>

#define SLOTS_AT_FIRST 65536
#define SLOTS_PER_THING 4
#define THINGS_MAX (UINT64_C(1) << 30)

static uint32_t *last_of(const struct td_recency *r)
{
	return (uint32_t *)(void *)r->last.at;
}

static uint64_t *words_of(const struct td_recency *r)
{
	return (uint64_t *)(void *)r->words.at;
}

static uint32_t *tree_of(const struct td_recency *r)
{
	return (uint32_t *)(void *)r->tree.at;
}

/* By hand: without a machine flag the compiler calls a function that looks up bytes. */
static uint32_t count_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

static int reserve_slots(struct td_recency *r, uint64_t slots)
{
	int rc = tide_vec_reserve(&r->words, slots / 64);
	if (!rc)
		rc = tide_vec_reserve(&r->tree, slots / 64 + 1);
	if (!rc)
		r->slots = (uint32_t)slots;
	return rc;
}

int td_recency_init(struct td_recency *r)
{
	*r = (struct td_recency){0};
	tide_vec_init(&r->last, sizeof(uint32_t));
	tide_vec_init(&r->words, sizeof(uint64_t));
	tide_vec_init(&r->tree, sizeof(uint32_t));
	return reserve_slots(r, SLOTS_AT_FIRST);
}

void td_recency_free(struct td_recency *r)
{
	tide_vec_free(&r->last);
	tide_vec_free(&r->words);
	tide_vec_free(&r->tree);
}

/* The bits set in words 0 to w - 1, all of which the tree knows. */
static uint32_t before(const struct td_recency *r, uint32_t w)
{
	const uint32_t *tree = tree_of(r);
	uint32_t sum = 0;
	for (; w; w &= w - 1)
		sum += tree[w];
	return sum;
}

static void change(struct td_recency *r, uint32_t w, uint32_t by)
{
	uint32_t *tree = tree_of(r), words = r->slots / 64;
	for (uint32_t i = w + 1; i <= words; i += i & -i)
		tree[i] += by;
	r->in_tree += by;
}

/* Every thing gets its rank as its slot. The tree, rebuilt as plain sums, tells the ranks. */
static void move_together(struct td_recency *r)
{
	uint32_t *last = last_of(r), *sums = tree_of(r);
	uint64_t *words = words_of(r);
	uint32_t full = 0, all = r->slots / 64;
	for (uint32_t w = 0; w < all; w++) {
		sums[w] = full;
		full += count_bits(words[w]);
	}
	for (uint32_t i = 0; i < r->n; i++) {
		if (i + 16 < r->n)
			td_recency_expect_soon(r, i + 16);
		if (last[i]) {
			uint32_t slot = last[i] - 1, w = slot / 64;
			uint64_t below = (UINT64_C(1) << slot % 64) - 1;
			last[i] = sums[w] + count_bits(words[w] & below) + 1;
		}
	}
	r->next = full;
}

/* Bits 0 to next - 1 set, and a tree that knows the words before the one that next is in. */
static void rebuild(struct td_recency *r)
{
	uint32_t *tree = tree_of(r), all = r->slots / 64, known = r->next / 64;
	uint64_t *words = words_of(r);
	memset(words, 0, all * sizeof *words);
	memset(words, 0xff, known * sizeof *words);
	if (r->next % 64)
		words[known] = (UINT64_C(1) << r->next % 64) - 1;
	memset(tree, 0, (all + 1) * sizeof *tree);
	for (uint32_t i = 1; i <= all; i++) {
		tree[i] += i <= known ? 64 : 0;
		if (i + (i & -i) <= all)
			tree[i + (i & -i)] += tree[i];
	}
	r->in_tree = known * 64;
}

int td_recency_reserve(struct td_recency *r, uint64_t n)
{
	uint64_t slots = r->slots;
	if (n > THINGS_MAX)
		return -EOVERFLOW;
	if (n <= r->n)
		return 0;
	while (slots < n * SLOTS_PER_THING && slots < UINT64_C(1) << 31)
		slots *= 2;
	int rc = tide_vec_reserve(&r->last, n);
	if (rc)
		return rc;
	if (slots > r->slots) {
		move_together(r);
		rc = reserve_slots(r, slots);
		rebuild(r);
	}
	if (!rc)
		r->n = (uint32_t)n;
	return rc;
}

/* The newest word enters the tree once no bit will be added to it. */
static void close_word(struct td_recency *r)
{
	change(r, r->next / 64 - 1, count_bits(words_of(r)[r->next / 64 - 1]));
	if (r->next == r->slots) {
		move_together(r);
		rebuild(r);
	}
}

/* The bits set above slot, which is cleared. */
static uint32_t leave(struct td_recency *r, uint32_t slot)
{
	uint64_t *words = words_of(r);
	uint32_t w = slot / 64, newest = r->next / 64;
	uint32_t above = count_bits(words[w] >> (slot % 64) >> 1);
	words[w] &= ~(UINT64_C(1) << slot % 64);
	if (w == newest)
		return above;
	above += r->in_tree - before(r, w + 1) + count_bits(words[newest]);
	change(r, w, UINT32_MAX);
	return above;
}

uint64_t td_recency_touch(struct td_recency *r, uint32_t i)
{
	uint32_t *last = &last_of(r)[i];
	uint64_t others = *last ? leave(r, *last - 1) : TD_RECENCY_FIRST;
	words_of(r)[r->next / 64] |= UINT64_C(1) << r->next % 64;
	*last = ++r->next;
	if (r->next % 64 == 0)
		close_word(r);
	return others;
}
