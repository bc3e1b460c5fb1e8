/* csv: one request per line, in columns that the options or the header line name. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "csv_columns.h"
#include "number.h"
#include "reader.h"

#define MOST_REQUEST_BYTES UINT32_MAX

struct csv_reader {
	struct td_trace_reader head;
	struct csv_columns columns;
	bool has_header; /* the first line that is not empty is one */
	bool header;     /* and is still to come */
};

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next field, without blanks and quotes around it; *at moves past the comma. */
static struct csv_field take_field(const unsigned char **at)
{
	const unsigned char *p = *at, *start, *stop;

	while (blank(*p))
		p++;
	start = p;
	if (*p == '"') {
		start = ++p;
		while (*p != '"' && *p != '\n')
			p++;
		stop = p;
		while (*p != ',' && *p != '\n')
			p++;
	} else {
		while (*p != ',' && *p != '\n')
			p++;
		for (stop = p; stop > start && blank(stop[-1]);)
			stop--;
	}
	*at = *p == ',' ? p + 1 : p;
	return (struct csv_field){(const char *)start, (size_t)(stop - start)};
}

/* Up to `most` fields of a line; returns how many there are. */
static size_t split(const unsigned char *p, struct csv_field *fields, size_t most)
{
	size_t n = 0;

	while (n < most) {
		fields[n++] = take_field(&p);
		if (p[0] == '\n' && p[-1] != ',')
			break;
	}
	return n;
}

static int fail_field(struct csv_reader *c, enum csv_key k, const struct csv_field *f,
		      const char *what, int code, struct tide_error *err)
{
	struct td_trace_shown shown = td_trace_show(f->text, f->n);

	return tide_fail(err, code, "%s line %lu column %u: %s \"%s\" %s", c->head.in->name,
			 (unsigned long)c->head.line, c->columns.at[k], td_trace_csv_keys[k],
			 shown.text, what);
}

static int take_number(struct csv_reader *c, const struct csv_field *fields, enum csv_key k,
		       uint64_t *value, struct tide_error *err)
{
	const struct csv_field *f = &fields[c->columns.at[k] - 1];
	int rc = td_trace_number((const unsigned char *)f->text, f->n, value);

	if (rc == -ERANGE)
		return fail_field(c, k, f,
				  "does not fit 64 bits: numbers go up to "
				  "18446744073709551615",
				  rc, err);
	if (rc)
		return fail_field(c, k, f, "is no number: say the right columns with `columns`",
				  -EBADMSG, err);
	return 0;
}

static int take_op(struct csv_reader *c, const struct csv_field *fields, uint8_t *write,
		   struct tide_error *err)
{
	const struct csv_field *f = &fields[c->columns.at[CSV_OP] - 1];
	int op = td_trace_csv_op(f);

	if (op < 0)
		return fail_field(c, CSV_OP, f,
				  "is neither a read nor a write: known are r, w, "
				  "read, write, get, set, put, load, store and SCSI commands such "
				  "as 28 and 2a",
				  -EBADMSG, err);
	*write = (uint8_t)op;
	return 0;
}

static int set_span(struct csv_reader *c, const struct csv_field *fields, uint64_t place,
		    uint64_t bytes, struct tide_error *err)
{
	struct td_trace_reader *r = &c->head;
	enum csv_key k = c->columns.where;
	int rc = 0;

	if (bytes > MOST_REQUEST_BYTES)
		return fail_field(c, CSV_SIZE, &fields[c->columns.at[CSV_SIZE] - 1],
				  "is more than 4 GiB: is this the size column?", -EBADMSG, err);
	if (k == CSV_PAGE) {
		r->span.page = place;
		r->span.left = 1;
	} else if (k == CSV_ADDR) {
		rc = td_trace_span_bytes(&r->span, place, bytes, r->page_bytes);
	} else {
		rc = td_trace_span_sectors(&r->span, place, bytes, r->page_bytes);
	}
	if (rc)
		return fail_field(c, k, &fields[c->columns.at[k] - 1],
				  "is an address beyond 64 bits: is this the right column?", rc,
				  err);
	return 0;
}

static int parse_line(struct csv_reader *c, const unsigned char *p, struct tide_error *err)
{
	struct csv_field fields[CSV_MOST_COLUMNS];
	const struct csv_columns *k = &c->columns;
	size_t n = split(p, fields, k->last);
	uint64_t place, bytes = 0;
	struct td_trace_span *span = &c->head.span;
	int rc;

	if (n < k->last)
		return tide_fail(err, -EBADMSG,
				 "%s line %lu has %zu columns and not %u: say the "
				 "right columns with `columns`",
				 c->head.in->name, (unsigned long)c->head.line, n, k->last);
	*span = (struct td_trace_span){0};
	rc = take_number(c, fields, k->where, &place, err);
	if (!rc && k->at[CSV_SIZE])
		rc = take_number(c, fields, CSV_SIZE, &bytes, err);
	if (!rc && k->at[CSV_OP])
		rc = take_op(c, fields, &span->write, err);
	if (!rc && k->at[CSV_REF])
		rc = take_number(c, fields, CSV_REF, &span->ref, err);
	if (!rc && k->at[CSV_STREAM])
		rc = take_number(c, fields, CSV_STREAM, &span->stream, err);
	return rc ? rc : set_span(c, fields, place, bytes, err);
}

static bool empty(const unsigned char *p)
{
	while (blank(*p))
		p++;
	return *p == '\n' || *p == '#';
}

/* Empty lines, comments and the header bring no event. */
static int take_line(struct csv_reader *c, struct tide_error *err)
{
	struct td_trace_input *in = c->head.in;
	unsigned char *line = in->at;
	bool header = c->header;

	in->at = (unsigned char *)rawmemchr(line, '\n') + 1;
	c->head.line++;
	if (empty(line))
		return 0;
	c->header = false;
	return header ? 0 : parse_line(c, line, err);
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;

	while (batch->n < max) {
		unsigned char *stop;
		int rc;

		td_trace_span_put(r, batch, max);
		if (batch->n == max)
			break;
		rc = td_trace_lines(r, &stop, err);
		if (rc || stop == r->in->at)
			return rc;
		while (!rc && r->in->at < stop && batch->n < max) {
			rc = take_line(c, err);
			if (!rc)
				td_trace_span_put(r, batch, max);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static bool is_number(const struct csv_field *f)
{
	uint64_t value;

	/* A number that is too large is no header. */
	return td_core_u64(f->text, f->n, &value) != -EINVAL;
}

static bool is_op_word(const struct csv_field *f)
{
	return f->n && isalpha((unsigned char)f->text[0]) && td_trace_csv_op(f) >= 0;
}

/* Looks at the first line that is not empty and leaves it where it is. */
static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;
	struct csv_field fields[CSV_MOST_COLUMNS];
	unsigned char *stop;
	const unsigned char *p;
	size_t n = 0;
	int rc = options->columns ? td_trace_csv_columns(&c->columns, options->columns, err) : 0;

	if (!rc)
		rc = td_trace_lines(r, &stop, err);
	if (rc)
		return rc;
	for (p = r->in->at; p < stop && empty(p);)
		p = (const unsigned char *)rawmemchr(p, '\n') + 1;
	if (p < stop)
		n = split(p, fields, CSV_MOST_COLUMNS);
	if (options->columns) {
		unsigned where = c->columns.at[c->columns.where];
		c->has_header = n >= where && !is_number(&fields[where - 1]);
	} else if (n && !is_number(&fields[0])) {
		c->has_header = true;
		rc = td_trace_csv_header(&c->columns, fields, n, r->in->name, err);
	} else {
		td_trace_csv_plain(&c->columns, n > 1 && is_op_word(&fields[1]));
	}
	if (!c->columns.at[CSV_REF])
		r->source.facts.refs = 0;
	c->header = c->has_header;
	return rc;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;

	(void)err;
	c->header = c->has_header;
	return 0;
}

static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const unsigned char *comment = NULL;

	(void)bytes;
	if (!td_trace_is_text(head, n))
		return false;
	/* A comma outside comments. */
	for (size_t i = 0; i < n; i++) {
		if (head[i] == '#')
			comment = &head[i];
		else if (head[i] == '\n')
			comment = NULL;
		else if (!comment && head[i] == ',')
			return true;
	}
	return false;
}

static const char *const endings[] = {".csv", NULL};

const struct td_trace_format td_trace_format_csv = {
	.name = "csv",
	.listed = 30,
	.tried = 20,
	.has_columns = true,
	.endings = endings,
	.reader_bytes = sizeof(struct csv_reader),
	.start = start,
	.restart = restart,
	.next = next,
	.looks = looks,
};
