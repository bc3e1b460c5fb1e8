/* Between the files of host orchestration:
 *
 *     orchestrate.c          the calls of orchestrate.h: launches, the thread
 *     orchestrate_open.c     policies and memory
 *     orchestrate_call.c     threads that call policies, and how long they may take
 *     orchestrate_decide.c   requests of warps -> the engine -> pages that should be elsewhere
 *     orchestrate_page.c     from where a page is to where it should be, step by step
 *     orchestrate_move.c     commands, copies by the copy engine, reads of files
 *     orchestrate_rest.c     the tables of the GPU at rest
 *
 * Where a page is:
 *
 *                            read                frame              arrived
 *     away (file) -> reading ----> away (home) -------> coming --------------> near
 *                                  |    ^    +-> queued --^ a frame is free     |
 *                                  |    +---------------- leaving <-------------+
 *                                  |          left                pinned: back, and it lingers
 *
 * What the engine says is resident should be near, and what a warp waits for; anything else should
 * be away. Everything here is the thread's while a kernel runs. */
#ifndef TD_MECH_CUDA_ORCHESTRATOR_H
#define TD_MECH_CUDA_ORCHESTRATOR_H

#include "core/watchdog.h"
#include "engine/engine.h"
#include "engine/lanes.h"
#include "orchestrate.h"
#include "tide/device/remote.h"
#include "tide/list.h"

enum td_orch_state {
	TD_ORCH_AWAY,
	TD_ORCH_READING,
	TD_ORCH_QUEUED, /* for a frame */
	TD_ORCH_COMING,
	TD_ORCH_NEAR,
	TD_ORCH_LEAVING,
};

enum td_orch_bits {
	TD_ORCH_WANTED = 1,  /* a warp waits for it */
	TD_ORCH_HOMED = 2,   /* its home has it: it is away, or near and clean */
	TD_ORCH_FRESH = 4,   /* no file has it: zero */
	TD_ORCH_UNSAVED = 8, /* its home is newer than its file */
	TD_ORCH_WATCH = 16,  /* to be watched when it has arrived */
	TD_ORCH_LINGERS = 32,
};

struct td_orch_page {
	struct tide_link link; /* of the one list it is in */
	uint32_t frame;
	uint8_t state; /* enum td_orch_state */
	uint8_t bits;
	uint8_t hurried; /* queued: in the list of those that warps wait for */
	uint8_t alone; /* reading: read alone, because a read together with its neighbours failed */
};

/* ---- a stream of the copy engine: neighbours in one copy ---- */

struct td_orch_run {
	uint32_t page, frame, n;
};

struct td_orch_way {
	struct td_cuda_stream *stream;
	struct td_orch_run *next; /* pages for the next batch */
	size_t next_n;
	struct td_orch_run *runs; /* under way: a ring of room */
	uint64_t room, done, sent;
	uint64_t end[TD_CUDA_MARKS]; /* runs before a mark */
	uint64_t marks, reached;
};

enum { TD_ORCH_IN, TD_ORCH_OUT, TD_ORCH_WAYS };

struct td_orch_read {
	struct td_io_request io;
	struct td_cuda_orchestrator *o;
	struct td_orch_read *next; /* free ones */
	uint32_t page, n;
};

#define TD_ORCH_READS 64
#define TD_ORCH_READ_BYTES ((uint64_t)2 << 20) /* neighbours in one read, at most */
#define TD_ORCH_BATCH 256                      /* requests that are looked at together */
#define TD_ORCH_COMMANDS 4096

/* Pages of a chunk that a decision is about. */
struct td_orch_change {
	uint32_t chunk;
	bool comes;
	uint64_t pages;
};

/* A call of policies. What arg points to stays if the call does not end. */
typedef int td_orch_work(struct td_cuda_orchestrator *o, void *arg, struct tide_error *err);

struct td_orch_task {
	td_orch_work *work;
	void *arg;
	int rc;
	struct tide_error err;
};

struct td_cuda_orchestrator {
	struct tide_gpu *g;
	char *evict, *prefetch, *log_path;
	uint32_t chunk_pages;
	struct td_engine *engine;  /* NULL: before the first launch, and after a reset */
	uint64_t near_pages;       /* that it has */
	bool renewed;              /* it is new, and near memory is not empty */
	struct tide_counts before; /* of the engine before it */
	unsigned replaced[TD_BOXES];
	uint32_t arrays_mapped;
	bool samples; /* a policy makes do with a sample of accesses */
	uint32_t sample_hand;
	uint64_t samples_due; /* chunks to be watched */

	struct td_orch_page *pages;
	/* Queues are an array, indexed by a page's `hurried`: see policies/evict/reserved-lru.c for
	 * what gcc 12 does to a list that is chosen by ?:. */
	struct tide_list queues[2], reading, lingering;
	uint64_t *free; /* bitmap of frames */
	uint64_t free_n;
	uint32_t hand;                 /* next frame to look at */
	uint32_t dealt[TD_ORCH_BATCH]; /* pages that get one now */
	uint32_t retried;              /* evictions of lingering pages under way */
	uint32_t rounds;               /* since they were last tried */

	struct td_orch_change *changes;
	size_t changes_n, changes_room;
	unsigned moved; /* pages in this batch, for hybrid transfers */

	struct td_dev_remote *remote; /* of the GPU */
	uint64_t *commands, *posted;  /* pinned */
	uint64_t issued;              /* commands in the ring so far */
	uint64_t *backlog;            /* commands for which it has no room: a ring */
	uint64_t backlog_room, backlog_first, backlog_n;

	struct td_orch_way way[TD_ORCH_WAYS];
	struct td_io *io;
	struct td_orch_read reads[TD_ORCH_READS], *free_reads;
	unsigned reads_n; /* under way */

	pthread_t thread; /* that calls policies */
	bool started;
	int done_fd;              /* readable: it ends */
	struct td_orch_task task; /* of a thread for one call */
	struct td_looks looks;
	uint64_t looked_ns;
	struct tide_error late; /* rc is not 0: which policy did not return, and g->stuck is set */
	_Atomic int ending;     /* no kernel runs: nothing new begins */

	uint64_t launches, waited, brought, saved, read_pages, tier2_hits, tier2_misses;
};

/* The parts of memory that a policy or the rest of the engine may not know yet. */
static inline struct td_lanes td_orch_lanes(struct td_cuda_orchestrator *o, uint32_t chunk)
{
	return td_lanes_load(td_engine_record(o->engine, chunk), o->engine->near.lane_bytes);
}

static inline struct tide_links td_orch_links(struct td_cuda_orchestrator *o)
{
	return (struct tide_links){(unsigned char *)o->pages, sizeof *o->pages};
}

/* ---- orchestrate_open.c ---- */

/* A new engine for near memory of so many pages. */
int td_orch_open_engine(struct td_cuda_orchestrator *o, uint64_t near_pages,
			struct tide_error *err);
/* -ETIMEDOUT, as above. */
int td_orch_close_engine(struct td_cuda_orchestrator *o, struct tide_error *err);

/* ---- orchestrate_call.c ----
 *
 * A policy may not return. So threads call policies, and whoever made the call of tide/gpu.h waits
 * for them, but no longer than the runtime's timeout. -ETIMEDOUT: a policy has not returned. Then
 * its thread runs on, all memory stays, and the handle is of no use any more. */

int td_orch_call(struct td_cuda_orchestrator *o, td_orch_work *work, void *arg,
		 struct tide_error *err);
int td_orch_join(struct td_cuda_orchestrator *o, struct tide_error *err);
void td_orch_say_done(struct td_cuda_orchestrator *o); /* the last that a thread does */

/* ---- orchestrate_decide.c ---- */

void td_orch_carrier(struct td_cuda_orchestrator *o, struct td_engine_carrier *carrier);
void td_orch_serve(struct td_cuda_orchestrator *o, const struct td_dev_request *q);

/* ---- orchestrate_page.c ---- */

/* Makes one step towards where the page should be, unless one is under way. */
void td_orch_settle(struct td_cuda_orchestrator *o, uint32_t page);
void td_orch_has_read(struct td_cuda_orchestrator *o, uint32_t page, int error, bool together);
void td_orch_arrived(struct td_cuda_orchestrator *o, uint32_t page);
void td_orch_left(struct td_cuda_orchestrator *o, uint32_t page, bool dirty);
void td_orch_pinned(struct td_cuda_orchestrator *o, uint32_t page);
void td_orch_frame_free(struct td_cuda_orchestrator *o, uint32_t frame);
void td_orch_hurry(struct td_cuda_orchestrator *o, uint32_t page);
/* Gives frames to pages that wait for one. If there are none, lingering pages must leave. */
void td_orch_deal(struct td_cuda_orchestrator *o, bool busy);
void td_orch_watch(struct td_cuda_orchestrator *o, uint32_t page);

/* ---- orchestrate_move.c ---- */

void td_orch_command(struct td_cuda_orchestrator *o, enum td_dev_command what, uint32_t page,
		     uint32_t index);
void td_orch_copy(struct td_cuda_orchestrator *o, unsigned way, uint32_t page, uint32_t frame);
/* Sends what was collected, and takes answers. Was there anything to do? */
bool td_orch_push(struct td_cuda_orchestrator *o);
void td_orch_drain(struct td_cuda_orchestrator *o);
void td_orch_forget_commands(struct td_cuda_orchestrator *o);

/* ---- orchestrate_rest.c ---- */

int td_orch_look(struct td_cuda_orchestrator *o, struct tide_error *err);
int td_orch_tidy(struct td_cuda_orchestrator *o, struct tide_error *err);

#endif
