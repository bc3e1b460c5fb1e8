/* tide pool check: random reads and writes by several threads, each compared with a shadow in
 * memory; then the file itself, read without the pool. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/jobs.h"
#include "lib/sizes.h"
#include "tide/event.h"
#include "use.h"

#define FILE_BYTES (UINT64_C(16) << 20)
#define CELL 512 /* bytes that belong to one thread */
#define LONGEST (16 * CELL)
#define KINDS 37 /* of contents, so that there are equal blocks */
#define CALLS 40000
#define SHOWN_EVERY 64 /* calls, that a look at the clock costs nothing */

struct check {
	struct tide_pool *pool;
	unsigned char *shadow;
	uint64_t threads, calls, seed, bytes;
	_Atomic uint64_t reads, writes, flushes;
	_Atomic bool has_failed;
	struct tide_error failed;
	struct td_cli_progress progress; /* the first thread's, which is as far as the others */
};

static void fail(struct check *c, const struct tide_error *err)
{
	if (!atomic_exchange(&c->has_failed, true))
		c->failed = *err;
}

static int differ(uint64_t offset, struct tide_error *err)
{
	return tide_fail(err, -EIO, "byte %" PRIu64 " is not what was written last: this is a bug",
			 offset);
}

/* ---- one thread ---- */

static int check_read(struct check *c, uint64_t offset, size_t bytes, struct tide_error *err)
{
	unsigned char got[LONGEST];
	int rc = tide_pool_read(c->pool, got, bytes, offset, err);

	atomic_fetch_add_explicit(&c->reads, 1, memory_order_relaxed);
	for (size_t i = 0; !rc && i < bytes; i++)
		if (got[i] != c->shadow[offset + i])
			rc = differ(offset + i, err);
	return rc;
}

static int check_write(struct check *c, uint64_t offset, size_t bytes, uint64_t luck,
		       struct tide_error *err)
{
	atomic_fetch_add_explicit(&c->writes, 1, memory_order_relaxed);
	if (luck % 16 == 0) {
		memset(c->shadow + offset, 0, bytes);
		return luck % 32 ? tide_pool_zero(c->pool, offset, bytes, err)
				 : tide_pool_trim(c->pool, offset, bytes, err);
	}
	td_pool_scribble(c->shadow + offset, bytes, luck % KINDS);
	return tide_pool_write(c->pool, c->shadow + offset, bytes, offset, err);
}

static int one_call(struct check *c, size_t thread, uint64_t *random, struct tide_error *err)
{
	uint64_t luck = tide_random_next(random), cells = c->bytes / CELL / c->threads;
	uint64_t first = tide_random_next(random) % cells;
	uint64_t offset = (first * c->threads + thread) * CELL;
	size_t at = (size_t)(tide_random_next(random) % CELL) & ~(size_t)7;

	if (luck % 4096 == 0) {
		atomic_fetch_add_explicit(&c->flushes, 1, memory_order_relaxed);
		return tide_pool_flush(c->pool, err);
	}
	if (luck & 8)
		return check_read(c, offset + at, CELL - at, err);
	return check_write(c, offset + at, CELL - at, luck >> 8, err);
}

static void run_thread(void *arg, size_t thread)
{
	struct check *c = arg;
	uint64_t random = tide_hash64(c->seed + thread);
	uint64_t n = c->calls / c->threads + (thread < c->calls % c->threads);
	struct tide_error err = {0};

	for (uint64_t i = 0; i < n && !c->has_failed; i++) {
		if (one_call(c, thread, &random, &err))
			fail(c, &err);
		if (thread == 0 && i % SHOWN_EVERY == 0)
			td_cli_progress_show(&c->progress, i, n);
	}
}

/* ---- the whole ---- */

static int compare_file(const struct check *c, const char *path, struct tide_error *err)
{
	unsigned char got[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return tide_fail(err, -errno, "cannot read %s: %s", path, strerror(errno));
	for (uint64_t offset = 0; !rc && offset < c->bytes; offset += sizeof got) {
		if (pread(fd, got, sizeof got, (off_t)offset) != sizeof got)
			rc = tide_fail(err, -EIO, "cannot read %s", path);
		else if (memcmp(got, c->shadow + offset, sizeof got) != 0)
			rc = differ(offset, err);
	}
	close(fd);
	return rc;
}

static int load_shadow(struct check *c, struct tide_error *err)
{
	c->shadow = malloc(c->bytes);
	if (!c->shadow)
		return tide_fail(err, -ENOMEM, "no memory for the shadow: free some");
	return tide_pool_read(c->pool, c->shadow, c->bytes, 0, err);
}

static int run(struct check *c, const struct tide_pool_options *o, struct tide_error *err)
{
	int rc = tide_pool_open(&c->pool, o, err), closed;

	if (rc)
		return rc;
	rc = load_shadow(c, err);
	if (!rc)
		td_jobs_run(c->threads, c->threads, run_thread, c);
	td_cli_progress_end(&c->progress);
	if (!rc && c->has_failed)
		rc = tide_fail(err, c->failed.code == -EINVAL ? -EIO : c->failed.code, "%s",
			       c->failed.text);
	if (!rc)
		rc = tide_pool_check(c->pool, err);
	closed = tide_pool_close(c->pool, rc ? NULL : err);
	if (!rc)
		rc = closed;
	return rc ? rc : compare_file(c, o->path, err);
}

static int report(const struct check *c, const struct td_pool_use_options *args,
		  struct tide_error *err)
{
	if (args->json)
		return td_cli_print_json(
			json_pack("{ss ss ss ss sI sI sI sI sI sb}", "tide", tide_version(), "verb",
				  "pool check", "device",
				  args->pool.device ? args->pool.device : "ram", "dedup",
				  args->pool.dedup ? args->pool.dedup : "off", "file_bytes",
				  (json_int_t)c->bytes, "threads", (json_int_t)c->threads, "reads",
				  (json_int_t)c->reads, "writes", (json_int_t)c->writes, "flushes",
				  (json_int_t)c->flushes, "equal", 1),
			err);
	printf("equal: %s reads and %s writes by %" PRIu64 " %s, and the file\n",
	       td_cli_grouped(c->reads).text, td_cli_grouped(c->writes).text, c->threads,
	       c->threads == 1 ? "thread" : "threads");
	return 0;
}

static int prepare(struct check *c, const struct td_pool_use_options *args,
		   struct tide_pool_options *o, struct td_pool_file *file, struct tide_error *err)
{
	int rc = td_pool_use_options(&args->pool, o, "2M", "2M", err);

	o->seed = args->seed;
	c->bytes = FILE_BYTES;
	c->threads = args->threads ? args->threads : 4;
	c->calls = args->count ? args->count : CALLS;
	if (!rc)
		rc = td_cli_progress_start(&c->progress, args->progress, "pool check", err);
	if (!rc)
		rc = td_lib_seed(args->seed, &c->seed, err);
	if (!rc && c->threads > 64)
		rc = tide_fail(err, -EINVAL, "--threads %" PRIu64 ": give at most 64", c->threads);
	if (!rc)
		rc = args->given.words.n
			     ? td_pool_file_named(file, args->given.words.at[0], args->force, err)
			     : td_pool_file_nameless(file, args->folder, err);
	const struct td_pool_content content = {4096, 4, 50, c->seed};
	if (!rc)
		rc = td_pool_file_fill(file, c->bytes / 4096, &content, err);
	return rc;
}

int td_pool_check_run(const void *options, struct tide_error *err)
{
	const struct td_pool_use_options *args = options;
	struct td_pool_file file = {.fd = -1};
	struct tide_pool_options o = {.size = sizeof o};
	struct check c = {0};
	int rc = prepare(&c, args, &o, &file, err);

	o.path = file.path;
	if (!rc)
		rc = run(&c, &o, err);
	if (rc)
		td_pool_file_explain(&file, err);
	else
		rc = report(&c, args, err);
	free(c.shadow);
	td_pool_file_end(&file);
	return rc;
}
