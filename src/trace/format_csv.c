/* csv: one request per line, in columns that the options or the header line name. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "csv_columns.h"
#include "number.h"
#include "reader.h"

#define MOST_REQUEST_BYTES UINT32_MAX

struct csv_reader {
	struct td_trace_reader head;
	struct csv_columns columns;
	char *joined;    /* room for a key of several columns */
	uint64_t group;  /* hash of the group of the line before */
	bool has_group;  /* there was one */
	bool has_header; /* the first line that is not empty is one */
	bool header;     /* and is still to come */
};

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

/* A key of one column may be a number, and one of several is a text. */
static int take_key(struct csv_reader *c, const struct csv_field *fields, uint64_t *page,
		    struct tide_error *err)
{
	const struct csv_columns *k = &c->columns;
	const struct csv_field *f = &fields[k->part[0] - 1];
	char *to = c->joined;

	if (k->parts == 1)
		return td_trace_key_page(&c->head, f->text, f->n, page, err);
	for (unsigned i = 0; i < k->parts; i++)
		to = td_trace_csv_join(to, &fields[k->part[i] - 1], !i);
	return td_trace_key_page(&c->head, c->joined, (size_t)(to - c->joined), page, err);
}

/* Another value than that of the line before begins a group. */
static void take_group(struct csv_reader *c, const struct csv_field *fields)
{
	const struct csv_field *f = &fields[c->columns.at[CSV_GROUP] - 1];
	uint64_t group = XXH3_64bits(f->text, f->n);

	c->head.span.first = !c->has_group || group != c->group;
	c->has_group = true;
	c->group = group;
}

static int set_span(struct csv_reader *c, const struct csv_field *fields, uint64_t place,
		    uint64_t bytes, struct tide_error *err)
{
	struct td_trace_reader *r = &c->head;
	enum csv_key k = c->columns.where;
	int rc = 0;

	if (!r->source.sizes && bytes > MOST_REQUEST_BYTES)
		return fail_field(c, CSV_SIZE, &fields[c->columns.at[CSV_SIZE] - 1],
				  "is more than 4 GiB: is this the size column?", -EBADMSG, err);
	if (k == CSV_PAGE || k == CSV_KEY) {
		r->span.page = place;
		r->span.left = 1;
		r->span.bytes = bytes;
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
	size_t n = td_trace_csv_split(p, fields, k->last);
	uint64_t place, bytes = 0;
	struct td_trace_span *span = &c->head.span;
	int rc;

	if (n < k->last)
		return tide_fail(err, -EBADMSG,
				 "%s line %lu has %zu columns and not %u: say the "
				 "right columns with `columns`",
				 c->head.in->name, (unsigned long)c->head.line, n, k->last);
	*span = (struct td_trace_span){0};
	rc = k->where == CSV_KEY ? take_key(c, fields, &place, err)
				 : take_number(c, fields, k->where, &place, err);
	if (!rc && k->at[CSV_SIZE])
		rc = take_number(c, fields, CSV_SIZE, &bytes, err);
	if (!rc && k->at[CSV_COST])
		rc = take_number(c, fields, CSV_COST, &span->cost, err);
	if (!rc && k->at[CSV_OP])
		rc = take_op(c, fields, &span->write, err);
	if (!rc && k->at[CSV_REF])
		rc = take_number(c, fields, CSV_REF, &span->ref, err);
	if (!rc && k->at[CSV_STREAM])
		rc = take_number(c, fields, CSV_STREAM, &span->stream, err);
	if (!rc && k->at[CSV_GROUP])
		take_group(c, fields);
	return rc ? rc : set_span(c, fields, place, bytes, err);
}

/* Empty lines, comments and the header bring no event. */
static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;
	bool header = c->header;

	if (td_trace_csv_empty(line))
		return 0;
	c->header = false;
	return header ? 0 : parse_line(c, line, err);
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

/* The first two lines with fields, which stay where they are. */
struct top {
	struct csv_field fields[2][CSV_MOST_COLUMNS];
	size_t n[2];
};

static int look_at_top(struct td_trace_reader *r, struct top *top, struct tide_error *err)
{
	unsigned char *stop;
	int rc = td_trace_lines(r, &stop, err);
	const unsigned char *p = r->in->at;

	top->n[0] = top->n[1] = 0;
	for (int i = 0; !rc && i < 2 && p < stop; p = (const unsigned char *)rawmemchr(p, '\n') + 1)
		if (!td_trace_csv_empty(p)) {
			top->n[i] = td_trace_csv_split(p, top->fields[i], CSV_MOST_COLUMNS);
			i++;
		}
	return rc;
}

static bool number_at(const struct top *top, int line, unsigned column)
{
	return column && column <= top->n[line] && is_number(&top->fields[line][column - 1]);
}

/* Is there a column that a number fills, but not in the first line? */
static bool texts_above_numbers(const struct csv_columns *c, const struct top *top)
{
	bool found = false;

	for (unsigned i = 0; i < c->parts; i++)
		found |= !number_at(top, 0, c->part[i]) && number_at(top, 1, c->part[i]);
	for (int k = CSV_SIZE; k < CSV_TIME; k++)
		found |= !number_at(top, 0, c->at[k]) && number_at(top, 1, c->at[k]);
	return found;
}

static bool is_header(const struct csv_columns *c, const struct top *top)
{
	if (c->named)
		return true;
	return c->where == CSV_KEY
		       ? texts_above_numbers(c, top)
		       : top->n[0] >= c->at[c->where] && !number_at(top, 0, c->at[c->where]);
}

static int choose_columns(struct csv_reader *c, const char *columns, const struct top *top,
			  struct tide_error *err)
{
	struct csv_header header = {top->fields[0], top->n[0], c->head.in->name};
	int rc = 0;

	if (columns) {
		rc = td_trace_csv_columns(&c->columns, columns, &header, err);
		c->has_header = !rc && is_header(&c->columns, top);
	} else if (top->n[0] && !is_number(&top->fields[0][0])) {
		c->has_header = true;
		rc = td_trace_csv_header(&c->columns, &header, err);
	} else {
		td_trace_csv_plain(&c->columns, top->n[0] > 1 && is_op_word(&top->fields[0][1]));
	}
	return rc;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;
	const struct csv_columns *k = &c->columns;
	struct top top;
	int rc = look_at_top(r, &top, err);

	if (!rc)
		rc = choose_columns(c, options->columns, &top, err);
	if (rc)
		return rc;
	/* A line is no longer than the buffer. */
	if (k->parts > 1 && !(c->joined = malloc(TD_TRACE_INPUT_BYTES + 3 * CSV_MOST_PARTS)))
		return tide_fail(err, -ENOMEM, "out of memory to read %s", r->in->name);
	if (!k->at[CSV_REF])
		r->source.facts.refs = 0;
	r->source.groups = k->at[CSV_GROUP] != 0;
	r->source.sizes = k->at[CSV_SIZE] && (k->where == CSV_PAGE || k->where == CSV_KEY);
	r->source.by_page = k->at[CSV_SIZE] && (k->where == CSV_ADDR || k->where == CSV_LBN);
	r->source.costs = k->at[CSV_COST] != 0;
	c->header = c->has_header;
	return 0;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	struct csv_reader *c = (struct csv_reader *)r;

	(void)err;
	c->header = c->has_header;
	c->has_group = false;
	return 0;
}

static void stop(struct td_trace_reader *r)
{
	free(((struct csv_reader *)r)->joined);
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
	.any_text = true,
	.endings = endings,
	.reader_bytes = sizeof(struct csv_reader),
	.start = start,
	.restart = restart,
	.take_line = take_line,
	.stop = stop,
	.looks = looks,
};
