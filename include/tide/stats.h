/* What a run counted, and how the structs of the library grow.
 *
 * A public struct begins with `size`: the program sets it to the sizeof that it was compiled with.
 * The library reads and writes no further than that. A member that an older program does not have
 * counts as 0 (in struct tide_facts: as not known). If the program sets a member that an older
 * library does not know, the library refuses the struct. If the library fills the struct, such a
 * member is 0. The library refuses a size of 0. It sets the size itself in a struct that it
 * allocates. New members come at the end.
 *
 * These structs have no size. struct tide_error, struct tide_param and the rows of arrays (struct
 * tide_mrc_point and others) keep their layout for good; a test has their sizes. Only the library
 * makes struct tide_batch and the other structs that a policy is shown, and they grow at their
 * ends. */
#ifndef TIDE_STATS_H
#define TIDE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Other structs contain struct tide_counts, so its size must stay. It has room for later counts. */
enum {
	TIDE_COUNTERS_MAX = 63,
	TIDE_COUNTERS = 0
#define TIDE_COUNTER(name, help) +1
#include "counters.def"
#undef TIDE_COUNTER
};

struct tide_counts {
	size_t size; /* sizeof(struct tide_counts) */
#define TIDE_COUNTER(name, help) uint64_t name;
#include "counters.def"
#undef TIDE_COUNTER
	uint64_t later[TIDE_COUNTERS_MAX - TIDE_COUNTERS]; /* 0 */
};

#endif
