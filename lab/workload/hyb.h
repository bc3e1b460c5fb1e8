/* Hybrid sort: its data, and what its two files share. */
#ifndef TD_WORKLOAD_HYB_H
#define TD_WORKLOAD_HYB_H

#include "gpu.h"

#define TD_HYB_BUCKETS 1024

/* Arrays of a sort; dimensions of the application; what a launch that merges or packs does. */
enum { TD_HYB_IN, TD_HYB_OUT, TD_HYB_IND, TD_HYB_PRE, TD_HYB_OFFSETS, TD_HYB_ARRAYS };
enum { TD_HYB_SORT, TD_HYB_TEX };
enum {
	TD_HYB_RUN,     /* fours that a thread merges */
	TD_HYB_THREADS, /* of a bucket */
	TD_HYB_FROM,    /* TD_HYB_IN or TD_HYB_OUT, and to the other */
};

struct td_hyb {
	struct td_gpu_app app;
	uint64_t n;               /* keys */
	float *keys[2];           /* in and out; n and 4 more for every bucket */
	unsigned sorted;          /* after a sort: which of both has the keys in order */
	uint32_t *ind;            /* per key: its bucket, and which of its block's there it is */
	uint32_t *pre;            /* [block][bucket]: keys; then those of the blocks before */
	uint32_t blocks;          /* of 32 threads, that put keys into buckets */
	uint32_t largest, passes; /* keys of the largest bucket; merges that it takes */
	/* Where buckets begin: in whole fours while they are sorted, then without gaps. */
	uint32_t first[TD_HYB_BUCKETS + 1], packed[TD_HYB_BUCKETS + 1];
	uint32_t sum[TD_HYB_BUCKETS];
};

/* The key that a random number makes: uniform in [0, 1). */
static inline float td_hyb_key(uint64_t random)
{
	return (float)(random >> 40) * 0x1p-24f;
}

/* Each sort has arrays of its own, in the same memory here. */
static inline unsigned td_hyb_array(const struct td_gpu_app *app, unsigned which)
{
	return (unsigned)app->p[TD_HYB_SORT] * TD_HYB_ARRAYS + which;
}

/* Bodies: sort fours; merge runs; pack the buckets. */
bool td_hyb_fours(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out);
bool td_hyb_merge(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out);
bool td_hyb_pack(struct td_gpu_app *app, struct td_gpu_warp *w, struct td_gpu_access *out);

#endif
