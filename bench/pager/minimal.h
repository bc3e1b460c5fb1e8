/* The baseline: the shortest handler that pages right, with nothing of tide in it. */
#ifndef BENCH_PAGER_MINIMAL_H
#define BENCH_PAGER_MINIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MINIMAL_PARTS 64

struct minimal_options {
	size_t unit, units, near_units; /* bytes; how many there are, how many may be near */
	unsigned parts;                 /* one per thread, which alone touches it */
	bool write_out; /* false: nothing is written but by the fill, so victims are only dropped */
};

/* The memory, absent; far memory is filled as bench_fill() does. NULL: userfaultfd is refused. One
 * per process. */
char *minimal_open(const struct minimal_options *options);

/* Since the last call of it. */
void minimal_figures(uint64_t *faults, uint64_t *evicted_bytes, uint64_t *evict_ns);

#endif
