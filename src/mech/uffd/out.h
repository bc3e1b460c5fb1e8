/* The way out: chunks leave in batches. */
#ifndef TD_UFFD_OUT_H
#define TD_UFFD_OUT_H

#include "pager.h"

/* ---- flush.c ---- */

/* Of what lingers, as far as is known. */
static inline uint64_t td_pager_can_leave(const struct td_pager *p)
{
	return p->linger_pages > p->stuck_pages ? p->linger_pages - p->stuck_pages : 0;
}

/* Of tier 2, what does not leave it. Pages that are on their way out may have been brought back:
 * they are not of tier 2 any more, but still leave. */
static inline uint64_t td_pager_tier2_stays(const struct td_pager *p)
{
	return p->tier2_pages > p->leaving_pages ? p->tier2_pages - p->leaving_pages : 0;
}

/* Makes what lingers leave, if there is enough of it (or all of it); and tier 2 small enough. The
 * lock is held, and given up in between. false: nothing could be moved. */
bool td_pager_flush(struct td_pager *p, bool all);
bool td_pager_tier2_is_over(const struct td_pager *p); /* tier 2 is larger than it may be */
bool td_pager_is_pinned(const struct td_pager *p, uint32_t chunk);
bool td_pager_some_lingering_busy(struct td_pager *p); /* is something that lingers busy? */
/* Remembers, and says once, that writes fail, or work again. */
void td_pager_note_write(struct td_pager *p, int rc);

/* ---- unmap.c ---- */

void td_pager_open_pipes(struct td_pager *p);
void td_pager_close_pipes(struct td_pager *p);
/* The lock is held; NULL: there is none, and there need not be. */
struct td_pipe *td_pager_take_pipe(struct td_pager *p);
/* Out of the page table, and into the view where they are not there. Which of them cannot be had is
 * said by `stuck`. The chunks are busy and the lock is not held. */
void td_pager_unmap_jobs(struct td_pager *p, struct td_job *jobs, size_t n, struct td_pipe *pipe);
/* For the mappings' take_out(): pages are dropped; copied to the view and dropped. */
void td_pager_drop_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages);
void td_pager_save_pages(struct td_pager *p, struct td_leaving *l, struct td_job *job,
			 uint64_t pages);
void td_pager_move_all(struct td_pager *p, struct td_moves *m); /* map_fast.c */
void td_pager_say_stuck(struct td_pager *p, int error);

/* ---- out.c: pages go to files; the chunks are busy, the lock is not held ---- */

/* Where pages are in tier 3, if in_file in the mapped file; the address is not set. */
struct td_io_request td_pager_tier3_place(struct td_pager *p, struct td_extent *x, uint32_t chunk,
					  unsigned bit, unsigned n, bool in_file);
/* Writes job->write of each to where it belongs in tier 3: the last error, and which failed. */
int td_pager_write_jobs(struct td_pager *p, struct td_job *jobs, size_t n);

/* ---- slots.c ---- */

int td_pager_open_slots(struct td_pager *p);
void td_pager_close_slots(struct td_pager *p);
/* One for a chunk, with memory for these pages; the lock is not held. ahead: NULL rather than one
 * of the last, which are for those who wait. */
struct td_slot *td_pager_take_slot(struct td_pager *p, uint64_t pages, bool ahead);
void td_pager_give_slot(struct td_pager *p, struct td_slot *slot);
/* Memory of a `fast` mapping that nobody needs any more. */
void td_pager_recycle(struct td_pager *p, unsigned char *at, uint64_t pages);

#endif
