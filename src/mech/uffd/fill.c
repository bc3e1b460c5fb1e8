/* The content of pages: from the store and from files into a slot, and from there to where the
 * mapping has it. */
#include "in.h"
#include "lanes.h"
#include "out.h"
#include "pager.h"
#include "space.h"

/* Which pages of the chunk lie within the mapped file. */
static uint64_t pages_of_file(const struct td_pager *p, const struct td_extent *x, uint32_t chunk)
{
	uint64_t offset =
		x->file_offset + ((uint64_t)chunk * p->chunk_pages - x->first) * p->page_bytes;
	if (!x->has_file || offset >= x->file.bytes)
		return 0;
	uint64_t n = (x->file.bytes - offset + p->page_bytes - 1) / p->page_bytes;
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

struct td_fill td_pager_plan_fill(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	struct td_fill f = {.chunk = chunk};
	uint64_t absent = pages & ~td_pager_get(p, chunk, LANE_HELD);
	if (!absent)
		return f;
	f.stored = absent & td_pager_get(p, chunk, LANE_STORED);
	f.swapped = absent & ~f.stored & td_pager_get(p, chunk, LANE_SWAPPED);
	f.file = absent & ~f.stored & ~f.swapped &
		 pages_of_file(p, td_pager_extent(p, chunk), chunk);
	return f;
}

static int unpack(struct td_pager *p, uint32_t chunk, uint64_t pages, unsigned char *to)
{
	int rc = 0;
	for (; pages && !rc; pages &= pages - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(pages);
		rc = td_store_get(p->store, (uint64_t)chunk * p->chunk_pages + bit,
				  to + (size_t)bit * p->page_bytes);
	}
	return rc;
}

/* All runs at once. */
static int read_pages(struct td_pager *p, struct td_extent *x, const struct td_fill *f,
		      unsigned char *to)
{
	struct td_io_request request[64], *list[64] = {NULL};
	unsigned at, n, made = 0;
	int rc = 0;
	for (int in_file = 0; in_file < 2; in_file++) {
		uint64_t pages = in_file ? f->file : f->swapped;
		while (td_pager_run(&pages, &at, &n)) {
			request[made] = td_pager_tier3_place(p, x, f->chunk, at, n, in_file);
			request[made].addr = to + (size_t)at * p->page_bytes;
			list[made] = &request[made];
			made++;
		}
	}
	if (made == 1)
		return td_io_now(p->io, &request[0]);
	td_io_start(p->io, list, made);
	for (unsigned i = 0; i < made; i++) {
		td_io_wait(p->io, &request[i]);
		rc = rc ? rc : request[i].result;
	}
	return rc;
}

uint64_t td_pager_deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
			  struct td_slot *slot, int *rc)
{
	uint64_t singles = 0, done = 0;
	unsigned at, n;
	while (td_pager_next_run(&pages, &singles, &at, &n)) {
		int failed = td_io_map_fails(p->io);
		failed = failed ? failed : x->mapping->deliver(p, x, chunk, at, n, slot);
		if (!failed)
			done |= td_pager_bits(at, n);
		else if (n > 1)
			singles = td_pager_bits(at, n);
		else
			*rc = failed;
	}
	return done;
}

uint64_t td_pager_fill(struct td_pager *p, struct td_extent *x, const struct td_fill *f, int *rc)
{
	uint64_t pages = f->stored | f->swapped | f->file, done = 0;
	struct td_slot *slot = td_pager_take_slot(p, pages, false);
	*rc = unpack(p, f->chunk, f->stored, slot->at);
	if (!*rc && (f->swapped | f->file))
		*rc = read_pages(p, x, f, slot->at);
	if (!*rc)
		done = td_pager_deliver(p, x, f->chunk, pages, slot, rc);
	td_pager_give_slot(p, slot);
	return done;
}

void td_pager_note_delivered(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			     uint64_t pages)
{
	td_pager_set(p, chunk, LANE_HELD, pages);
	p->held_pages += td_lanes_count(pages);
	x->mapping->note_delivered(p, chunk, pages);
}

void td_pager_note_filled(struct td_pager *p, const struct td_extent *x, const struct td_fill *f,
			  uint64_t pages)
{
	if (!pages)
		return;
	uint64_t unpacked = f->stored & pages;
	td_pager_forget_packed(p, f->chunk, unpacked);
	td_pager_clear(p, f->chunk, LANE_STORED, unpacked);
	p->packed_near -= td_lanes_count(unpacked & td_pager_engine_lanes(p, f->chunk).resident);
	p->read_bytes += td_lanes_count((f->swapped | f->file) & pages) * p->page_bytes;
	td_pager_note_delivered(p, x, f->chunk, pages);
}
