/* Three tiers: where victims go, what comes back from where, and what that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "engine_help.h"

static enum tide_placement answers[16];
static unsigned asked;

static enum tide_placement answer(void *self, tide_chunk c)
{
	(void)self, (void)c;
	return answers[asked++ % 16];
}

static const struct tide_policy placer = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "placer",
	.role = TIDE_PLACE,
	.summary = "answers by script",
	.place_victim = answer,
};

/* One page alone makes room, for page 9. */
static uint64_t soft;

static bool yields(void *self, tide_chunk oldest, tide_chunk c)
{
	(void)self;
	return oldest.index == soft && c.index == 9;
}

static const struct tide_policy weigher = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "weigher",
	.role = TIDE_PLACE,
	.summary = "asks who makes room",
	.place_victim = answer,
	.yields = yields,
};

static struct td_engine *begin_with(const struct tide_policy *policy, uint64_t near_pages,
				    uint64_t host_pages, enum tide_placement always)
{
	struct td_engine_config config = config_of(1, near_pages);

	asked = 0;
	for (int i = 0; i < 16; i++)
		answers[i] = always;
	config.host_pages = host_pages;
	config.place = own(policy);
	config.evict = named("clock", TIDE_EVICT);
	return start(&config);
}

static struct td_engine *begin(uint64_t near_pages, uint64_t host_pages, enum tide_placement always)
{
	return begin_with(&placer, near_pages, host_pages, always);
}

static void assert_counts(const struct td_engine *e, uint64_t hits2, uint64_t misses2,
			  uint64_t reads3, uint64_t writes3)
{
	assert_int_equal(e->counts.tier2_hits, hits2);
	assert_int_equal(e->counts.tier2_misses, misses2);
	assert_int_equal(e->counts.tier3_reads, reads3);
	assert_int_equal(e->counts.tier3_writes, writes3);
}

static void tier2_gives_back_what_it_got(void **state)
{
	struct td_engine *e = begin(1, 2, TIDE_TO_TIER2);

	(void)state;
	write_page(e, 0);
	read_page(e, 1); /* 0 goes down dirty */
	assert_int_equal(e->near.host_free_pages, 1);
	read_page(e, 0); /* and comes back dirty */
	assert_counts(e, 1, 2, 2, 0);
	answers[2] = TIDE_TO_TIER3;
	read_page(e, 2);
	assert_counts(e, 1, 3, 3, 1);
	assert_int_equal(e->counts.writeback_pages, 2);
	assert_int_equal(e->tiers.moved[1][2], 2);
	assert_int_equal(e->tiers.moved[1][3], 1);
	assert_int_equal(e->tiers.moved[2][1], 1);
	assert_int_equal(e->tiers.moved[3][1], 3);
	td_engine_destroy(e);
}

static void the_oldest_leaves_a_full_tier2(void **state)
{
	struct td_engine *e = begin(1, 2, TIDE_TO_TIER2);

	(void)state;
	write_page(e, 0);
	for (uint64_t p = 1; p < 4; p++)
		read_page(e, p); /* 0, 1 went to tier 2; 2 pushes 0 out */
	assert_counts(e, 0, 4, 4, 1);
	assert_int_equal(e->tiers.moved[2][3], 1);
	read_page(e, 1);
	assert_counts(e, 1, 4, 4, 1);
	read_page(e, 0);
	assert_counts(e, 1, 5, 5, 1);
	td_engine_destroy(e);
}

/* Of the nine pages that are in tier 2 eight are asked about; who stays becomes the newest. */
static void who_yields_leaves_a_full_tier2(void **state)
{
	(void)state;
	for (uint64_t who = 0; who < 10; who++) {
		struct td_engine *e = begin_with(&weigher, 1, 9, TIDE_TO_TIER2);
		soft = who;
		for (uint64_t p = 0; p < 10; p++)
			write_page(e, p); /* 0 to 8 are in tier 2 */
		read_page(e, 10);
		bool found = who < TIDE_YIELDS_MAX;
		assert_int_equal(e->tiers.moved[1][2], found ? 10 : 9);
		assert_int_equal(e->tiers.moved[2][3], found);
		assert_counts(e, 0, 11, 11, 1); /* one of them was written */
		assert_int_equal(e->near.host_free_pages, 0);
		assert_int_equal(e->tiers.queue.head, found ? who + 1 : 8);
		td_engine_destroy(e);
	}
}

static void without_host_memory_all_goes_to_storage(void **state)
{
	struct td_engine *e = begin(1, 0, TIDE_TO_TIER2);

	(void)state;
	write_page(e, 0);
	read_page(e, 1);
	read_page(e, 0);
	assert_counts(e, 0, 3, 3, 1);
	assert_int_equal(e->tiers.moved[1][2], 0);
	td_engine_destroy(e);
}

/* The hand steps on past what is kept, and a round later may come back to it. */
static void a_kept_page_stays(void **state)
{
	struct td_engine *e = begin(3, 4, TIDE_TO_TIER2);

	(void)state;
	for (uint64_t p = 0; p < 3; p++)
		read_page(e, p);
	answers[0] = TIDE_KEEP;
	read_page(e, 3); /* 0 is kept, 1 goes */
	assert_true(is_resident(e, 0) && !is_resident(e, 1) && is_resident(e, 2));
	assert_int_equal(asked, 2);
	assert_int_equal(e->counts.evicted_pages, 1);
	answers[2] = answers[3] = answers[4] = TIDE_KEEP;
	read_page(e, 4); /* 2 and 0 kept, 3 was used, 2 kept, then 0 goes */
	assert_true(!is_resident(e, 0) && is_resident(e, 2) && is_resident(e, 3));
	assert_int_equal(asked, 6);
	td_engine_destroy(e);
}

static void nonsense_ends_the_run(void **state)
{
	const enum tide_placement wrong[] = {(enum tide_placement)0, (enum tide_placement)7,
					     TIDE_KEEP};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct td_engine *e = begin(1, 4, wrong[i]);
		struct tide_error err = {0};
		read_page(e, 0);
		assert_int_equal(try_event(e, (struct td_event){.page = 1}, &err), -EPROTO);
		assert_non_null(strstr(err.text, "place policy placer gave an invalid answer"));
		td_engine_destroy(e);
	}
}

static unsigned cleaned[4];

static void note_clean(void *arg, tide_chunk c, tide_tier from)
{
	(void)arg, (void)c;
	cleaned[from.number]++;
}

static void what_is_dirty_can_be_flushed(void **state)
{
	struct td_engine *e = begin(2, 2, TIDE_TO_TIER2);

	(void)state;
	e->carrier.clean = note_clean;
	write_page(e, 0);
	write_page(e, 1);
	read_page(e, 2);
	read_page(e, 3); /* 0 and 1 went to tier 2 */
	write_page(e, 3);
	td_engine_flush(e);
	assert_counts(e, 0, 4, 4, 3);
	assert_int_equal(cleaned[1], 1);
	assert_int_equal(cleaned[2], 2);
	assert_true(is_resident(e, 2) && is_resident(e, 3));
	td_engine_flush(e); /* all is clean now */
	read_page(e, 0);
	read_page(e, 1);
	assert_counts(e, 2, 4, 4, 3);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tier2_gives_back_what_it_got),
		cmocka_unit_test(the_oldest_leaves_a_full_tier2),
		cmocka_unit_test(who_yields_leaves_a_full_tier2),
		cmocka_unit_test(without_host_memory_all_goes_to_storage),
		cmocka_unit_test(a_kept_page_stays),
		cmocka_unit_test(nonsense_ends_the_run),
		cmocka_unit_test(what_is_dirty_can_be_flushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
