/* How the GPU runtime treats those who call it: threads that have a GPU of their own, launches with
 * too many pins, kernels that break rules or do not end. */
#define PAGES 160u
#include "cuda_file.h"
#include "mech/cuda/device_host.h"
#include "mech/cuda/runtime.h"

static const struct tide_gpu_options small = {.size = sizeof small,
					      .near_size = "64p",
					      .host = "32p",
					      .page = "4K",
					      .staging = "32p",
					      .address = "4096p",
					      .place = "tier-order",
					      .proxies = "1",
					      .timeout = "2s"};

/* ---- the current GPU ---- */

static void use_all(const struct tide_gpu_options *o, int current)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_stats stats = {.size = sizeof stats};
	struct tide_gpu_info info = {.size = sizeof info};
	char *text = NULL;
	uint64_t word = 0;
	set_up(&f, o, true);
	assert_int_equal(td_cuda_host_current, current);
#define CALL(call) \
	do { \
		assert_ok(call, &err); \
		assert_int_equal(td_cuda_host_current, current); \
	} while (0)
	CALL(gpu->info(&info, 0, &err));
	CALL(gpu->begin(f.g, 4, 1, &err));
	CALL(gpu->end(f.g, &err));
	CALL(gpu->write(f.g, f.span, 0, &word, 8, &err));
	CALL(gpu->read(f.g, f.span, 0, &word, 8, &err));
	CALL(gpu->sync(f.g, &err));
	CALL(gpu->stats(f.g, &stats, &err));
	CALL(gpu->stats_json(f.g, &text, &err));
	CALL(gpu->check(f.g, &err));
	CALL(gpu->reset(f.g, &err));
	if (!o->orchestrate)
		CALL(gpu->demote(f.g, f.span, &err));
	CALL(gpu->close(f.g, &err));
#undef CALL
	free(text);
	unlink(f.path);
}

static void test_current(void **state)
{
	struct tide_gpu_options host = small;
	struct tide_gpu *g;
	struct tide_error err;
	(void)state;
	host.orchestrate = "host";
	host.host = "256p";
	host.chunk = "4p";
	host.place = NULL;
	use_all(&small, TD_CUDA_HOST_NONE);
	use_all(&host, TD_CUDA_HOST_NONE);
	td_cuda_host_current = 3; /* the caller's own */
	use_all(&small, 3);
	host.device = 5; /* there is none */
	assert_int_equal(gpu->open(&g, &host, &err), -ENODEV);
	assert_int_equal(td_cuda_host_current, 3);
	td_cuda_host_current = TD_CUDA_HOST_NONE;
}

/* ---- pins ---- */

static void test_pin_count(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small;
	(void)state;
	o.near_size = "70000p"; /* frames for all of them */
	o.address = "128000p";
	set_up(&f, &o, true);
	assert_int_equal(gpu->begin(f.g, 8448, 8, &err), -EINVAL);
	assert_says(&err, "8448 warps with 8 pins each");
	assert_says(&err, "launch at most 8191 warps");
	assert_int_equal(gpu->begin(f.g, 65536, 1, &err), -EINVAL);
	assert_ok(gpu->begin(f.g, 65535, 1, &err), &err);
	assert_ok(gpu->end(f.g, &err), &err);
	tear_down(&f);
}

/* ---- rules ---- */

static void test_rules(void **state)
{
	static const struct {
		struct td_dev_failure told;
		const char *says;
	} cases[] = {
		{{.op = TD_DEV_DIVERGED, .call = TD_DEV_CALL_WRITE, .lanes = 0xfff},
		 "warp 2 of block 7: lanes 00000fff called tide_write, and the others did not come "
		 "within 2 s: let all 32 lanes call it together"},
		{{.op = TD_DEV_MIXED, .call = TD_DEV_CALL_READ},
		 "some lanes called tide_read while others made another call: "},
		{{.op = TD_DEV_DIFFERENT, .call = TD_DEV_CALL_CURSOR_READ, .number = 9},
		 "lanes gave tide_cursor::read different elements, one of them 9: "},
		{{.op = TD_DEV_BEYOND, .call = TD_DEV_CALL_EACH, .lanes = 8, .number = 81920},
		 "lane 3 called tide_each for element 81920, which is beyond the end of the array"},
		{{.op = TD_DEV_TOO_MANY_PINS, .call = TD_DEV_CALL_CURSOR_WRITE, .number = 3},
		 "warp 2 of block 7 holds 3 pages at a call of tide_cursor::write, and the launch "
		 "was told 2: launch it with more pins"},
	};
	struct fixture f;
	struct tide_error err;
	(void)state;
	set_up(&f, &small, true);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_ok(gpu->begin(f.g, 4, 2, &err), &err);
		struct td_dev_failure *told = f.g->control.failure;
		*told = cases[i].told;
		told->error = -EINVAL;
		told->warp = 2;
		told->block = 7;
		told->said = 1;
		assert_int_equal(gpu->end(f.g, &err), -EINVAL);
		assert_says(&err, cases[i].says);
	}
	/* The next launch knows nothing of it. */
	assert_ok(gpu->begin(f.g, 4, 2, &err), &err);
	assert_ok(gpu->end(f.g, &err), &err);
	tear_down(&f);
}

/* ---- kernels that do not end ---- */

#define S UINT64_C(1000000000)

static void test_late(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small;
	(void)state;
	o.watch = "3s";
	set_up(&f, &o, true);
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	td_cuda_host_busy_ns = 5 * S; /* 3, and 2 of the 10 that it gets */
	assert_int_equal(gpu->end(f.g, &err), -ETIMEDOUT);
	assert_says(&err, "ran for more than 3 s");
	assert_says(&err, "give a longer watch");
	struct launch l = launch_of(&f, 100);
	assert_ok(launch(&l, 1, &err), &err);
	assert_int_equal(l.wrong, 0);
	tear_down(&f);
	/* Without a watch the call waits. */
	set_up(&f, &small, true);
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	td_cuda_host_busy_ns = 3600 * S;
	assert_ok(gpu->end(f.g, &err), &err);
	tear_down(&f);
}

static struct tide_gpu *left; /* its memory stays, since a kernel might use it */

static void test_stuck(void **state)
{
	struct fixture f;
	struct tide_error err;
	struct tide_gpu_options o = small;
	uint64_t word;
	(void)state;
	o.watch = "3s";
	set_up(&f, &o, true);
	struct launch l = launch_of(&f, 100);
	assert_ok(launch(&l, 1, &err), &err);
	left = f.g;
	assert_ok(gpu->begin(f.g, 1, 1, &err), &err);
	td_cuda_host_busy_ns = 3600 * S;
	assert_int_equal(gpu->end(f.g, &err), -ETIMEDOUT);
	assert_says(&err, "ran for 3 s, and for 10 s more after all waits of tide were ended");
	assert_says(&err, "it accessed 400 pages, 0 of them in the end");
	assert_says(&err, "it runs on until this process ends");
	assert_int_equal(gpu->read(f.g, f.span, 0, &word, 8, &err), -EIO);
	assert_says(&err, "lost in an earlier call");
	assert_int_equal(gpu->close(f.g, &err), -EIO);
	unlink(f.path);
	td_cuda_host_busy_ns = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_current), cmocka_unit_test(test_pin_count),
		cmocka_unit_test(test_rules),   cmocka_unit_test(test_late),
		cmocka_unit_test(test_stuck),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
