#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tide/event.h"
#include "tide/ostree.h"

#define ITEMS 500

struct item {
	struct tide_osnode node;
	uint64_t key; /* the key is elsewhere for the tree: it asks */
};

struct bench {
	struct item *items;
	struct tide_ostree tree;
	uint64_t sorted[ITEMS];
	uint32_t n;
};

static uint64_t key(const void *arg, uint32_t i)
{
	return ((const struct bench *)arg)->items[i].key;
}

static struct tide_osview view(const struct bench *b)
{
	return (struct tide_osview){{(unsigned char *)b->items, sizeof *b->items}, key, b};
}

static uint32_t naive_rank(const struct bench *b, uint64_t bound)
{
	uint32_t rank = 0;

	while (rank < b->n && b->sorted[rank] < bound)
		rank++;
	return rank;
}

static bool has(const struct bench *b, uint64_t k)
{
	uint32_t rank = naive_rank(b, k);

	return rank < b->n && b->sorted[rank] == k;
}

static void flip(struct bench *b, uint32_t i)
{
	struct tide_osview v = view(b);
	uint64_t k = b->items[i].key;
	uint32_t rank = naive_rank(b, k);

	if (has(b, k)) {
		tide_ostree_remove(&b->tree, &v, i);
		memmove(&b->sorted[rank], &b->sorted[rank + 1], (--b->n - rank) * sizeof k);
	} else {
		tide_ostree_add(&b->tree, &v, i);
		memmove(&b->sorted[rank + 1], &b->sorted[rank], (b->n++ - rank) * sizeof k);
		b->sorted[rank] = k;
	}
}

static void check(const struct bench *b)
{
	struct tide_osview v = view(b);

	assert_int_equal(tide_ostree_count(&b->tree, &v), b->n);
	for (uint32_t k = 0; k < b->n; k++) {
		uint32_t i = tide_ostree_select(&b->tree, &v, k);
		assert_true(i < ITEMS);
		assert_int_equal(b->items[i].key, b->sorted[k]);
		assert_int_equal(tide_ostree_rank(&b->tree, &v, b->sorted[k]), k);
		assert_int_equal(tide_ostree_rank(&b->tree, &v, b->sorted[k] + 1), k + 1);
	}
	assert_int_equal(tide_ostree_select(&b->tree, &v, b->n), TIDE_NIL);
	assert_int_equal(tide_ostree_select(&b->tree, &v, UINT64_MAX), TIDE_NIL);
	assert_int_equal(tide_ostree_rank(&b->tree, &v, 0), 0);
	assert_int_equal(tide_ostree_rank(&b->tree, &v, UINT64_MAX), b->n);
}

static uint64_t plain_key(uint32_t i)
{
	return i;
}

static uint64_t downward_key(uint32_t i)
{
	return UINT64_MAX - 1 - i;
}

static uint64_t scattered_key(uint32_t i)
{
	return tide_hash64(i + 1) >> 1;
}

static void open_bench(struct bench *b, uint64_t (*key_of)(uint32_t))
{
	memset(b, 0, sizeof *b);
	b->items = calloc(ITEMS, sizeof *b->items);
	assert_non_null(b->items);
	for (uint32_t i = 0; i < ITEMS; i++)
		b->items[i].key = key_of(i);
}

/* Nodes may move between calls, as they do when their array grows. */
static void move_nodes(struct bench *b)
{
	struct item *moved = malloc(ITEMS * sizeof *moved);

	assert_non_null(moved);
	memcpy(moved, b->items, ITEMS * sizeof *moved);
	free(b->items);
	b->items = moved;
}

static void random_steps_agree_with_a_sorted_array(void **state)
{
	uint64_t (*const keys[])(uint32_t) = {plain_key, downward_key, scattered_key};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct bench b;
		uint64_t random = k;
		open_bench(&b, keys[k]);
		check(&b);
		for (int step = 0; step < 3000; step++) {
			flip(&b, (uint32_t)(tide_random_next(&random) % ITEMS));
			if (step % 20 == 0)
				check(&b);
			if (step % 500 == 0)
				move_nodes(&b);
		}
		check(&b);
		free(b.items);
	}
}

static void all_in_and_all_out(void **state)
{
	struct bench b;

	(void)state;
	open_bench(&b, plain_key);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < ITEMS; i++)
			flip(&b, round == 1 ? ITEMS - 1 - i : i);
		check(&b);
		for (uint32_t i = 0; i < ITEMS; i++)
			flip(&b, i);
		check(&b);
		assert_int_equal(b.tree.root_plus_1, 0);
	}
	free(b.items);
}

static uint32_t depth(const struct bench *b, uint32_t plus_1)
{
	const struct tide_osnode *at = plus_1 ? &b->items[plus_1 - 1].node : NULL;
	uint32_t left = at ? depth(b, at->left) : 0, right = at ? depth(b, at->right) : 0;

	return at ? (left > right ? left : right) + 1 : 0;
}

/* Keys in order are the usual case, and must not make a list of it. */
static void it_stays_shallow(void **state)
{
	struct bench b;

	(void)state;
	open_bench(&b, plain_key);
	for (uint32_t i = 0; i < ITEMS; i++)
		flip(&b, i);
	assert_in_range(depth(&b, b.tree.root_plus_1), 9, 40);
	free(b.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps_agree_with_a_sorted_array),
		cmocka_unit_test(all_in_and_all_out),
		cmocka_unit_test(it_stays_shallow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
