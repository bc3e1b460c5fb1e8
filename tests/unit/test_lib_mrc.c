/* Curves through the library: every point is what a run of that size gives; and what is refused. */
#include "mrc_help.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/lib.h"
#include "tide/tide.h"

#define PAGES 40
#define ONE_READING "all sizes over one reading"

struct files {
	char trace[64], other[64];
};

static void write_trace(char *path, size_t size, const struct trace *t)
{
	snprintf(path, size, "/tmp/tide-test-mrc-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *to = fdopen(fd, "w");
	for (uint32_t i = 0; i < t->n; i++)
		fprintf(to, "%u r %u\n", t->page[i], t->ref[i]);
	assert_int_equal(fclose(to), 0);
}

static int make_files(void **state)
{
	static struct files files;
	struct trace t;
	make_trace(&t, 1, 3000, PAGES);
	write_trace(files.trace, sizeof files.trace, &t);
	make_trace(&t, 2, 2000, PAGES);
	write_trace(files.other, sizeof files.other, &t);
	*state = &files;
	return 0;
}

static int remove_files(void **state)
{
	struct files *files = *state;
	return unlink(files->trace) | unlink(files->other);
}

static struct tide_mrc *make(const struct tide_mrc_options *options)
{
	struct tide_error err = {0};
	struct tide_mrc *m = NULL;
	if (tide_mrc_run(&m, options, NULL, NULL, &err))
		fail_msg("%s", err.text);
	return m;
}

static uint64_t faults_with(const char *trace, const char *policy, const char *seed, uint64_t pages)
{
	char near[32];
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	snprintf(near, sizeof near, "%lup", (unsigned long)pages);
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = trace,
					   .format = "txt",
					   .near_size = near,
					   .chunk = "1p",
					   .prefetch = "none",
					   .seed = seed,
					   .evict = policy};
	assert_int_equal(tide_sim_open(&sim, &options, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	return counts.faults;
}

static uint64_t faults_of(const char *trace, const char *policy, uint64_t pages)
{
	return faults_with(trace, policy, NULL, pages);
}

/* ---- points are runs ---- */

static void assert_runs(const struct files *files, const char *policy, const char *method)
{
	struct tide_mrc *m =
		make(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						.trace = files->trace,
						.format = "txt",
						.policy = policy,
						.threads = 2});
	assert_string_equal(m->method, method);
	assert_string_equal(m->format, "txt");
	assert_int_equal(m->accesses, 3000);
	assert_int_equal(m->sampled_accesses, 3000);
	assert_int_equal(m->footprint_pages, PAGES);
	assert_int_equal(m->n, PAGES); /* fifty points, and only forty sizes */
	assert_true(m->error == 0);
	for (size_t i = 0; i < m->n; i++) {
		assert_int_equal(m->at[i].size_pages, i + 1);
		assert_true(m->at[i].pages == (double)(i + 1));
		assert_int_equal(m->at[i].misses, faults_of(files->trace, policy, i + 1));
		assert_true(m->at[i].miss_ratio == (double)m->at[i].misses / 3000);
	}
	free(m);
}

static void test_points_are_runs(void **state)
{
	const struct files *files = *state;
	char leu[128];
	assert_runs(files, "lru", "one pass");
	assert_runs(files, "opt", "one pass");
	assert_runs(files, "arc", "one pass");
	assert_runs(files, "s3fifo:small=20", "one pass");
	assert_runs(files, "2q", ONE_READING);
	assert_runs(files, "clock:new=0", ONE_READING);
	assert_runs(files, "leu", ONE_READING);
	snprintf(leu, sizeof leu, "leu:train=%s", files->trace);
	assert_runs(files, leu, "one pass");
	snprintf(leu, sizeof leu, "leu:train=%s", files->other);
	assert_runs(files, leu, "one pass");
	snprintf(leu, sizeof leu, "leu:train=%s,by=page", files->other);
	assert_runs(files, leu, "one pass");
	snprintf(leu, sizeof leu, "leu:train=%s,refs=2,sample=0.5,decay=700", files->other);
	assert_runs(files, leu, "one pass");
}

/* Sizes that the runs share nothing but the reading for: as if each had the input for itself. */
static void assert_like_runs(const char *trace, const char *policy, const char *seed)
{
	struct tide_mrc *m =
		make(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						.trace = trace,
						.format = "txt",
						.policy = policy,
						.seed = seed,
						.sizes = "1p,3p,10%,50%,90%,100%",
						.threads = 2});
	if (strcmp(m->method, "one pass") != 0)
		assert_string_equal(m->method, ONE_READING);
	for (size_t i = 0; i < m->n; i++) {
		uint64_t faults = faults_with(trace, policy, seed, m->at[i].size_pages);
		if (m->at[i].misses != faults)
			fail_msg("%s, %lu pages: %lu and %lu", policy, m->at[i].size_pages,
				 m->at[i].misses, faults);
	}
	free(m);
}

static void test_every_policy(void **state)
{
	struct trace *t = malloc(sizeof *t);
	char path[64];
	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		make_trace(t, 7 + k, k ? 8192 : 5000, k == 2 ? 3000 : 200);
		for (uint32_t i = 0; i < t->n; i++)
			t->page[i] = k ? t->page[i] * 1000003u : t->page[i]; /* sparse numbers */
		write_trace(path, sizeof path, t);
		for (size_t i = 0; td_policy_table[i]; i++) {
			if (td_policy_table[i]->role != TIDE_EVICT)
				continue;
			assert_like_runs(path, td_policy_table[i]->name, "1");
			assert_like_runs(path, td_policy_table[i]->name, "12345");
		}
		assert_like_runs(path, "tournament:of=lru+opt", "1");
		unlink(path);
	}
	free(t);
}

/* ---- groups ---- */

static uint64_t prefix_hits_of(const struct tide_accesses *a, const char *policy, uint64_t pages)
{
	char near[32];
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	snprintf(near, sizeof near, "%lup", (unsigned long)pages);
	struct tide_sim_options options = {.size = sizeof options,
					   .accesses = a,
					   .near_size = near,
					   .chunk = "1p",
					   .prefetch = "none",
					   .evict = policy};
	assert_int_equal(tide_sim_open(&sim, &options, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	return counts.prefix_hits;
}

static void test_prefix_hits(void **state)
{
	static const char *const policies[] = {"lru", "opt",  "arc",        "fifo",
					       "2q",  "gdsf", "prefix-lru", "random"};
	enum { N = 3000 };
	uint64_t page[N];
	uint8_t first[N];
	struct tide_accesses a = {.size = sizeof a, .n = N, .page = page, .first = first};
	struct trace t;
	(void)state;
	make_trace(&t, 5, N, PAGES);
	for (uint32_t i = 0; i < N; i++) {
		page[i] = t.page[i];
		first[i] = i % 9 == 4 || i % 7 == 4;
	}
	for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
		struct tide_mrc *m =
			make(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
							.accesses = &a,
							.policy = policies[k],
							.sizes = "40"});
		assert_non_null(m->prefix_hits);
		for (size_t i = 0; i < m->n; i++)
			assert_int_equal(m->prefix_hits[i],
					 prefix_hits_of(&a, policies[k], m->at[i].size_pages));
		free(m);
	}
}

/* Above some pages a stack of leu is slower than runs; the curve is the same. */
static void test_leu_of_many_pages(void **state)
{
	struct trace *t = malloc(sizeof *t);
	char path[64], leu[128];
	(void)state;
	make_trace(t, 3, 5000, 2000);
	write_trace(path, sizeof path, t);
	snprintf(leu, sizeof leu, "leu:train=%s", path);
	struct tide_mrc *m =
		make(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						.trace = path,
						.format = "txt",
						.policy = leu,
						.sizes = "300p,5p,5p,90%"});
	assert_string_equal(m->method, ONE_READING);
	assert_int_equal(m->n, 3);
	for (size_t i = 0; i < m->n; i++)
		assert_int_equal(m->at[i].misses, faults_of(path, leu, m->at[i].size_pages));
	free(m);
	free(t);
	unlink(path);
}

/* ---- the stack property ---- */

static struct tide_sim *open_pushed(const char *policy, unsigned pages)
{
	char near[32];
	struct tide_sim *sim;
	snprintf(near, sizeof near, "%up", pages);
	struct tide_sim_options options = {.size = sizeof options,
					   .near_size = near,
					   .chunk = "1p",
					   .prefetch = "none",
					   .evict = policy};
	assert_int_equal(tide_sim_open(&sim, &options, NULL), 0);
	return sim;
}

static bool has(struct tide_sim *sim, uint64_t page)
{
	uint32_t index;
	assert_int_equal(td_engine_index(sim->engine, page, &index), 0);
	return *td_engine_record(sim->engine, index) & 1;
}

static void test_leu_is_a_stack(void **state)
{
	const struct files *files = *state;
	struct tide_sim *sims[PAGES + 1];
	struct trace t;
	char leu[128];
	snprintf(leu, sizeof leu, "leu:train=%s", files->other);
	make_trace(&t, 1, 600, PAGES);
	for (unsigned size = 1; size <= PAGES; size++)
		sims[size] = open_pushed(leu, size);
	for (uint32_t i = 0; i < t.n; i++) {
		struct tide_event event = {
			.size = sizeof event, .page = t.page[i], .ref = t.ref[i]};
		for (unsigned size = 1; size <= PAGES; size++)
			assert_int_equal(tide_sim_access(sims[size], &event, NULL), 0);
		for (unsigned size = 1; size < PAGES; size++)
			for (uint64_t p = 0; p < PAGES; p++)
				assert_true(!has(sims[size], p) || has(sims[size + 1], p));
	}
	for (unsigned size = 1; size <= PAGES; size++)
		tide_sim_close(sims[size]);
}

/* ---- sizes and samples ---- */

static void test_sizes(void **state)
{
	struct tide_mrc_options o = {.size = sizeof o,
				     .workload = "cyclic:pages=1000,accesses=5000"};
	struct tide_mrc *m;
	(void)state;
	m = make(&o);
	assert_int_equal(m->n, 50);
	assert_string_equal(m->format, "workload");
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(m->at[i].size_pages, 20 * (i + 1));
	free(m);
	o.sizes = "10%,8K,3p,0.31%,2000p";
	o.page = "4K";
	m = make(&o);
	static const uint64_t expected[] = {2, 3, 4, 100, 2000};
	assert_int_equal(m->n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(m->at[i].size_pages, expected[i]);
	assert_int_equal(m->at[3].misses, 5000);
	assert_int_equal(m->at[4].misses, 1000);
	free(m);
}

/* A cyclic scan is alike in every sample: what is estimated is known. */
static void test_sampled(void **state)
{
	static const char *const policies[] = {"lru",  "opt", "vmin", "osl",
					       "fifo", "mru", "lfu",  "arc"};
	(void)state;
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		struct tide_mrc_options o = {.size = sizeof o,
					     .workload = "cyclic:pages=20000,accesses=200000",
					     .policy = policies[i],
					     .sizes = "50%,120%"};
		struct tide_mrc *exact = make(&o);
		o.sample = "0.1";
		struct tide_mrc *m = make(&o);
		assert_int_equal(m->accesses, 200000);
		assert_in_range(m->sampled_accesses, 18000, 22000);
		assert_in_range(m->footprint_pages, 18000, 22000);
		assert_true(m->error >= 0 && m->error < 0.1);
		for (size_t k = 0; k < 2; k++) {
			double off = m->at[k].miss_ratio - exact->at[k].miss_ratio;
			assert_true(off < 0.05 && off > -0.05);
			assert_true(m->at[k].pages <= (double)m->at[k].size_pages + 1e-6);
		}
		free(m);
		free(exact);
	}
}

static void test_errors_of_points(void **state)
{
	static const char *const policies[] = {"lru", "sieve"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct tide_mrc_options o = {.size = sizeof o,
					     .workload = "zipf:pages=30000,accesses=200000",
					     .policy = policies[i],
					     .sizes = "10"};
		struct tide_mrc *exact = make(&o);
		o.sample = "20%";
		struct tide_mrc *m = make(&o);
		double sum = 0, off = 0;
		assert_int_equal(exact->samples, 0);
		assert_null(exact->errors);
		assert_int_equal(m->samples, i ? 8 : 2);
		assert_true(fabs(m->sample_share * m->samples - 0.2) < 1e-9);
		for (size_t k = 0; k < m->n; k++) {
			sum += m->errors[k] / (double)m->n;
			off += fabs(m->at[k].miss_ratio - exact->at[k].miss_ratio) / (double)m->n;
		}
		assert_true(fabs(sum - m->error) < 1e-9);
		assert_true(m->error > 0.0001 && m->error < 0.02 && off < 4 * m->error);
		free(m);
		free(exact);
	}
}

/* As many sizes as make a sample the default, though all are the same. */
static void test_auto(void **state)
{
	enum { MANY = 9000 };
	char *sizes = malloc(MANY * 4), *at = sizes;
	(void)state;
	for (int i = 0; i < MANY; i++)
		at = stpcpy(at, i ? ",30%" : "30%");
	struct tide_mrc_options o = {.size = sizeof o,
				     .workload = "zipf:pages=200000,accesses=100000",
				     .policy = "fifo",
				     .sample = "auto",
				     .sizes = sizes};
	struct tide_mrc *m = make(&o);
	assert_int_equal(m->samples, 8);
	assert_true(fabs(m->sample_share - 0.01) < 1e-9);
	assert_int_equal(m->n, 1);
	free(m);
	o.sample = NULL;
	m = make(&o);
	assert_int_equal(m->samples, 0);
	assert_int_equal(m->sampled_accesses, 100000);
	free(m);
	o.sample = "auto";
	o.sizes = "30%";
	m = make(&o);
	assert_int_equal(m->samples, 0);
	free(m);
	o.sizes = sizes;
	o.policy = "tournament:of=lru+opt"; /* samples have no future */
	m = make(&o);
	assert_int_equal(m->samples, 0);
	free(m);
	free(sizes);
}

/* ---- what is refused ---- */

static void assert_refused(const struct tide_mrc_options *options, const char *said)
{
	struct tide_error err = {0};
	struct tide_mrc *m = NULL;
	assert_int_equal(tide_mrc_run(&m, options, NULL, NULL, &err), -EINVAL);
	assert_null(m);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
	assert_int_equal(tide_mrc_run(&m, options, NULL, NULL, NULL), -EINVAL);
}

static void test_refused(void **state)
{
	static const struct {
		const char *policy, *sizes, *sample, *said;
	} bad[] = {
		{NULL, "0", NULL, "'0' is no size of a curve"},
		{NULL, "0p,5p", NULL, "'0p' is no size of a curve"},
		{NULL, "5p,,6p", NULL, "'' is no size of a curve"},
		{NULL, "5p,", NULL, "'' is no size of a curve"},
		{NULL, "many", NULL, "'many' is no size of a curve"},
		{NULL, "10001", NULL, "10001 points: give 1 to 10000"},
		{NULL, NULL, "0", "a sample of '0' is no share"},
		{NULL, NULL, "-0.1", "is no share"},
		{NULL, NULL, "1.5", "is no share"},
		{NULL, NULL, "nan", "is no share"},
		{NULL, NULL, "101%", "is no share"},
		{"tree", NULL, NULL, "is a policy for `prefetch`"},
		{"lrux", NULL, NULL, "no evict policy lrux: did you mean lru?"},
		{"vmin:x=1", NULL, NULL, "vmin has no parameters: leave out :x=1"},
		{"lru:x=1", NULL, NULL, "x"},
		{"leu", NULL, NULL, "refs"},
		{"tournament:of=lru+opt", NULL, "10%", "needs the future, which samples do not"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_refused(
			&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						   .workload = "cyclic:pages=100,accesses=200",
						   .policy = bad[i].policy,
						   .sizes = bad[i].sizes,
						   .sample = bad[i].sample},
			bad[i].said);
	assert_refused(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options)},
		       "no input");
	assert_refused(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						  .trace = "a",
						  .workload = "b"},
		       "both");
	assert_refused(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						  .trace = "-",
						  .policy = "2q"},
		       "standard input can be read only once");
}

static void test_leu_without_refs(void **state)
{
	const struct files *files = *state;
	char leu[128];
	snprintf(leu, sizeof leu, "leu:train=%s", files->trace);
	assert_refused(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						  .workload = "cyclic:pages=100,accesses=200",
						  .policy = leu},
		       "needs accesses with refs");
	snprintf(leu, sizeof leu, "leu:train=%s,by=book", files->trace);
	assert_refused(&(struct tide_mrc_options){.size = sizeof(struct tide_mrc_options),
						  .workload = "cyclic",
						  .policy = leu},
		       "by=book is unknown: give ref or page");
	snprintf(leu, sizeof leu, "leu:train=%s.none", files->trace);
	struct tide_mrc_options o = {.size = sizeof o, .workload = "cyclic", .policy = leu};
	struct tide_mrc *m;
	assert_int_equal(tide_mrc_run(&m, &o, NULL, NULL, NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points_are_runs),  cmocka_unit_test(test_leu_of_many_pages),
		cmocka_unit_test(test_leu_is_a_stack),   cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sampled),          cmocka_unit_test(test_refused),
		cmocka_unit_test(test_every_policy),     cmocka_unit_test(test_prefix_hits),
		cmocka_unit_test(test_errors_of_points), cmocka_unit_test(test_auto),
		cmocka_unit_test(test_leu_without_refs),
	};
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
