/* The tables that all threads of the GPU share. It compiles as C too: tests run the same protocol
 * with threads of the processor as warps.
 *
 *     near memory (GPU)          host memory, pinned                    files
 *     frames 0..frames-1         slots 0..slots-1                       by proxies of the processor
 *     owner[frame] -> page       slot_page[slot] -> page
 *
 *     entries[page]: state and where it is (device/entry.h); own[page]: the placement's words
 *
 * Frames and slots are divided among shards. Each shard has a lock, a clock hand over its frames,
 * and a list of the tier 2 pages in its slots in order of arrival. A shard has more slots than tier
 * 2 pages: the others carry pages on their way to and from files. A lock is held for a look-up,
 * never for a copy. */
#ifndef TIDE_DEVICE_CONTROL_H
#define TIDE_DEVICE_CONTROL_H

#include "../placement.h"
#include "span.h"

/* The version of everything in device/ that kernels compile in. Raise it when a struct, an enum or
 * the meaning of a word changes. A launch of kernels with another version is refused
 * (tide_gpu_kernels()). */
#define TD_DEV_LAYOUT 2

#define TD_DEV_NONE UINT32_MAX
#define TD_DEV_WINDOW 16
#define TD_DEV_CLOCKS 128 /* parts of the count of accesses; at least TD_DEV_PARTS of the GPU */

enum td_dev_transfer { TD_DEV_ZERO_COPY, TD_DEV_DMA, TD_DEV_HYBRID };

/* ---- requests to the processor: pinned memory ----
 *
 * Each proxy has a ring. All requests of a page go to the same proxy, which keeps its writes in
 * order. The sequence number of an entry says whose turn it is. If it is the ticket, a warp may
 * fill the entry. If it is ticket + 1, the proxy may take it; the proxy then adds the number of
 * entries of the ring. The outcome goes to slot_status[slot]. */

enum td_dev_op {
	TD_DEV_READ,     /* file -> slot */
	TD_DEV_WRITE,    /* slot -> file */
	TD_DEV_COPY_IN,  /* slot -> frame, by the copy engine */
	TD_DEV_COPY_OUT, /* frame -> slot, by the copy engine */
	TD_DEV_FAULT,    /* host orchestration: the page is missing; slot is 1 for a write */
	TD_DEV_NOTICE,   /* host orchestration: an armed page was touched */
};

struct td_dev_request {
	uint64_t sequence; /* released last */
	uint32_t op;       /* enum td_dev_op */
	uint32_t page;
	uint32_t slot;
	uint32_t frame;
	uint32_t sm;
	uint64_t unused[4]; /* one request, one 64-byte line */
};

struct td_dev_queue {
	struct td_dev_request *ring; /* pinned */
	uint64_t tail;               /* next ticket, on the GPU */
	uint32_t entries;            /* a power of two */
	uint32_t unused;
};

/* slot_status[slot], in pinned memory: a warp clears it before a request, and a proxy then writes
 * it once. */
#define TD_DEV_PENDING 0
#define TD_DEV_DONE 1 /* or the negative errno */

/* ---- samples to the regression: pinned memory ---- */

struct td_dev_sample {
	uint64_t sequence; /* as above */
	uint64_t time;
	uint64_t page;
};

/* What the processor tells the GPU, in pinned memory. Only the processor writes it. */
struct td_dev_told {
	uint64_t line_sequence; /* odd while the line changes */
	struct tide_line line;
	uint32_t samples_enough; /* no more samples are wanted */
	uint64_t samples_taken; /* samples taken from the ring; in lockstep a warp waits for its own
				 */
};

/* Rules that kernels compiled with TIDE_DEVICE_CHECK are held to (device/check.cuh). */
enum td_dev_rule {
	TD_DEV_DIVERGED = 200, /* not all lanes made the call */
	TD_DEV_MIXED,          /* lanes made different calls at once */
	TD_DEV_DIFFERENT,      /* lanes gave different elements to a cursor */
	TD_DEV_BEYOND,         /* an element beyond the end of the array */
	TD_DEV_TOO_MANY_PINS,  /* a warp holds more pages than the launch was told */
};

/* The calls that are checked, and their names. */
#define TD_DEV_CALLS(CALL) \
	CALL(READ, "tide_read") \
	CALL(PEEK, "tide_peek") \
	CALL(READ_PINNED, "tide_read_pinned") \
	CALL(WRITE, "tide_write") \
	CALL(READ_MANY, "tide_read_many") \
	CALL(EACH, "tide_each") \
	CALL(BRING, "tide_bring or tide_wishes::bring") \
	CALL(READ_LANE, "tide_read_lane") \
	CALL(WRITE_LANE, "tide_write_lane") \
	CALL(CURSOR_READ, "tide_cursor::read") \
	CALL(CURSOR_WRITE, "tide_cursor::write") \
	CALL(CURSOR_GET, "tide_cursor::get") \
	CALL(CURSOR_END, "tide_cursor::end")

enum td_dev_call {
#define TD_DEV_CALL(name, text) TD_DEV_CALL_##name,
	TD_DEV_CALLS(TD_DEV_CALL) TD_DEV_CALLS_N
#undef TD_DEV_CALL
};

/* What the GPU tells the processor, in pinned memory: the first failure. */
struct td_dev_failure {
	int32_t error; /* negative errno */
	uint32_t page;
	uint32_t op;   /* what was waited for: enum td_dev_op, or 100: a frame, 101: a slot, 102: a
			  page; or enum td_dev_rule */
	uint32_t said; /* released last */
	uint64_t entry;
	/* of a broken rule */
	uint32_t call;  /* enum td_dev_call */
	uint32_t lanes; /* that it is about */
	uint32_t warp;  /* of the block */
	uint32_t unused;
	uint64_t block;
	uint64_t number; /* an element, or pages */
};

/* ---- counts of a shard, which warps add to without its lock ---- */

enum td_dev_count {
	TD_DEV_FAULTS,
	TD_DEV_EVICTED,
	TD_DEV_EVICTED_DIRTY,
	TD_DEV_TIER2_HITS,
	TD_DEV_TIER2_MISSES,
	TD_DEV_TIER3_READS,
	TD_DEV_TIER3_WRITES,
	TD_DEV_TO_TIER2,
	TD_DEV_RECLAIMED,
	TD_DEV_WAITED,
	TD_DEV_KEEPS,
	TD_DEV_JUDGED,
	TD_DEV_RIGHT,
	TD_DEV_LIFTED,
	TD_DEV_SAMPLES_LOST,
	TD_DEV_STEPS,
	TD_DEV_COUNTS,
};

struct td_dev_shard {
	uint32_t lock;
	/* frames */
	uint32_t first_frame, frames;
	uint32_t taken; /* frames that were handed out for the first time; the clock starts when all
			   were */
	uint32_t hand;  /* within the shard */
	/* slots */
	uint32_t first_slot, slots;
	uint32_t read_slots; /* so many slots, the last ones, are for reads alone; 0: none is */
	uint32_t host_pages; /* most pages of tier 2 that it holds */
	uint32_t host_used;  /* pages of tier 2 that it holds now */
	uint32_t free_slots; /* a list through slot_next; TD_DEV_NONE: empty */
	uint32_t free_reads; /* the same for the slots for reads */
	uint32_t oldest,
		newest; /* tier 2 pages in order of arrival, through slot_next and slot_prev */
	uint32_t writing_first, writing_last; /* slots under write-back, through slot_next */
	uint32_t kept;                        /* pages kept in the search for the present victim */
	uint32_t barren;  /* searches for a free slot that failed since one succeeded */
	uint64_t random;  /* state of splitmix64 */
	uint64_t leaving; /* slots of pages that were claimed and have no frame yet; changed without
			     the lock */
	uint64_t counts[TD_DEV_COUNTS];
};

/* A decision, for comparison with the simulator. */
struct td_dev_decision {
	uint32_t page; /* the victim */
	uint32_t tier; /* where it went; 1: kept */
};

struct td_dev_clock {
	uint64_t accesses;
	uint64_t unused[15]; /* one line each */
};

struct td_dev_control {
	/* constant while a kernel runs */
	uint64_t *entries; /* of all pages */
	uint64_t *own;     /* placing.page_words of every page, which belong to the placement */
	uint32_t *owner;   /* of frames: page, or TD_DEV_NONE */
	unsigned char *near_memory; /* frames */
	unsigned char *host_memory; /* slots, pinned */
	uint32_t *slot_page, *slot_next, *slot_prev;
	uint64_t *slot_own; /* the same words as they were when the page came into its slot, if the
			       placement weighs pages */
	int32_t *slot_status; /* pinned */
	struct td_dev_shard *shard;
	struct td_dev_queue *queue;       /* proxies; then one for copies, one for faults */
	struct td_dev_sample *samples;    /* pinned ring */
	const struct td_dev_told *told;   /* pinned */
	struct td_dev_failure *failure;   /* pinned */
	unsigned char *sink;              /* a page of the GPU for accesses after a failure */
	struct tide_decisions *decisions; /* one per shard, where the placement has a window */
	struct td_dev_decision *log;      /* pinned; NULL: none */
	uint64_t pages;                   /* of all arrays, at most */
	uint64_t timeout_ns;
	uint64_t log_room;
	uint32_t page_shift;
	uint32_t frames, slots;
	uint32_t shards; /* a power of two */
	uint32_t proxies;
	uint32_t samples_entries; /* a power of two */
	uint32_t place;           /* number of the placement: device/placements.h */
	uint32_t transfer;        /* enum td_dev_transfer */
	uint32_t host_orchestrated;
	uint32_t lockstep; /* one warp waits for the regression, so that it decides as the simulator
			      does */
	uint32_t shard_slots; /* slots of each shard: slot / shard_slots is its shard */
	uint32_t
		window; /* pages that a warp brings at once, 1 to TD_DEV_WINDOW: tide_gpu_begin() */
	uint32_t fits;  /* of this launch: all pages have frames, so that none leaves near memory */
	uint32_t pins;  /* of this launch: pages that a warp holds at once, at most */
	uint32_t unused;

	/* changed by the GPU */
	struct tide_placing placing; /* its shared words alone */
	uint64_t line_sequence;      /* told->line_sequence as last seen; odd while it changes */
	uint64_t line_m, line_b;     /* the doubles' bits; at first those of 1 and 0 */
	uint64_t taken; /* frames of all shards that were handed out for the first time */
	uint64_t samples_tail;
	uint64_t samples_known; /* told->samples_taken as last seen */
	uint64_t log_used;
	uint32_t sampling; /* 0: no more samples are wanted */
	uint32_t failed;   /* the lane that sets it tells the failure; then nothing waits */
	struct td_dev_clock clock[TD_DEV_CLOCKS];

	struct td_dev_remote *remote; /* host orchestration: device/remote.h */
};

#endif
