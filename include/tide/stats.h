/* What a run counted, and how the structs of the library grow.
 *
 * A public struct begins with `size`: the program sets it to the sizeof that it was compiled with.
 * The library reads and writes no further. A member that an older program does not have counts as
 * 0 (of struct tide_facts: as not known). A member that an older library does not know is refused
 * if the program set it, and is 0 in what the library fills. A size of 0 is refused. The library
 * itself sets the size of a struct that it allocates. New members come at the end.
 *
 * Structs without a size keep their layout for good: struct tide_error, struct tide_event, struct
 * tide_batch and its parts, struct tide_pool_pin, struct tide_param and rows of arrays. */
#ifndef TIDE_STATS_H
#define TIDE_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Other structs contain struct tide_counts, so it has room for the counters to come, and its size
 * stays. */
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
