#include "decompress.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_WINDOW_BITS (16 + MAX_WBITS)
#define XZ_MOST_BYTES ((uint64_t)256 << 20) /* xz -9 needs 65 MiB */

struct gzip {
	struct td_trace_decoder head;
	z_stream z;
};

static int gunzip(struct td_trace_decoder *d, unsigned char **from, unsigned char *from_end,
		  unsigned char **to, unsigned char *to_end, const char *name,
		  struct tide_error *err)
{
	z_stream *z = &((struct gzip *)d)->z;
	int rc;

	if (d->complete && *from < from_end)
		inflateReset(z);
	z->next_in = *from;
	z->avail_in = (uInt)(from_end - *from);
	z->next_out = *to;
	z->avail_out = (uInt)(to_end - *to);
	rc = inflate(z, Z_NO_FLUSH);
	*from = z->next_in;
	*to = z->next_out;
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return tide_fail(err, rc == Z_MEM_ERROR ? -ENOMEM : -EBADMSG,
				 "%s is damaged gzip data (%s): get an intact copy", name,
				 z->msg ? z->msg : "out of memory or a preset dictionary");
	d->complete = rc == Z_STREAM_END;
	return 0;
}

static void reset_gzip(struct td_trace_decoder *d)
{
	inflateReset(&((struct gzip *)d)->z);
	d->complete = false;
}

static void close_gzip(struct td_trace_decoder *d)
{
	inflateEnd(&((struct gzip *)d)->z);
	free(d);
}

static struct td_trace_decoder *open_gzip(void)
{
	struct gzip *g = calloc(1, sizeof *g);

	if (!g)
		return NULL;
	if (inflateInit2(&g->z, GZIP_WINDOW_BITS) != Z_OK) {
		free(g);
		return NULL;
	}
	g->head.decode = gunzip;
	g->head.reset = reset_gzip;
	g->head.close = close_gzip;
	return &g->head;
}

struct zstd {
	struct td_trace_decoder head;
	ZSTD_DCtx *ctx;
};

static int unzstd(struct td_trace_decoder *d, unsigned char **from, unsigned char *from_end,
		  unsigned char **to, unsigned char *to_end, const char *name,
		  struct tide_error *err)
{
	ZSTD_inBuffer in = {*from, (size_t)(from_end - *from), 0};
	ZSTD_outBuffer out = {*to, (size_t)(to_end - *to), 0};
	size_t rc = ZSTD_decompressStream(((struct zstd *)d)->ctx, &out, &in);

	*from += in.pos;
	*to += out.pos;
	if (ZSTD_isError(rc))
		return tide_fail(err, -EBADMSG,
				 "%s is damaged zstd data, or needs a window over 128 MiB (%s): "
				 "get an intact copy, or recompress it with a smaller window",
				 name, ZSTD_getErrorName(rc));
	if (in.pos || out.pos)
		d->complete = rc == 0;
	return 0;
}

static void reset_zstd(struct td_trace_decoder *d)
{
	ZSTD_DCtx_reset(((struct zstd *)d)->ctx, ZSTD_reset_session_only);
	d->complete = false;
}

static void close_zstd(struct td_trace_decoder *d)
{
	ZSTD_freeDCtx(((struct zstd *)d)->ctx);
	free(d);
}

static struct td_trace_decoder *open_zstd(void)
{
	struct zstd *z = calloc(1, sizeof *z);

	if (!z)
		return NULL;
	z->ctx = ZSTD_createDCtx();
	if (!z->ctx) {
		free(z);
		return NULL;
	}
	z->head.decode = unzstd;
	z->head.reset = reset_zstd;
	z->head.close = close_zstd;
	return &z->head;
}

struct xz {
	struct td_trace_decoder head;
	lzma_stream z;
};

static int fail_xz(lzma_ret rc, const char *name, struct tide_error *err)
{
	if (rc == LZMA_MEMLIMIT_ERROR)
		return tide_fail(err, -ENOMEM,
				 "%s needs over 256 MiB to decompress: recompress it with xz -9, "
				 "or less",
				 name);
	if (rc == LZMA_MEM_ERROR)
		return tide_fail(err, -ENOMEM, "out of memory to decompress %s", name);
	return tide_fail(err, -EBADMSG, "%s is damaged xz data: get an intact copy", name);
}

/* No input: there will be none. Only then the decoder says whether the file is complete, since
 * another member or padding may follow. */
static int unxz(struct td_trace_decoder *d, unsigned char **from, unsigned char *from_end,
		unsigned char **to, unsigned char *to_end, const char *name, struct tide_error *err)
{
	lzma_stream *z = &((struct xz *)d)->z;
	lzma_ret rc;

	z->next_in = *from;
	z->avail_in = (size_t)(from_end - *from);
	z->next_out = *to;
	z->avail_out = (size_t)(to_end - *to);
	rc = lzma_code(z, *from < from_end ? LZMA_RUN : LZMA_FINISH);
	*from = from_end - z->avail_in;
	*to = z->next_out;
	if (rc != LZMA_OK && rc != LZMA_STREAM_END && rc != LZMA_BUF_ERROR)
		return fail_xz(rc, name, err);
	d->complete = rc == LZMA_STREAM_END;
	return 0;
}

static bool begin_xz(struct xz *x)
{
	x->head.complete = false;
	return lzma_stream_decoder(&x->z, XZ_MOST_BYTES, LZMA_CONCATENATED) == LZMA_OK;
}

/* It takes the memory that it has: this cannot fail. */
static void reset_xz(struct td_trace_decoder *d)
{
	begin_xz((struct xz *)d);
}

static void close_xz(struct td_trace_decoder *d)
{
	lzma_end(&((struct xz *)d)->z);
	free(d);
}

static struct td_trace_decoder *open_xz(void)
{
	struct xz *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->z = (lzma_stream)LZMA_STREAM_INIT;
	if (!begin_xz(x)) {
		free(x);
		return NULL;
	}
	x->head.decode = unxz;
	x->head.reset = reset_xz;
	x->head.close = close_xz;
	return &x->head;
}

static bool is_gzip(const unsigned char *head, size_t n)
{
	return n >= 4 && !memcmp(head, "\x1f\x8b\x08", 3) && !(head[3] & 0xe0);
}

/* A zstd file may also start with a skippable frame, as parallel compressors write. */
static bool is_zstd(const unsigned char *head, size_t n)
{
	return n >= 4 && (!memcmp(head, "\x28\xb5\x2f\xfd", 4) ||
			  ((head[0] & 0xf0) == 0x50 && !memcmp(head + 1, "\x2a\x4d\x18", 3)));
}

static bool is_xz(const unsigned char *head, size_t n)
{
	return n >= 6 && !memcmp(head,
				 "\xfd"
				 "7zXZ",
				 6);
}

int td_trace_decoder_open(struct td_trace_decoder **out, const unsigned char *head, size_t n,
			  struct tide_error *err)
{
	*out = NULL;
	if (is_gzip(head, n))
		*out = open_gzip();
	else if (is_zstd(head, n))
		*out = open_zstd();
	else if (is_xz(head, n))
		*out = open_xz();
	else
		return 0;
	return *out ? 0 : tide_fail(err, -ENOMEM, "out of memory for decompression");
}
