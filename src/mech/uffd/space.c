/* Which addresses are paged, and what their pages are numbered. Arrays that are searched by halves:
 * a program has few mappings, and looks them up at every fault. */
#include "space.h"
#include "core/assert.h"
#include "pager.h"

#include <errno.h>
#include <stdlib.h>

/* ---- arrays ---- */

/* The array with room for n items; NULL: out of memory, and the array stays as it is. */
static void *with_room(void *array, size_t *room, size_t n, size_t item_bytes)
{
	if (n <= *room)
		return array;
	size_t more = n < 64 ? 64 : n * 2;
	void *grown = realloc(array, more * item_bytes);
	if (grown)
		*room = more;
	return grown;
}

static void insert(void *array, size_t *n, size_t at, const void *item, size_t item_bytes)
{
	unsigned char *place = (unsigned char *)array + at * item_bytes;
	memmove(place + item_bytes, place, (*n - at) * item_bytes);
	memcpy(place, item, item_bytes);
	++*n;
}

static void take_out(void *array, size_t *n, size_t at, size_t item_bytes)
{
	unsigned char *place = (unsigned char *)array + at * item_bytes;
	--*n;
	memmove(place, place + item_bytes, (*n - at) * item_bytes);
}

/* ---- addresses ---- */

/* How many regions end at or below addr. */
static size_t regions_below(const struct td_pager *p, uintptr_t addr)
{
	size_t low = 0, high = p->regions_n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->regions[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct td_region *td_pager_region_from(struct td_pager *p, uintptr_t addr)
{
	size_t i = regions_below(p, addr);
	return i < p->regions_n ? &p->regions[i] : NULL;
}

const struct td_region *td_pager_region(struct td_pager *p, uintptr_t addr)
{
	const struct td_region *r = td_pager_region_from(p, addr);
	return r && r->start <= addr ? r : NULL;
}

static void publish_bounds(struct td_pager *p)
{
	uintptr_t low = p->regions_n ? p->regions[0].start : 0;
	uintptr_t high = p->regions_n ? p->regions[p->regions_n - 1].end : 0;
	atomic_store_explicit(&p->lowest, low, memory_order_relaxed);
	atomic_store_explicit(&p->highest, high, memory_order_relaxed);
}

int td_pager_cut_regions(struct td_pager *p, uintptr_t start, uintptr_t end)
{
	/* At most one region is cut in two. */
	struct td_region *regions =
		with_room(p->regions, &p->regions_room, p->regions_n + 1, sizeof *regions);
	if (!regions)
		return -ENOMEM;
	p->regions = regions;
	size_t i = regions_below(p, start);
	while (i < p->regions_n && p->regions[i].start < end) {
		struct td_region r = p->regions[i];
		take_out(p->regions, &p->regions_n, i, sizeof r);
		if (r.start < start) {
			struct td_region front = {r.start, start, r.extent};
			insert(p->regions, &p->regions_n, i++, &front, sizeof front);
		}
		if (r.end > end) {
			struct td_region back = {end, r.end, r.extent};
			insert(p->regions, &p->regions_n, i++, &back, sizeof back);
		}
	}
	publish_bounds(p);
	return 0;
}

/* ---- extents ---- */

static size_t extents_below(const struct td_pager *p, uint64_t page)
{
	size_t low = 0, high = p->extents_n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->extents[middle]->first + p->extents[middle]->pages <= page)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct td_extent *td_pager_extent(struct td_pager *p, uint32_t chunk)
{
	uint64_t page = (uint64_t)chunk * p->chunk_pages;
	size_t i = extents_below(p, page);
	td_assert(i < p->extents_n && p->extents[i]->first <= page);
	return p->extents[i];
}

int td_pager_add_extent(struct td_pager *p, struct td_extent *x)
{
	uintptr_t start = (uintptr_t)x->base;
	struct td_region r = {start, start + x->pages * p->page_bytes, x};
	struct td_region *regions =
		with_room(p->regions, &p->regions_room, p->regions_n + 1, sizeof r);
	if (!regions)
		return -ENOMEM;
	p->regions = regions;
	struct td_extent **extents =
		with_room(p->extents, &p->extents_room, p->extents_n + 1, sizeof x);
	if (!extents)
		return -ENOMEM;
	p->extents = extents;
	insert(p->regions, &p->regions_n, regions_below(p, start), &r, sizeof r);
	td_assert(x->first % p->chunk_pages == 0 && x->pages % p->chunk_pages == 0);
	insert(p->extents, &p->extents_n, extents_below(p, x->first), &x, sizeof x);
	publish_bounds(p);
	return 0;
}

void td_pager_remove_extent(struct td_pager *p, struct td_extent *x)
{
	td_assert(p->extents[extents_below(p, x->first)] == x);
	take_out(p->extents, &p->extents_n, extents_below(p, x->first), sizeof x);
}

/* ---- parts of an extent ---- */

static uint64_t still_mapped(const struct td_pager *p, const struct td_extent *x)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < p->regions_n; i++) {
		if (p->regions[i].extent == x)
			bytes += p->regions[i].end - p->regions[i].start;
	}
	return bytes / p->page_bytes;
}

/* Room for what a split adds, and for the numbers of one more extent that goes. */
static int make_room(struct td_pager *p)
{
	void *regions =
		with_room(p->regions, &p->regions_room, p->regions_n + 1, sizeof *p->regions);
	if (regions)
		p->regions = regions;
	void *extents =
		with_room(p->extents, &p->extents_room, p->extents_n + 1, sizeof *p->extents);
	if (extents)
		p->extents = extents;
	void *spans =
		with_room(p->free_spans, &p->free_room, p->extents_n + 3, sizeof *p->free_spans);
	if (spans)
		p->free_spans = spans;
	return regions && extents && spans ? 0 : -ENOMEM;
}

/* Regions of x from the address on are y's. */
static void hand_over(struct td_pager *p, const struct td_extent *x, struct td_extent *y)
{
	uintptr_t at = (uintptr_t)y->base;
	for (size_t i = 0; i < p->regions_n; i++) {
		struct td_region *r = &p->regions[i];
		if (r->extent != x || r->end <= at)
			continue;
		if (r->start < at) {
			struct td_region back = {at, r->end, y};
			r->end = at;
			insert(p->regions, &p->regions_n, i + 1, &back, sizeof back);
		}
		p->regions[i].extent = p->regions[i].start < at ? p->regions[i].extent : y;
	}
}

static int split(struct td_pager *p, struct td_extent *x, uint64_t pages)
{
	struct td_extent *y = malloc(sizeof *y);
	if (!y || make_room(p)) {
		free(y);
		return -ENOMEM;
	}
	td_assert(pages && pages < x->pages && pages % p->chunk_pages == 0 && !x->has_file);
	*y = *x;
	y->first += pages;
	y->pages -= pages;
	y->asked = x->asked > pages ? x->asked - pages : 0;
	y->base += pages * p->page_bytes;
	y->view += pages * p->page_bytes;
	x->pages = pages;
	x->asked = x->asked < pages ? x->asked : pages;
	hand_over(p, x, y);
	x->exists = still_mapped(p, x);
	y->exists = still_mapped(p, y);
	insert(p->extents, &p->extents_n, extents_below(p, y->first), &y, sizeof y);
	return 0;
}

int td_pager_split_at(struct td_pager *p, uintptr_t at)
{
	const struct td_region *r = td_pager_region(p, at);
	struct td_extent *x = r ? r->extent : NULL;
	if (!x || (uintptr_t)x->base == at)
		return 0;
	uint64_t pages = td_extent_page(p, x, at) - x->first;
	return x->has_file || x->users || pages % p->chunk_pages ? -EBUSY : split(p, x, pages);
}

void td_pager_move_region(struct td_pager *p, struct td_extent *x, unsigned char *to)
{
	struct td_region r = {(uintptr_t)to, (uintptr_t)to + x->pages * p->page_bytes, x};
	size_t i = regions_below(p, (uintptr_t)x->base);
	td_assert(p->regions[i].extent == x && x->exists == x->pages);
	take_out(p->regions, &p->regions_n, i, sizeof r);
	insert(p->regions, &p->regions_n, regions_below(p, r.start), &r, sizeof r);
	x->base = to;
	publish_bounds(p);
}

/* ---- numbers ---- */

/* Those of mappings that are gone are used again, the lowest first, so that the state of chunks
 * does not grow with the age of the program. */
int td_pager_take_numbers(struct td_pager *p, uint64_t pages, uint64_t *first)
{
	for (size_t i = 0; i < p->free_n; i++) {
		struct td_span *s = &p->free_spans[i];
		if (s->pages < pages)
			continue;
		*first = s->first;
		s->first += pages;
		s->pages -= pages;
		if (!s->pages)
			take_out(p->free_spans, &p->free_n, i, sizeof *s);
		return 0;
	}
	uint64_t most = (uint64_t)(UINT32_MAX - 2) * p->chunk_pages;
	if (pages > most - p->numbers)
		return -EOVERFLOW;
	/* Giving back must not fail. */
	void *spans =
		with_room(p->free_spans, &p->free_room, p->extents_n + 2, sizeof *p->free_spans);
	if (!spans)
		return -ENOMEM;
	p->free_spans = spans;
	*first = p->numbers;
	p->numbers += pages;
	return 0;
}

void td_pager_give_numbers(struct td_pager *p, uint64_t first, uint64_t pages)
{
	size_t i = 0;
	while (i < p->free_n && p->free_spans[i].first < first)
		i++;
	struct td_span s = {first, pages};
	if (i < p->free_n && p->free_spans[i].first == first + pages) {
		s.pages += p->free_spans[i].pages;
		take_out(p->free_spans, &p->free_n, i, sizeof s);
	}
	if (i && p->free_spans[i - 1].first + p->free_spans[i - 1].pages == first) {
		p->free_spans[i - 1].pages += s.pages;
		return;
	}
	td_assert(p->free_n < p->free_room); /* as td_pager_take_numbers() has seen to */
	insert(p->free_spans, &p->free_n, i, &s, sizeof s);
}
