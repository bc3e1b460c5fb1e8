/* Pages are taken out of the page table so that their next touch is a fault, and seen: those that
 * the engine has armed, and a sample of all. Only shared memory can do that without a copy. */
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"

/* ---- pages that are armed ---- */

/* Out of the page table, as soon as this decision is carried out; where the list is full the pages
 * stay mapped, and their next touch is not seen. */
void td_pager_watch_pages(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	pages &= td_pager_get(p, chunk, LANE_MAPPED);
	if (!pages || p->watched_n == TD_PAGER_BATCH || td_pager_is_pinned(p, chunk) ||
	    !(td_pager_extent(p, chunk)->mapping->gives & TIDE_NEEDS_NOTICES))
		return;
	td_pager_clear(p, chunk, LANE_MAPPED, pages);
	td_pager_clear(p, chunk, LANE_WRITABLE, pages);
	p->watched[p->watched_n++] = (struct td_move){.chunk = chunk, .pages = pages};
}

static void add_ranges(struct td_pager *p, const struct td_move *m, struct iovec *ranges, size_t *n)
{
	const struct td_extent *x = td_pager_extent(p, m->chunk);
	uint64_t pages = m->pages;
	unsigned at, length;
	while (*n < TD_PAGER_RANGES && td_pager_run(&pages, &at, &length))
		ranges[(*n)++] = (struct iovec){td_extent_at(p, x, m->chunk, at),
						(size_t)length * p->page_bytes};
}

/* Pages that were armed: the next touch of them is to be seen. A chunk that is busy already is so
 * by this very thread, or is moving anyway: a page that is mapped meanwhile is unmapped once too
 * often, and mapped again by its next touch. */
void td_pager_unmap_watched(struct td_pager *p)
{
	struct iovec ranges[TD_PAGER_RANGES];
	uint32_t made_busy[TD_PAGER_BATCH];
	size_t n = 0, made = 0;
	for (uint32_t i = 0; i < p->watched_n; i++) {
		uint8_t *state = td_pager_state(p, p->watched[i].chunk);
		add_ranges(p, &p->watched[i], ranges, &n);
		if (!(*state & CHUNK_BUSY))
			made_busy[made++] = p->watched[i].chunk;
		*state |= CHUNK_BUSY;
	}
	pthread_mutex_unlock(&p->lock);
	td_uffd_unmap(&p->unmapper, ranges, n);
	td_pager_lock(p);
	while (made)
		td_pager_calm(p, made_busy[--made]);
}

/* ---- samples of accesses ---- */

/* For policies that live on accesses: as many chunks as leave are unmapped, round and round, so
 * that their next touch is seen. */
static size_t take_samples(struct td_pager *p, struct iovec *ranges, uint32_t *taken, size_t most)
{
	uint32_t chunks = p->engine->near.chunks;
	size_t n = 0;
	for (uint32_t looked = 0; looked < 16 * TD_PAGER_BATCH && looked < chunks && n < most;
	     looked++) {
		uint32_t chunk = p->hand++ % chunks;
		uint64_t pages = td_pager_get(p, chunk, LANE_MAPPED);
		if (!pages || *td_pager_state(p, chunk) & CHUNK_BUSY ||
		    td_pager_is_pinned(p, chunk))
			continue;
		struct td_extent *x = td_pager_extent(p, chunk);
		unsigned at = (unsigned)__builtin_ctzll(pages);
		unsigned end = 64 - (unsigned)__builtin_clzll(pages);
		if (!(x->mapping->gives & TIDE_TAKES_SAMPLES))
			continue;
		td_pager_clear(p, chunk, LANE_MAPPED, pages);
		td_pager_clear(p, chunk, LANE_WRITABLE, pages);
		*td_pager_state(p, chunk) |= CHUNK_BUSY;
		taken[n] = chunk;
		ranges[n++] = (struct iovec){td_extent_at(p, x, chunk, at),
					     (size_t)(end - at) * p->page_bytes};
	}
	return n;
}

void td_pager_sample(struct td_pager *p)
{
	struct iovec ranges[TD_PAGER_BATCH];
	uint32_t taken[TD_PAGER_BATCH];
	size_t n = take_samples(p, ranges, taken, TD_PAGER_BATCH);
	pthread_mutex_unlock(&p->lock);
	td_uffd_unmap(&p->unmapper, ranges, n);
	td_pager_lock(p);
	for (size_t i = 0; i < n; i++)
		td_pager_calm(p, taken[i]);
}
