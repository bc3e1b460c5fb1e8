/* Between scale.c and states.c. */
#ifndef BENCH_PAGER_STATES_H
#define BENCH_PAGER_STATES_H

#include <stdio.h>

/* Prints what every combination of policies that runs live needs per chunk; how many are over the
 * limit. */
unsigned bench_states(FILE *results);

#endif
