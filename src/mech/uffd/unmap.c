/* Out of the page table, of many chunks at once: each mapping says by its take_out() whether pages
 * are dropped, copied to the view first, or moved (map_fast.c). */
#include "core/assert.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIPE_BYTES (1u << 20) /* what a user may have without asking */

void td_pager_say_stuck(struct td_pager *p, int error)
{
	if (!atomic_exchange(&p->said_stuck, true))
		td_pager_say(p, "tide: a page cannot be moved: %s: it stays near for now",
			     strerror(error));
}

/* ---- dropping ---- */

static void add_range(struct td_drops *d, void *at, size_t bytes)
{
	struct iovec *last = d->ranges_n ? &d->range[d->ranges_n - 1] : NULL;
	/* Where shared memory is dropped, the other processors are told of every range. */
	if (last && (char *)last->iov_base + last->iov_len == at)
		last->iov_len += bytes;
	else
		d->range[d->ranges_n++] = (struct iovec){at, bytes};
	td_assert(d->ranges_n <= TD_PAGER_RANGES + TD_PAGER_SAVES);
}

/* While they are copied nobody may write to them: that is said to the other processors one by one.
 */
static void save_protected(struct td_pager *p, struct td_drops *d)
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
		td_pager_say_stuck(p, errno);
	}
}

/* Whoever writes to a page writes to what the pipe has, until it is unmapped. */
static void drop(struct td_pager *p, struct td_drops *d)
{
	bool grabbed = d->saves_n && d->pipe && !td_uffd_pipe_grab(d->pipe, d->from, d->saves_n);
	for (size_t i = 0; i < d->saves_n && grabbed; i++)
		add_range(d, d->from[i].iov_base, d->from[i].iov_len);
	if (!grabbed)
		save_protected(p, d);
	td_uffd_unmap(&p->unmapper, d->range, d->ranges_n);
	if (grabbed && td_uffd_pipe_copy(d->pipe, d->to, d->saves_n))
		td_pager_end_program(p, "no memory for evicted pages");
	d->ranges_n = d->saves_n = d->saves_bytes = 0;
}

/* As many of n pages as fit; pages side by side are one range, which the kernel looks up once. */
static unsigned add_save(struct td_pager *p, struct td_drops *d, struct td_job *job, unsigned at,
			 unsigned n)
{
	size_t most = d->pipe ? d->pipe->bytes : PIPE_BYTES;
	if (d->saves_n == TD_PAGER_SAVES || d->saves_bytes + p->page_bytes > most)
		drop(p, d);
	size_t fit = (most - d->saves_bytes) / p->page_bytes;
	n = n < fit ? n : (unsigned)fit;
	size_t bytes = (size_t)n * p->page_bytes;
	d->from[d->saves_n] = (struct iovec){td_extent_at(p, job->extent, job->chunk, at), bytes};
	d->to[d->saves_n] = (struct iovec){td_extent_view(p, job->extent, job->chunk, at), bytes};
	td_assert(n && d->saves_n < TD_PAGER_SAVES);
	d->of[d->saves_n] = job;
	d->mask[d->saves_n++] = td_pager_bits(at, n);
	d->saves_bytes += bytes;
	return n;
}

void td_pager_drop_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages)
{
	struct td_drops *d = &l->drops;
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n)) {
		if (d->ranges_n == TD_PAGER_RANGES)
			drop(p, d);
		add_range(d, td_extent_at(p, job->extent, job->chunk, at),
			  (size_t)n * p->page_bytes);
	}
}

void td_pager_save_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages)
{
	unsigned at, n;
	while (td_pager_run(&pages, &at, &n)) {
		for (unsigned added = 0; added < n;)
			added += add_save(p, &l->drops, job, at + added, n - added);
	}
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
	td_assert(n <= TD_PAGER_BATCH);
	struct td_leaving l;
	l.drops.pipe = pipe ? &pipe->pipe : NULL;
	l.drops.ranges_n = l.drops.saves_n = l.drops.saves_bytes = 0;
	l.moves.parts_n = 0;
	sort_jobs(jobs, n, sorted);
	for (size_t i = 0; i < n; i++)
		sorted[i]->extent->mapping->take_out(p, &l, sorted[i]);
	td_pager_move_all(p, &l.moves);
	drop(p, &l.drops);
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
	/* A page that two processes have is another one as soon as it is written to. */
	for (unsigned i = 0; i < p->pipes_n && !p->forked; i++) {
		if (!p->pipes[i].used) {
			p->pipes[i].used = true;
			return &p->pipes[i];
		}
	}
	return NULL;
}
