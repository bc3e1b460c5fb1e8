/* Placement: the engine's three tiers against a model of a page that one can check by eye, on
 * random traces; and what each policy is for, on traces made for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "place_model.h"
#include "tide/tide.h"

/* ---- model and engine side by side ---- */

static const char *const specs[] = {"bam",           "tier-order",      "reuse",
				    "reuse:by=page", "reuse:replace=0", "worth"};
enum { KINDS = sizeof specs / sizeof *specs };

struct study {
	enum kind kind;
	uint32_t near, host, window, length;
	uint32_t round; /* so many pages in turn instead of a mixture */
};

static struct tide_sim *open_study(const struct study *study)
{
	char near[16], host[16], place[64];
	struct tide_sim_options o = {.size = sizeof o,
				     .near_size = near,
				     .host = host,
				     .place = place,
				     .evict = "clock",
				     .prefetch = "none"};
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	snprintf(near, sizeof near, "%up", study->near);
	snprintf(host, sizeof host, "%up", study->host);
	snprintf(place, sizeof place, "%s", specs[study->kind]);
	if (study->window && study->kind != WORTH)
		snprintf(place + strlen(place), sizeof place - strlen(place), "%cwindow=%u",
			 strchr(place, ':') ? ',' : ':', study->window);
	if (tide_sim_open(&sim, &o, &err))
		fail_msg("%s", err.text);
	return sim;
}

static json_t *policy_said(struct tide_sim *sim)
{
	char *text;
	json_t *document, *policy;

	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	document = json_loads(text, 0, NULL);
	free(text);
	policy = json_incref(json_object_get(document, "policy"));
	json_decref(document);
	assert_non_null(policy);
	return policy;
}

static void compare_report(struct tide_sim *sim, const struct model *s)
{
	json_t *said = policy_said(sim);

	assert_int_equal(json_integer_value(json_object_get(said, "keeps")), s->keeps);
	assert_int_equal(json_integer_value(json_object_get(said, "pairs")), s->pairs);
	assert_int_equal(json_integer_value(json_object_get(said, "predictions_judged")),
			 s->judged);
	if (s->judged)
		assert_true(json_real_value(json_object_get(said, "prediction_accuracy")) ==
			    (double)s->right / (double)s->judged);
	assert_true(json_real_value(json_object_get(said, "slope")) == s->m);
	assert_true(json_real_value(json_object_get(said, "intercept")) == s->b);
	json_decref(said);
}

/* A mixture whose parts change: a few hot pages, a scan, any page. */
static uint32_t draw_page(uint64_t *random, uint32_t i)
{
	uint64_t r = tide_random_next(random);

	switch ((r >> 40) % 8 + (i / 1500 % 3)) {
	case 0:
	case 1:
	case 2: return (uint32_t)(r % 12);
	case 3:
	case 4:
	case 5: return i / 2 % 90;
	case 6:
	case 7: return (uint32_t)(r % 40 * 7);
	default: return (uint32_t)(r % PAGES);
	}
}

static void compare(const struct study *study, uint64_t seed)
{
	static struct model s;
	struct tide_sim *sim = open_study(study);
	struct tide_counts counts = {.size = sizeof counts};

	memset(&s, 0, sizeof s);
	s.kind = study->kind;
	s.near = study->near;
	s.host = study->host;
	s.window = study->window ? study->window : 1024;
	s.m = 1;
	s.counts.size = sizeof s.counts;
	for (uint32_t i = 0; i < study->length; i++) {
		uint32_t page = study->round ? i % study->round : draw_page(&seed, i);
		struct tide_event event = {.size = sizeof event,
					   .page = page,
					   .write = tide_random_next(&seed) % 4 == 0};
		assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
		access_model(&s, page, event.write);
		tide_sim_counts(sim, &counts, NULL);
		if (memcmp(&counts, &s.counts, sizeof counts) != 0)
			fail_msg("%s, near %u, host %u: access %u differs", specs[study->kind],
				 study->near, study->host, i + 1);
	}
	if (is_reuse(&s))
		compare_report(sim, &s);
	tide_sim_close(sim);
}

static void small_tiers_are_those_of_the_model(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 150; i++) {
		struct study study = {.kind = i % KINDS,
				      .near = 1 + i % 23,
				      .host = i / KINDS % 31,
				      .window = i % KINDS < REUSE || i % 3 ? 0 : 1 + i / 3,
				      .length = 4000};
		compare(&study, i);
	}
}

/* More than 64 pages to keep, weights that overflow, and the line fitted several times. */
static void larger_tiers_are_those_of_the_model(void **state)
{
	static const struct study studies[] = {
		{TIER_ORDER, 100, 50, 0, 20000, 0}, {REUSE, 30, 60, 0, 60000, 0},
		{REUSE, 100, 120, 0, 40000, 0},     {REUSE, 150, 20, 100, 20000, 0},
		{REUSE, 150, 20, 0, 4000, 160},     {REUSE_BY_PAGE, 40, 80, 0, 40000, 0},
		{REUSE_FREE, 30, 60, 0, 60000, 0},  {WORTH, 30, 60, 0, 60000, 0},
		{WORTH, 50, 100, 0, 20000, 250}};

	(void)state;
	for (size_t i = 0; i < sizeof studies / sizeof *studies; i++)
		compare(&studies[i], 77 + i);
}

/* ---- what each is for ---- */

static struct tide_sim *run_workload(const char *workload, const char *place, const char *host)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = workload,
				     .near_size = "100p",
				     .place = place,
				     .host = host};
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	if (tide_sim_open(&sim, &o, &err) || tide_sim_run(sim, NULL, NULL, &err))
		fail_msg("%s: %s", place, err.text);
	return sim;
}

static struct tide_counts count(const char *workload, const char *place, const char *host)
{
	struct tide_sim *sim = run_workload(workload, place, host);
	struct tide_counts counts = {.size = sizeof counts};

	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	return counts;
}

#define ZIPF "zipf:pages=1000,accesses=50000"
/* Ten times round 500 pages, which near memory and host memory do not hold together. */
#define ROUND "cyclic:pages=500,rounds=10"

static void bam_leaves_host_memory_alone(void **state)
{
	struct tide_counts c = count(ZIPF, "bam", "200p");

	(void)state;
	assert_true(c.faults > 1000);
	assert_int_equal(c.tier2_hits, 0);
	assert_int_equal(c.tier2_misses, c.faults);
	assert_int_equal(c.tier3_reads, c.faults);
	assert_int_equal(c.tier3_writes, c.writeback_pages);
}

static void a_coin_that_always_falls_one_way_is_no_coin(void **state)
{
	struct tide_counts bam = count(ZIPF, "bam", "200p");
	struct tide_counts order = count(ZIPF, "tier-order", "200p");
	struct tide_counts never = count(ZIPF, "random:p=0", "200p");
	struct tide_counts always = count(ZIPF, "random:p=1", "200p");
	struct tide_counts coin = count(ZIPF, "random", "200p");

	(void)state;
	assert_memory_equal(&never, &bam, sizeof bam);
	assert_memory_equal(&always, &order, sizeof order);
	assert_true(order.tier2_hits > 1000);
	assert_in_range(coin.tier2_hits, 1, order.tier2_hits - 1);
}

static void without_host_memory_all_are_bam(void **state)
{
	struct tide_counts bam = count(ZIPF, "bam", "0");
	struct tide_counts order = count(ZIPF, "tier-order", "0");
	struct tide_counts coin = count(ZIPF, "random:p=1", "0");

	(void)state;
	assert_memory_equal(&order, &bam, sizeof bam);
	assert_memory_equal(&coin, &bam, sizeof bam);
	assert_int_equal(count(ZIPF, "reuse", "0").tier2_hits, 0);
}

/* In turn, every page leaves host memory just before it is needed; unless what is there stays. */
static void a_full_host_memory_can_be_left_as_it_is(void **state)
{
	struct tide_counts order = count(ROUND, "tier-order", "200p");
	struct tide_counts reuse = count(ROUND, "reuse:replace=0", "200p");

	(void)state;
	assert_int_equal(order.faults, 5000);
	assert_int_equal(order.tier2_hits, 0);
	/* 200 of 500 in each round but the first */
	assert_true(reuse.tier2_hits >= 9 * 200);
}

/* Of pages in turn it keeps as many as any; of some that are written, rather those. */
static void what_is_worth_more_stays_in_host_memory(void **state)
{
	const char *some = "cyclic:pages=500,rounds=10,writes=0.2";
	struct tide_counts reuse = count(ROUND, "reuse:replace=0", "200p");
	struct tide_counts weighs = count(ROUND, "worth", "200p");
	struct tide_counts mixed = count(some, "reuse:replace=0", "200p");
	struct tide_counts weighed = count(some, "worth", "200p");

	(void)state;
	assert_true(weighs.tier3_reads <= reuse.tier3_reads + reuse.tier3_reads / 50);
	assert_true(weighed.tier3_reads + weighed.tier3_writes <
		    mixed.tier3_reads + mixed.tier3_writes);
}

/* ---- the samples of reuse ---- */

struct line {
	double slope, intercept;
	uint64_t pairs;
};

static struct line line_of(const char *workload, const char *place)
{
	struct tide_sim *sim = run_workload(workload, place, "200p");
	json_t *said = policy_said(sim);
	struct line line = {
		json_real_value(json_object_get(said, "slope")),
		json_real_value(json_object_get(said, "intercept")),
		(uint64_t)json_integer_value(json_object_get(said, "pairs")),
	};

	json_decref(said);
	tide_sim_close(sim);
	return line;
}

static void a_part_of_the_pages_gives_about_the_same_line(void **state)
{
	const char *work = "zipf:pages=5000,accesses=200000";
	struct line all = line_of(work, "reuse"), some = line_of(work, "reuse:rate=0.25");

	(void)state;
	assert_true(some.pairs > 10000 && some.pairs < all.pairs / 2);
	assert_true(fabs(some.slope / all.slope - 1) < 0.15);
	assert_true(fabs(some.intercept / all.intercept - 1) < 0.15);
}

static void sampling_stops(void **state)
{
	(void)state;
	assert_int_equal(line_of("uniform:pages=120,accesses=262264", "reuse").pairs, 262144);
	assert_int_equal(line_of("uniform:pages=120,accesses=300000", "reuse").pairs, 262144);
	assert_int_equal(line_of("uniform:pages=120,accesses=200120", "reuse").pairs, 200000);
}

static void a_table_of_neither_kind_is_refused(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = ZIPF,
				     .near_size = "100p",
				     .place = "reuse:by=chunk",
				     .host = "200p"};
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	(void)state;
	assert_int_not_equal(tide_sim_open(&sim, &o, &err), 0);
	assert_non_null(strstr(err.text, "by=chunk"));
	assert_null(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_tiers_are_those_of_the_model),
		cmocka_unit_test(larger_tiers_are_those_of_the_model),
		cmocka_unit_test(bam_leaves_host_memory_alone),
		cmocka_unit_test(a_coin_that_always_falls_one_way_is_no_coin),
		cmocka_unit_test(without_host_memory_all_are_bam),
		cmocka_unit_test(a_full_host_memory_can_be_left_as_it_is),
		cmocka_unit_test(what_is_worth_more_stays_in_host_memory),
		cmocka_unit_test(a_part_of_the_pages_gives_about_the_same_line),
		cmocka_unit_test(sampling_stops),
		cmocka_unit_test(a_table_of_neither_kind_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
