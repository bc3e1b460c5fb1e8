/* Grids: what braces stand for, which run a number is, and how shards divide them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep.h"

/* ---- braces ---- */

static void expands(const char *text, const char *const *wanted)
{
	struct td_cli_axis axis = {0};
	size_t n = 0;

	assert_int_equal(td_cli_axis_add(&axis, "near", text, NULL), 0);
	for (; wanted[n]; n++) {
		assert_true(n < axis.n);
		assert_string_equal(axis.at[n], wanted[n]);
	}
	assert_int_equal(axis.n, n);
	td_cli_axis_free(&axis);
}

#define EXPANDS(text, ...) expands(text, (const char *const[]){__VA_ARGS__, NULL})

static void lists(void **state)
{
	(void)state;
	EXPANDS("lru", "lru");
	EXPANDS("{30,50}%", "30%", "50%");
	EXPANDS("m:a={1,2},b={3,4}", "m:a=1,b=3", "m:a=1,b=4", "m:a=2,b=3", "m:a=2,b=4");
	EXPANDS("mhpe{,:t1=16}", "mhpe", "mhpe:t1=16");
	EXPANDS("{a}", "a");
	EXPANDS("{../x,../y}", "../x", "../y");
}

static void ranges(void **state)
{
	(void)state;
	EXPANDS("{1..3}p", "1p", "2p", "3p");
	EXPANDS("{3..1}", "3", "2", "1");
	EXPANDS("{10..90..30}", "10", "40", "70");
	EXPANDS("{7..7}", "7");
	EXPANDS("{-1..1}", "-1", "0", "1");
	EXPANDS("t{08..10}.txt", "t08.txt", "t09.txt", "t10.txt");
	EXPANDS("s={0.5..1.25..0.25}", "s=0.50", "s=0.75", "s=1.00", "s=1.25");
	EXPANDS("{-0.1..0.1..0.1}", "-0.1", "0.0", "0.1");
	EXPANDS("{99999999999999998..99999999999999999}", "99999999999999998", "99999999999999999");
}

static void quoted(void **state)
{
	(void)state;
	EXPANDS("a\\{b\\}", "a{b}");
	EXPANDS("{a\\,b,c}", "a,b", "c");
	EXPANDS("a\\\\b", "a\\b");
	EXPANDS("a\\b", "a\\b");
}

static void refused(void **state)
{
	static const char *const bad[] = {"{",          "}",         "{}",         "{a",
					  "a}b",        "{a{b}}",    "{1..}",      "{..2}",
					  "{1..2..}",   "{1..9..0}", "{1..9..-1}", "{1..2..3..4}",
					  "{a..b}",     "{,}",       "{1..9.}",    "{1..1000001}",
					  "{0x1..0x9}", "{1..3}{",   "{1..2.0}}"};
	struct tide_error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct td_cli_axis axis = {0};
		assert_int_equal(td_cli_axis_add(&axis, "near", bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.text, "--near "));
		td_cli_axis_free(&axis);
	}
}

/* ---- grids ---- */

#define ADD(list, ...) \
	do { \
		const char *const words[] = {__VA_ARGS__}; \
		for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) \
			(list).at[(list).n++] = words[w]; \
	} while (0)

static void make(struct td_cli_grid *grid, const struct td_cli_sweep_options *args)
{
	struct tide_error err = {0, ""};
	int rc = td_cli_grid_make(grid, args, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
}

/* 3 inputs x 2 pages x 2 seeds x 3 sizes x 2 models x (2 x 2 + 1) policies. */
static void make_large(struct td_cli_grid *grid)
{
	static struct td_cli_sweep_options args;

	memset(&args, 0, sizeof args);
	ADD(args.trace, "a.txt");
	ADD(args.workload, "zipf:skew={1,2}");
	ADD(args.near_size, "{25,50}%", "64p");
	ADD(args.page, "{4,64}K");
	ADD(args.seed, "1", "2");
	ADD(args.model, "h200");
	ADD(args.evict, "{lru,mru}");
	ADD(args.prefetch, "none", "tree");
	ADD(args.policies, "tournament:of=lru+mhpe+tree");
	args.functional = true;
	make(grid, &args);
}

static void counts_runs(void **state)
{
	struct td_cli_grid grid;
	struct td_cli_point point;

	(void)state;
	make_large(&grid);
	assert_int_equal(grid.n, 3 * 2 * 2 * 3 * 2 * 5);
	td_cli_grid_at(&grid, 0, &point);
	assert_string_equal(point.options.trace, "a.txt");
	assert_null(point.options.workload);
	assert_null(point.options.model);
	assert_string_equal(point.options.evict, "lru");
	td_cli_grid_at(&grid, grid.n - 1, &point);
	assert_string_equal(point.options.workload, "zipf:skew=2");
	assert_string_equal(point.options.page, "64K");
	assert_string_equal(point.options.seed, "2");
	assert_string_equal(point.options.near_size, "64p");
	assert_string_equal(point.options.model, "h200");
	assert_string_equal(point.options.evict, "tournament:of=lru+mhpe");
	assert_string_equal(point.options.prefetch, "tree");
	td_cli_grid_free(&grid);
}

/* What a look finds holds for all runs of a group, and a trace is the same for every seed. */
static void groups(void **state)
{
	uint64_t before = UINT64_MAX;
	size_t changes = 0;
	struct td_cli_grid grid;

	(void)state;
	make_large(&grid);
	for (uint64_t i = 0; i < grid.n; i++) {
		struct td_cli_point point;
		td_cli_grid_at(&grid, i, &point);
		changes += point.group != before;
		before = point.group;
	}
	assert_int_equal(changes, 2 + 2 * 2 * 2);
	td_cli_grid_free(&grid);
}

/* A run asked for in two ways is one run; the shards divide the others evenly. */
static void shards(void **state)
{
	struct td_cli_grid grid;
	struct td_cli_plan all;
	unsigned char *seen;

	(void)state;
	make_large(&grid);
	seen = calloc(grid.n, 1);
	for (unsigned i = 1; i <= 7; i++) {
		struct td_cli_plan plan;
		char shard[8];
		snprintf(shard, sizeof shard, "%u/7", i);
		assert_int_equal(td_cli_plan_make(&plan, &grid, shard, NULL), 0);
		assert_in_range(plan.n, grid.n / 7, grid.n / 7 + 1);
		for (size_t k = 0; k < plan.n; k++)
			seen[plan.at[k].index]++;
		td_cli_plan_free(&plan);
	}
	for (uint64_t i = 0; i < grid.n; i++)
		assert_int_equal(seen[i], 1);
	free(seen);
	assert_int_equal(td_cli_plan_make(&all, &grid, NULL, NULL), 0);
	assert_int_equal(all.n, grid.n);
	td_cli_plan_free(&all);
	td_cli_grid_free(&grid);
}

static void same_run_twice(void **state)
{
	static struct td_cli_sweep_options args;
	struct td_cli_grid grid;
	struct td_cli_plan plan;

	(void)state;
	ADD(args.workload, "zipf", "{zipf,cyclic}");
	ADD(args.near_size, "50%");
	make(&grid, &args);
	assert_int_equal(grid.n, 3);
	assert_int_equal(td_cli_plan_make(&plan, &grid, NULL, NULL), 0);
	assert_int_equal(plan.n, 2);
	td_cli_plan_free(&plan);
	td_cli_grid_free(&grid);
}

static void mark(struct td_cli_plan *plan, const char *key, enum td_cli_state state)
{
	struct td_cli_planned *run;

	assert_true(td_cli_plan_find(plan, key, &run));
	assert_non_null(run);
	td_cli_plan_mark(run, state);
}

static void remembers_the_last(void **state)
{
	struct td_cli_grid grid;
	struct td_cli_plan plan;
	struct td_cli_key key[5];
	struct td_cli_planned *none;

	(void)state;
	make_large(&grid);
	assert_int_equal(td_cli_plan_make(&plan, &grid, NULL, NULL), 0);
	for (size_t i = 0; i < 5; i++)
		key[i] = td_cli_key_text(plan.at[i * 7].key);
	mark(&plan, key[0].text, TD_CLI_DONE);
	mark(&plan, key[0].text, TD_CLI_OLD);
	mark(&plan, key[1].text, TD_CLI_FAILED);
	mark(&plan, key[2].text, TD_CLI_CHANGED);
	mark(&plan, key[2].text, TD_CLI_FAILED);
	mark(&plan, key[2].text, TD_CLI_DONE);
	mark(&plan, key[3].text, TD_CLI_OLD);
	mark(&plan, key[4].text, TD_CLI_CHANGED);
	assert_true(td_cli_plan_find(&plan, "00000000000000000000000000000000", &none));
	assert_null(none);
	assert_false(td_cli_plan_find(&plan, "g0000000000000000000000000000000", &none));
	assert_false(td_cli_plan_find(&plan, "0", &none));
	td_cli_plan_count(&plan, false);
	td_cli_plan_order(&plan);
	assert_int_equal(plan.done, 2);
	assert_int_equal(plan.failed, 1);
	assert_int_equal(plan.old, 1);
	assert_int_equal(plan.changed, 1);
	assert_int_equal(plan.left, grid.n - 3);
	for (size_t i = 1; i < plan.left; i++)
		assert_true(plan.at[i - 1].index < plan.at[i].index);
	td_cli_plan_free(&plan);
	td_cli_grid_free(&grid);
}

static void quotes_for_a_shell(void **state)
{
	static struct td_cli_sweep_options args;
	struct td_cli_text text = {0};
	struct td_cli_grid grid;

	(void)state;
	ADD(args.trace, "it's a $HOME.txt", "--x");
	ADD(args.near_size, "50%");
	args.replace_invalid = true;
	make(&grid, &args);
	assert_int_equal(td_cli_grid_command(&grid, 0, &text), 0);
	assert_string_equal(text.at, "tide sim --trace 'it'\\''s a $HOME.txt' --near 50% "
				     "--functional --replace-invalid");
	assert_int_equal(td_cli_grid_command(&grid, 1, &text), 0);
	assert_string_equal(text.at,
			    "tide sim --trace=--x --near 50% --functional --replace-invalid");
	free(text.at);
	td_cli_grid_free(&grid);
}

/* For lists with commas, which braces may shorten. */
static void expands_lists(void **state)
{
	static const struct {
		const char *given, *list;
	} cases[] = {
		{"bam", "bam"},      {"bam,reuse", "bam,reuse"},   {"{bam,reuse}", "bam,reuse"},
		{"{1..3}", "1,2,3"}, {"2,{4,8}", "2,4,2,8"}, /* as in a shell: the product, not the
								sum */
		{"a{b}c", "a{b}c"},  {"a\\{b,c\\}", "a\\{b,c\\}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *list = cases[i].given;
		char *room;
		assert_int_equal(td_cli_expand("place", &list, &room, NULL), 0);
		assert_string_equal(list, cases[i].list);
		free(room);
	}
}

static void tells_several(void **state)
{
	static const char *const several[] = {"{a,b}", "a{1..2}", "{a}{b,c}", "x{a,}"};
	static const char *const one[] = {"", "a,b", "{a}", "{", "}", "{a,b", "\\{a,b}", "{a\\,b}"};

	(void)state;
	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		assert_true(td_cli_is_several(several[i]));
	for (size_t i = 0; i < sizeof one / sizeof *one; i++)
		assert_false(td_cli_is_several(one[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands_lists),
		cmocka_unit_test(tells_several),
		cmocka_unit_test(lists),
		cmocka_unit_test(ranges),
		cmocka_unit_test(quoted),
		cmocka_unit_test(refused),
		cmocka_unit_test(counts_runs),
		cmocka_unit_test(groups),
		cmocka_unit_test(shards),
		cmocka_unit_test(same_run_twice),
		cmocka_unit_test(remembers_the_last),
		cmocka_unit_test(quotes_for_a_shell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
