/* Counting calls (FAKE_CUDA_COUNT=FILE) and making them fail (FAKE_CUDA_FAIL=NAME:N[+][:CODE],...).
 */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "fake.h"

static const char *const names[] = {
#define CALL(name, base, since, arguments) #name,
#include "../driver.def"
#undef CALL
};

static struct call {
	atomic_ulong n;
	unsigned long fails_at; /* 0: never */
	bool and_after;
	cu_result code;
} calls[FAKE_CALLS];

static pid_t process;
static unsigned seed;

static int call_of(const char *name, size_t length)
{
	for (int i = 0; i < FAKE_CALLS; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return i;
	return -1;
}

static void fail_one(const char *text)
{
	size_t length = strcspn(text, ":");
	int i = call_of(text, length);
	if (i < 0 || text[length] != ':') {
		fprintf(stderr, "fake cuda: FAKE_CUDA_FAIL: no function in '%s'\n", text);
		_exit(2);
	}
	char *end;
	calls[i].fails_at = strtoul(text + length + 1, &end, 10);
	calls[i].and_after = *end == '+';
	end += calls[i].and_after;
	calls[i].code = *end == ':' ? atoi(end + 1) : CU_OUT_OF_MEMORY;
}

__attribute__((constructor)) static void begin(void)
{
	process = getpid();
	const char *text = getenv("FAKE_CUDA_SEED");
	seed = text ? (unsigned)strtoul(text, NULL, 10) : 1;
	text = getenv("FAKE_CUDA_FAIL");
	while (text && *text) {
		fail_one(text);
		text += strcspn(text, ",");
		text += *text == ',';
	}
}

/* Only the process that began writes; a child of fork() has nothing to say. */
__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAKE_CUDA_COUNT");
	if (!path || getpid() != process)
		return;
	FILE *f = fopen(path, "w");
	if (!f)
		return;
	for (int i = 0; i < FAKE_CALLS; i++) {
		unsigned long n = atomic_load(&calls[i].n);
		if (n)
			fprintf(f, "%s %lu\n", names[i], n);
	}
	fclose(f);
}

static bool works_without_init(enum fake_call call)
{
	return call == FAKE_cuInit || call == FAKE_cuDriverGetVersion ||
	       call == FAKE_cuGetProcAddress || call == FAKE_cuGetProcAddress_v2 ||
	       call == FAKE_cuGetErrorName || call == FAKE_cuGetErrorString;
}

cu_result fake_enter(enum fake_call call)
{
	struct call *c = &calls[call];
	unsigned long n = atomic_fetch_add(&c->n, 1) + 1;
	if (!works_without_init(call) && !fake_on())
		return CU_NOT_INITIALIZED;
	if (c->fails_at && (n == c->fails_at || (c->and_after && n > c->fails_at)))
		return c->code;
	return CU_OK;
}

/* Each thread draws from its own sequence, so that a thread does not order others. */
unsigned fake_random(unsigned n)
{
	static atomic_uint threads;
	static _Thread_local uint64_t state;
	if (!seed)
		return 0;
	if (!state)
		state = seed * UINT64_C(0x9E3779B97F4A7C15) + atomic_fetch_add(&threads, 1) + 1;
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % n;
}
