/* tide/tiering.h, compiled as C: each piece against the plainest way to write it. */
#include "tide/tiering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tide/tide.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the clock ---- */

static void the_clock_takes_what_it_finds_unused(void **state)
{
	bool used = true;

	(void)state;
	assert_false(tide_clock_takes(&used));
	assert_false(used);
	assert_true(tide_clock_takes(&used));
	assert_false(used);
}

/* A ring of frames as a GPU has it: a newcomer takes the victim's place, just behind the hand. */
#define FRAMES 64

static struct {
	uint64_t page[FRAMES];
	bool used[FRAMES];
	uint32_t size, full, hand;
} ring;

static bool ring_hits(uint64_t page)
{
	for (uint32_t i = 0; i < ring.full; i++) {
		if (ring.page[i] == page)
			return ring.used[i] = true;
	}
	return false;
}

/* Brings a page in: the page that leaves for it, UINT64_MAX for none. */
static uint64_t ring_fault(uint64_t page)
{
	uint64_t victim = UINT64_MAX;
	uint32_t at = ring.full;

	if (ring.full < ring.size) {
		ring.full++;
	} else {
		while (!tide_clock_takes(&ring.used[ring.hand]))
			ring.hand = (ring.hand + 1) % ring.size;
		at = ring.hand;
		victim = ring.page[at];
		ring.hand = (at + 1) % ring.size;
	}
	ring.page[at] = page;
	ring.used[at] = true;
	return victim;
}

/* The log's line for such a fault of such a time. */
static void expect_line(FILE *log, uint64_t t, uint64_t page, uint64_t victim)
{
	char line[256] = "", expected[256], name[32] = "";

	if (victim != UINT64_MAX)
		snprintf(name, sizeof name, "%lu", victim);
	snprintf(expected, sizeof expected,
		 "{\"t\":%lu,\"fault\":%lu,\"evict\":[%s],\"bring\":[[%lu,1]]}\n", t, page, name,
		 page);
	assert_non_null(fgets(line, sizeof line, log));
	assert_string_equal(line, expected);
}

/* A hot corner, jumps and steps. */
static uint64_t ring_page(uint64_t at, uint64_t *random)
{
	uint64_t draw = tide_random_next(random);

	if (draw % 4 < 2)
		return (draw >> 8) % (ring.size / 2 + 1);
	return draw % 4 == 2 ? (draw >> 8) % (3 * ring.size) : (at + 1) % (3 * ring.size);
}

/* Runs a trace under `--evict clock`, every decision into the file. */
static void run_clock(const char *log, uint64_t seed, int accesses)
{
	char near[16];
	struct tide_sim_options options = {.size = sizeof options,
					   .near_size = near,
					   .chunk = "4K",
					   .prefetch = "none",
					   .evict = "clock",
					   .log = log};
	struct tide_sim *sim = NULL;
	struct tide_counts counts = {.size = sizeof counts};

	snprintf(near, sizeof near, "%up", ring.size);
	assert_int_equal(tide_sim_open(&sim, &options, NULL), 0);
	for (uint64_t i = 0, page = 0; i < (uint64_t)accesses; i++) {
		struct tide_event event = {.size = sizeof event,
					   .page = page = ring_page(page, &seed)};
		assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
	}
	tide_sim_counts(sim, &counts, NULL);
	assert_true(counts.evicted_chunks > 500 && counts.hits > 500);
	tide_sim_close(sim);
}

static void a_ring_of_it_is_the_policy_clock(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 10, 33, FRAMES};
	char path[] = "/tmp/tide-test-ring-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (uint64_t seed = 0; seed < 4 * COUNT(sizes); seed++) {
		uint64_t random = seed, page = 0;
		memset(&ring, 0, sizeof ring);
		ring.size = sizes[seed / 4];
		run_clock(path, seed, 4000);
		FILE *log = fopen(path, "r");
		assert_non_null(log);
		for (uint64_t t = 1; t <= 4000; t++) {
			page = ring_page(page, &random);
			if (!ring_hits(page))
				expect_line(log, t, page, ring_fault(page));
		}
		assert_int_equal(fgetc(log), EOF);
		fclose(log);
	}
	unlink(path);
}

/* ---- a page's past ---- */

static void assert_past(struct tide_past past, uint64_t evicted, unsigned predicted, unsigned prev,
			bool kept)
{
	assert_true(tide_past_evicted(past) == evicted);
	assert_int_equal(tide_past_predicted(past), predicted);
	assert_int_equal(tide_past_prev(past), prev);
	assert_int_equal(tide_past_kept(past), kept);
}

static void a_past_holds_each_part_apart(void **state)
{
	struct tide_past past = {0};

	(void)state;
	assert_past(past, 0, 0, 0, false);
	tide_past_keep(&past);
	tide_past_set_predicted(&past, 3);
	tide_past_set_prev(&past, 2);
	assert_past(past, 0, 3, 2, true);
	tide_past_evict(&past, 12345);
	assert_past(past, 12345, 3, 2, false);
	tide_past_set_predicted(&past, 1);
	tide_past_set_prev(&past, 3);
	assert_past(past, 12345, 1, 3, false);
	tide_past_keep(&past);
	tide_past_evict(&past, UINT64_C(1) << 58);
	assert_past(past, UINT64_C(1) << 58, 1, 3, false);
}

/* ---- the correct tier ---- */

static void the_correct_tier_follows_the_distance(void **state)
{
	const struct tide_line same = {1, 0}, half = {0.5, 0}, under = {1, -20}, over = {1, 1000};
	static const struct {
		uint64_t accesses;
		unsigned same, half, under, over;
	} rows[] = {
		/* near 10, host 30: below 10, below 40, from 40 on */
		{1, 1, 1, 1, 1},          {9, 1, 1, 1, 1},  {10, 2, 1, 1, 2}, {20, 2, 2, 1, 2},
		{29, 2, 2, 1, 2},         {30, 2, 2, 2, 2}, {39, 2, 2, 2, 2}, {40, 3, 2, 2, 3},
		{59, 3, 2, 2, 3},         {60, 3, 2, 3, 3}, {79, 3, 2, 3, 3}, {80, 3, 3, 3, 3},
		{1ull << 50, 3, 3, 3, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t n = rows[i].accesses;
		assert_int_equal(tide_correct_tier(same, n, 10, 30), rows[i].same);
		assert_int_equal(tide_correct_tier(half, n, 10, 30), rows[i].half);
		assert_int_equal(tide_correct_tier(under, n, 10, 30), rows[i].under);
		/* no more pages lie between than accesses */
		assert_int_equal(tide_correct_tier(over, n, 10, 30), rows[i].over);
		/* no host memory: nothing belongs there */
		assert_int_not_equal(tide_correct_tier(same, n, 10, 0), 2);
	}
}

static void a_line_is_a_product_then_a_sum(void **state)
{
	/* (1 + e)(1 - e) = 1 - e^2, which rounds to 1: only a fused sum with -1 is not 0. */
	const double e = 1.0 / (1 << 27) / (1 << 2);
	const struct tide_line line = {1 + e, -1};

	(void)state;
	assert_true(tide_line_at(line, 1 - e) == 0);
}

/* ---- the weights ---- */

static unsigned predict(unsigned row[3], unsigned prev)
{
	unsigned most = row[0] > row[1] ? row[0] : row[1];

	if (row[2] > most)
		most = row[2];
	if (row[prev - 1] == most)
		return prev;
	return row[0] == most ? 1 : row[1] == most ? 2 : 3;
}

static void weights_are_nine_counts(void **state)
{
	unsigned plain[3][3] = {{0}}, halved = 0;
	uint64_t packed = 0, random = 7;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned from = (unsigned)(tide_random_next(&random) % 3);
		/* One tier is ahead for a while, then the next. */
		unsigned to = (unsigned)(tide_random_next(&random) % 9);
		unsigned *row = plain[from];
		to = to < 3 ? to : i / 100 % 3;
		if (row[to] == 63) {
			for (int k = 0; k < 3; k++)
				row[k] /= 2;
			halved++;
		}
		row[to]++;
		packed = tide_weights_learn(packed, from + 1, to + 1);
		for (unsigned k = 0; k < 9; k++)
			assert_int_equal(tide_weight(packed, k / 3 + 1, k % 3 + 1),
					 plain[k / 3][k % 3]);
		for (unsigned prev = 1; prev <= 3; prev++)
			assert_int_equal(tide_weights_predict(packed, prev),
					 predict(plain[prev - 1], prev));
		assert_true(packed >> 54 == 0);
	}
	assert_true(halved > 100);
}

static void ties_go_to_prev_then_to_the_smaller_number(void **state)
{
	uint64_t w = 0;

	(void)state;
	assert_int_equal(tide_weights_predict(0, 0), 0);
	for (unsigned prev = 1; prev <= 3; prev++)
		assert_int_equal(tide_weights_predict(0, prev), prev);
	w = tide_weights_learn(w, 2, 3);
	w = tide_weights_learn(w, 2, 1);
	assert_int_equal(tide_weights_predict(w, 2), 1);
	w = tide_weights_learn(w, 2, 2);
	assert_int_equal(tide_weights_predict(w, 2), 2);
	w = tide_weights_learn(w, 2, 3);
	assert_int_equal(tide_weights_predict(w, 2), 3);
	assert_int_equal(tide_weights_predict(w, 1), 1);
	assert_int_equal(tide_weights_predict(w, 0), 0);
}

/* ---- the last decisions ---- */

#define DECISIONS 5000

static bool rule_by_hand(const bool *made, uint32_t n, uint32_t window)
{
	uint32_t first = n > window ? n - window : 0, storage = 0;

	for (uint32_t i = first; i < n; i++)
		storage += made[i];
	return n > 0 && 100 * storage > 80 * (n - first);
}

static void the_rule_looks_at_the_last_decisions(void **state)
{
	static const uint32_t windows[] = {1, 2, 31, 32, 33, 100, 1024, TIDE_DECISIONS_MAX};
	static struct tide_decisions d;
	static bool made[DECISIONS];
	uint64_t random = 3;

	(void)state;
	for (size_t w = 0; w < COUNT(windows); w++) {
		uint32_t applied = 0;
		memset(&d, 0, sizeof d);
		d.window = windows[w];
		for (uint32_t i = 0; i < DECISIONS; i++) {
			bool rule = rule_by_hand(made, i, d.window);
			assert_int_equal(tide_decisions_rule(&d), rule);
			applied += rule;
			/* The share swings between 60% and 100%. */
			made[i] = tide_random_next(&random) % 100 < 60 + (i / 700 % 2) * 40;
			tide_decisions_record(&d, made[i]);
		}
		assert_in_range(applied, 1, DECISIONS - 1);
	}
}

static void eighty_percent_itself_is_not_enough(void **state)
{
	struct tide_decisions d = {.window = 10};

	(void)state;
	assert_false(tide_decisions_rule(&d));
	for (int i = 0; i < 10; i++)
		tide_decisions_record(&d, i >= 2);
	assert_false(tide_decisions_rule(&d));
	tide_decisions_record(&d, true); /* pushes a no out */
	assert_true(tide_decisions_rule(&d));
}

/* ---- where a victim goes ---- */

static void start_with(struct tide_decisions *d, bool storage)
{
	memset(d, 0, sizeof *d);
	d->window = 4;
	for (int i = 0; i < 4; i++)
		tide_decisions_record(d, storage);
}

static void a_victim_goes_where_it_was_seen(void **state)
{
	static const struct {
		unsigned predicted;
		bool may_keep, host_free;
		unsigned tier, tier_by_rule; /* before and under the 80% rule */
		int recorded;                /* tier, 0: none */
	} rows[] = {
		{1, true, true, 1, 1, 0},   {1, true, false, 1, 1, 0}, {1, false, true, 2, 2, 2},
		{1, false, false, 3, 3, 3}, {2, true, true, 2, 2, 2},  {2, true, false, 3, 3, 3},
		{3, true, true, 3, 2, 3},   {3, true, false, 3, 3, 3}, {0, true, true, 2, 2, 2},
		{0, true, false, 3, 3, 3},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		bool ruled = i % 2;
		struct tide_decisions d;
		start_with(&d, ruled);
		assert_int_equal(tide_place(&d, rows[i / 2].predicted, rows[i / 2].may_keep,
					    rows[i / 2].host_free, false),
				 ruled ? rows[i / 2].tier_by_rule : rows[i / 2].tier);
		/* One more, of which the ring lost one of its four. */
		assert_int_equal(d.made, rows[i / 2].recorded ? 5 : 4);
		assert_int_equal(d.storage,
				 (ruled ? 4 : 0) + (ruled ? -1 : 1) * (rows[i / 2].recorded ==
								       (ruled ? 2 : 3)));
	}
}

/* Tier 2 is full: only what is predicted there may replace the oldest. */
static void only_what_is_seen_in_tier_2_replaces_there(void **state)
{
	static const unsigned tiers[] = {3, 2, 2, 3}; /* by prediction; 0: none */
	(void)state;
	for (unsigned predicted = 0; predicted < COUNT(tiers); predicted++) {
		struct tide_decisions d;
		start_with(&d, false);
		assert_int_equal(tide_place(&d, predicted, false, false, true), tiers[predicted]);
		start_with(&d, false);
		assert_int_equal(tide_place(&d, predicted, false, false, false), 3);
	}
}

/* ---- who makes room in tier 2 ---- */

static struct tide_returns learn_all(struct tide_returns r, uint64_t away, uint64_t before, int n)
{
	for (int i = 0; i < n; i++)
		r = tide_returns_learn(r, away, before);
	return r;
}

static void returns_have_a_mean_and_an_error(void **state)
{
	struct tide_returns r = {0};

	(void)state;
	r = tide_returns_learn(r, 1000, 0);
	assert_int_equal(tide_returns_mean(r), 1000);
	assert_int_equal(tide_returns_error(r), 0); /* there was nothing to go by */
	r = learn_all(r, 1000, 1000, 5000);
	assert_int_equal(tide_returns_mean(r), 1000);
	assert_int_equal(tide_returns_error(r), 0);
	r = learn_all(r, 3000, 1000, 5000); /* always three times as long: an error of 2/3 */
	assert_in_range(tide_returns_mean(r), 2870, 3000);
	assert_in_range(tide_returns_error(r), 43690 - 128, 43690);
	r = learn_all(r, 3000, 0, 5000); /* without a past the mean is the guess */
	assert_in_range(tide_returns_error(r), 0, 65536 / 20);
	r = learn_all(r, TIDE_AWAY_MAX, 1, 100000);
	assert_in_range(tide_returns_mean(r), TIDE_AWAY_MAX - 128, TIDE_AWAY_MAX);
	assert_in_range(tide_returns_error(r), 65535 - 128, 65535);
	assert_int_equal(tide_away(0), 1);
	assert_int_equal(tide_away(UINT64_MAX), TIDE_AWAY_MAX);
	assert_int_equal(tide_gone(7, 9), 2);
	assert_int_equal(tide_gone(9, 7), 1);
}

/* Pages come back after 1000 accesses, as they always did. */
static void the_one_that_is_worth_less_makes_room(void **state)
{
	static const struct {
		struct tide_weighed there, comes;
		bool yields;
	} rows[] = {
		/* in turn: who is there comes back first */
		{{1000, 1, false}, {1000, 0, false}, false},
		{{1000, 900, false}, {1000, 0, false}, false},
		{{1000, 500, false}, {300, 0, false}, true},
		/* it is late, and later than the other will be */
		{{1000, 1900, false}, {1000, 0, false}, false},
		{{1000, 2100, false}, {1000, 0, false}, true},
		/* a write is worth two reads */
		{{1000, 1, false}, {1000, 0, true}, true},
		{{1000, 600, false}, {1000, 0, true}, true},
		{{1000, 700, false}, {1000, 0, true}, false},
		{{1000, 1, true}, {400, 0, false}, false},
		{{1000, 1, true}, {300, 0, false}, true},
		/* nothing is known of one that is there */
		{{0, 1, false}, {1000, 0, false}, false},
		{{0, 1100, false}, {1000, 0, false}, true},
		{{0, 1, false}, {1000, 0, true}, true},
		/* nothing is known of the one that comes */
		{{0, 1, false}, {0, 0, false}, false},
		{{0, 1 << 20, false}, {0, 0, false}, false},
		{{0, 3900, false}, {0, 0, true}, false},
		{{0, 4100, false}, {0, 0, true}, true},
	};
	struct tide_returns r = learn_all((struct tide_returns){0}, 1000, 1000, 1);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (tide_yields(r, rows[i].there, rows[i].comes) != rows[i].yields)
			fail_msg("row %zu", i);
	}
}

/* Where guesses are two thirds off, it must be nine times as good. */
static void doubt_keeps_what_is_there(void **state)
{
	struct tide_returns r = learn_all((struct tide_returns){0}, 3000, 1000, 5000);
	struct tide_weighed there = {3000, 1, false};

	(void)state;
	assert_false(tide_yields(r, there, (struct tide_weighed){400, 0, false}));
	assert_true(tide_yields(r, there, (struct tide_weighed){300, 0, false}));
}

/* Before anything came back only what is clean yields, to what is dirty. */
static void without_returns_the_clean_yield_to_the_dirty(void **state)
{
	struct tide_returns none = {0};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct tide_weighed there = {0, 5, i & 1}, comes = {0, 0, i & 2};
		assert_int_equal(tide_yields(none, there, comes), i == 2);
	}
}

/* ---- samples ---- */

static void a_rate_is_a_bound_on_the_hash(void **state)
{
	uint64_t bound = tide_sample_bound(0.25), n = 0;

	(void)state;
	assert_true(tide_sample_bound(1) == UINT64_MAX);
	assert_true(bound == (UINT64_C(1) << 62) - 1);
	assert_true(tide_sample_bound(0x1p-64) == 0);
	/* 1.5 * 2^-64: the hashes 0 and 1 are below it */
	assert_true(tide_sample_bound(0x1.8p-64) == 1);
	for (uint64_t page = 0; page < 10000; page++) {
		bool sampled = tide_hash64(page) < UINT64_C(1) << 62;
		assert_int_equal(tide_sampled(page, bound), sampled);
		assert_true(tide_sampled(page, UINT64_MAX));
		n += sampled;
	}
	assert_in_range(n, 2300, 2700);
}

/* ---- least squares ---- */

static void a_fit_through_a_line_is_that_line(void **state)
{
	struct tide_sums s = {0};
	struct tide_line line = {1, 0};

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		tide_sums_add(&s, 4 * i, i + 7);
	assert_true(tide_sums_fit(&s, &line));
	assert_true(line.m == 0.25 && line.b == 7);
}

static void a_fit_of_large_distances_is_exact(void **state)
{
	const uint64_t far = UINT64_C(1) << 40;
	struct tide_sums s = {0};
	struct tide_line line = {1, 0};

	(void)state;
	for (uint64_t i = 0; i < TIDE_PAIRS_MAX; i++)
		tide_sums_add(&s, far + 2 * i, far / 2 + i);
	assert_true(tide_sums_fit(&s, &line));
	assert_true(line.m == 0.5 && line.b == 0);
}

static void a_fit_that_says_nothing_is_ignored(void **state)
{
	struct tide_sums flat = {0}, upright = {0}, falling = {0};
	struct tide_line line = {3, 4};

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		tide_sums_add(&flat, i, 5);
		tide_sums_add(&upright, 300, i);
		tide_sums_add(&falling, i, 100 - i);
	}
	assert_false(tide_sums_fit(&flat, &line));
	assert_false(tide_sums_fit(&upright, &line));
	assert_false(tide_sums_fit(&falling, &line));
	assert_true(line.m == 3 && line.b == 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_takes_what_it_finds_unused),
		cmocka_unit_test(a_ring_of_it_is_the_policy_clock),
		cmocka_unit_test(a_past_holds_each_part_apart),
		cmocka_unit_test(the_correct_tier_follows_the_distance),
		cmocka_unit_test(a_line_is_a_product_then_a_sum),
		cmocka_unit_test(weights_are_nine_counts),
		cmocka_unit_test(ties_go_to_prev_then_to_the_smaller_number),
		cmocka_unit_test(the_rule_looks_at_the_last_decisions),
		cmocka_unit_test(eighty_percent_itself_is_not_enough),
		cmocka_unit_test(a_victim_goes_where_it_was_seen),
		cmocka_unit_test(only_what_is_seen_in_tier_2_replaces_there),
		cmocka_unit_test(returns_have_a_mean_and_an_error),
		cmocka_unit_test(the_one_that_is_worth_less_makes_room),
		cmocka_unit_test(doubt_keeps_what_is_there),
		cmocka_unit_test(without_returns_the_clean_yield_to_the_dirty),
		cmocka_unit_test(a_rate_is_a_bound_on_the_hash),
		cmocka_unit_test(a_fit_through_a_line_is_that_line),
		cmocka_unit_test(a_fit_of_large_distances_is_exact),
		cmocka_unit_test(a_fit_that_says_nothing_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
