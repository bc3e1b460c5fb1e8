#include "decompress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_WINDOW_BITS (16 + MAX_WBITS)

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

int td_trace_decoder_open(struct td_trace_decoder **out, const unsigned char *head, size_t n,
			  struct tide_error *err)
{
	*out = NULL;
	if (is_gzip(head, n))
		*out = open_gzip();
	else if (is_zstd(head, n))
		*out = open_zstd();
	else
		return 0;
	return *out ? 0 : tide_fail(err, -ENOMEM, "out of memory for decompression");
}
