/* Writes the tide format. */
#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "bytes.h"
#include "compress.h"
#include "pagemap.h"
#include "tide_layout.h"
#include "writer.h"

#define TRIAL_LEVEL 1
#define LEVEL 3

struct tide_writer {
	struct td_trace_writer head;
	struct td_trace_pagemap seen;
	ZSTD_CCtx *zstd;
	uint64_t *page, *ref, *stream;  /* the frame being filled */
	uint64_t *bytes, *cost;         /* NULL: there are no objects */
	unsigned char *writes, *firsts; /* bitmaps */
	uint32_t n;
	struct td_trace_marks marks; /* of this frame; room only once there is one */
	bool marked, begun;          /* it has marks; its header is written */
	unsigned columns;            /* of this frame */
	unsigned all_columns;        /* of all frames */
	uint64_t accesses, last_page;
	uint64_t *offsets; /* of the frames */
	size_t frames, room;
	unsigned char *raw, *other, *packed; /* the frame coded, a trial, and compressed */
	size_t packed_bytes;
};

static int fail_memory(struct tide_writer *t, struct tide_error *err)
{
	return tide_fail(err, -ENOMEM, "out of memory to write %s",
			 td_trace_output_name(t->head.out));
}

static int start(struct td_trace_writer *w, struct tide_error *err)
{
	struct tide_writer *t = (struct tide_writer *)w;

	t->packed_bytes = ZSTD_compressBound(MOST_RAW_ALL(MOST_EVENTS));
	t->zstd = td_trace_zstd();
	t->page = malloc(3 * MOST_EVENTS * sizeof *t->page);
	t->writes = calloc(1, MOST_EVENTS / 8);
	t->raw = malloc(MOST_RAW_ALL(MOST_EVENTS));
	t->other = malloc(MOST_RAW_ALL(MOST_EVENTS));
	t->packed = malloc(t->packed_bytes);
	if (td_trace_pagemap_init(&t->seen) || !t->zstd || !t->page || !t->writes || !t->raw ||
	    !t->other || !t->packed)
		return fail_memory(t, err);
	t->ref = t->page + MOST_EVENTS;
	t->stream = t->ref + MOST_EVENTS;
	return 0;
}

static unsigned flags_of(const struct tide_writer *t)
{
	const struct td_trace_writer *w = &t->head;

	return (t->marked ? WITH_MARKS : 0u) | (w->groups ? WITH_GROUPS : 0u) |
	       (w->sizes ? WITH_SIZES : 0u) | (w->costs ? WITH_COSTS : 0u);
}

/* Only once it is known whether there are marks. A reader that knows version 1 alone must not take
 * a trace for one without groups, sizes and costs. */
static int put_header(struct tide_writer *t, struct tide_error *err)
{
	unsigned char h[HEAD_BYTES] = TIDE_MAGIC;

	t->begun = true;
	store16(h + HEAD_VERSION, flags_of(t) > WITH_MARKS ? TIDE_VERSION_NUMBER : 1);
	store16(h + HEAD_FLAGS, (uint16_t)flags_of(t));
	store32(h + HEAD_EVENTS, MOST_EVENTS);
	store64(h + HEAD_SUM, XXH3_64bits(h, HEAD_SUM));
	return td_trace_output_put(t->head.out, h, sizeof h, err);
}

/* What zstd makes of it; as it is, where zstd gains less than a tenth. */
static size_t squeeze(struct tide_writer *t, const unsigned char *from, size_t n, int level)
{
	size_t got = ZSTD_compressCCtx(t->zstd, t->packed, t->packed_bytes, from, n, level);

	return ZSTD_isError(got) || got > n - n / 10 ? n : got;
}

/* Puts the column at `to` in the coding that ends up smaller. Packed decodes faster, so the
 * other must win by a tenth. */
static size_t put_column(struct tide_writer *t, unsigned char *to, const uint64_t *from, uint32_t n)
{
	size_t packed = td_trace_column_encode(to, TD_TRACE_PACKED, from, n);
	size_t delta = td_trace_column_encode(t->other, TD_TRACE_DELTA, from, n);
	size_t packed_end = squeeze(t, to, packed, TRIAL_LEVEL);
	size_t delta_end = squeeze(t, t->other, delta, TRIAL_LEVEL);

	if (delta_end >= packed_end - packed_end / 10)
		return packed;
	memcpy(to, t->other, delta);
	return delta;
}

static unsigned char *code_marks(struct tide_writer *t, unsigned char *p)
{
	const struct td_trace_marks *m = &t->marks;

	store32(p, m->n);
	p += 4;
	p += put_column(t, p, m->when, m->n);
	p += put_column(t, p, m->page, m->n);
	return p + put_column(t, p, m->pages, m->n);
}

static size_t code_frame(struct tide_writer *t)
{
	unsigned char *p = t->raw;

	if (t->n)
		p += put_column(t, p, t->page, t->n);
	if (t->columns & HAS_WRITES) {
		memcpy(p, t->writes, (t->n + 7) / 8);
		p += (t->n + 7) / 8;
	}
	if (t->columns & HAS_REFS)
		p += put_column(t, p, t->ref, t->n);
	if (t->columns & HAS_STREAMS)
		p += put_column(t, p, t->stream, t->n);
	if (t->columns & HAS_MARKS)
		p = code_marks(t, p);
	if (t->columns & HAS_GROUPS) {
		memcpy(p, t->firsts, (t->n + 7) / 8);
		p += (t->n + 7) / 8;
	}
	if (t->columns & HAS_SIZES)
		p += put_column(t, p, t->bytes, t->n);
	if (t->columns & HAS_COSTS)
		p += put_column(t, p, t->cost, t->n);
	return (size_t)(p - t->raw);
}

static int note_offset(struct tide_writer *t)
{
	if (t->frames == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		uint64_t *more = realloc(t->offsets, room * sizeof *more);

		if (!more)
			return -ENOMEM;
		t->offsets = more;
		t->room = room;
	}
	t->offsets[t->frames++] = td_trace_output_bytes(t->head.out);
	return 0;
}

static int put_frame(struct tide_writer *t, struct tide_error *err)
{
	unsigned char h[FRAME_BYTES] = {0};
	size_t raw = code_frame(t), stored = squeeze(t, t->raw, raw, LEVEL);
	const unsigned char *payload = stored < raw ? t->packed : t->raw;
	int rc = t->begun ? 0 : put_header(t, err);

	if (rc)
		return rc;
	if (note_offset(t) || td_trace_pagemap_add(&t->seen, t->page, t->n))
		return fail_memory(t, err);
	store32(h, FRAME_TAG);
	store32(h + FRAME_EVENTS, t->n);
	store64(h + FRAME_FIRST, t->accesses);
	store32(h + FRAME_RAW, (uint32_t)raw);
	store32(h + FRAME_STORED, (uint32_t)stored);
	h[FRAME_CODEC] = stored < raw ? CODEC_ZSTD : CODEC_RAW;
	h[FRAME_COLUMNS] = (unsigned char)t->columns;
	store64(h + FRAME_SUM, XXH3_64bits_withSeed(payload, stored, XXH3_64bits(h, FRAME_SUM)));
	rc = td_trace_output_put(t->head.out, h, sizeof h, err);
	if (!rc)
		rc = td_trace_output_put(t->head.out, payload, stored, err);
	t->accesses += t->n;
	t->all_columns |= t->columns;
	t->n = t->marks.n = t->columns = 0;
	memset(t->writes, 0, MOST_EVENTS / 8);
	if (t->firsts)
		memset(t->firsts, 0, MOST_EVENTS / 8);
	return rc;
}

static int make_room_for_objects(struct tide_writer *t)
{
	t->bytes = malloc(2 * MOST_EVENTS * sizeof *t->bytes);
	t->firsts = calloc(1, MOST_EVENTS / 8);
	t->cost = t->bytes + MOST_EVENTS;
	return t->bytes && t->firsts ? 0 : -ENOMEM;
}

static void add_objects(struct tide_writer *t, const struct tide_batch_object *o, uint32_t from,
			uint32_t n)
{
	const struct td_trace_writer *w = &t->head;
	uint64_t sizes = 0, costs = 0;

	memcpy(t->bytes + t->n, o->bytes + from, n * sizeof *o->bytes);
	memcpy(t->cost + t->n, o->cost + from, n * sizeof *o->cost);
	for (uint32_t i = 0; i < n; i++) {
		sizes |= o->bytes[from + i];
		costs |= o->cost[from + i];
		if (w->groups && o->first[from + i]) {
			t->firsts[(t->n + i) / 8] |= (unsigned char)(1 << (t->n + i) % 8);
			t->columns |= HAS_GROUPS;
		}
	}
	t->columns |= (w->sizes && sizes ? HAS_SIZES : 0u) | (w->costs && costs ? HAS_COSTS : 0u);
}

static void add(struct tide_writer *t, const struct tide_batch *b, uint32_t from, uint32_t n)
{
	uint64_t last = t->last_page, refs = 0, streams = 0;

	if (t->bytes)
		add_objects(t, b->object, from, n);
	memcpy(t->page + t->n, b->page + from, n * sizeof *b->page);
	memcpy(t->ref + t->n, b->ref + from, n * sizeof *b->ref);
	memcpy(t->stream + t->n, b->stream + from, n * sizeof *b->stream);
	for (uint32_t i = from; i < from + n; i++, t->n++) {
		last = b->page[i] > last ? b->page[i] : last;
		refs |= b->ref[i];
		streams |= b->stream[i];
		if (b->write[i]) {
			t->writes[t->n / 8] |= (unsigned char)(1 << t->n % 8);
			t->columns |= HAS_WRITES;
		}
	}
	t->last_page = last;
	t->columns |= (refs ? HAS_REFS : 0u) | (streams ? HAS_STREAMS : 0u);
}

static int put(struct td_trace_writer *w, const struct tide_batch *batch, uint32_t from,
	       uint32_t end, struct tide_error *err)
{
	struct tide_writer *t = (struct tide_writer *)w;
	int rc = 0;

	if (flags_of(t) > WITH_MARKS && !t->bytes && make_room_for_objects(t))
		return fail_memory(t, err);
	for (uint32_t i = from; i < end && !rc;) {
		uint32_t room = MOST_EVENTS - t->n, n = end - i < room ? end - i : room;

		add(t, batch, i, n);
		i += n;
		if (t->n == MOST_EVENTS)
			rc = put_frame(t, err);
	}
	return rc;
}

static int mark(struct td_trace_writer *w, const struct tide_mark *mark, struct tide_error *err)
{
	struct tide_writer *t = (struct tide_writer *)w;
	int rc = 0;

	if (!t->marked && (t->accesses || t->n))
		return tide_fail(err, -EINVAL,
				 "%s begins with accesses and cannot have marks: begin with a map",
				 td_trace_output_name(w->out));
	if (!t->marked && td_trace_marks_init(&t->marks))
		return fail_memory(t, err);
	t->marked = true;
	td_trace_marks_add(&t->marks, mark, t->n);
	t->columns |= HAS_MARKS;
	if (t->marks.n == MOST_MARKS)
		rc = put_frame(t, err);
	return rc;
}

static int put_index(struct tide_writer *t, struct tide_error *err)
{
	unsigned char h[INDEX_BYTES] = {0}, offset[8];
	int rc;

	store32(h, INDEX_TAG);
	store64(h + INDEX_COUNT, t->frames);
	rc = td_trace_output_put(t->head.out, h, sizeof h, err);
	for (size_t i = 0; i < t->frames && !rc; i++) {
		store64(offset, t->offsets[i]);
		rc = td_trace_output_put(t->head.out, offset, sizeof offset, err);
	}
	return rc;
}

static int finish(struct td_trace_writer *w, struct tide_error *err)
{
	static const unsigned char magic[8] = TIDE_MAGIC;
	struct tide_writer *t = (struct tide_writer *)w;
	unsigned char e[END_BYTES];
	uint64_t index_at;
	int rc = t->n || t->marks.n ? put_frame(t, err) : 0;

	index_at = td_trace_output_bytes(w->out);
	if (!rc)
		rc = put_index(t, err);
	if (rc)
		return rc;
	store32(e, END_TAG);
	store32(e + END_COLUMNS, t->all_columns);
	store64(e + END_ACCESSES, t->accesses);
	store64(e + END_PAGES, td_trace_pagemap_pages(&t->seen));
	store64(e + END_LAST_PAGE, t->last_page);
	store64(e + END_FRAMES, t->frames);
	store64(e + END_INDEX, index_at);
	store64(e + END_SUM, XXH3_64bits(e, END_SUM));
	memcpy(e + END_MAGIC, magic, sizeof magic);
	return td_trace_output_put(w->out, e, sizeof e, err);
}

static void stop(struct td_trace_writer *w)
{
	struct tide_writer *t = (struct tide_writer *)w;

	td_trace_pagemap_free(&t->seen);
	ZSTD_freeCCtx(t->zstd);
	free(t->page);
	free(t->marks.when);
	free(t->bytes);
	free(t->writes);
	free(t->firsts);
	free(t->offsets);
	free(t->raw);
	free(t->other);
	free(t->packed);
}

const struct td_trace_sink td_trace_tide_sink = {
	.holds_marks = true,
	.holds_groups = true,
	.holds_sizes = true,
	.holds_costs = true,
	.writer_bytes = sizeof(struct tide_writer),
	.start = start,
	.put = put,
	.mark = mark,
	.finish = finish,
	.stop = stop,
};

int td_trace_create_tide(struct td_trace_writer **out, const char *path, struct tide_error *err)
{
	return td_trace_create_as(out, path, &td_trace_tide_sink, err);
}
