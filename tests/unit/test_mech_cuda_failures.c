/* What goes wrong in the GPU runtime: a sentence each, nothing lost that can be kept, and it goes
 * on. */
#define PAGES 160u
#include "cuda_file.h"
#include "tide/device/layout.h"

static const struct tide_gpu_options small = {.size = sizeof small,
					      .near_size = "64p",
					      .host = "32p",
					      .page = "4K",
					      .staging = "32p",
					      .address = "4096p",
					      .place = "tier-order",
					      .proxies = "1",
					      .timeout = "120s"};

static const char *name_of(const struct fixture *f)
{
	return strrchr(f->path, '/') + 1;
}

/* ---- options ---- */

static void test_options(void **state)
{
	static const struct {
		struct tide_gpu_options o;
		const char *says;
	} cases[] = {
		{{0}, "no size of near memory"},
		{{.near_size = "x"}, "near memory of 'x' is no size"},
		{{.near_size = "1p"}, "less than two pages"},
		{{.near_size = "64p", .page = "3K"}, "a power of two from 4K to 2M"},
		{{.near_size = "64p", .page = "4M"}, "a power of two from 4K to 2M"},
		{{.near_size = "64p", .host = "?"}, "host memory of '?'"},
		{{.near_size = "64p", .place = "best"}, "unknown placement 'best': give one of "},
		{{.near_size = "64p", .place = "random:q=1"}, "has no parameter q"},
		{{.near_size = "64p", .place = "reuse:rate=2"}, "out of range"},
		{{.near_size = "64p", .transfer = "slow"}, "give one of zero-copy, dma, hybrid"},
		{{.near_size = "64p", .orchestrate = "me"}, "give one of gpu, host"},
		{{.near_size = "64p", .shards = "3"}, "a power of two"},
		{{.near_size = "64p", .shards = "128"}, "give fewer shards"},
		{{.near_size = "64p", .proxies = "0"}, "proxies of '0'"},
		{{.near_size = "64p", .timeout = "soon"}, "timeout of 'soon'"},
		{{.near_size = "64p", .timeout = "0s"}, "timeout of '0s'"},
		{{.near_size = "64p", .watch = "1h"}, "watch of '1h'"},
		{{.near_size = "64p", .seed = "a"}, "seed of 'a'"},
		{{.near_size = "64p", .staging = "2p"}, "less than 4 pages"},
		{{.near_size = "64p", .address = "0p"}, "address of '0p'"},
		{{.near_size = "64p", .inject = "fire"}, "no failure to inject is called 'fire'"},
		{{.near_size = "64p", .device = 5}, "there is no GPU 5"},
		{{.near_size = "64p", .storage = "/no/such/folder"}, "cannot open"},
		{{.near_size = "64p", .log = "/no/such/folder"}, "cannot write the decision log"},
		{{.near_size = "99999999999T"}, "near memory of '99999999999T'"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tide_error err = {0};
		struct tide_gpu *g = (void *)1;
		int rc = gpu->open(&g, &cases[i].o, &err);
		assert_true(rc < 0);
		assert_int_equal(rc, err.code);
		assert_null(g);
		assert_says(&err, cases[i].says);
	}
}

/* ---- arrays ---- */

static void test_arrays(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_span s;
	(void)state;
	set_up(&f, &small, true);
	struct tide_gpu_array_options how = {.size = sizeof how, .path = f.path};
	assert_int_equal(gpu->array(f.g, &s, 0, &how, &err), -EBUSY);
	assert_says(&err, "belong to another array");
	how.path = "/no/such/file";
	assert_int_equal(gpu->array(f.g, &s, 0, &how, &err), -ENOENT);
	assert_int_equal(gpu->array(f.g, &s, PAGE, NULL, &err), -EINVAL);
	assert_says(&err, "give storage");
	assert_ok(gpu->close(f.g, &err), &err);

	assert_ok(gpu->open(&f.g, &small, &err), &err);
	how = (struct tide_gpu_array_options){.size = sizeof(struct tide_gpu_array_options),
					      .path = f.path};
	assert_int_equal(gpu->array(f.g, &s, PAGES * PAGE + 1, &how, &err), -EINVAL);
	assert_says(&err, "655361");
	assert_says(&err, "has 655360 bytes");
	how.offset = 100;
	assert_int_equal(gpu->array(f.g, &s, 0, &how, &err), -EINVAL);
	assert_says(&err, "no multiple of the page");
	how.offset = PAGES * PAGE;
	assert_int_equal(gpu->array(f.g, &s, 0, &how, &err), -EINVAL);
	assert_says(&err, "is empty");
	how.offset = 0;
	for (unsigned i = 0; i < 25; i++)
		assert_ok(gpu->array(f.g, &s, 0, &how, &err), &err);
	assert_int_equal(gpu->array(f.g, &s, 0, &how, &err), -ENOSPC);
	assert_says(&err, "96 of 4096 are left");
	assert_ok(gpu->close(f.g, &err), &err);
	unlink(f.path);
}

/* ---- launches ---- */

static void test_pins(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, &small, true);
	assert_int_equal(gpu->begin(f.g, 8, 5, &err), -ENOSPC);
	assert_says(&err, "64 frames");
	assert_says(&err, "8 warps with 5 pages");
	assert_says(&err, "at least 72p");
	assert_int_equal(gpu->begin(f.g, UINT64_MAX, 5, &err), -ENOSPC);
	assert_ok(gpu->begin(f.g, 8, 4, &err), &err);
	assert_int_equal(gpu->begin(f.g, 1, 1, &err), -EBUSY);
	assert_int_equal(gpu->sync(f.g, &err), -EBUSY);
	assert_ok(gpu->end(f.g, &err), &err);
	assert_int_equal(gpu->end(f.g, &err), -EINVAL);
	assert_ok(gpu->close(f.g, &err), &err);
	unlink(f.path);
}

static void test_not_writable(void **state)
{
	struct fixture f;
	struct tide_error err;
	unsigned none[PAGES] = {0};
	(void)state;
	set_up(&f, &small, false);
	struct launch l = launch_of(&f, 400);
	int rc = launch(&l, 1, &err);
	assert_int_equal(rc, -EROFS);
	assert_says(&err, "not writable");
	assert_says(&err, name_of(&f));
	assert_ok(gpu->check(f.g, &err), &err);
	assert_int_equal(gpu->sync(f.g, &err), -EROFS);
	assert_ok(gpu->sync(f.g, &err), &err);
	uint64_t word = 1;
	assert_int_equal(gpu->write(f.g, f.span, 0, &word, 8, &err), -EROFS);
	assert_ok(gpu->close(f.g, &err), &err);
	assert_file(f.path, none, PAGES);
	unlink(f.path);
}

/* ---- storage that fails ---- */

/* A failed read stops that launch; pages and what was written before are as they were. */
static void test_reads_fail(void **state)
{
	struct fixture f;
	struct tide_error err;
	unsigned failed = 0;
	(void)state;
	struct tide_gpu_options o = small;
	o.inject = "read=EIO:97";
	set_up(&f, &o, true);
	for (unsigned i = 0; i < 8; i++) {
		struct launch l = launch_of(&f, 200);
		l.seed = i;
		int rc = launch(&l, 1, &err);
		assert_true(rc == 0 || rc == -EIO);
		if (rc) {
			failed++;
			assert_says(&err, "could not be read");
			assert_says(&err, name_of(&f));
			assert_true(l.lost > 0);
		}
		assert_int_equal(l.wrong, 0);
		assert_ok(gpu->check(f.g, &err), &err);
	}
	assert_true(failed > 0);
	struct tide_gpu_stats s = {.size = sizeof s};
	assert_ok(gpu->stats(f.g, &s, &err), &err);
	assert_true(s.io_errors > 0);
	assert_ok(gpu->close(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	unlink(f.path);
}

/* What could not be written is kept until it can be. */
static void test_writes_fail(void **state)
{
	struct fixture f;
	struct tide_error err;
	unsigned failed = 0, tries = 0;
	(void)state;
	struct tide_gpu_options o = small;
	o.inject = "write=ENOSPC:23";
	set_up(&f, &o, true);
	for (unsigned i = 0; i < 6; i++) {
		struct launch l = launch_of(&f, 200);
		l.seed = i;
		int rc = launch(&l, 1, &err);
		assert_true(rc == 0 || rc == -ENOSPC);
		failed += rc != 0;
		if (rc) {
			assert_says(&err, "could not be written");
			assert_says(&err, name_of(&f));
		}
		assert_int_equal(l.wrong, 0);
		assert_ok(gpu->check(f.g, &err), &err);
	}
	assert_true(failed > 0);
	while (gpu->sync(f.g, &err) && tries++ < 50) {
		assert_says(&err, "cannot write");
		assert_says(&err, name_of(&f));
		assert_ok(gpu->check(f.g, &err), &err);
	}
	assert_ok(gpu->check(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	assert_ok(gpu->close(f.g, &err), &err);
	unlink(f.path);
}

/* Every write fails: the launch ends, and soon. */
static void test_full(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	struct tide_gpu_options o = small;
	o.inject = "write=ENOSPC:1";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 600);
	assert_int_equal(launch(&l, 1, &err), -ENOSPC);
	assert_int_equal(l.wrong, 0);
	assert_ok(gpu->check(f.g, &err), &err);
	assert_int_equal(gpu->sync(f.g, &err), -ENOSPC);
	assert_int_equal(gpu->close(f.g, &err), -ENOSPC);
	assert_says(&err, name_of(&f));
	unlink(f.path);
}

/* Storage that answers too late: an error, not a hang; later it works again. */
static void test_slow(void **state)
{
	struct fixture f;
	struct tide_error err;
	(void)state;
	struct tide_gpu_options o = small;
	o.inject = "delay=400ms";
	o.timeout = "50ms";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 3);
	int rc = launch(&l, 1, &err);
	assert_int_equal(rc, -ETIMEDOUT);
	assert_says(&err, "0.05 s");
	assert_says(&err, "frames: 64, ");
	assert_true(l.lost > 0);
	assert_ok(gpu->check(f.g, &err), &err);
	assert_ok(gpu->close(f.g, &err), &err);
	assert_file(f.path, f.versions, PAGES);
	unlink(f.path);
}

/* Kernels with other tables compiled in are refused before they touch the runtime's. */
static void test_layout(void **state)
{
	struct tide_error err;
	struct tide_gpu_layout right = td_dev_layout(), wrong[3] = {right, right, right};
	struct tide_gpu_options o = {.size = sizeof o, .near_size = "64p"};
	struct tide_gpu *g;
	(void)state;
	wrong[0].version++;
	wrong[1].bytes -= 8;
	wrong[2].placements ^= 1;
	assert_ok(gpu->open(&g, &o, &err), &err);
	assert_ok(gpu->kernels(g, &right, &err), &err);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(gpu->kernels(g, &wrong[i], &err), -EPROTO);
		assert_non_null(strstr(err.text, "compile them with its headers"));
	}
	assert_ok(gpu->close(g, &err), &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),       cmocka_unit_test(test_options),
		cmocka_unit_test(test_arrays),       cmocka_unit_test(test_pins),
		cmocka_unit_test(test_not_writable), cmocka_unit_test(test_reads_fail),
		cmocka_unit_test(test_writes_fail),  cmocka_unit_test(test_full),
		cmocka_unit_test(test_slow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
