/* What leu keeps. See leu.c for the idea, leu_pages.h for lists, leu_bounds.h for bounds,
 * leu_cursors.h for places in the lists, leu_search.h for the choice.
 *
 *     table      ref -> entry, with the reuse intervals of the ref        tide/rit.h
 *     rings      the resident pages of a ref, in order of last access
 *     families   one per entry: how its ring takes part in the search
 *     shelves    one per entry: what is known of its pages, bin by bin
 *     tree       over all entries: where the lowest priority may be
 *     orphans    rings of refs without an entry
 *
 * A page is said to be in the last bin that its age has behind it (tide_rit_past). */
#ifndef TIDE_EVICT_LEU_STATE_H
#define TIDE_EVICT_LEU_STATE_H

#include "tide/list.h"
#include "tide/ostree.h"
#include "tide/policy.h"
#include "tide/rit.h"
#include "tide/vec.h"

/* A page's slot. Slots are small, because every access touches three of them at random. Whether the
 * slots of a footprint fit the cache decides how long a hit takes. */
struct page {
	uint32_t prev, next; /* the next older and the next younger page; at the ends, the ring */
	uint64_t word;       /* time of the last access, kept when the page leaves; entry; flags */
};

_Static_assert(sizeof(struct page) == 16, "the slot of a page is 16 bytes");

enum {
	LISTED = 1,   /* the page is in a ring */
	OLDEST = 2,   /* prev is the ring */
	YOUNGEST = 4, /* next is the ring */
	MARKED = 8,   /* the shelf of the entry may point here */
	FLAG_BITS = 4,
	/* The entry of the last access, if there was one. If it belongs to another ref now, it was
	 * made after that access, and tide_rit_credit() refuses. */
	ENTRY_BITS = 16,
	LAST_SHIFT = FLAG_BITS + ENTRY_BITS,
};

/* Rings: one per entry, by its number, then one for the strangers, then those of the orphans. */
struct ring {
	uint32_t oldest, youngest; /* page + 1; 0: no page */
};

struct orphan {
	uint64_t ref;
	union {
		struct tide_link queued;   /* in line */
		struct tide_osnode strewn; /* in the tree */
	};
	uint32_t in_line; /* 1: in line, 0: in the tree */
	uint32_t chain;   /* next + 1, of the orphans with the same hash, or of the free ones */
};

struct family {
	uint64_t ref;
	uint64_t limit; /* when n of the entry reaches this, its leaf is out of date */
	bool large;     /* the ring once had more than SMALL pages, and has a shelf */
	bool stale;     /* the entry is listed in leu.stale */
};

/* Bounds of priorities are integers, so that the lesser is found without a branch. A bound above 0
 * is the bits of a double. The bound of a page of priority 0 is less: the time of its last access.
 */
#define ROUGH (UINT64_C(1) << 50)        /* above 0, and no more is known */
#define INFINITE (UINT64_C(0x7ff) << 52) /* there is no page */

/* A node of a tree of bounds: the least of the nodes below it. */
struct node {
	uint64_t bound;
	uint64_t due; /* when a bound may become less by the passing of time alone */
};

#define GROUPS 64 /* of eight bins; the groups are the leaves of a tree */
_Static_assert(TIDE_RIT_GROUPS <= GROUPS, "every group has a leaf");

/* All priorities of a bin are at least its bound, which is a rise divided by a rest. The rise of
 * the floor follows from the reuse intervals, and holds for any pages. A bin that was looked into
 * has the rise found for its youngest page. That rise holds until a younger page may be in the
 * bin. */
struct shelf {
	double rise[TIDE_RIT_BINS], found[TIDE_RIT_BINS];
	uint64_t floor[TIDE_RIT_BINS], bound[TIDE_RIT_BINS];
	uint64_t due[TIDE_RIT_BINS]; /* when the bound falls to the floor; NEVER: it is the floor */
	uint32_t cursor[TIDE_RIT_BINS]; /* the youngest page known to be in the bin or beyond */
	/* To prefetch: the pages that were to come into the bin next when it was looked into. They
	 * may be any pages by now. */
	uint32_t coming[TIDE_RIT_BINS], after_it[TIDE_RIT_BINS];
	uint64_t set[TIDE_RIT_WORDS]; /* bins with a cursor */
	struct node tree[2 * GROUPS]; /* root 1 */
	/* The rises and the floors hold while n of the entry is less. */
	uint64_t rises_hold_below, holds_below;
	bool open; /* false: nothing in the shelf holds */
};

#define NEVER UINT64_MAX

/* The page that the last search chose. Its bin has no bound until it is known whether the page
 * leaves. */
struct chosen {
	uint32_t page; /* + 1; 0: no bin waits */
	uint32_t entry;
	unsigned bin;
	uint64_t bound; /* the bin's bound if the page stays */
	/* If the page leaves, these give a bound for the next older page. */
	uint64_t k, ahead;
	double each;
};

struct leu {
	const struct tide_view *view;
	struct tide_rit table;
	struct tide_vec rings, families, shelves, tree, stale, orphans, buckets;
	uint32_t leaves;       /* of the tree: a power of two, at least one per entry in use */
	uint32_t n_stale;      /* entries whose leaf is out of date */
	uint32_t orphans_used; /* how many items of the array were ever used */
	uint32_t orphans_free; /* 1 + the first item that is free again */
	struct chosen chosen;
	struct tide_list line;     /* orphans in order of their oldest pages' age */
	struct tide_ostree strewn; /* orphans that came out of order */
	uint64_t bucket_mask;
	bool by_page, trained;
	bool saw_refs;   /* while training */
	uint64_t sample; /* pages with a lower hash are counted */
	uint64_t decay;
	struct tide_rit_pass *pass; /* while training */
	/* For the report. */
	uint64_t victims, worthless, examined, walked;
};

static inline struct page *page_at(const struct leu *s, uint32_t i)
{
	return tide_slot(s->view, struct page, (tide_chunk){i});
}

static inline struct ring *ring_at(const struct leu *s, uint32_t ring)
{
	return (struct ring *)(void *)s->rings.at + ring;
}

static inline struct family *family_at(const struct leu *s, uint32_t e)
{
	return (struct family *)(void *)s->families.at + e;
}

static inline struct shelf *shelf_at(const struct leu *s, uint32_t e)
{
	return (struct shelf *)(void *)s->shelves.at + e;
}

static inline uint64_t last_of(const struct page *at)
{
	return at->word >> LAST_SHIFT;
}

static inline uint32_t entry_of(const struct page *at)
{
	return (uint32_t)(at->word >> FLAG_BITS & ((1u << ENTRY_BITS) - 1));
}

static inline uint64_t word_of(uint64_t last, uint32_t e)
{
	return last << LAST_SHIFT | (uint64_t)(e & ((1u << ENTRY_BITS) - 1)) << FLAG_BITS;
}

static inline void set_flag(struct page *at, unsigned flag)
{
	at->word |= flag;
}

static inline void clear_flag(struct page *at, unsigned flag)
{
	at->word &= ~(uint64_t)flag;
}

static inline uint64_t now_of(const struct leu *s)
{
	return s->view->near->time;
}

static inline uint64_t age_of(const struct leu *s, uint32_t i)
{
	return now_of(s) - last_of(page_at(s, i));
}

#endif
