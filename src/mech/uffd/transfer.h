/* Pages on their way: in, out, and what they need for it. */
#ifndef TD_UFFD_TRANSFER_H
#define TD_UFFD_TRANSFER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "extent.h"
#include "kernel.h"

#define TD_PAGER_BATCH 64   /* chunks that leave at once, at most */
#define TD_PAGER_OTHERS 32  /* other chunks that one fault maps */
#define TD_PAGER_RANGES 256 /* ranges unmapped at once */
#define TD_PAGER_SAVES 256  /* of these, ranges that are copied to the view first */

/* Pages of one chunk that somebody has to move. */
struct td_move {
	uint32_t chunk;
	uint64_t pages;
};

/* ---- in ---- */

/* A buffer of the size of a chunk, for pages on their way in from files. Into a `fast` mapping they
 * are moved, not copied; the frames that leave with them come back with pages that are evicted. */
struct td_slot {
	unsigned char *at;
	uint64_t frames; /* pages that have memory; of a pager that never moves pages, all */
	bool used;
};

/* What content pages need before they can be mapped, taken under the lock. */
struct td_fill {
	uint32_t chunk;
	uint64_t stored, swapped, file; /* where from; the other pages are here, or zero */
};

/* Pages of a busy chunk that come and are mapped, and what that takes. */
struct td_arrival {
	struct td_extent *extent;
	uint32_t chunk;
	uint64_t to_map;     /* pages that are to be mapped */
	uint64_t written;    /* of these, those that are about to be written */
	struct td_fill fill; /* pages whose content has to come first */
	uint64_t filled;     /* the same in one */
	uint64_t held;       /* pages in memory, once these are filled */
	/* By the mapping's plan(). */
	uint64_t maps;      /* pages that the page table does not have */
	uint64_t writable;  /* pages that can be written without a fault */
	uint64_t stale;     /* pages of which the view has something else */
	uint64_t unprotect; /* pages that are there, and about to be written: one at most */
	uint64_t mapped;    /* of maps: done so far */
};

/* Chunks that come with a fault on another one, and are mapped. */
struct td_others {
	struct td_move map[TD_PAGER_OTHERS];
	unsigned n;
};

/* A prefetch from a file under way. */
struct td_read {
	struct td_io_request request;
	struct td_pager *pager;
	struct td_slot *slot;
	struct td_extent *extent;
	uint32_t chunk;
	uint64_t pages;
	bool used;
};

/* Whoever has mapped what a fault needs leaves word here, and need not take the lock for that: who
 * takes it next makes the chunk calm. Each has a cache line of its own. */
struct td_done {
	_Alignas(64) _Atomic uint32_t chunk_plus_1; /* 0: still at work */
	uint64_t stalled_ns;
};

/* A page that could not be had: poisoned, until the thread that waited for it has seen that. */
struct td_refused {
	uintptr_t page;
	uint64_t since_ns;
};

/* ---- out ---- */

/* Pages of a chunk that leave, with all that is needed outside the lock. */
struct td_job {
	struct td_extent *extent;
	uint32_t chunk;
	bool to_file;
	uint64_t pages;  /* that leave */
	uint64_t unmap;  /* of these, mapped */
	uint64_t save;   /* of these, to be copied to the view */
	uint64_t packed; /* of these, in the store */
	uint64_t write;  /* of these, to be written to tier 3 */
	uint64_t failed; /* of these, those that could not be written */
	uint64_t stored; /* of these, now in the store */
	uint64_t freed;  /* of these, without memory already */
	uint64_t stuck;  /* pages that the kernel would not move */
};

/* Pages side by side, of one chunk after the other: a move costs an interrupt on every processor,
 * however many they are. */
struct td_moves {
	unsigned char *from, *to;
	size_t bytes;
	struct {
		struct td_job *job;
		unsigned at, n;
	} part[TD_PAGER_BATCH];
	size_t parts_n;
};

/* Ranges to be dropped, and those of them whose content has to be in the view first. */
struct td_drops {
	const struct td_uffd_pipe *pipe; /* NULL: none */
	struct iovec range[TD_PAGER_RANGES + TD_PAGER_SAVES];
	size_t ranges_n;
	struct iovec from[TD_PAGER_SAVES], to[TD_PAGER_SAVES];
	struct td_job *of[TD_PAGER_SAVES];
	uint64_t mask[TD_PAGER_SAVES];
	size_t saves_n, saves_bytes;
};

/* What leaves the page table together: each mapping adds to one of them. */
struct td_leaving {
	struct td_moves moves;
	struct td_drops drops;
};

/* For pages that are copied out. */
struct td_pipe {
	struct td_uffd_pipe pipe;
	bool used;
};

/* Messages of the kernel that were read while a page was copied (lent.h). */
struct uffd_msg;
struct td_heard {
	pthread_mutex_t lock;
	struct uffd_msg *at;
	size_t n, room;
	int fd; /* readable: there are some; -1: no lent memory */
};

/* A chunk that stays, for a system call. */
struct td_pin {
	uint32_t chunk, n;
};

#endif
