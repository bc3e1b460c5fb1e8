/* Policies that have many sizes in one pass: every size against a run of its own, with what misses
 * and what hits in the prefixes of groups. */
#include "mrc_help.h"

#include <stdio.h>
#include <unistd.h>

#include "mrc/lanes.h"
#include "tide/tide.h"

#define REAL TIDE_SOURCE_DIR "/../shared/traces/"

static const char *const policies[] = {
	"arc",
	"lfu",
	"s3fifo",
	"s3fifo:small=0",
	"s3fifo:small=60,promote=1",
	"s3fifo:small=100",
	"s3fifo:cap=1,promote=1",
	"s3fifo:cap=1", /* nothing ever goes to main by its uses */
	"s3fifo:cap=5,promote=3",
	"s3fifo:cap=16,promote=9",
	"s3fifo:cap=255,promote=255",
};
#define POLICIES (sizeof policies / sizeof *policies)

/* What both have in common. */
struct input {
	const struct tide_accesses *accesses; /* NULL: the trace */
	const char *trace;
};

static void assert_run(const struct input *in, const char *policy, const struct tide_mrc *m,
		       size_t i)
{
	char near[32];
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	snprintf(near, sizeof near, "%lup", (unsigned long)m->at[i].size_pages);
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = in->trace,
					   .accesses = in->accesses,
					   .near_size = near,
					   .chunk = "1p",
					   .prefetch = "none",
					   .evict = policy};
	assert_int_equal(tide_sim_open(&sim, &options, NULL), 0);
	assert_int_equal(tide_sim_run(sim, NULL, NULL, NULL), 0);
	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	if (m->at[i].misses != counts.faults)
		fail_msg("%s, %s: %lu misses, and %lu by a run", policy, near,
			 (unsigned long)m->at[i].misses, (unsigned long)counts.faults);
	if (m->prefix_hits && m->prefix_hits[i] != counts.prefix_hits)
		fail_msg("%s, %s: %lu prefix hits, and %lu by a run", policy, near,
			 (unsigned long)m->prefix_hits[i], (unsigned long)counts.prefix_hits);
}

static struct tide_mrc *make(const struct input *in, const char *policy, const char *sizes,
			     unsigned threads)
{
	struct tide_error err = {0};
	struct tide_mrc *m = NULL;
	struct tide_mrc_options options = {.size = sizeof options,
					   .trace = in->trace,
					   .accesses = in->accesses,
					   .policy = policy,
					   .sizes = sizes,
					   .threads = threads};
	if (tide_mrc_run(&m, &options, NULL, NULL, &err))
		fail_msg("%s: %s", policy, err.text);
	assert_string_equal(m->method, "one pass");
	return m;
}

static void assert_runs(const struct input *in, const char *policy, const char *sizes,
			unsigned threads)
{
	struct tide_mrc *m = make(in, policy, sizes, threads);
	for (size_t i = 0; i < m->n; i++)
		assert_run(in, policy, m, i);
	free(m);
}

/* ---- random traces ---- */

static void fill(struct trace *t, uint64_t *page, uint8_t *first, uint64_t seed)
{
	for (uint32_t i = 0; i < t->n; i++) {
		page[i] = t->page[i] * UINT64_C(0x10001);
		first[i] = i > 3 && tide_random_next(&seed) % 5 == 0;
	}
}

/* Sizes of 1 page to more than there are: 1p,2p and so on. */
static char *all_sizes(uint32_t pages)
{
	static char text[64 * 16];
	uint32_t step = pages / 60 + 1;
	char *at = text + sprintf(text, "1p");
	for (uint32_t i = 2; i < pages + 2 * step; i += step)
		at += sprintf(at, ",%up", i);
	return text;
}

static void on_random(uint32_t n, uint32_t pages, uint64_t seed, unsigned threads)
{
	struct trace *t = malloc(sizeof *t);
	uint64_t *page = calloc(n, sizeof *page);
	uint8_t *first = calloc(n, 1);
	struct tide_accesses a = {.size = sizeof a, .n = n, .page = page, .first = first};
	struct input in = {.accesses = &a};
	make_trace(t, seed, n, pages);
	fill(t, page, first, seed);
	for (size_t i = 0; i < POLICIES; i++)
		assert_runs(&in, policies[i], all_sizes(pages), threads);
	free(t);
	free(page);
	free(first);
}

static void test_few_pages(void **state)
{
	(void)state;
	on_random(1, 1, 1, 1);
	for (uint32_t pages = 1; pages <= 9; pages++)
		on_random(400 + pages, pages, pages, 1);
}

static void test_every_size(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++)
		on_random(5000, 55, seed, 1);
	on_random(8192, 59, 77, 3);
}

static void test_many_pages(void **state)
{
	(void)state;
	on_random(8192, 300, 5, 1);
	on_random(8192, 2500, 6, 2);
	on_random(4097, 4000, 8, 1);
}

/* Pages of one half come back at once, and those of the other when they are ghosts. */
static void test_ghosts(void **state)
{
	enum { N = 200000 };
	uint64_t *page = calloc(N, sizeof *page), seed = 9;
	struct tide_accesses a = {.size = sizeof a, .n = N, .page = page};
	struct input in = {.accesses = &a};
	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		uint64_t x = tide_random_next(&seed);
		page[i] = i % 3 ? i / 3 % 170 : x % 3 ? 1000 + x / 3 % 120 : 5000 + x / 3 % 3000;
	}
	for (size_t i = 0; i < POLICIES; i++)
		assert_runs(&in, policies[i], "1p,7p,20p,50p,100p,130p,160p,171p,200p,250p,290p",
			    2);
	free(page);
}

/* Ghosts that nearly all come back leave stale entries, which new pages then need the room of. */
static void test_stale(void **state)
{
	enum { PAGES = 22000, N = 150000 };
	uint64_t *page = calloc(N, sizeof *page);
	struct tide_accesses a = {.size = sizeof a, .n = N, .page = page};
	struct input in = {.accesses = &a};
	(void)state;
	for (uint32_t i = 0; i < N; i++)
		page[i] = i < 2 * PAGES ? i % PAGES : i < 120000 ? i : i % 4 ? i - 23000 : i;
	assert_runs(&in, "s3fifo", "500p,20000p,21000p", 1);
	free(page);
}

/* More sizes than a pass has lanes, whatever the threads. */
static void test_many_sizes(void **state)
{
	enum { N = 20000 };
	uint64_t *page = calloc(N, sizeof *page), seed = 4;
	struct tide_accesses a = {.size = sizeof a, .n = N, .page = page};
	struct input in = {.accesses = &a};
	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		uint64_t x = tide_random_next(&seed);
		page[i] = x % 8 ? x / 8 % 50 : x / 8 % 700;
	}
	for (size_t i = 0; i < 3; i++) {
		struct tide_mrc *one = make(&in, policies[i], "200", 1);
		struct tide_mrc *many = make(&in, policies[i], "200", 7);
		assert_int_equal(one->n, 200);
		assert_memory_equal(one->at, many->at, one->n * sizeof one->at[0]);
		for (size_t k = 0; k < one->n; k += 9)
			assert_run(&in, policies[i], one, k);
		free(one);
		free(many);
	}
	free(page);
}

/* ---- real traces ---- */

static void on_real(const char *trace, const char *sizes)
{
	struct input in = {.trace = trace};
	if (access(trace, R_OK))
		skip();
	for (size_t i = 0; i < POLICIES; i++)
		assert_runs(&in, policies[i], sizes, 1);
}

static void test_blocks(void **state)
{
	(void)state;
	on_real(REAL "cloudPhysicsIO.oracleGeneral.bin", "1p,2p,3p,100p,1%,10%,50%,90%,100%,110%");
}

static void test_requests(void **state)
{
	(void)state;
	on_real(REAL "mooncake-synthetic.jsonl", "1p,50p,1%,10%,50%,100%");
}

/* ---- life ---- */

static void test_names(void **state)
{
	(void)state;
	assert_ptr_equal(td_mrc_lanes_method("arc"), &td_mrc_arc);
	assert_ptr_equal(td_mrc_lanes_method("s3fifo"), &td_mrc_s3fifo);
	assert_null(td_mrc_lanes_method("lru"));
	assert_null(td_mrc_lanes_method("s3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_pages),  cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_many_pages), cmocka_unit_test(test_ghosts),
		cmocka_unit_test(test_stale),      cmocka_unit_test(test_many_sizes),
		cmocka_unit_test(test_blocks),     cmocka_unit_test(test_requests),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
