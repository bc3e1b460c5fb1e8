/* follow, with recur beside it: few faults, few chunks brought in vain, and hardly more moves than
 * opt needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rounds_help.h"

#define ROUNDS 50

/* Percent: moves, of those of opt; faults, of all moves; brought in vain, of what was brought. */
static void assert_follows(uint64_t near_pages, uint64_t moves, uint64_t faults, uint64_t wasted)
{
	struct moved m = run_visits("recur", "follow", near_pages);
	uint64_t best = run_visits("opt", "none", near_pages).pages;

	if (m.pages * 100 > best * moves || m.faults * 100 > m.pages * faults ||
	    m.wasted * 100 > m.planned * wasted)
		fail_msg("in %lu pages: %lu faults, %lu moves (opt has %lu), %lu followed, %lu in "
			 "vain",
			 near_pages, m.faults, m.pages, best, m.planned, m.wasted);
}

static void a_loop_is_followed(void **state)
{
	(void)state;
	visits_n = 0;
	go_round(0, 200, ROUNDS);
	for (uint64_t near_pages = 40; near_pages < 200; near_pages += 40)
		assert_follows(near_pages, 115, 40, 5);
}

/* The last visit of x says nothing of what came after its other visits: the place stays. */
static void chunks_visited_twice_do_not_mislead(void **state)
{
	(void)state;
	visits_n = 0;
	for (int r = 0; r < ROUNDS; r++)
		for (uint64_t i = 0; i < 300; i++) {
			visit(i);
			if (i % 150 == 0)
				visit((i + 100) % 300);
		}
	for (uint64_t near_pages = 60; near_pages < 300; near_pages += 60)
		assert_follows(near_pages, 120, 40, 5);
}

/* An order that is left now and then: some visits are missing, and others come between. */
static void small_deviations_are_followed(void **state)
{
	uint64_t seed = 1, other = 1000;

	(void)state;
	visits_n = 0;
	for (int r = 0; r < ROUNDS; r++)
		for (uint64_t i = 0; i < 200; i++) {
			uint64_t draw = tide_random_next(&seed) % 40;
			if (draw == 0)
				visit(other++);
			if (draw != 1)
				visit(i);
		}
	for (uint64_t near_pages = 40; near_pages < 200; near_pages += 40)
		assert_follows(near_pages, 160, 60, 15);
}

/* Where there is no order, most guesses are wrong, and then nothing is brought. */
static void no_order_is_not_followed_far(void **state)
{
	struct moved m;
	uint64_t seed = 1, alone;

	(void)state;
	visits_n = 0;
	for (int i = 0; i < 20000; i++)
		visit(tide_random_next(&seed) % 200);
	m = run_visits("recur", "follow", 100);
	alone = run_visits("recur", "none", 100).pages;
	if (m.pages > alone * 5 / 4)
		fail_msg("%lu moves, %lu without", m.pages, alone);
}

static void all_fits_and_nothing_is_brought(void **state)
{
	struct moved m;

	(void)state;
	visits_n = 0;
	go_round(0, 200, 10);
	m = run_visits("recur", "follow", 200);
	assert_int_equal(m.faults, 200);
	assert_int_equal(m.planned, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_followed),
		cmocka_unit_test(chunks_visited_twice_do_not_mislead),
		cmocka_unit_test(small_deviations_are_followed),
		cmocka_unit_test(no_order_is_not_followed_far),
		cmocka_unit_test(all_fits_and_nothing_is_brought),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
