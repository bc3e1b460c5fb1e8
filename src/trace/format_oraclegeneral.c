/* oraclegeneral: records of 24 bytes, from libCacheSim. Each record says when the object is
 * requested next. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "input.h"
#include "pagemap.h"
#include "reader.h"
#include "writer.h"

enum { TIME_AT = 0, PAGE_AT = 4, SIZE_AT = 12, NEXT_AT = 16, RECORD_BYTES = 24 };

static void take_sizes(const unsigned char *p, uint64_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = load32(p + i * RECORD_BYTES);
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	while (batch->n < max) {
		const unsigned char *p;
		size_t n;
		int rc = td_trace_records(r, RECORD_BYTES, &n, err);

		if (rc || !n)
			return rc;
		if (n > max - batch->n)
			n = max - batch->n;
		if (batch->object)
			take_sizes(r->in->at + SIZE_AT, batch->object->bytes + batch->n, n);
		p = r->in->at + PAGE_AT;
		for (size_t i = 0; i < n; i++)
			batch->page[batch->n + i] = load64(p + i * RECORD_BYTES);
		memset(batch->write + batch->n, 0, n);
		batch->n += (uint32_t)n;
		r->line += n;
		r->in->at += n * RECORD_BYTES;
	}
	return 0;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	(void)options;
	(void)err;
	r->source.facts.refs = 0;
	r->source.sizes = true;
	if (td_trace_input_random(r->in) && r->in->raw_bytes % RECORD_BYTES == 0)
		r->source.facts.accesses = r->in->raw_bytes / RECORD_BYTES;
	return 0;
}

static int seek(struct td_trace_reader *r, uint64_t event, struct tide_error *err)
{
	uint64_t records = r->in->raw_bytes / RECORD_BYTES;
	int rc;

	if (event > records)
		event = records;
	rc = td_trace_input_seek(r->in, event * RECORD_BYTES, err);
	r->done = r->line = event;
	r->pending.code = 0;
	return rc;
}

/* The future must lie ahead and time must not go back: chance does not look like this. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	size_t records = n / RECORD_BYTES;
	uint32_t time = 0;

	if (bytes % RECORD_BYTES)
		return false;
	for (size_t i = 0; i < records; i++) {
		const unsigned char *p = head + i * RECORD_BYTES;
		uint64_t then = load64(p + NEXT_AT);

		if (load32(p + TIME_AT) < time || (then != UINT64_MAX && then <= i + 1))
			return false;
		if (bytes && then != UINT64_MAX && then > bytes / RECORD_BYTES)
			return false;
		time = load32(p + TIME_AT);
	}
	return records > 0;
}

/* ---- writing ----
 *
 * A record is complete only when its page comes again, so records wait in a mapped temporary
 * file; the map of pages remembers each page's last record. */

#define GROW_RECORDS ((size_t)1 << 20)

struct oracle_writer {
	struct td_trace_writer head;
	struct td_trace_pagemap last;
	int fd;
	unsigned char *records; /* mapped */
	size_t room;            /* records that fit */
	uint64_t n;
};

static int fail_keep(struct oracle_writer *o, int code, struct tide_error *err)
{
	return tide_fail(
		err, code,
		"cannot keep the records of %s in a temporary file: %s: give it another folder",
		td_trace_output_name(o->head.out), strerror(-code));
}

/* Blocks are reserved first: a store to a mapped file on a full disk would be a signal. */
static int grow(struct oracle_writer *o)
{
	size_t room = o->room ? o->room * 2 : GROW_RECORDS;
	int rc = posix_fallocate(o->fd, 0, (off_t)(room * RECORD_BYTES));
	void *map;

	if (rc)
		return -rc;
	if (o->records)
		map = mremap(o->records, o->room * RECORD_BYTES, room * RECORD_BYTES,
			     MREMAP_MAYMOVE);
	else
		map = mmap(NULL, room * RECORD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	o->records = map;
	o->room = room;
	return 0;
}

static int start_writing(struct td_trace_writer *w, struct tide_error *err)
{
	struct oracle_writer *o = (struct oracle_writer *)w;
	char *folder = td_trace_output_folder(w->out);
	int rc = folder ? td_trace_pagemap_init(&o->last) : -ENOMEM;

	o->fd = -1;
	if (!rc) {
		o->fd = td_trace_tmpfile(folder);
		rc = o->fd < 0 ? o->fd : grow(o);
	}
	free(folder);
	return rc ? fail_keep(o, rc, err) : 0;
}

/* There is no time in our events: 0 s. A size that is not known is 1, so that such objects count
 * alike; one above 32 bits is the largest that fits. */
static int put_one(struct oracle_writer *o, uint64_t page, uint64_t bytes)
{
	unsigned char *p;
	uint64_t before;
	int rc = o->n == o->room ? grow(o) : 0;

	if (rc)
		return rc;
	p = o->records + o->n++ * RECORD_BYTES;
	store32(p + TIME_AT, 0);
	store64(p + PAGE_AT, page);
	store32(p + SIZE_AT, !bytes ? 1 : bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX);
	store64(p + NEXT_AT, UINT64_MAX);
	rc = td_trace_pagemap_swap(&o->last, page, o->n, &before);
	if (!rc && before)
		store64(o->records + (before - 1) * RECORD_BYTES + NEXT_AT, o->n);
	return rc;
}

static int put(struct td_trace_writer *w, const struct tide_batch *batch, uint32_t from,
	       uint32_t end, struct tide_error *err)
{
	struct oracle_writer *o = (struct oracle_writer *)w;

	for (uint32_t i = from; i < end; i++) {
		int rc = put_one(o, batch->page[i],
				 batch->object && w->sizes ? batch->object->bytes[i] : 0);
		if (rc)
			return fail_keep(o, rc, err);
	}
	return 0;
}

static int finish(struct td_trace_writer *w, struct tide_error *err)
{
	struct oracle_writer *o = (struct oracle_writer *)w;

	return td_trace_output_put(w->out, o->records, o->n * RECORD_BYTES, err);
}

static void stop(struct td_trace_writer *w)
{
	struct oracle_writer *o = (struct oracle_writer *)w;

	if (o->records)
		munmap(o->records, o->room * RECORD_BYTES);
	if (o->fd > 0)
		close(o->fd);
	td_trace_pagemap_free(&o->last);
}

static const struct td_trace_sink sink = {
	.holds_sizes = true,
	.writer_bytes = sizeof(struct oracle_writer),
	.start = start_writing,
	.put = put,
	.finish = finish,
	.stop = stop,
};

static const char *const endings[] = {".oracleGeneral.bin", ".oracleGeneral", NULL};

const struct td_trace_format td_trace_format_oraclegeneral = {
	.name = "oraclegeneral",
	.listed = 40,
	.tried = 50,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.start = start,
	.next = next,
	.seek = seek,
	.looks = looks,
	.sink = &sink,
};
