/* The library as a program uses it: open, run or push, counts, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tide/policy.h"
#include "tide/tide.h"

static struct tide_sim *open_sim(const struct tide_sim_options *options)
{
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	if (tide_sim_open(&sim, options, &err))
		fail_msg("%s", err.text);
	return sim;
}

static void assert_refused(const struct tide_sim_options *options, const char *said)
{
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	assert_int_equal(tide_sim_open(&sim, options, &err), -EINVAL);
	assert_null(sim);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
	assert_null(strchr(err.text, '\n'));
	assert_int_equal(tide_sim_open(&sim, options, NULL), -EINVAL);
}

static struct tide_counts counts_of(struct tide_sim *sim)
{
	struct tide_counts counts = {.size = sizeof counts};

	tide_sim_counts(sim, &counts, NULL);
	return counts;
}

static struct tide_counts run_whole(const struct tide_sim_options *options)
{
	struct tide_sim *sim = open_sim(options);
	struct tide_counts counts = {.size = sizeof counts};

	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	counts = counts_of(sim);
	tide_sim_close(sim);
	return counts;
}

/* ---- pushing ---- */

static void pushed_accesses_are_counted(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .near_size = "2p",
				     .chunk = "4K",
				     .evict = "fifo",
				     .prefetch = "none"};
	static const uint64_t pages[] = {1, 2, 1, UINT64_MAX, 1, 2};
	struct tide_sim *sim = open_sim(&o);
	struct tide_counts c = {.size = sizeof c};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct tide_event event = {.size = sizeof event, .page = pages[i], .write = i == 1};
		assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
		assert_int_equal(counts_of(sim).accesses, i + 1);
	}
	c = counts_of(sim);
	/* fifo of two: 1, 2, (1), max throws out 1, 1 throws out 2, 2 throws out max */
	assert_int_equal(c.hits, 1);
	assert_int_equal(c.faults, 5);
	assert_int_equal(c.evicted_pages, 3);
	assert_int_equal(c.writeback_pages, 1);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), -EINVAL);
	tide_sim_close(sim);
	tide_sim_close(NULL);
}

static void handles_are_independent(void **state)
{
	struct tide_sim_options o = {.size = sizeof o, .near_size = "64K"};
	struct tide_sim *a = open_sim(&o), *b = open_sim(&o);
	struct tide_event event = {.size = sizeof event, .page = 3};

	(void)state;
	assert_int_equal(tide_sim_access(a, &event, NULL), 0);
	assert_int_equal(counts_of(a).faults, 1);
	assert_int_equal(counts_of(b).faults, 0);
	tide_sim_close(a);
	assert_int_equal(tide_sim_access(b, &event, NULL), 0);
	assert_int_equal(counts_of(b).faults, 1);
	tide_sim_close(b);
}

static void a_run_has_its_own_input(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = "cyclic:pages=10,rounds=1", .near_size = "16p"};
	struct tide_sim *sim = open_sim(&o);
	struct tide_event event = {.size = sizeof event, .page = 3};
	struct tide_error err = {0};

	(void)state;
	assert_int_equal(tide_sim_access(sim, &event, &err), -EINVAL);
	assert_non_null(strstr(err.text, "input of its own"));
	tide_sim_close(sim);
}

/* ---- options ---- */

static void bad_options_are_refused(void **state)
{
	struct tide_sim_options o = {.size = sizeof o, .workload = "cyclic"};

	(void)state;
	assert_refused(&o, "no size of near memory");
	o.near_size = "50%";
	o.trace = "x";
	assert_refused(&o, "both a trace and a workload");
	o.trace = o.workload = NULL;
	assert_refused(&o, "as a share needs a footprint");
	o.workload = "cyclic";
	o.near_size = "15p";
	assert_refused(&o, "smaller than one chunk");
	o.near_size = "0";
	assert_refused(&o, "near memory of 0");
	o.near_size = "1M";
	o.chunk = "3K";
	assert_refused(&o, "not a multiple");
	o.chunk = NULL;
	o.page = "nix";
	assert_refused(&o, "page of 'nix' is no size");
	o.page = NULL;
	o.evict = "nix";
	assert_refused(&o, "no evict policy nix");
	o.evict = NULL;
	o.prefetch = "lru";
	assert_refused(&o, "lru is a policy for `evict`");
	o.prefetch = NULL;
	o.workload = "nix";
	assert_refused(&o, "nix");
	o.workload = "cyclic:pages=0";
	assert_refused(&o, "pages");
}

static void needs_are_refused_before_the_input_is_read(void **state)
{
	struct tide_sim_options o = {.size = sizeof o, .near_size = "16p", .evict = "opt"};

	(void)state;
	assert_refused(&o, "needs the future");
	o.trace = "-";
	assert_refused(&o, "needs the future");
	o.trace = "/nonexistent/trace.txt";
	o.evict = "arc";
	assert_refused(&o, "chunks of one page");
}

/* ---- inputs ---- */

static void defaults_are_those_of_the_command_line(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = "zipf:pages=500,accesses=5000", .near_size = "50%"};
	struct tide_counts a = run_whole(&o), b;

	(void)state;
	o.evict = "lrm";
	o.prefetch = "tree:threshold=51";
	o.page = "4096";
	o.chunk = "65536";
	o.seed = "1";
	b = run_whole(&o);
	assert_memory_equal(&a, &b, sizeof a);
	assert_int_equal(a.accesses, 5000);
	o.seed = "2";
	b = run_whole(&o);
	assert_memory_not_equal(&a, &b, sizeof a);
}

static void facts_may_be_handed_on(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "zipf:pages=500,accesses=5000",
				     .near_size = "30%",
				     .evict = "opt"};
	struct tide_sim *sim = open_sim(&o);
	struct tide_facts facts = {.size = sizeof facts};
	struct tide_counts a = {.size = sizeof a}, b = {.size = sizeof b};

	(void)state;
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	a = counts_of(sim);
	tide_sim_facts(sim, &facts, NULL);
	tide_sim_close(sim);
	assert_int_equal(facts.accesses, 5000);
	assert_int_equal(facts.last_page, 499);
	assert_in_range(facts.pages, 300, 500);
	o.facts = &facts;
	b = run_whole(&o);
	assert_memory_equal(&a, &b, sizeof a);
}

struct seen {
	uint64_t calls, done, total;
};

static void see(void *arg, uint64_t done, uint64_t total)
{
	struct seen *s = arg;

	assert_true(done >= s->done);
	*s = (struct seen){s->calls + 1, done, total};
}

static void progress_is_told(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .workload = "cyclic:pages=100,rounds=30000", .near_size = "112p"};
	struct tide_sim *sim = open_sim(&o);
	struct seen seen = {0};

	(void)state;
	assert_int_equal(tide_sim_run(sim, see, &seen, NULL), 0);
	tide_sim_close(sim);
	assert_int_equal(seen.done, 3000000);
	assert_int_equal(seen.total, 3000000);
	assert_in_range(seen.calls, 3, 100);
}

/* ---- JSON ---- */

static json_t *document(struct tide_sim *sim)
{
	char *text = NULL;
	json_t *o;

	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	free(text);
	return o;
}

static void counts_are_in_the_document(json_t *o, const struct tide_counts *counts)
{
	json_t *c = json_object_get(o, "counts");
	size_t n = 0;

#define TIDE_COUNTER(name, help) \
	assert_true(json_is_integer(json_object_get(c, #name))); \
	assert_int_equal(json_integer_value(json_object_get(c, #name)), counts->name); \
	n++;
#include "tide/counters.def"
#undef TIDE_COUNTER
	assert_int_equal(json_object_size(c), n);
}

static void the_document_has_all_keys(void **state)
{
	static const char *const keys[] = {"tide",   "verb",   "input", "config",
					   "counts", "policy", "time",  "wall"};
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "uniform:pages=100,accesses=1000",
				     .near_size = "40%",
				     .evict = "arc",
				     .prefetch = "none",
				     .chunk = "4K",
				     .seed = "9"};
	struct tide_sim *sim = open_sim(&o);
	struct tide_counts counts = {.size = sizeof counts};
	const char *evict, *prefetch, *workload;
	int near, chunk_pages, seed, page_bytes, accesses, footprint, last, p, ns;
	double seconds, rate;
	json_t *d;

	(void)state;
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	counts = counts_of(sim);
	d = document(sim);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_non_null(json_object_get(d, keys[i]));
	assert_string_equal(json_string_value(json_object_get(d, "tide")), tide_version());
	assert_string_equal(json_string_value(json_object_get(d, "verb")), "sim");
	counts_are_in_the_document(d, &counts);
	assert_int_equal(json_unpack(d, "{s:{s:i,s:i,s:i,s:s,s:s,s:i}}", "config", "near_pages",
				     &near, "chunk_pages", &chunk_pages, "page_bytes", &page_bytes,
				     "evict", &evict, "prefetch", &prefetch, "seed", &seed),
			 0);
	assert_int_equal(chunk_pages, 1);
	assert_int_equal(page_bytes, 4096);
	assert_string_equal(evict, "arc");
	assert_string_equal(prefetch, "none");
	assert_int_equal(seed, 9);
	assert_int_equal(json_unpack(d, "{s:{s:s,s:i,s:i,s:i}}", "input", "workload", &workload,
				     "accesses", &accesses, "footprint_pages", &footprint,
				     "last_page", &last),
			 0);
	assert_string_equal(workload, "uniform:pages=100,accesses=1000");
	assert_int_equal(accesses, 1000);
	assert_int_equal(last, 99);
	assert_in_range(footprint, 90, 100);
	assert_int_equal(near, (footprint * 4 + 9) / 10);
	/* What the policy wants said. */
	assert_int_equal(json_unpack(d, "{s:{s:i}}", "policy", "p", &p), 0);
	assert_in_range(p, 0, 40);
	assert_int_equal(json_unpack(d, "{s:{s:i}}", "time", "simulated_ns", &ns), 0);
	assert_int_equal(json_unpack(d, "{s:{s:F,s:F}}", "wall", "seconds", &seconds,
				     "accesses_per_second", &rate),
			 0);
	assert_true(seconds > 0 && rate > 0);
	json_decref(d);
	tide_sim_close(sim);
}

static void a_pushed_run_has_a_document_too(void **state)
{
	struct tide_sim_options o = {.size = sizeof o, .near_size = "16p"};
	struct tide_sim *sim = open_sim(&o);
	struct tide_event event = {.size = sizeof event, .page = 3};
	struct tide_counts counts = {.size = sizeof counts};
	json_t *d;

	(void)state;
	assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
	d = document(sim);
	counts = counts_of(sim);
	counts_are_in_the_document(d, &counts);
	assert_true(json_is_null(json_object_get(json_object_get(d, "input"), "accesses")));
	json_decref(d);
	tide_sim_close(sim);
}

/* 64-bit numbers stay what they are. */
static void large_numbers_are_not_negative(void **state)
{
	struct tide_sim_options o = {
		.size = sizeof o, .near_size = "16p", .seed = "18446744073709551615"};
	struct tide_sim *sim = open_sim(&o);
	char *text = NULL;

	(void)state;
	assert_int_equal(tide_sim_json(sim, &text, NULL), 0);
	assert_null(strstr(text, ": -"));
	free(text);
	tide_sim_close(sim);
}

/* ---- lists ---- */

static void lists_end(void **state)
{
	struct tide_workload_info info = {.size = sizeof info};
	size_t n = 0;

	(void)state;
	assert_string_equal(tide_version(), TIDE_VERSION);
	while (tide_policy_at(n))
		n++;
	assert_true(n >= 20);
	assert_null(tide_policy_at(n + 5));
	for (n = 0; !tide_workload_at(n, &info); n++) {
		assert_non_null(info.name);
		assert_non_null(info.summary);
		assert_true(info.footprint_bytes > 0 && info.footprint_bytes % 4096 == 0);
		assert_true(info.accesses > 0);
	}
	assert_true(n >= 6);
	assert_int_equal(tide_workload_at(n, &info), -ENOENT);
	assert_int_equal(tide_workload_at(n + 5, &info), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushed_accesses_are_counted),
		cmocka_unit_test(handles_are_independent),
		cmocka_unit_test(a_run_has_its_own_input),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(needs_are_refused_before_the_input_is_read),
		cmocka_unit_test(defaults_are_those_of_the_command_line),
		cmocka_unit_test(facts_may_be_handed_on),
		cmocka_unit_test(progress_is_told),
		cmocka_unit_test(the_document_has_all_keys),
		cmocka_unit_test(a_pushed_run_has_a_document_too),
		cmocka_unit_test(large_numbers_are_not_negative),
		cmocka_unit_test(lists_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
