/* What all readers do alike: batches, rewinding, seeking, and errors at the right time. */
#include "reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512

/* A max below TIDE_BATCH lets a seek end in the middle of what would be one batch. */
static int pull(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	int rc;

	batch->n = batch->marks_n = 0;
	if (r->pending.code)
		return tide_fail(err, r->pending.code, "%s", r->pending.text);
	if (r->refs)
		memset(batch->ref, 0, sizeof batch->ref);
	if (r->streams)
		memset(batch->stream, 0, sizeof batch->stream);
	rc = r->format->next(r, batch, max, &r->pending);
	r->done += batch->n;
	r->source.bytes_done = r->in->raw_done;
	if (batch->n || batch->marks_n)
		return 0;
	if (rc)
		return tide_fail(err, rc, "%s", r->pending.text);
	if (!r->done)
		return tide_fail(err, -ENODATA,
				 "%s has no accesses: give a trace with at least one", r->in->name);
	return 0;
}

static int next(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err)
{
	return pull((struct td_trace_reader *)s, batch, TIDE_BATCH, err);
}

static int rewind_reader(struct td_trace_source *s, struct tide_error *err)
{
	struct td_trace_reader *r = (struct td_trace_reader *)s;
	int rc = td_trace_input_rewind(r->in, err);

	r->done = r->line = r->span.left = 0;
	r->pending.code = 0;
	if (!rc && r->format->restart)
		rc = r->format->restart(r, err);
	return rc;
}

static void close_reader(struct td_trace_source *s)
{
	struct td_trace_reader *r = (struct td_trace_reader *)s;

	if (r->format->stop)
		r->format->stop(r);
	td_trace_input_close(r->in);
	free(r);
}

static int skip(struct td_trace_reader *r, uint64_t event, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	int rc = batch ? 0 : tide_fail(err, -ENOMEM, "out of memory to read %s", r->in->name);

	while (!rc && r->done < event) {
		uint64_t left = event - r->done;

		rc = pull(r, batch, left < TIDE_BATCH ? (uint32_t)left : TIDE_BATCH, err);
		if (!rc && !batch->n && !batch->marks_n)
			break;
	}
	free(batch);
	return rc;
}

int td_trace_seek(struct td_trace_source *s, uint64_t event, struct tide_error *err)
{
	struct td_trace_reader *r = (struct td_trace_reader *)s;
	int rc = 0;

	if (event < r->done && !s->ops->rewind)
		return tide_fail(err, -ESPIPE, "%s cannot be read twice: save it to a file first",
				 r->in->name);
	if (event < r->done)
		rc = s->ops->rewind(s, err);
	if (!rc && r->format->seek && td_trace_input_random(r->in))
		rc = r->format->seek(r, event, err);
	return rc ? rc : skip(r, event, err);
}

static int attach(struct td_trace_reader *r, const struct td_trace_options *options,
		  struct tide_error *err)
{
	r->ops = (struct td_trace_source_ops){
		.format = r->format->name,
		.next = next,
		.rewind = r->in->regular ? rewind_reader : NULL,
		.close = close_reader,
	};
	r->source.ops = &r->ops;
	r->source.facts = TD_TRACE_NO_FACTS;
	r->source.bytes_total = r->in->raw_bytes;
	r->page_bytes = options->page_bytes ? options->page_bytes : 4096;
	return r->format->start ? r->format->start(r, options, err) : 0;
}

/* Takes the input over. */
static int open_reader(struct td_trace_source **out, struct td_trace_input *in,
		       const struct td_trace_format *format, const struct td_trace_options *options,
		       struct tide_error *err)
{
	struct td_trace_reader *r = calloc(1, format->reader_bytes);
	int rc;

	if (!r) {
		td_trace_input_close(in);
		return tide_fail(err, -ENOMEM, "out of memory to read %s", options->path);
	}
	r->format = format;
	r->in = in;
	rc = attach(r, options, err);
	if (rc) {
		close_reader(&r->source);
		return rc;
	}
	*out = &r->source;
	return 0;
}

static int guess_content(const struct td_trace_format **out, struct td_trace_input *in,
			 struct tide_error *err)
{
	uint64_t bytes = td_trace_input_random(in) ? in->raw_bytes : 0;

	for (size_t i = 0; (*out = td_trace_format_tried(i)); i++)
		if ((*out)->looks(in->at, (size_t)(in->end - in->at), bytes))
			return 0;
	return tide_fail(err, -EINVAL, "cannot tell the format of %s: say it with `format` %s",
			 in->name, td_trace_names_to_read("|", "|").text);
}

static int open_input(struct td_trace_source **out, struct td_trace_input *in,
		      const struct td_trace_format *format, const struct td_trace_options *options,
		      struct tide_error *err)
{
	int rc = td_trace_input_want(in, 4096, err);

	if (!rc && in->at == in->end)
		rc = tide_fail(err, -ENODATA, "%s has no accesses: it is empty", in->name);
	if (!rc && !format)
		rc = guess_content(&format, in, err);
	if (!rc && options->columns && !format->has_columns)
		rc = tide_fail(err, -EINVAL,
			       "%s is read as %s, which has no columns: leave `columns` out, or "
			       "give `format` csv",
			       in->name, format->name);
	if (rc) {
		td_trace_input_close(in);
		return rc;
	}
	return open_reader(out, in, format, options, err);
}

int td_trace_open_fd(struct td_trace_source **out, int fd, const struct td_trace_options *options,
		     struct tide_error *err)
{
	const struct td_trace_format *format = NULL;
	struct td_trace_input *in;
	int rc = td_trace_input_from_fd(&in, fd, options->path, options->spool, err);

	*out = NULL;
	if (rc)
		return rc;
	rc = td_trace_named_format(&format, options->format, options->path, false, err);
	if (rc) {
		td_trace_input_close(in);
		return rc;
	}
	return open_input(out, in, format, options, err);
}

int td_trace_open(struct td_trace_source **out, const struct td_trace_options *options,
		  struct tide_error *err)
{
	const struct td_trace_format *format = NULL;
	struct td_trace_input *in;
	int rc;

	*out = NULL;
	rc = td_trace_named_format(&format, options->format, options->path, false, err);
	if (!rc)
		rc = td_trace_input_open(&in, options->path, options->spool, err);
	return rc ? rc : open_input(out, in, format, options, err);
}

int td_trace_span_bytes(struct td_trace_span *span, uint64_t address, uint64_t bytes,
			uint64_t page_bytes)
{
	uint64_t last;

	/* A request of no bytes still names a page. */
	if (__builtin_add_overflow(address, bytes ? bytes - 1 : 0, &last))
		return -ERANGE;
	span->page = address / page_bytes;
	span->left = last / page_bytes - span->page + 1;
	return 0;
}

int td_trace_span_sectors(struct td_trace_span *span, uint64_t sector, uint64_t bytes,
			  uint64_t page_bytes)
{
	uint64_t address;

	if (__builtin_mul_overflow(sector, (uint64_t)SECTOR_BYTES, &address))
		return -ERANGE;
	return td_trace_span_bytes(span, address, bytes, page_bytes);
}

void td_trace_span_put(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max)
{
	struct td_trace_span *s = &r->span;

	r->refs |= s->ref != 0;
	r->streams |= s->stream != 0;
	for (; s->left && batch->n < max; s->left--, s->page++, batch->n++) {
		batch->page[batch->n] = s->page;
		batch->write[batch->n] = s->write;
		if (s->ref)
			batch->ref[batch->n] = s->ref;
		if (s->stream)
			batch->stream[batch->n] = s->stream;
	}
}

int td_trace_lines(struct td_trace_reader *r, unsigned char **stop, struct tide_error *err)
{
	struct td_trace_input *in = r->in;
	unsigned char *last;

	while (!(last = memrchr(in->at, '\n', (size_t)(in->end - in->at)))) {
		int rc;

		if ((size_t)(in->end - in->at) == TD_TRACE_INPUT_BYTES)
			return tide_fail(err, -EBADMSG,
					 "%s line %lu is longer than %zu bytes: "
					 "is this a text file?",
					 in->name, (unsigned long)r->line + 1,
					 TD_TRACE_INPUT_BYTES);
		if (in->eof && in->at == in->end)
			break;
		if (in->eof)
			*in->end++ = '\n';
		else if ((rc = td_trace_input_more(in, err)))
			return rc;
	}
	*stop = last ? last + 1 : in->at;
	return 0;
}

int td_trace_records(struct td_trace_reader *r, size_t record_bytes, size_t *n,
		     struct tide_error *err)
{
	struct td_trace_input *in = r->in;
	int rc = td_trace_input_want(in, record_bytes, err);
	size_t there = (size_t)(in->end - in->at);

	if (rc)
		return rc;
	*n = there / record_bytes;
	if (!*n && there)
		return tide_fail(err, -EBADMSG,
				 "%s is cut off in record %lu, which has %zu of %zu "
				 "bytes: get the whole file",
				 in->name, (unsigned long)r->line + 1, there, record_bytes);
	return 0;
}

bool td_trace_is_text(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint(head[i]) && !strchr("\t\r\n", head[i]) && head[i] < 0x80)
			return false;
	/* strchr finds the ending 0 of its text too. */
	return n && !memchr(head, 0, n);
}

struct td_trace_shown td_trace_show(const void *bytes, size_t n)
{
	struct td_trace_shown s = {{0}};
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n && i < sizeof s.text - 1; i++)
		s.text[i] = (char)(p[i] < 0x20 || p[i] >= 0x7f ? '?' : p[i]);
	return s;
}
