/* lcs: libCacheSim's records behind a header, versions 1 to 8. */
#include <errno.h>

#include "bytes.h"
#include "reader.h"

#define MAGIC UINT64_C(0x123456789abcdef0) /* at both ends of the header */

enum { HEAD_VERSION = 8, HEAD_END = 8184, HEAD_BYTES = 8192 };

/* Where the fields of a record are; 0: there is no such field. The page is at 4 in all. */
enum { PAGE_AT = 4, SIZE_AT = 12 };
struct layout {
	uint8_t record_bytes, size_bytes, op_at;
};

static const struct layout layouts[] = {
	{24, 4, 0},  {28, 4, 16}, {36, 8, 20}, {40, 8, 20},
	{44, 8, 20}, {52, 8, 20}, {68, 8, 20}, {100, 8, 20},
};

struct lcs_reader {
	struct td_trace_reader head;
	const struct layout *layout;
};

/* What they are in libCacheSim: set, add, cas, replace, append, prepend, delete, incr, decr; write
 * and update. */
static bool writes(unsigned op)
{
	return (op >= 3 && op <= 11) || op == 13 || op == 14;
}

static void take_record(struct lcs_reader *l, const unsigned char *p, struct tide_batch *batch,
			uint32_t i)
{
	/* The op and the tenant share a word; tenants are numbered from 1 or are all 0. */
	uint32_t word = l->layout->op_at ? load32(p + l->layout->op_at) : 0;

	batch->page[i] = load64(p + PAGE_AT);
	batch->write[i] = writes(word & 0xff);
	if (word >> 8) {
		batch->stream[i] = word >> 8;
		l->head.streams = true;
	}
	if (batch->object)
		batch->object->bytes[i] =
			l->layout->size_bytes == 4 ? load32(p + SIZE_AT) : load64(p + SIZE_AT);
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	struct lcs_reader *l = (struct lcs_reader *)r;

	while (batch->n < max) {
		size_t n, each = l->layout->record_bytes;
		int rc = td_trace_records(r, each, &n, err);

		if (rc || !n)
			return rc;
		if (n > max - batch->n)
			n = max - batch->n;
		for (size_t i = 0; i < n; i++)
			take_record(l, r->in->at + i * each, batch, batch->n + (uint32_t)i);
		batch->n += (uint32_t)n;
		r->line += n;
		r->in->at += n * each;
	}
	return 0;
}

static int take_header(struct lcs_reader *l, struct tide_error *err)
{
	unsigned char h[HEAD_BYTES];
	const char *name = l->head.in->name;
	size_t got;
	uint64_t version;
	int rc = td_trace_input_take(l->head.in, h, sizeof h, &got, err);

	if (rc)
		return rc;
	if (got < sizeof h || load64(h) != MAGIC || load64(h + HEAD_END) != MAGIC)
		return tide_fail(err, -EBADMSG,
				 "%s has no lcs header of %d bytes: get the whole file, or say "
				 "its format with `format`",
				 name, HEAD_BYTES);
	version = load64(h + HEAD_VERSION);
	if (!version || version > sizeof layouts / sizeof *layouts)
		return tide_fail(err, -ENOTSUP,
				 "%s is an lcs trace of version %lu and versions 1 to 8 are known: "
				 "convert it with libCacheSim",
				 name, (unsigned long)version);
	l->layout = &layouts[version - 1];
	return 0;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	struct lcs_reader *l = (struct lcs_reader *)r;
	int rc = take_header(l, err);
	uint64_t bytes = r->in->raw_bytes;

	(void)options;
	r->source.sizes = true;
	r->source.facts.refs = 0;
	if (rc || !td_trace_input_random(r->in) || bytes < HEAD_BYTES)
		return rc;
	if ((bytes - HEAD_BYTES) % l->layout->record_bytes == 0)
		r->source.facts.accesses = (bytes - HEAD_BYTES) / l->layout->record_bytes;
	return 0;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	return take_header((struct lcs_reader *)r, err);
}

static int seek(struct td_trace_reader *r, uint64_t event, struct tide_error *err)
{
	uint64_t each = ((struct lcs_reader *)r)->layout->record_bytes;
	uint64_t bytes = r->in->raw_bytes,
		 records = bytes < HEAD_BYTES ? 0 : (bytes - HEAD_BYTES) / each;
	int rc;

	if (event > records)
		event = records;
	rc = td_trace_input_seek(r->in, HEAD_BYTES + event * each, err);
	r->done = r->line = event;
	r->pending.code = 0;
	return rc;
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	(void)bytes;
	return n >= 8 && load64(head) == MAGIC;
}

static const char *const endings[] = {".lcs", NULL};

const struct td_trace_format td_trace_format_lcs = {
	.name = "lcs",
	.listed = 42,
	.tried = 12,
	.endings = endings,
	.reader_bytes = sizeof(struct lcs_reader),
	.start = start,
	.restart = restart,
	.next = next,
	.seek = seek,
	.looks = looks,
};
