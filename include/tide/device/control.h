/* What the threads of the GPU share: where everything is. It compiles as C too: tests run the same
 * protocol with a thread of the processor as a warp.
 *
 *     near memory (GPU)          host memory, pinned                    files
 *     frames 0..frames-1         slots 0..slots-1                       by proxies of the processor
 *     owner[frame] -> page       slot_page[slot] -> page
 *
 *     entries[page]: state and where it is (device/entry.h); own[page]: the placement's words
 *
 * Frames and slots are dealt out to shards, each with a lock, a clock hand over its frames, and the
 * tier 2 pages in its slots in order of arrival. A shard has more slots than tier 2 pages: the
 * others carry what is on its way to and from files. A lock is held for a look-up, never for a
 * copy. */
#ifndef TIDE_DEVICE_CONTROL_H
#define TIDE_DEVICE_CONTROL_H

#include "../placement.h"
#include "span.h"

/* Of everything in device/ that kernels compile in. Raise it when a struct, an enum or the meaning of
 * a word changes: a launch of kernels with another number is refused (tide_gpu_kernels()). */
#define TD_DEV_LAYOUT 1

#define TD_DEV_NONE UINT32_MAX
#define TD_DEV_WINDOW 16
#define TD_DEV_CLOCKS 128 /* parts of the count of accesses: TD_DEV_PARTS of the GPU at least */

enum td_dev_transfer { TD_DEV_ZERO_COPY, TD_DEV_DMA, TD_DEV_HYBRID };

/* ---- requests to the processor: pinned memory ----
 *
 * A ring per proxy; a page always goes to the same one, which so keeps the order of its writes. The
 * sequence number says whose turn an entry is: ticket, a warp may fill it; ticket + 1, the proxy
 * may take it, and then sets it to ticket + entries of the ring. The outcome goes to
 * slot_status[slot]. */

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

/* slot_status[slot]: pinned, written by a proxy once per request, cleared before it by the warp. */
#define TD_DEV_PENDING 0
#define TD_DEV_DONE 1 /* or the negative errno */

/* ---- samples to the regression: pinned memory ---- */

struct td_dev_sample {
	uint64_t sequence; /* as above */
	uint64_t time;
	uint64_t page;
};

/* What the processor tells: pinned memory, written by the processor alone. */
struct td_dev_told {
	uint64_t line_sequence; /* odd while the line changes */
	struct tide_line line;
	uint32_t samples_enough; /* no more samples are wanted */
	uint64_t samples_taken;  /* from the ring; in lockstep a warp waits for its own */
};

/* What the GPU tells: pinned memory, the first failure alone. */
struct td_dev_failure {
	int32_t error; /* negative errno */
	uint32_t page;
	uint32_t op; /* what was waited for: enum td_dev_op, or 100: a frame, 101: a slot, 102: a
			page */
	uint64_t entry;
	uint32_t said; /* released last */
};

/* ---- counts of a shard, added to under no lock ---- */

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
	uint32_t taken; /* frames handed out so far, up to frames: before that no clock is needed */
	uint32_t hand;  /* within the shard */
	/* slots */
	uint32_t first_slot, slots;
	uint32_t read_slots; /* the last so many are for reads alone; 0: none is */
	uint32_t host_pages; /* tier 2 pages it may hold */
	uint32_t host_used;  /* and holds */
	uint32_t free_slots; /* a list through slot_next; TD_DEV_NONE: empty */
	uint32_t free_reads; /* another, of those for reads */
	uint32_t oldest,
		newest; /* tier 2 pages in order of arrival, through slot_next and slot_prev */
	uint32_t writing_first, writing_last; /* slots under write-back, through slot_next */
	uint32_t kept;                        /* pages kept in the search for the present victim */
	uint32_t barren;  /* searches for a free slot that found none, since one did */
	uint64_t random;  /* state of splitmix64 */
	uint64_t leaving; /* slots of claimed tier 2 pages that have no frame yet; under no lock */
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
	uint64_t *entries;          /* of all pages */
	uint64_t *own;              /* of all pages, placing.page_words each: the placement's */
	uint32_t *owner;            /* of frames: page, or TD_DEV_NONE */
	unsigned char *near_memory; /* frames */
	unsigned char *host_memory; /* slots, pinned */
	uint32_t *slot_page, *slot_next, *slot_prev;
	uint64_t *slot_own;   /* of slots, as the page had them when it came there: if it weighs */
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
			    */
	uint32_t shard_slots; /* slots of each shard: slot / shard_slots is its shard */
	uint32_t
		window; /* pages that a warp brings at once, 1 to TD_DEV_WINDOW: tide_gpu_begin() */
	uint32_t fits;  /* of this launch: all pages have frames, so that none leaves near memory */

	/* changed by the GPU */
	struct tide_placing placing; /* its shared words alone */
	uint64_t line_sequence;  /* as told->line_sequence when it was last looked at; odd while it
				    changes */
	uint64_t line_m, line_b; /* the doubles' bits; at first those of 1 and 0 */
	uint64_t taken; /* frames handed out so far by all shards: before they all are, no clock is
			   needed */
	uint64_t samples_tail;
	uint64_t samples_known; /* told->samples_taken, when it was last looked at */
	uint64_t log_used;
	uint32_t sampling; /* 0: enough */
	uint32_t failed;   /* whoever makes it 1 says the failure; nothing waits any more */
	struct td_dev_clock clock[TD_DEV_CLOCKS];

	struct td_dev_remote *remote; /* host orchestration: device/remote.h */
};

#endif
