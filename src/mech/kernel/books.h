/* The books of mapping kernel: which pages of which process are near, and what the engine makes of
 * that. They make no system call.
 *
 * Addresses of a process are cut into blocks of 2 MiB. A block that holds memory has a number, and
 * its pages have the engine's numbers from 512 times that on. Numbers are used again.
 *
 * For every look at a process:  begin, range ..., end.  Then serve, and the caller carries out what
 * is in `out`, `ahead` and `arm`. */
#ifndef TD_KERNEL_BOOKS_H
#define TD_KERNEL_BOOKS_H

#include "engine/engine.h"
#include "tide/vec.h"

#define TD_KERNEL_BLOCK 512u /* pages */
#define TD_KERNEL_WORDS (TD_KERNEL_BLOCK / 64)
#define TD_KERNEL_RUN 256u /* pages of a run at most: what the kernel is asked for at once */

struct td_kernel_lanes {
	uint64_t present[TD_KERNEL_WORDS]; /* when it was last looked at */
	uint64_t swapped[TD_KERNEL_WORDS];
	uint64_t was[TD_KERNEL_WORDS];    /* swapped at the look before */
	uint64_t near[TD_KERNEL_WORDS];   /* resident for the engine */
	uint64_t ahead[TD_KERNEL_WORDS];  /* of these, pages in the swap cache that nobody has
					     touched */
	uint64_t stayed[TD_KERNEL_WORDS]; /* had to leave, and could not: not near, but present */
};

struct td_kernel_block {
	uint64_t page;    /* the first, as the process has it: address / 4096 */
	uint32_t process; /* UINT32_MAX: the number is free */
	struct td_kernel_lanes lanes;
};

/* A run of pages of one process. */
struct td_kernel_run {
	uint32_t process;
	uint32_t pages;
	uint64_t page;
};

struct td_kernel_runs {
	struct tide_vec runs; /* struct td_kernel_run */
	uint64_t n;
};

struct td_kernel_books {
	struct td_engine *engine;
	uint64_t near_pages;
	struct tide_vec blocks; /* struct td_kernel_block, by number */
	uint64_t blocks_n;      /* numbers given out so far */
	struct tide_vec free;   /* uint32_t: numbers that may be used again */
	uint64_t free_n;
	struct tide_vec maps; /* struct td_kernel_map, by process */
	uint64_t maps_n;
	struct tide_vec news; /* uint32_t: blocks with something new */
	uint64_t news_n;
	uint64_t new_pages;
	struct td_kernel_runs out, ahead, arm;
	uint64_t out_pages, stayed_pages, kernel_out_pages, back_pages, ahead_pages;
	int failed; /* -ENOMEM: the books are not complete */
};

void td_kernel_books_init(struct td_kernel_books *b, uint64_t near_pages);
void td_kernel_books_free(struct td_kernel_books *b);
/* The carrier that td_kernel_books_init() was given an engine for. */
void td_kernel_books_carrier(struct td_kernel_books *b, struct td_engine_carrier *carrier);

/* A look at a process. Ranges are pages first .. end - 1, ascending. */
void td_kernel_books_begin(struct td_kernel_books *b, uint32_t process);
void td_kernel_books_range(struct td_kernel_books *b, uint32_t process, uint64_t first,
			   uint64_t end, bool swapped);
void td_kernel_books_end(struct td_kernel_books *b, uint32_t process);
/* The process has ended. */
void td_kernel_books_drop(struct td_kernel_books *b, uint32_t process);

/* Tells the engine what is new. excess_pages: that should leave; negative: that may still come. */
void td_kernel_books_serve(struct td_kernel_books *b, int64_t excess_pages);

/* Of pages that had to leave, these are still there. */
void td_kernel_books_stayed(struct td_kernel_books *b, uint32_t process, uint64_t first,
			    uint64_t end);
/* Everything may be tried again. */
void td_kernel_books_retry(struct td_kernel_books *b);

static inline const struct td_kernel_run *td_kernel_run_at(const struct td_kernel_runs *r,
							   uint64_t i)
{
	return &((const struct td_kernel_run *)(const void *)r->runs.at)[i];
}

#endif
