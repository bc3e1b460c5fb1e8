#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tide/rit.h"

static void bins_touch_and_do_not_overlap(void **state)
{
	(void)state;
	for (unsigned bin = 0; bin + 1 < TIDE_RIT_BINS; bin++) {
		assert_int_equal(tide_rit_high(bin) + 1, tide_rit_low(bin + 1));
		assert_int_equal(tide_rit_bin(tide_rit_low(bin)), bin);
		assert_int_equal(tide_rit_bin(tide_rit_high(bin)), bin);
	}
}

static void bins_have_their_edges(void **state)
{
	(void)state;
	assert_int_equal(tide_rit_high(tide_rit_bin(63)), 63);
	assert_int_equal(tide_rit_high(tide_rit_bin(64)), 71);
	assert_int_equal(tide_rit_high(tide_rit_bin(127)), 127);
	assert_int_equal(tide_rit_high(tide_rit_bin(128)), 143);
	assert_int_equal(tide_rit_low(tide_rit_bin(1000000)), 983040);
	assert_int_equal(tide_rit_bin(UINT64_MAX), TIDE_RIT_BINS - 1);
}

static struct tide_rit table;

static void start(uint32_t capacity)
{
	assert_int_equal(tide_rit_init(&table, capacity), 0);
}

static int stop(void **state)
{
	(void)state;
	tide_rit_free(&table);
	return 0;
}

static uint32_t touched(uint64_t key, uint64_t now, unsigned times)
{
	uint32_t e = tide_rit_make(&table, key, now);
	while (times--)
		tide_rit_count(&table, e);
	return e;
}

static void assert_worth(uint32_t e, uint64_t age, uint64_t k, uint64_t below)
{
	struct tide_rit_worth w = tide_rit_worth_of(&table, e, age);
	assert_int_equal(tide_rit_compare(w, (struct tide_rit_worth){k, below, 1}), 0);
}

/* "axayaz" again and again, a by one key and x, y, z by another, as it is once known: at time 6. */
static void worth_of_axayaz(void **state)
{
	(void)state;
	start(4);
	uint32_t r1 = touched(1, 1, 3), r2 = touched(2, 1, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(tide_rit_credit(&table, r1, 10, 12));
		assert_true(tide_rit_credit(&table, r2, 10, 16));
	}
	assert_worth(r1, 1, 1, 1);
	assert_worth(r2, 4, 1, 2);
	assert_worth(r2, 2, 1, 4);
	assert_worth(r2, 0, 1, 6);
}

/* "aaxyz" again and again, at time 5: having waited 3, a's interval is not the 1. */
static void worth_of_aaxyz(void **state)
{
	(void)state;
	start(4);
	uint32_t r1 = touched(1, 1, 2), r2 = touched(2, 1, 3);
	tide_rit_credit(&table, r1, 10, 11);
	tide_rit_credit(&table, r1, 10, 14);
	for (unsigned i = 0; i < 3; i++)
		tide_rit_credit(&table, r2, 10, 15);
	assert_worth(r1, 3, 1, 1);
	assert_worth(r2, 2, 1, 3);
	assert_worth(r2, 1, 1, 4);
	assert_worth(r2, 0, 1, 5);
}

/* What is never touched again counts, and what lies in the bin of age is over. */
static void worth_counts_the_endless_and_not_the_own_bin(void **state)
{
	(void)state;
	start(1);
	uint32_t e = touched(1, 1, 10);
	tide_rit_credit(&table, e, 1000, 1070);
	tide_rit_credit(&table, e, 1000, 1200);
	tide_rit_credit(&table, e, 1000, 1300);
	assert_worth(e, 0, 1, 10 * 71);
	assert_worth(e, 64, 2, 9 * (319 - 64));
	assert_worth(e, 71, 2, 9 * (319 - 71));
	assert_worth(e, 199, 1, 8 * (319 - 199));
	assert_worth(e, 288, 0, 1);
	assert_worth(e, 5000, 0, 1);
	assert_int_equal(tide_rit_at(&table, e)->last_bin, tide_rit_bin(300));
}

/* Under the other reading the bin that is due next counts, whole, until its last interval. */
static void worth_counts_the_bin_that_is_next(void **state)
{
	(void)state;
	start(4);
	uint32_t e = tide_rit_make(&table, 7, 1);
	table.next_edge = true;
	for (int i = 0; i < 4; i++)
		tide_rit_count(&table, e);
	tide_rit_credit(&table, e, 1, 1 + 70);
	tide_rit_credit(&table, e, 1, 1 + 200);
	assert_worth(e, 62, 1, 4 * (71 - 62));
	assert_worth(e, 66, 1, 4 * (71 - 66));
	assert_worth(e, 70, 1, 4);
	assert_worth(e, 71, 1, 3 * (207 - 71));
	assert_worth(e, 206, 1, 3);
	assert_worth(e, 207, 0, 1);
	for (uint64_t age = 0; age < 5000; age++) {
		unsigned past = tide_rit_past(&table, age);
		assert_true(tide_rit_since(&table, past) <= age);
		assert_true(tide_rit_since(&table, past + 1) > age);
	}
}

/* Large counts that a double cannot tell apart. */
static void compares_exactly(void **state)
{
	uint64_t big = UINT64_C(1) << 41;
	struct tide_rit_worth a = {big, big + 1, big + 3}, b = {big, big + 2, big + 2};

	(void)state;
	start(1);
	assert_true(tide_rit_real(a) == tide_rit_real(b));
	assert_true(tide_rit_compare(a, b) > 0);
	assert_true(tide_rit_compare(b, a) < 0);
	assert_true(tide_rit_compare(TIDE_RIT_WORTHLESS, b) < 0);
	assert_int_equal(tide_rit_compare(a, a), 0);
}

static void recycles_the_least_recently_credited(void **state)
{
	(void)state;
	start(3);
	touched(10, 1, 1);
	touched(11, 2, 1);
	touched(12, 3, 1);
	assert_true(tide_rit_credit(&table, tide_rit_find(&table, 10), 1, 4));
	touched(13, 5, 1);
	assert_int_equal(tide_rit_find(&table, 11), TIDE_NIL);
	assert_int_not_equal(tide_rit_find(&table, 10), TIDE_NIL);
	/* At the same time 13 is credited and 7 made: of the two, 7 goes first. */
	assert_true(tide_rit_credit(&table, tide_rit_find(&table, 13), 5, 6));
	touched(7, 6, 1);
	assert_int_equal(tide_rit_find(&table, 12), TIDE_NIL);
	touched(20, 7, 1);
	assert_int_equal(tide_rit_find(&table, 10), TIDE_NIL);
	touched(21, 8, 1);
	assert_int_equal(tide_rit_find(&table, 7), TIDE_NIL);
	assert_int_not_equal(tide_rit_find(&table, 13), TIDE_NIL);
	assert_int_equal(table.recycled, 4);
}

static void an_entry_takes_no_credit_for_what_was_before_it(void **state)
{
	(void)state;
	start(1);
	uint32_t e = touched(1, 5, 1);
	tide_rit_credit(&table, e, 5, 9);
	assert_int_equal(touched(2, 10, 1), e);
	assert_worth(e, 0, 0, 1);
	assert_false(tide_rit_credit(&table, e, 9, 12));
	assert_true(tide_rit_credit(&table, e, 10, 12));
	assert_worth(e, 0, 1, 2);
}

static void halving_keeps_n_above_the_bins(void **state)
{
	(void)state;
	start(1);
	uint32_t e = touched(1, 1, 9);
	const struct tide_rit_entry *at = tide_rit_at(&table, e);
	for (unsigned i = 0; i < 5; i++)
		tide_rit_credit(&table, e, 1, 4);
	tide_rit_credit(&table, e, 1, 100);
	tide_rit_halve(&table);
	assert_int_equal(at->sum, 2); /* 5 / 2 and 1 / 2 */
	assert_int_equal(at->n, 3);   /* and of 3 without end, 1 */
	assert_int_equal(at->last_bin, 3);
	assert_worth(e, 0, 2, 3 * 3);
	for (unsigned i = 0; i < 3; i++)
		tide_rit_credit(&table, e, 1, 6);
	assert_int_equal(at->sum, 5);
	assert_int_equal(at->n, 5);
}

/* The pass comes to what the calls by hand come to. */
static void a_pass_learns(void **state)
{
	static const char things[] = "axayazaxayaz";
	struct tide_rit_pass pass;

	(void)state;
	start(2);
	assert_int_equal(tide_rit_pass_init(&pass, &table), 0);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(tide_rit_pass_touch(&pass, (uint64_t)things[i] << 40,
						     things[i] == 'a' ? 1 : 2, things[i] != 'z'),
				 0);
	tide_rit_pass_free(&pass);
	uint32_t a = tide_rit_find(&table, 1), xy = tide_rit_find(&table, 2);
	assert_int_equal(tide_rit_at(&table, a)->n, 6);
	assert_int_equal(tide_rit_counts(&table, a)[2], 5);
	assert_int_equal(tide_rit_at(&table, xy)->n, 4);
	assert_int_equal(tide_rit_counts(&table, xy)[6], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_touch_and_do_not_overlap),
		cmocka_unit_test(bins_have_their_edges),
		cmocka_unit_test_teardown(worth_of_axayaz, stop),
		cmocka_unit_test_teardown(worth_of_aaxyz, stop),
		cmocka_unit_test_teardown(worth_counts_the_endless_and_not_the_own_bin, stop),
		cmocka_unit_test_teardown(worth_counts_the_bin_that_is_next, stop),
		cmocka_unit_test_teardown(compares_exactly, stop),
		cmocka_unit_test_teardown(recycles_the_least_recently_credited, stop),
		cmocka_unit_test_teardown(an_entry_takes_no_credit_for_what_was_before_it, stop),
		cmocka_unit_test_teardown(halving_keeps_n_above_the_bins, stop),
		cmocka_unit_test_teardown(a_pass_learns, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
