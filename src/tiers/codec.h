/* Compression by workers. A worker has all its memory from the start. A thread takes a worker for
 * one page, and waits while all workers are taken. */
#ifndef TD_TIERS_CODEC_H
#define TD_TIERS_CODEC_H

#include <pthread.h>
#include <stdbool.h>

#include "store.h"

#define TD_CODEC_WORKERS_MAX 64

struct td_worker {
	struct td_worker *next;
	void *pack, *unpack; /* contexts; unpack is zstd's alone */
	unsigned char *out;  /* packed_max bytes */
};

struct td_codec {
	enum td_store_codec kind;
	uint32_t page_bytes, packed_max;
	size_t pack_bytes, unpack_bytes, worker_bytes;
	unsigned char *memory;
	unsigned workers_n;
	struct td_worker workers[TD_CODEC_WORKERS_MAX];
	pthread_mutex_t lock; /* of free */
	pthread_cond_t news;
	struct td_worker *free;
};

/* packed_max: pages that do not become this small are not worth compressing. memory_bytes: the
 * limit for all workers together; there is at least one worker. */
int td_codec_open(struct td_codec *c, enum td_store_codec kind, uint32_t page_bytes,
		  uint32_t packed_max, uint64_t memory_bytes);
void td_codec_close(struct td_codec *c);
size_t td_codec_memory(const struct td_codec *c);

/* Unpacking LZ4 needs no worker. td_codec_take() then gives NULL, which may be given back. */
struct td_worker *td_codec_take(struct td_codec *c, bool pack);
void td_codec_give(struct td_codec *c, struct td_worker *w);

/* Bytes in w->out, or 0: it does not get small enough. */
uint32_t td_codec_pack(const struct td_codec *c, struct td_worker *w, const void *data);
/* False: this was never packed. */
bool td_codec_unpack(const struct td_codec *c, struct td_worker *w, const void *packed,
		     uint32_t bytes, void *data);

#endif
