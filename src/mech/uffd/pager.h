/* Inside the pager. A fault passes these files from top to bottom:
 *
 *     signal.c, thread.c  a SIGBUS, or a message of the kernel, becomes a touch
 *     fault.c             finds the page, waits for its chunk, asks the engine
 *     books.c             writes down what the engine decides: lanes, lists, sums
 *     bring.c, fill.c     has pages mapped; gets their content first
 *     map_*.c             one way of mapping each: a table of functions (mapping.h)
 *     kernel.c            calls the kernel, one function per call
 *
 * These files serve that path, or other calls:
 *
 *     space.c, map.c      addresses, page numbers, mappings that come and go
 *     lanes.c, lock.c     memory of the lanes; the lock, and waiting for a chunk
 *     ahead.c, helpers.c  chunks that come without a touch; threads that read them
 *     flush.c, unmap.c    chunks leave in batches, out of the page table, to tier 2 or 3
 *     out.c, slots.c      writes to files; buffers for pages on their way
 *     watch.c             unmaps pages so that the pager sees their next touch
 *     anonymous.c         what three of the mappings have in common
 *     advise.c, hot.c     what a program asks for besides touching pages
 *     open.c, choose.c    life of a pager; which mapping it gets
 *     lent.c, kept.c,     memory of another process (lent.h)
 *     heard.c
 *     fork.c              a forked child gets a pager of its own
 *     move.c              a mapping changes its addresses
 *     refuse.c            fails an access, where nobody but the kernel can
 *     watchdog.c, check.c policies that do not return; whether the books agree
 *
 * The library sees uffd.h alone. pager.h has the state. lanes.h, space.h, lock.h, in.h, out.h and
 * threads.h have the functions, chunk.h, extent.h and transfer.h the small structs, mapping.h and
 * service.h the tables.
 *
 * The content of a page is in one of these places, and the lanes of its chunk say where:
 *
 *     HELD       in memory. exact, around: in the memfd, which the program's mapping and the
 *                pager's own mapping (the view) both show. fast: in the program's mapping if
 *                MAPPED, else in the view. copy: in the view; if MAPPED, in the program's mapping
 *                too, and if STALE, only there. file: in the program's mapping.
 *     STORED     compressed, in the store
 *     SWAPPED    in the tier 3 file, at the page number times the page size
 *     none       in the mapped file, or the page is zero
 *
 * MAPPED: the program's page table has the page. (exact, around: it had it once. A fault on such a
 * page maps it again.) WRITABLE: a write does not fault. DIRTY: the page has changed since it was
 * last in a file. LINGER: the engine has evicted the page, and it leaves with the next batch.
 *
 * The engine says what is near (resident). Tier 2 is the STORED pages, and the HELD ones that are
 * neither resident nor lingering.
 *
 * A thread holds the lock only to decide and to change lanes. Before a thread moves pages of a
 * chunk it makes the chunk busy, under the lock. Other threads wait until the chunk is calm again.
 */
#ifndef TD_UFFD_PAGER_H
#define TD_UFFD_PAGER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "ages.h"
#include "chunk.h"
#include "core/watchdog.h"
#include "engine/lanes.h"
#include "extent.h"
#include "kept.h"
#include "kernel.h"
#include "line.h"
#include "mapping.h"
#include "service.h"
#include "tide/list.h"
#include "tide/vec.h"
#include "tiers/io.h"
#include "tiers/store.h"
#include "transfer.h"
#include "uffd.h"

#define TD_PAGER_READS 128     /* prefetches from files under way, at most */
#define TD_PAGER_PINS 128      /* chunks held for system calls at once, at most */
#define TD_PAGER_ARRIVALS 8192 /* of one decision, at most: a plan names half as many chunks */
#define TD_PAGER_SLOTS 64
#define TD_PAGER_HELPERS 3
#define TD_PAGER_PIPES 4
#define TD_PAGER_DONES 16
#define TD_PAGER_REFUSED 256

/* What every fault changes comes first, on as few cache lines as it can be: with several threads
 * these go from processor to processor with the lock. What is only read has lines of its own. */
struct td_pager {
	_Alignas(64) pthread_mutex_t lock;
	uint32_t arrivals_n, watched_n;
	uint32_t dones_used;        /* bitmap */
	unsigned waiting;           /* for room */
	_Atomic uint64_t decisions; /* odd: a policy is at work */

	struct td_line linger; /* chunks with pages that linger */
	uint64_t held_pages, linger_pages, tier2_pages;
	uint64_t stuck_pages; /* that linger and could not be moved when it was last tried */

	uint64_t leaving_pages; /* of tier 2, those that are being moved there or on from there */
	uint64_t swapped_pages;
	uint64_t packed_near; /* pages that came back to near memory and are not unpacked yet */
	uint32_t hand;        /* of the sampler */
	uint32_t doubts;      /* times that eager pages were mapped */
	/* Figures; under the lock. */
	uint64_t stalled_ns, waited_faults, from_tier2_pages, to_tier2_pages;
	uint64_t flushes, flush_ns, read_bytes, write_bytes, mapped_pages, set_pages;

	struct td_ages queue; /* chunks with pages in tier 2; where the engine has that queue, those
			       * that it sends to tier 3 */

	struct td_done dones[TD_PAGER_DONES];

	_Alignas(64) struct td_engine *engine;
	uint32_t page_bytes, chunk_pages, lane_bytes;
	_Atomic unsigned asleep; /* until a chunk is calm, or there is room */
	size_t chunk_bytes;
	uint64_t batch_pages; /* near memory besides the engine's, for what lingers */
	unsigned has;         /* of enum td_uffd_has */
	const struct td_service *service;
	bool samples, tracks_writes;
	int uffd, shadow_uffd, memfd;
	unsigned pins_n;

	/* State of chunks, by index. */
	struct td_lane_at lane[LANES];
	uint64_t no_lane;       /* 0 */
	struct tide_vec lanes;  /* bitmaps of lane_bytes each */
	struct tide_vec states; /* uint8_t: of enum td_chunk_state */

	/* Address ranges. */
	struct td_region *regions; /* ascending */
	size_t regions_n, regions_room;
	struct td_extent **extents; /* ascending by number */
	size_t extents_n, extents_room;
	struct td_span *free_spans; /* numbers to be used again, ascending */
	size_t free_n, free_room;
	uint64_t numbers; /* page numbers given out so far */
	_Atomic uintptr_t lowest, highest;

	struct td_uffd_config config;
	const struct td_mapping *mapping; /* of anonymous memory: it gives the pager its name */
	const struct td_mapping *file_mapping; /* of files that may be written */
	const struct td_mapping *read_mapping; /* of files that are only read */
	uint64_t memfd_bytes;
	struct td_uffd_unmapper unmapper;
	unsigned char *zeros; /* a page */

	/* What the engine has decided during one call. */
	struct td_move *arrivals;
	struct td_move watched[TD_PAGER_BATCH]; /* to be unmapped, so that the next touch is seen */

	struct td_pin pins[TD_PAGER_PINS];
	struct td_pipe pipes[TD_PAGER_PIPES];
	unsigned pipes_n;
	pthread_cond_t calm; /* a chunk that somebody waits for is not busy any more */
	pthread_cond_t room; /* a slot is free, or a pin */

	/* Tiers. */
	struct td_store *store;
	struct td_io *io;
	struct td_io_file storage;
	bool has_storage;
	struct td_kept kept; /* of lent memory */
	struct td_heard heard;
	struct td_read *reads;
	struct td_read *queued[TD_PAGER_READS]; /* not started yet */
	unsigned queued_n;
	pthread_t helper[TD_PAGER_HELPERS];
	unsigned helpers_n;
	pthread_cond_t work;
	unsigned idle; /* helpers that wait for work */
	bool flushing; /* one of them does */
	bool forking;  /* nothing begins to move */
	bool forked;   /* pages may be another process's too */
	struct td_slot slots[TD_PAGER_SLOTS];
	unsigned slots_n;
	unsigned char *slots_at;
	int write_error;           /* of the last write that failed, until one succeeds */
	uint64_t trouble_ns;       /* when that was last said */
	uint64_t store_mark_bytes; /* of the store: from here on its oldest leave */

	/* Services. */
	pthread_t handler;
	bool has_handler; /* this thread was started */
	struct td_watchdog watchdog;
	_Atomic bool stopping;
	int stop_fd;
	_Atomic unsigned failures;                   /* pages that could not be had */
	struct td_refused refused[TD_PAGER_REFUSED]; /* oldest first */
	unsigned refused_n;
	uintptr_t repeated; /* the page that was touched last though it was there */
	unsigned repeats;
	_Atomic bool said_stuck;
	uint32_t check_hand; /* of td_pager_check_some() */
};

/* ---- open.c ---- */

unsigned td_pager_needs(const struct td_uffd_config *c); /* of enum tide_needs, all policies' */

/* ---- check.c ---- */

/* Do lanes, lists and sums agree? NULL, or what is wrong. Nothing may be going on. */
const char *td_pager_check(struct td_pager *p);
/* For td_checked(), 0 or -EINVAL: the same. And with the lock held, while all goes on: the lanes of
 * a chunk, of which a busy one is passed over; those of the next few, round and round. */
int td_pager_check_all(struct td_pager *p);
int td_pager_check_chunk(struct td_pager *p, uint32_t chunk);
int td_pager_check_some(struct td_pager *p);

#endif
