/* Every interleaving of a few warps on a page cache of two frames, as far as it can be searched.
 *
 *     main.c -> search.c      which schedules: all with so many deviations, then random ones
 *               schedule.c    coroutines; whoever runs asks at every shared access: go on, or who?
 *               warp.c        a warp: what it does, through include/tide/device
 *               proxy.c       the model of the proxies and of the copy engine
 *               processor.c   the model of host orchestration
 *               check.c       what must hold at rest
 *               world.c       the memory of all of these, at its start
 *
 * Without deviations a warp runs until it pauses or ends, then it is the next one's turn, then the
 * proxy answers its oldest request. A deviation is another choice at one point: another warp goes
 * on, or a request, maybe a younger one, is answered early, or the proxy sleeps for a round. */
#ifndef TIDE_EXPLORE_H
#define TIDE_EXPLORE_H

#include "tide/device/control.h"
#include "tide/device/placements.h"

enum {
	WARPS = 3,
	OPS = 5,
	PAGES = 6,
	FRAMES = 4,
	SLOTS = 8,
	SHARDS = 2,
	RING = 16,
	COMMANDS = 16,
	WORDS = 2, /* of a page */
	PAGE_SHIFT = 4,
};

/* ---- what is explored ---- */

enum op_kind { OP_NONE, OP_READ, OP_WRITE, OP_GLANCE, OP_HOLD_READ, OP_HOLD_WRITE, OP_BOTH };

struct op {
	enum op_kind kind;
	uint32_t page, other; /* other: of those of two pages */
};

struct scenario {
	const char *name;
	uint32_t frames, pages, shards;
	uint32_t host, staging; /* slots of each shard: of tier 2, and besides; */
	uint32_t reads;         /* of those so many for reads alone */
	enum tide_places place;
	enum td_dev_transfer transfer;
	bool remote;    /* host orchestration; */
	unsigned extra; /* with so many steps that nobody needs */
	bool fresh;     /* no file has the pages: all zero */
	bool fails;     /* one of these requests fails: */
	enum td_dev_op fail_op;
	uint32_t fail_nth;
	unsigned bound, walks; /* deviations, random schedules: at each effort */
	struct op ops[WARPS][OPS];
};

extern const struct scenario scenarios[]; /* ends with one without a name */

/* Deliberate mistakes, each of which must be found. */
enum mutant {
	SOUND,
	UNPIN_EARLY,      /* the page is let go before it is used */
	PUBLISH_EARLY,    /* the entry says near memory before the copy is made */
	POST_LATE,        /* a page can be taken back before its write is in the ring */
	COLLECT_EARLY,    /* the slot of a write is free before it is done */
	LOCK_OPEN,        /* the lock keeps nobody out */
	OWNER_LATE,       /* a free frame gets its owner after the lock is let go */
	ROOM_WITHOUT_END, /* tier 2 takes pages as if claimed ones were gone */
	KEEP_WAITING,     /* a page of a write keeps its slot while it waits for a frame */
	WRITTEN_ANYWHERE, /* a finished write ends one of the same page in another slot */
	SAME_GENERATION,  /* a page that has left and come back looks as if it had stayed */
	STATUS_OF_COPY,   /* the outcome of a copy is taken for that of the write after it */
	FORGET_DIRTY,     /* a page taken back from a write under way is taken for clean */
	EVICT_PINNED,     /* host orchestration: a page leaves that somebody holds */
};

struct mutant_case {
	enum mutant mutant;
	const char *name, *scenario;
};

extern const struct mutant_case mutant_cases[]; /* ends with one without a name */

/* ---- the world ---- */

struct world {
	struct td_dev_control c;
	uint64_t entries[PAGES];
	uint64_t own[2 * PAGES];
	uint32_t owner[FRAMES];
	uint64_t near[FRAMES * WORDS], host[SLOTS * WORDS], file[PAGES * WORDS];
	uint32_t slot_page[SLOTS], slot_next[SLOTS], slot_prev[SLOTS];
	int32_t slot_status[SLOTS];
	uint64_t slot_own[2 * SLOTS];
	struct td_dev_shard shard[SHARDS];
	struct td_dev_queue queue[3];
	struct td_dev_request ring[3][RING];
	uint64_t commands[COMMANDS], posted; /* of host orchestration */
	struct td_dev_sample samples[2];
	struct td_dev_told told;
	struct td_dev_failure failure;
	uint64_t sink[WORDS];
	/* what the pages hold: changed with the word itself */
	uint64_t shadow[PAGES * WORDS];
};

extern struct world world;
extern struct tide_decisions decisions[SHARDS];
extern const struct scenario *scene;
extern enum mutant mutant;

void world_reset(void);
uint64_t word_of(uint32_t page, uint32_t word, uint64_t version);

/* ---- the scheduler ---- */

/* A shared word is about to be accessed. */
void explore_hook(const void *at);
/* The warp waits for something. */
void explore_pause(void);
/* Something was brought to an end, so nobody waits in vain. */
void explore_progress(void);
unsigned explore_warp(void);

/* It ends the run. */
__attribute__((format(printf, 1, 2))) void violate(const char *format, ...);

/* One schedule. Which: asked at every point with more than one option, 0 is the plain one. */
typedef unsigned choose(void *arg, uint64_t point, unsigned options);
struct outcome {
	uint64_t points;
	char text[256]; /* empty: nothing was wrong */
};
void schedule_run(choose *which, void *arg, bool loud, struct outcome *out);

/* ---- the other actors ---- */

void warp_main(unsigned warp);
void warps_reset(void);
/* A command that no warp has carried out; false: there is none. */
bool warps_serve(void);
/* How many requests could be answered now; which of them is answered. */
unsigned proxy_ready(void);
void proxy_answer(unsigned which);
void proxy_reset(void);
/* In its place with host orchestration. */
unsigned processor_ready(void);
void processor_answer(unsigned which);
void processor_reset(void);
/* Everything has ended: says what is wrong by violate(). */
void check_rest(void);

/* ---- the search ---- */

struct effort {
	unsigned bound, walks;
	uint64_t runs; /* at most, of those with deviations */
	uint64_t seed;
};

struct found {
	uint64_t runs;
	bool whole; /* all schedules of the bound were run */
	struct outcome outcome;
	char how[256]; /* the deviations of the run that went wrong */
};

void search(const struct effort *effort, struct found *out);
void search_replay(const char *how, struct found *out);

#endif
