/* Between the files that make leaves. */
#ifndef TD_WORKLOAD_GPU_LEAF_H
#define TD_WORKLOAD_GPU_LEAF_H

#include "gpu_touch.h"

/* Blocks of a strip that take part: those at the ends perhaps in part, which are cut. */
struct td_gpu_cuts {
	int64_t any0, whole0, whole1, any1;
	int64_t tx0, tx1; /* threads of whole blocks */
};

/* Rows of threads of the strip that take part. */
struct td_gpu_taking {
	int64_t from, to;
	uint64_t copies;
};

static inline int64_t td_gpu_floor(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static inline int64_t td_gpu_between(int64_t a, int64_t least, int64_t most)
{
	return a < least ? least : a > most ? most : a;
}

int64_t td_gpu_leaf_threads(const struct td_gpu_touching *d); /* of a row of a block */
/* Threads of a block that take part at d->time; blocks of d->strip that do, and rows. */
void td_gpu_leaf_cut(const struct td_gpu_touching *d, int64_t bx, int64_t *tx0, int64_t *tx1);
void td_gpu_leaf_cuts(const struct td_gpu_touching *d, struct td_gpu_cuts *c);
void td_gpu_leaf_rows(const struct td_gpu_touching *d, uint32_t alike, struct td_gpu_taking *r);
/* Address of a row's first thread, were it in block 0. */
uint64_t td_gpu_leaf_at(const struct td_gpu_touching *d, int64_t row);

int td_gpu_leaf_put(struct td_gpu_touching *d, const struct td_gpu_leaf *leaf);
/* d->strip as one leaf. 1: it is, or is empty; 0: it cannot be; or an error. */
int td_gpu_leaf_strip(struct td_gpu_touching *d, struct td_gpu_leaf leaf, uint32_t alike);

#endif
