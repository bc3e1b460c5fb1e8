/* Inside the pager. A fault goes through these files from the top to the bottom:
 *
 *     signal.c thread.c      a SIGBUS, or a message, becomes a touch
 *     fault.c                whose page is it? the engine is asked
 *     books.c                what the engine decides becomes lanes, lists and sums
 *     bring.c                the content comes, and the page is mapped
 *     map_exact.c, _around, _fast, _copy, _file
 *                            each way of mapping: a table (mapping.h); anonymous.c is shared by
 * three kernel.c               userfaultfd and other calls, one function each
 *
 * Beside that way:
 *
 *     space.c lanes.c lock.c addresses to pages; bitmaps of chunks; the lock, and waiting
 *     ahead.c helpers.c      chunks that come untouched, and the threads that read them
 *     flush.c unmap.c out.c  chunks leave in batches: out of the page table, to tier 2, to files
 *     slots.c                buffers for pages on their way
 *     watch.c                pages are unmapped so that their next touch is seen
 *     map.c advise.c         what the program asks for: mappings, and all else
 *     open.c choose.c        life of a pager; which mapping it has
 *     watchdog.c check.c     policies that do not come back; whether the books agree
 *
 * uffd.h is what the library sees. Headers: pager.h has the state, lanes.h, space.h, lock.h, in.h,
 * out.h and threads.h the functions, transfer.h pages on their way, mapping.h and service.h the
 * tables.
 *
 * A page of a mapping has its content in one of these places, and the lanes of its chunk say where:
 *
 *     HELD       in memory: of an `exact` mapping in the memfd, which the program's mapping and the
 *                pager's own (the view) both show; of a `fast` one in the program's mapping where
 *                MAPPED, else in the view, which is a shadow of it; of a `copy` one in the view,
 *                and where MAPPED in the program's mapping too, which alone is right where STALE
 *     STORED     compressed, in the store
 *     SWAPPED    in the tier 3 file, at its number times the page size
 *     -          in the mapped file, or it is zero
 *
 * MAPPED says that the program's page table has it (of an `exact` mapping: at least it once had; a
 * fault on such a page maps it again), WRITABLE that it may be written without a fault, DIRTY that
 * it has changed since it was last in a file. LINGER: the engine has evicted the page, and it
 * leaves with the next batch.
 *
 * The engine says what is near (resident). HELD pages that are neither resident nor lingering, and
 * STORED ones, are tier 2.
 *
 * The lock is held for decisions and lanes alone. Whoever moves the pages of a chunk has made it
 * busy first, under the lock; everybody else waits until it is not. */
#ifndef TD_UFFD_PAGER_H
#define TD_UFFD_PAGER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "ages.h"
#include "chunk.h"
#include "tide/list.h"
#include "tide/vec.h"
#include "engine/lanes.h"
#include "extent.h"
#include "kernel.h"
#include "line.h"
#include "mapping.h"
#include "service.h"
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
	uint64_t flushes, flush_ns, read_bytes, write_bytes, mapped_pages;

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
	uint64_t no_lane;     /* 0 */
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
	struct td_read *reads;
	struct td_read *queued[TD_PAGER_READS]; /* not started yet */
	unsigned queued_n;
	pthread_t helper[TD_PAGER_HELPERS];
	unsigned helpers_n;
	pthread_cond_t work;
	unsigned idle; /* helpers that wait for work */
	bool flushing; /* one of them does */
	struct td_slot slots[TD_PAGER_SLOTS];
	unsigned slots_n;
	unsigned char *slots_at;
	int write_error;           /* of the last write that failed, until one succeeds */
	uint64_t store_mark_bytes; /* of the store: from here on its oldest leave */

	/* Services. */
	pthread_t handler, watchdog;
	bool has_handler, has_watchdog; /* these threads were started */
	_Atomic bool stopping;
	int stop_fd;
	_Atomic unsigned failures; /* pages that could not be had */
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
