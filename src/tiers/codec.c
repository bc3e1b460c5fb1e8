#include "codec.h"

#include <errno.h>
#include <lz4.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* For contexts in memory of ours: the ordinary ones allocate as they see fit. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#define LEVEL 1
#define ACCELERATION 1

static size_t align(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

static void measure(struct td_codec *c)
{
	if (c->kind == TD_STORE_ZSTD) {
		ZSTD_compressionParameters params = ZSTD_getCParams(LEVEL, c->page_bytes, 0);
		c->pack_bytes = align(ZSTD_estimateCCtxSize_usingCParams(params));
		c->unpack_bytes = align(ZSTD_estimateDCtxSize());
	} else {
		c->pack_bytes = align((size_t)LZ4_sizeofState());
	}
	c->worker_bytes = c->pack_bytes + c->unpack_bytes + align(c->packed_max);
	if (c->worker_bytes < c->page_bytes) /* which try_worker() takes for a page */
		c->worker_bytes = align(c->page_bytes);
}

static unsigned count_workers(const struct td_codec *c, uint64_t memory_bytes)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n = cores < 1 ? 2 : (uint64_t)cores + 1, fit = memory_bytes / c->worker_bytes;
	if (n > TD_CODEC_WORKERS_MAX)
		n = TD_CODEC_WORKERS_MAX;
	return (unsigned)(fit < 1 ? 1 : fit < n ? fit : n);
}

size_t td_codec_memory(const struct td_codec *c)
{
	return c->worker_bytes * c->workers_n;
}

/* A context that lacked memory would take every page for one that cannot be packed. */
static int try_worker(const struct td_codec *c, struct td_worker *w)
{
	const void *page = c->memory; /* any bytes will do */
	size_t n = ZSTD_compressCCtx(w->pack, w->out, c->packed_max, page, c->page_bytes, LEVEL);
	bool good = !ZSTD_isError(n) || ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall;
	return good ? 0 : -ENOMEM;
}

static int make_worker(struct td_codec *c, unsigned i)
{
	struct td_worker *w = &c->workers[i];
	unsigned char *at = c->memory + i * c->worker_bytes;
	w->pack = at;
	w->unpack = at + c->pack_bytes;
	w->out = at + c->pack_bytes + c->unpack_bytes;
	w->next = c->free;
	c->free = w;
	if (c->kind != TD_STORE_ZSTD)
		return 0;
	w->pack = ZSTD_initStaticCCtx(w->pack, c->pack_bytes);
	w->unpack = ZSTD_initStaticDCtx(w->unpack, c->unpack_bytes);
	return w->pack && w->unpack ? try_worker(c, w) : -ENOMEM;
}

int td_codec_open(struct td_codec *c, enum td_store_codec kind, uint32_t page_bytes,
		  uint32_t packed_max, uint64_t memory_bytes)
{
	*c = (struct td_codec){.kind = kind, .page_bytes = page_bytes, .packed_max = packed_max};
	measure(c);
	c->workers_n = count_workers(c, memory_bytes);
	void *at = mmap(NULL, td_codec_memory(c), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	c->memory = at;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->news, NULL);
	int rc = 0;
	for (unsigned i = 0; i < c->workers_n && !rc; i++)
		rc = make_worker(c, i);
	if (rc)
		td_codec_close(c);
	return rc;
}

void td_codec_close(struct td_codec *c)
{
	if (!c->memory)
		return;
	munmap(c->memory, td_codec_memory(c));
	pthread_cond_destroy(&c->news);
	pthread_mutex_destroy(&c->lock);
	c->memory = NULL;
}

struct td_worker *td_codec_take(struct td_codec *c, bool pack)
{
	if (!pack && c->kind == TD_STORE_LZ4)
		return NULL;
	pthread_mutex_lock(&c->lock);
	while (!c->free)
		pthread_cond_wait(&c->news, &c->lock);
	struct td_worker *w = c->free;
	c->free = w->next;
	pthread_mutex_unlock(&c->lock);
	return w;
}

void td_codec_give(struct td_codec *c, struct td_worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&c->lock);
	w->next = c->free;
	c->free = w;
	pthread_cond_signal(&c->news);
	pthread_mutex_unlock(&c->lock);
}

uint32_t td_codec_pack(const struct td_codec *c, struct td_worker *w, const void *data)
{
	if (c->kind == TD_STORE_LZ4) {
		int n = LZ4_compress_fast_extState(w->pack, data, (char *)w->out,
						   (int)c->page_bytes, (int)c->packed_max,
						   ACCELERATION);
		return n > 0 ? (uint32_t)n : 0;
	}
	size_t n = ZSTD_compressCCtx(w->pack, w->out, c->packed_max, data, c->page_bytes, LEVEL);
	return ZSTD_isError(n) ? 0 : (uint32_t)n;
}

bool td_codec_unpack(const struct td_codec *c, struct td_worker *w, const void *packed,
		     uint32_t bytes, void *data)
{
	if (c->kind == TD_STORE_LZ4) {
		int n = LZ4_decompress_safe(packed, data, (int)bytes, (int)c->page_bytes);
		return n == (int)c->page_bytes;
	}
	return ZSTD_decompressDCtx(w->unpack, data, c->page_bytes, packed, bytes) == c->page_bytes;
}
