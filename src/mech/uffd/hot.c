/* Which pages are worth having again when the program is started anew, and bringing such pages in
 * one pass, before they are touched. */
#include "core/assert.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"

#include <errno.h>

size_t td_pager_mapped(struct td_pager *p, const void *base)
{
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	const struct td_region *r = td_pager_region(p, (uintptr_t)base);
	size_t bytes = r ? r->extent->asked * p->page_bytes : 0;
	td_pager_leave(p, &saved);
	return bytes;
}

/* ---- which they are ---- */

/* Near, and touched if that is seen. */
static uint64_t hot_pages(struct td_pager *p, uint32_t chunk)
{
	struct td_lanes l = td_pager_engine_lanes(p, chunk);
	uint64_t here = l.resident &
			(td_pager_get(p, chunk, LANE_HELD) | td_pager_get(p, chunk, LANE_STORED));
	return p->mapping->gives & TIDE_NEEDS_TOUCHED ? here & l.touched : here;
}

/* The first run within the region from *at on: its end; if there is none, *at is the region's. */
static uintptr_t next_of_region(struct td_pager *p, const struct td_region *r, uintptr_t *at)
{
	const struct td_extent *x = r->extent;
	unsigned bit, n;
	while (*at < r->end) {
		uint64_t page = td_extent_page(p, x, *at), chunk = page / p->chunk_pages;
		uint64_t end = (chunk + 1) * p->chunk_pages;
		uint64_t pages = hot_pages(p, (uint32_t)chunk) &
				 td_pager_pages_in(p, (uint32_t)chunk, page, end - page);
		if (td_pager_run(&pages, &bit, &n)) {
			*at = (uintptr_t)td_extent_at(p, x, (uint32_t)chunk, bit);
			return *at + (uintptr_t)n * p->page_bytes;
		}
		*at = (uintptr_t)x->base + (end - x->first) * p->page_bytes;
	}
	*at = r->end;
	return 0;
}

uintptr_t td_pager_next_hot(struct td_pager *p, uintptr_t *at, uintptr_t end)
{
	const struct td_region *r;
	struct td_pager_caller saved;
	uintptr_t run_end = 0;
	td_pager_enter(p, &saved);
	while (!run_end && (r = td_pager_region_from(p, *at)) && r->start < end) {
		*at = r->start > *at ? r->start : *at;
		run_end = next_of_region(p, r, at);
		run_end = run_end < r->end ? run_end : r->end;
	}
	td_pager_leave(p, &saved);
	return *at < end && run_end > end ? end : *at < end ? run_end : 0;
}

/* ---- bringing them ---- */

static unsigned reads_under_way(const struct td_pager *p)
{
	unsigned n = 0;
	for (unsigned i = 0; i < TD_PAGER_READS; i++)
		n += p->reads[i].used;
	return n;
}

/* Until a read can begin. false: near memory is full, and nothing need leave for what might be
 * used. */
static bool await_place(struct td_pager *p, uint64_t pages)
{
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	while (reads_under_way(p) >= p->slots_n / 2)
		td_pager_await_room(p);
	bool room = p->engine->near.free_pages >= pages;
	p->set_pages += room ? pages : 0;
	td_pager_leave(p, &saved);
	return room;
}

int td_pager_bring_hot(struct td_pager *p, uintptr_t at, uintptr_t end, struct tide_error *err)
{
	int rc = 0;
	while (!rc && at < end) {
		uintptr_t next = (at / p->chunk_bytes + 1) * p->chunk_bytes;
		next = next < end ? next : end;
		if (!await_place(p, (next - at + p->page_bytes - 1) / p->page_bytes))
			return -ENOSPC;
		rc = td_pager_prefetch(p, (const void *)at, next - at, err);
		at = next;
	}
	return rc;
}
