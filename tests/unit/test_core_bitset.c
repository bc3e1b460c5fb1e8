#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "tide/bitset.h"
#include "tide/event.h"

/* One word, its border, and the borders of two and three levels. */
static const uint64_t bounds[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 262144, 262145};
#define BOUNDS (sizeof bounds / sizeof *bounds)

struct plain {
	unsigned char *has;
	uint64_t bound;
};

static uint64_t plain_below(const struct plain *p, uint64_t i)
{
	while (i--)
		if (p->has[i])
			return i;
	return TIDE_BITSET_NONE;
}

static void open_both(struct tide_bitset *s, struct plain *p, uint64_t bound)
{
	assert_int_equal(tide_bitset_init(s, bound), 0);
	*p = (struct plain){calloc(bound, 1), bound};
	assert_non_null(p->has);
}

static void close_both(struct tide_bitset *s, struct plain *p)
{
	tide_bitset_free(s);
	free(p->has);
}

static void set_both(struct tide_bitset *s, struct plain *p, uint64_t i, bool on)
{
	p->has[i] = on;
	if (on)
		tide_bitset_add(s, i);
	else
		tide_bitset_remove(s, i);
	assert_int_equal(tide_bitset_has(s, i), on);
}

static void assert_same_below(const struct tide_bitset *s, const struct plain *p, uint64_t i)
{
	assert_int_equal(tide_bitset_below(s, i), plain_below(p, i));
}

static void an_empty_set_has_nothing_below(void **state)
{
	(void)state;
	for (size_t b = 0; b < BOUNDS; b++) {
		struct tide_bitset s;
		assert_int_equal(tide_bitset_init(&s, bounds[b]), 0);
		for (uint64_t i = 0; i <= bounds[b]; i += bounds[b] > 5000 ? 61 : 1)
			assert_int_equal(tide_bitset_below(&s, i), TIDE_BITSET_NONE);
		assert_int_equal(tide_bitset_below(&s, bounds[b]), TIDE_BITSET_NONE);
		tide_bitset_free(&s);
	}
}

/* A single member, seen from every border of a word, and from the bound itself. */
static void one_member_is_found_from_everywhere(void **state)
{
	(void)state;
	for (size_t b = 0; b < BOUNDS; b++) {
		uint64_t bound = bounds[b], step = bound > 5000 ? 63 * 65 : bound > 100 ? 63 : 1;
		struct tide_bitset s;
		assert_int_equal(tide_bitset_init(&s, bound), 0);
		for (uint64_t at = 0; at < bound; at += step) {
			tide_bitset_add(&s, at);
			for (uint64_t from = 0; from <= bound; from += step)
				assert_int_equal(tide_bitset_below(&s, from),
						 from > at ? at : TIDE_BITSET_NONE);
			assert_int_equal(tide_bitset_below(&s, at), TIDE_BITSET_NONE);
			assert_int_equal(tide_bitset_below(&s, at + 1), at);
			assert_int_equal(tide_bitset_below(&s, bound), at);
			tide_bitset_remove(&s, at);
			assert_int_equal(tide_bitset_below(&s, bound), TIDE_BITSET_NONE);
		}
		tide_bitset_add(&s, bound - 1);
		assert_int_equal(tide_bitset_below(&s, bound), bound - 1);
		tide_bitset_free(&s);
	}
}

static void random_steps(uint64_t bound, uint64_t add_of_8, uint64_t seed)
{
	struct tide_bitset s;
	struct plain p;

	open_both(&s, &p, bound);
	for (int step = 0; step < 4000; step++) {
		uint64_t i = tide_random_next(&seed) % bound;
		set_both(&s, &p, i, tide_random_next(&seed) % 8 < add_of_8);
		assert_same_below(&s, &p, tide_random_next(&seed) % (bound + 1));
		/* From a border of the level above. */
		assert_same_below(&s, &p, i / 64 * 64);
	}
	close_both(&s, &p);
}

static void random_steps_agree_with_an_array(void **state)
{
	(void)state;
	for (size_t b = 0; b < BOUNDS; b++) {
		/* Full, half and nearly empty sets; a walk over a nearly empty array takes long. */
		random_steps(bounds[b], 7, b + 1);
		random_steps(bounds[b], 4, b + 2);
		if (bounds[b] <= 4097)
			random_steps(bounds[b], 1, b + 3);
	}
}

static void a_walk_down_visits_all(void **state)
{
	(void)state;
	for (size_t b = 0; b < BOUNDS; b++) {
		struct tide_bitset s;
		uint64_t random = 9, at = bounds[b];
		struct plain p;
		open_both(&s, &p, bounds[b]);
		for (uint64_t i = 0; i < bounds[b]; i++)
			if (tide_random_next(&random) % 100 == 0)
				set_both(&s, &p, i, true);
		for (uint64_t i = bounds[b]; i--;) {
			if (!p.has[i])
				continue;
			at = tide_bitset_below(&s, at);
			assert_int_equal(at, i);
		}
		assert_int_equal(tide_bitset_below(&s, at == bounds[b] ? 0 : at), TIDE_BITSET_NONE);
		close_both(&s, &p);
	}
}

/* Bounds as large as a header may claim: an error, whatever the number of levels. */
static void a_bound_past_all_memory_is_an_error(void **state)
{
	static const uint64_t many[] = {UINT64_C(1) << 45, UINT64_C(1) << 48, UINT64_C(1) << 60,
					UINT64_MAX - 1};

	(void)state;
	for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
		struct tide_bitset s;
		assert_int_equal(tide_bitset_init(&s, many[i]), -ENOMEM);
		tide_bitset_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_set_has_nothing_below),
		cmocka_unit_test(one_member_is_found_from_everywhere),
		cmocka_unit_test(random_steps_agree_with_an_array),
		cmocka_unit_test(a_walk_down_visits_all),
		cmocka_unit_test(a_bound_past_all_memory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
