/* tide gpu selftest: the parts, one after another; one that fails is told, and the next goes on. */
#include "selftest.h"
#include "core/clock.h"

#include <errno.h>
#include <string.h>

struct test {
	const struct td_gpu_selftest_options *o;
	struct td_gpu_result *out;
};

const struct td_gpu_part td_gpu_tests[] = {
	{"pressure", "many warps on one array: each placement, transfer and page size"},
	{"minimum", "the same with the fewest pages of near memory that a launch is allowed"},
	{"host", "the same, with the processor serving the faults"},
	{"errors", "delays, short reads, EIO, ENOSPC, a wait that takes too long"},
	{"refusals", "too few pages, a file too small, too little memory: an error, and no more"},
	{"calls", "what calls promise: lanes that work together, a GPU that stays current"},
	{"replay", "one warp decides as the simulator"},
	{"long", "a thousand million accesses close to the minimum; with --thorough alone"},
	{NULL, NULL},
};

static bool wanted(const struct test *t, const char *name)
{
	return td_gpu_listed(t->o->part, name);
}

static void put_result(struct test *t, const char *name, int rc, const char *detail,
		       uint64_t accesses, uint64_t since_ns)
{
	uint64_t time_ns = td_clock_ns() - since_ns;
	struct td_gpu_test *all = td_gpu_more(t->out->tests, &t->out->tests_n, sizeof *all);
	if (all) {
		struct td_gpu_test *one = &all[t->out->tests_n - 1];
		t->out->tests = all;
		snprintf(one->name, sizeof one->name, "%s", name);
		snprintf(one->detail, sizeof one->detail, "%s", detail);
		one->accesses = accesses;
		one->time_ns = time_ns;
		one->ok = rc == 0;
	}
	td_gpu_tell(&t->o->setup, "%s %s (%.1f s): %s", rc ? "FAILED" : "ok    ", name,
		    (double)time_ns / 1e9, detail);
}

static void run_pressure(struct test *t, const char *name, struct td_gpu_pressure p)
{
	struct tide_error err = {0};
	uint64_t since_ns = td_clock_ns();
	if (!wanted(t, name))
		return;
	int rc = td_gpu_pressure_run(&t->o->setup, &p, &err);
	put_result(t, name, rc, rc ? err.text : p.detail, p.accesses, since_ns);
}

/* ---- pressure ---- */

/* 64 KiB: 128 warps that hold three pages each. 4 KiB: 64 warps, lanes of which hold pages too. */
static struct td_gpu_pressure pressure_of(const struct test *t, bool small)
{
	bool quick = t->o->setup.quick;
	struct td_gpu_pressure p = {
		.place = "reuse",
		.transfer = "zero-copy",
		.page_bytes = small ? 4096 : 65536,
		.array_bytes = (uint64_t)(small ? 32 : 128) << 20,
		.near_pages = small ? 3072 : 640,
		.host_pages = small ? 2560 : 512,
		.blocks = small ? 16 : 32,
		.threads = 128,
		.ops = 4000,
		.limit_ns = 1000000000,
		.rounds = 2,
		.lanes = small,
	};
	if (quick) {
		p.array_bytes /= 4;
		p.blocks /= 4;
		p.near_pages /= 4;
		p.host_pages /= 4;
		p.ops = 200;
		p.limit_ns = 300000000;
	}
	return p;
}

static void test_pressure(struct test *t)
{
	static const char *const places[] = {"reuse", "tier-order", "random:p=0.5", "bam", "worth"};
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid"};
	char name[96];
	for (unsigned i = 0; i < 5 * 3 * 2; i++) {
		bool small = i % 2;
		const char *place = places[i / 6], *transfer = transfers[i / 2 % 3];
		struct td_gpu_pressure p = pressure_of(t, small);
		/* bam has no tier 2 and so no transfers; quick: each word once. */
		if (!strcmp(place, "bam") && i / 2 % 3)
			continue;
		if (t->o->setup.quick && i / 2 % 3 != i / 6 % 3)
			continue;
		p.place = place;
		p.transfer = transfer;
		p.host_pages = strcmp(place, "bam") ? p.host_pages : 0;
		snprintf(name, sizeof name, "pressure/%s/%s/%s", place, transfer,
			 small ? "4K" : "64K");
		run_pressure(t, name, p);
	}
	struct td_gpu_pressure p = pressure_of(t, false);
	p.without_file = true;
	run_pressure(t, "pressure/without-file", p);
	p = pressure_of(t, true);
	p.compiled = TD_GPU_STRICT;
	run_pressure(t, "pressure/strict", p);
	p.compiled = TD_GPU_CHECKED;
	run_pressure(t, "pressure/checked", p);
}

static void test_minimum(struct test *t)
{
	struct td_gpu_pressure p = pressure_of(t, false);
	p.near_pages = 0;
	run_pressure(t, "minimum/64K", p);
	p.lanes = true;
	p.blocks /= 4;
	p.array_bytes *= 2;
	run_pressure(t, "minimum/lanes", p);
	p = pressure_of(t, true);
	p.lanes = false;
	p.near_pages = 0;
	run_pressure(t, "minimum/4K", p);
	p.place = "bam";
	p.host_pages = 0;
	run_pressure(t, "minimum/bam", p);
}

static void test_host(struct test *t)
{
	struct td_gpu_pressure p = pressure_of(t, false);
	p.orchestrate = "host";
	p.place = p.transfer = NULL;
	/* There all of an array has its home in host memory, and begins a chunk. */
	p.host_pages = p.array_bytes / p.page_bytes + 64;
	run_pressure(t, "host/lrm+tree", p);
	p.transfer = "zero-copy";
	run_pressure(t, "host/lrm+tree/zero-copy", p);
	p.evict = "mhpe";
	p.prefetch = "pattern";
	run_pressure(t, "host/mhpe+pattern", p);
	p.transfer = NULL;
	p.evict = "tournament";
	p.prefetch = "rgp";
	run_pressure(t, "host/tournament+rgp", p);
}

/* ---- failures ---- */

static void test_errors(struct test *t)
{
	struct td_gpu_pressure p = pressure_of(t, false);
	p.place = "bam";
	p.host_pages = 0;
	p.array_bytes /= 2;
	p.ops /= 4;
	p.inject = "delay=200us";
	run_pressure(t, "errors/delay", p);
	p.inject = "short=3";
	run_pressure(t, "errors/short", p);
	p.inject = "sync";
	run_pressure(t, "errors/no-io_uring", p);
	p.inject = "read=EIO:100";
	p.expect = -EIO;
	run_pressure(t, "errors/eio", p);
	p.read_only = true;
	run_pressure(t, "errors/eio-read-only", p);
	p.read_only = false;
	p.inject = "write=ENOSPC:50";
	p.expect = -ENOSPC;
	run_pressure(t, "errors/enospc", p);
	p.inject = "write=EIO:50";
	p.expect = -EIO;
	run_pressure(t, "errors/write-eio", p);
	p.inject = "delay=4s";
	p.timeout = "1s";
	p.expect = -ETIMEDOUT;
	p.read_only = true;
	p.rounds = 1;
	run_pressure(t, "errors/too-slow", p);
}

static void test_cases(struct test *t, const char *part, const struct td_gpu_case *cases)
{
	for (const struct td_gpu_case *c = cases; c->name; c++) {
		struct tide_error err = {0};
		char detail[400] = "", name[96];
		uint64_t since_ns = td_clock_ns();
		snprintf(name, sizeof name, "%s/%s", part, c->name);
		if (!wanted(t, name))
			continue;
		int rc = c->run(&t->o->setup, detail, sizeof detail, &err);
		put_result(t, name, rc, rc ? err.text : detail, 0, since_ns);
	}
}

/* ---- the simulator, and time ---- */

static void test_replay(struct test *t)
{
	static const char *const workloads[] = {"zipf:pages=2000,skew=0.9,writes=0.3",
						"cyclic:pages=600,rounds=200,writes=0.2",
						"scanhot:pages=1500,hot=300,writes=0.2"};
	uint64_t limit = t->o->setup.quick ? 2000 : 60000;
	for (unsigned i = 0; i < sizeof workloads / sizeof *workloads; i++) {
		struct td_gpu_replay r = {.workload = workloads[i],
					  .near_pages = 256,
					  .host_pages = 256,
					  .limit = limit};
		struct tide_error err = {0};
		char name[96];
		uint64_t since_ns = td_clock_ns();
		snprintf(name, sizeof name, "replay/%.*s", (int)strcspn(workloads[i], ":"),
			 workloads[i]);
		if (!wanted(t, name))
			continue;
		int rc = td_gpu_replay_run(&t->o->setup, &r, &err);
		put_result(t, name, rc, rc ? err.text : r.detail, r.accesses, since_ns);
	}
}

/* Launches of a few seconds until a thousand million elements were read or written. */
static void test_long(struct test *t)
{
	struct td_gpu_pressure p = pressure_of(t, true);
	struct tide_error err = {0};
	uint64_t since_ns = td_clock_ns(), accesses = 0, most_ns = 400000000000;
	const uint64_t target = 1000000000;
	int rc = 0;
	if (!t->o->thorough || !wanted(t, "long"))
		return;
	/* So many warps as go, and tier 2 for all: it is not to wait for the disk. */
	p.blocks *= 4;
	p.near_pages = 0;
	p.host_pages = p.array_bytes / p.page_bytes;
	p.lanes = false;
	p.ops = UINT64_MAX;
	p.limit_ns = 5000000000;
	p.rounds = 4;
	for (unsigned n = 0; accesses < target && !rc && td_clock_ns() - since_ns < most_ns; n++) {
		p.place = n % 2 ? "tier-order" : "worth";
		p.accesses = 0;
		rc = td_gpu_pressure_run(&t->o->setup, &p, &err);
		accesses += p.accesses;
	}
	if (!rc && accesses < target)
		rc = tide_fail(&err, -ETIME, "%.0f million accesses in %.0f s, not %.0f",
			       (double)accesses / 1e6, (double)most_ns / 1e9, (double)target / 1e6);
	put_result(t, "long", rc, rc ? err.text : p.detail, accesses, since_ns);
}

int td_gpu_selftest(const struct td_gpu_selftest_options *o, struct td_gpu_result **out,
		    struct tide_error *err)
{
	struct test t = {.o = o, .out = td_gpu_result_make()};
	*out = t.out;
	if (!t.out)
		return tide_fail(err, -ENOMEM, "no memory for results: free some");
	t.out->device.size = sizeof t.out->device;
	int rc = td_gpu_list_check(o->part, td_gpu_tests, "part", err);
	if (!rc)
		rc = tide_gpu_info(&t.out->device, o->setup.device, err);
	t.out->has_device = !rc;
	if (!rc)
		rc = td_gpu_choose(&o->setup, err);
	if (rc)
		return rc;
	test_replay(&t);
	test_cases(&t, "refusals", td_gpu_refusals);
	test_cases(&t, "calls", td_gpu_calls);
	test_pressure(&t);
	test_minimum(&t);
	test_errors(&t);
	test_host(&t);
	test_long(&t);
	return 0;
}
