/* What the cases of run_calls share: words that tell where they are, and a check that ends it all.
 */
#ifndef RUN_CALLS_H
#define RUN_CALLS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MB ((size_t)1 << 20)
#define PAGE ((size_t)4096)
#define SIZE (12 * MB)
#define RW (PROT_READ | PROT_WRITE)

#define CHECK(what) \
	do { \
		if (!(what)) \
			fail(__FILE__, __LINE__, #what); \
	} while (0)

__attribute__((noreturn)) static inline void fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s (%s)\n", file, line, what, strerror(errno));
	_exit(1);
}

static inline uint64_t word(size_t i, uint64_t seed)
{
	return (i + 1) * 0x9e3779b97f4a7c15u ^ seed;
}

/* Sixteen words of every page. */
static inline void fill(void *p, size_t bytes, uint64_t seed)
{
	uint64_t *w = p;

	for (size_t i = 0; i < bytes / 8; i += 32)
		w[i] = word(i, seed);
}

static inline bool holds(const void *p, size_t bytes, uint64_t seed)
{
	const uint64_t *w = p;

	for (size_t i = 0; i < bytes / 8; i += 32)
		if (w[i] != word(i, seed))
			return false;
	return true;
}

static inline bool is_zero(const void *p, size_t bytes)
{
	const uint64_t *w = p;

	for (size_t i = 0; i < bytes / 8; i += 8)
		if (w[i])
			return false;
	return true;
}

static inline void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* The signal that this access leads to, or 0; handle(sig) first. */
void handle(int sig);
int access_signal(volatile char *p, bool write);
void on_signal(int sig, siginfo_t *info, void *context);

/* The cases. */
void heap(void), parts(void), remap(void), advice(void), any_order(void), protect(void),
	no_protect(void), bus(void), alarms_come(void), threads(void), files(void), closing(void),
	forks(void), guarded_forks(void), no_forks(void), ends_by_exit(void), ends_by_signal(void),
	ends_busy(void), ends_in_malloc(void), ends_twice(void), ends_last(void),
	ends_quickly(void), waiting(void), jumps(void), cancels(void), library_forks(void),
	early_forks(void), bus_jumps(void), stacks(void), direct(void), library(void), sparse(void),
	opening(void), structures(void);

#endif
