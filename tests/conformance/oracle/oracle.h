/*
 * A second, deliberately naive implementation of the functional model and of the reference
 * policies. It shares no line and no header with the program it is compared with; every
 * structure is an array, every search a linear scan. Only looking up a chunk by its number
 * is hashed, so that a real trace finishes.
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

struct decimal { /* digits / 10^places */
	uint64_t digits, scale;
};

struct access {
	uint64_t page;
	bool write;
	uint64_t next; /* number of the next access to the same chunk */
};

struct chunk {
	uint64_t number;
	uint64_t resident, touched, dirty;
	unsigned in_set; /* pages of the chunk in the set that is to come in */
	uint64_t uses;   /* lfu */
	uint64_t next;   /* opt: number of the next access */
	unsigned mark;   /* clock: bit; sieve: visited; s3fifo: frequency */
	bool lir;
};

struct counts {
	uint64_t accesses, hits, faults, migrated, prefetched, evicted_chunks, evicted, writeback,
		untouched, policy_errors;
};

enum ghost { GHOST_NO, GHOST_FIRST, GHOST_SECOND };

struct oracle {
	/* the input */
	struct access *trace;
	size_t trace_len;
	uint64_t max_page;
	uint64_t pages_per_chunk, near;
	uint64_t random_state;

	/* the engine */
	struct chunk *chunks;
	size_t chunk_len, chunk_room;
	uint32_t *slots; /* hash of chunk numbers: index into chunks, or NONE */
	size_t slot_len;
	uint64_t *set; /* pages to bring in, ascending */
	size_t set_len, set_room;
	uint32_t fault_chunk;
	uint64_t fault_page;
	uint64_t free_frames;
	bool was_full;
	struct counts counts;

	/* the policies */
	const struct evict *evict;
	const struct prefetch *prefetch;
	struct decimal pct;     /* reserved-lru */
	uint64_t pages;         /* sequential */
	uint64_t threshold;     /* tree */
	size_t hand;            /* clock: index into a */
	uint32_t sieve_hand;    /* sieve: chunk, or NONE */
	struct list a, b, c, d; /* what each policy makes of them stands beside it */
	uint64_t arc_p;
	uint64_t lir_count;
	enum ghost ghost; /* in which ghost list the faulting page was found */
};

struct evict {
	const char *name;
	bool study; /* P = 1 and demand paging only */
	void (*fault)(struct oracle *, uint32_t c);
	uint32_t (*victim)(struct oracle *);
	void (*evicted)(struct oracle *, uint32_t c);
	void (*migrated)(struct oracle *, uint32_t c, bool first_page);
	void (*accessed)(struct oracle *, uint32_t c, bool hit);
};

struct prefetch {
	const char *name;
	void (*plan)(struct oracle *); /* adds pages to the set */
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

/* engine.c */
uint32_t chunk_of(struct oracle *o, uint64_t page);
bool valid(const struct oracle *o, uint32_t c);
void add_page(struct oracle *o, uint64_t page);
void run(struct oracle *o);

/* evict.c, study.c, prefetch.c */
const struct evict *find_evict(const char *name);
const struct evict *find_study(const char *name);
const struct prefetch *find_prefetch(const char *name);

#endif
