/* What tide run says of a run on a GPU, from figures that processes have published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After the headers that cmocka needs. */
#include <cmocka.h>

#include "cli/run/run.h"

#define GIB (UINT64_C(1) << 30)

static int set_up(void **state)
{
	struct td_run *r = calloc(1, sizeof *r);

	r->verb = "run";
	r->seconds = 10;
	r->gpu.settings.threshold = "1048576";
	r->gpu.slots = calloc(1, sizeof *r->gpu.slots);
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct td_run *r = *state;

	free(r->gpu.slots);
	free(r);
	return 0;
}

/* One more process, whose figures are still to be made. */
static struct td_gpu_said *add_process(struct td_run *r, const char *program, int pid)
{
	struct td_gpu_slot *s = &r->gpu.slots->at[atomic_fetch_add(&r->gpu.slots->used, 1)];

	s->pid = pid;
	snprintf(s->program, sizeof s->program, "%s", program);
	atomic_store(&s->state, TD_GPU_SLOT_ENDED);
	strcpy(s->said.evict, "mhpe");
	strcpy(s->said.prefetch, "locality");
	strcpy(s->said.trust, "args");
	return &s->said;
}

static void add_kernel(struct td_gpu_said *s, const char *name, uint64_t waited_ns, uint64_t remote)
{
	struct td_gpu_kernel *k = &s->kernels[s->kernels_n++];

	snprintf(k->name, sizeof k->name, "%s", name);
	k->launches = 100;
	k->waited_launches = waited_ns ? 50 : 0;
	k->waited_ns = waited_ns;
	k->remote_launches = remote;
}

static void fill(struct td_gpu_said *s)
{
	struct td_gpu_figures *f = &s->figures;

	f->near_limit_bytes = 8 * GIB;
	f->near_most_bytes = 7 * GIB;
	f->host_limit_bytes = 64 * GIB;
	f->host_most_bytes = 6 * GIB;
	f->allocated_most_bytes = 13 * GIB;
	f->allocations = 300;
	f->in_bytes = 80 * GIB;
	f->out_bytes = 40 * GIB;
	f->clean_bytes = 30 * GIB;
	f->launches = 12345;
	f->waited_launches = 1000;
	f->waited_ns = 1500000000;
	f->moving_ns = 2500000000;
	f->bus_bytes_per_second = 9 * GIB * 4;
	s->counts.evicted_chunks = 1280;
	s->counts.migrated_pages = 40960;
	s->counts.prefetched_pages = 20480;
}

/* The report is this text. */
static void check(const struct td_run *r, const char *wanted)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	td_run_gpu_summary(r, to);
	fclose(to);
	assert_string_equal(text, wanted);
	free(text);
}

static void says_all(void **state)
{
	struct td_run *r = *state;
	struct td_gpu_said *s = add_process(r, "python3", 7);

	fill(s);
	s->figures.unmanaged_most_bytes = 400 << 20;
	s->figures.passed_allocations = 1200;
	add_kernel(s, "short", 1000000, 0);
	add_kernel(s, "idle", 0, 0);
	add_kernel(s, "long", 1400000000, 0);
	check(r,
	      "tide run: python3 (7): GPU memory, trust args\n"
	      "  gpu      at most 7 GiB of 8 GiB, for 13 GiB allocated\n"
	      "  host     at most 6 GiB behind it, of 64 GiB\n"
	      "  aside    at most 400 MiB on the GPU not managed: 1,200 allocations below the "
	      "threshold,\n"
	      "           and what the program maps, shares or leaves to CUDA's managed memory\n"
	      "  moved    80 GiB in, 40 GiB out, of it 75.00% unchanged and not copied\n"
	      "  bus      25.00% of 38.7 GB/s over 10.000 s; memory moved in 25.00% of it\n"
	      "  launches 12,345; 1,000 waited 1.500 s in all, 15.00% of the run; 0 read over the "
	      "bus\n"
	      "  policies mhpe evicted 1,280 chunks; locality prefetched 20,480 pages, 50.00% of "
	      "those that came\n"
	      "  kernels that waited longest:\n"
	      "        1.400 s  50 of 100 launches  long\n"
	      "        0.001 s  50 of 100 launches  short\n");
}

static void says_what_went_wrong(void **state)
{
	struct td_run *r = *state;
	struct td_gpu_said *s = add_process(r, "train", 8);

	atomic_store(&r->gpu.slots->at[0].state, TD_GPU_SLOT_ON);
	fill(s);
	strcpy(s->trust, "none");
	strcpy(s->ejected, "mhpe");
	s->figures.bus_bytes_per_second = 0;
	s->figures.host_limit_bytes = 0;
	s->figures.waited_ns = 5000000000;
	s->figures.remote_launches = 3;
	s->figures.failures = 2;
	s->figures.refused_allocations = 1;
	add_kernel(s, "\033[31m a name that is longer than what a line of the report has room for",
		   0, 3);
	check(r,
	      "tide run: train (8): GPU memory, trust none; cut short, as it last was\n"
	      "  gpu      at most 7 GiB of 8 GiB, for 13 GiB allocated\n"
	      "  host     at most 6 GiB behind it\n"
	      "  moved    80 GiB in, 40 GiB out, of it 75.00% unchanged and not copied\n"
	      "  launches 12,345; 1,000 waited 5.000 s in all, 50.00% of the run; 3 read over the "
	      "bus\n"
	      "  policies mhpe evicted 1,280 chunks; locality prefetched 20,480 pages, 50.00% of "
	      "those that came\n"
	      "  ejected  mhpe, after invalid answers\n"
	      "  errors   2 moves failed; the memory stayed where it was\n"
	      "  refused  1 allocations had no room on GPU and host: give more\n"
	      "  kernels that read memory over the bus, for want of room:\n"
	      "    3 of 100 launches  \\x1b[31m a name that is longer than what a line of the rep..\n"
	      "  hint     launches that read over the bus are slow: give more --gpu-near\n"
	      "  hint     --gpu-trust args moves memory beside kernels, where arguments name all\n"
	      "           that kernels touch\n");
}

static void says_nothing_was_managed(void **state)
{
	struct td_run *r = *state;

	check(r,
	      "tide run: no GPU memory was managed: no process used CUDA, or tide was not in it, "
	      "since\n"
	      "  it is linked statically, or has a cleared environment or another LD_PRELOAD\n");
	add_process(r, "small", 9)->figures.passed_allocations = 7;
	add_process(r, "none", 10);
	check(r, "tide run: small (9): GPU memory, trust args\n"
		 "  nothing was managed: all 7 allocations are below 1 MiB; give a smaller "
		 "--gpu-threshold\n"
		 "tide run: none (10): GPU memory, trust args\n"
		 "  nothing was managed: it allocated no GPU memory, or only by calls that tide "
		 "leaves\n"
		 "  alone, such as cudaMallocManaged() and cuMemMap()\n");
}

/* Figures are summed, the speed of the bus is not, and a kernel of several processes is one. */
static void adds_processes(void **state)
{
	struct td_run *r = *state;
	struct td_gpu_said total;
	char name[32];

	for (int i = 0; i < 3; i++) {
		struct td_gpu_said *s = add_process(r, "worker", 20 + i);
		fill(s);
		add_kernel(s, "shared", 1000, 2);
		for (int k = 0; k < TD_GPU_KERNELS_MAX - 1; k++) {
			snprintf(name, sizeof name, "own-%d-%d", i, k);
			add_kernel(s, name, (uint64_t)(i * 100 + k), 0);
		}
	}
	td_run_gpu_total(r, &total);
	assert_int_equal(total.figures.in_bytes, 240 * GIB);
	assert_int_equal(total.figures.bus_bytes_per_second, 36 * GIB);
	assert_int_equal(total.counts.evicted_chunks, 3 * 1280);
	assert_int_equal(total.kernels_n, TD_GPU_KERNELS_MAX);
	assert_string_equal(total.kernels[0].name, "shared");
	assert_int_equal(total.kernels[0].waited_ns, 3000);
	assert_int_equal(total.kernels[0].launches, 300);
	assert_string_equal(total.kernels[1].name, "own-2-14");
}

/* A program can write what it likes into the table. */
static void survives_nonsense(void **state)
{
	struct td_run *r = *state;
	struct td_gpu_said *s = add_process(r, "bad", 30);
	json_t *json;

	memset(s, 0xff, sizeof *s);
	memset(r->gpu.slots->at[0].program, 'x', sizeof r->gpu.slots->at[0].program);
	json = td_run_gpu_json(r);
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "kernels")), 1);
	assert_string_equal(json_string_value(json_object_get(json, "in_bytes")),
			    "18446744073709551615");
	json_decref(json);
	atomic_store(&r->gpu.slots->used, UINT32_MAX);
	assert_int_equal(td_run_gpu_processes(r), TD_GPU_SLOTS_MAX);
}

static void makes_json(void **state)
{
	struct td_run *r = *state;
	struct td_gpu_said *s = add_process(r, "python3", 7);
	json_t *json, *one;

	fill(s);
	add_kernel(s, "long", 1400000000, 0);
	json = td_run_gpu_json(r);
	assert_int_equal(json_integer_value(json_object_get(json, "launches")), 12345);
	assert_string_equal(json_string_value(json_object_get(json, "evict")), "mhpe");
	assert_true(json_is_null(json_object_get(json, "ejected")));
	one = json_array_get(json_object_get(json, "processes"), 0);
	assert_true(json_is_true(json_object_get(one, "complete")));
	one = json_object_get(one, "counts");
	assert_int_equal(json_integer_value(json_object_get(one, "prefetched_pages")), 20480);
	one = json_array_get(json_object_get(json, "kernels"), 0);
	assert_string_equal(json_string_value(json_object_get(one, "name")), "long");
	json_decref(json);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(says_all),       TEST(says_what_went_wrong), TEST(says_nothing_was_managed),
		TEST(adds_processes), TEST(survives_nonsense),    TEST(makes_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
