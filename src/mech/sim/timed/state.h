/* The state that the files of the timed simulator share. Times are picoseconds since the start, so
 * that the cycles of a clock add up without visible rounding. 2^64 picoseconds are 213 days. */
#ifndef TD_MECH_SIM_TIMED_STATE_H
#define TD_MECH_SIM_TIMED_STATE_H

#include "queue.h"
#include "tide/vec.h"
#include "timed.h"
#include "tlb.h"
#include "trace/warps.h"

#define TD_TIMED_NEVER UINT64_MAX

/* A page that a warp still has to access. */
struct td_timed_todo {
	uint64_t page;
	uint32_t chunk, count;
	uint8_t bit;
	bool done; /* the fault's service was the access */
};

/* A warp, and the instruction that it is at. */
struct td_timed_warp {
	struct td_timed_todo *todo; /* pages that were missing */
	uint32_t n, room;
	uint32_t sm;
	bool queued;  /* its turn is in the queue */
	bool granted; /* the multiprocessor keeps an issue slot for that turn */
	bool stalled; /* it waits for the driver */
	bool write, changed;
	uint64_t ref, stream, rounds;
	uint64_t issued, done; /* when the instruction was issued; when it is done, so far */
	uint64_t stalled_since;
};

/* One direction of the bus, or storage. It does its work in order. */
struct td_timed_channel {
	uint64_t free; /* when it has done all its work */
	uint64_t busy, bytes;
	double ps_per_byte, ps_per_copy;
};

struct td_timed_entry {
	uint64_t page, time;
	uint32_t warp, todo, chunk;
	uint8_t bit;
};

/* Pages of a chunk on their way, and when all of them are there. */
struct td_timed_flight {
	uint64_t pages, there;
	uint32_t stamp; /* evictions so far; a translation with an older stamp is invalid */
};

struct td_timed_notice {
	struct td_event event;
	uint32_t chunk;
	uint8_t bit;
};

enum td_timed_driver { TD_DRIVER_SLEEPS, TD_DRIVER_STARTS, TD_DRIVER_REPLAYS };

struct td_timed {
	struct td_timed_model model;
	struct td_timed_figures figures;
	uint64_t page_bytes, now;
	struct td_engine *engine;
	struct td_warps *warps;
	struct tide_error *err;
	const int *stop;

	/* Warps. */
	struct td_timed_queue queue;
	struct td_timed_warp *warp;
	uint32_t warps_room, place_warps;
	uint64_t stands_for;
	uint64_t *sm_free; /* when a multiprocessor can issue again */
	uint32_t sms;
	uint64_t cycle_ps, issue_ps, wave_ps; /* wave_ps: a round of all that a warp stands for */
	uint64_t launch_end;                  /* the last access of the launch so far */

	/* Near memory. */
	struct td_tlb tlb;
	struct td_timed_channel memory;
	uint64_t memory_ps;
	struct tide_vec flights; /* struct td_timed_flight, by chunk index */
	struct td_timed_flight spare;
	bool no_memory;

	/* The driver. */
	enum td_timed_driver driver;
	uint64_t driver_at;   /* when it starts or replays */
	uint64_t driver_free; /* when it can begin something else */
	struct td_timed_entry *entry;
	uint32_t entries;
	uint32_t *stalled; /* warps that wait for the driver */
	uint32_t stalled_n;

	/* Notices that the driver has not served yet; at most one per observed chunk. */
	struct td_timed_notice notices[TD_OBSERVE_COUNTERS];
	uint32_t notices_n;

	/* While a fault is served: when the driver, or the warp that serves its own fault, comes to
	 * the next step; when near memory has room; and when tier 2 has room. */
	uint64_t at, room_at, slot_at;
	uint64_t cleaned_at; /* while it flushes: when all was written so far */
	struct td_timed_channel up, down, reads, writes;
	uint64_t *reading; /* ends of the last `depth` reads, in a ring */
	uint64_t reads_n;
};

static inline uint64_t td_timed_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t td_timed_ps(double ns)
{
	return (uint64_t)(ns * 1000 + 0.5);
}

/* Chunks appear while faults are served. If there is no memory for a chunk, the run ends after the
 * fault. */
static inline struct td_timed_flight *td_timed_flight(struct td_timed *t, uint32_t chunk)
{
	struct tide_vec *v = &t->flights;

	if ((uint64_t)(chunk + UINT64_C(1)) * v->item_bytes > v->mapped_bytes &&
	    tide_vec_reserve(v, chunk + UINT64_C(1))) {
		t->no_memory = true;
		return &t->spare;
	}
	return (struct td_timed_flight *)(void *)v->at + chunk;
}

/* transfer.c: the carrier. td_transfer() gives a channel so many copies and bytes to do, from a
 * time on, and says when it has done them. */
void td_transfer_init(struct td_timed *t);
uint64_t td_transfer(struct td_timed_channel *c, uint64_t from, uint64_t copies, uint64_t bytes);

/* driver.c */
int td_driver_init(struct td_timed *t);
/* A warp misses a page: adds an entry to the fault buffer. */
void td_driver_raise(struct td_timed *t, uint32_t warp, uint32_t todo);
void td_driver_wait(struct td_timed *t, uint32_t warp);
/* Does what the driver has to do at driver_at. */
int td_driver_act(struct td_timed *t);
/* Serves the fault of a warp's page, at t->at: in the driver, or for the warp itself. */
int td_driver_fault(struct td_timed *t, uint32_t warp, uint32_t todo);

/* notice.c. td_notice_give(): an armed page was accessed. td_notice_at(): when the driver comes to
 * the next waiting notice. td_notice_act(): it serves that notice. td_notice_end(): the time of
 * what the policies did counts as the driver's. */
int td_notice_give(struct td_timed *t, const struct td_timed_notice *n);
uint64_t td_notice_at(const struct td_timed *t);
int td_notice_act(struct td_timed *t);
void td_notice_end(struct td_timed *t);

/* warp.c: a warp's turn has come, for its next instruction or for the rest of one. */
int td_warp_act(struct td_timed *t, uint32_t warp);

#endif
