/* Kernels written out thread by thread: what each warp accesses, one warp after another. */
#ifndef GPU_PLAIN_H
#define GPU_PLAIN_H

#include "gpu_entries.h"

/* A thread of the launch that is being run. */
struct thread {
	int64_t bx, by, tx, ty;
};

struct plain {
	struct td_gpu_app *app; /* for the arrays' addresses alone */
	struct entries *to;
	int64_t n, grid_x, grid_y; /* n: the side, as the kernels need it */
	int64_t arg, from, into;   /* of the launch */
	uint32_t kernel, block, warp;
	/* The warp's instruction that its lanes do. */
	unsigned pc;
	size_t first; /* its first event */
};

/* The thread takes part: element `index` of the array. */
static inline void touch(struct plain *p, unsigned array, bool write, int64_t index)
{
	const struct td_gpu_array *a = &p->app->array[array];

	assert_in_range(index, 0, a->bytes / 4 - 1);
	struct entry e = {.kernel = p->kernel,
			  .block = p->block,
			  .warp = p->warp,
			  .array = array,
			  .page = (a->base + (uint64_t)index * 4) / PAGE_BYTES,
			  .pc = p->pc,
			  .write = write};
	for (size_t i = p->first; i < p->to->n; i++) {
		if (p->to->at[i].page == e.page)
			return;
	}
	keep(p->to, e);
}

/* One thread's k-th instruction; false: there are no more. */
typedef bool kernel_fn(struct plain *p, struct thread t, int64_t k);

static inline void run_warp(struct plain *p, kernel_fn *fn, int64_t bx, int64_t by, int64_t block_x,
			    int64_t threads)
{
	bool more = true;

	for (int64_t k = 0; more; k++) {
		p->first = p->to->n;
		for (int64_t l = p->warp * LANES; l < threads && l < (p->warp + 1) * LANES; l++)
			more = fn(p, (struct thread){bx, by, l % block_x, l / block_x}, k);
	}
}

static inline void run_launch(struct plain *p, kernel_fn *fn, int64_t grid_x, int64_t grid_y,
			      int64_t block_x, int64_t block_y)
{
	p->grid_x = grid_x;
	p->grid_y = grid_y;
	p->block = 0;
	for (int64_t by = 0; by < grid_y; by++) {
		for (int64_t bx = 0; bx < grid_x; bx++, p->block++) {
			for (p->warp = 0; p->warp * LANES < block_x * block_y; p->warp++)
				run_warp(p, fn, bx, by, block_x, block_x * block_y);
		}
	}
	p->kernel++;
}

#endif
