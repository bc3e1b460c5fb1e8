/* Runs that share one reading of their input give what each gives for itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/jobs.h"
#include "lib/reading.h"

#define LINES 12000 /* three batches */

static char folder[] = "/tmp/tide-reading-XXXXXX";
static char path[64];

/* Fields come late, and go again: a batch has what the one before it had not. Pages are sparse. */
static void write_trace(int lines)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "key,op,ref,stream,group,size,cost\n");
	for (int i = 0; i < lines; i++) {
		int page = i * (i % 7) % 701;
		bool late = i > 5000 && i < 9000;
		fprintf(f, "k%d,%s,%d,%d,%d,%d,%d\n", page, late && i % 3 == 0 ? "w" : "r",
			late ? i % 5 : 0, late ? i % 4 : 0, i / 9, page % 50 * 100 + 1,
			page % 11 + 1);
	}
	fclose(f);
}

struct kind {
	const char *workload, *near_size, *chunk, *evict, *prefetch, *split, *model;
	bool objects;
};

static const struct kind kinds[] = {
	{NULL, "30%", "1p", "lru", "none", NULL, NULL, false},
	{NULL, "30%", "1p", "s3fifo", "none", NULL, NULL, false},
	{NULL, "100p", "1p", "random", "none", NULL, NULL, false},
	{NULL, "100p", "1p", "opt", "none", NULL, NULL, false},
	{NULL, "20%", "1p", "gdsf", "none", NULL, NULL, true},
	{NULL, "64p", "4p", "lrm", "tree", NULL, NULL, false},
	{NULL, "100p", "1p", "lfu", "none", "stream", NULL, false},
	{NULL, "64p", "4p", "lrm", "none", NULL, "cppe", false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static struct tide_sim_options options_of(const struct kind *k)
{
	return (struct tide_sim_options){.size = sizeof(struct tide_sim_options),
					 .trace = k->workload ? NULL : path,
					 .workload = k->workload,
					 .near_size = k->near_size,
					 .chunk = k->chunk,
					 .evict = k->evict,
					 .prefetch = k->prefetch,
					 .split = k->split,
					 .model = k->model,
					 .objects = k->objects};
}

/* The document but for its speed. */
static char *document(struct tide_sim *sim)
{
	char *text = NULL;

	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	char *wall = strstr(text, "\"wall\"");
	assert_non_null(wall);
	*wall = 0;
	return text;
}

static char *run(const struct kind *k, struct td_lib_reading *reading)
{
	struct tide_sim_options options = options_of(k);
	struct tide_error err = {0};
	struct tide_sim *sim = NULL;

	if (td_lib_sim_open(&sim, &options, reading, &err) || tide_sim_run(sim, NULL, NULL, &err)) {
		tide_sim_close(sim);
		return strdup(err.text);
	}
	char *text = document(sim);
	tide_sim_close(sim);
	return text;
}

static void check_all(struct td_lib_reading *reading)
{
	for (size_t i = 0; i < KINDS; i++) {
		char *alone = run(&kinds[i], NULL), *shared = run(&kinds[i], reading);
		assert_non_null(strstr(alone, "faults"));
		assert_string_equal(alone, shared);
		free(alone);
		free(shared);
	}
}

static void gives_the_same(void **state)
{
	struct td_lib_room room = {.left_bytes = 1 << 20};
	struct td_lib_reading *reading = td_lib_reading_new(&room);

	(void)state;
	write_trace(LINES);
	check_all(reading);
	assert_true(td_lib_reading_is_kept(reading));
	assert_in_range(room.left_bytes, 0, (1 << 20) - 8 * LINES);
	td_lib_reading_free(reading);
	assert_int_equal(room.left_bytes, 1 << 20);
}

/* Once it was read, the file is not needed. */
static void reads_once(void **state)
{
	struct td_lib_room room;
	td_lib_room_init(&room);
	struct td_lib_reading *reading = td_lib_reading_new(&room);

	(void)state;
	write_trace(LINES);
	char *before = run(&kinds[0], reading);
	unlink(path);
	char *after = run(&kinds[0], reading), *alone = run(&kinds[0], NULL);
	assert_string_equal(before, after);
	assert_null(strstr(alone, "faults"));
	free(before);
	free(after);
	free(alone);
	td_lib_reading_free(reading);
}

/* Above the limit every run reads for itself, and nothing stays taken. */
static void too_long_is_not_kept(void **state)
{
	struct td_lib_room room = {.left_bytes = 8 * LINES};
	struct td_lib_reading *reading = td_lib_reading_new(&room);

	(void)state;
	write_trace(LINES);
	check_all(reading);
	assert_false(td_lib_reading_is_kept(reading));
	assert_int_equal(room.left_bytes, 8 * LINES);
	td_lib_reading_free(reading);
	assert_int_equal(room.left_bytes, 8 * LINES);
}

/* There is room for the accesses, and none for the numbers of their pages. */
static void numbers_may_not_fit(void **state)
{
	struct td_lib_room all = {.left_bytes = 1 << 20};
	struct td_lib_reading *reading = td_lib_reading_new(&all);
	const struct kind larger = kinds[5];

	(void)state;
	write_trace(LINES);
	free(run(&larger, reading)); /* chunks of four pages need no numbers */
	struct td_lib_room room = {.left_bytes = (1 << 20) - all.left_bytes + 1};
	td_lib_reading_free(reading);
	reading = td_lib_reading_new(&room);
	check_all(reading);
	assert_true(td_lib_reading_is_kept(reading));
	td_lib_reading_free(reading);
}

static void damage_is_told(void **state)
{
	struct td_lib_room room;
	td_lib_room_init(&room);
	struct td_lib_reading *reading = td_lib_reading_new(&room);
	FILE *f;

	(void)state;
	write_trace(LINES);
	f = fopen(path, "a");
	fprintf(f, "k1,r,x,0,0,1,1\n");
	fclose(f);
	char *alone = run(&kinds[0], NULL), *shared = run(&kinds[0], reading);
	assert_non_null(strstr(alone, "12002"));
	assert_string_equal(alone, shared);
	assert_false(td_lib_reading_is_kept(reading));
	free(alone);
	free(shared);
	td_lib_reading_free(reading);
}

/* With a clock, a workload of warps is not what is kept. */
static void workloads_are_kept_too(void **state)
{
	static const struct kind plain = {
		"zipf:pages=500,accesses=9000", "20%", "1p", "arc", "none", NULL, NULL, false};
	static const struct kind timed = {
		"hotspot:scale=0.01,iters=1", "50%", NULL, "lrm", "tree", NULL, "cppe", false};
	struct td_lib_room room;

	(void)state;
	td_lib_room_init(&room);
	for (int i = 0; i < 2; i++) {
		const struct kind *k = i ? &timed : &plain;
		struct td_lib_reading *reading = td_lib_reading_new(&room);
		char *alone = run(k, NULL), *shared = run(k, reading);
		assert_string_equal(alone, shared);
		assert_int_equal(td_lib_reading_is_kept(reading), !i);
		free(alone);
		free(shared);
		td_lib_reading_free(reading);
	}
}

/* ---- curves ---- */

static struct tide_mrc *curve(const char *policy, const char *sample,
			      struct td_lib_reading *reading)
{
	struct tide_mrc_options o = {
		.size = sizeof o, .trace = path, .policy = policy, .sizes = "10", .sample = sample};
	struct tide_error err = {0};
	struct tide_mrc *mrc = NULL;

	if (td_lib_mrc_run(&mrc, &o, reading, NULL, NULL, &err))
		fail_msg("%s", err.text);
	return mrc;
}

static void curves_share_too(void **state)
{
	static const char *const policies[] = {"lru", "opt", "vmin", "arc", "sieve"};
	struct tide_mrc *alone[5], *shared;
	struct td_lib_room room;

	(void)state;
	td_lib_room_init(&room);
	struct td_lib_reading *reading = td_lib_reading_new(&room);
	write_trace(LINES);
	free(curve("lru", NULL, reading));
	for (size_t i = 0; i < 5; i++)
		alone[i] = curve(policies[i], i < 4 ? NULL : "0.5", NULL);
	unlink(path);
	for (size_t i = 0; i < 5; i++) {
		shared = curve(policies[i], i < 4 ? NULL : "0.5", reading);
		assert_int_equal(shared->n, 10);
		assert_string_equal(shared->format, "csv");
		assert_int_equal(shared->accesses, LINES);
		assert_memory_equal(shared->at, alone[i]->at, 10 * sizeof *shared->at);
		assert_memory_equal(shared->input_digest, alone[i]->input_digest, 16);
		assert_memory_equal(shared->settings_digest, alone[i]->settings_digest, 16);
		free(shared);
	}
	for (size_t i = 0; i < 5; i++)
		free(alone[i]);
	td_lib_reading_free(reading);
}

/* ---- several threads ---- */

#define RUNS 24

struct runs {
	struct td_lib_reading *reading;
	char *text[RUNS];
};

static void run_one(void *arg, size_t i)
{
	struct runs *all = arg;

	all->text[i] = run(&kinds[i % KINDS], all->reading);
}

static void threads_share(void **state)
{
	struct td_lib_room room;
	td_lib_room_init(&room);
	struct runs all = {.reading = td_lib_reading_new(&room)};

	(void)state;
	write_trace(LINES);
	td_jobs_run(RUNS, 6, run_one, &all);
	for (size_t i = 0; i < RUNS; i++) {
		char *alone = run(&kinds[i % KINDS], NULL);
		assert_string_equal(alone, all.text[i]);
		free(alone);
		free(all.text[i]);
	}
	td_lib_reading_free(all.reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_same),       cmocka_unit_test(reads_once),
		cmocka_unit_test(too_long_is_not_kept), cmocka_unit_test(numbers_may_not_fit),
		cmocka_unit_test(damage_is_told),       cmocka_unit_test(workloads_are_kept_too),
		cmocka_unit_test(threads_share),        cmocka_unit_test(curves_share_too),
	};
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/trace.csv", folder);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(folder);
	return failed;
}
