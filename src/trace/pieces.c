/* What formats are made of: lines, records, spans of pages, and keys. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

#define SECTOR_BYTES 512

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

static void put_object(struct td_trace_reader *r, struct tide_batch_object *o, uint32_t i)
{
	if (r->source.groups)
		o->first[i] = r->span.first;
	if (r->source.sizes)
		o->bytes[i] = r->span.bytes;
	if (r->source.costs)
		o->cost[i] = r->span.cost;
	r->span.first = 0;
}

void td_trace_span_repeat(struct td_trace_span *span, uint64_t times, bool write)
{
	span->from = span->page;
	span->pages = span->left;
	span->again = times;
	span->then_write = write;
}

/* Another round, if there is one. */
static bool restart_span(struct td_trace_span *s)
{
	if (!s->again)
		return false;
	s->again--;
	s->page = s->from;
	s->left = s->pages;
	s->write = s->then_write;
	return true;
}

static void put_round(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max)
{
	struct td_trace_span *s = &r->span;

	for (; s->left && batch->n < max; s->left--, s->page++, batch->n++) {
		batch->page[batch->n] = s->page;
		batch->write[batch->n] = s->write;
		if (s->ref)
			batch->ref[batch->n] = s->ref;
		if (s->stream)
			batch->stream[batch->n] = s->stream;
		if (batch->object)
			put_object(r, batch->object, batch->n);
	}
}

void td_trace_span_put(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max)
{
	r->refs |= r->span.ref != 0;
	r->streams |= r->span.stream != 0;
	do {
		put_round(r, batch, max);
	} while (!r->span.left && batch->n < max && restart_span(&r->span));
}

static int note_key(struct td_trace_reader *r, uint64_t hash, const char *text, size_t n)
{
	if (!r->keys) {
		struct td_trace_keys *keys = malloc(sizeof *keys);

		if (!keys || td_trace_keys_init(keys, TD_TRACE_KEYS_BYTES)) {
			free(keys);
			return -ENOMEM;
		}
		r->keys = keys;
		r->source.names = true;
	}
	return td_trace_keys_note(r->keys, hash, text, n);
}

int td_trace_key_page(struct td_trace_reader *r, const char *text, size_t n, uint64_t *page,
		      struct tide_error *err)
{
	int rc;

	if (td_trace_key_number(text, n, page))
		return 0;
	*page = td_trace_key_hash(text, n);
	rc = note_key(r, *page, text, n);
	if (rc == -EEXIST)
		return tide_fail(err, rc,
				 "%s line %lu: the keys \"%s\" and \"%s\" have the same hash: "
				 "rename one of them",
				 r->in->name, (unsigned long)r->line, td_trace_show(text, n).text,
				 td_trace_show(td_trace_name(&r->source, *page),
					       strlen(td_trace_name(&r->source, *page)))
					 .text);
	return rc ? tide_fail(err, rc, "out of memory for the keys of %s", r->in->name) : 0;
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

int td_trace_next_lines(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
			struct tide_error *err)
{
	td_trace_span_put(r, batch, max);
	while (batch->n < max) {
		unsigned char *stop;
		int rc = td_trace_lines(r, &stop, err);

		if (rc || stop == r->in->at)
			return rc;
		while (r->in->at < stop && batch->n < max) {
			const unsigned char *line = r->in->at;

			r->in->at = (unsigned char *)rawmemchr(line, '\n') + 1;
			r->line++;
			rc = r->format->take_line(r, line, err);
			if (rc)
				return rc;
			td_trace_span_put(r, batch, max);
		}
	}
	return 0;
}

int td_trace_start_sized(struct td_trace_reader *r, const struct td_trace_options *options,
			 struct tide_error *err)
{
	(void)options;
	(void)err;
	r->source.sizes = true;
	r->source.facts.refs = 0;
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
