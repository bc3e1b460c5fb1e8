/* Every eviction policy with every prefetcher on every shape, and every placement policy: the same
 * twice, never an invalid answer, nothing from the heap, and counts that add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

/* A decision log in memory. */
struct log {
	int fd;
	char path[64];
	char *text;
	size_t bytes;
};

static void open_log(struct log *log)
{
	*log = (struct log){.fd = memfd_create("decisions", MFD_CLOEXEC)};
	assert_true(log->fd >= 0);
	snprintf(log->path, sizeof log->path, "/proc/self/fd/%d", log->fd);
}

static void read_log(struct log *log)
{
	off_t end = lseek(log->fd, 0, SEEK_END);

	assert_true(end >= 0);
	log->bytes = (size_t)end;
	log->text = realloc(log->text, log->bytes + 1);
	assert_non_null(log->text);
	assert_int_equal(pread(log->fd, log->text, log->bytes, 0), end);
}

static void close_log(struct log *log)
{
	free(log->text);
	close(log->fd);
}

static size_t count(const struct log *log, const char *what)
{
	size_t n = 0;

	log->text[log->bytes] = '\0';
	for (const char *at = log->text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* Twice with a log and once without, which takes the short way where there is one. */
static void run_all_ways(struct combination *c, struct log logs[2])
{
	struct result r[2], plain;

	for (int i = 0; i < 2; i++) {
		c->log_path = logs[i].path;
		r[i] = suite_run(c);
		suite_check(c, &r[i]);
		read_log(&logs[i]);
	}
	c->log_path = NULL;
	plain = suite_run(c);
	if (r[0].trail != r[1].trail)
		SUITE_FAIL(c, "other counts in a second run");
	if (memcmp(&plain.counts, &r[0].counts, sizeof plain.counts) != 0)
		SUITE_FAIL(c, "other counts without a decision log");
	if (logs[0].bytes != logs[1].bytes ||
	    memcmp(logs[0].text, logs[1].text, logs[0].bytes) != 0)
		SUITE_FAIL(c, "other decisions in a second run");
	if (count(&logs[0], "\"fault\":") != r[0].counts.faults)
		SUITE_FAIL(c, "not one line per fault in the decision log");
	if (count(&logs[0], "\n") != r[0].counts.faults + count(&logs[0], "\"notice\":"))
		SUITE_FAIL(c, "other lines in the decision log");
}

/* A fifth of the shapes and sizes for each pair, another fifth for the next: all of them would take
 * minutes. Under a sanitizer, which is twenty times slower, less. */
#ifdef __SANITIZE_ADDRESS__
#define PARTS 23
#else
#define PARTS 5
#endif

static void run_shapes(const struct tide_policy *evict, const struct tide_policy *prefetch,
		       uint32_t chunk_pages, size_t turn, struct log logs[2])
{
	for (size_t i = turn % PARTS; i < SHAPES * NEAR_SIZES; i += PARTS) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		struct combination c = {
			.evict = evict->name,
			.prefetch = prefetch->name,
			.shape = shape,
			.chunk_pages = chunk_pages,
			.near_pages = suite_near_pages(i / SHAPES, shape, chunk_pages),
		};
		run_all_ways(&c, logs);
	}
}

static void test_policy(const struct tide_policy *evict)
{
	struct log logs[2];
	size_t turn = 0;

	open_log(&logs[0]);
	open_log(&logs[1]);
	for (size_t k = 0; k < CHUNK_SIZES; k++) {
		uint32_t chunk_pages = suite_chunk_pages[k];
		FOR_EACH_POLICY(prefetch, TIDE_PREFETCH)
		{
			if (suite_fits(evict, chunk_pages) && suite_fits(prefetch, chunk_pages))
				run_shapes(evict, prefetch, chunk_pages, turn++, logs);
		}
	}
	close_log(&logs[0]);
	close_log(&logs[1]);
}

/* Where nothing is kept, tier 1 is what it is without tiers. Only a placement that learns keeps. */
static void compare_with_two_tiers(const struct combination *c, const struct tide_policy *place)
{
	struct combination two = *c;
	struct result r[2];

	two.place = NULL;
	two.host_pages = 0;
	r[0] = suite_run(c);
	r[1] = suite_run(&two);
	r[0].counts.tier2_hits = r[0].counts.tier2_misses = 0;
	r[0].counts.tier3_reads = r[0].counts.tier3_writes = 0;
	/* The dirty bit comes back from tier 2. */
	r[0].counts.writeback_pages = r[1].counts.writeback_pages;
	if (!place->on_fault && memcmp(&r[0].counts, &r[1].counts, sizeof r[0].counts))
		SUITE_FAIL(c, "%lu faults, and %lu with two tiers", r[0].counts.faults,
			   r[1].counts.faults);
}

static void test_place(const struct tide_policy *place)
{
	struct log logs[2];

	open_log(&logs[0]);
	open_log(&logs[1]);
	for (size_t i = 0; i < SHAPES * NEAR_SIZES * HOST_SIZES; i++) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		struct combination c = {
			.evict = "clock",
			.prefetch = "none",
			.place = place->name,
			.shape = shape,
			.chunk_pages = 1,
			.near_pages = suite_near_pages(i / SHAPES % NEAR_SIZES, shape, 1),
			.host_pages = suite_host_pages(i / SHAPES / NEAR_SIZES, shape),
		};
		run_all_ways(&c, logs);
		compare_with_two_tiers(&c, place);
	}
	close_log(&logs[0]);
	close_log(&logs[1]);
}

int main(void)
{
	int failed = suite_per_policy(TIDE_EVICT, test_policy);

	return failed + suite_per_policy(TIDE_PLACE, test_place);
}
