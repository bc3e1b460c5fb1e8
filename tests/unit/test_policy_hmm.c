/* The host's page cache as tier 2: the engine against a model that one can check by eye, and what
 * its transfers and those of a GPU that serves itself take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "engine_help.h"
#include "tide/tide.h"

/* ---- the model ---- */

#define PAGES 60

/* near: a ring as clock has it; cache: pages, least recently used first. */
struct model {
	uint32_t near, host, n, hand, cached;
	uint32_t ring[PAGES], cache[PAGES];
	bool used[PAGES], dirty[PAGES]; /* in near memory */
	bool unwritten[PAGES];          /* the cache's copy is newer than storage's */
	struct tide_counts counts;
	uint64_t up, down;
};

static bool uncache(struct model *s, uint32_t p)
{
	for (uint32_t i = 0; i < s->cached; i++) {
		if (s->cache[i] != p)
			continue;
		memmove(s->cache + i, s->cache + i + 1, (--s->cached - i) * sizeof *s->cache);
		return true;
	}
	return false;
}

/* As the most recent one. */
static void cache_page(struct model *s, uint32_t p)
{
	uncache(s, p);
	if (s->cached == s->host) {
		uint32_t out = s->cache[0];
		s->counts.tier3_writes += s->unwritten[out];
		s->unwritten[out] = false;
		uncache(s, out);
	}
	s->cache[s->cached++] = p;
}

static void leave_near(struct model *s, uint32_t p)
{
	s->counts.evicted_chunks++;
	s->counts.evicted_pages++;
	s->counts.writeback_pages += s->dirty[p];
	if (!s->dirty[p])
		return;
	if (!s->host) {
		s->counts.tier3_writes++;
		return;
	}
	s->down++;
	cache_page(s, p);
	s->unwritten[p] = true;
}

static void enter_near(struct model *s, uint32_t p)
{
	if (s->n < s->near) {
		s->ring[s->n++] = p;
		return;
	}
	for (; s->used[s->ring[s->hand]]; s->hand = (s->hand + 1) % s->n)
		s->used[s->ring[s->hand]] = false;
	leave_near(s, s->ring[s->hand]);
	s->ring[s->hand] = p;
	s->hand = (s->hand + 1) % s->n;
}

static bool is_near(const struct model *s, uint32_t p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->ring[i] == p)
			return true;
	}
	return false;
}

static void access_model(struct model *s, uint32_t p, bool write)
{
	s->counts.accesses++;
	if (is_near(s, p)) {
		s->counts.hits++;
		s->dirty[p] |= write;
		s->used[p] = true;
		return;
	}
	bool cached = uncache(s, p);
	s->counts.faults++;
	s->counts.migrated_pages++;
	s->counts.tier2_hits += cached;
	s->counts.tier2_misses += !cached;
	s->counts.tier3_reads += !cached;
	s->up += s->host != 0;
	if (s->host)
		cache_page(s, p);
	s->dirty[p] = write;
	enter_near(s, p);
	s->used[p] = true;
}

/* ---- engine and model side by side ---- */

static struct td_engine *begin(uint64_t near_pages, uint64_t host_pages)
{
	struct td_engine_config config = config_of(1, near_pages);

	config.gives |= TIDE_NEEDS_CLOCK;
	config.host_pages = host_pages;
	config.place = named("hmm", TIDE_PLACE);
	config.evict = named("clock", TIDE_EVICT);
	return start(&config);
}

static void compare(uint32_t near_pages, uint32_t host_pages, uint64_t seed)
{
	struct td_engine *e = begin(near_pages, host_pages);
	struct model s = {.near = near_pages, .host = host_pages, .counts.size = sizeof s.counts};

	for (uint32_t i = 0; i < 3000; i++) {
		uint64_t r = tide_random_next(&seed);
		/* A few hot pages, a scan, any page. */
		uint32_t page = r % 3 == 0   ? (uint32_t)(r >> 32) % 6
				: r % 3 == 1 ? i / 2 % 40
					     : (uint32_t)(r >> 32) % PAGES;
		bool write = (r >> 20) % 4 == 0;
		access_model(&s, page, write);
		write ? write_page(e, page) : read_page(e, page);
		if (memcmp(&e->counts, &s.counts, sizeof s.counts) != 0)
			fail_msg("near %u, host %u: access %u differs", near_pages, host_pages, i);
	}
	assert_int_equal(e->tiers.moved[1][2], s.down);
	assert_int_equal(e->tiers.moved[2][1], s.up);
	assert_int_equal(e->tiers.moved[3][2], host_pages ? s.counts.tier3_reads : 0);
	assert_int_equal(e->near.host_free_pages, host_pages - s.cached);
	assert_true(s.counts.tier3_writes > 0);
	assert_true(!host_pages || s.counts.tier2_hits > 0);
	td_engine_destroy(e);
}

static void counts_are_those_of_the_model(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 60; i++)
		compare(1 + i % 17, i % 23, i);
}

/* What was read stays, though it went up; what is dirty comes back. */
static void a_page_is_in_both(void **state)
{
	struct td_engine *e = begin(1, 2);

	(void)state;
	read_page(e, 0);
	read_page(e, 1);
	read_page(e, 0);
	assert_int_equal(e->counts.tier2_hits, 1);
	assert_int_equal(e->tiers.moved[1][2], 0);
	write_page(e, 0);
	read_page(e, 2); /* 0 goes back dirty; 1 is the oldest and leaves */
	assert_int_equal(e->tiers.moved[1][2], 1);
	assert_int_equal(e->counts.tier3_writes, 0);
	read_page(e, 1);
	assert_int_equal(e->counts.tier3_reads, 4);
	td_engine_destroy(e);
}

/* ---- time ---- */

static void run(struct tide_sim_options o, struct tide_counts *counts, uint64_t *ns)
{
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	o.page = "64K";
	if (tide_sim_open(&sim, &o, &err) || tide_sim_run(sim, NULL, NULL, &err))
		fail_msg("%s: %s", o.model, err.text);
	tide_sim_counts(sim, counts, NULL);
	*ns = tide_sim_time_ns(sim);
	tide_sim_close(sim);
}

#define QUIET "memory_ns=0,memory_gbs=0,walk_ns=0,tlb2_cycles=0,launch_ns=0"

/* One access at a time: what each takes, and a cycle. */
static void assert_takes(const char *place, const char *model, const char *workload, double each)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = workload,
				     .near_size = "1p",
				     .host = "4p",
				     .place = place,
				     .model = model};
	struct tide_counts c = {.size = sizeof c};
	uint64_t ns;

	run(o, &c, &ns);
	assert_int_equal(c.faults, c.accesses);
	double all = each * (double)c.accesses;
	if ((double)ns < all - 1 || (double)ns > all + 3 * (double)c.accesses)
		fail_msg("%s, %s: %f expected, %f ns", place, model, all, (double)ns);
}

static void a_gpu_reads_storage_itself(void **state)
{
	(void)state;
	assert_takes("bam", "gmt:" QUIET, "cyclic:pages=50,accesses=50", 130050);
	/* Bound by bandwidth, where that is less. */
	assert_takes("bam", "gmt:read_gbs=0.1," QUIET, "cyclic:pages=50,accesses=50", 655410);
}

/* Two pages in turn: one comes from host memory when the other has left for it. */
static void a_gpu_copies_from_host_memory(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "cyclic:pages=2,accesses=102",
				     .near_size = "1p",
				     .host = "4p",
				     .place = "tier-order",
				     .model = "gmt:" QUIET};
	struct tide_counts c = {.size = sizeof c};
	uint64_t ns;

	(void)state;
	run(o, &c, &ns);
	assert_int_equal(c.tier2_hits, 100);
	double down = 65536 / 12.0, all = 100 * (50 + down + 50000) + 2 * 130050 + down;
	assert_true((double)ns >= all - 102 && (double)ns < all + 3 * 102);
}

/* Every page is dirty: near memory has room when its victim is written, and storage reads then. */
static void storage_writes_before_it_reads(void **state)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "cyclic:pages=50,accesses=50,writes=1",
				     .near_size = "1p",
				     .host = "4p",
				     .place = "bam",
				     .model = "gmt:" QUIET};
	struct tide_counts c = {.size = sizeof c};
	uint64_t ns;

	(void)state;
	run(o, &c, &ns);
	assert_int_equal(c.tier3_writes, 49);
	double all = 50 * 130050 + 49 * (65536 / 1.7);
	assert_true((double)ns >= all - 50 && (double)ns < all + 3 * 50);
}

/* The host reads a page, then copies it: wake, batch, entry, page, evict where there is one. */
static void a_host_reads_then_copies(void **state)
{
	(void)state;
	assert_takes("hmm",
		     "hmm:fault_ns=0,wake_ns=0,batch_ns=1000,entry_ns=0,block_ns=0,page_ns=0,"
		     "evict_ns=0,leave_ns=0,replay_ns=0,copy_ns=0," QUIET,
		     "cyclic:pages=50,accesses=50", 1000 + 130000 + 65536 / 12.0);
}

static void assert_refused(const char *model, const char *said)
{
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = "cyclic",
				     .near_size = "1p",
				     .host = "4p",
				     .place = "hmm",
				     .model = model};
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	assert_int_equal(tide_sim_open(&sim, &o, &err), -EINVAL);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
}

static void it_needs_a_host_with_a_clock(void **state)
{
	(void)state;
	assert_refused(NULL, "has no clock: give `model`");
	assert_refused("gmt", "the GPU does: give `model` hmm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_model),
		cmocka_unit_test(a_page_is_in_both),
		cmocka_unit_test(a_gpu_reads_storage_itself),
		cmocka_unit_test(a_gpu_copies_from_host_memory),
		cmocka_unit_test(storage_writes_before_it_reads),
		cmocka_unit_test(a_host_reads_then_copies),
		cmocka_unit_test(it_needs_a_host_with_a_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
