#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

#include "tide/map.h"

/* Keys that collide, that are the extremes, and that are anything. */
static uint64_t key_of(uint32_t i)
{
	switch (i % 4) {
	case 0: return i / 4;
	case 1: return UINT64_MAX - i / 4;
	case 2: return UINT64_C(1) << 40 | (uint64_t)i << 20;
	default: return tide_hash64(i);
	}
}

static void put(struct tide_map *m, uint64_t key, uint32_t value)
{
	struct tide_map_entry *e = tide_map_find(m, key);

	assert_int_equal(e->value_plus_1, 0);
	assert_int_equal(tide_map_put(m, e, key, value), 0);
}

static void an_empty_map_knows_nothing(void **state)
{
	struct tide_map m;

	(void)state;
	assert_int_equal(tide_map_init(&m, 0), 0);
	assert_int_equal(tide_map_get(&m, 0), TIDE_NIL);
	assert_int_equal(tide_map_get(&m, UINT64_MAX), TIDE_NIL);
	put(&m, 0, 0);
	assert_int_equal(tide_map_get(&m, 0), 0);
	assert_int_equal(tide_map_get(&m, 1), TIDE_NIL);
	tide_map_free(&m);
}

static void it_grows_and_forgets_nothing(void **state)
{
	const uint32_t keys = 300000;
	struct tide_map m;
	uint64_t smallest;

	(void)state;
	assert_int_equal(tide_map_init(&m, 0), 0);
	smallest = m.mask;
	for (uint32_t i = 0; i < keys; i++) {
		put(&m, key_of(i), i);
		/* Never full: a search for an absent key ends. */
		assert_true(m.n < m.mask);
		assert_int_equal(tide_map_get(&m, key_of(i)), i);
		if ((i & (i - 1)) == 0)
			for (uint32_t j = 0; j <= i; j++)
				assert_int_equal(tide_map_get(&m, key_of(j)), j);
	}
	assert_true(m.mask > smallest);
	assert_int_equal(m.n, keys);
	for (uint32_t i = 0; i < keys; i++) {
		assert_int_equal(tide_map_get(&m, key_of(i)), i);
		assert_int_equal(tide_map_find(&m, key_of(i))->key, key_of(i));
		tide_map_prefetch(&m, key_of(i));
	}
	for (uint32_t i = keys; i < keys + 1000; i++)
		assert_int_equal(tide_map_get(&m, key_of(i)), TIDE_NIL);
	tide_map_free(&m);
}

static void room_for_the_expected_is_there_at_once(void **state)
{
	struct tide_map m;

	(void)state;
	for (uint64_t expected = 1; expected < 100000; expected = expected * 3 + 1) {
		uint64_t mask;
		assert_int_equal(tide_map_init(&m, expected), 0);
		mask = m.mask;
		for (uint32_t i = 0; i < expected; i++)
			put(&m, key_of(i), i);
		assert_int_equal(m.mask, mask);
		tide_map_free(&m);
	}
}

/* More than there is memory for is an error, not a hang. */
static void too_many_expected_is_an_error(void **state)
{
	static const uint64_t many[] = {UINT64_C(1) << 50, UINT64_C(1) << 62, UINT64_MAX - 1};

	(void)state;
	alarm(10);
	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		struct tide_map m;
		assert_int_equal(tide_map_init(&m, many[i]), -ENOMEM);
		tide_map_free(&m);
	}
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_knows_nothing),
		cmocka_unit_test(it_grows_and_forgets_nothing),
		cmocka_unit_test(room_for_the_expected_is_there_at_once),
		cmocka_unit_test(too_many_expected_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
