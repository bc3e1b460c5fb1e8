/* Between the files of wave mode: the pages of an instruction. */
#ifndef TD_WORKLOAD_GPU_TOUCH_H
#define TD_WORKLOAD_GPU_TOUCH_H

#include "gpu_run.h"

/* Blocks side by side in one row of the grid; a wave is a few of them. */
struct td_gpu_strip {
	int64_t bx0, bx1, by; /* blocks bx0 .. bx1 - 1 */
	uint32_t first;       /* number of the first, from the wave's first on */
	/* While leaves are made of an instruction: strips from this one on that access the same;
	 * it is none as a whole; its times are folded. */
	uint32_t alike;
	bool rest, fold;
};

enum td_gpu_leaf_kind {
	TD_GPU_LEAF_SAME,  /* a row of threads; its blocks access the same */
	TD_GPU_LEAF_TRAIN, /* a row of threads of blocks one after another in memory */
	TD_GPU_LEAF_STRIP, /* several rows or times of either */
};

/* Threads of an instruction whose accesses leave no page out: from the lowest byte on, all pages up
 * to that of byte low + span. A step is a list of these. */
struct td_gpu_leaf {
	uint64_t low, span;
	uint32_t strip, copies; /* warps of rows or strips that access the same */
	uint32_t bx0, bx1;
	int32_t tx0, tx1;
	uint32_t time, times;
	uint16_t row, rows;
	uint16_t part; /* of an instruction that needs several formulas */
	uint8_t kind;
	bool fold; /* times follow on one another: tx goes on from one to the next */
};

/* A leaf's turn in a queue. */
struct td_gpu_turn {
	uint32_t at; /* bytes to the end of the page, when it was sorted */
	uint32_t leaf;
};

/* An instruction that is being done, and where in it. */
struct td_gpu_touching {
	struct td_gpu_source *s;
	struct td_gpu_step *step;
	const struct td_gpu_instr *i;
	uint16_t parts;    /* formulas that the instruction takes; they are in the wave's parts */
	int64_t rows_each; /* rows of threads in a warp; 1 where a row is a warp or more */
	uint64_t base;     /* address of the array */
	int64_t apart;     /* bytes from a block to the next */
	const struct td_gpu_strip *strip;
	int64_t time, row;
	bool fold;
	uint64_t copies;
	uint64_t new_first, new_last; /* pages that are new to the step lie there */
	bool direct; /* leaves are touched at once, and make their pages known themselves */
	uint64_t last_page;
	struct td_gpu_slot *last_slot;
	bool in_order; /* the events so far */
};

/* Blocks bx0 .. bx1 - 1 access a page with so many warps; the first to do so is thread tx of block
 * bx. 0 rows or times are 1. */
struct td_gpu_by {
	int64_t bx0, bx1;
	uint64_t warps;
	int64_t bx, tx;
	/* So many rows or times from this one on do the same. */
	uint32_t rows, times;
};

/* A row of threads, or those of blocks one after another. */
struct td_gpu_row {
	uint64_t from;         /* address of the first thread */
	int64_t apart, length; /* from block to block; from first thread to last of a block */
	int64_t bx0, bx1, tx0, tx1;
};

/* n rows (or times of a row), each `shift` bytes further up than the one before. */
struct td_gpu_rows {
	int64_t n, shift;
	bool are_times;
};

/* The order of a thread among those of an instruction: time, block of the wave, row, tx. */
#define TD_GPU_ORDER_TIME 44
#define TD_GPU_ORDER_BLOCK 22
#define TD_GPU_ORDER_ROW 11

static inline struct td_gpu_leaf *td_gpu_leaves(const struct tide_vec *v)
{
	return (struct td_gpu_leaf *)(void *)v->at;
}

/* The instruction d->i, or part of one. */
static inline void td_gpu_aim(struct td_gpu_touching *d, const struct td_gpu_instr *i)
{
	d->i = i;
	d->base = d->s->app->array[i->array].base;
	d->apart = d->s->launch.x_step * i->per_x + i->per_bx;
}

/* Adds the leaves of d->i to the step's, or touches them where they are direct: 0 or -ENOMEM. */
int td_gpu_leaf_add(struct td_gpu_touching *d, uint16_t part);

/* Puts the leaf's accesses to pages that are new to the step into their events: 0 or -ENOMEM. Their
 * blocks and warps are for the caller to tell from their order. */
int td_gpu_touch(struct td_gpu_touching *d, const struct td_gpu_leaf *leaf);

/* The leaves of a step whose pages were told of already. */
int td_gpu_move_settle(struct td_gpu_touching *d);
/* The step's leaves become those of `before`, and none are left. */
void td_gpu_move_begin(struct td_gpu_step *step);
/* The step's leaves have replaced those of `before`, or are to move on by so many bytes: pages that
 * are new become events of s->ready. 0 or -ENOMEM. */
int td_gpu_move_all(struct td_gpu_touching *d);
int td_gpu_move_by(struct td_gpu_touching *d, int64_t bytes);

/* Parts of it: a page; warps of blocks bx0 .. bx1 - 1 of a row that access from address start to
 * before end; who is the first to access the page that begins at `start`; many rows. */
int td_gpu_touch_page(struct td_gpu_touching *d, uint64_t page, const struct td_gpu_by *by);
uint64_t td_gpu_row_warps(const struct td_gpu_touching *d, const struct td_gpu_row *t, int64_t bx0,
			  int64_t bx1, uint64_t start, uint64_t end);
void td_gpu_row_first(const struct td_gpu_touching *d, const struct td_gpu_row *t, uint64_t start,
		      struct td_gpu_by *by);
int td_gpu_touch_rows(struct td_gpu_touching *d, const struct td_gpu_row *r,
		      const struct td_gpu_rows *rows);

void td_gpu_sort(struct td_gpu_event *at, uint32_t n); /* by their order */

extern const size_t td_gpu_tally_bytes; /* of an item of the wave's tallies */

#endif
