/* Memory of another process: its pages are served by this one.
 *
 *     map_lent.c   the mapping `lent`: how pages come and go there
 *     lent.c       a pager begins with such memory, and leaves it as it is
 *     heard.c      messages that were read before their time
 *     kept.c       what has to outlive this process: which pages are in the store
 *
 * The owner has made a userfaultfd, registered its ranges, and handed it over. Where its memory is
 * a shared file in memory (a memfd) and that was handed over too, the view is a mapping of the same
 * file, and a page leaves in this order:
 *
 *     protected in the owner's page table; written to the store; noted in the kept bitmaps; punched
 *     out of the memfd, which takes it out of the owner's page table too
 *
 * So at every moment a page that is in the memfd is the newest. One that is not there is zero if a
 * bitmap says that it should be there, since its owner has removed it; else in the store if the
 * other bitmap says so; else in the snapshot, or zero. A server that was killed anywhere is
 * followed by one that sees this and goes on. What it finds in memory counts as written.
 *
 * Without a memfd no page can leave: the kernel takes pages out of another process by no other call
 * (process_madvise() has MADV_PAGEOUT for others, but not MADV_DONTNEED). */
#ifndef TD_UFFD_LENT_H
#define TD_UFFD_LENT_H

#include <linux/userfaultfd.h>

#include "pager.h"

/* ---- heard.c: messages of the kernel ----
 *
 * While the owner changes its mappings the kernel refuses to copy pages there, until the message
 * about the change has been read. So the thread that copies reads messages, and leaves them to the
 * thread that serves them, in their order. */

int td_lent_hear_begin(struct td_pager *p);
void td_lent_hear_end(struct td_pager *p);
/* The kernel has said -EAGAIN. */
void td_lent_listen(struct td_pager *p);
/* The next messages, those that were read before first: how many, 0: none. */
size_t td_lent_hear(struct td_pager *p, struct uffd_msg *messages, size_t most);

/* ---- map_lent.c ---- */

/* A server has put these pages into memory. */
void td_lent_note_near(struct td_pager *p, uint32_t chunk, uint64_t pages);
/* Write-protects, or unprotects and wakes. */
int td_lent_protect(struct td_pager *p, void *addr, size_t bytes, bool protect);

/* The owner has removed these pages, or they are to be forgotten: zero from now on. The lock is
 * held, the chunk is not busy. */
int td_lent_drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);
/* A page that should be there was touched: if it is not, the owner has removed it unseen, and it is
 * zero. The lock is held, the chunk is not busy. */
void td_lent_look(struct td_pager *p, uint32_t chunk, unsigned bit);

/* ---- lent.c ---- */

/* Instead of a userfaultfd of our own. */
int td_lent_open(struct td_pager *p, struct tide_error *err);
/* The store, as the last server left it or new. */
int td_lent_open_store(struct td_pager *p, struct tide_error *err);
/* The regions, before anything is served. */
int td_lent_begin(struct td_pager *p, struct tide_error *err);
/* No thread of ours is left. */
void td_lent_end(struct td_pager *p);

#endif
