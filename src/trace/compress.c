#include "compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "output.h"

#define GZIP_WINDOW_BITS (16 + MAX_WBITS)
#define OUT_BYTES ((size_t)1 << 17)

struct td_trace_encoder {
	ZSTD_CCtx *zstd; /* NULL: gzip */
	z_stream gzip;
	bool gzip_open;
	unsigned char out[OUT_BYTES];
};

bool td_trace_ends_with(const char *name, size_t n, const char *ending)
{
	size_t m = strlen(ending);

	return n > m && !strncasecmp(name + n - m, ending, m);
}

/* Libraries get their memory from the malloc() that is called here. In a program that is recorded
 * theirs could be another one, whose memory is paged. */
static void *take(void *opaque, size_t bytes)
{
	(void)opaque;
	return malloc(bytes);
}

static void *take_items(void *opaque, unsigned n, unsigned each)
{
	(void)opaque;
	return calloc(n, each);
}

static void give(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}

struct ZSTD_CCtx_s *td_trace_zstd(void)
{
	return ZSTD_createCCtx_advanced((ZSTD_customMem){take, give, NULL});
}

int td_trace_encoder_open(struct td_trace_encoder **out, const char *path, struct tide_error *err)
{
	size_t n = strlen(path);
	bool gz = td_trace_ends_with(path, n, ".gz");
	struct td_trace_encoder *e;

	*out = NULL;
	if (td_trace_ends_with(path, n, ".xz"))
		return tide_fail(err, -ENOTSUP,
				 "%s cannot be written, since tide only reads xz: name it .zst "
				 "or .gz",
				 path);
	if (!gz && !td_trace_ends_with(path, n, ".zst"))
		return 0;
	e = calloc(1, sizeof *e);
	if (e) {
		e->gzip.zalloc = take_items;
		e->gzip.zfree = give;
	}
	if (e && gz)
		e->gzip_open = deflateInit2(&e->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
					    GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
	else if (e && (e->zstd = td_trace_zstd()))
		ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_checksumFlag, 1);
	if (!e || (!e->gzip_open && !e->zstd)) {
		td_trace_encoder_close(e);
		return tide_fail(err, -ENOMEM, "out of memory to write %s", path);
	}
	*out = e;
	return 0;
}

static int encode_gzip(struct td_trace_encoder *e, int fd, const unsigned char *from, size_t n,
		       bool last)
{
	int rc = 0;

	e->gzip.next_in = (unsigned char *)from;
	e->gzip.avail_in = (uInt)n;
	do {
		e->gzip.next_out = e->out;
		e->gzip.avail_out = OUT_BYTES;
		deflate(&e->gzip, last ? Z_FINISH : Z_NO_FLUSH);
		rc = td_trace_write_all(fd, e->out, OUT_BYTES - e->gzip.avail_out);
	} while (!rc && !e->gzip.avail_out);
	return rc;
}

static int encode_zstd(struct td_trace_encoder *e, int fd, const unsigned char *from, size_t n,
		       bool last)
{
	ZSTD_inBuffer in = {from, n, 0};
	size_t left;
	int rc = 0;

	do {
		ZSTD_outBuffer out = {e->out, OUT_BYTES, 0};

		left = ZSTD_compressStream2(e->zstd, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		rc = td_trace_write_all(fd, e->out, out.pos);
	} while (!rc && (last ? left != 0 : in.pos < in.size));
	return rc;
}

int td_trace_encode(struct td_trace_encoder *e, int fd, const unsigned char *from, size_t n,
		    bool last)
{
	return e->zstd ? encode_zstd(e, fd, from, n, last) : encode_gzip(e, fd, from, n, last);
}

void td_trace_encoder_close(struct td_trace_encoder *e)
{
	if (!e)
		return;
	ZSTD_freeCCtx(e->zstd);
	if (e->gzip_open)
		deflateEnd(&e->gzip);
	free(e);
}
