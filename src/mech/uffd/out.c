/* Pages go to files. The chunks are busy and the lock is not held. */
#include "out.h"
#include "pager.h"
#include "space.h"

/* The place of a page in tier 3: in the mapped file, or in ours. */
struct td_io_request td_pager_tier3_place(struct td_pager *p, struct td_extent *x, uint32_t chunk,
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

/* One page out of the store, by way of a buffer. */
static int write_packed(struct td_pager *p, const struct td_job *job, unsigned bit)
{
	struct td_extent *x = job->extent;
	struct td_slot *slot = td_pager_take_slot(p, 1, false);
	int rc = td_store_get(p->store, (uint64_t)job->chunk * p->chunk_pages + bit, slot->at);
	if (!rc) {
		struct td_io_request r = td_pager_tier3_place(p, x, job->chunk, bit, 1, x->shared);
		r.addr = slot->at;
		r.write = true;
		rc = td_io_now(p->io, &r);
	}
	td_pager_give_slot(p, slot);
	return rc;
}

#define OUTS 48

struct outs {
	struct td_io_request request[OUTS];
	struct td_job *of[OUTS];
	uint64_t mask[OUTS];
	unsigned n;
	int error;
};

static void write_all(struct td_pager *p, struct outs *o)
{
	struct td_io_request *list[OUTS];
	for (unsigned i = 0; i < o->n; i++)
		list[i] = &o->request[i];
	td_io_start(p->io, list, o->n);
	for (unsigned i = 0; i < o->n; i++) {
		td_io_wait(p->io, list[i]);
		if (list[i]->result) {
			o->of[i]->failed |= o->mask[i];
			o->error = list[i]->result;
		}
	}
	o->n = 0;
}

static void add_outs(struct td_pager *p, struct outs *o, struct td_job *job, uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n)) {
		struct td_io_request *r = &o->request[o->n];
		*r = td_pager_tier3_place(p, job->extent, job->chunk, at, n, job->extent->shared);
		r->addr = td_extent_view(p, job->extent, job->chunk, at);
		r->write = true;
		o->of[o->n] = job;
		o->mask[o->n++] = td_pager_bits(at, n);
		if (o->n == OUTS)
			write_all(p, o);
	}
}

int td_pager_write_jobs(struct td_pager *p, struct td_job *jobs, size_t n)
{
	struct outs o;
	o.n = 0;
	o.error = 0;
	for (size_t i = 0; i < n; i++) {
		struct td_job *job = &jobs[i];
		job->failed = 0;
		for (uint64_t rest = job->write & job->packed; rest; rest &= rest - 1) {
			int rc = write_packed(p, job, (unsigned)__builtin_ctzll(rest));
			job->failed |= rc ? rest & -rest : 0;
			o.error = rc ? rc : o.error;
		}
		add_outs(p, &o, job, job->write & ~job->packed);
	}
	write_all(p, &o);
	return o.error;
}
