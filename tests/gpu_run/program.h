/* What the programs of this folder share. */
#ifndef GPU_RUN_PROGRAM_H
#define GPU_RUN_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

#include "driver.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A call that must work. */
#define MUST(call) \
	do { \
		cu_result must = cu->call; \
		if (must) { \
			fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, must); \
			exit(1); \
		} \
	} while (0)

extern const struct driver *cu;

/* The driver and its primary context, which becomes current. */
void program_begin(void);
/* Says the peak of the device's memory. */
void program_end(void);
/* An image of these kernels. */
cu_module program_module(const struct fake_kernel *kernels, size_t n);

uint64_t program_sum(uint64_t sum, const void *data, size_t bytes);
uint64_t program_mix(uint64_t x);

#endif
