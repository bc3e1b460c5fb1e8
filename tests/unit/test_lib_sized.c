/* Programs and libraries of different versions: the library reads and writes a public struct no
 * further than its size says. */
#include <errno.h>
#include <stdlib.h>

#include "lib/sized.h"
#include "test_trace.h"
#include "tide/gpu.h"
#include "tide/pager.h"
#include "tide/pool.h"
#include "tide/tide.h"

#define GUARD 0xa5

static const struct tide_sim_options small = {
	.size = sizeof small, .near_size = "16p", .chunk = "1p", .prefetch = "none"};

static struct tide_sim *open_small(void)
{
	struct tide_sim *sim;
	assert_int_equal(tide_sim_open(&sim, &small, NULL), 0);
	struct tide_event event = {.size = sizeof event};
	for (event.page = 0; event.page < 40; event.page++)
		assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
	return sim;
}

static void assert_guarded(const void *from, size_t used, size_t bytes)
{
	for (size_t i = used; i < bytes; i++)
		assert_int_equal(((const unsigned char *)from)[i], GUARD);
}

/* ---- what the library fills ---- */

static void test_older_counts(void **state)
{
	union {
		struct tide_counts counts;
		unsigned char bytes[sizeof(struct tide_counts)];
	} u;
	struct tide_sim *sim = open_small();
	size_t size = offsetof(struct tide_counts, tier3_writes);
	(void)state;
	memset(&u, GUARD, sizeof u);
	u.counts.size = size;
	assert_int_equal(tide_sim_counts(sim, &u.counts, NULL), 0);
	assert_int_equal(u.counts.size, size);
	assert_int_equal(u.counts.accesses, 40);
	assert_int_equal(u.counts.faults, 40);
	assert_int_equal(u.counts.tier3_reads, 0);
	assert_guarded(u.bytes, size, sizeof u);
	tide_sim_close(sim);
}

static void test_older_facts(void **state)
{
	struct tide_facts facts;
	struct tide_sim *sim = open_small();
	(void)state;
	memset(&facts, GUARD, sizeof facts);
	facts.size = offsetof(struct tide_facts, last_page);
	assert_int_equal(tide_sim_facts(sim, &facts, NULL), 0);
	assert_guarded(&facts, offsetof(struct tide_facts, last_page), sizeof facts);
	tide_sim_close(sim);
}

/* What a library does not know is 0 in what it fills. */
static void test_newer_counts(void **state)
{
	struct {
		struct tide_counts counts;
		uint64_t newer[2];
	} program = {{.size = sizeof program}, {7, 7}};
	struct tide_sim *sim = open_small();
	(void)state;
	assert_int_equal(tide_sim_counts(sim, &program.counts, NULL), 0);
	assert_int_equal(program.counts.size, sizeof program);
	assert_int_equal(program.counts.faults, 40);
	assert_int_equal(program.newer[0] + program.newer[1], 0);
	tide_sim_close(sim);
}

static void test_older_lists(void **state)
{
	struct tide_workload_info w;
	struct tide_model_info m;
	(void)state;
	memset(&w, GUARD, sizeof w);
	w.size = offsetof(struct tide_workload_info, type);
	assert_int_equal(tide_workload_at(0, &w), 0);
	assert_true(w.name && w.paper);
	assert_guarded(&w, offsetof(struct tide_workload_info, type), sizeof w);
	memset(&m, GUARD, sizeof m);
	m.size = offsetof(struct tide_model_info, params);
	assert_int_equal(tide_model_at(0, &m), 0);
	assert_guarded(&m, offsetof(struct tide_model_info, params), sizeof m);
	m.size = 0;
	assert_int_equal(tide_model_at(0, &m), -EINVAL);
}

static void test_older_event(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .workload = "cyclic:pages=10"};
	struct tide_event event;
	struct tide_trace *trace;
	(void)state;
	memset(&event, GUARD, sizeof event);
	event.size = offsetof(struct tide_event, stream);
	assert_int_equal(tide_trace_open(&trace, &o, NULL), 0);
	assert_int_equal(tide_trace_next(trace, &event, NULL), 1);
	assert_int_equal(event.page, 0);
	assert_guarded(&event, offsetof(struct tide_event, stream), sizeof event);
	tide_trace_close(trace);
}

/* ---- what the library reads ---- */

/* The members after its size are not looked at: they would be refused. */
static void test_older_options(void **state)
{
	struct tide_sim_options o = small;
	struct tide_sim *sim;
	(void)state;
	o.size = offsetof(struct tide_sim_options, place);
	o.place = o.host = o.model = o.log = o.seed = (const char *)1;
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	tide_sim_close(sim);
}

/* Facts that an older program does not have are not known, which is not 0. */
static void test_older_given_facts(void **state)
{
	struct tide_facts facts = {.size = offsetof(struct tide_facts, pages), .accesses = 300};
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "cyclic:pages=100,rounds=3",
				     .near_size = "50%",
				     .facts = &facts};
	struct tide_sim *sim;
	(void)state;
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	facts.size = sizeof facts;
	assert_int_equal(tide_sim_facts(sim, &facts, NULL), 0);
	assert_int_equal(facts.pages, 100);
	tide_sim_close(sim);
}

static void test_newer_options(void **state)
{
	struct {
		struct tide_sim_options options;
		const char *newer;
	} program = {small, NULL};
	struct tide_error err;
	struct tide_sim *sim;
	(void)state;
	program.options.size = sizeof program;
	assert_int_equal(tide_sim_open(&sim, &program.options, NULL), 0);
	tide_sim_close(sim);
	program.newer = "set";
	assert_int_equal(tide_sim_open(&sim, &program.options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "struct tide_sim_options sets what this libtide"));
}

/* An event of a program that knows no groups has none, whatever is behind it. */
static void test_event_without_groups(void **state)
{
	struct tide_event event = {.size = offsetof(struct tide_event, first), .first = 1};
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim = open_small();
	(void)state;
	assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, &counts, NULL), 0);
	assert_int_equal(counts.groups, 0);
	event.size = sizeof event;
	for (int i = 0; i < 3; i++, event.first = 0)
		assert_int_equal(tide_sim_access(sim, &event, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, &counts, NULL), 0);
	assert_int_equal(counts.groups, 1);
	assert_int_equal(counts.prefix_hits, 3);
	tide_sim_close(sim);
}

static void test_newer_event(void **state)
{
	struct {
		struct tide_event event;
		uint64_t newer;
	} program = {{.size = sizeof program, .page = 3}, 0};
	struct tide_error err;
	struct tide_sim *sim = open_small();
	(void)state;
	assert_int_equal(tide_sim_access(sim, &program.event, NULL), 0);
	program.newer = 1;
	assert_int_equal(tide_sim_access(sim, &program.event, &err), -EINVAL);
	assert_non_null(strstr(err.text, "struct tide_event sets what this libtide"));
	tide_sim_close(sim);
}

/* ---- no size ---- */

/* Rows of arrays and what policies fill: programs of every version have them like this. */
static void test_layouts_that_stay(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct tide_error), 516);
	assert_int_equal(sizeof(struct tide_param), 48);
	assert_int_equal(sizeof(union tide_value), 8);
	assert_int_equal(sizeof(struct tide_mark), 24);
	assert_int_equal(sizeof(struct tide_mrc_point), 32);
	assert_int_equal(sizeof(struct tide_workload_array), 48);
	assert_int_equal(sizeof(struct tide_workload_kernel), 72);
}

/* A size of 0, and none that could be one: what happened to be in memory. */
static void test_no_size(void **state)
{
	static const size_t sizes[] = {0, 7, (size_t)-1};
	struct tide_error err;
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct tide_counts own = {.accesses = 3}, counts = {.size = sizes[i]};
		assert_int_equal(TD_LIB_TAKE(&own, &counts, tide_counts, &err), -EINVAL);
		assert_int_equal(TD_LIB_GIVE(&counts, &own, tide_counts, &err), -EINVAL);
		assert_int_equal(own.accesses, 3);
		assert_int_equal(counts.accesses, 0);
		assert_string_equal(err.text,
				    "struct tide_counts has no size: write struct tide_counts x = "
				    "{.size = sizeof x}");
	}
}

#define REFUSED(call) \
	do { \
		err.text[0] = '\0'; \
		assert_int_equal(call, -EINVAL); \
		assert_non_null(strstr(err.text, " has no size: write struct tide_")); \
	} while (0)

static void test_every_struct(void **state)
{
	struct tide_error err;
	struct tide_sim *sim = open_small();
	struct tide_sim_options with_facts = small;
	(void)state;
	with_facts.workload = "cyclic:pages=10";
	with_facts.facts = &(struct tide_facts){0};
	REFUSED(tide_sim_counts(sim, &(struct tide_counts){0}, &err));
	REFUSED(tide_sim_facts(sim, &(struct tide_facts){0}, &err));
	REFUSED(tide_sim_access(sim, &(struct tide_event){0}, &err));
	REFUSED(tide_sim_open(&sim, &with_facts, &err));
	REFUSED(tide_mrc_run(&(struct tide_mrc *){0}, &(struct tide_mrc_options){0}, NULL, NULL,
			     &err));
	REFUSED(tide_trace_open(&(struct tide_trace *){0}, &(struct tide_trace_options){0}, &err));
	REFUSED(tide_workload_measure(&(struct tide_workload_measured){0}, "cyclic:pages=10", NULL,
				      NULL, NULL, NULL, &err));
	REFUSED(tide_open(&(struct tide *){0}, &(struct tide_options){0}, &err));
	REFUSED(tide_pool_open(&(struct tide_pool *){0}, &(struct tide_pool_options){0}, &err));
	REFUSED(tide_gpu_open(&(struct tide_gpu *){0}, &(struct tide_gpu_options){0}, &err));
	tide_sim_close(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_older_counts),
		cmocka_unit_test(test_older_facts),
		cmocka_unit_test(test_newer_counts),
		cmocka_unit_test(test_older_lists),
		cmocka_unit_test(test_older_options),
		cmocka_unit_test(test_older_given_facts),
		cmocka_unit_test(test_newer_options),
		cmocka_unit_test(test_no_size),
		cmocka_unit_test(test_every_struct),
		cmocka_unit_test(test_older_event),
		cmocka_unit_test(test_event_without_groups),
		cmocka_unit_test(test_newer_event),
		cmocka_unit_test(test_layouts_that_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
