/* Mapping `fast`: anonymous memory. Pages are moved, not copied, between the program's mapping, the
 * view, which is a shadow of it, and the slots that file reads go to. They come and leave chunk by
 * chunk; nobody sees which are touched or written, so all count as changed. */
#include "core/assert.h"
#include "lanes.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

/* ---- memory ---- */

/* What is moved can only be moved to where a userfaultfd is. */
static int open(struct td_pager *p)
{
	return td_uffd_register(p->shadow_uffd, p->slots_at, p->slots_n * p->chunk_bytes,
				TD_UFFD_ANONYMOUS, p->has);
}

static int attach(struct td_pager *p, struct td_extent *x)
{
	int rc = td_anonymous_attach(p, x);
	if (!rc)
		rc = td_extent_register(p, x, x->mapping->kind);
	return rc ? rc
		  : td_uffd_register(p->shadow_uffd, x->view, x->pages * p->page_bytes,
				     TD_UFFD_ANONYMOUS, p->has);
}

/* Pages that another process has too are not moved. There a page is copied first, which a write to
 * it would do as well, and all pages here count as written. As many as are moved; -errno says why
 * others are not. */
#define UNSHARE_BYTES ((size_t)64 << 10)

static int move_some(struct td_pager *p, int fd, unsigned char *to, unsigned char *from,
		     size_t bytes, bool wake, size_t *moved)
{
	size_t more, tried = SIZE_MAX;
	int rc = td_uffd_move(fd, to, from, bytes, wake, moved);
	while (rc == -EBUSY && p->forked && *moved != tried) {
		size_t rest = bytes - *moved;
		tried = *moved;
		if (td_uffd_unshare(from + tried, rest < UNSHARE_BYTES ? rest : UNSHARE_BYTES))
			td_uffd_unshare(from + tried, 4096);
		rc = td_uffd_move(fd, to + tried, from + tried, rest, wake, &more);
		*moved += more;
	}
	return rc;
}

/* All of them: what a device has is waited for. */
static int move_in(struct td_pager *p, unsigned char *to, unsigned char *from, size_t bytes)
{
	bool wake = p->service->wakes;
	size_t moved = 0;
	if (p->forked && !move_some(p, p->uffd, to, from, bytes, wake, &moved))
		return 0;
	return td_uffd_move(p->uffd, to + moved, from + moved, bytes - moved, wake, NULL);
}

/* ---- pages come ---- */

static void plan(struct td_pager *p, struct td_arrival *a)
{
	a->writable = a->to_map;
	a->maps = a->to_map & ~(td_pager_get(p, a->chunk, LANE_MAPPED) | a->filled);
}

static int deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at, unsigned n,
		   struct td_slot *slot)
{
	int rc = td_uffd_move(p->uffd, td_extent_at(p, x, chunk, at),
			      slot->at + (size_t)at * p->page_bytes, (size_t)n * p->page_bytes,
			      p->service->wakes, NULL);
	td_assert((slot->frames & td_pager_bits(at, n)) == td_pager_bits(at, n));
	if (!rc)
		slot->frames &= ~td_pager_bits(at, n);
	return rc;
}

static int map_run(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned at, unsigned n,
		   bool protect)
{
	(void)protect; /* writes are not seen */
	return move_in(p, td_extent_at(p, x, chunk, at), td_extent_view(p, x, chunk, at),
		       (size_t)n * p->page_bytes);
}

static int map_zero(struct td_pager *p, unsigned char *at, bool protect)
{
	(void)protect;
	return td_uffd_zero(p->uffd, at, p->page_bytes, p->service->wakes);
}

static void note_delivered(struct td_pager *p, uint32_t chunk, uint64_t pages)
{
	td_pager_set(p, chunk, LANE_MAPPED, pages);
	td_pager_set(p, chunk, LANE_WRITABLE, pages);
	td_pager_set(p, chunk, LANE_DIRTY, pages);
}

/* ---- pages go ---- */

/* n pages from the front of these have moved: whole ones, of another one what has moved goes back.
 */
static int move_pages(struct td_pager *p, unsigned char *to, unsigned char *from, size_t bytes,
		      unsigned *n)
{
	size_t moved;
	int rc = move_some(p, p->shadow_uffd, to, from, bytes, false, &moved);
	size_t part = moved % p->page_bytes, whole = moved - part;
	if (part && td_uffd_move(p->uffd, from + whole, to + whole, part, p->service->wakes, NULL))
		td_pager_end_program(p, "a page cannot be moved back");
	*n = (unsigned)(whole / p->page_bytes);
	return rc;
}

/* Which of these pages could not be moved, and so are where they were. */
static uint64_t move_out(struct td_pager *p, const struct td_job *job, unsigned at, unsigned n)
{
	uint64_t stuck = 0;
	for (unsigned end = at + n; at < end; at++) {
		unsigned char *to = td_extent_view(p, job->extent, job->chunk, at);
		unsigned char *from = td_extent_at(p, job->extent, job->chunk, at);
		unsigned moved;
		int rc = move_pages(p, to, from, (size_t)(end - at) * p->page_bytes, &moved);
		if (!rc)
			break;
		at += moved;
		stuck |= td_pager_bits(at, 1);
		if (rc != -EBUSY) /* I/O ends some time */
			td_pager_say_stuck(p, -rc);
	}
	return stuck;
}

void td_pager_move_all(struct td_pager *p, struct td_moves *m)
{
	unsigned moved = 0;
	if (m->parts_n > 1)
		move_pages(p, m->to, m->from, m->bytes, &moved);
	/* From where it ended on, chunk by chunk. */
	for (size_t i = 0; i < m->parts_n; i++) {
		unsigned n = m->part[i].n, done = moved < n ? moved : n;
		moved -= done;
		if (done < n)
			m->part[i].job->stuck |=
				move_out(p, m->part[i].job, m->part[i].at + done, n - done);
	}
	m->parts_n = 0;
}

static void add_move(struct td_pager *p, struct td_moves *m, struct td_job *job, unsigned at,
		     unsigned n)
{
	unsigned char *from = td_extent_at(p, job->extent, job->chunk, at);
	bool next =
		m->parts_n && m->part[0].job->extent == job->extent && m->from + m->bytes == from;
	if (!next || m->parts_n == TD_PAGER_BATCH) {
		td_pager_move_all(p, m);
		m->from = from;
		m->to = td_extent_view(p, job->extent, job->chunk, at);
		m->bytes = 0;
	}
	m->part[m->parts_n].job = job;
	m->part[m->parts_n].at = at;
	m->part[m->parts_n++].n = n;
	m->bytes += (size_t)n * p->page_bytes;
}

/* Into the view; or, where nothing is kept, at once to where its memory is of use. */
static void take_out(struct td_pager *p, struct td_leaving *l, struct td_job *job)
{
	uint64_t pages = job->unmap;
	unsigned at, n;
	if (job->to_file && !job->write) {
		td_pager_recycle(p, td_extent_at(p, job->extent, job->chunk, 0), pages);
		job->freed = pages;
		return;
	}
	while (td_pager_run(&pages, &at, &n))
		add_move(p, &l->moves, job, at, n);
}

static void free_pages(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	if (pages)
		td_pager_recycle(p, td_extent_view(p, x, chunk, 0), pages);
}

const struct td_mapping td_mapping_fast = {
	.name = "fast",
	.kernel = TD_UFFD_HAS_MOVE,
	.lacking = "UFFDIO_MOVE (6.8): use exact",
	.batch_share = 128,
	.kind = TD_UFFD_ANONYMOUS,
	.in_table = LANE_MAPPED,
	.for_files = &td_mapping_exact,
	.inherited_as = &td_mapping_copy,
	.maps_arrivals = true,
	.open = open,
	.attach = attach,
	.pages_to_map = td_anonymous_pages_to_map,
	.plan = plan,
	.deliver = deliver,
	.map_run = map_run,
	.map_zero = map_zero,
	.note_delivered = note_delivered,
	.take_out = take_out,
	.free_pages = free_pages,
	.drop = td_anonymous_drop,
	.forget = td_anonymous_forget,
};
