#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tide/vec.h"

static void assert_zero(const struct tide_vec *v, size_t from)
{
	for (size_t i = from; i < v->mapped_bytes; i++)
		if (v->at[i])
			fail_msg("byte %zu of %zu is %d", i, v->mapped_bytes, v->at[i]);
}

static void growth_keeps_items_and_zeroes_the_rest(void **state)
{
	const size_t item_bytes = 12;
	struct tide_vec v;
	size_t used = 0;

	(void)state;
	tide_vec_init(&v, item_bytes);
	assert_null(v.at);
	/* Past the border of 2 MiB, where it changes its unit. */
	for (uint64_t n = 1; n < 500000; n = n * 5 / 3 + 1) {
		assert_int_equal(tide_vec_reserve(&v, n), 0);
		assert_true(v.mapped_bytes >= n * item_bytes);
		for (size_t i = 0; i < used; i++)
			assert_int_equal(v.at[i], (unsigned char)(i * 7 + 1));
		assert_zero(&v, used);
		used = n * item_bytes;
		for (size_t i = 0; i < used; i++)
			v.at[i] = (unsigned char)(i * 7 + 1);
	}
	tide_vec_free(&v);
	assert_null(v.at);
}

static void less_room_than_there_is_changes_nothing(void **state)
{
	struct tide_vec v;
	unsigned char *at;
	size_t bytes;

	(void)state;
	tide_vec_init(&v, 8);
	assert_int_equal(tide_vec_reserve(&v, 1000), 0);
	at = v.at;
	bytes = v.mapped_bytes;
	assert_int_equal(tide_vec_reserve(&v, 1), 0);
	assert_int_equal(tide_vec_reserve(&v, 0), 0);
	assert_int_equal(tide_vec_reserve(&v, bytes / 8), 0);
	assert_ptr_equal(v.at, at);
	assert_int_equal(v.mapped_bytes, bytes);
	tide_vec_free(&v);
}

/* One item at a time must not be one call of the kernel at a time. */
static void growth_is_by_doubling(void **state)
{
	struct tide_vec v;
	unsigned grown = 0;
	size_t bytes = 0;

	(void)state;
	tide_vec_init(&v, 8);
	for (uint64_t n = 1; n <= 1000000; n++) {
		assert_int_equal(tide_vec_reserve(&v, n), 0);
		grown += v.mapped_bytes != bytes;
		bytes = v.mapped_bytes;
	}
	assert_in_range(grown, 2, 20);
	tide_vec_free(&v);
}

static void too_much_is_refused_and_changes_nothing(void **state)
{
	static const uint64_t many[] = {UINT64_MAX, UINT64_MAX / 8 + 2, UINT64_MAX / 32 + 1,
					UINT64_C(1) << 60, UINT64_C(1) << 50};
	struct tide_vec v;
	size_t bytes;

	(void)state;
	tide_vec_init(&v, 8);
	assert_int_equal(tide_vec_reserve(&v, 10), 0);
	v.at[79] = 42;
	bytes = v.mapped_bytes;
	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		assert_int_equal(tide_vec_reserve(&v, many[i]), -ENOMEM);
		assert_int_equal(v.mapped_bytes, bytes);
		assert_int_equal(v.at[79], 42);
	}
	tide_vec_free(&v);
}

static void items_of_no_bytes_stay_nowhere(void **state)
{
	struct tide_vec v;

	(void)state;
	tide_vec_init(&v, 0);
	assert_int_equal(tide_vec_reserve(&v, UINT64_MAX), 0);
	assert_null(v.at);
	tide_vec_free(&v);
	tide_vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_keeps_items_and_zeroes_the_rest),
		cmocka_unit_test(less_room_than_there_is_changes_nothing),
		cmocka_unit_test(growth_is_by_doubling),
		cmocka_unit_test(too_much_is_refused_and_changes_nothing),
		cmocka_unit_test(items_of_no_bytes_stay_nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
