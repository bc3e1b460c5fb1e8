/* tide pool bench: a working set that is some multiple of the buffers, accessed at random. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/clock.h"
#include "core/jobs.h"
#include "lib/sizes.h"
#include "tide/event.h"

#define BLOCK_OF_FILE 4096
#define ACCESSES_PER_PAGE 16
#define PAGES_MAX (UINT64_C(1) << 32)
#define DEPTH_MAX 65536

/* ---- what is asked for ---- */

/* 0 if it is not given. */
static int parse_percent(const char *option, const char *text, double *out, struct tide_error *err)
{
	char digits[16] = "0";
	size_t n = text ? strlen(text) : 0;

	if (n && n < sizeof digits) {
		memcpy(digits, text, n + 1);
		digits[text[n - 1] == '%' ? n - 1 : n] = '\0';
	}
	if (n < sizeof digits && td_core_real(digits, out) == 0 && *out >= 0 && *out <= 100)
		return 0;
	return tide_fail(err, -EINVAL, "--%s %s: give a share from 0%% to 100%%", option,
			 td_cli_shown(text).text);
}

static uint64_t pages_of(const char *text, uint64_t page_bytes)
{
	struct td_lib_near size = {0};

	td_lib_host_parse(text, page_bytes, &size, NULL); /* judged before */
	return size.pages;
}

static int parse_sizes(struct td_pool_bench *b, const struct td_pool_use_options *args,
		       struct tide_error *err)
{
	uint64_t buffers;
	int rc = td_lib_page_bytes(args->pool.page, &b->page_bytes, err);

	b->block_bytes = BLOCK_OF_FILE;
	if (!rc && args->pool.block)
		td_core_size(args->pool.block, strlen(args->pool.block), &b->block_bytes);
	if (rc)
		return rc;
	buffers = pages_of(b->options.main_size, b->page_bytes) +
		  pages_of(b->options.device_size, b->page_bytes);
	double pages = ceil((double)buffers * b->set);
	if (pages >= (double)PAGES_MAX)
		return tide_fail(err, -EINVAL,
				 "a working set of that size is too large: give less");
	b->pages = pages < 1 ? 1 : (uint64_t)pages;
	b->accesses = args->count ? args->count : b->pages * ACCESSES_PER_PAGE;
	b->warm = args->warm;
	b->threads = args->threads ? args->threads : 1;
	b->depth = args->depth ? args->depth : 1;
	if (b->threads > TD_JOBS_THREADS_MAX)
		return tide_fail(err, -EINVAL, "--threads %" PRIu64 ": give at most %d", b->threads,
				 TD_JOBS_THREADS_MAX);
	if (b->depth > DEPTH_MAX)
		return tide_fail(err, -EINVAL, "--depth %" PRIu64 ": give at most %d", b->depth,
				 DEPTH_MAX);
	return 0;
}

static int parse(struct td_pool_bench *b, const struct td_pool_use_options *args,
		 struct tide_error *err)
{
	int rc = td_pool_use_options(&args->pool, &b->options, "2M", "2M", err);

	b->options.seed = args->seed;
	if (!rc)
		rc = td_pool_use_real("working-set", args->working_set, 5, &b->set, err);
	if (!rc)
		rc = td_pool_use_real("duplicates", args->duplicates, 1, &b->copies, err);
	if (!rc && b->copies < 1)
		rc = tide_fail(err, -EINVAL, "--duplicates %s: give 1 or more", args->duplicates);
	if (!rc)
		rc = parse_sizes(b, args, err);
	if (!rc)
		rc = td_pool_bench_pattern(b, args->pattern,
					   pages_of(b->options.main_size, b->page_bytes), err);
	if (!rc)
		rc = parse_percent("updates", args->updates, &b->updates, err);
	if (!rc)
		rc = parse_percent("compressible", args->compressible, &b->zeros, err);
	if (!rc)
		rc = td_lib_seed(args->seed, &b->seed, err);
	return rc;
}

/* ---- accesses ---- */

struct share {
	struct td_pool_bench *b;
	uint64_t accesses, seed;
};

static void fail(struct td_pool_bench *b, const struct tide_error *err)
{
	if (!atomic_exchange(&b->has_failed, true))
		b->failed = *err;
}

static int access_page(struct td_pool_bench *b, uint64_t page, bool write, uint64_t value,
		       struct tide_error *err)
{
	struct tide_pool_pin pin = {.size = sizeof pin};
	int rc = tide_pool_get(b->pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, &pin, err);

	if (rc)
		return rc;
	if (write)
		memcpy(pin.addr, &value, sizeof value);
	tide_pool_put(b->pool, &pin, NULL);
	return 0;
}

/* ---- several gets under way at once ---- */

struct flight {
	struct td_pool_bench *b;
	uint64_t value;
	sem_t done;
};

static void land(void *arg, struct tide_pool_pin *pin, int result)
{
	struct flight *f = arg;
	struct tide_error err;

	if (result) {
		tide_fail(&err, result, "a get failed: %s: look at the storage", strerror(-result));
		fail(f->b, &err);
	} else {
		if (pin->access == TIDE_POOL_WRITE)
			memcpy(pin->addr, &f->value, sizeof f->value);
		tide_pool_put(f->b->pool, pin, NULL);
	}
	sem_post(&f->done);
}

static void take_off(struct flight *f, uint64_t page, bool write)
{
	struct tide_error err;

	if (!tide_pool_get_async(f->b->pool, page, write ? TIDE_POOL_WRITE : TIDE_POOL_READ, land,
				 f, &err))
		return;
	fail(f->b, &err);
	sem_post(&f->done);
}

static void wait_for(struct flight *f, uint64_t n)
{
	while (n--)
		while (sem_wait(&f->done))
			;
}

static void run_flights(struct td_pool_bench *b, uint64_t n, struct td_pool_draw *d)
{
	struct flight f = {.b = b, .value = tide_random_next(&d->random)};
	uint64_t writes = (uint64_t)(b->updates / 100 * 0x1p53), under_way = 0;

	sem_init(&f.done, 0, 0);
	for (uint64_t i = 0; i < n && !b->has_failed; i++) {
		if (i % TD_POOL_DRAWN == 0)
			td_pool_bench_draw(b, d);
		take_off(&f, d->pages[i % TD_POOL_DRAWN],
			 tide_random_next(&d->random) >> 11 < writes);
		if (++under_way == b->depth) {
			wait_for(&f, under_way);
			under_way = 0;
		}
	}
	wait_for(&f, under_way);
	sem_destroy(&f.done);
}

static void run_share(void *arg, size_t thread)
{
	const struct share *s = arg;
	struct td_pool_bench *b = s->b;
	struct td_pool_draw d;
	uint64_t n = s->accesses / b->threads + (thread < s->accesses % b->threads);
	uint64_t writes = (uint64_t)(b->updates / 100 * 0x1p53);
	struct tide_error err = {0};

	td_pool_bench_begin(b, &d, s->seed, thread);
	if (b->depth > 1) {
		run_flights(b, n, &d);
		return;
	}
	for (uint64_t i = 0; i < n && !b->has_failed; i++) {
		uint64_t value = 0;
		if (i % TD_POOL_DRAWN == 0)
			td_pool_bench_draw(b, &d);
		bool write = writes && (value = tide_random_next(&d.random)) >> 11 < writes;
		if (access_page(b, d.pages[i % TD_POOL_DRAWN], write, value, &err))
			fail(b, &err);
	}
}

static int run_accesses(struct td_pool_bench *b, struct tide_error *err)
{
	struct share warm = {b, b->warm, b->seed + 1000}, all = {b, b->accesses, b->seed};
	double start;

	td_jobs_run(b->threads, b->threads, run_share, &warm);
	b->before.size = sizeof b->before;
	tide_pool_stats(b->pool, &b->before, NULL);
	start = td_clock_seconds();
	td_jobs_run(b->threads, b->threads, run_share, &all);
	b->seconds = td_clock_seconds() - start;
	b->after.size = sizeof b->after;
	tide_pool_stats(b->pool, &b->after, NULL);
	return b->has_failed ? tide_fail(err, b->failed.code, "%s", b->failed.text) : 0;
}

static int run(struct td_pool_bench *b, const struct td_pool_use_options *args,
	       struct tide_error *err)
{
	int rc = tide_pool_open(&b->pool, &b->options, err), closed;

	if (rc)
		return rc;
	rc = run_accesses(b, err);
	if (!rc)
		rc = td_pool_bench_show(b, args, err);
	closed = tide_pool_close(b->pool, rc ? NULL : err);
	return rc ? rc : closed;
}

int td_pool_bench_run(const void *options, struct tide_error *err)
{
	const struct td_pool_use_options *args = options;
	struct td_pool_file file;
	struct td_pool_bench *b = calloc(1, sizeof *b);
	int rc = b ? parse(b, args, err) : tide_fail(err, -ENOMEM, "no memory: free some");

	if (!rc)
		rc = td_pool_file_nameless(&file, args->folder, err);
	if (rc) {
		free(b);
		return rc;
	}
	const struct td_pool_content content = {b->block_bytes, b->copies, b->zeros, b->seed};
	rc = td_pool_file_fill(&file, b->pages * b->page_bytes / b->block_bytes, &content, err);
	b->options.path = file.path;
	if (!rc)
		rc = run(b, args, err);
	if (rc)
		td_pool_file_explain(&file, err);
	td_pool_file_end(&file);
	free(b);
	return rc;
}
