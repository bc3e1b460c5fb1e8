/* What a run counted. */
#ifndef TIDE_STATS_H
#define TIDE_STATS_H

#include <stdint.h>

struct tide_counts {
#define TIDE_COUNTER(name, help) uint64_t name;
#include "counters.def"
#undef TIDE_COUNTER
};

#endif
