/* An address range that comes and goes: which pages exist, and what happens to pages that cease to
 * exist.
 *
 * The existing pages are a sorted array of spans. A span is an allocation, or what is left of it: a
 * hole makes two spans of one. A range of any size costs only its span. A program maps and unmaps
 * far less often than it faults. */
#include <errno.h>
#include <inttypes.h>

#include "ask.h"

static uint64_t *firsts(const struct td_engine *e)
{
	return (uint64_t *)(void *)e->maps.first.at;
}

static uint64_t *ends(const struct td_engine *e)
{
	return (uint64_t *)(void *)e->maps.end.at;
}

void td_maps_init(struct td_engine *e, bool on)
{
	e->maps.on = on;
	tide_vec_init(&e->maps.first, sizeof(uint64_t));
	tide_vec_init(&e->maps.end, sizeof(uint64_t));
}

static int reserve(struct td_engine *e, uint64_t n)
{
	int rc = tide_vec_reserve(&e->maps.first, n);
	if (!rc)
		rc = tide_vec_reserve(&e->maps.end, n);
	e->near.allocations = firsts(e);
	return rc;
}

/* The first span that ends after a page. */
static uint32_t span_after(const struct td_engine *e, uint64_t page)
{
	uint32_t low = 0, high = e->near.allocations_n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (ends(e)[mid] <= page)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Is it a span, and does it begin before a page? */
static bool begins_before(const struct td_engine *e, uint32_t span, uint64_t page)
{
	return span < e->near.allocations_n && firsts(e)[span] < page;
}

/* Of pages first .. end - 1, which meet the chunk, those that are in it. */
static uint64_t part(const struct td_engine *e, uint64_t number, uint64_t first, uint64_t end)
{
	uint64_t base = number * e->near.chunk_pages, last = base + e->near.chunk_pages - 1;
	uint64_t from = first > base ? first - base : 0;
	uint64_t to = (end - 1 < last ? end - 1 : last) - base;
	td_assert(first < end && from <= to && to < e->near.chunk_pages);
	return (UINT64_MAX << from) & (UINT64_MAX >> (63 - to));
}

uint64_t td_maps_pages(const struct td_engine *e, uint64_t number)
{
	uint64_t pages = 0, base = number * e->near.chunk_pages;
	if (number >= e->space.n)
		return 0;
	for (uint32_t i = span_after(e, base); begins_before(e, i, base + e->near.chunk_pages); i++)
		pages |= part(e, number, firsts(e)[i], ends(e)[i]);
	return pages;
}

static void insert(struct td_engine *e, uint32_t at, uint64_t first, uint64_t end)
{
	size_t bytes = (e->near.allocations_n - at) * sizeof(uint64_t);
	td_assert(first < end && at <= e->near.allocations_n);
	td_assert(!at || firsts(e)[at - 1] < first);
	td_assert(at == e->near.allocations_n || end <= firsts(e)[at]);
	memmove(firsts(e) + at + 1, firsts(e) + at, bytes);
	memmove(ends(e) + at + 1, ends(e) + at, bytes);
	firsts(e)[at] = first;
	ends(e)[at] = end;
	e->near.allocations_n++;
}

static void take_out(struct td_engine *e, uint32_t at, uint32_t n)
{
	td_assert((uint64_t)at + n <= e->near.allocations_n);
	size_t bytes = (e->near.allocations_n - at - n) * sizeof(uint64_t);
	memmove(firsts(e) + at, firsts(e) + at + n, bytes);
	memmove(ends(e) + at, ends(e) + at + n, bytes);
	e->near.allocations_n -= n;
}

/* ---- coming to be ---- */

static int check_map(const struct td_engine *e, uint64_t first, uint64_t pages,
		     struct tide_error *err)
{
	uint64_t end;
	if (!e->maps.on || !pages || __builtin_add_overflow(first, pages, &end) ||
	    first % e->near.chunk_pages)
		return tide_fail(err, -EINVAL,
				 "a map of %" PRIu64 " pages at page %" PRIu64
				 " is not valid: it must begin a chunk of %u pages, and have some",
				 pages, first, e->near.chunk_pages);
	if (begins_before(e, span_after(e, first), end))
		return tide_fail(err, -EEXIST,
				 "a map of %" PRIu64 " pages at page %" PRIu64
				 " meets another: these pages must be gone first",
				 pages, first);
	return 0;
}

int td_engine_map(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err)
{
	int rc = check_map(e, first, pages, err);
	if (rc)
		return rc;
	uint64_t last = first + pages - 1;
	rc = td_engine_grow(e, last / e->near.chunk_pages + 1);
	if (!rc)
		rc = reserve(e, (uint64_t)e->near.allocations_n + 1);
	if (rc)
		return tide_fail(err, rc,
				 "no room for the state of a map of %" PRIu64
				 " pages at page %" PRIu64 ": give a larger `chunk`",
				 pages, first);
	insert(e, span_after(e, first), first, last + 1);
	e->near.last_page = last > e->near.last_page ? last : e->near.last_page;
	return 0;
}

/* ---- ceasing to be ---- */

/* Out of the policies' lists. What the chunk was says nothing about how it was used. */
static void tell_gone(struct td_engine *e, tide_chunk c, uint64_t pages)
{
	struct tide_evicted what = {pages, pages, 0, false, TIDE_OBSERVE};
	e->near.follows_lru = td_ask_follows_lru(e);
	TELL(e, on_evicted, c, &what);
	CALLED(e);
	e->near.resident_chunks--;
}

static void lose(struct td_engine *e, tide_chunk c, uint64_t gone)
{
	struct td_lanes l = load(e, c.index);
	bool watched = l.armed & l.resident, whole = l.resident && !(l.resident & ~gone);
	if (whole)
		tell_gone(e, c, l.resident);
	/* Most of a large map may never have been touched: its state needs no memory. */
	bool known = (l.resident | l.touched | l.dirty | l.armed) & gone;
	e->near.free_pages += td_lanes_count(l.resident & gone);
	l.resident &= ~gone;
	l.touched &= ~gone;
	l.dirty &= ~gone;
	l.armed &= ~gone;
	if (known)
		store(e, c.index, l);
	if (watched && !(l.armed & l.resident))
		td_observe_forget(e, c);
	if (e->tiers.on && !(td_maps_pages(e, c.index) & ~gone))
		td_tiers_forget(e, c);
	td_assert(e->near.free_pages <= e->near.capacity_pages);
}

/* Pages that exist, to the end of their span. */
static void lose_all(struct td_engine *e, uint64_t first, uint64_t end)
{
	uint64_t last = (end - 1) / e->near.chunk_pages;
	for (uint64_t c = first / e->near.chunk_pages; c <= last; c++)
		lose(e, (tide_chunk){(uint32_t)c}, part(e, c, first, end));
}

void td_engine_lose(struct td_engine *e, uint64_t first, uint64_t pages)
{
	uint64_t end = first + pages;
	for (uint32_t i = span_after(e, first); begins_before(e, i, end); i++)
		lose_all(e, first > firsts(e)[i] ? first : firsts(e)[i],
			 end < ends(e)[i] ? end : ends(e)[i]);
	CALLED(e);
	CHECK_SOMETIMES(e);
}

/* The spans of first .. end - 1, less these pages. */
static void cut(struct td_engine *e, uint64_t first, uint64_t end)
{
	uint32_t at = span_after(e, first), n = 0;
	if (begins_before(e, at, first) && ends(e)[at] > end) {
		insert(e, at + 1, end, ends(e)[at]);
		ends(e)[at] = first;
		return;
	}
	if (begins_before(e, at, first))
		ends(e)[at++] = first;
	while (begins_before(e, at + n, end) && ends(e)[at + n] <= end)
		n++;
	if (begins_before(e, at + n, end))
		firsts(e)[at + n] = end;
	take_out(e, at, n);
}

int td_engine_gone(struct td_engine *e, uint64_t first, uint64_t pages, struct tide_error *err)
{
	uint64_t end;
	if (!e->maps.on || __builtin_add_overflow(first, pages, &end))
		return tide_fail(err, -EINVAL,
				 "%" PRIu64 " pages at page %" PRIu64
				 " cannot go: the address range has no such pages",
				 pages, first);
	int rc = reserve(e, (uint64_t)e->near.allocations_n + 1);
	if (rc)
		return tide_fail(err, rc, "out of memory for what is left of a map");
	td_engine_lose(e, first, pages);
	cut(e, first, end);
	return 0;
}

/* ---- marks ---- */

static int ask(struct td_engine *e, const struct tide_mark *mark, uint64_t number,
	       struct tide_error *err)
{
	tide_chunk c = {(uint32_t)number};
	if (mark->kind != TIDE_MARK_BRING)
		return td_engine_cold(e, c, err);
	return td_engine_bring(e, c, part(e, number, mark->page, mark->page + mark->pages), err);
}

/* Each chunk that has pages of the mark once, also where two spans meet in it. */
static int ask_all(struct td_engine *e, const struct tide_mark *mark, struct tide_error *err)
{
	uint64_t end = mark->page + mark->pages, next = mark->page / e->near.chunk_pages;
	int rc = 0;
	for (uint32_t i = span_after(e, mark->page); begins_before(e, i, end); i++) {
		uint64_t first = firsts(e)[i] / e->near.chunk_pages;
		uint64_t last = ((end < ends(e)[i] ? end : ends(e)[i]) - 1) / e->near.chunk_pages;
		for (next = first > next ? first : next; next <= last && !rc; next++)
			rc = ask(e, mark, next, err);
	}
	return rc;
}

int td_engine_mark(struct td_engine *e, const struct tide_mark *mark, struct tide_error *err)
{
	uint64_t end;
	if (mark->kind == TIDE_MARK_MAP)
		return td_engine_map(e, mark->page, mark->pages, err);
	if (mark->kind == TIDE_MARK_GONE)
		return td_engine_gone(e, mark->page, mark->pages, err);
	if (__builtin_add_overflow(mark->page, mark->pages, &end))
		return tide_fail(err, -EINVAL, "a mark ends beyond all pages: it is damaged");
	return ask_all(e, mark, err);
}
