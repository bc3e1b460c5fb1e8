/* What all readers share: batches, rewinding, seeking, and errors at the right time. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 4096 /* by which a format is told */

/* What is read in parts, as after a seek, has no digest. */
static void end_digest(struct td_trace_reader *r)
{
	uint64_t digest[2];

	if (r->digest && td_trace_digest_end(r->digest, digest) == r->done) {
		memcpy(r->source.facts.digest, digest, sizeof digest);
		td_trace_digest_free(r->digest);
		r->digest = NULL;
	}
}

/* The digest sees objects that the consumer does not want to see. */
static int take_batch(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max)
{
	bool lend = r->digest && r->object && !batch->object;
	int rc;

	if (lend)
		batch->object = r->object;
	rc = r->format->next ? r->format->next(r, batch, max, &r->pending)
			     : td_trace_next_lines(r, batch, max, &r->pending);
	if (r->digest)
		td_trace_digest_put(r->digest, batch, r->refs, r->streams);
	if (r->digest && td_trace_has_objects(&r->source))
		td_trace_digest_objects(r->digest, batch->object, batch->n);
	if (lend)
		batch->object = NULL;
	return rc;
}

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
	rc = take_batch(r, batch, max);
	r->done += batch->n;
	r->source.bytes_done = r->in->raw_done;
	if (batch->n || batch->marks_n)
		return 0;
	if (rc)
		return tide_fail(err, rc, "%s", r->pending.text);
	if (!r->done)
		return tide_fail(err, -ENODATA,
				 "%s has no accesses: give a trace with at least one", r->in->name);
	end_digest(r);
	return 0;
}

static int next(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err)
{
	return pull((struct td_trace_reader *)s, batch, TIDE_BATCH, err);
}

/* At the first byte. Some programs write the mark of UTF-8 before a text. */
static int begin(struct td_trace_input *in, struct tide_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = strlen(mark);
	int rc = td_trace_input_want(in, HEAD_BYTES, err);

	if (!rc && (size_t)(in->end - in->at) >= n && !memcmp(in->at, mark, n) &&
	    td_trace_is_text(in->at, (size_t)(in->end - in->at)))
		in->at += n;
	return rc;
}

static int rewind_reader(struct td_trace_source *s, struct tide_error *err)
{
	struct td_trace_reader *r = (struct td_trace_reader *)s;
	int rc = td_trace_input_rewind(r->in, err);

	if (!rc)
		rc = begin(r->in, err);
	r->done = r->line = 0;
	r->span = (struct td_trace_span){0};
	r->pending.code = 0;
	if (r->digest)
		td_trace_digest_restart(r->digest);
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
	td_trace_digest_free(r->digest);
	if (r->keys)
		td_trace_keys_free(r->keys);
	free(r->keys);
	free(r->object);
	free(r);
}

static int skip(struct td_trace_reader *r, uint64_t event, struct tide_error *err)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_batch_object *object = calloc(1, sizeof *object);
	int rc = batch && object ? 0
				 : tide_fail(err, -ENOMEM, "out of memory to read %s", r->in->name);

	/* The next batch may go on in the middle of a column of them. */
	if (!rc)
		batch->object = object;
	while (!rc && r->done < event) {
		uint64_t left = event - r->done;

		rc = pull(r, batch, left < TIDE_BATCH ? (uint32_t)left : TIDE_BATCH, err);
		if (!rc && !batch->n && !batch->marks_n)
			break;
	}
	free(object);
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

static const char *name_of(const struct td_trace_source *s, uint64_t page)
{
	const struct td_trace_reader *r = (const struct td_trace_reader *)s;

	return r->keys ? td_trace_keys_text(r->keys, page) : NULL;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	int rc = r->format->start ? r->format->start(r, options, err) : 0;

	if (!rc && r->digest && td_trace_has_objects(&r->source) &&
	    !(r->object = calloc(1, sizeof *r->object)))
		rc = tide_fail(err, -ENOMEM, "out of memory to read %s", r->in->name);
	return rc;
}

static int attach(struct td_trace_reader *r, const struct td_trace_options *options,
		  struct tide_error *err)
{
	r->ops = (struct td_trace_source_ops){
		.format = r->format->name,
		.next = next,
		.rewind = r->in->regular ? rewind_reader : NULL,
		.close = close_reader,
		.name = name_of,
	};
	r->source.ops = &r->ops;
	r->source.facts = TD_TRACE_NO_FACTS;
	r->source.bytes_total = r->in->raw_bytes;
	r->page_bytes = options->page_bytes ? options->page_bytes : 4096;
	if (options->digest && !(r->digest = td_trace_digest_new()))
		return tide_fail(err, -ENOMEM, "out of memory to read %s", r->in->name);
	return start(r, options, err);
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

/* The first format whose content the input could be; NULL: none. */
static const struct td_trace_format *seen_in(const struct td_trace_input *in)
{
	uint64_t bytes = td_trace_input_random(in) ? in->raw_bytes : 0;
	const struct td_trace_format *f;

	for (size_t i = 0; (f = td_trace_format_tried(i)); i++)
		if (f->looks(in->at, (size_t)(in->end - in->at), bytes))
			return f;
	return NULL;
}

/* A trace of Twitter is often called .csv, and the output of valgrind .txt. If such a file begins
 * as a stricter format does, it is of that format, unless the caller has said otherwise. */
static const struct td_trace_format *stricter(const struct td_trace_format *named,
					      const struct td_trace_input *in,
					      const struct td_trace_options *options)
{
	const struct td_trace_format *seen;

	if (!named || !named->any_text || options->format || options->columns)
		return named;
	seen = seen_in(in);
	return seen && !seen->any_text && seen->tried < named->tried ? seen : named;
}

static int guess_content(const struct td_trace_format **out, struct td_trace_input *in,
			 struct tide_error *err)
{
	*out = seen_in(in);
	if (*out)
		return 0;
	return tide_fail(err, -EINVAL, "cannot tell the format of %s: say it with `format` %s",
			 in->name, td_trace_names_to_read("|", "|").text);
}

static int open_input(struct td_trace_source **out, struct td_trace_input *in,
		      const struct td_trace_format *format, const struct td_trace_options *options,
		      struct tide_error *err)
{
	int rc = begin(in, err);

	if (!rc && in->at == in->end)
		rc = tide_fail(err, -ENODATA, "%s has no accesses: it is empty", in->name);
	if (!rc)
		format = stricter(format, in, options);
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
