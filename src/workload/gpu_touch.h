/* Between the files of wave mode: the pages of an instruction. */
#ifndef TD_WORKLOAD_GPU_TOUCH_H
#define TD_WORKLOAD_GPU_TOUCH_H

#include "gpu_run.h"

/* Blocks side by side in one row of the grid; a wave is a few of them. */
struct td_gpu_strip {
	int64_t bx0, bx1, by; /* blocks bx0 .. bx1 - 1 */
	uint32_t first;       /* number of the first, from the wave's first on */
};

/* An instruction that is being done, and where in it. */
struct td_gpu_touching {
	struct td_gpu_source *s;
	struct td_gpu_step *step;
	const struct td_gpu_instr *i;
	int64_t rows_each; /* rows of threads in a warp; 1 where a row is a warp or more */
	uint64_t base;     /* address of the array */
	int64_t apart;     /* bytes from a block to the next */
	const struct td_gpu_strip *strip;
	int64_t time, row;
	uint64_t row_at;  /* address of the row's first thread, were it in block 0 */
	uint32_t alike;   /* strips that access the same */
	uint64_t copies;  /* warps of rows or strips that do */
	int64_t down, up; /* bytes by which all may move and stay in their pages */
	uint64_t last_page;
	struct td_gpu_slot *last_slot;
	bool in_order; /* the events so far */
};

/* The order of a thread among those of an instruction: time, block of the wave, row, tx. */
#define TD_GPU_ORDER_TIME 44
#define TD_GPU_ORDER_BLOCK 22
#define TD_GPU_ORDER_ROW 11

/* Puts the pages of all threads into the step's set, and those that are new to it into s->ready:
 * 0 or -ENOMEM. Their blocks and warps are for the caller to tell from their order. */
int td_gpu_touch(struct td_gpu_touching *t);

extern const size_t td_gpu_tally_bytes; /* of an item of the wave's tallies */

#endif
