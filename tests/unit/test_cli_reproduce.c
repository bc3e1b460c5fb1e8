/* The inputs of reproductions: what is woven, and that it can be read as often as wanted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claims/reproduce.h"

static size_t read_copy(const struct td_cli_copy *copy, struct tide_event *events, size_t room)
{
	struct tide_trace_options options = {
		.size = sizeof options, .path = copy->path, .format = "txt"};
	struct tide_trace *trace;
	size_t n = 0;

	assert_int_equal(tide_trace_open(&trace, &options, NULL), 0);
	for (size_t i = 0; i < room; i++)
		events[i].size = sizeof events[i];
	while (n < room && tide_trace_next(trace, &events[n], NULL) == 1)
		n++;
	tide_trace_close(trace);
	return n;
}

/* Twice as many of one as of the other: at every point of the weave, too. */
static void weaves_evenly(void **state)
{
	static const struct td_cli_part parts[] = {{"cyclic:pages=", 10, 200},
						   {"zipf:skew=0.8,pages=", 20, 100}};
	struct tide_event events[400];
	struct td_cli_copy copy;
	size_t of[3] = {0};

	(void)state;
	assert_int_equal(td_cli_weave(&copy, parts, 2, NULL, NULL), 0);
	assert_int_equal(copy.accesses, 300);
	assert_true(copy.refs);
	assert_int_equal(read_copy(&copy, events, 400), 300);
	for (size_t i = 0; i < 300; i++) {
		assert_in_range(events[i].ref, 1, 2);
		of[events[i].ref]++;
		assert_in_range(of[1] + 3, 2 * of[2], 2 * of[2] + 6);
		/* The loop's own order, and no page of both. */
		if (events[i].ref == 1)
			assert_int_equal(events[i].page, (of[1] - 1) % 10);
		else
			assert_in_range(events[i].page, 10, UINT64_MAX);
	}
	assert_int_equal(read_copy(&copy, events, 400), 300);
	td_cli_copy_close(&copy);
}

static void writes_letters(void **state)
{
	struct tide_event events[9];
	struct td_cli_copy copy;

	(void)state;
	assert_int_equal(td_cli_copy_letters(&copy, "abz", "112", 2, NULL), 0);
	assert_int_equal(read_copy(&copy, events, 9), 6);
	assert_int_equal(events[0].page, events[3].page);
	assert_int_equal(events[1].page - events[0].page, 1);
	assert_int_equal(events[5].page - events[0].page, 25);
	assert_int_equal(events[4].ref, 1);
	assert_int_equal(events[5].ref, 2);
	td_cli_copy_close(&copy);
}

static void passes_errors_on(void **state)
{
	static const struct td_cli_part part = {"no-such:pages=", 1, 1};
	struct td_claims_options args = {.trace = "/nonexistent/trace"};
	struct tide_error err = {0, ""};
	struct td_cli_copy copy;

	(void)state;
	assert_int_equal(td_cli_weave(&copy, &part, 1, NULL, &err), -EINVAL);
	assert_null(copy.file);
	assert_int_equal(td_cli_copy_trace(&copy, &args, &err), -ENOENT);
	assert_null(copy.file);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(td_cli_copy_letters(&copy, "a", "1", 1, &err), -ENOENT);
	assert_non_null(strstr(err.text, "TMPDIR"));
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weaves_evenly),
		cmocka_unit_test(writes_letters),
		cmocka_unit_test(passes_errors_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
