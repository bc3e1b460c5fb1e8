/* recur: what it does with rounds over more than fits, beside what opt and lru do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rounds_help.h"

static uint64_t faults_of(const char *evict, uint64_t near_pages)
{
	return run_visits(evict, "none", near_pages).faults;
}

/* At most so many hundredths of what opt has. */
static void assert_near_opt(uint64_t near_pages, uint64_t percent)
{
	uint64_t faults = faults_of("recur", near_pages), best = faults_of("opt", near_pages);

	if (faults * 100 > best * percent)
		fail_msg("%lu faults in %lu pages, opt has %lu", faults, near_pages, best);
}

static void a_loop_is_near_opt(void **state)
{
	(void)state;
	visits_n = 0;
	go_round(0, 200, 50);
	for (uint64_t near_pages = 20; near_pages < 200; near_pages += 20) {
		assert_int_equal(faults_of("lru", near_pages), visits_n);
		assert_near_opt(near_pages, 110);
	}
	assert_int_equal(faults_of("recur", 200), 200);
}

/* Layers that come back within a round, as in a pass forwards and one backwards. */
static void there_and_back_is_near_opt(void **state)
{
	(void)state;
	visits_n = 0;
	for (int r = 0; r < 30; r++) {
		go_round(0, 100, 1);
		for (uint64_t i = 100; i--;)
			visit(i);
	}
	for (uint64_t near_pages = 20; near_pages < 100; near_pages += 20)
		assert_near_opt(near_pages, 150);
}

/* x is visited twice in a round, after short and after long intervals. It is judged by the long
 * one, and the others by theirs: twenty such chunks take no more room than others. */
static void chunks_visited_twice_do_not_mislead(void **state)
{
	(void)state;
	visits_n = 0;
	for (int r = 0; r < 50; r++)
		for (uint64_t i = 0; i < 200; i++) {
			visit(i);
			if (i % 10 == 9)
				visit(i - 5);
		}
	for (uint64_t near_pages = 40; near_pages < 200; near_pages += 40)
		assert_near_opt(near_pages, 115);
}

/* What is used once does not push out what comes back. */
static void a_stream_does_not_push_out_a_loop(void **state)
{
	uint64_t once = 1000;

	(void)state;
	visits_n = 0;
	for (int r = 0; r < 50; r++)
		for (uint64_t i = 0; i < 100; i++) {
			visit(i);
			visit(once++);
		}
	assert_int_equal(faults_of("lru", 120), visits_n);
	assert_near_opt(120, 150);
}

/* A program that goes on to other memory: the old leaves, though it was expected soon. */
static void what_does_not_come_back_leaves(void **state)
{
	(void)state;
	visits_n = 0;
	go_round(0, 100, 20);
	go_round(500, 100, 60);
	go_round(1000, 100, 60);
	assert_near_opt(80, 130);
	/* All of the second memory fits, once the first has left: within a few rounds of sixty. */
	visits_n = 0;
	go_round(0, 100, 20);
	go_round(500, 80, 60);
	assert_true(faults_of("recur", 100) < 100 + 80 * 4);
}

/* Of the last of the rounds: the most visits one after the other that are no faults. */
static uint64_t longest_run_of_hits(uint64_t chunks, uint64_t near_pages, uint64_t rounds)
{
	struct td_engine *e = start_with("recur", "none", 1, near_pages, chunks);
	uint64_t run = 0, longest = 0;

	for (uint64_t i = 0; i < chunks * rounds; i++) {
		uint64_t faults = e->counts.faults;
		read_page(e, i % chunks);
		run = e->counts.faults == faults ? run + 1 : 0;
		if (i >= chunks * (rounds - 1) && run > longest)
			longest = run;
	}
	td_engine_destroy(e);
	return longest;
}

/* The bus has work all the time: what stays is not the first half of a round. */
static void what_stays_is_spread(void **state)
{
	(void)state;
	assert_true(longest_run_of_hits(200, 100, 40) <= 25);
	assert_true(longest_run_of_hits(200, 50, 40) <= 4);
}

/* Temporaries, each used for a part of a round, beside a loop that does not fit. What follow brings
 * ahead does not push them out with every use. */
static void temporaries_stay_while_they_are_used(void **state)
{
	(void)state;
	visits_n = 0;
	for (int r = 0; r < 30; r++)
		for (uint64_t i = 0; i < 300; i++) {
			visit(i);
			for (uint64_t k = 0; k < 3; k++)
				visit(1000 + i / 30 * 3 + k);
		}
	uint64_t moves = run_visits("recur", "follow", 100).pages;
	uint64_t best = run_visits("opt", "none", 100).pages;
	if (moves * 100 > best * 125)
		fail_msg("%lu moves, opt has %lu", moves, best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_near_opt),
		cmocka_unit_test(there_and_back_is_near_opt),
		cmocka_unit_test(chunks_visited_twice_do_not_mislead),
		cmocka_unit_test(a_stream_does_not_push_out_a_loop),
		cmocka_unit_test(what_does_not_come_back_leaves),
		cmocka_unit_test(what_stays_is_spread),
		cmocka_unit_test(temporaries_stay_while_they_are_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
