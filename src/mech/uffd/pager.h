/* Inside the pager.
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
#include "core/list.h"
#include "core/vec.h"
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
	uint64_t batch_pages;             /* near memory besides the engine's, for what lingers */
	unsigned has;                     /* of enum td_uffd_has */
	const struct td_mapping *mapping; /* of anonymous memory: this is the pager's */
	const struct td_mapping *file_mapping; /* of files that may be written */
	const struct td_mapping *read_mapping; /* of files that are only read */
	const struct td_service *service;
	bool samples, tracks_writes;
	int uffd, shadow_uffd, memfd;
	unsigned pins_n;

	/* State of chunks, by index. */
	struct td_lane_at lane[LANES];
	uint64_t no_lane;     /* 0 */
	struct td_vec lanes;  /* bitmaps of lane_bytes each */
	struct td_vec states; /* uint8_t: of enum td_chunk_state */

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
};

/* ---- lanes.c ---- */

void td_pager_open_lanes(struct td_pager *p);
/* State for so many chunks. */
int td_pager_reserve(struct td_pager *p, uint64_t chunks);
void td_pager_close_lanes(struct td_pager *p);
uint64_t td_pager_state_bytes(const struct td_pager *p);

static inline unsigned char *td_pager_lane(struct td_pager *p, uint32_t c, enum td_pager_lane lane)
{
	return p->lane[lane].at + (size_t)c * p->lane[lane].stride;
}

/* Fixed sizes, so that they are loads and stores. */
static inline uint64_t td_pager_get(struct td_pager *p, uint32_t c, enum td_pager_lane lane)
{
	const unsigned char *at = td_pager_lane(p, c, lane);
	uint64_t bits = 0;
	switch (p->lane_bytes) {
	case 1: return *at;
	case 2: memcpy(&bits, at, 2); return bits;
	case 4: memcpy(&bits, at, 4); return bits;
	default: memcpy(&bits, at, 8); return bits;
	}
}

static inline void td_pager_put(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				uint64_t bits)
{
	unsigned char *at = td_pager_lane(p, c, lane);
	switch (p->lane_bytes) {
	case 1: *at = (unsigned char)bits; break;
	case 2: memcpy(at, &bits, 2); break;
	case 4: memcpy(at, &bits, 4); break;
	default: memcpy(at, &bits, 8); break;
	}
}

static inline void td_pager_set(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				uint64_t bits)
{
	td_pager_put(p, c, lane, td_pager_get(p, c, lane) | bits);
}

static inline void td_pager_clear(struct td_pager *p, uint32_t c, enum td_pager_lane lane,
				  uint64_t bits)
{
	td_pager_put(p, c, lane, td_pager_get(p, c, lane) & ~bits);
}

static inline uint8_t *td_pager_state(struct td_pager *p, uint32_t c)
{
	return &p->states.at[c];
}

static inline struct td_lanes td_pager_engine_lanes(struct td_pager *p, uint32_t c)
{
	return td_lanes_load(td_engine_record(p->engine, c), p->engine->near.lane_bytes);
}

/* ---- space.c: addresses and numbers ---- */

struct td_extent *td_pager_extent(struct td_pager *p, uint32_t chunk);
const struct td_region *td_pager_region(struct td_pager *p, uintptr_t addr);
/* The first region that ends above addr, or NULL. */
const struct td_region *td_pager_region_from(struct td_pager *p, uintptr_t addr);
int td_pager_take_numbers(struct td_pager *p, uint64_t pages, uint64_t *first);
void td_pager_give_numbers(struct td_pager *p, uint64_t first, uint64_t pages);
int td_pager_add_extent(struct td_pager *p, struct td_extent *x);
void td_pager_forget_extent(struct td_pager *p, struct td_extent *x);
int td_pager_cut(struct td_pager *p, uintptr_t start, uintptr_t end);

/* Without the lock, so only nearly right. */
static inline bool td_pager_may_own(struct td_pager *p, uintptr_t addr)
{
	return addr >= atomic_load_explicit(&p->lowest, memory_order_relaxed) &&
	       addr < atomic_load_explicit(&p->highest, memory_order_relaxed);
}

static inline unsigned char *td_extent_at(const struct td_pager *p, const struct td_extent *x,
					  uint32_t chunk, unsigned bit)
{
	return x->base + ((uint64_t)chunk * p->chunk_pages + bit - x->first) * p->page_bytes;
}

static inline unsigned char *td_extent_view(const struct td_pager *p, const struct td_extent *x,
					    uint32_t chunk, unsigned bit)
{
	return x->view + ((uint64_t)chunk * p->chunk_pages + bit - x->first) * p->page_bytes;
}

static inline uint64_t td_extent_page(const struct td_pager *p, const struct td_extent *x,
				      uintptr_t addr)
{
	return x->first + (addr - (uintptr_t)x->base) / p->page_bytes;
}

/* ---- lock.c ---- */

void td_pager_lock(struct td_pager *p);
/* The lock is held: what is done by now is calm; true: something was. */
bool td_pager_collect(struct td_pager *p);
struct td_done *td_pager_take_done(struct td_pager *p); /* the lock is held; NULL: none is free */
void td_pager_give_done(struct td_pager *p, struct td_done *done);
/* Without the lock: the chunk can be calm. */
void td_pager_say_done(struct td_pager *p, struct td_done *done, uint32_t chunk,
		       uint64_t stalled_ns);

/* For calls of the program: signals are blocked, as a handler that touches paged memory would wait
 * for this very thread; nor is it cancelled, as it would take the lock with it. */
void td_pager_enter(struct td_pager *p, struct td_pager_caller *saved);
void td_pager_leave(struct td_pager *p, const struct td_pager_caller *saved);
/* Until the chunk is not busy; the lock is given up meanwhile, so whatever was looked at before may
 * have changed. */
void td_pager_await(struct td_pager *p, uint32_t chunk);
void td_pager_calm(struct td_pager *p, uint32_t chunk); /* not busy any more */
void td_pager_await_room(struct td_pager *p);
void td_pager_made_room(struct td_pager *p);
uint64_t td_pager_now_ns(void);
void td_pager_say(struct td_pager *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- books.c: what the engine decides becomes lanes, lists and sums ---- */

void td_pager_carrier(struct td_pager *p, struct td_engine_carrier *carrier);
/* Around every call of the engine. */
void td_pager_begin_decision(struct td_pager *p);
void td_pager_end_decision(struct td_pager *p);
/* Pages that are not near any more: they leave with the next batch; they are in tier 2. */
void td_pager_let_linger(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_enter_tier2(struct td_pager *p, uint32_t chunk, uint64_t pages);
/* Pages that linger stay, or have ceased to be. */
void td_pager_stop_lingering(struct td_pager *p, uint32_t chunk, uint64_t pages);
uint64_t td_pager_in_tier2(struct td_pager *p, uint32_t chunk);
void td_pager_put_in_queue(struct td_pager *p, uint32_t chunk);
void td_pager_take_from_queue(struct td_pager *p, uint32_t chunk);
/* The placement policy sends it from tier 2 to tier 3. */
void td_pager_spill(struct td_pager *p, uint32_t chunk);
/* After pages of it have left tier 2: has it any there? */
void td_pager_requeue(struct td_pager *p, uint32_t chunk);

/* ---- watch.c: pages are unmapped, so that their next touch is seen ---- */

/* As soon as this decision is carried out. */
void td_pager_watch_pages(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_unmap_watched(struct td_pager *p);
void td_pager_sample(struct td_pager *p);

/* ---- fault.c ---- */

struct td_touch {
	uintptr_t addr;
	uint64_t ref, stream;
	bool write;
};
/* The access can be made again: 0; -ENOENT: not a paged address; else it cannot be had. */
int td_pager_touch(struct td_pager *p, const struct td_touch *touch);
/* Before anything is decided, while nothing is busy by this thread, so that whoever is waited for
 * waits for nobody: lets pages leave if there are too many that should. true: look again; false:
 * there is room, or nothing to wait for, since all of it is held for system calls. */
bool td_pager_make_way(struct td_pager *p);

/* ---- bring.c ---- */

/* A touched page, and since when its thread waits. */
struct td_touched {
	uint32_t chunk;
	unsigned bit;
	bool write;
	uint64_t began_ns;
};
/* Carries out what was decided. The lock is held at the beginning, and not at the end. */
int td_pager_bring_touched(struct td_pager *p, const struct td_touched *t);
/* The same where nobody waits for a page; the lock is held at the beginning and the end. */
void td_pager_carry_out(struct td_pager *p);
/* Gets the content of wanted pages, and maps those of to_map, of which some are about to be
 * written. The chunk is busy; the lock is given up meanwhile. */
int td_pager_bring(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
		   uint64_t written);
/* Pages have come, of which these were packed; the chunk may have been evicted meanwhile. */
void td_pager_settle(struct td_pager *p, uint32_t chunk, uint64_t came, uint64_t unpacked);
struct td_fill td_pager_plan_fill(struct td_pager *p, uint32_t chunk, uint64_t pages);
/* From a slot to where the mapping has them, without the lock; and with it, that this is done. */
int td_pager_deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		     struct td_slot *slot);
void td_pager_note_delivered(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			     uint64_t pages);

/* ---- ahead.c: chunks come without being touched ---- */

/* Those of the decision but for one, which is touched: they are busy from now on. */
void td_pager_claim_others(struct td_pager *p, uint32_t chunk, struct td_others *o);
void td_pager_bring_others(struct td_pager *p, const struct td_others *o);
/* Without the lock: the read is started, and ends some time later; false: it has ended already. */
bool td_pager_start_read(struct td_pager *p, struct td_read *r);

/* ---- slots.c ---- */

int td_pager_open_slots(struct td_pager *p);
void td_pager_close_slots(struct td_pager *p);
/* One for a chunk, with memory for these pages; the lock is not held. ahead: NULL rather than one
 * of the last, which are for those who wait. */
struct td_slot *td_pager_take_slot(struct td_pager *p, uint64_t pages, bool ahead);
void td_pager_give_slot(struct td_pager *p, struct td_slot *slot);
/* Memory of a `fast` mapping that nobody needs any more. */
void td_pager_recycle(struct td_pager *p, unsigned char *at, uint64_t pages);

/* ---- out.c: pages go to files; the chunks are busy, the lock is not held ---- */

/* Where pages are in tier 3, if in_file in the mapped file; the address is not set. */
struct td_io_request td_pager_place(struct td_pager *p, struct td_extent *x, uint32_t chunk,
				    unsigned bit, unsigned n, bool in_file);
/* Writes job->write of each to where it belongs in tier 3: the last error, and which failed. */
int td_pager_write(struct td_pager *p, struct td_job *jobs, size_t n);
/* ---- unmap.c ---- */

void td_pager_open_pipes(struct td_pager *p);
void td_pager_close_pipes(struct td_pager *p);
/* The lock is held; NULL: there is none, and there need not be. */
struct td_pipe *td_pager_take_pipe(struct td_pager *p);
/* Out of the page table, and into the view where they are not there. Which of them cannot be had is
 * said by `stuck`. The chunks are busy and the lock is not held. */
void td_pager_unmap_jobs(struct td_pager *p, struct td_job *jobs, size_t n, struct td_pipe *pipe);
/* For the mappings' take_out(): pages are dropped; copied to the view and dropped. */
void td_pager_drop_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages);
void td_pager_save_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages);
void td_pager_move_all(struct td_pager *p, struct td_moves *m); /* map_fast.c */
void td_pager_say_stuck(struct td_pager *p, int error);

/* ---- flush.c ---- */

/* Of what lingers, as far as is known. */
static inline uint64_t td_pager_can_leave(const struct td_pager *p)
{
	return p->linger_pages > p->stuck_pages ? p->linger_pages - p->stuck_pages : 0;
}

/* Makes what lingers leave, if there is enough of it (or all of it); and tier 2 small enough. The
 * lock is held, and given up in between. false: nothing could be moved. */
bool td_pager_flush(struct td_pager *p, bool all);
bool td_pager_is_over(const struct td_pager *p); /* tier 2 is larger than it may be */
bool td_pager_is_pinned(const struct td_pager *p, uint32_t chunk);
bool td_pager_some_busy(struct td_pager *p); /* is something that lingers busy? */
/* Remembers, and says once, that writes fail, or work again. */
void td_pager_wrote(struct td_pager *p, int rc);

/* ---- map.c ---- */

/* For the mappings' attach(): at the base and in the view; faults at the base are ours. */
int td_extent_map(struct td_pager *p, struct td_extent *x, int flags, int fd, off_t offset);
int td_extent_register(struct td_pager *p, struct td_extent *x, enum td_uffd_kind kind);

/* Of x->users one less; the lock is held. */
void td_pager_release_extent(struct td_extent *x);
/* A mark for whoever records; the lock is held. */
void td_pager_record(struct td_pager *p, enum tide_mark_kind kind, uint64_t page, uint64_t pages);
/* An extent goes, with all that is left of it. */
void td_pager_forget(struct td_pager *p, struct td_extent *x);
/* The content of these pages does not matter any more; the lock is held, the chunk is not busy. */
void td_pager_forget_pages(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_forget_packed(struct td_pager *p, uint32_t chunk, uint64_t pages); /* in the store */
/* Until no chunk of these pages is busy; the lock is given up meanwhile. */
void td_pager_await_range(struct td_pager *p, uint64_t first, uint64_t pages);
uint64_t td_pager_pages_in(const struct td_pager *p, uint32_t chunk, uint64_t first,
			   uint64_t pages);
int td_pager_range(struct td_pager *p, const void *addr, size_t bytes, uintptr_t *start,
		   uintptr_t *end, struct tide_error *err);

/* ---- helpers.c: threads that read ahead and write behind ---- */

/* From the first mapping on that has to do with files. The lock is held, or nobody else there. */
int td_pager_start_helpers(struct td_pager *p);
void td_pager_stop_helpers(struct td_pager *p);
/* The lock is held: hands a read over; says that a batch is due. */
void td_pager_queue_read(struct td_pager *p, struct td_read *r);
void td_pager_call_helper(struct td_pager *p);

/* ---- check.c ---- */

/* Do lanes, lists and sums agree? For tests: NULL, or what is wrong. Nothing may be going on. */
const char *td_pager_check(struct td_pager *p);

/* ---- open.c ---- */

unsigned td_pager_needs(const struct td_uffd_config *c); /* of enum tide_needs, all policies' */

/* ---- advise.c, watchdog.c ---- */

/* A thread of ours, which no signal of the program's reaches: 0 or -errno. */
int td_pager_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
/* Tells the program that the page at addr cannot be had. */
void td_pager_fail(struct td_pager *p, void *addr, int rc);
/* Ends the program: nobody can be told, or has time to hear it. */
void td_pager_end(struct td_pager *p, const char *why) __attribute__((noreturn));
int td_pager_start_watchdog(struct td_pager *p, struct tide_error *err);
void td_pager_stop_watchdog(struct td_pager *p);

#endif
