/* txt: one access per line, PAGE [r|w] [REF] [STREAM]. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "reader.h"
#include "writer.h"

#define MOST_WORDS 4

struct word {
	const unsigned char *text;
	size_t n;
};

static int fail_word(struct td_trace_reader *r, const char *what, const struct word *w, int code,
		     struct tide_error *err)
{
	struct td_trace_shown shown = td_trace_show(w->text, w->n);

	if (code == -ERANGE)
		return tide_fail(err, code,
				 "%s line %lu: %s %s does not fit 64 bits: numbers go up "
				 "to 18446744073709551615",
				 r->in->name, (unsigned long)r->line, what, shown.text);
	if (r->line == 1 && strcmp(what, "page") == 0)
		return tide_fail(
			err, -EBADMSG,
			"%s line 1: page \"%s\" is no number: if it is a key, say `format` "
			"csv and `columns` key=1",
			r->in->name, shown.text);
	return tide_fail(err, -EBADMSG,
			 "%s line %lu: %s \"%s\" is no number: a line is PAGE [r|w] "
			 "[REF] [STREAM], decimal or 0x hexadecimal",
			 r->in->name, (unsigned long)r->line, what, shown.text);
}

/* The words up to the newline; one more than MOST_WORDS is counted but not kept. */
static size_t split(const unsigned char **at, struct word *words)
{
	const unsigned char *p = *at;
	size_t n = 0;

	for (;;) {
		while (*p == ' ' || *p == '\t' || *p == '\r')
			p++;
		if (*p == '\n' || *p == '#' || n > MOST_WORDS)
			break;
		const unsigned char *start = p;
		while (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n' && *p != '#')
			p++;
		if (n < MOST_WORDS)
			words[n] = (struct word){start, (size_t)(p - start)};
		n++;
	}
	*at = (const unsigned char *)rawmemchr(p, '\n') + 1;
	return n;
}

static bool is_op(const struct word *w)
{
	return w->n == 1 && (*w->text == 'r' || *w->text == 'w');
}

/* One line of any kind; adds an event or none. */
static int parse_line(struct td_trace_reader *r, const unsigned char **at, struct tide_batch *batch,
		      struct tide_error *err)
{
	static const char *const what[] = {"page", "ref", "stream"};
	struct word words[MOST_WORDS];
	uint64_t values[3] = {0, 0, 0};
	size_t n = split(at, words), field = 0;
	uint8_t write = 0;

	if (!n)
		return 0;
	for (size_t i = 0; i < n && field < 3; i++) {
		if (i == 1 && is_op(&words[i])) {
			write = *words[i].text == 'w';
			continue;
		}
		int rc = td_trace_number(words[i].text, words[i].n, &values[field]);
		if (rc)
			return fail_word(r, what[field], &words[i], rc, err);
		field++;
	}
	if (n > MOST_WORDS || (n == MOST_WORDS && !is_op(&words[1])))
		return tide_fail(err, -EBADMSG,
				 "%s line %lu has too many words: a line is PAGE "
				 "[r|w] [REF] [STREAM]",
				 r->in->name, (unsigned long)r->line);
	r->span = (struct td_trace_span){.page = values[0],
					 .left = 1,
					 .ref = values[1],
					 .stream = values[2],
					 .write = write};
	td_trace_span_put(r, batch, TIDE_BATCH);
	return 0;
}

/* Lines as programs write them: one blank between words, no comment, decimal numbers of less
 * than 16 digits. Returns where the next line starts; NULL: parse_line() must look. */
static const unsigned char *parse_usual(const unsigned char *p, struct td_trace_span *s)
{
	size_t n = td_trace_long_digits(p, &s->page);

	if (!n)
		return NULL;
	p += n;
	s->write = 0;
	s->ref = s->stream = 0;
	if (*p == ' ' && (p[1] == 'w' || p[1] == 'r')) {
		s->write = p[1] == 'w';
		p += 2;
	}
	if (*p == ' ') {
		if (!(n = td_trace_long_digits(p + 1, &s->ref)))
			return NULL;
		p += n + 1;
		if (*p == ' ') {
			if (!(n = td_trace_long_digits(p + 1, &s->stream)))
				return NULL;
			p += n + 1;
		}
	}
	p += *p == '\r';
	return *p == '\n' ? p + 1 : NULL;
}

static int parse_other(struct td_trace_reader *r, struct tide_batch *batch, struct tide_error *err)
{
	const unsigned char *p = r->in->at, *after = parse_usual(p, &r->span);
	int rc = 0;

	if (after) {
		p = after;
		r->span.left = 1;
		td_trace_span_put(r, batch, TIDE_BATCH);
	} else {
		rc = parse_line(r, &p, batch, err);
	}
	r->in->at += p - r->in->at;
	return rc;
}

/* Lines with nothing but a page of up to 8 digits are handled here; all others there. */
static int parse(struct td_trace_reader *r, const unsigned char *stop, struct tide_batch *batch,
		 uint32_t max, struct tide_error *err)
{
	int rc = 0;

	while (!rc && r->in->at < stop && batch->n < max) {
		unsigned char *p = r->in->at;
		uint32_t n = batch->n, first = n;

		while (p < stop && n < max) {
			size_t digits = td_trace_digits(p, &batch->page[n]);

			if (!digits || p[digits] != '\n')
				break;
			batch->write[n++] = 0;
			p += digits + 1;
		}
		batch->n = n;
		r->line += n - first;
		r->in->at = p;
		if (p < stop && n < max) {
			r->line++;
			rc = parse_other(r, batch, err);
		}
	}
	return rc;
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	while (batch->n < max) {
		unsigned char *stop;
		int rc = td_trace_lines(r, &stop, err);

		if (rc || stop == r->in->at)
			return rc;
		rc = parse(r, stop, batch, max, err);
		if (rc)
			return rc;
	}
	return 0;
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	(void)bytes;
	return td_trace_is_text(head, n);
}

/* ---- writing ---- */

#define MOST_NAME_SHOWN 1024
#define LINE_BYTES 72 /* three numbers of 20 digits and what is between them */

struct txt_writer {
	struct td_trace_writer head;
	bool lines; /* some were written */
};

static unsigned char *print_number(unsigned char *to, uint64_t value)
{
	unsigned char digits[20], *p = digits + sizeof digits;
	size_t n;

	do {
		*--p = (unsigned char)('0' + value % 10);
		value /= 10;
	} while (value);
	n = (size_t)(digits + sizeof digits - p);
	memcpy(to, p, n);
	return to + n;
}

/* Only what is not 0, so that plain traces stay plain. */
static unsigned char *print_event(unsigned char *to, const struct tide_batch *b, uint32_t i)
{
	to = print_number(to, b->page[i]);
	if (b->write[i] || b->ref[i] || b->stream[i]) {
		*to++ = ' ';
		*to++ = b->write[i] ? 'w' : 'r';
	}
	if (b->ref[i] || b->stream[i]) {
		*to++ = ' ';
		to = print_number(to, b->ref[i]);
	}
	if (b->stream[i]) {
		*to++ = ' ';
		to = print_number(to, b->stream[i]);
	}
	*to++ = '\n';
	return to;
}

/* With an empty line before each group but the first, and the name of the page as a comment. */
static int put_object(struct td_trace_writer *w, const struct tide_batch *b, uint32_t i,
		      struct tide_error *err)
{
	const char *name = td_trace_name(w->source, b->page[i]);
	unsigned char text[LINE_BYTES + MOST_NAME_SHOWN + 8], *to = text;
	struct txt_writer *t = (struct txt_writer *)w;

	if (b->object && w->groups && b->object->first[i] && t->lines)
		*to++ = '\n';
	t->lines = true;
	to = print_event(to, b, i);
	if (name) {
		to += snprintf((char *)to - 1, 4, " # ") - 1;
		td_core_escape((char *)to, MOST_NAME_SHOWN, name, true);
		to += strlen((char *)to);
		*to++ = '\n';
	}
	return td_trace_output_put(w->out, text, (size_t)(to - text), err);
}

static int put(struct td_trace_writer *w, const struct tide_batch *batch, uint32_t from,
	       uint32_t end, struct tide_error *err)
{
	enum { EVENTS = 256 };
	unsigned char text[EVENTS * LINE_BYTES];
	int rc = 0;

	if (w->source && (w->groups || w->source->names))
		while (from < end && !rc)
			rc = put_object(w, batch, from++, err);
	for (uint32_t i = from; i < end && !rc;) {
		unsigned char *to = text;

		for (uint32_t k = 0; k < EVENTS && i < end; k++, i++)
			to = print_event(to, batch, i);
		rc = td_trace_output_put(w->out, text, (size_t)(to - text), err);
	}
	return rc;
}

/* To be read by people alone. */
static int mark(struct td_trace_writer *w, const struct tide_mark *mark, struct tide_error *err)
{
	char text[LINE_BYTES];
	int n = snprintf(text, sizeof text, "# %s %lu %lu\n", td_trace_mark_name(mark),
			 (unsigned long)mark->page, (unsigned long)mark->pages);

	return td_trace_output_put(w->out, text, (size_t)n, err);
}

static const struct td_trace_sink sink = {
	.writer_bytes = sizeof(struct txt_writer),
	.put = put,
	.mark = mark,
};

static const char *const endings[] = {".txt", NULL};

const struct td_trace_format td_trace_format_txt = {
	.name = "txt",
	.listed = 20,
	.tried = 30,
	.any_text = true,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.next = next,
	.looks = looks,
	.sink = &sink,
};
