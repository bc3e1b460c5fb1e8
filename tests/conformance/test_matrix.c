/* Every eviction policy with every prefetcher on every shape: the same twice, never an invalid
 * answer, nothing from the heap, and counts that add up. */
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

static size_t count_lines(const struct log *log)
{
	size_t lines = 0;

	for (size_t i = 0; i < log->bytes; i++)
		lines += log->text[i] == '\n';
	return lines;
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
	if (count_lines(&logs[0]) != r[0].counts.faults)
		SUITE_FAIL(c, "not one line per fault in the decision log");
}

static void run_shapes(const struct tide_policy *evict, const struct tide_policy *prefetch,
		       uint32_t chunk_pages, struct log logs[2])
{
	for (size_t s = 0; s < SHAPES; s++) {
		for (size_t n = 0; n < NEAR_SIZES; n++) {
			struct combination c = {
				.evict = evict->name,
				.prefetch = prefetch->name,
				.shape = &suite_shapes[s],
				.chunk_pages = chunk_pages,
				.near_pages = suite_near_pages(n, &suite_shapes[s], chunk_pages),
			};
			run_all_ways(&c, logs);
		}
	}
}

static void test_policy(const struct tide_policy *evict)
{
	struct log logs[2];

	open_log(&logs[0]);
	open_log(&logs[1]);
	for (size_t k = 0; k < CHUNK_SIZES; k++) {
		uint32_t chunk_pages = suite_chunk_pages[k];
		FOR_EACH_POLICY(prefetch, TIDE_PREFETCH)
		{
			if (suite_fits(evict, chunk_pages) && suite_fits(prefetch, chunk_pages))
				run_shapes(evict, prefetch, chunk_pages, logs);
		}
	}
	close_log(&logs[0]);
	close_log(&logs[1]);
}

int main(void)
{
	return suite_per_policy(TIDE_EVICT, test_policy);
}
