#include "common.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WRITTEN (1ull << 63) /* in a page's number, once the bench wrote it */

void bench_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("bench: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t bench_wall_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

uint64_t bench_cpu_ns(void)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

char *bench_memory(size_t bytes)
{
	const size_t align = 2ul << 20;
	char *p = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		bench_fail("no %zu bytes of memory: %s", bytes, strerror(errno));
	p = (char *)(((uintptr_t)p + align - 1) & ~(align - 1));
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

void bench_child(void (*measure)(const void *arg, struct bench_result *out), const void *arg,
		 struct bench_result *out)
{
	struct bench_result *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 1;
	pid_t pid;

	if (shared == MAP_FAILED)
		bench_fail("no memory: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		measure(arg, shared);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		bench_fail("no child: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bench_fail("a measurement ended with %s %d",
			   WIFEXITED(status) ? "status" : "signal",
			   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	*out = *shared;
	munmap(shared, sizeof *shared);
}

void bench_fill(char *base, size_t bytes)
{
	for (size_t page = 0; page < bytes / BENCH_PAGE; page++)
		*(volatile uint64_t *)(void *)(base + page * BENCH_PAGE) = page;
}

uint64_t bench_check(const char *base, size_t bytes)
{
	uint64_t wrong = 0;

	for (size_t page = 0; page < bytes / BENCH_PAGE; page++)
		wrong += (*(const volatile uint64_t *)(const void *)(base + page * BENCH_PAGE) &
			  ~WRITTEN) != page;
	return wrong;
}

struct toucher {
	const struct bench_touch *t;
	pthread_barrier_t *start;
	unsigned index;
	uint64_t wrong;
};

static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void *touch_part(void *arg)
{
	struct toucher *me = arg;
	const struct bench_touch *t = me->t;
	const size_t n = t->units / t->threads, first = n * me->index;
	uint64_t state = (t->seed + me->index + 1) * 0x9e3779b97f4a7c15;

	pthread_barrier_wait(me->start);
	for (uint64_t i = 0; i < t->accesses; i++) {
		size_t at = t->random ? (size_t)((next_random(&state) >> 32) * n >> 32) : i % n;
		size_t offset = (first + at) * t->unit;
		volatile uint64_t *word = (void *)(t->base + offset);

		if (t->write)
			*word = offset / BENCH_PAGE | WRITTEN;
		else
			me->wrong += (*word & ~WRITTEN) != offset / BENCH_PAGE;
	}
	return NULL;
}

void bench_touch(const struct bench_touch *t, struct bench_result *out)
{
	pthread_barrier_t start;
	struct toucher who[64];
	pthread_t threads[64];
	uint64_t wall_ns, cpu_ns;

	pthread_barrier_init(&start, NULL, t->threads + 1);
	for (unsigned i = 0; i < t->threads; i++) {
		who[i] = (struct toucher){.t = t, .start = &start, .index = i};
		if (pthread_create(&threads[i], NULL, touch_part, &who[i]))
			bench_fail("no thread: %s", strerror(errno));
	}
	wall_ns = bench_wall_ns();
	cpu_ns = bench_cpu_ns();
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < t->threads; i++) {
		pthread_join(threads[i], NULL);
		out->wrong += who[i].wrong;
	}
	out->wall_ns = bench_wall_ns() - wall_ns;
	out->cpu_ns = bench_cpu_ns() - cpu_ns;
	pthread_barrier_destroy(&start);
}

const char *bench_size(uint64_t bytes)
{
	static char texts[8][24];
	static unsigned next;
	char *text = texts[next++ % 8];

	if (bytes % (1 << 20) == 0)
		snprintf(text, sizeof texts[0], "%lluM", (unsigned long long)bytes >> 20);
	else if (bytes % 1024 == 0)
		snprintf(text, sizeof texts[0], "%lluK", (unsigned long long)bytes >> 10);
	else
		snprintf(text, sizeof texts[0], "%llu", (unsigned long long)bytes);
	return text;
}
