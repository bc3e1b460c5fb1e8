/* Out of the page table, of many chunks at once. Shared memory stays where it is; what was copied
 * in is dropped, and copied out first if the program has changed it; the others are moved. */
#include "pager.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIPE_BYTES (1u << 20) /* what a user may have without asking */
#define SAVES 256

static void say_stuck(struct td_pager *p, int error)
{
	if (!atomic_exchange(&p->said_stuck, true))
		td_pager_say(p, "tide: a page cannot be moved: %s: it stays near for now",
			     strerror(error));
}

/* ---- moving ---- */

/* n pages from the front of these have moved: whole ones, of another one what has moved goes back.
 */
static int move_pages(struct td_pager *p, unsigned char *to, unsigned char *from, size_t bytes,
		      unsigned *n)
{
	size_t moved;
	int rc = td_uffd_move(p->shadow_uffd, to, from, bytes, false, &moved);
	size_t part = moved % p->page_bytes, whole = moved - part;
	if (part && td_uffd_move(p->uffd, from + whole, to + whole, part, p->thread, NULL))
		td_pager_end(p, "a page cannot be moved back");
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
			say_stuck(p, -rc);
	}
	return stuck;
}

/* Pages side by side, of one chunk after the other: a move costs an interrupt on every processor,
 * however many they are. */
struct moves {
	unsigned char *from, *to;
	size_t bytes;
	struct {
		struct td_job *job;
		unsigned at, n;
	} part[TD_PAGER_BATCH];
	size_t parts_n;
};

static void move_all(struct td_pager *p, struct moves *m)
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

static void add_move(struct td_pager *p, struct moves *m, struct td_job *job, unsigned at,
		     unsigned n)
{
	unsigned char *from = td_extent_at(p, job->extent, job->chunk, at);
	bool next =
		m->parts_n && m->part[0].job->extent == job->extent && m->from + m->bytes == from;
	if (!next || m->parts_n == TD_PAGER_BATCH) {
		move_all(p, m);
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
static void move_job(struct td_pager *p, struct moves *m, struct td_job *job)
{
	uint64_t pages = job->unmap;
	unsigned at, n;
	if (job->to_file && !job->write) {
		td_pager_recycle(p, td_extent_at(p, job->extent, job->chunk, 0), pages);
		job->freed = pages;
		return;
	}
	while (td_pager_run(&pages, &at, &n))
		add_move(p, m, job, at, n);
}

/* ---- dropping ---- */

/* Ranges to be dropped, and those of them whose content has to be in the view first. */
struct drops {
	const struct td_uffd_pipe *pipe; /* NULL: none */
	struct iovec range[TD_PAGER_RANGES + SAVES];
	size_t ranges_n;
	struct iovec from[SAVES], to[SAVES];
	struct td_job *of[SAVES];
	uint64_t mask[SAVES];
	size_t saves_n, saves_bytes;
};

static void add_range(struct drops *d, void *at, size_t bytes)
{
	struct iovec *last = d->ranges_n ? &d->range[d->ranges_n - 1] : NULL;
	/* Where shared memory is dropped, the other processors are told of every range. */
	if (last && (char *)last->iov_base + last->iov_len == at)
		last->iov_len += bytes;
	else
		d->range[d->ranges_n++] = (struct iovec){at, bytes};
}

/* While they are copied nobody may write to them: that is said to the other processors one by one.
 */
static void save_protected(struct td_pager *p, struct drops *d)
{
	for (size_t i = 0; i < d->saves_n; i++) {
		struct iovec from = d->from[i];
		/* By a call, so that what cannot be read fails and nothing worse. */
		if (!td_uffd_protect(p->uffd, from.iov_base, from.iov_len, true, false) &&
		    process_vm_readv(getpid(), &d->to[i], 1, &from, 1, 0) ==
			    (ssize_t)from.iov_len) {
			add_range(d, from.iov_base, from.iov_len);
			continue;
		}
		d->of[i]->stuck |= d->mask[i];
		say_stuck(p, errno);
	}
}

/* Whoever writes to a page writes to what the pipe has, until it is unmapped. */
static void drop(struct td_pager *p, struct drops *d)
{
	bool grabbed = d->saves_n && d->pipe && !td_uffd_pipe_grab(d->pipe, d->from, d->saves_n);
	for (size_t i = 0; i < d->saves_n && grabbed; i++)
		add_range(d, d->from[i].iov_base, d->from[i].iov_len);
	if (!grabbed)
		save_protected(p, d);
	td_uffd_unmap(&p->unmapper, d->range, d->ranges_n);
	if (grabbed && td_uffd_pipe_copy(d->pipe, d->to, d->saves_n))
		td_pager_end(p, "no memory for evicted pages");
	d->ranges_n = d->saves_n = d->saves_bytes = 0;
}

/* As many of n pages as fit; pages side by side are one range, which the kernel looks up once. */
static unsigned add_save(struct td_pager *p, struct drops *d, struct td_job *job, unsigned at,
			 unsigned n)
{
	size_t most = d->pipe ? d->pipe->bytes : PIPE_BYTES;
	if (d->saves_n == SAVES || d->saves_bytes + p->page_bytes > most)
		drop(p, d);
	size_t fit = (most - d->saves_bytes) / p->page_bytes;
	n = n < fit ? n : (unsigned)fit;
	size_t bytes = (size_t)n * p->page_bytes;
	d->from[d->saves_n] = (struct iovec){td_extent_at(p, job->extent, job->chunk, at), bytes};
	d->to[d->saves_n] = (struct iovec){td_extent_view(p, job->extent, job->chunk, at), bytes};
	d->of[d->saves_n] = job;
	d->mask[d->saves_n++] = td_pager_bits(at, n);
	d->saves_bytes += bytes;
	return n;
}

static void drop_job(struct td_pager *p, struct drops *d, struct td_job *job)
{
	uint64_t pages = job->unmap & ~job->save;
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n)) {
		if (d->ranges_n == TD_PAGER_RANGES)
			drop(p, d);
		add_range(d, td_extent_at(p, job->extent, job->chunk, at),
			  (size_t)n * p->page_bytes);
	}
	for (pages = job->save; td_pager_run(&pages, &at, &n);) {
		for (unsigned added = 0; added < n;)
			added += add_save(p, d, job, at + added, n - added);
	}
	if (job->extent->copies && job->extent->has_file)
		job->freed = job->unmap; /* the view never had them */
}

/* By address, so that neighbours leave together whichever threads they were of. qsort() may want
 * memory, which a handler has none of. */
static void sort_jobs(struct td_job *jobs, size_t n, struct td_job **sorted)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;
		for (; at && sorted[at - 1]->chunk > jobs[i].chunk; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &jobs[i];
	}
}

void td_pager_unmap_jobs(struct td_pager *p, struct td_job *jobs, size_t n, struct td_pipe *pipe)
{
	struct td_job *sorted[TD_PAGER_BATCH];
	struct moves m;
	struct drops d;
	d.pipe = pipe ? &pipe->pipe : NULL;
	d.ranges_n = d.saves_n = d.saves_bytes = 0;
	m.parts_n = 0;
	sort_jobs(jobs, n, sorted);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i]->extent->fast && !sorted[i]->extent->copies)
			move_job(p, &m, sorted[i]);
		else
			drop_job(p, &d, sorted[i]);
	}
	move_all(p, &m);
	drop(p, &d);
}

/* ---- pipes ---- */

void td_pager_open_pipes(struct td_pager *p)
{
	while (p->pipes_n < TD_PAGER_PIPES) {
		struct td_uffd_pipe *pipe = &p->pipes[p->pipes_n].pipe;
		if (td_uffd_pipe_open(pipe, PIPE_BYTES))
			return;
		p->pipes_n++;
		if (pipe->bytes < p->page_bytes)
			return td_pager_close_pipes(p);
	}
}

void td_pager_close_pipes(struct td_pager *p)
{
	while (p->pipes_n)
		td_uffd_pipe_close(&p->pipes[--p->pipes_n].pipe);
}

struct td_pipe *td_pager_take_pipe(struct td_pager *p)
{
	for (unsigned i = 0; i < p->pipes_n; i++) {
		if (!p->pipes[i].used) {
			p->pipes[i].used = true;
			return &p->pipes[i];
		}
	}
	return NULL;
}
