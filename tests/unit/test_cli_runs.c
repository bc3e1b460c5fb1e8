/* The runner of simulations: every run once, its result in its place, an input looked at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "cli/runs.h"

/* ---- looks ---- */

/* What one run found the next ones of its group take over, without a look at their input. */
static void shares_looks(void **state)
{
	struct td_cli_run found = {.options.workload = "zipf:pages=50,accesses=900", .group = 7};
	struct td_cli_run next = {.options.trace = "/nowhere", .group = 7};
	struct td_cli_run other = {.options.trace = "/nowhere", .group = 8};
	struct td_cli_look *look[3];
	struct td_cli_looks *looks = td_cli_looks_new();
	char why[512];

	(void)state;
	assert_non_null(looks);
	assert_int_equal(td_cli_look_take(looks, &found, &look[0]), 0);
	assert_int_equal(found.facts.accesses, 900);
	assert_in_range(found.facts.pages, 2, 50);
	assert_int_equal(td_cli_look_take(looks, &next, &look[1]), 0);
	assert_int_equal(next.facts.pages, found.facts.pages);
	/* A failure is found once too. */
	assert_int_equal(td_cli_look_take(looks, &other, &look[2]), -ENOENT);
	snprintf(why, sizeof why, "%s", other.err.text);
	td_cli_look_give(looks, look[2], &other);
	other.options.trace = NULL;
	other.options.workload = "zipf";
	assert_int_equal(td_cli_look_take(looks, &other, &look[2]), -ENOENT);
	assert_string_equal(other.err.text, why);
	for (size_t i = 0; i < 3; i++)
		td_cli_look_give(looks, look[i], &next);
	td_cli_looks_free(looks);
}

/* The looks of groups long past are forgotten, and made again if they come back. */
static void forgets_looks(void **state)
{
	struct td_cli_look *look;
	struct td_cli_looks *looks = td_cli_looks_new();

	(void)state;
	assert_non_null(looks);
	for (uint64_t group = 0; group < 1000; group++) {
		struct td_cli_run point = {.options.workload = "cyclic:pages=3", .group = group};
		assert_int_equal(td_cli_look_take(looks, &point, &look), 0);
		assert_int_equal(point.facts.pages, 3);
		td_cli_look_give(looks, look, &point);
	}
	struct td_cli_run old = {.options.workload = "cyclic:pages=5", .group = 0};
	assert_int_equal(td_cli_look_take(looks, &old, &look), 0);
	assert_int_equal(old.facts.pages, 5);
	td_cli_look_give(looks, look, &old);
	td_cli_looks_free(looks);
}

/* ---- runs ---- */

#define RUNS 12
#define LEFT_OUT 5
#define WRONG 7

struct list {
	uint64_t faults[RUNS];
	int rc[RUNS];
	atomic_uint ended;
};

/* Run i has room for i + 1 of 12 pages that come again and again. */
static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	static const char *const sizes[RUNS] = {"1p", "2p", "3p", "4p",  "5p",  "6p",
						"7p", "8p", "9p", "10p", "11p", "12p"};

	(void)arg;
	run->options = (struct tide_sim_options){.size = sizeof run->options,
						 .workload = "cyclic:pages=12,accesses=24",
						 .near_size = sizes[i],
						 .chunk = "1p",
						 .evict = i == WRONG ? "no-such" : "mru",
						 .prefetch = "none"};
	return i != LEFT_OUT;
}

static void end(void *arg, size_t i, struct td_cli_run *run)
{
	struct list *list = arg;

	list->faults[i] = run->counts.faults;
	list->rc[i] = run->rc;
	list->ended++;
	assert_int_equal(run->json != NULL, run->rc == 0);
	assert_int_equal(run->err.text[0] != 0, run->rc != 0);
}

static void runs_each_once(void **state)
{
	struct list list = {.ended = 0};
	struct td_cli_runs runs = {.n = RUNS, .jobs = 3, .begin = begin, .end = end, .arg = &list};

	(void)state;
	assert_int_equal(td_cli_runs_do(&runs, NULL), 0);
	assert_int_equal(list.ended, RUNS - 1);
	assert_int_equal(runs.millionths, 1000000 * (RUNS - 1));
	for (size_t i = 0; i < RUNS; i++) {
		assert_int_equal(list.rc[i], i == WRONG ? -EINVAL : 0);
		if (i != LEFT_OUT && i != WRONG)
			assert_in_range(list.faults[i], 12, 24);
	}
	assert_int_equal(list.faults[0], 24);
	assert_int_equal(list.faults[11], 12);
}

static void runs_none(void **state)
{
	struct td_cli_runs runs = {.n = 0, .begin = begin, .end = end};

	(void)state;
	assert_int_equal(td_cli_runs_do(&runs, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_looks),
		cmocka_unit_test(forgets_looks),
		cmocka_unit_test(runs_each_once),
		cmocka_unit_test(runs_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
