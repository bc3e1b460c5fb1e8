/* vscsi: SCSI requests as VMware's vscsiStats records them, versions 1 and 2. */
#include <errno.h>

#include "bytes.h"
#include "reader.h"

/* Where the fields of a record are. */
struct layout {
	unsigned version;
	size_t record_bytes;
	size_t command_at, version_at, length_at, sector_at;
};

static const struct layout layouts[] = {
	{1, 32, 12, 14, 4, 16},
	{2, 40, 0, 2, 8, 16},
};

struct vscsi_reader {
	struct td_trace_reader head;
	const struct layout *layout;
};

static unsigned version_of(const struct layout *l, const unsigned char *record)
{
	return load16(record + l->version_at) >> 8;
}

/* All whole records among the first bytes must agree. */
static const struct layout *find_layout(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		const struct layout *l = &layouts[i];
		size_t at = 0;

		while (at + l->record_bytes <= n && version_of(l, head + at) == l->version)
			at += l->record_bytes;
		if (at && at + l->record_bytes > n)
			return l;
	}
	return NULL;
}

/* 0: a read, 1: a write, -1: a request that moves no data of the disk. */
static int op_of(uint16_t command)
{
	switch (command) {
	case 0x08:
	case 0x28:
	case 0x88:
	case 0xa8: return 0;
	case 0x0a:
	case 0x2a:
	case 0x8a:
	case 0xaa: return 1;
	default: return -1;
	}
}

static int take_record(struct vscsi_reader *v, struct tide_error *err)
{
	struct td_trace_reader *r = &v->head;
	const struct layout *l = v->layout;
	const unsigned char *p = r->in->at;
	int op = op_of(load16(p + l->command_at));

	r->line++;
	if (version_of(l, p) != l->version)
		return tide_fail(err, -EBADMSG,
				 "%s record %lu is not of version %u as the first "
				 "is: the file is damaged",
				 r->in->name, (unsigned long)r->line, l->version);
	r->in->at += l->record_bytes;
	if (op < 0)
		return 0;
	r->span.write = (uint8_t)op;
	if (td_trace_span_sectors(&r->span, load64(p + l->sector_at), load32(p + l->length_at),
				  r->page_bytes))
		return tide_fail(err, -ERANGE,
				 "%s record %lu: block number %lu is beyond 64-bit "
				 "addresses: the file is damaged",
				 r->in->name, (unsigned long)r->line,
				 (unsigned long)load64(p + l->sector_at));
	return 0;
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	struct vscsi_reader *v = (struct vscsi_reader *)r;

	td_trace_span_put(r, batch, max);
	while (batch->n < max) {
		size_t n;
		int rc = td_trace_records(r, v->layout->record_bytes, &n, err);

		if (rc || !n)
			return rc;
		for (; n && batch->n < max; n--) {
			rc = take_record(v, err);
			if (rc)
				return rc;
			td_trace_span_put(r, batch, max);
		}
	}
	return 0;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	struct vscsi_reader *v = (struct vscsi_reader *)r;
	size_t n = (size_t)(r->in->end - r->in->at), look = n < 80 ? n : 80;

	(void)options;
	r->source.by_page = true;
	r->source.facts.refs = 0;
	v->layout = find_layout(r->in->at, look);
	if (v->layout)
		return 0;
	if (n < layouts[0].record_bytes)
		return tide_fail(err, -EBADMSG,
				 "%s is cut off in record 1, which has %zu of %zu "
				 "bytes: get the whole file",
				 r->in->name, n, layouts[0].record_bytes);
	return tide_fail(err, -ENOTSUP,
			 "%s does not start with vscsi records of version 1 or 2: "
			 "say the right format with `format`",
			 r->in->name);
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const struct layout *l = find_layout(head, n);

	return l && bytes % l->record_bytes == 0;
}

static const char *const endings[] = {".vscsi", NULL};

const struct td_trace_format td_trace_format_vscsi = {
	.name = "vscsi",
	.listed = 50,
	.tried = 40,
	.endings = endings,
	.reader_bytes = sizeof(struct vscsi_reader),
	.start = start,
	.next = next,
	.looks = looks,
};
