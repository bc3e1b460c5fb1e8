/* Finds which part of a request lies in the file, and moves it in the calling thread. */
#ifndef TD_TIERS_TRANSFER_H
#define TD_TIERS_TRANSFER_H

#include "io.h"

/* The part that one read or write of *fd can do, from the front of the request; 0: none. */
size_t td_transfer_body(const struct td_io_request *r, int *fd);

/* Moves all bytes from `from` on, at most `first` bytes in the first step. Returns 0 or -errno. */
int td_transfer_rest(struct td_io_request *r, size_t from, size_t first);

/* Call it before a write. It raises the size of a growing file in large steps, because a write that
 * makes the file grow is slow. */
void td_transfer_make_room(const struct td_io_request *r);

/* How many bytes a request moves that must be short. */
size_t td_transfer_cut(size_t bytes);

#endif
