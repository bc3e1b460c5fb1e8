#include "page.h"

#include "steps.h"

void td_engine_become_full(struct td_engine *e)
{
	e->full = true;
	TELL(e, on_full);
}

void td_engine_count_pages(struct td_engine *e, uint64_t faults, uint64_t came_into_free)
{
	td_assert(came_into_free <= faults);
	e->counts.faults += faults;
	e->counts.migrated_pages += faults;
	e->counts.evicted_chunks += faults - came_into_free;
	e->counts.evicted_pages += faults - came_into_free;
	CHECK_SOMETIMES(e);
}
