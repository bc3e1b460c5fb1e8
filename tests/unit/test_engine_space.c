#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "engine/space.h"

static const uint32_t sizes[] = {1, 2, 3, 6, 16, 63, 64};
#define SIZES (sizeof sizes / sizeof *sizes)

static void init(struct td_space *s, uint32_t chunk_pages, uint64_t range, uint64_t chunks)
{
	assert_int_equal(td_space_init(s, chunk_pages, range, chunks), 0);
}

static void identity_is_for_known_dense_ranges(void **state)
{
	static const struct {
		uint64_t range, chunks;
		bool identity;
	} cases[] = {
		{1, TD_SPACE_ANY, true},
		{65536, 1, true},
		{65537, 1, false},
		{65537, TD_SPACE_ANY, false},
		{1000000, 500000, true},
		{1000001, 500000, false},
		{TD_SPACE_ANY, 500000, false},
		{TD_SPACE_ANY, TD_SPACE_ANY, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct td_space s;
		init(&s, 16, cases[i].range, cases[i].chunks);
		assert_int_equal(s.identity, cases[i].identity);
		assert_int_equal(s.n, cases[i].identity ? cases[i].range : 0);
		td_space_free(&s);
	}
}

/* What both must agree on: which pages share a chunk, its number, the place in it. */
static void check_batch(struct td_space *identity, struct td_space *map, const uint64_t *page,
			uint32_t n)
{
	uint32_t index[2][TIDE_BATCH];
	uint8_t bit[2][TIDE_BATCH];
	const uint64_t *numbers;

	assert_int_equal(td_space_batch(identity, page, n, index[0], bit[0]), 0);
	assert_int_equal(td_space_batch(map, page, n, index[1], bit[1]), 0);
	numbers = (const uint64_t *)(void *)map->numbers.at;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t again;
		assert_int_equal(index[0][i], page[i] / identity->chunk_pages);
		assert_int_equal(bit[0][i], page[i] % identity->chunk_pages);
		assert_int_equal(bit[1][i], bit[0][i]);
		assert_true(index[1][i] < map->n);
		assert_int_equal(numbers[index[1][i]], index[0][i]);
		assert_int_equal(td_space_index(map, index[0][i], &again), 0);
		assert_int_equal(again, index[1][i]);
		assert_int_equal(td_space_index(identity, index[0][i], &again), 0);
		assert_int_equal(again, index[0][i]);
	}
}

static void identity_and_map_agree(void **state)
{
	static uint64_t page[TIDE_BATCH];
	uint64_t random = 3;

	(void)state;
	for (size_t k = 0; k < SIZES; k++) {
		struct td_space identity, map;
		init(&identity, sizes[k], 30000, TD_SPACE_ANY);
		init(&map, sizes[k], TD_SPACE_ANY, TD_SPACE_ANY);
		assert_true(identity.identity && !map.identity);
		for (uint32_t n = 1; n <= TIDE_BATCH; n = n * 4 - 1) {
			for (uint32_t i = 0; i < n; i++)
				page[i] = tide_random_next(&random) % (30000 * sizes[k]);
			check_batch(&identity, &map, page, n);
		}
		td_space_free(&identity);
		td_space_free(&map);
	}
}

static void indices_are_dense_in_order_of_appearance(void **state)
{
	static const uint64_t page[] = {UINT64_MAX, 5, UINT64_MAX, 0, 6, 3};
	static const uint32_t expected[] = {0, 1, 0, 2, 3, 1};
	uint32_t index[6], again;
	uint8_t bit[6];
	struct td_space s;

	(void)state;
	init(&s, 3, TD_SPACE_ANY, TD_SPACE_ANY);
	assert_int_equal(td_space_batch(&s, page, 6, index, bit), 0);
	assert_memory_equal(index, expected, sizeof expected);
	assert_int_equal(s.n, 4);
	assert_int_equal(bit[0], UINT64_MAX % 3);
	assert_int_equal(bit[5], 0);
	assert_int_equal(bit[1], 2);
	assert_int_equal(td_space_index(&s, UINT64_MAX / 3, &again), 0);
	assert_int_equal(again, 0);
	assert_int_equal(td_space_index(&s, 77, &again), 0);
	assert_int_equal(again, 4);
	td_space_free(&s);
}

static void the_range_is_a_limit_with_identity(void **state)
{
	static const uint64_t page[] = {3, 159, 160, 4};
	uint32_t index[4], one;
	uint8_t bit[4];
	struct td_space s;

	(void)state;
	init(&s, 16, 10, TD_SPACE_ANY);
	assert_int_equal(td_space_batch(&s, page, 2, index, bit), 0);
	assert_int_equal(td_space_batch(&s, page, 4, index, bit), -EOVERFLOW);
	assert_int_equal(td_space_index(&s, 9, &one), 0);
	assert_int_equal(td_space_index(&s, 10, &one), -EOVERFLOW);
	assert_int_equal(td_space_index(&s, UINT64_MAX, &one), -EOVERFLOW);
	td_space_free(&s);
}

static void numbers_are_pages_over_the_size(void **state)
{
	static const uint64_t pages[] = {0, 1, 5, 6, 63, 64, 4095, UINT64_C(1) << 40, UINT64_MAX};

	(void)state;
	for (size_t k = 0; k < SIZES; k++) {
		struct td_space s;
		init(&s, sizes[k], 1, 1);
		for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
			assert_int_equal(td_space_number(&s, pages[i]), pages[i] / sizes[k]);
		td_space_free(&s);
	}
}

/* The undefined-behaviour sanitizer watches the addresses that are asked for ahead. */
static void far_pages_follow_near_ones(void **state)
{
	static uint64_t page[TIDE_BATCH];
	static uint32_t index[TIDE_BATCH];
	static uint8_t bit[TIDE_BATCH];
	struct td_space s;

	(void)state;
	init(&s, 1, TD_SPACE_ANY, TD_SPACE_ANY);
	for (uint32_t batch = 0; batch < 4; batch++) {
		for (uint32_t i = 0; i < TIDE_BATCH; i++)
			page[i] = (uint64_t)batch * TIDE_BATCH + i;
		assert_int_equal(td_space_batch(&s, page, TIDE_BATCH, index, bit), 0);
	}
	assert_true(s.direct_chunks > TIDE_BATCH);
	for (uint32_t i = 0; i < TIDE_BATCH; i++)
		page[i] = i / 64 % 2 ? tide_hash64(i) : i;
	assert_int_equal(td_space_batch(&s, page, TIDE_BATCH, index, bit), 0);
	for (uint32_t i = 0; i < TIDE_BATCH; i++)
		assert_int_equal(((const uint64_t *)(void *)s.numbers.at)[index[i]], page[i]);
	td_space_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity_is_for_known_dense_ranges),
		cmocka_unit_test(identity_and_map_agree),
		cmocka_unit_test(indices_are_dense_in_order_of_appearance),
		cmocka_unit_test(the_range_is_a_limit_with_identity),
		cmocka_unit_test(numbers_are_pages_over_the_size),
		cmocka_unit_test(far_pages_follow_near_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
