/* Compressed memory: pages by number, each in as many bytes as it takes.
 *
 * After open, memory comes only from mmap, in large steps, and no lock of the C library is taken,
 * because the pager serves faults in a signal handler. Any thread may make any call, but two calls
 * for one page number must not run at the same time. */
#ifndef TD_TIERS_STORE_H
#define TD_TIERS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "tide/error.h"

struct td_store;

enum td_store_codec { TD_STORE_LZ4, TD_STORE_ZSTD };

/* limit_bytes: of memory in use, bookkeeping included. */
int td_store_open(struct td_store **out, enum td_store_codec codec, uint32_t page_bytes,
		  uint64_t limit_bytes, struct tide_error *err);
void td_store_close(struct td_store *s);

/* 0, or -ENOSPC: nothing was stored. A page that is there already is replaced. A page of one
 * repeated word takes no room besides its entry; one that does not compress is stored as it is. */
int td_store_put(struct td_store *s, uint64_t page, const void *data);
/* 0, -ENOENT, or -EIO if what is stored is damaged (a checksum says so). It stays. */
int td_store_get(struct td_store *s, uint64_t page, void *data);
void td_store_drop(struct td_store *s, uint64_t page); /* one that is not there is fine */

struct td_store_use {
	uint64_t pages, stored_bytes, memory_bytes;
};
void td_store_use(const struct td_store *s, struct td_store_use *use);

#endif
