/* Which pages of lent memory are in the store: what the next server has to know. */
#ifndef TD_UFFD_KEPT_H
#define TD_UFFD_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

/* A file beside the store, mapped, with two bitmaps. `stored`: the newest content of the page, when
 * it is not in memory, is in the store. `near`: a server has put the page into memory, and none has
 * taken it out: if it is not there, its owner has removed it. */
struct td_kept {
	int fd;
	bool again;         /* the last server left it */
	unsigned char *map; /* of the file; NULL: none */
	unsigned char *stored, *near;
	size_t bytes;
};

/* What it belongs to. All of it must be the same as when it was made. */
struct td_kept_of {
	uint64_t memory[4]; /* what tells it from all other memory of this machine */
	uint64_t regions;   /* a digest */
	uint64_t pages, page_bytes;
};

/* Says whether it goes on (k->again), before anything is written. The memory is marked with the
 * name of its bitmap, where the kernel can do that (6.6): to serve it from another store would give
 * it old pages, and is refused. memfd -1: none. */
int td_kept_open(struct td_kept *k, const char *store, int memfd, const struct td_kept_of *of,
		 struct tide_error *err);
/* Once the store is open: it is the same file as before, or the bitmap becomes its own. */
int td_kept_begin(struct td_kept *k, int store_fd, const struct td_kept_of *of,
		  struct tide_error *err);
/* Before the first page is served: from now on the memory needs this store. */
void td_kept_mark(const struct td_kept *k, int memfd);
void td_kept_close(struct td_kept *k);
/* One of the bitmaps; any thread may. */
void td_kept_set(unsigned char *bits, uint64_t first, uint64_t pages);
void td_kept_clear(unsigned char *bits, uint64_t first, uint64_t pages);
static inline bool td_kept_has(const unsigned char *bits, uint64_t page)
{
	return bits[page / 8] >> page % 8 & 1;
}

#endif
