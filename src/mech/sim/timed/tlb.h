/* Translation: a TLB per multiprocessor, a TLB that they share, and page table walks.
 *
 * An entry is a page and the stamp of its chunk. The stamp changes when the chunk leaves near
 * memory. An entry with an older stamp is a miss, as after an invalidation. */
#ifndef TD_MECH_SIM_TIMED_TLB_H
#define TD_MECH_SIM_TIMED_TLB_H

#include <stdint.h>

#define TD_TLB_WAYS_FIRST 8
#define TD_TLB_WAYS_SHARED 16
#define TD_TLB_WALKS 1024 /* a power of two */

/* Sets of a cache, one after another, in each the tag that was last used first; 0: empty. */
struct td_tlb_cache {
	uint64_t *tag;
	uint32_t sets, ways; /* sets: a power of two; 0: there is no such cache */
};

/* A walk that is under way. A request for the same translation waits for it. A later walk may take
 * its place in the table. */
struct td_tlb_walk {
	uint64_t tag, end;
};

struct td_tlb {
	struct td_tlb_cache first; /* of every multiprocessor, one after another */
	struct td_tlb_cache second, walk_cache;
	uint64_t second_ps, walk_ps;
	struct td_tlb_walk under_way[TD_TLB_WALKS]; /* by tag */
	uint64_t *walker;                           /* ends of the last walks, in a ring */
	uint32_t walkers, walks;
	uint64_t first_misses, second_misses;
};

struct td_timed_model;

int td_tlb_init(struct td_tlb *t, const struct td_timed_model *m, uint32_t sms); /* or -ENOMEM */
void td_tlb_free(struct td_tlb *t);

/* Says when a translation is there that is requested now. region: the page's 2 MiB. */
uint64_t td_tlb_find(struct td_tlb *t, uint32_t sm, uint64_t page, uint32_t stamp, uint64_t region,
		     uint64_t now);

#endif
