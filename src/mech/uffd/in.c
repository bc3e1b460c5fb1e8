/* Pages come: their content into a slot, from there to where they belong. The chunk is busy and the
 * lock is not held, but where it says so. */
#include "pager.h"

#include <errno.h>
#include <unistd.h>

/* ---- from where ---- */

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

/* The place of a page in tier 3: in the mapped file, or in ours. */
struct td_io_request td_pager_place(struct td_pager *p, struct td_extent *x, uint32_t chunk,
				    unsigned bit, unsigned n, bool in_file)
{
	uint64_t number = (uint64_t)chunk * p->chunk_pages + bit;
	struct td_io_request r = {.file = &p->storage, .offset = number * p->page_bytes};
	if (in_file) {
		r.file = &x->file;
		r.offset = x->file_offset + (number - x->first) * p->page_bytes;
	}
	r.bytes = (size_t)n * p->page_bytes;
	return r;
}

/* ---- into a slot ---- */

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
			request[made] = td_pager_place(p, x, f->chunk, at, n, in_file);
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

/* ---- from the slot to the mapping ---- */

static int put_shared(struct td_pager *p, uint64_t page, const unsigned char *from, size_t bytes)
{
	while (bytes) {
		ssize_t n = pwrite(p->memfd, from, bytes, (off_t)(page * p->page_bytes));
		if (n <= 0)
			return n < 0 ? -errno : -ENOMEM;
		/* Whole pages: memory is full, or it is all written. */
		from += n;
		bytes -= (size_t)n;
		page += (size_t)n / p->page_bytes;
	}
	return 0;
}

/* Shared memory gets a copy: writing to it neither clears the page first nor maps it. */
static int deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		   struct td_slot *slot)
{
	unsigned at, n;
	int rc = 0;
	while (!rc && td_pager_run(&pages, &at, &n)) {
		unsigned char *from = slot->at + (size_t)at * p->page_bytes;
		size_t bytes = (size_t)n * p->page_bytes;
		if (!x->fast) {
			rc = put_shared(p, (uint64_t)chunk * p->chunk_pages + at, from, bytes);
			continue;
		}
		unsigned char *to = td_extent_at(p, x, chunk, at);
		if (x->copies) {
			rc = td_uffd_copy(p->uffd, to, from, bytes, td_extent_tracks(p, x),
					  p->thread);
			continue;
		}
		rc = td_uffd_move(p->uffd, to, from, bytes, p->thread, NULL);
		slot->frames &= ~td_pager_bits(at, n);
	}
	return rc;
}

int td_pager_fill(struct td_pager *p, struct td_extent *x, const struct td_fill *f)
{
	uint64_t pages = f->stored | f->swapped | f->file;
	struct td_slot *slot = td_pager_take_slot(p, pages, false);
	int rc = unpack(p, f->chunk, f->stored, slot->at);
	if (!rc && (f->swapped | f->file))
		rc = read_pages(p, x, f, slot->at);
	if (!rc)
		rc = deliver(p, x, f->chunk, pages, slot);
	td_pager_give_slot(p, slot);
	return rc;
}

void td_pager_filled(struct td_pager *p, const struct td_fill *f)
{
	uint64_t pages = f->stored | f->swapped | f->file;
	if (!pages)
		return;
	td_pager_forget_packed(p, f->chunk, f->stored);
	td_pager_clear(p, f->chunk, LANE_STORED, f->stored);
	td_pager_set(p, f->chunk, LANE_HELD, pages);
	p->held_pages += td_lanes_count(pages);
	p->read_bytes += td_lanes_count(f->swapped | f->file) * p->page_bytes;
}

/* ---- reading ahead ---- */

static void end_read(struct td_pager *p, struct td_read *r, bool arrived)
{
	const struct td_extent *x = r->extent;
	uint64_t came = arrived ? r->pages : 0;
	td_pager_set(p, r->chunk, LANE_HELD, came);
	p->held_pages += td_lanes_count(came);
	p->read_bytes += td_lanes_count(came) * p->page_bytes;
	if (x->fast) {
		uint64_t writable = x->read_only || td_extent_tracks(p, x) ? 0 : came;
		td_pager_set(p, r->chunk, LANE_MAPPED, came);
		td_pager_set(p, r->chunk, LANE_WRITABLE, writable);
		td_pager_set(p, r->chunk, LANE_DIRTY, writable);
		td_pager_set(p, r->chunk, LANE_STALE, x->copies ? came : 0);
	}
	td_pager_settle(p, r->chunk, came, 0);
	td_pager_calm(p, r->chunk);
}

/* In whatever thread sees it. What could not be read is read again when it is touched. */
static void read_done(struct td_io_request *request)
{
	struct td_read *r = request->arg;
	struct td_pager *p = r->pager;
	bool arrived = !request->result && !deliver(p, r->extent, r->chunk, r->pages, r->slot);
	td_pager_give_slot(p, r->slot);
	td_pager_lock(p);
	end_read(p, r, arrived);
	pthread_mutex_unlock(&p->lock);
}

static struct td_read *take_read(struct td_pager *p)
{
	for (unsigned i = 0; i < TD_PAGER_READS; i++) {
		if (!p->reads[i].used)
			return &p->reads[i];
	}
	return NULL;
}

/* The first run of them; mostly that is all. */
struct td_read *td_pager_claim_read(struct td_pager *p, const struct td_fill *f)
{
	struct td_read *r = take_read(p);
	uint64_t pages = f->file ? f->file : f->swapped;
	unsigned at, n;
	if (!r || !td_pager_run(&pages, &at, &n))
		return NULL;
	r->used = true;
	r->pager = p;
	r->extent = td_pager_extent(p, f->chunk);
	r->chunk = f->chunk;
	r->pages = td_pager_bits(at, n);
	r->request = td_pager_place(p, r->extent, f->chunk, at, n, f->file != 0);
	*td_pager_state(p, f->chunk) |= CHUNK_BUSY;
	return r;
}

bool td_pager_start_read(struct td_pager *p, struct td_read *r)
{
	struct td_io_request *request = &r->request;
	size_t skip = (size_t)__builtin_ctzll(r->pages) * p->page_bytes;
	r->slot = td_pager_take_slot(p, r->pages, true);
	if (!r->slot) {
		td_pager_lock(p);
		end_read(p, r, false);
		pthread_mutex_unlock(&p->lock);
		return false;
	}
	request->addr = r->slot->at + skip;
	request->done = read_done;
	request->arg = r;
	td_io_start(p->io, &request, 1);
	return true;
}

/* ---- into the page table ---- */

static int map_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at, unsigned n,
		   bool protect)
{
	unsigned char *to = td_extent_at(p, x, chunk, at), *from = td_extent_view(p, x, chunk, at);
	size_t bytes = (size_t)n * p->page_bytes;
	if (x->copies)
		return td_uffd_copy(p->uffd, to, from, bytes, protect, p->thread);
	if (x->fast)
		return td_uffd_move(p->uffd, to, from, bytes, p->thread, NULL);
	int rc = td_uffd_continue(p->uffd, to, bytes, protect, p->thread);
	/* The program has given parts of it other rights, and a call is for one mapping: page by
	 * page then. One that cannot be mapped is so when it is touched. */
	for (unsigned i = 0; rc && n > 1 && i < n; i++)
		td_uffd_continue(p->uffd, to + (size_t)i * p->page_bytes, p->page_bytes, protect,
				 p->thread);
	return n > 1 ? 0 : rc;
}

static int map_runs(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		    bool protect)
{
	unsigned at, n;
	int rc = 0;
	while (!rc && td_pager_run(&pages, &at, &n))
		rc = map_run(p, x, chunk, at, n, protect);
	return rc;
}

static int zero_runs(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		     uint64_t writable)
{
	int rc = 0;
	for (; pages && !rc; pages &= pages - 1) {
		uint64_t bit = pages & -pages;
		unsigned char *at = td_extent_at(p, x, chunk, (unsigned)__builtin_ctzll(pages));
		rc = x->fast && !x->copies
			     ? td_uffd_zero(p->uffd, at, p->page_bytes, p->thread)
			     : td_uffd_copy(p->uffd, at, p->zeros, p->page_bytes,
					    !(writable & bit) && td_extent_tracks(p, x), p->thread);
	}
	return rc;
}

int td_pager_map_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t held,
		       uint64_t zero, uint64_t writable)
{
	bool protect = td_extent_tracks(p, x);
	int rc = map_runs(p, x, chunk, held & writable, false);
	if (!rc)
		rc = map_runs(p, x, chunk, held & ~writable, protect);
	if (!rc)
		rc = zero_runs(p, x, chunk, zero, writable);
	return rc;
}
