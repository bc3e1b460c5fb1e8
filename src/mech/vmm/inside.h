/* Inside the mechanism of GPU programs:
 *
 *     open.c      life of a handle
 *     alloc.c     memory that the program takes and gives back
 *     ranges.c    where it lies: addresses of one large range, cut into chunks
 *     pieces.c    physical memory of card and host, kept for the next user
 *     work.c      what the program's work names, before and after it goes to the driver
 *     access.c    asks the engine; keeps what most launches name
 *     queue.c     decisions that wait to be carried out, and who may begin with which
 *     move.c      carries one out: copies, and shows other memory at the program's address
 *     show.c      which memory the program's address leads to
 *     stock.c     makes host memory ahead
 *     streams.c   how far the program's streams have come
 *     watch.c     ends the program if a policy does not return
 *     stats.c     figures, and what the rest of the card is used for
 *
 * Three locks. The gate is held shared while the program's work goes to the driver, and exclusively
 * where no work may be under way. `lock` guards everything else, and is never held while waiting
 * for the GPU. A thread that holds the lock does not take the gate. `taking` comes before it, and
 * is held while memory is made for an allocation.
 *
 * The engine says which chunks are near. That is a decision: it is queued, and `place` says where
 * the chunk is until a mover has carried it out. */
#ifndef TD_VMM_INSIDE_H
#define TD_VMM_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/assert.h"
#include "core/watchdog.h"
#include "engine/engine.h"
#include "vmm.h"

#ifndef TD_VMM_MOVERS
#define TD_VMM_MOVERS 4
#endif
#define TD_VMM_RING 64 /* events of a stream */
#define TD_VMM_USES 4
#define TD_VMM_CHUNK_PAGES 64
#define TD_VMM_NONE UINT32_MAX

enum td_vmm_place { TD_VMM_ON_HOST, TD_VMM_ON_CARD };

/* A stream of the program or of a mover. Its events are numbered from 1. */
struct td_vmm_stream {
	uint64_t key; /* see td_vmm_stream_of() */
	cu_stream handle;
	bool gone;
	_Atomic uint64_t recorded, done;
	cu_event ring[TD_VMM_RING];
};

struct td_vmm_use {
	uint32_t stream;
	uint64_t event;
};

/* Physical memory. That of the host can also be seen at its home, for copies. */
struct td_vmm_piece {
	cu_piece id; /* 0: none */
	cu_ptr home;
};

struct td_vmm_chunk {
	uint32_t allocation; /* by its first chunk; TD_VMM_NONE: there is no such chunk */
	uint8_t pages;
	uint8_t place;
	uint8_t uses_n;
	bool moving;
	bool blank;  /* nothing was written to it yet */
	bool valid;  /* on the card: the host's piece has what the card's had when it came */
	bool used;   /* on the card: work that may write has named it since it came */
	bool hashed; /* hash is that of the host's piece */
	bool kept;   /* it is held because most launches name it */
	uint32_t jobs;   /* queued or being carried out */
	uint32_t holds;  /* of work between enter and leave, and of `kept` */
	uint32_t guards; /* work that uses it where it is: no job may begin */
	uint32_t waits;  /* work that waits until it can do so */
	uint64_t seen;   /* number of the last work that named it */
	struct td_vmm_piece card, host;
	cu_piece shown;   /* the one at the program's address; 0: none, see show.c */
	_Atomic uint64_t arrival; /* the event after the copy that filled it; 0: it is there */
	struct td_vmm_use uses[TD_VMM_USES];
	uint64_t hash[2];
};

struct td_vmm_allocation {
	uint64_t bytes;  /* as the program asked */
	uint32_t chunks; /* 0: no allocation begins at this chunk */
	bool hot, pinned, dying;
	uint32_t named;  /* by launches of the present window */
	uint64_t seen;
};

struct td_vmm_job {
	uint32_t chunk;
	bool in;
};

struct td_vmm_mover {
	struct td_vmm *v;
	pthread_t thread;
	cu_stream out;
	cu_ptr hash;    /* on the card, two words */
	uint64_t *said; /* in host memory, two words */
	bool comes;               /* its job brings a chunk to the card, */
	struct td_vmm_piece card; /* to this memory */
};

struct td_vmm_pieces {
	struct td_vmm_piece *at;
	uint32_t n, room;
};

struct td_vmm_later {
	cu_ptr at;
	struct td_vmm_use use;
};

struct td_vmm {
	pthread_rwlock_t gate;
	pthread_mutex_t lock, taking;
	pthread_cond_t calm; /* a job is done */
	pthread_cond_t work; /* a job may begin */
	_Atomic bool pressed; /* not all memory fits: work is followed */
	_Atomic bool press_soon; /* it should be followed as soon as no capture is in the way */
	_Atomic int lost;     /* why a chunk may be mapped nowhere; 0: none is */
	_Atomic int broken;   /* the error of a driver that cannot be waited for: nothing moves */
	bool exclusive;       /* no work is under way: movers may begin without trust */

	const struct td_cuda *cuda;
	enum td_vmm_trust trust;
	cu_context context;
	cu_device device;
	int node;
	struct td_vmm_range arena;
	uint32_t chunk_pages, chunks_max;
	uint64_t chunk_bytes;
	struct td_engine *engine;
	bool placing; /* the engine's decisions are carried out by who asked */
	struct td_vmm_chunk *chunk;           /* by number */
	struct td_vmm_allocation *allocation; /* by the number of its first chunk */
	uint32_t chunks_n;                    /* no chunk from here on was ever used */
	uint64_t serial;                      /* of work */
	uint64_t launches;                    /* of the present window */
	uint64_t hot_pages;

	struct td_vmm_pieces card_free[TD_VMM_CHUNK_PAGES + 1], host_free[TD_VMM_CHUNK_PAGES + 1];
	uint64_t card_pages, card_limit, host_pages, host_limit; /* of pieces, used and free */
	uint64_t allocated_pages;

	struct td_vmm_stream *stream;
	uint32_t streams_n, streams_room;

	struct td_vmm_job *job; /* in the order of decisions */
	uint32_t jobs_n, jobs_room, outs; /* outs: queued or being carried out */
	uint32_t moving_n;
	uint32_t ending; /* allocations that wait until no work is between enter and leave */
	uint64_t moving_since_ns;
	struct td_vmm_mover mover[TD_VMM_MOVERS];
	pthread_mutex_t in_lock; /* a copy and its event stay together */
	struct td_vmm_stream in; /* of all copies to the card: what is asked for first, comes first */
	cu_function hash; /* NULL: there is none */
	cu_ptr page;      /* of the card, always mapped */
	cu_event past;    /* to ask the driver something that a capture may forbid */
	pthread_t stocker;
	struct td_watchdog watchdog;

	struct td_vmm_later *later;
	_Atomic uint32_t later_n;
	uint32_t later_room;

	uint64_t near_pages;        /* as it was asked for */
	uint64_t others_bytes;      /* of the card when tide began */
	struct td_gpu_figures figures;
	struct tide_error error;
	FILE *record;
	void (*say)(void *arg, const char *text);
	void *arg;
};

static inline struct td_vmm_chunk *td_vmm_chunk_at(struct td_vmm *v, uint64_t address)
{
	return &v->chunk[(address - v->arena.base) / v->chunk_bytes];
}

static inline cu_ptr td_vmm_address(const struct td_vmm *v, uint32_t chunk)
{
	return v->arena.base + chunk * v->chunk_bytes;
}

static inline uint64_t td_vmm_bytes(const struct td_vmm_chunk *c)
{
	return c->pages * TD_VMM_PAGE;
}

__attribute__((format(printf, 2, 3))) void td_vmm_say(struct td_vmm *v, const char *format, ...);

/* open.c: the thread may call the driver, whatever the program captures. */
struct td_vmm_inside {
	cu_context context;
	int mode;
};
struct td_vmm_inside td_vmm_step_in(struct td_vmm *v);
void td_vmm_step_out(struct td_vmm *v, struct td_vmm_inside was);

/* ranges.c; TD_VMM_NONE: there is no such range. */
uint32_t td_vmm_take_range(struct td_vmm *v, uint32_t chunks);
void td_vmm_give_range(struct td_vmm *v, uint32_t first);

/* pieces.c, under the lock. An id of 0: there was none to be had. */
struct td_vmm_piece td_vmm_take_card(struct td_vmm *v, uint32_t pages);
void td_vmm_give_card(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece);
/* Host memory comes from a stock. td_vmm_stock() sees to it that there are n pieces; it gives up the
 * lock while it makes one. */
bool td_vmm_stock(struct td_vmm *v, uint32_t pages, uint32_t n);
void *td_vmm_keep_stock(void *v); /* a thread: what is on the card has room to leave */
struct td_vmm_piece td_vmm_take_host(struct td_vmm *v, uint32_t pages);
void td_vmm_give_host(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece);
bool td_vmm_has_card(const struct td_vmm *v, uint32_t pages);

/* show.c */
cu_result td_vmm_show(struct td_vmm *v, cu_ptr at, uint64_t bytes, cu_piece piece);
/* The chunk's address leads to this piece of its own; 0: to none. */
bool td_vmm_lead(struct td_vmm *v, uint32_t chunk, cu_piece piece);
/* Under the lock, while no mover has them: what is on the host can be used there. */
bool td_vmm_lead_all(struct td_vmm *v, const uint32_t *chunks, uint32_t n);
void td_vmm_lead_hidden(struct td_vmm *v); /* the same of all chunks */
void td_vmm_find_lost(struct td_vmm *v);   /* the same, if some lost their mapping */

/* alloc.c */
void td_vmm_reap(struct td_vmm *v, bool wait);

/* work.c */
bool td_vmm_press(struct td_vmm *v); /* from now on, work is followed */

/* access.c, under the lock: a launch names these chunks. False: some stay in host memory. */
bool td_vmm_access(struct td_vmm *v, struct td_vmm_work *w);
bool td_vmm_is_ready(struct td_vmm *v, const struct td_vmm_work *w);
bool td_vmm_is_near(const struct td_vmm *v, uint32_t chunk); /* as the engine has it */
void td_vmm_hold(struct td_vmm *v, uint32_t chunk);
void td_vmm_release(struct td_vmm *v, uint32_t chunk);
void td_vmm_cool(struct td_vmm *v, uint32_t first); /* its chunks are no longer kept */
void td_vmm_count_launch(struct td_vmm *v);
struct td_engine_carrier td_vmm_carrier(struct td_vmm *v);

/* queue.c */
void td_vmm_decide(struct td_vmm *v, uint32_t chunk, bool in); /* under the lock */
int td_vmm_start_movers(struct td_vmm *v, struct tide_error *err);
void td_vmm_drop_jobs(struct td_vmm *v, uint32_t first); /* under the lock: of an allocation */
void td_vmm_carry_out_all(struct td_vmm *v); /* under the lock, while no work is under way */

/* move.c, without the lock */
void td_vmm_move_out(struct td_vmm_mover *m, uint32_t chunk);
void td_vmm_move_in(struct td_vmm_mover *m, uint32_t chunk);

/* watch.c */
int td_vmm_start_watchdog(struct td_vmm *v, struct tide_error *err);

/* streams.c */
uint32_t td_vmm_stream_of(struct td_vmm *v, cu_stream stream);   /* under the lock */
uint64_t td_vmm_record(struct td_vmm *v, struct td_vmm_stream *s); /* 0: it cannot be */
cu_result td_vmm_wait(struct td_vmm *v, struct td_vmm_stream *s, uint64_t event);
cu_result td_vmm_wait_everything(struct td_vmm *v);
bool td_vmm_is_past(struct td_vmm *v, const struct td_vmm_stream *s, uint64_t event);
bool td_vmm_is_used(struct td_vmm *v, uint32_t chunk); /* under the lock: by work under way */
cu_result td_vmm_wait_uses(struct td_vmm *v, uint32_t chunk); /* without the lock */
void td_vmm_note_use(struct td_vmm *v, struct td_vmm_chunk *c, struct td_vmm_use use);

#endif
