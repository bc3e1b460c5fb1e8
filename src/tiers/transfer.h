/* What of a request lies in the file, and moving that in the calling thread. */
#ifndef TD_TIERS_TRANSFER_H
#define TD_TIERS_TRANSFER_H

#include "io.h"

/* The part that one read or write of *fd can do, from the front of the request; 0: none. */
size_t td_transfer_body(const struct td_io_request *r, int *fd);

/* Moves all from byte `from` on, at most first bytes in the first step: 0 or -errno. */
int td_transfer_rest(struct td_io_request *r, size_t from, size_t first);

/* Before a write: raises the size of a file that grows in large steps, since a write that does so
 * by itself is slow. */
void td_transfer_make_room(const struct td_io_request *r);

/* Where a request that is to be short stops. */
size_t td_transfer_cut(size_t bytes);

#endif
