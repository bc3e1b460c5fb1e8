/* A fault where chunks have one page.
 *
 * Cache studies run demand paging over single pages, by the hundred million faults. Most steps of a
 * fault fall away then. The set is the page. Its chunk is absent, so every resident chunk is valid.
 * All resident pages were touched. The counts follow from the number of faults. A record is one
 * word: resident, touched and dirty are bits 0, 8 and 16. */
#ifndef TD_ENGINE_PAGE_H
#define TD_ENGINE_PAGE_H

#include "ask.h"

#define RESIDENT_TOUCHED 0x101u

/* Near memory has become full. */
void td_engine_become_full(struct td_engine *e);

/* Serves a fault of access i of a translated batch. Use it only if single_pages is set: nothing is
 * prefetched, logged or replaced. It does not count everything: td_engine_count_pages() counts the
 * rest, for many faults at once. */
ALWAYS int td_engine_fault_page(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
				struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	tide_chunk c = {e->index[i]};
	td_assert(e->single_pages && c.index < e->near.chunks && !records[c.index]);
	td_assert(e->near.resident_chunks + e->near.free_pages == e->near.capacity_pages);
	e->near.fault_chunk = c;
	TELL(e, on_fault, c, (tide_page){batch->page[i]});
	if (__builtin_expect(e->near.free_pages != 0, 0)) {
		e->near.free_pages--;
		e->near.resident_chunks++;
	} else {
		if (__builtin_expect(!e->full, 0))
			td_engine_become_full(e);
		CALLING(e, pick_victim, 0);
		tide_chunk victim = e->pick_victim(e->evict_self);
		if (__builtin_expect(victim.index >= e->near.chunks || !records[victim.index], 0))
			return td_ask_replace_victim(e, &victim, err);
		struct tide_evicted what = {1, 1, records[victim.index] >> 16, false, TIDE_OBSERVE};
		e->counts.writeback_pages += what.dirty;
		TELL(e, on_evicted, victim, &what);
		records[victim.index] = 0;
	}
	records[c.index] = RESIDENT_TOUCHED | (uint32_t)batch->write[i] << 16;
	TELL(e, on_migrated, c, 1);
	TELL(e, on_access, c, (tide_page){batch->page[i]}, batch->ref[i]);
	CALLED(e);
	e->near.fault_chunk = TIDE_NO_CHUNK;
	return 0;
}

/* Faults that were served, and how many of them found a free page. */
void td_engine_count_pages(struct td_engine *e, uint64_t faults, uint64_t came_into_free);

#endif
