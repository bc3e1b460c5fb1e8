/* Faults where chunks have one page.
 *
 * Cache studies run demand paging over single pages, by the hundred million accesses. Most steps of
 * a fault fall away then. The set is the page. Its chunk is absent, so every resident chunk is
 * valid. All resident pages were touched. The counts follow from the number of faults. A record is
 * one word: resident, touched and dirty are bits 0, 8 and 16.
 *
 * The eviction policy is handed in, because a loop may be compiled together with its policy
 * (mech/sim/pages.h). For that reason the names here all have a prefix. */
#ifndef TD_ENGINE_PAGE_H
#define TD_ENGINE_PAGE_H

#include "core/assert.h"
#include "engine.h"

#define TD_PAGE_COMES 0x101u /* resident and touched */
#define TD_PAGE_ALWAYS __attribute__((always_inline)) static inline

/* Whom a loop over single pages asks and tells. */
struct td_page_policy {
	const struct tide_policy *policy;
	void *self;
	bool hears;   /* of every access */
	bool watched; /* the engine says which callback runs, for a watchdog */
};

#define TD_PAGE_CALLING(e, p, name) \
	do { \
		if ((p).watched) \
			(e)->call = TD_CALL_##name; \
	} while (0)
#define TD_PAGE_TELL(e, p, callback, ...) \
	do { \
		if (!(p).policy->callback) \
			break; \
		TD_PAGE_CALLING(e, p, callback); \
		(p).policy->callback((p).self, __VA_ARGS__); \
	} while (0)

/* Near memory has become full. */
void td_engine_become_full(struct td_engine *e);
/* ask.c */
int td_ask_replace_victim(struct td_engine *e, tide_chunk *victim, struct tide_error *err);

TD_PAGE_ALWAYS int td_page_evict(struct td_engine *e, struct td_page_policy p,
				 struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	if (__builtin_expect(!e->full, 0))
		td_engine_become_full(e);
	TD_PAGE_CALLING(e, p, pick_victim);
	tide_chunk victim = p.policy->pick_victim(p.self);
	if (__builtin_expect(victim.index >= e->near.chunks || !records[victim.index], 0))
		return td_ask_replace_victim(e, &victim, err);
	struct tide_evicted what = {1, 1, records[victim.index] >> 16, false, TIDE_OBSERVE};
	e->counts.writeback_pages += what.dirty;
	TD_PAGE_TELL(e, p, on_evicted, victim, &what);
	records[victim.index] = 0;
	return 0;
}

/* Serves a fault of access i of a translated batch. Use it only if single_pages is set: nothing is
 * prefetched, logged or replaced, and no other policy listens. It does not count everything:
 * td_engine_count_pages() counts the rest, for many faults at once. */
TD_PAGE_ALWAYS int td_engine_fault_page(struct td_engine *e, struct td_page_policy p,
					const struct tide_batch *batch, uint32_t i,
					struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	tide_chunk c = {e->index[i]};
	td_assert(e->single_pages && c.index < e->near.chunks && !records[c.index]);
	td_assert(e->near.resident_chunks + e->near.free_pages == e->near.capacity_pages);
	e->near.fault_chunk = c;
	TD_PAGE_TELL(e, p, on_fault, c, (tide_page){batch->page[i]});
	if (__builtin_expect(e->near.free_pages != 0, 0)) {
		e->near.free_pages--;
		e->near.resident_chunks++;
	} else {
		int rc = td_page_evict(e, p, err);
		if (__builtin_expect(rc, 0))
			return rc;
	}
	records[c.index] = TD_PAGE_COMES | (uint32_t)batch->write[i] << 16;
	TD_PAGE_TELL(e, p, on_migrated, c, 1);
	if (p.hears)
		TD_PAGE_TELL(e, p, on_access, c, (tide_page){batch->page[i]}, batch->ref[i]);
	if (p.watched)
		e->call = TD_CALL_NONE;
	e->near.fault_chunk = TIDE_NO_CHUNK;
	return 0;
}

/* Faults that were served, and how many of them found a free page. */
void td_engine_count_pages(struct td_engine *e, uint64_t faults, uint64_t came_into_free);

#endif
