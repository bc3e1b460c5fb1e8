/* What the host tells the code that is patched into kernels, in device memory. */
#ifndef GPU_PAGES_RECORDER_H
#define GPU_PAGES_RECORDER_H

#include <stdint.h>

enum { PAGE_SHIFT = 16 }; /* pages of 64 KiB */

struct recorder {
	uint64_t base, bytes; /* the arrays; other memory is not recorded */
	uint32_t *seen;       /* when a page was last recorded, twice: read and written; 0: never */
	uint32_t *out;        /* page * 2 + written, in the order of the accesses */
	uint32_t n, room;     /* of out; n goes on counting where there is none */
	uint32_t pause;       /* of a page after it was recorded, in units of 1,024 ns */
};

#endif
