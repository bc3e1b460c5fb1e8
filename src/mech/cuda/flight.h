/* Pages on their way between memory and files while no kernel runs. */
#ifndef TD_MECH_CUDA_FLIGHT_H
#define TD_MECH_CUDA_FLIGHT_H

#include "runtime.h"

struct td_cuda_leg {
	struct td_io_request io;
	uint32_t page;
};

struct td_cuda_flight {
	struct tide_gpu *g;
	unsigned room, n;      /* places for pages; pages in them */
	unsigned char *buffer; /* pinned; one page per place */
	uint64_t bytes;
	struct td_cuda_leg *legs;
};

unsigned char *td_cuda_flight_buffer(const struct td_cuda_flight *f, unsigned i);
/* Adds a page whose memory is at addr; there are `room` places. */
void td_cuda_flight_add(struct td_cuda_flight *f, uint32_t page, void *addr, bool write);
/* Moves all pages that were added. The results are in the legs. */
void td_cuda_flight_go(struct td_cuda_flight *f);
/* Writes the sentence about a leg that failed. */
int td_cuda_flight_fail(const struct td_cuda_flight *f, unsigned i, struct tide_error *err);

#endif
