/* Accesses in arrays: runs, curves and traces of many at a time, policies of the program, stopping.
 */
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

#include "tide/policy.h"
#include "tide/tide.h"

#define N (3 * TIDE_BATCH + 17) /* several batches and a part of one */

static uint64_t page[N], ref[N], bytes[N];
static uint8_t write_to[N], first[N];
static const struct tide_accesses all = {.size = sizeof all,
					 .n = N,
					 .page = page,
					 .ref = ref,
					 .write = write_to,
					 .first = first,
					 .bytes = bytes};
static char path[] = "/tmp/tide-test-arrays-XXXXXX.tide";

static int make_arrays(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		page[i] = tide_hash64(i) % 500;
		ref[i] = i % 7;
		write_to[i] = i % 5 ? 0 : 255; /* any value but 0 is true */
		first[i] = i % 10 == 0;
		bytes[i] = 100 + page[i];
	}
	return mkstemps(path, 5) < 0;
}

static int remove_files(void **state)
{
	(void)state;
	return unlink(path);
}

static struct tide_sim_options options(const char *evict)
{
	return (struct tide_sim_options){.size = sizeof(struct tide_sim_options),
					 .near_size = "100p",
					 .chunk = "1p",
					 .prefetch = "none",
					 .evict = evict};
}

static void run(const struct tide_sim_options *o, struct tide_counts *counts,
		struct tide_facts *facts)
{
	struct tide_sim *sim;
	counts->size = sizeof *counts;
	facts->size = sizeof *facts;
	assert_int_equal(tide_sim_open(&sim, o, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, counts, NULL), 0);
	assert_int_equal(tide_sim_facts(sim, facts, NULL), 0);
	assert_int_equal(tide_sim_close(sim), 0);
}

/* Half singly, half at once: what was put singly comes before. */
static void write_all(void)
{
	struct tide_trace_writer *w;
	struct tide_accesses rest = all;
	assert_int_equal(tide_trace_create(&w, path, NULL, NULL), 0);
	for (uint64_t i = 0; i < 10; i++) {
		struct tide_event event = {.size = sizeof event,
					   .page = page[i],
					   .ref = ref[i],
					   .write = write_to[i] != 0,
					   .first = first[i],
					   .bytes = bytes[i]};
		assert_int_equal(tide_trace_put(w, &event, NULL), 0);
	}
	rest.n -= 10;
	rest.page += 10, rest.ref += 10, rest.write += 10, rest.first += 10, rest.bytes += 10;
	assert_int_equal(tide_trace_put_batch(w, &rest, NULL), 0);
	assert_int_equal(tide_trace_finish(w, NULL), 0);
}

/* The same events have the same counts and the same digest, wherever they come from. */
static void arrays_are_a_trace(void **state)
{
	(void)state;
	write_all();
	for (unsigned objects = 0; objects < 2; objects++) {
		struct tide_sim_options from = options(objects ? "gdsf" : "opt");
		struct tide_counts a = {0}, b = {0};
		struct tide_facts fa = {0}, fb = {0};
		from.near_size = "20%";
		from.objects = objects;
		from.trace = path;
		run(&from, &a, &fa);
		from.trace = NULL;
		from.accesses = &all;
		run(&from, &b, &fb);
		assert_memory_equal(&a, &b, sizeof a);
		assert_true(a.writeback_pages > 0 && a.faults < a.accesses);
		assert_memory_equal(fa.digest, fb.digest, sizeof fa.digest);
		assert_true(fa.digest[0] != 0);
	}
}

static void batches_are_read(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .path = path};
	struct tide_accesses got = {.size = sizeof got};
	struct tide_event one = {.size = sizeof one};
	struct tide_trace *t;
	uint64_t done = 1;
	(void)state;
	write_all();
	assert_int_equal(tide_trace_open(&t, &o, NULL), 0);
	assert_int_equal(tide_trace_next(t, &one, NULL), 1);
	while (tide_trace_next_batch(t, &got, NULL) == 1) {
		assert_memory_equal(got.page, page + done, got.n * sizeof *page);
		assert_memory_equal(got.ref, ref + done, got.n * sizeof *ref);
		assert_memory_equal(got.first, first + done, got.n);
		assert_memory_equal(got.bytes, bytes + done, got.n * sizeof *bytes);
		done += got.n;
	}
	assert_int_equal(done, N);
	assert_int_equal(tide_trace_close(t), 0);
}

static void pushed_arrays_are_a_run(void **state)
{
	struct tide_sim_options o = options("lru");
	struct tide_counts a = {0}, b = {.size = sizeof b};
	struct tide_facts facts = {0};
	struct tide_sim *sim;
	(void)state;
	o.accesses = &all;
	run(&o, &a, &facts);
	o.accesses = NULL;
	assert_int_equal(tide_sim_open(&sim, &o, NULL), 0);
	assert_int_equal(tide_sim_push(sim, &all, NULL), 0);
	assert_int_equal(tide_sim_counts(sim, &b, NULL), 0);
	assert_memory_equal(&a, &b, sizeof a);
	assert_int_equal(tide_sim_close(sim), 0);
	assert_int_equal(tide_sim_push(sim, &all, NULL), -EINVAL);
}

/* A stack, and a policy that takes a run per size. */
static void arrays_have_curves(void **state)
{
	static const char *const policies[] = {"lru", "fifo"};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct tide_mrc_options o = {
			.size = sizeof o, .accesses = &all, .policy = policies[i], .sizes = "100p"};
		struct tide_sim_options s = options(policies[i]);
		struct tide_counts counts = {0};
		struct tide_facts facts = {0};
		struct tide_mrc *m;
		s.accesses = &all;
		run(&s, &counts, &facts);
		assert_int_equal(tide_mrc_run(&m, &o, NULL, NULL, NULL), 0);
		assert_int_equal(m->at[0].misses, counts.faults);
		free(m);
	}
}

static void wrong_arrays_are_refused(void **state)
{
	struct tide_accesses none = {.size = sizeof none}, no_pages = {.size = sizeof none, .n = 1};
	struct tide_sim_options o = options("lru");
	struct tide_error err;
	struct tide_sim *sim;
	(void)state;
	o.accesses = &none;
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EBADMSG);
	o.accesses = &no_pages;
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "set `page`"));
	o.accesses = &all;
	o.workload = "zipf";
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "several inputs"));
}

/* ---- stopping ---- */

static int stop;

static void stop_now(void *arg, uint64_t done, uint64_t total)
{
	(void)arg, (void)done, (void)total;
	stop = 1;
}

static void a_run_is_stopped(void **state)
{
	static const char *const models[] = {NULL, "h200"};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct tide_sim_options o = options("lru");
		struct tide_error err;
		struct tide_sim *sim;
		o.workload = "zipf:pages=1000,accesses=5000000";
		o.model = models[i];
		o.stop = &stop;
		stop = 0;
		assert_int_equal(tide_sim_open(&sim, &o, &err), 0);
		assert_int_equal(tide_sim_run(sim, stop_now, NULL, &err), -ECANCELED);
		assert_int_equal(tide_sim_close(sim), 0);
	}
}

static void a_curve_is_stopped(void **state)
{
	static const char *const policies[] = {"lru", "fifo"};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct tide_mrc_options o = {.size = sizeof o,
					     .workload = "zipf:pages=1000,accesses=5000000",
					     .policy = policies[i],
					     .stop = &stop};
		struct tide_mrc *m;
		stop = 0;
		assert_int_equal(tide_mrc_run(&m, &o, stop_now, NULL, NULL), -ECANCELED);
	}
}

/* ---- a policy of the program ---- */

struct oldest {
	const struct tide_view *view;
	uint32_t at;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct oldest *)self)->view = view;
	return 0;
}

/* Any resident chunk, from one end to the other. */
static tide_chunk pick_victim(void *self)
{
	struct oldest *o = self;
	for (;; o->at++) {
		tide_chunk c = {o->at % o->view->near->chunks};
		if (tide_resident(o->view, c) && tide_valid(o->view, c))
			return c;
	}
}

static void a_policy_of_the_program_runs(void **state)
{
	struct tide_policy mine = {.api = TIDE_POLICY_API,
				   .size = sizeof mine,
				   .name = "mine",
				   .role = TIDE_EVICT,
				   .summary = "goes round",
				   .state_bytes = sizeof(struct oldest),
				   .create = create,
				   .pick_victim = pick_victim};
	const struct tide_policy *own[] = {&mine, NULL};
	struct tide_sim_options o = options("mine");
	struct tide_counts counts = {0};
	struct tide_facts facts = {0};
	struct tide_error err;
	struct tide_sim *sim;
	(void)state;
	o.accesses = &all;
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	o.own = own;
	run(&o, &counts, &facts);
	assert_int_equal(counts.accesses, N);
	assert_true(counts.evicted_chunks > 0);
	mine.pick_victim = NULL;
	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	assert_non_null(strstr(err.text, "set pick_victim"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_a_trace),
		cmocka_unit_test(batches_are_read),
		cmocka_unit_test(pushed_arrays_are_a_run),
		cmocka_unit_test(arrays_have_curves),
		cmocka_unit_test(wrong_arrays_are_refused),
		cmocka_unit_test(a_run_is_stopped),
		cmocka_unit_test(a_curve_is_stopped),
		cmocka_unit_test(a_policy_of_the_program_runs),
	};
	return cmocka_run_group_tests(tests, make_arrays, remove_files);
}
