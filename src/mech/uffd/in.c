/* Pages come: their content into a slot, from there to where they belong. The chunk is busy and the
 * lock is not held, but where it says so. */
#include "pager.h"

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

static int deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		   struct td_slot *slot)
{
	unsigned at, n;
	int rc = 0;
	while (!rc && td_pager_run(&pages, &at, &n))
		rc = x->mapping->deliver(p, x, chunk, at, n, slot);
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

static void note_delivered(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			   uint64_t pages)
{
	td_pager_set(p, chunk, LANE_HELD, pages);
	p->held_pages += td_lanes_count(pages);
	x->mapping->note_delivered(p, chunk, pages);
}

void td_pager_filled(struct td_pager *p, const struct td_extent *x, const struct td_fill *f)
{
	uint64_t pages = f->stored | f->swapped | f->file;
	if (!pages)
		return;
	td_pager_forget_packed(p, f->chunk, f->stored);
	td_pager_clear(p, f->chunk, LANE_STORED, f->stored);
	p->read_bytes += td_lanes_count(f->swapped | f->file) * p->page_bytes;
	note_delivered(p, x, f->chunk, pages);
}

/* ---- reading ahead ---- */

static void end_read(struct td_pager *p, struct td_read *r, bool arrived)
{
	uint64_t came = arrived ? r->pages : 0;
	note_delivered(p, r->extent, r->chunk, came);
	p->read_bytes += td_lanes_count(came) * p->page_bytes;
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

static int map_runs(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		    bool protect)
{
	unsigned at, n;
	int rc = 0;
	while (!rc && td_pager_run(&pages, &at, &n))
		rc = x->mapping->map_run(p, x, chunk, at, n, protect);
	return rc;
}

static int zero_runs(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
		     uint64_t writable)
{
	int rc = 0;
	for (; pages && !rc; pages &= pages - 1) {
		uint64_t bit = pages & -pages;
		unsigned char *at = td_extent_at(p, x, chunk, (unsigned)__builtin_ctzll(pages));
		rc = x->mapping->map_zero(p, at, !(writable & bit) && x->tracks);
	}
	return rc;
}

int td_pager_map_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t held,
		       uint64_t zero, uint64_t writable)
{
	int rc = map_runs(p, x, chunk, held & writable, false);
	if (!rc)
		rc = map_runs(p, x, chunk, held & ~writable, x->tracks);
	if (!rc)
		rc = zero_runs(p, x, chunk, zero, writable);
	return rc;
}
