/*
 * A second, deliberately naive implementation of the functional model and of the policies. It
 * shares no line and no header with the program it is compared with; every structure is an
 * array, every search a linear scan. Only looking up a chunk by its number is hashed, so that a
 * real trace finishes.
 *
 * Where a published definition or the specification leaves a choice, this is the choice made:
 *
 *  tree     nodes are aligned relative to the first page of the chunk (it matters when P is no
 *           power of two); "size of the node" is its size after it is cut to the chunk; every
 *           size is looked at, a smaller node that fails does not end the search.
 *  reserved-lru  pct is taken as an exact decimal, not as a binary fraction.
 *  random   draws one number per victim, also when only one chunk is valid.
 *  arc, 2q, lirs, s3fifo, sieve: demand paging only (`sequential` is refused): the published
 *           algorithms say nothing about pages that come without a request. The faulting
 *           access is the miss itself and never counts as a hit.
 *  arc      p and both deltas are integers (|B2| / |B1| rounded down); p moves once per fault,
 *           before the victim is chosen; case IV A with |T1| = c drops the page without a ghost.
 *  2q       Kin = N * 25 / 100 and Kout = N * 50 / 100, rounded down, no minimum. Page slots
 *           are reclaimed while X is still in A1out, as the procedure is written, so the
 *           victim's identifier may push out another one (or X's own: X still goes to Am).
 *           A1in empty, or |A1in| <= Kin: the tail of Am; Am empty: the tail of A1in, which
 *           then goes to A1out as usual.
 *  lirs     Lhirs = max(1, N / 100), Llirs = N - Lhirs (N = 1: no LIR block at all). Blocks are
 *           LIR until Llirs of them are. A LIR block that leaves the bottom of S leaves S and
 *           goes to the end of Q. S holds at most 3 * N entries of all kinds, looked at after
 *           each access; what is dropped is the non-resident HIR nearest the bottom. A resident
 *           HIR block hit outside S goes to the top of S and to the end of Q.
 *  s3fifo   small = max(1, N / 10), main = N - small, ghost = main entries. A page in small
 *           moves to main if it was hit more than once (frequency > 1), with its frequency
 *           cleared; from main a page with frequency > 0 goes round again with one less.
 *           The choice is from small if |S| >= small. If main has then more than `main` pages
 *           it gives the victim and the choice ends: one victim per question. Whether X is in
 *           the ghost is asked after the eviction (which may push X out of it); a page that
 *           enters main from the ghost leaves the ghost.
 *  sieve    the hand is the entry after (nearer the head than) the last victim, or none if that
 *           was the head: then the search starts at the tail. New pages come unvisited.
 *
 *  observation  pages are drawn one after the other, each among those not yet drawn, in ascending
 *           order; no draw where the chunk has no more than `samples`. Budgets: feedback 64 chunks,
 *           trigger what is left of 256. A chunk is observed for one purpose at a time. The
 *           hundred evictions just completed are judged, each by itself.
 *  observ-lfu  a chunk that never faulted keeps the frequency it got from notices at its first.
 *  cp       nothing is unprotected before on_full. u is kept inside its limits whenever it
 *           changes, and taken inside them whenever it is used. The area is fixed at the first
 *           victim of a fault, whoever chose it.
 *  tournament  points of retired members count in the sum. Whose turn it is keeps it, unless it
 *           was retired. A member that cannot name a candidate passes the question on.
 *  early-adaptor, rgp  the fault that is being served is the last of the history.
 *  rgp      "not resident" means without a resident page; the chunk that gave the notice is no
 *           valid victim; chunks brought in by a trigger get a trigger too.
 *  acbm     the mapping fault does not count in the counter; a migrated chunk gives its counter
 *           back; remote accesses leave no trace in touched and dirty.
 *  leu      by=page is by=ref with the page number as ref. An access to a page that is not
 *           sampled leaves the table alone.
 *  random (placement)  tier 2 if next() < p * 2^64.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX
#define NEVER UINT64_MAX

struct list { /* at[0] is the oldest entry: the head of the lru list, the tail of a queue */
	uint32_t *at;
	size_t n, room;
};

struct decimal { /* digits / scale, scale a power of ten */
	uint64_t digits, scale;
};

struct spec { /* a policy as on the command line, taken apart */
	char *text;
	const char *name;
	const char *key[16], *value[16];
	size_t n;
};

struct access {
	uint64_t page, ref;
	bool write;
	uint64_t next; /* number of the next access to the same chunk */
};

enum purpose { OBSERVE, FEEDBACK, TRIGGER, PURPOSES };

struct chunk {
	uint64_t number;
	uint64_t resident, touched, dirty;
	uint64_t armed; /* 0: not observed */
	enum purpose purpose;
	uint64_t mapped; /* pages in use from where they are */
	unsigned in_set; /* pages of the chunk in the set that is to come in */
	uint64_t next;   /* opt: number of the next access */
	uint64_t faults;
};

struct counts {
	uint64_t accesses, hits, faults, migrated, prefetched, evicted_chunks, evicted, writeback,
		untouched, policy_errors, notices, remote, observe_pages, tier2_hits, tier2_misses,
		tier3_reads, tier3_writes;
};

/* Section 5.1. */
struct observation {
	uint64_t budget[PURPOSES]; /* in chunks */
	uint64_t samples;
	bool adapt;
	struct {
		uint32_t chunk;
		uint64_t faults; /* it had when it left */
	} left[100];             /* since the last judgement */
	size_t left_len;
};

struct oracle {
	/* the input */
	struct access *trace;
	size_t trace_len;
	uint64_t max_page;
	uint64_t pages_per_chunk, near, host;
	uint64_t random_state;

	/* the engine */
	struct chunk *chunks;
	size_t chunk_len, chunk_room;
	uint32_t *slots; /* hash of chunk numbers: index into chunks, or NONE */
	size_t slot_len;
	uint64_t *set; /* pages to bring in, ascending */
	size_t set_len, set_room;
	uint32_t fault_chunk; /* of the fault or of the notice that is being served */
	uint64_t fault_page;
	bool in_fault;
	uint64_t served; /* faults, notices and migrations without a fault so far */
	uint64_t free_frames;
	bool was_full;
	struct counts counts;
	struct observation observation;

	struct evictor *evict;
	struct prefetcher *prefetch;
	struct placer *place; /* NULL: two tiers */
};

/* ---- eviction policies ---- */

enum ghost { GHOST_NO, GHOST_FIRST, GHOST_SECOND };

struct state {                /* what one eviction policy keeps about one chunk */
	uint64_t uses;        /* lfu, observ-lfu: frequency */
	unsigned mark;        /* clock: bit; sieve: visited; s3fifo: frequency */
	bool lir;             /* lirs */
	uint64_t interval;    /* mhpe, hpe: of the last insertion or move */
	bool at_head;         /* mhpe: put at the head, counts as old */
	bool wrong;           /* mhpe: found in the buffer by the fault being served */
	uint64_t counter;     /* hpe: pages migrated since it came in */
	bool faulted;         /* observ-lfu: ever */
	unsigned cause;       /* tournament: 1 + the member that had it evicted */
	uint64_t ref, t_last; /* leu */
};

struct evictor {
	const struct evict *how;
	struct oracle *o;
	const struct spec *spec;
	struct state *states;
	size_t states_len;
	struct list a, b, c, d; /* what each policy makes of them stands beside it */
	struct decimal pct;     /* reserved-lru */
	size_t hand;            /* clock: index into a */
	uint32_t sieve_hand;    /* sieve: chunk, or NONE */
	uint64_t arc_p;
	uint64_t lir_count;
	enum ghost ghost; /* in which ghost list the faulting page was found */
	void *own;        /* of those that need more */
};

struct evict { /* a function that is not there has nothing to do */
	const char *name;
	const char *keys; /* of its parameters, separated by blanks */
	bool study;       /* P = 1 and demand paging only */
	bool single;      /* P = 1 */
	void (*create)(struct evictor *);
	void (*full)(struct evictor *);
	void (*fault)(struct evictor *, uint32_t c);
	uint32_t (*victim)(struct evictor *);
	void (*evicted)(struct evictor *, uint32_t c, bool unused);
	void (*migrated)(struct evictor *, uint32_t c, bool first_page, uint64_t pages);
	void (*accessed)(struct evictor *, uint32_t c, const struct access *a, bool hit);
	void (*notice)(struct evictor *, uint32_t c);
	uint32_t (*candidate)(struct evictor *);
	bool (*follows_lru)(struct evictor *);
	void (*report)(struct evictor *);
};

/* ---- prefetchers ---- */

struct prefetcher {
	const struct prefetch *how;
	struct oracle *o;
	const struct spec *spec;
	uint64_t pages;     /* sequential */
	uint64_t threshold; /* tree */
	void *own;
};

struct plan { /* besides the pages of the set */
	bool remote;
	bool arm;
	enum purpose purpose;
};

struct prefetch {
	const char *name, *keys;
	void (*create)(struct prefetcher *);
	void (*fault)(struct prefetcher *, uint32_t c, uint64_t page);
	struct plan (*plan)(struct prefetcher *); /* adds pages to the set */
	void (*evicted)(struct prefetcher *, uint32_t c, bool unused);
	void (*notice)(struct prefetcher *, uint32_t c, enum purpose purpose);
	struct plan (*plan_notice)(struct prefetcher *, uint32_t c, enum purpose purpose);
	void (*remote)(struct prefetcher *, uint32_t c); /* may add pages to the set */
};

/* ---- placement policies ---- */

enum answer { KEEP = 1, TIER2 = 2, TIER3 = 3 };

struct placer {
	const struct place *how;
	struct oracle *o;
	const struct spec *spec;
	struct list tier2; /* chunks, the oldest first */
	struct list dirty; /* those of tier 2 that are */
	void *own;
};

struct place {
	const char *name, *keys;
	void (*create)(struct placer *);
	void (*fault)(struct placer *, uint32_t c);
	enum answer (*choose)(struct placer *, uint32_t c);
	void (*evicted)(struct placer *, uint32_t c);
	void (*accessed)(struct placer *, uint32_t c);
};

/* list.c */
void *must(void *memory);
size_t list_find(const struct list *l, uint32_t v); /* l->n if it is not there */
bool list_has(const struct list *l, uint32_t v);
void list_insert(struct list *l, size_t at, uint32_t v);
void list_push(struct list *l, uint32_t v);
uint32_t list_take(struct list *l, size_t at);
bool list_drop(struct list *l, uint32_t v);
void list_renew(struct list *l, uint32_t v); /* to the newest end */

/* spec.c: all of them end the program on bad usage */
void usage(const char *what);
uint64_t number(const char *text, const char **end);
uint64_t whole_number(const char *text);
struct decimal decimal(const char *text, const char **end);
uint64_t bytes(const char *text);
struct spec *parse_spec(const char *text);
void check_keys(const struct spec *s, const char *keys);
const char *param(const struct spec *s, const char *key); /* NULL: not given */
uint64_t param_number(const struct spec *s, const char *key, uint64_t otherwise);
struct decimal param_decimal(const struct spec *s, const char *key, const char *otherwise);
void *own_state(size_t size); /* zeroed */

/* trace.c */
void read_trace(const char *name, struct access **trace, size_t *length);

/* chunks.c */
uint32_t chunk_of(struct oracle *o, uint64_t page);
uint64_t bit_of(const struct oracle *o, uint64_t page);
bool is_resident(struct oracle *o, uint64_t page);
uint64_t count_bits(uint64_t bits);
bool valid(const struct oracle *o, uint32_t c);
void add_page(struct oracle *o, uint64_t page); /* to the set, if it is absent and in range */
void add_chunk(struct oracle *o, uint64_t number);
void drop_highest(struct oracle *o);
struct state *state(struct evictor *e, uint32_t c);
uint64_t next_random(struct oracle *o);
uint64_t hash(uint64_t x);
bool below_share(uint64_t x, struct decimal share); /* x < share * 2^64 */

/* engine.c */
void run(struct oracle *o);
void bring_in(struct oracle *o, const struct access *a); /* a: of a fault, else NULL */

/* observe.c */
void set_up_observation(struct oracle *o);
void arm_pages(struct oracle *o, uint32_t c, uint64_t among, uint64_t n, enum purpose purpose);
void give_notice(struct oracle *o, uint32_t c);
void ask_candidate(struct oracle *o);
void note_eviction(struct oracle *o, uint32_t c);

/* policies.c */
struct evictor *open_evictor(struct oracle *o, const struct spec *spec);
struct prefetcher *open_prefetcher(struct oracle *o, const struct spec *spec);

/* evict.c, study.c, cppe.c, observ.c, tournament.c, leu.c */
extern const struct evict reference_evictors[], study_evictors[], cppe_evictors[],
	observ_evictors[], tournament_evictors[], leu_evictors[];
void enter_once(struct evictor *e, uint32_t c, bool first_page, uint64_t pages);
void leave(struct evictor *e, uint32_t c, bool unused);
uint32_t oldest(struct evictor *e);

/* prefetch.c, pattern.c, feedback.c, acbm.c */
extern const struct prefetch reference_prefetchers[], cppe_prefetchers[], feedback_prefetchers[],
	acbm_prefetchers[];
struct plan plan_tree(struct prefetcher *p);

/* gmt.c */
struct placer *open_placer(struct oracle *o, const struct spec *spec);
void look_up_tier2(struct oracle *o, uint32_t c);
void place_victim(struct oracle *o, uint32_t c, enum answer to);
void flush_tiers(struct oracle *o);

#endif
