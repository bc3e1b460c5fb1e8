/* Traces of the library, one event at a time. */
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

#include "tide/tide.h"

#define EVENTS (3 * TIDE_BATCH + 17) /* several batches and a part of one */

static char folder[] = "/tmp/tide-test-traces-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static struct tide_event event_at(uint64_t i)
{
	return (struct tide_event){.size = sizeof(struct tide_event),
				   .page = tide_hash64(i) >> (i % 50),
				   .ref = i % 7,
				   .stream = i % 3,
				   .write = i % 5 == 0};
}

static void write_trace(const char *path, uint64_t n)
{
	struct tide_trace_writer *w = NULL;

	assert_int_equal(tide_trace_create(&w, path, NULL, NULL), 0);
	for (uint64_t i = 0; i < n; i++) {
		struct tide_event event = event_at(i);
		assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	}
	assert_int_equal(tide_trace_finish(w, NULL), 0);
}

/* Groups, sizes and costs; an event of an older program has none. */
static void groups_and_sizes_are_written_and_read(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .path = path_of("objects.tide")};
	struct tide_trace_writer *w = NULL;
	struct tide_trace *t = NULL;
	struct tide_event event = {.size = sizeof event};

	(void)state;
	assert_int_equal(tide_trace_create(&w, o.path, NULL, NULL), 0);
	for (uint64_t i = 0; i < EVENTS; i++) {
		event.page = i % 77;
		event.first = i % 10 == 3;
		event.bytes = i % 4 ? i : 0;
		event.cost = i % 7 ? 0 : i;
		assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	}
	assert_int_equal(tide_trace_finish(w, NULL), 0);
	assert_int_equal(tide_trace_open(&t, &o, NULL), 0);
	for (uint64_t i = 0; i < EVENTS; i++) {
		assert_int_equal(tide_trace_next(t, &event, NULL), 1);
		assert_int_equal(event.first, i % 10 == 3);
		assert_int_equal(event.bytes, i % 4 ? i : 0);
		assert_int_equal(event.cost, i % 7 ? 0 : i);
	}
	event.size = offsetof(struct tide_event, first);
	assert_int_equal(tide_trace_next(t, &event, NULL), 0);
	tide_trace_close(t);
	unlink(o.path);
}

/* What the head of a trace must say cannot come late. */
static void late_groups_are_refused(void **state)
{
	struct tide_trace_writer *w = NULL;
	struct tide_event event = {.size = sizeof event};
	struct tide_error err;

	(void)state;
	assert_int_equal(tide_trace_create(&w, path_of("late.tide"), NULL, NULL), 0);
	for (uint64_t i = 0; i < TIDE_BATCH; i++)
		assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	event.first = 1;
	assert_int_equal(tide_trace_put(w, &event, &err), -EINVAL);
	assert_non_null(strstr(err.text, "within the first 4096 events"));
	tide_trace_abandon(w);
}

static void what_was_written_is_read(void **state)
{
	static const char *const names[] = {"a.tide", "a.txt", "a.txt.gz", "a.tide.zst"};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct tide_trace_options o = {.size = sizeof o, .path = path_of(names[k])};
		struct tide_trace *t = NULL;
		struct tide_event event = {.size = sizeof event};
		write_trace(o.path, EVENTS);
		assert_int_equal(tide_trace_open(&t, &o, NULL), 0);
		for (uint64_t i = 0; i < EVENTS; i++) {
			struct tide_event expected = event_at(i);
			assert_int_equal(tide_trace_next(t, &event, NULL), 1);
			assert_int_equal(event.page, expected.page);
			assert_int_equal(event.ref, expected.ref);
			assert_int_equal(event.stream, expected.stream);
			assert_int_equal(event.write, expected.write);
		}
		assert_int_equal(tide_trace_next(t, &event, NULL), 0);
		assert_int_equal(tide_trace_next(t, &event, NULL), 0);
		tide_trace_close(t);
		unlink(o.path);
	}
}

static void an_abandoned_trace_is_not_there(void **state)
{
	struct tide_trace_writer *w = NULL;
	struct tide_event event = {.size = sizeof event, .page = 1};
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s", path_of("gone.tide"));
	assert_int_equal(tide_trace_create(&w, path, NULL, NULL), 0);
	assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	tide_trace_abandon(w);
	tide_trace_abandon(NULL);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void what_cannot_be_opened_is_said(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .path = "/nonexistent/x.txt"};
	struct tide_trace_writer *w = NULL;
	struct tide_trace *t = NULL;
	struct tide_error err = {0};

	(void)state;
	assert_true(tide_trace_open(&t, &o, &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/x.txt"));
	o.page = "nix";
	assert_true(tide_trace_open(&t, &o, &err) < 0);
	assert_non_null(strstr(err.text, "nix"));
	assert_null(t);
	assert_true(tide_trace_create(&w, "/nonexistent/x.tide", NULL, &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/x.tide"));
	assert_null(w);
	tide_trace_close(NULL);
}

/* The same events from a file and pushed: the same counts. */
static void a_file_and_pushes_agree(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .near_size = "100p",
				     .chunk = "8K",
				     .evict = "lru",
				     .prefetch = "none"};
	struct tide_sim *pushed = NULL, *read = NULL;
	struct tide_counts a = {.size = sizeof a}, b = {.size = sizeof b};
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s", path_of("b.tide"));
	write_trace(path, EVENTS);
	assert_int_equal(tide_sim_open(&pushed, &o, NULL), 0);
	o.trace = path;
	assert_int_equal(tide_sim_open(&read, &o, NULL), 0);
	assert_int_equal(tide_sim_run(read, NULL, NULL, NULL), 0);
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct tide_event event = event_at(i);
		assert_int_equal(tide_sim_access(pushed, &event, NULL), 0);
	}
	tide_sim_counts(pushed, &a, NULL);
	tide_sim_counts(read, &b, NULL);
	assert_memory_equal(&a, &b, sizeof a);
	assert_true(a.evicted_chunks > 0);
	tide_sim_close(pushed);
	tide_sim_close(read);
	unlink(path);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder); /* nothing is left in it */
}

static void a_workload_is_read_like_a_trace(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .workload = "cyclic:pages=3,rounds=2"};
	struct tide_trace *t = NULL;
	struct tide_event event = {.size = sizeof event};
	struct tide_error err;

	(void)state;
	assert_int_equal(tide_trace_open(&t, &o, NULL), 0);
	for (uint64_t i = 0; i < 6; i++) {
		assert_int_equal(tide_trace_next(t, &event, NULL), 1);
		assert_int_equal(event.page, i % 3);
	}
	assert_int_equal(tide_trace_next(t, &event, NULL), 0);
	tide_trace_close(t);
	o.path = "x.txt";
	assert_int_equal(tide_trace_open(&t, &o, &err), -EINVAL);
	o = (struct tide_trace_options){
		.size = sizeof(struct tide_trace_options), .workload = "cyclic", .seed = "one"};
	assert_int_equal(tide_trace_open(&t, &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "seed of 'one'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(groups_and_sizes_are_written_and_read),
		cmocka_unit_test(late_groups_are_refused),
		cmocka_unit_test(an_abandoned_trace_is_not_there),
		cmocka_unit_test(what_cannot_be_opened_is_said),
		cmocka_unit_test(a_file_and_pushes_agree),
		cmocka_unit_test(a_workload_is_read_like_a_trace),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
