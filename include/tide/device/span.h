/* An array of the GPU runtime as a kernel gets it: passed by value. */
#ifndef TIDE_DEVICE_SPAN_H
#define TIDE_DEVICE_SPAN_H

#include <stdint.h>

struct td_dev_control;

struct tide_span {
	uint64_t *entries;              /* of its pages, on the GPU: device/entry.h */
	unsigned char *near_memory;     /* frames */
	struct td_dev_control *control; /* on the GPU: device/control.h */
	uint64_t bytes;
	uint64_t sample_bound; /* pages with a lower hash are sampled */
	uint32_t first_page;   /* its number in the runtime */
	uint32_t page_shift;
	uint64_t zero; /* always 0, but the compiler does not know it: element.cuh makes a load wait
			  with it */
};

#endif
