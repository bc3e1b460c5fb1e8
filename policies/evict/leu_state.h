/* What leu keeps. See leu.c for the idea, leu_pages.h for lists, leu_bounds.h for bounds.
 *
 *     table      ref -> entry, with the reuse intervals of the ref        core/rit.h
 *     families   one per entry: its pages, resident, in order of last access
 *     shelves    one per entry: what is known of its pages, bin by bin
 *     tree       over all entries: where the lowest priority may be
 *     orphans    families of refs without an entry */
#ifndef TIDE_EVICT_LEU_STATE_H
#define TIDE_EVICT_LEU_STATE_H

#include "core/list.h"
#include "core/ostree.h"
#include "core/rit.h"
#include "core/vec.h"
#include "tide/policy.h"

/* A page's slot. Pages of a family form a ring; the oldest of them is its head and holds what
 * belongs to the family. What every access needs comes first. */
struct page {
	uint32_t prev, next; /* the next older and the next younger page, around the end too */
	uint64_t stamp;      /* time of the last access, kept when the page leaves, and flags */
	uint64_t ref;        /* of that access */
	/* Of a head: */
	union {
		struct td_link queued;   /* among the orphans in line */
		struct td_osnode strewn; /* among the other orphans */
		uint32_t owner;          /* an entry, or STRANGER */
	};
	uint32_t chain; /* among orphans of the same hash: next head + 1; NOT_ORPHAN */
};

#define STRANGER TD_NIL
#define NOT_ORPHAN TD_NIL

/* Flags of a page's stamp. They share its word on purpose: bytes of their own, written before the
 * word around them is read, would make the processor wait for all stores before. */
enum {
	LISTED = 1,  /* it is in a family */
	HEAD = 2,    /* it is its head */
	IN_LINE = 4, /* of an orphan's head: which of the two */
	MARKED = 8,  /* a shelf may point here */
	STAMP_SHIFT = 4,
};

_Static_assert(sizeof(struct page) == 40, "the slot of a page is 40 bytes");

struct family {
	uint32_t head;  /* page + 1, 0: nobody */
	bool large;     /* it once had more than SMALL pages, and has a shelf */
	bool stale;     /* listed in leu.stale */
	uint64_t limit; /* when n of the entry gets here, its leaf is out of date */
};

/* All priorities of a bin are at least its bound, which is a rise over a rest. The floor's rise
 * follows from the reuse intervals and holds whatever the pages; a bin that was looked into has the
 * rise found for its youngest page, which holds until a younger one may have come to that age. */
struct shelf {
	double rise[TD_RIT_BINS], floor[TD_RIT_BINS];
	double found[TD_RIT_BINS], bound[TD_RIT_BINS];
	uint64_t due[TD_RIT_BINS];    /* when the bound falls back to the floor */
	uint32_t cursor[TD_RIT_BINS]; /* the youngest page known to be in the bin or beyond */
	uint64_t set[TD_RIT_WORDS];   /* bins with a cursor */
	double group_bound[TD_RIT_GROUPS];
	uint64_t group_due[TD_RIT_GROUPS];
	unsigned lowest; /* the group to begin with */
	/* The rises and the floors hold while n of the entry is less. */
	uint64_t rises_hold_below, holds_below;
};

/* A node of the tree: the least of what is below it. */
struct node {
	double bound;
	uint64_t due; /* when a bound may become less by the passing of time alone */
};

struct leu {
	const struct tide_view *view;
	struct td_rit table;
	struct td_vec families, shelves, tree, stale, buckets;
	uint32_t leaves;         /* of the tree, a power of two, at least one per entry in use */
	uint32_t n_stale;        /* entries whose leaf is out of date */
	uint32_t strangers;      /* head + 1 */
	struct td_list line;     /* orphans in order of their heads' age */
	struct td_ostree strewn; /* orphans that came out of order */
	uint64_t bucket_mask;
	bool by_page, trained;
	bool saw_refs;   /* while training */
	uint64_t sample; /* pages with a lower hash are counted */
	uint64_t decay;
	struct td_rit_pass *pass; /* while training */
	/* For the report. */
	uint64_t victims, worthless, examined, walked;
};

static inline struct page *page_at(const struct leu *s, uint32_t i)
{
	return tide_slot(s->view, struct page, (tide_chunk){i});
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
	return at->stamp >> STAMP_SHIFT;
}

static inline void set_flag(struct page *at, unsigned flag)
{
	at->stamp |= flag;
}

static inline void clear_flag(struct page *at, unsigned flag)
{
	at->stamp &= ~(uint64_t)flag;
}

static inline uint64_t age_of(const struct leu *s, uint32_t i)
{
	return s->view->near->time - last_of(page_at(s, i));
}

#endif
