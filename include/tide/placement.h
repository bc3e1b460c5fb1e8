/* The contract of a placement. A placement decides where a victim of near memory goes, in the
 * simulator, under the pager and on the GPU.
 *
 * A placement is one header, policies/place/NAME.h. Its rules are static inline functions. The C
 * compiler compiles them for the simulator and the pager, and nvcc for the device. Its table of
 * parameters and its struct tide_policy stand at the end, for the C compiler alone. So a name with
 * its defaults means the same everywhere. The build finds the file; no other file needs an edit.
 *
 *     tide_NAME_keeps()      does the victim stay in near memory for now?
 *     tide_NAME_tier()       if not: does it go to tier 2 or tier 3?
 *     tide_NAME_yields()     tier 2 is full: does this page of tier 2 make room?
 *     tide_NAME_left()       the victim has left
 *     tide_NAME_returned()   a page that left has been accessed again
 *     settle()               sets struct tide_placing from the parameters; for the C compiler alone
 *
 * (NAME is written with _ for every -.) Many warps call the rules at once. Only the caller has the
 * page, so a rule may change the words of the page as it likes. It changes a shared word by
 * TIDE_SHARED_CAS. Where tier 2 is divided among shards, the caller of tide_NAME_tier() and
 * tide_NAME_yields() holds the lock of one shard. */
#ifndef TIDE_PLACEMENT_H
#define TIDE_PLACEMENT_H

#include <stddef.h>

#include "param.h"
#include "tiering.h"

/* Stands before every rule. */
#ifdef __CUDACC__
#define TIDE_RULE __device__ static inline
#else
#define TIDE_RULE static inline
#endif

/* A word of what a placement remembers about a page. The simulator packs these words. */
#ifdef __CUDACC__
typedef uint64_t tide_word;
#else
typedef uint64_t tide_word __attribute__((aligned(4)));
#endif

#define TIDE_PAGE_WORDS 4
#define TIDE_SHARED_WORDS 2

struct tide_placing {
	/* settle() sets these from the parameters; zero at first. */
	uint32_t page_words; /* words per page, at most TIDE_PAGE_WORDS */
	uint32_t window;     /* decisions that are remembered (tide_decisions); 0: none */
	uint32_t weighs;     /* 1: ask tide_NAME_yields(); 0: the oldest page makes room */
	uint32_t two_tiers;  /* 1: the placement does not use tier 2 */
	uint32_t choice[2];  /* for the placement's own use */
	double real;         /* for the placement's own use */
	double rate; /* share of the pages whose accesses are sampled for the line; 0: none */
	/* The tiers' sizes. */
	uint64_t near_pages, host_pages;
	/* What the placement remembers about all pages together; zero at first. */
	uint64_t shared[TIDE_SHARED_WORDS];
};

/* TIDE_SHARED_READ reads a shared word. TIDE_SHARED_CAS gives what the word was, and sets the word
 * to `to` if it was `old`. Calls of a policy are serial, so plain reads and writes do here.
 * device/place.h defines both for warps. */
#ifdef TIDE_PLACEMENT
static inline uint64_t tide_shared_set(uint64_t *at, uint64_t to)
{
	uint64_t old = *at;
	*at = to;
	return old;
}
#define TIDE_SHARED_READ(at) (*(at))
#define TIDE_SHARED_CAS(at, old, to) ((void)(old), tide_shared_set(at, to))
#endif

/* A page that leaves, has left or comes back. */
struct tide_leaver {
	tide_word *own; /* its words; zero at first */
	uint64_t now;   /* accesses so far */
	bool dirty;
};

/* Tier 2 when the rule is called. */
struct tide_room {
	bool any, free;                   /* does it have slots at all? does it have free slots? */
	uint64_t *random;                 /* state of random numbers */
	struct tide_decisions *decisions; /* for a placement with a window */
};

struct tide_answer {
	unsigned tier; /* 2 or 3 */
	bool lifted;   /* the page was predicted in tier 3, and goes to tier 2 */
};

struct tide_verdict {
	unsigned correct; /* the tier that would have been right; 0: not known */
	bool judged;      /* a prediction had been made for the page */
	bool right;       /* that prediction was right */
};

/* The rules of a placement that keeps no page, learns nothing, and lets the oldest page of tier 2
 * make room. */
#define TIDE_FORGETFUL(name) \
	TIDE_RULE bool tide_##name##_keeps(struct tide_placing *p, struct tide_leaver v, bool may) \
	{ \
		(void)p, (void)v, (void)may; \
		return false; \
	} \
	TIDE_RULE bool tide_##name##_yields(struct tide_placing *p, struct tide_leaver there, \
					    struct tide_leaver comes) \
	{ \
		(void)p, (void)there, (void)comes; \
		return true; \
	} \
	TIDE_RULE void tide_##name##_left(struct tide_placing *p, struct tide_leaver v) \
	{ \
		(void)p, (void)v; \
	} \
	TIDE_RULE struct tide_verdict tide_##name##_returned( \
		struct tide_placing *p, struct tide_leaver v, struct tide_line line) \
	{ \
		struct tide_verdict none = {0, false, false}; \
		(void)p, (void)v, (void)line; \
		return none; \
	}

#ifndef __cplusplus
struct tide_policy;
struct tide_error;

/* A placement as the GPU runtime finds it. tide/placed.h makes one. */
struct tide_placer {
	const struct tide_policy *policy;
	int (*settle)(const union tide_value *values, struct tide_placing *p,
		      struct tide_error *err);
};
#endif

#endif
