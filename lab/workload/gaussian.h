/* Normally distributed numbers, the same on every machine. */
#ifndef TD_WORKLOAD_GAUSSIAN_H
#define TD_WORKLOAD_GAUSSIAN_H

#include "tide/event.h"

/* Mean 0, deviation 1, within 6: twelve even numbers of 16 bits have the variance of 2^32. */
static inline double td_gaussian_next(uint64_t *random)
{
	int64_t sum = -6 * INT64_C(65535);

	for (unsigned word = 0; word < 3; word++) {
		uint64_t bits = tide_random_next(random);
		for (unsigned i = 0; i < 4; i++)
			sum += (int64_t)(bits >> 16 * i & 0xffff);
	}
	return (double)sum * 0x1p-16;
}

#endif
