/* Kernels that break the rules of tide/device.cuh, compiled with its checks. Each ends the context
 * of the process, so a process runs one of them: misuse CASE. Prints what the launch says. */
#ifndef UNCHECKED
#define TIDE_DEVICE_CHECK
#endif
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "tide/device.cuh"

#define WORDS 4096

/* The one thing that is right: the checks let it through. */
__global__ void right(tide_span a, tide_span b)
{
	tide_cursor<uint64_t> at(a);
	uint64_t lane = threadIdx.x % 32;
	at.write(32)[lane] = at.get(lane) + 1;
	tide_each<uint64_t>(a, WORDS - 5, [&](uint64_t i, uint64_t v, bool on) {
		tide_write<uint64_t>(b, i, v, on);
	});
	tide_wishes wishes;
	wishes.add<uint64_t>(a, 0);
	wishes.bring();
	at.end();
}

/* Half of the lanes are elsewhere. */
__global__ void diverged(tide_span a, tide_span b)
{
	(void)b;
	if (threadIdx.x % 32 < 16)
		tide_write<uint64_t>(a, threadIdx.x, 1);
	__syncthreads();
}

/* Lanes beyond the end leave, as kernels without tide often do. */
__global__ void early(tide_span a, tide_span b)
{
	(void)b;
	if (threadIdx.x % 32 == 31)
		return;
	tide_write<uint64_t>(a, threadIdx.x, 1);
}

/* A collective in a body that is not called by all lanes. */
__global__ void tail(tide_span a, tide_span b)
{
	tide_each<uint64_t>(a, WORDS - 5,
			    [&](uint64_t i, uint64_t v) { tide_write<uint64_t>(b, i, v); });
}

__global__ void mixed(tide_span a, tide_span b)
{
	if (threadIdx.x % 2)
		tide_write<uint64_t>(a, threadIdx.x, 1);
	else
		tide_read<uint64_t>(b, threadIdx.x);
}

__global__ void beyond(tide_span a, tide_span b)
{
	(void)b;
	tide_write<uint64_t>(a, WORDS - 31 + threadIdx.x % 32, 1);
}

__global__ void different(tide_span a, tide_span b)
{
	(void)b;
	tide_cursor<uint64_t> at(a);
	*at.write(threadIdx.x) = 1;
}

__global__ void pins(tide_span a, tide_span b)
{
	tide_cursor<uint64_t> one(a), two(b), three(b);
	uint64_t sum = *one.read(0);
	sum += *three.read(1024);
	*two.write(0) = sum;
}

/* Waits for ever, where tide cannot see it. */
__global__ void stuck(tide_span a, tide_span b)
{
	(void)b;
	volatile uint64_t *word = &a.control->pages;
	tide_write<uint64_t>(a, threadIdx.x, 1);
	while (*word)
		__nanosleep(1000);
}

static const struct {
	const char *name;
	void (*kernel)(tide_span, tide_span);
	unsigned threads;
} cases[] = {
	{"right", right, 128},        {"diverged", diverged, 64}, {"early", early, 64},
	{"tail", tail, 128},          {"mixed", mixed, 64},       {"beyond", beyond, 32},
	{"different", different, 32}, {"pins", pins, 32},         {"stuck", stuck, 64},
	{"blocks", right, 48},
};

static int run(const char *name, const char *storage, struct tide_error *err)
{
	struct tide_gpu *g = NULL;
	struct tide_span a = {}, b = {};
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.page = "4K";
	o.near_size = "256p";
	o.storage = storage;
	o.timeout = "2s";
	o.watch = "4s";
	int rc = tide_gpu_open(&g, &o, err);
	if (!rc)
		rc = tide_gpu_array(g, &a, WORDS * 8, NULL, err);
	if (!rc)
		rc = tide_gpu_array(g, &b, WORDS * 8, NULL, err);
	for (size_t i = 0; i < sizeof cases / sizeof *cases && !rc; i++) {
		if (!strcmp(cases[i].name, name))
			rc = tide_launch(g, err, 2, cases[i].threads, 2, cases[i].kernel, a, b);
	}
	tide_gpu_close(g, NULL);
	return rc;
}

int main(int argc, char **argv)
{
	struct tide_error err = {};
	if (argc != 3)
		return fprintf(stderr, "usage: misuse CASE STORAGE\n"), 2;
	int rc = run(argv[1], argv[2], &err);
	unlink(argv[2]);
	printf("%s\n", rc ? err.text : "ok");
	return rc == -ENODEV ? 3 : rc ? 1 : 0;
}
