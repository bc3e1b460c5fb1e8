/* fdp and early-adaptor: when their threshold changes, and what that brings in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy_help.h"

/* The prefetcher of an engine, to be told things that did not happen. */
static void answer(struct td_engine *e, bool useful)
{
	const struct td_engine_box *box = &e->box[TD_BOX_PREFETCH];
	const struct tide_evicted unused = {1, 0, 0, true, TIDE_FEEDBACK};

	if (useful)
		box->choice.policy->on_notice(box->self, (tide_chunk){0}, (tide_page){0},
					      TIDE_FEEDBACK);
	else
		box->choice.policy->on_evicted(box->self, (tide_chunk){0}, &unused);
}

static void answers(struct td_engine *e, unsigned useful, unsigned useless)
{
	while (useful--)
		answer(e, true);
	while (useless--)
		answer(e, false);
}

static void threshold_follows_the_answers(void **state)
{
	struct td_engine *e = start_with("lru", "fdp", 16, 1000, 100000);

	(void)state;
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	answers(e, 49, 0);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51"); /* not judged yet */
	answers(e, 1, 0);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=1");
	answers(e, 40, 10); /* 0.8 is not more than 0.8 */
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	answers(e, 41, 9);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=1");
	answers(e, 0, 49);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=1");
	answers(e, 0, 1);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	assert_reports(e, TD_BOX_PREFETCH, "useful=131");
	assert_reports(e, TD_BOX_PREFETCH, "useless=69");
	td_engine_destroy(e);
}

/* What was armed for another purpose, or was not observed when it left, is no answer. */
static void only_feedback_counts(void **state)
{
	struct td_engine *e = start_with("lru", "fdp", 16, 1000, 100000);
	const struct td_engine_box *box = &e->box[TD_BOX_PREFETCH];
	const struct tide_evicted used = {1, 1, 0, false, TIDE_FEEDBACK};
	const struct tide_evicted observed = {1, 0, 0, true, TIDE_OBSERVE};

	(void)state;
	box->choice.policy->on_notice(box->self, (tide_chunk){0}, (tide_page){0}, TIDE_OBSERVE);
	box->choice.policy->on_evicted(box->self, (tide_chunk){0}, &used);
	box->choice.policy->on_evicted(box->self, (tide_chunk){0}, &observed);
	assert_reports(e, TD_BOX_PREFETCH, "useful=0");
	assert_reports(e, TD_BOX_PREFETCH, "useless=0");
	td_engine_destroy(e);
}

/* Page 1 completes a pair with page 0, nothing comes with it; page 2 makes it three of four, and
 * page 3 comes and is armed. */
static void a_prefetched_page_is_armed(void **state)
{
	struct td_engine *e = start_with("lru", "fdp", 4, 100, 1000);

	(void)state;
	read_page(e, 0);
	read_page(e, 1);
	assert_int_equal(e->counts.observe_pages, 0);
	read_page(e, 2);
	assert_int_equal(e->counts.prefetched_pages, 1);
	assert_int_equal(e->counts.observe_pages, 1);
	read_page(e, 3);
	assert_int_equal(e->counts.notices, 1);
	assert_reports(e, TD_BOX_PREFETCH, "useful=1");
	td_engine_destroy(e);
}

/* A program that uses all of what comes makes fdp bring whole chunks; one that uses a quarter of
 * each brings the tree back. */
static void streams_and_leaps(void **state)
{
	struct td_engine *e = start_with("lru", "fdp", 16, 320, 100000);
	uint64_t page = 0, before;

	(void)state;
	for (; page < 16 * 100; page++)
		read_page(e, page);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=1");
	before = e->counts.faults;
	for (; page < 16 * 200; page++)
		read_page(e, page);
	assert_int_equal(e->counts.faults - before, 100);
	for (; page < 16 * 400; page += 16)
		read_page(e, page);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	td_engine_destroy(e);
}

/* 64 faults, of which half fall in chunks that had one in this window: not more than half. One more
 * does it, from the fault on that ends the window. */
static void early_adaptor_counts_windows(void **state)
{
	struct td_engine *e = start_with("lru", "early-adaptor", 16, 10000, 100000);

	(void)state;
	for (uint64_t window = 0; window < 2; window++) {
		for (uint64_t chunk = 0; chunk < 32; chunk++) {
			read_page(e, 16 * chunk + 4 * window);
			read_page(e, 16 * chunk + 4 * window + 8);
		}
		assert_int_equal(e->counts.faults, 64 * (window + 1));
		assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	}
	for (uint64_t chunk = 100; chunk < 131; chunk++) {
		read_page(e, 16 * chunk);
		read_page(e, 16 * chunk + 8);
	}
	read_page(e, 16 * 130 + 4);
	assert_int_equal(e->counts.migrated_pages, e->counts.faults);
	assert_reports(e, TD_BOX_PREFETCH, "threshold=51");
	read_page(e, 16 * 129 + 4); /* the 64th */
	assert_reports(e, TD_BOX_PREFETCH, "threshold=1");
	assert_int_equal(e->counts.prefetched_pages, 13);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threshold_follows_the_answers),
		cmocka_unit_test(only_feedback_counts),
		cmocka_unit_test(a_prefetched_page_is_armed),
		cmocka_unit_test(streams_and_leaps),
		cmocka_unit_test(early_adaptor_counts_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
