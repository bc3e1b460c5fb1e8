/* The contract between the engine and a policy.
 *
 * A policy is one file that ends in one `const struct tide_policy`. The engine tells it what
 * happened (notices, in the past tense), asks it questions, and checks every answer: a wrong answer
 * never loses data. A policy sees chunks, bitmaps and event time, but no addresses, locks, clocks
 * or I/O. Calls are serial.
 *
 * Everything here is header only, so a policy built out of tree, as a shared object, needs no
 * symbol of the library. Such a policy exports its struct under the name `tide_policy`:
 *
 *     const struct tide_policy tide_policy = { .api = TIDE_POLICY_API, ... };
 *
 * and is used as `tide sim --evict ./mine.so`. It runs under a newer tide without a change: members
 * that its struct does not have (by its size) count as 0 or NULL, and all structs that the engine
 * fills grow at their ends. It runs under an older tide too. But if it sets a member that the older
 * tide does not know, tide refuses it. A change that would break this raises TIDE_POLICY_API.
 * struct tide_param and union tide_value keep their layouts as long as TIDE_POLICY_API stays.
 *
 * docs/writing-a-policy.md is the tutorial; policies/evict/sieve.c is the file to copy, and
 * tide/list.h has the lists that most policies need, tide/order.h a quick order of use.
 *
 * The calls for one fault on page p of chunk c, in order. (The engine tells the placement policy
 * first, then the prefetcher, then the eviction policy.)
 *
 *     on_fault(c, p)
 *     plan_prefetch(c, p)            once; the engine adds p and drops resident pages
 *     on_full()                      once in a run: the first time room is short
 *     pick_victim() -> on_evicted()  until there is room
 *     on_migrated(c), on_migrated(others, ascending)
 *     on_access(c, p)                the faulting access, last
 *     pick_observed()                one chunk to watch
 *
 * With a placement policy, place_victim() comes between pick_victim() and on_evicted(). It may keep
 * the victim. The engine then calls pick_victim() again, and that call must skip its last answer.
 * If the victim goes to a full tier 2, yields() comes next.
 *
 * Observation: the engine *arms* a page of a resident chunk, so that it sees the next access to the
 * page. That access is a notice. The engine disarms the chunk, and then calls
 *
 *     on_notice(c, p, purpose)
 *     plan_notice(c, p, purpose)     of the prefetcher: pages to bring in without a fault
 *     pick_observed()
 *
 * A chunk is observed for one purpose at a time. A prefetch policy may ask to have its pages armed
 * (plan->arm); the eviction policy names chunks (pick_observed).
 */
#ifndef TIDE_POLICY_H
#define TIDE_POLICY_H

#include <stddef.h>
#include <string.h>

#include "error.h"
#include "event.h"
#include "param.h"

#define TIDE_POLICY_API 1

enum tide_role {
	TIDE_EVICT,
	TIDE_PREFETCH,
	TIDE_PLACE,
};

/* What a policy needs to see besides faults, migrations and evictions. A mechanism that
 * cannot give one of these refuses the policy at the start.
 *
 * TIDE_TAKES_SAMPLES is not a need. Declared with TIDE_NEEDS_ACCESSES, it says that a sample of the
 * accesses is enough: on_access then comes for all faults, and for the accesses that a mechanism
 * samples. TIDE_NEEDS_REFS still says whether they must carry refs.
 *
 * TIDE_TAKES_SIZES is not a need either. An eviction policy that has it in `needs` is right for
 * objects of several sizes too; needs_with cannot add it. Each chunk is then one object, with its
 * tide_object_bytes(), near memory is counted in bytes, and several victims may have to leave for
 * one object. Other policies are refused there. */
enum tide_needs {
	TIDE_NEEDS_ACCESSES = 1 << 0, /* on_access: every access, including hits */
	TIDE_NEEDS_NOTICES = 1 << 1,  /* on_notice: sampled accesses by observation */
	TIDE_NEEDS_REFS = 1 << 2,     /* accesses carry the instruction's id */
	TIDE_NEEDS_FUTURE = 1 << 3,   /* tide_next_use(): recorded traces only */
	TIDE_NEEDS_PAGES = 1 << 4,    /* chunks of one page only */
	TIDE_NEEDS_CLOCK = 1 << 5,    /* requires a timed model */
	TIDE_NEEDS_TOUCHED = 1 << 6,  /* which pages of a chunk were touched, one by one */
	TIDE_TAKES_SAMPLES = 1 << 7,  /* a sample of the accesses is enough */
	TIDE_NEEDS_REMOTE = 1 << 8,   /* pages accessed in far memory, and each access to them */
	TIDE_TAKES_SIZES = 1 << 9,    /* objects may have several sizes */
};

#define TIDE_NO_CHUNK ((tide_chunk){UINT32_MAX})
#define TIDE_NEVER UINT64_MAX

struct tide_plan;

/* Size and cost of a chunk, where objects have sizes. */
struct tide_object {
	uint64_t bytes, cost;
};

/* Near memory as every policy of a run sees it. Read it through the functions below. */
struct tide_near {
	uint64_t capacity_pages; /* where objects have sizes, both are bytes */
	uint64_t free_pages;
	uint64_t last_page;       /* highest page number of the address range */
	uint64_t time;            /* accesses so far, including the present one */
	uint64_t resident_chunks; /* chunks with at least one resident page */
	uint32_t chunk_pages;     /* pages per chunk, 1 to 64 */
	/* Chunk indices in use: 0 to chunks - 1. An index only finds the state of a chunk. Its
	 * order means nothing and differs between runs: compare chunks by tide_chunk_number(). */
	uint32_t chunks;
	/* Bitmaps of all chunks: per chunk four lanes of lane_bytes (1, 2, 4 or 8) each,
	 * resident | touched | dirty | armed, little-endian, bit i = i-th page of the chunk. */
	const unsigned char *bits;
	uint32_t lane_bytes;
	uint32_t record_shift;   /* log2 of the four lanes together */
	const uint64_t *numbers; /* index -> chunk number; NULL: they are the same */
	/* While a fault is served: the chunks that may not be its victim. */
	tide_chunk fault_chunk;
	const uint64_t *planned;      /* bitmap by chunk index, NULL: fault_chunk alone */
	const struct tide_plan *plan; /* the set: other[0 .. n-1], ascending */
	uint64_t blocked_chunks;      /* how many chunks that may not be the victim are resident */
	/* The future, for policies that need it. next_use: index -> time of the chunk's next access
	 * (0: never). chunk_at: time - 1 -> the chunk accessed at that time. */
	const uint32_t *next_use;
	const uint32_t *chunk_at;
	uint64_t length; /* accesses in the whole input, 0 if not known */
	/* In on_evicted: did the eviction policy choose the victim by recency (see follows_lru)? */
	bool follows_lru;
	/* See tide_find_chunk(). */
	tide_chunk (*find)(const struct tide_near *near, uint64_t number);
	/* Tier 2, for placement policies: slots in all, and free ones. */
	uint64_t host_pages, host_free_pages;
	/* First pages of the program's allocations, ascending. NULL: all pages are one allocation.
	 * See tide_allocation(). */
	const uint64_t *allocations;
	uint32_t allocations_n;
	/* Position of the present access in its group, such as a request, from 0. TIDE_NEVER: the
	 * access belongs to no group. The engine keeps it for every input that has groups; other
	 * inputs pay nothing for it, so a policy need not ask for it. */
	uint64_t group_at;
	/* See tide_object_bytes(). By chunk index; NULL: every object is one page. */
	const struct tide_object *objects;
	uint64_t page_bytes; /* 1 if not known */
};

/* What one policy sees of the run; create() gets it and keeps the pointer. */
struct tide_view {
	const struct tide_near *near;
	unsigned char *slots; /* this policy's state per chunk, chunk_bytes each, zero at first */
	uint64_t *random;     /* state of the run's random numbers */
};

/* This policy's state about chunk c. The address is valid until the callback returns. */
#define tide_slot(view, type, c) (&((type *)(void *)(view)->slots)[(c).index])

enum tide_lane { TIDE_RESIDENT, TIDE_TOUCHED, TIDE_DIRTY, TIDE_ARMED };

static inline uint64_t tide_bits(const struct tide_view *v, tide_chunk c, enum tide_lane lane)
{
	const struct tide_near *n = v->near;
	const unsigned char *at =
		n->bits + ((size_t)c.index << n->record_shift) + (size_t)lane * n->lane_bytes;
	uint64_t bits = 0;
	switch (n->lane_bytes) {
	case 1: return *at;
	case 2: memcpy(&bits, at, 2); return bits;
	case 4: memcpy(&bits, at, 4); return bits;
	default: memcpy(&bits, at, 8); return bits;
	}
}

static inline uint64_t tide_resident(const struct tide_view *v, tide_chunk c)
{
	return tide_bits(v, c, TIDE_RESIDENT);
}

/* Is any page of the resident chunk armed? */
static inline bool tide_observed(const struct tide_view *v, tide_chunk c)
{
	return (tide_bits(v, c, TIDE_ARMED) & tide_resident(v, c)) != 0;
}

/* In on_migrated(c, pages): was no page of the chunk resident before? */
static inline bool tide_came_in(const struct tide_view *v, tide_chunk c, uint64_t pages)
{
	return v->near->chunk_pages == 1 || tide_resident(v, c) == pages;
}

/* May resident chunk c be the victim now? A policy skips a chunk that may not, as if the chunk were
 * not in its lists. */
static inline bool tide_valid(const struct tide_view *v, tide_chunk c)
{
	const struct tide_near *n = v->near;
	return c.index != n->fault_chunk.index &&
	       !(n->planned && (n->planned[c.index / 64] >> (c.index % 64) & 1));
}

/* An optional hint that c will soon be the victim: prefetches its bitmaps. Always inlined, because
 * gcc drops calls of a function that only prefetches. */
__attribute__((always_inline)) static inline void tide_expect(const struct tide_view *v,
							      tide_chunk c)
{
	__builtin_prefetch(v->near->bits + ((size_t)c.index << v->near->record_shift), 1);
}

/* The number of the chunk's first page, divided by the pages per chunk. */
static inline uint64_t tide_chunk_number(const struct tide_view *v, tide_chunk c)
{
	return v->near->numbers ? v->near->numbers[c.index] : c.index;
}

/* The chunk with this number, or TIDE_NO_CHUNK if none of its pages was ever touched or brought in.
 */
static inline tide_chunk tide_find_chunk(const struct tide_view *v, uint64_t number)
{
	return v->near->find(v->near, number);
}

/* Size of an object and the cost of a fetch of it, as they were when it last came in or is about to
 * come in. Without sizes: the bytes of a page, and 1. */
static inline uint64_t tide_object_bytes(const struct tide_view *v, tide_chunk c)
{
	return v->near->objects ? v->near->objects[c.index].bytes : v->near->page_bytes;
}

static inline uint64_t tide_object_cost(const struct tide_view *v, tide_chunk c)
{
	return v->near->objects ? v->near->objects[c.index].cost : 1;
}

/* Position of a page inside its chunk. */
static inline unsigned tide_page_bit(const struct tide_view *v, tide_page p)
{
	return (unsigned)(p.number % v->near->chunk_pages);
}

/* All pages of a chunk, as a bitmap. */
static inline uint64_t tide_whole_chunk(const struct tide_view *v)
{
	return UINT64_MAX >> (64 - v->near->chunk_pages);
}

/* The program's allocations: how many there are (at least one), which one a page belongs to, and
 * the last page of one. Pages before the first allocation count as pages of the first. */
static inline uint32_t tide_allocations(const struct tide_view *v)
{
	return v->near->allocations_n ? v->near->allocations_n : 1;
}

static inline uint32_t tide_allocation(const struct tide_view *v, uint64_t page)
{
	uint32_t low = 0, high = tide_allocations(v);
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;
		if (v->near->allocations[mid] <= page)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static inline uint64_t tide_allocation_end(const struct tide_view *v, uint32_t allocation)
{
	return allocation + 1 < v->near->allocations_n ? v->near->allocations[allocation + 1] - 1
						       : v->near->last_page;
}

/* Time of the next access after the present one to any page of c, or TIDE_NEVER. */
static inline uint64_t tide_next_use(const struct tide_view *v, tide_chunk c)
{
	uint32_t t = v->near->next_use[c.index];
	return t ? t : TIDE_NEVER;
}

/* The chunk accessed at a time of the future. */
static inline tide_chunk tide_chunk_at(const struct tide_view *v, uint64_t time)
{
	return (tide_chunk){v->near->chunk_at[time - 1]};
}

static inline uint64_t tide_random_below(const struct tide_view *v, uint64_t n)
{
	return tide_random_next(v->random) % n;
}

/* Why a page is armed. Each purpose has its own share of the 256 hardware counters. */
enum tide_purpose {
	TIDE_OBSERVE,  /* the eviction policy wants to know whether the chunk is in use */
	TIDE_FEEDBACK, /* the prefetcher wants to know whether a prefetched page is used */
	TIDE_TRIGGER,  /* the prefetcher wants to know when the program reaches the page */
	TIDE_REMOTE,   /* not armed: an access to a page that plan->remote left in far memory */
};

/* Rows for the table of every policy with pick_observed; the engine reads their values. */
/* clang-format off */
#define TIDE_OBSERVE_PARAMS \
	{"observe", TIDE_PARAM_INT, "100", 0, 192, "chunks observed at once"}, \
	{"samples", TIDE_PARAM_INT, "1", 1, 8, "pages armed per chunk at first"}, \
	{"adapt", TIDE_PARAM_INT, "1", 0, 1, \
	 "1: double the samples when evicted chunks come back often, halve them when seldom"}
/* clang-format on */

/* The answer to plan_prefetch and plan_notice. The engine adds the faulting page, removes resident
 * pages, pages that the chunk does not have and pages beyond the address range, and cuts what does
 * not fit. */
struct tide_plan_entry {
	uint64_t number; /* of the chunk */
	uint64_t pages;
	uint32_t index; /* for the engine alone */
};

#define TIDE_PLAN_ENTRIES 4098
struct tide_plan {
	uint64_t own; /* pages of the chunk that faulted or gave the notice */
	uint32_t n;   /* other chunks, any order */
	bool overflow;
	/* For a fault, with TIDE_NEEDS_REMOTE: map the page in far memory and bring nothing in. The
	 * rest of the plan does not count. */
	bool remote;
	/* 1 << TIDE_FEEDBACK or 1 << TIDE_TRIGGER, with TIDE_NEEDS_NOTICES: in every chunk that
	 * gets prefetched pages, arm one of these pages, drawn at random, while the purpose has
	 * budget. 0: arm none. */
	unsigned arm;
	struct tide_plan_entry other[TIDE_PLAN_ENTRIES];
};

static inline void tide_plan_chunk(struct tide_plan *plan, uint64_t number, uint64_t pages)
{
	if (plan->n && plan->other[plan->n - 1].number == number)
		plan->other[plan->n - 1].pages |= pages;
	else if (plan->n < TIDE_PLAN_ENTRIES)
		plan->other[plan->n++] = (struct tide_plan_entry){number, pages, 0};
	else
		plan->overflow = true;
}

/* report() writes the policy's results here at the end of a run. */
struct tide_report {
	void *to;
	void (*number)(void *to, const char *key, uint64_t value);
	void (*real)(void *to, const char *key, double value);
	void (*text)(void *to, const char *key, const char *value); /* NULL: null */
	void (*list)(void *to, const char *key, const uint64_t *values, size_t n);
};

struct tide_evicted {
	/* The chunk's bitmaps when it left. If its pages ceased to exist, all count as touched and
	 * none as dirty, and nothing can be learnt from them. */
	uint64_t resident, touched, dirty;
	bool unused;               /* it was observed, and no armed page was accessed */
	enum tide_purpose purpose; /* if unused: what it was observed for */
};

#define TIDE_YIELDS_MAX 8 /* pages of a full tier 2 that may be asked to yield to one victim */

enum tide_placement { TIDE_KEEP = 1, TIDE_TO_TIER2 = 2, TIDE_TO_TIER3 = 3 };

struct tide_policy {
	uint32_t api;  /* TIDE_POLICY_API */
	uint32_t size; /* sizeof(struct tide_policy) */
	const char *name;
	enum tide_role role;
	const char *summary;             /* one line, no full stop */
	const char *paper;               /* where it was published */
	unsigned needs;                  /* enum tide_needs; the engine adds those of members */
	const struct tide_param *params; /* ends with a row whose name is NULL; or NULL */
	size_t state_bytes;              /* own state: self, zero at first */
	size_t chunk_bytes;              /* state per chunk, owned by the engine, zero at first */

	/* For needs that depend on the parameters. NULL: `needs` holds. */
	unsigned (*needs_with)(const union tide_value *values);
	/* For state per chunk whose size depends on the parameters or on the size of chunks. The
	 * answer is at most chunk_bytes. NULL: chunk_bytes holds. */
	size_t (*chunk_bytes_with)(const union tide_value *values, uint32_t chunk_pages);

	/* Life. Only create and train may allocate. Before the run, train gets the whole trace that
	 * a parameter names, batch by batch, and NULL after the last batch. */
	int (*create)(void *self, const struct tide_view *view, const union tide_value *values,
		      struct tide_error *err);
	int (*train)(void *self, const struct tide_batch *batch, struct tide_error *err);
	void (*destroy)(void *self);

	/* Notices. Any of them may be NULL. */
	void (*on_full)(void *self);
	void (*on_fault)(void *self, tide_chunk c, tide_page p);
	void (*on_migrated)(void *self, tide_chunk c, uint64_t pages);
	void (*on_access)(void *self, tide_chunk c, tide_page p, uint64_t ref);
	void (*on_notice)(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose);
	void (*on_evicted)(void *self, tide_chunk c, const struct tide_evicted *what);
	void (*on_boundary)(void *self, uint64_t kernel); /* a kernel of the workload ended */

	/* Questions for the role evict. */
	tide_chunk (*pick_victim)(void *self);   /* skips kept victims, see above */
	tide_chunk (*pick_observed)(void *self); /* TIDE_NO_CHUNK: nothing to observe */
	bool (*follows_lru)(void *self);         /* does it now choose by recency? NULL: always */
	/* For the role prefetch. */
	void (*plan_prefetch)(void *self, tide_chunk c, tide_page p, struct tide_plan *plan);
	void (*plan_notice)(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			    struct tide_plan *plan);
	/* For the role place. */
	enum tide_placement (*place_victim)(void *self, tide_chunk c);
	/* Tier 2 is full, and place_victim() sent c there: does the oldest page make room? If not,
	 * the engine makes that page the newest and asks about the next one. After TIDE_YIELDS_MAX
	 * such answers, c goes to tier 3. NULL: the oldest page makes room. */
	bool (*yields)(void *self, tide_chunk oldest, tide_chunk c);
	/* true: pages come in through tier 2 and leave a copy there, and the least recently used
	 * copy makes room. false: a page is in only one of tiers 1 and 2. */
	bool inclusive;

	void (*report)(void *self, const struct tide_report *report);

	/* For the role evict, a hint: c will be accessed after a few others. Its slot is in the
	 * cache. The policy prefetches what on_access() will touch besides, and changes nothing.
	 * Only the functional simulator gives this hint, where chunks have one page. */
	void (*expect_access)(void *self, tide_chunk c);
};

#endif
