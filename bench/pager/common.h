/* What the benches of the pager share: clocks, measurements in processes of their own, and the
 * accesses themselves, which are the same code whoever serves their faults. */
#ifndef BENCH_PAGER_COMMON_H
#define BENCH_PAGER_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_PAGE 4096ul

/* One line on standard error, then the end with status 1. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

uint64_t bench_wall_ns(void);
uint64_t bench_cpu_ns(void); /* of the processor, all threads of the process */

/* Anonymous memory in small pages, which the kernel does not merge. */
char *bench_memory(size_t bytes);

struct bench_result {
	uint64_t wall_ns, cpu_ns;
	uint64_t faults, evicted_bytes, evict_ns;
	uint64_t wrong;    /* words that were not what they should be */
	char refused[512]; /* why this cannot be measured here; empty: it was */
};

/* Runs it in a child, so that every measurement starts from the same memory. */
void bench_child(void (*measure)(const void *arg, struct bench_result *out), const void *arg,
		 struct bench_result *out);

/* One access per unit at a time: in order, or at random. Each thread has a part of its own. */
struct bench_touch {
	char *base;
	size_t unit, units; /* bytes; all threads together */
	unsigned threads;
	bool random, write;
	uint64_t accesses; /* of each thread */
	uint64_t seed;
};

/* Every page gets its number, so that a wrong one is found. */
void bench_fill(char *base, size_t bytes);
void bench_touch(const struct bench_touch *t, struct bench_result *out);
uint64_t bench_check(const char *base, size_t bytes); /* how many pages are wrong */

/* "4096" as "4K"; the text is one of a few static ones, good until the eighth call after. */
const char *bench_size(uint64_t bytes);

#endif
