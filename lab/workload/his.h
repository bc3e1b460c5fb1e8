/* The data of HISTO. */
#ifndef TD_WORKLOAD_HIS_H
#define TD_WORKLOAD_HIS_H

#include "gpu.h"

/* A block of `main` counts one range of bins, in shared memory. The hot ranges, in the middle, are
 * counted so; the few samples in other bins go to memory one by one. */
enum { TD_HIS_RANGE = 24576, TD_HIS_PLANES = 14, TD_HIS_WIDTH = 996, TD_HIS_COUNT_MOST = 255 };

struct td_his {
	struct td_gpu_app app;
	uint32_t rows, bins;   /* of the image, of the histogram */
	uint32_t first, range; /* the first hot bin; how many hot ranges */
	uint32_t *input;       /* bins of the samples */
	uint32_t *map;         /* and in the order of the map */
	uint8_t *sub;          /* counts of hot bins modulo 256, one plane after another */
	uint32_t *overflow;    /* the rest of those counts, in all planes; per bin */
	uint16_t *cold;        /* counts of the others, per bin */
	uint8_t *final;        /* per bin, at most TD_HIS_COUNT_MOST */
};

#endif
