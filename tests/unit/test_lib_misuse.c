/* Wrong use that would do harm is refused with a sentence: NULL, handles that were closed, pins
 * that were put, calls after an error. */
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

#include "tide/gpu.h"
#include "tide/pager.h"
#include "tide/pool.h"
#include "tide/tide.h"

static char folder[] = "/tmp/tide-test-misuse-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static struct tide_error err;

#define REFUSED(call, said) \
	do { \
		err.text[0] = '\0'; \
		assert_int_equal(call, -EINVAL); \
		assert_non_null(strstr(err.text, said)); \
	} while (0)

/* ---- a run ---- */

static const struct tide_sim_options small = {.size = sizeof small, .near_size = "16p"};

static void test_sim(void **state)
{
	struct tide_event event = {.size = sizeof event, .page = 1};
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	char *text;
	(void)state;
	REFUSED(tide_sim_open(NULL, &small, &err), "out is NULL");
	REFUSED(tide_sim_open(&sim, NULL, &err), "struct tide_sim_options is NULL");
	REFUSED(tide_sim_access(NULL, &event, &err), "struct tide_sim is NULL");
	assert_int_equal(tide_sim_open(&sim, &small, &err), 0);
	REFUSED(tide_sim_access(sim, NULL, &err), "event is NULL");
	REFUSED(tide_sim_counts(sim, NULL, &err), "struct tide_counts is NULL");
	REFUSED(tide_sim_json(sim, NULL, &err), "text is NULL");
	REFUSED(tide_trace_next((struct tide_trace *)(void *)sim, &event, &err),
		"struct tide_trace is not open");
	assert_int_equal(tide_sim_close(sim), 0);
	assert_int_equal(tide_sim_close(sim), -EINVAL);
	REFUSED(tide_sim_access(sim, &event, &err), "struct tide_sim is not open, or was closed");
	REFUSED(tide_sim_run(sim, NULL, NULL, &err), "struct tide_sim is not open");
	REFUSED(tide_sim_counts(sim, &counts, &err), "struct tide_sim is not open");
	REFUSED(tide_sim_json(sim, &text, &err), "struct tide_sim is not open");
	assert_int_equal(tide_sim_time_ns(sim), 0);
	assert_int_equal(tide_sim_close(NULL), 0);
}

/* ---- traces and workloads ---- */

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_trace_after_an_error(void **state)
{
	struct tide_trace_options o = {.size = sizeof o, .path = path_of("bad.txt")};
	struct tide_event event = {.size = sizeof event};
	struct tide_trace *t;
	int rc = 1;
	(void)state;
	write_text(o.path, "1 r\n2 r\nnonsense\n");
	assert_int_equal(tide_trace_open(&t, &o, &err), 0);
	while (rc > 0)
		rc = tide_trace_next(t, &event, &err);
	assert_true(rc < 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tide_trace_next(t, &event, &err), rc);
		assert_non_null(strstr(err.text, "could not be read further: close it"));
	}
	REFUSED(tide_trace_next(t, NULL, &err), "event is NULL");
	assert_int_equal(tide_trace_close(t), 0);
	assert_int_equal(tide_trace_close(t), -EINVAL);
	REFUSED(tide_trace_next(t, &event, &err), "struct tide_trace is not open");
}

static void test_writer(void **state)
{
	struct tide_trace_writer *w;
	struct tide_event event = {.size = sizeof event, .page = 1};
	(void)state;
	REFUSED(tide_trace_create(&w, NULL, NULL, &err), "path is NULL");
	REFUSED(tide_trace_create(NULL, path_of("a.txt"), NULL, &err), "out is NULL");
	assert_int_equal(tide_trace_create(&w, path_of("a.txt"), NULL, &err), 0);
	REFUSED(tide_trace_put(w, NULL, &err), "event is NULL");
	assert_int_equal(tide_trace_put(w, &event, &err), 0);
	assert_int_equal(tide_trace_finish(w, &err), 0);
	REFUSED(tide_trace_finish(w, &err), "struct tide_trace_writer is not open");
	REFUSED(tide_trace_put(w, &event, &err), "struct tide_trace_writer is not open");
	assert_int_equal(tide_trace_abandon(w), -EINVAL);
}

static void test_workloads(void **state)
{
	struct tide_workload_measured m = {.size = sizeof m};
	struct tide_workload_shape *shape;
	(void)state;
	REFUSED(tide_workload_describe(&shape, NULL, NULL, &err), "workload is NULL");
	REFUSED(tide_workload_describe(NULL, "cyclic", NULL, &err), "out is NULL");
	REFUSED(tide_workload_measure(&m, NULL, NULL, NULL, NULL, NULL, &err), "workload is NULL");
	REFUSED(tide_workload_measure(NULL, "cyclic:pages=5", NULL, NULL, NULL, NULL, &err),
		"struct tide_workload_measured is NULL");
	REFUSED(tide_mrc_run(NULL, NULL, NULL, NULL, &err), "out is NULL");
	REFUSED(tide_mrc_run(&(struct tide_mrc *){0}, NULL, NULL, NULL, &err),
		"struct tide_mrc_options is NULL");
}

/* ---- the pool ---- */

static struct tide_pool *open_pool(const char *page, const char *dedup)
{
	struct tide_pool_options o = {.size = sizeof o,
				      .path = path_of("disk"),
				      .main_size = "16p",
				      .page = page,
				      .block = "4K",
				      .dedup = dedup};
	struct tide_pool *p;
	FILE *f = fopen(o.path, "w");
	assert_non_null(f);
	assert_int_equal(ftruncate(fileno(f), 64 * 8192), 0);
	fclose(f);
	assert_int_equal(tide_pool_open(&p, &o, &err), 0);
	return p;
}

/* Two pins of a page: putting one twice leaves the other. */
static void put_twice(struct tide_pool *p)
{
	struct tide_pool_pin pin = {.size = sizeof pin}, other = pin, copy;
	assert_int_equal(tide_pool_get(p, 3, TIDE_POOL_WRITE, &pin, &err), 0);
	assert_int_equal(tide_pool_get(p, 3, TIDE_POOL_READ, &other, &err), 0);
	copy = other;
	assert_int_equal(tide_pool_put(p, &pin, &err), 0);
	REFUSED(tide_pool_put(p, &pin, &err), "page 3 is not pinned by this pin: put it once");
	assert_int_equal(tide_pool_put(p, &other, &err), 0);
	REFUSED(tide_pool_put(p, &other, &err), "put it once");
	REFUSED(tide_pool_put(p, &copy, &err), "put it once");
	assert_int_equal(tide_pool_check(p, &err), 0);
	assert_int_equal(tide_pool_get(p, 3, TIDE_POOL_READ, &pin, &err), 0);
	assert_int_equal(tide_pool_put(p, &pin, &err), 0);
}

/* The page left, and another one has its block: an old copy of a pin is no pin of that one. */
static void put_late(struct tide_pool *p)
{
	struct tide_pool_pin pin = {.size = sizeof pin}, old, other = pin;
	assert_int_equal(tide_pool_get(p, 0, TIDE_POOL_READ, &pin, &err), 0);
	old = pin;
	assert_int_equal(tide_pool_put(p, &pin, &err), 0);
	for (int round = 0; round < 8; round++) {
		for (uint64_t i = 1; i < 64; i++) {
			assert_int_equal(tide_pool_get(p, i, TIDE_POOL_READ, &other, &err), 0);
			REFUSED(tide_pool_put(p, &old, &err), "put it once");
			assert_int_equal(tide_pool_put(p, &other, &err), 0);
		}
	}
	assert_int_equal(tide_pool_check(p, &err), 0);
}

static void put_wild(struct tide_pool *p)
{
	struct tide_pool_pin pin = {
		.size = sizeof pin, .addr = &pin, .page = 1, .handle = UINT64_MAX};
	REFUSED(tide_pool_put(p, &pin, &err), "put it once");
	REFUSED(tide_pool_put(p, NULL, &err), "pin is NULL");
	REFUSED(tide_pool_get(p, 0, TIDE_POOL_READ, NULL, &err), "pin is NULL");
	REFUSED(tide_pool_get_async(p, 0, TIDE_POOL_READ, NULL, NULL, &err), "done is NULL");
	REFUSED(tide_pool_read(p, NULL, 8, 0, &err), "to is NULL");
	REFUSED(tide_pool_write(p, NULL, 8, 0, &err), "from is NULL");
}

static void test_pool(void **state)
{
	static const char *const how[][2] = {{"4K", "off"}, {"8K", "on"}};
	struct tide_pool_stats stats = {.size = sizeof stats};
	(void)state;
	REFUSED(tide_pool_open(NULL, NULL, &err), "out is NULL");
	REFUSED(tide_pool_open(&(struct tide_pool *){0}, NULL, &err),
		"struct tide_pool_options is NULL");
	for (int i = 0; i < 2; i++) {
		struct tide_pool *p = open_pool(how[i][0], how[i][1]);
		put_twice(p);
		put_late(p);
		put_wild(p);
		assert_int_equal(tide_pool_close(p, &err), 0);
		REFUSED(tide_pool_close(p, &err), "struct tide_pool is not open, or was closed");
		REFUSED(tide_pool_flush(p, &err), "struct tide_pool is not open");
		REFUSED(tide_pool_sync(p, 0, 1, &err), "struct tide_pool is not open");
		REFUSED(tide_pool_stats(p, &stats, &err), "struct tide_pool is not open");
		REFUSED(tide_pool_read(p, &stats, 8, 0, &err), "struct tide_pool is not open");
		assert_int_equal(tide_pool_bytes(p), 0);
	}
	assert_int_equal(tide_pool_close(NULL, NULL), 0);
}

/* ---- the pager and the GPU ---- */

static void test_pager(void **state)
{
	struct tide_options o = {.size = sizeof o, .near_size = "4M"};
	struct tide_stats stats = {.size = sizeof stats};
	struct tide *t;
	void *at;
	(void)state;
	REFUSED(tide_open(NULL, &o, &err), "out is NULL");
	REFUSED(tide_open(&t, NULL, &err), "struct tide_options is NULL");
	REFUSED(tide_stats(NULL, &stats, &err), "struct tide is NULL");
	int rc = tide_open(&t, &o, &err);
	if (rc == -EPERM || rc == -ENOSYS)
		skip();
	assert_int_equal(rc, 0);
	REFUSED(tide_map(t, NULL, 1 << 20, NULL, &err), "out is NULL");
	assert_int_equal(tide_close(t, &err), 0);
	REFUSED(tide_close(t, &err), "struct tide is not open, or was closed");
	REFUSED(tide_map(t, &at, 1 << 20, NULL, &err), "struct tide is not open");
	REFUSED(tide_stats(t, &stats, &err), "struct tide is not open");
	REFUSED(tide_sync(t, NULL, 0, &err), "struct tide is not open");
}

static void test_gpu(void **state)
{
	struct tide_gpu_options o = {.size = sizeof o};
	(void)state;
	REFUSED(tide_gpu_open(NULL, &o, &err), "out is NULL");
	REFUSED(tide_gpu_open(&(struct tide_gpu *){0}, NULL, &err),
		"struct tide_gpu_options is NULL");
	REFUSED(tide_gpu_sync(NULL, &err), "struct tide_gpu is NULL");
	assert_int_equal(tide_gpu_close(NULL, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim),    cmocka_unit_test(test_trace_after_an_error),
		cmocka_unit_test(test_writer), cmocka_unit_test(test_workloads),
		cmocka_unit_test(test_pool),   cmocka_unit_test(test_pager),
		cmocka_unit_test(test_gpu),
	};
	if (!mkdtemp(folder))
		return 1;
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	static const char *const made[] = {"bad.txt", "a.txt", "disk"};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		unlink(path_of(made[i]));
	rmdir(folder);
	return rc;
}
