/* Reads the tide format frame by frame: checks a frame, and decodes it straight into batches. */
#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "bytes.h"
#include "reader.h"
#include "tide_objects.h"
#include "writer.h"

struct tide_reader {
	struct td_trace_reader head;
	ZSTD_DCtx *zstd;
	unsigned char *stored, *raw; /* a frame as it is in the file, and decompressed */
	uint32_t frame_events;       /* in every frame but the last */
	unsigned flags;              /* of the header */
	uint32_t n, i;               /* events of this frame, and those handed out */
	struct td_trace_column pages, refs, streams;
	const unsigned char *writes; /* bitmap */
	struct td_trace_objects objects;
	unsigned columns;        /* this frame's */
	unsigned may_have;       /* columns that some frame has, as far as is known */
	struct tide_mark *marks; /* this frame's; room only where there are some */
	uint32_t marks_n, marks_i;
	bool full;     /* the last frame was, as all before it */
	uint64_t read; /* events of all frames up to this one */
	uint64_t frames;
	bool ended;        /* the end was read */
	uint64_t index_at; /* files only; 0: not known */
};

static int fail_damaged(struct tide_reader *t, struct tide_error *err)
{
	return tide_fail(err, -EBADMSG, "%s is damaged after access %lu: get an intact copy",
			 t->head.in->name, (unsigned long)t->read);
}

static int take(struct tide_reader *t, void *to, size_t n, struct tide_error *err)
{
	size_t got;
	int rc = td_trace_input_take(t->head.in, to, n, &got, err);

	if (!rc && got < n)
		rc = tide_fail(err, -EBADMSG, "%s is cut off after access %lu: get the whole file",
			       t->head.in->name, (unsigned long)t->read);
	return rc;
}

static int take_header(struct tide_reader *t, struct tide_error *err)
{
	unsigned char h[HEAD_BYTES];
	const char *name = t->head.in->name;
	size_t there = (size_t)(t->head.in->end - t->head.in->at);
	unsigned version;
	int rc;

	if (memcmp(t->head.in->at, TIDE_MAGIC, there < 8 ? there : 8) != 0)
		return tide_fail(err, -EBADMSG,
				 "%s is no tide trace, its first bytes are wrong: say "
				 "its format with `format`",
				 name);
	rc = take(t, h, sizeof h, err);
	if (rc)
		return rc;
	version = load16(h + HEAD_VERSION);
	if (version > TIDE_VERSION_NUMBER)
		return tide_fail(err, -ENOTSUP,
				 "%s is a tide trace of version %u and this program "
				 "reads up to %d: use a newer tide",
				 name, version, TIDE_VERSION_NUMBER);
	t->frame_events = load32(h + HEAD_EVENTS);
	t->flags = load16(h + HEAD_FLAGS);
	if (!version || t->flags > (version == 1 ? WITH_MARKS : WITH_ALL) || !t->frame_events ||
	    t->frame_events > MOST_EVENTS || load64(h + HEAD_SUM) != XXH3_64bits(h, HEAD_SUM))
		return tide_fail(err, -EBADMSG, "%s has a damaged header: get an intact copy",
				 name);
	return 0;
}

static size_t most_raw(const struct tide_reader *t)
{
	return t->flags ? MOST_RAW_ALL(t->frame_events) : MOST_RAW(t->frame_events);
}

/* All sizes that a frame's head may say, before anything relies on them. */
static bool head_is_sane(const struct tide_reader *t, const unsigned char *h)
{
	uint32_t n = load32(h + FRAME_EVENTS), raw = load32(h + FRAME_RAW);
	uint32_t stored = load32(h + FRAME_STORED);
	static const unsigned char zero[FRAME_SUM - FRAME_ZERO];

	if (n > t->frame_events || load64(h + FRAME_FIRST) != t->read || (t->frames && !t->full) ||
	    h[FRAME_COLUMNS] & ~t->may_have || memcmp(h + FRAME_ZERO, zero, sizeof zero) != 0)
		return false;
	if (!n && h[FRAME_COLUMNS] != HAS_MARKS)
		return false;
	if (!raw || raw > most_raw(t))
		return false;
	return h[FRAME_CODEC] == CODEC_RAW ? stored == raw
					   : h[FRAME_CODEC] == CODEC_ZSTD && stored && stored < raw;
}

static int open_columns(struct tide_reader *t, const unsigned char *raw, size_t bytes)
{
	const unsigned char *p = raw, *end = raw + bytes;
	int rc = t->n ? td_trace_column_open(&t->pages, &p, end, t->n) : 0;

	if (!rc && t->columns & HAS_WRITES)
		rc = td_trace_bitmap_open(&t->writes, &p, end, t->n);
	if (!rc && t->columns & HAS_REFS)
		rc = td_trace_column_open(&t->refs, &p, end, t->n);
	if (!rc && t->columns & HAS_STREAMS)
		rc = td_trace_column_open(&t->streams, &p, end, t->n);
	t->marks_n = t->marks_i = 0;
	if (!rc && t->columns & HAS_MARKS)
		rc = td_trace_marks_read(t->marks, &t->marks_n, &p, end, t->n);
	if (!rc)
		rc = td_trace_objects_open(&t->objects, t->columns, &p, end, t->n);
	return rc || p != end ? -EBADMSG : 0;
}

static int take_payload(struct tide_reader *t, const unsigned char *h, struct tide_error *err)
{
	size_t raw = load32(h + FRAME_RAW), stored = load32(h + FRAME_STORED);
	const unsigned char *payload = t->stored;
	int rc = take(t, t->stored, stored, err);

	if (rc)
		return rc;
	if (XXH3_64bits_withSeed(t->stored, stored, XXH3_64bits(h, FRAME_SUM)) !=
	    load64(h + FRAME_SUM))
		return fail_damaged(t, err);
	if (h[FRAME_CODEC] == CODEC_ZSTD) {
		payload = t->raw;
		if (ZSTD_decompressDCtx(t->zstd, t->raw, raw, t->stored, stored) != raw)
			return fail_damaged(t, err);
	}
	t->n = load32(h + FRAME_EVENTS);
	t->i = 0;
	t->columns = h[FRAME_COLUMNS];
	if (open_columns(t, payload, raw)) {
		t->n = t->marks_n = 0;
		return fail_damaged(t, err);
	}
	t->full = t->n == t->frame_events || t->marks_n == MOST_MARKS;
	t->read += t->n;
	t->frames++;
	t->head.refs |= (t->columns & HAS_REFS) != 0;
	t->head.streams |= (t->columns & HAS_STREAMS) != 0;
	return 0;
}

static bool end_is_sane(const unsigned char *e)
{
	uint64_t accesses = load64(e + END_ACCESSES);

	return load32(e) == END_TAG && load64(e + END_SUM) == XXH3_64bits(e, END_SUM) &&
	       load32(e + END_COLUMNS) <= HAS_ALL && !memcmp(e + END_MAGIC, TIDE_MAGIC, 8) &&
	       accesses && load64(e + END_PAGES) <= accesses &&
	       load64(e + END_FRAMES) > (accesses - 1) / MOST_EVENTS;
}

/* The index, of which `head` was read, is of no use here; then the end, and nothing more. */
static int take_end(struct tide_reader *t, const unsigned char *head, struct tide_error *err)
{
	unsigned char e[END_BYTES], offset[8], more;
	size_t got;
	int rc = 0;

	if (load32(head + 4) || load64(head + INDEX_COUNT) != t->frames)
		return fail_damaged(t, err);
	for (uint64_t i = 0; i < t->frames && !rc; i++)
		rc = take(t, offset, sizeof offset, err);
	if (!rc)
		rc = take(t, e, sizeof e, err);
	if (!rc)
		rc = td_trace_input_take(t->head.in, &more, 1, &got, err);
	if (rc)
		return rc;
	if (got || !end_is_sane(e) || load64(e + END_ACCESSES) != t->read ||
	    load64(e + END_FRAMES) != t->frames)
		return fail_damaged(t, err);
	t->ended = true;
	return 0;
}

static int take_frame(struct tide_reader *t, struct tide_error *err)
{
	unsigned char h[FRAME_BYTES];
	int rc = take(t, h, INDEX_BYTES, err);

	if (rc)
		return rc;
	if (load32(h) == INDEX_TAG)
		return take_end(t, h, err);
	if (load32(h) != FRAME_TAG)
		return fail_damaged(t, err);
	rc = take(t, h + INDEX_BYTES, FRAME_BYTES - INDEX_BYTES, err);
	if (rc)
		return rc;
	return head_is_sane(t, h) ? take_payload(t, h, err) : fail_damaged(t, err);
}

/* The file said how high pages go, and others may rely on it. */
static bool beyond(const uint64_t *pages, uint32_t n, uint64_t last)
{
	bool over = false;

	for (uint32_t i = 0; i < n; i++)
		over |= pages[i] > last;
	return over;
}

static int decode(struct tide_reader *t, struct tide_batch *batch, uint32_t n)
{
	uint32_t at = batch->n;

	td_trace_column_read(&t->pages, batch->page + at, n);
	if (beyond(batch->page + at, n, t->head.source.facts.last_page))
		return -EBADMSG;
	if (t->columns & HAS_WRITES)
		td_trace_column_bits(batch->write + at, t->writes, t->i, n);
	else
		memset(batch->write + at, 0, n);
	if (t->columns & HAS_REFS)
		td_trace_column_read(&t->refs, batch->ref + at, n);
	if (t->columns & HAS_STREAMS)
		td_trace_column_read(&t->streams, batch->stream + at, n);
	if (batch->object)
		td_trace_objects_read(&t->objects, t->flags, t->i, batch->object, at, n);
	t->i += n;
	batch->n += n;
	return 0;
}

/* Marks go with the event behind them, or at the end of the frame with the one before. */
static void give_marks(struct tide_reader *t, struct tide_batch *batch, uint32_t events)
{
	struct tide_mark *marks = t->marks + t->marks_i;
	uint32_t n = 0, rest = t->marks_n - t->marks_i;

	for (; n < rest && (marks[n].at < t->i + events || t->i + events == t->n); n++)
		marks[n].at = marks[n].at - t->i + batch->n;
	batch->marks = n ? marks : NULL;
	batch->marks_n = n;
	t->marks_i += n;
}

/* Marks lie where their frame is, so those of one frame end a batch. */
static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	struct tide_reader *t = (struct tide_reader *)r;

	while (batch->n < max && !batch->marks_n && !t->ended) {
		uint32_t n = t->n - t->i, room = max - batch->n;

		if (!n && t->marks_i == t->marks_n) {
			int rc = take_frame(t, err);
			if (rc)
				return rc;
			continue;
		}
		n = n < room ? n : room;
		if (t->marks_i < t->marks_n)
			give_marks(t, batch, n);
		if (decode(t, batch, n)) {
			batch->marks_n = 0; /* they belong to events that are not there */
			return fail_damaged(t, err);
		}
	}
	return 0;
}

/* The facts at the end of a file, so that nobody needs a pass over it to know them. */
static int look_at_end(struct tide_reader *t, struct tide_error *err)
{
	struct td_trace_input *in = t->head.in;
	struct td_trace_facts *facts = &t->head.source.facts;
	unsigned char e[END_BYTES];
	int rc;

	if (in->raw_bytes < HEAD_BYTES + END_BYTES)
		return tide_fail(err, -EBADMSG, "%s is cut off: get the whole file", in->name);
	rc = td_trace_input_pread(in, in->raw_bytes - END_BYTES, e, sizeof e, err);
	if (rc)
		return rc;
	if (!end_is_sane(e) || load64(e + END_FRAMES) > in->raw_bytes / FRAME_BYTES ||
	    load32(e + END_COLUMNS) & ~t->may_have)
		return tide_fail(err, -EBADMSG,
				 "%s is cut off or damaged, its end is missing: get "
				 "the whole file",
				 in->name);
	t->index_at = load64(e + END_INDEX);
	t->may_have = load32(e + END_COLUMNS);
	facts->accesses = load64(e + END_ACCESSES);
	facts->pages = load64(e + END_PAGES);
	facts->last_page = load64(e + END_LAST_PAGE);
	facts->refs = (load32(e + END_COLUMNS) & HAS_REFS) != 0;
	return 0;
}

static int allocate(struct tide_reader *t, struct tide_error *err)
{
	size_t bytes = most_raw(t) + TD_TRACE_COLUMN_SLACK;

	t->zstd = ZSTD_createDCtx();
	t->stored = calloc(1, bytes);
	t->raw = calloc(1, bytes);
	if (t->head.source.marks)
		t->marks = malloc(MOST_MARKS * sizeof *t->marks);
	if (!t->zstd || !t->stored || !t->raw || !t->marks != !t->head.source.marks)
		return tide_fail(err, -ENOMEM, "out of memory to read %s", t->head.in->name);
	return 0;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	struct tide_reader *t = (struct tide_reader *)r;
	int rc = take_header(t, err);

	(void)options;
	t->may_have = td_trace_tide_columns(t->flags);
	r->source.marks = t->flags & WITH_MARKS;
	r->source.groups = t->flags & WITH_GROUPS;
	r->source.sizes = t->flags & WITH_SIZES;
	r->source.costs = t->flags & WITH_COSTS;
	if (!rc)
		rc = allocate(t, err);
	if (!rc && td_trace_input_random(r->in))
		rc = look_at_end(t, err);
	return rc;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	struct tide_reader *t = (struct tide_reader *)r;

	uint32_t frame_events = t->frame_events;
	unsigned flags = t->flags;
	int rc;

	t->n = t->i = t->marks_n = t->marks_i = 0;
	t->read = t->frames = 0;
	t->ended = false;
	rc = take_header(t, err);
	/* There is room for what it said when it was opened. */
	if (!rc && (t->frame_events != frame_events || t->flags != flags))
		rc = fail_damaged(t, err);
	return rc;
}

/* To the start of the frame that holds the event; the frame itself proves the index right. Marks
 * say nothing without those before them, and so are read from the first. */
static int seek(struct td_trace_reader *r, uint64_t event, struct tide_error *err)
{
	struct tide_reader *t = (struct tide_reader *)r;
	uint64_t accesses = r->source.facts.accesses, frame, at;
	unsigned char entry[8];
	int rc;

	if (r->source.marks)
		return 0;
	frame = (event < accesses ? event : accesses - 1) / t->frame_events;
	at = t->index_at + INDEX_BYTES + frame * 8;
	if (at < t->index_at || at > r->in->raw_bytes - END_BYTES - sizeof entry)
		return fail_damaged(t, err);
	rc = td_trace_input_pread(r->in, at, entry, sizeof entry, err);
	if (rc)
		return rc;
	if (load64(entry) > t->index_at)
		return fail_damaged(t, err);
	t->n = t->i = 0;
	t->ended = false;
	t->full = true;
	t->frames = frame;
	t->read = r->done = frame * t->frame_events;
	r->pending.code = 0;
	return td_trace_input_seek(r->in, load64(entry), err);
}

static void stop(struct td_trace_reader *r)
{
	struct tide_reader *t = (struct tide_reader *)r;

	ZSTD_freeDCtx(t->zstd);
	free(t->stored);
	free(t->raw);
	free(t->marks);
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	(void)bytes;
	return n >= 8 && !memcmp(head, TIDE_MAGIC, 8);
}

static const char *const endings[] = {".tide", NULL};

const struct td_trace_format td_trace_format_tide = {
	.name = "tide",
	.listed = 10,
	.tried = 10,
	.endings = endings,
	.reader_bytes = sizeof(struct tide_reader),
	.start = start,
	.restart = restart,
	.next = next,
	.seek = seek,
	.stop = stop,
	.looks = looks,
	.sink = &td_trace_tide_sink,
};
