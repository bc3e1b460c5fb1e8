/* tournament, duel and auto: turns, blame, retirement and duels, worked out by hand, and members of
 * all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "policy_help.h"

static struct td_engine *single_pages(const char *evict, uint64_t near_pages)
{
	return start_with(evict, "none", 1, near_pages, UINT64_MAX);
}

static void read_pages(struct td_engine *e, uint64_t first, uint64_t n)
{
	for (uint64_t p = first; p < first + n; p++)
		read_page(e, p);
}

/* Four frames: lru names 0, mru names 4, lru names 1. */
static void victims_come_in_turn(void **state)
{
	struct td_engine *e = single_pages("tournament:of=lru+mru", 4);

	(void)state;
	read_pages(e, 0, 5);
	assert_false(is_resident(e, 0));
	read_page(e, 5);
	assert_false(is_resident(e, 4));
	read_page(e, 6);
	assert_false(is_resident(e, 1));
	assert_reports(e, TD_BOX_EVICT, "victims_by_member=2,1");
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=0,0");
	read_page(e, 0); /* lru's fault; mru names 6 */
	assert_false(is_resident(e, 6));
	read_page(e, 0);
	read_page(e, 4); /* mru's; lru names 2 */
	assert_false(is_resident(e, 2));
	assert_reports(e, TD_BOX_EVICT, "victims_by_member=3,2");
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=1,1");
	assert_reports(e, TD_BOX_EVICT, "active=lru+mru");
	assert_reports(e, TD_BOX_EVICT, "retired=null");
	td_engine_destroy(e);
}

/* A cycle of 5 over 4 frames: lru's victims are wanted next, mru's last. The third point is more
 * than a window of 2. */
static void the_worse_one_retires(void **state)
{
	struct td_engine *e = single_pages("tournament:of=lru+mru,window=2", 4);

	(void)state;
	for (int round = 0; round < 4; round++)
		read_pages(e, 0, 5);
	assert_reports(e, TD_BOX_EVICT, "active=mru");
	assert_reports(e, TD_BOX_EVICT, "retired=lru");
	td_engine_destroy(e);
}

/* With a margin of 0 everybody who has a point is over it. Every policy names the same victims
 * here, so points come in the order of the turns: 1, 1, 1, and then all are over; the first of the
 * equals stays. */
static void one_always_stays(void **state)
{
	struct td_engine *e = single_pages("tournament:of=fifo+lru+lrm,window=2,margin=0", 4);

	(void)state;
	for (int round = 0; round < 10; round++)
		read_pages(e, 0, 5);
	assert_reports(e, TD_BOX_EVICT, "active=fifo");
	assert_reports(e, TD_BOX_EVICT, "retired=lru+lrm");
	td_engine_destroy(e);
}

/* A cycle longer than memory is mru's; a hot spot that moves on is lru's. Whoever wins the duels
 * leads, again and again. */
static void the_winner_of_duels_leads(void **state)
{
	struct td_engine *e = single_pages("duel:of=lru+mru,window=8", 40);
	uint64_t random = 1, base = 1000;

	(void)state;
	assert_reports(e, TD_BOX_EVICT, "leader=lru");
	for (int turn = 0; turn < 3; turn++) {
		uint64_t changes = 2 * (uint64_t)turn + 1;
		char line[64];
		for (int round = 0; round < 100; round++)
			read_pages(e, 0, 50);
		assert_reports(e, TD_BOX_EVICT, "leader=mru");
		snprintf(line, sizeof line, "changes_of_leader=%lu", changes);
		assert_reports(e, TD_BOX_EVICT, line);
		for (int i = 0; i < 20000; i++, base += i % 8 == 0)
			read_page(e, base + tide_random_next(&random) % 60);
		assert_reports(e, TD_BOX_EVICT, "leader=lru");
	}
	td_engine_destroy(e);
}

/* Four frames, pages 0 to 3 in them, lru leads. mru is a challenger at once and names 3, lru then
 * 0: a duel, with a window of 1 decided by one point. Who comes back first has lost it. */
static void one_point_is_enough(void **state)
{
	static const struct {
		uint64_t back;
		const char *leader;
	} rows[] = {{0, "leader=mru"}, {3, "leader=lru"}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct td_engine *e = single_pages("duel:of=lru+mru,every=4,window=1", 4);
		read_pages(e, 0, 6);
		assert_false(is_resident(e, 3));
		assert_false(is_resident(e, 0));
		read_page(e, rows[i].back);
		assert_reports(e, TD_BOX_EVICT, rows[i].leader);
		td_engine_destroy(e);
	}
}

/* What leaves stays away: no member but lrm is asked. */
static void nothing_is_tried_where_nothing_comes_back(void **state)
{
	struct td_engine *e = single_pages("auto", 40);

	(void)state;
	read_pages(e, 0, 400);
	assert_reports(e, TD_BOX_EVICT, "victims_by_member=360,0,0,0");
	td_engine_destroy(e);
}

/* A loop over more than fits is not lrm's, and a hot spot that moves on is. */
static void lrm_leads_until_another_is_better(void **state)
{
	struct td_engine *e = single_pages("auto", 40), *lrm = single_pages("lrm", 40);

	(void)state;
	for (int round = 0; round < 200; round++)
		read_pages(e, 0, 50);
	assert_true(e->counts.faults < 6000); /* of 10,000 */
	uint64_t random = 1, again = 1, faults = e->counts.faults;
	for (uint64_t i = 0, base = 1000; i < 40000; i++, base += i % 8 == 0)
		read_page(e, base + tide_random_next(&random) % 60);
	for (uint64_t i = 0, base = 1000; i < 40000; i++, base += i % 8 == 0)
		read_page(lrm, base + tide_random_next(&again) % 60);
	assert_true((e->counts.faults - faults) * 100 < lrm->counts.faults * 105);
	td_engine_destroy(e);
	td_engine_destroy(lrm);
}

/* A chunk that comes back because its neighbour faulted is nobody's fault, and its own next fault
 * is not that of its eviction. */
static void coming_back_by_prefetch_is_no_blame(void **state)
{
	struct td_engine *e = start_with("tournament:of=lru", "sequential:n=2", 2, 4, 100);

	(void)state;
	read_page(e, 2);  /* and 3: chunk 1 */
	read_page(e, 10); /* and 11: chunk 5 */
	read_page(e, 20); /* and 21; chunk 1 leaves */
	read_page(e, 1);  /* and 2, of chunk 1; chunk 5 leaves */
	read_page(e, 3);
	assert_int_equal(e->counts.faults, 5);
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=0");
	read_page(e, 10); /* chunk 5 was missed */
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=1");
	td_engine_destroy(e);
}

/* As Algorithm 1 is printed: every fault on a chunk that left is blame, whatever brought the chunk
 * back, and no point is forgotten. */
static void every_later_fault_is_blame(void **state)
{
	struct td_engine *e = start_with("tournament:of=lru,window=1,forget=0", "sequential:n=2", 2,
					 4, 100);

	(void)state;
	read_page(e, 2);  /* and 3: chunk 1 */
	read_page(e, 10); /* and 11: chunk 5 */
	read_page(e, 20); /* and 21; chunk 1 leaves */
	read_page(e, 1);  /* and 2, of chunk 1; chunk 5 leaves */
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=0");
	read_page(e, 3); /* chunk 1, which a prefetch brought back in part */
	assert_int_equal(e->counts.faults, 5);
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=1");
	read_page(e, 10);
	read_page(e, 20);
	read_page(e, 3);
	assert_reports(e, TD_BOX_EVICT, "blame_by_member=4");
	td_engine_destroy(e);
}

/* observ-lru alone observes; the others pass the question on, and retired ones are not asked. */
static void candidates_come_from_those_who_have_some(void **state)
{
	struct td_engine *e = single_pages("tournament:of=fifo+observ-lru+clock", 100);

	(void)state;
	read_pages(e, 0, 50);
	assert_int_equal(e->counts.observe_pages, 50);
	td_engine_destroy(e);
}

static void nobody_observes(void **state)
{
	struct td_engine *e = single_pages("tournament:of=fifo+lru", 100);

	(void)state;
	read_pages(e, 0, 50);
	read_pages(e, 0, 50);
	assert_int_equal(e->counts.observe_pages, 0);
	assert_int_equal(e->counts.hits, 50);
	td_engine_destroy(e);
}

/* A single member decides everything: the same counts as without the others. */
static void alone_is_like_without(void **state)
{
	static const char *const names[] = {"lru", "cp", "observ-lfu", "mhpe", "clock", "random"};

	(void)state;
	for (size_t i = 0; i < 3 * sizeof names / sizeof *names; i++) {
		static const char *const specs[] = {"tournament:of=%s", "duel:of=%s,every=16",
						    "auto:of=%s"};
		const char *name = names[i / 3];
		char spec[64];
		struct td_engine *with, *without;
		uint64_t at = 0, seed = i;

		snprintf(spec, sizeof spec, specs[i % 3], name);
		with = start_with(spec, "fdp", 4, 60, 300);
		without = start_with(name, "fdp", 4, 60, 300);
		for (int k = 0; k < 5000; k++) {
			at = next_page(at, 300, &seed);
			read_page(with, at);
			read_page(without, at);
		}
		assert_true(without->counts.evicted_chunks > 100);
		assert_memory_equal(&with->counts, &without->counts, sizeof with->counts);
		td_engine_destroy(with);
		td_engine_destroy(without);
	}
}

/* Whatever the company, a chunk that another one named leaves everybody's lists. */
static void members_of_all_kinds(void **state)
{
	static const struct {
		const char *of;
		uint32_t chunk_pages;
	} runs[] = {
		{"lru+mhpe+leu", 1},
		{"fifo+lru+mru+lfu+lrm+clock+random+reserved-lru+mhpe+cp+observ-lru+observ-lfu", 4},
		{"arc+2q+lirs+s3fifo+sieve+cp", 1},
		{"lru+lru+lru", 16},
		{"tournament+lru+mhpe", 4},
	};

	(void)state;
	for (size_t k = 0; k < 2 * sizeof runs / sizeof *runs; k++) {
		size_t i = k / 2;
		uint64_t at = 0, seed = i, pages = runs[i].chunk_pages * 100;
		char spec[256];
		struct td_engine *e;

		if (k % 2)
			snprintf(spec, sizeof spec, "duel:of=%s,window=2,every=8", runs[i].of);
		else
			snprintf(spec, sizeof spec, "tournament:of=%s,window=100000", runs[i].of);
		e = start_with(spec, "none", runs[i].chunk_pages, pages / 2, pages);
		for (int access = 0; access < 20000; access++) {
			struct tide_error err = {0};
			at = next_page(at, pages, &seed);
			if (try_event(e, (struct td_event){.page = at, .ref = at % 7 + 1}, &err))
				fail_msg("%s: %s", spec, err.text);
		}
		assert_int_equal(e->counts.policy_errors, 0);
		if (k % 2 == 0)
			assert_reports(e, TD_BOX_EVICT, "retired=null");
		td_engine_destroy(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(victims_come_in_turn),
		cmocka_unit_test(the_worse_one_retires),
		cmocka_unit_test(one_always_stays),
		cmocka_unit_test(the_winner_of_duels_leads),
		cmocka_unit_test(one_point_is_enough),
		cmocka_unit_test(nothing_is_tried_where_nothing_comes_back),
		cmocka_unit_test(lrm_leads_until_another_is_better),
		cmocka_unit_test(coming_back_by_prefetch_is_no_blame),
		cmocka_unit_test(every_later_fault_is_blame),
		cmocka_unit_test(candidates_come_from_those_who_have_some),
		cmocka_unit_test(nobody_observes),
		cmocka_unit_test(alone_is_like_without),
		cmocka_unit_test(members_of_all_kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
