/* Chunks that come without being touched: prefetched with a fault, or because the program said that
 * it will need them. */
#include "core/assert.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

/* ---- reading ahead ---- */

static void end_read(struct td_pager *p, struct td_read *r, uint64_t came)
{
	td_assert(r->used && *td_pager_state(p, r->chunk) & CHUNK_BUSY);
	td_pager_note_delivered(p, r->extent, r->chunk, came);
	p->read_bytes += td_lanes_count(came) * p->page_bytes;
	td_pager_settle(p, r->chunk, came, 0);
	td_pager_calm(p, r->chunk);
	td_checked(td_pager_check_chunk(p, r->chunk));
}

/* In whatever thread sees it. What could not be read is read again when it is touched. */
static void read_done(struct td_io_request *request)
{
	struct td_read *r = request->arg;
	struct td_pager *p = r->pager;
	uint64_t came = 0;
	int rc = request->result;
	if (!rc)
		came = td_pager_deliver(p, r->extent, r->chunk, r->pages, r->slot, &rc);
	td_pager_give_slot(p, r->slot);
	td_pager_lock(p);
	end_read(p, r, came);
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
static struct td_read *claim_read(struct td_pager *p, const struct td_fill *f)
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
	r->request = td_pager_tier3_place(p, r->extent, f->chunk, at, n, f->file != 0);
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
		end_read(p, r, 0);
		pthread_mutex_unlock(&p->lock);
		return false;
	}
	request->addr = r->slot->at + skip;
	request->done = read_done;
	request->arg = r;
	td_io_start(p->io, &request, 1);
	return true;
}

/* ---- with a fault ---- */

static bool is_among_arrivals(const struct td_pager *p, uint32_t chunk)
{
	for (uint32_t i = 0; i < p->arrivals_n; i++) {
		if (p->arrivals[i].chunk == chunk)
			return true;
	}
	return false;
}

/* Other chunks that came with the plan: they are busy from now on. What has to be read is read
 * while the program goes on; what is in memory is mapped, where the mapping does that. Whatever is
 * left out here is done at its first touch. */
void td_pager_claim_others(struct td_pager *p, uint32_t chunk, struct td_others *o)
{
	o->n = 0;
	if (p->arrivals_n == is_among_arrivals(p, chunk))
		return;
	for (uint32_t i = 0; i < p->arrivals_n; i++) {
		struct td_move m = p->arrivals[i];
		if (m.chunk == chunk || *td_pager_state(p, m.chunk) & CHUNK_BUSY)
			continue;
		struct td_fill f = td_pager_plan_fill(p, m.chunk, m.pages);
		if (f.swapped | f.file) {
			struct td_read *r = claim_read(p, &f);
			if (r)
				td_pager_queue_read(p, r);
		} else if (td_pager_extent(p, m.chunk)->mapping->maps_arrivals &&
			   o->n < TD_PAGER_OTHERS) {
			*td_pager_state(p, m.chunk) |= CHUNK_BUSY;
			o->map[o->n++] = m;
		}
	}
}

void td_pager_bring_others(struct td_pager *p, const struct td_others *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		td_pager_bring(p, o->map[i].chunk, o->map[i].pages, o->map[i].pages, 0);
		td_pager_calm(p, o->map[i].chunk);
	}
}
