#include "csv_columns.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "reader.h"

const char *const td_trace_csv_keys[CSV_KEYS + 1] = {
	"page", "addr", "lbn", "key", "size", "cost", "group", "op", "ref", "stream", "time", NULL};

static bool same(const struct csv_field *f, const char *word)
{
	return strlen(word) == f->n && !strncasecmp(f->text, word, f->n);
}

static enum csv_key find_key(const struct csv_field *f)
{
	size_t i = 0;

	if (same(f, "address"))
		return CSV_ADDR;
	while (i < CSV_KEYS && !same(f, td_trace_csv_keys[i]))
		i++;
	return (enum csv_key)i;
}

static void raise(struct csv_columns *c, unsigned column)
{
	if (column > c->last)
		c->last = column;
}

static void settle(struct csv_columns *c)
{
	c->where = CSV_PAGE;
	while (c->where < CSV_KEY && !c->at[c->where])
		c->where++;
	c->last = 0;
	raise(c, c->at[c->where]);
	for (unsigned i = 0; c->where == CSV_KEY && i < c->parts; i++)
		raise(c, c->part[i]);
	for (size_t i = CSV_SIZE; i < CSV_TIME; i++)
		raise(c, c->at[i]);
}

/* A name of the header alone is what it is easy to write. */
static int fail_name(const struct csv_field *f, struct tide_error *err)
{
	struct td_trace_shown name = td_trace_show(f->text, f->n);

	return tide_fail(err, -EINVAL,
			 "csv column %s: say what it is: page=%s, key=%s, or addr=%s for bytes",
			 name.text, name.text, name.text, name.text);
}

static int fail_key(const struct csv_field *f, struct tide_error *err)
{
	struct td_trace_shown word = td_trace_show(f->text, f->n);
	const char *near = td_core_nearest(word.text, td_trace_csv_keys, CSV_KEYS);

	return tide_fail(err, -EINVAL,
			 "unknown csv column %s%s%s%s: known are page, addr, lbn, key, size, cost, "
			 "group, op, ref, stream and time",
			 word.text, near ? ", did you mean " : "", near ? near : "",
			 near ? "?" : "");
}

/* The column that a number or a name of the header line means. */
static int find_column(struct csv_columns *c, enum csv_key k, const struct csv_field *f,
		       const struct csv_header *header, unsigned *column, struct tide_error *err)
{
	uint64_t number;
	int rc = td_core_u64(f->text, f->n, &number);

	if (!f->n || rc == -ERANGE || (!rc && (!number || number > CSV_MOST_COLUMNS)))
		return tide_fail(err, -EINVAL,
				 "csv column %s needs a number from 1 to %d, or a name of the "
				 "header line: write %s=1 for the first",
				 td_trace_csv_keys[k], CSV_MOST_COLUMNS, td_trace_csv_keys[k]);
	*column = (unsigned)number;
	if (!rc)
		return 0;
	for (size_t i = 0; i < header->n; i++) {
		if (header->fields[i].n == f->n &&
		    !strncasecmp(header->fields[i].text, f->text, f->n)) {
			*column = (unsigned)i + 1;
			c->named = true;
			return 0;
		}
	}
	return tide_fail(err, -EINVAL,
			 "the first line of %s has no column named %s: give a name that it has, "
			 "or a number from 1 to %d",
			 header->file, td_trace_show(f->text, f->n).text, CSV_MOST_COLUMNS);
}

/* The columns of the key: "layer+expert". */
static int set_parts(struct csv_columns *c, const struct csv_field *value,
		     const struct csv_header *header, struct tide_error *err)
{
	const char *p = value->text, *end = p + value->n;
	int rc = 0;

	while (!rc && c->parts < CSV_MOST_PARTS) {
		const char *plus = memchr(p, '+', (size_t)(end - p));
		struct csv_field part = {p, (size_t)((plus ? plus : end) - p)};

		rc = find_column(c, CSV_KEY, &part, header, &c->part[c->parts++], err);
		c->at[CSV_KEY] = c->part[0];
		if (rc || !plus)
			return rc;
		p = plus + 1;
	}
	return rc ? rc
		  : tide_fail(err, -EINVAL, "csv column key has over %d parts: give fewer",
			      CSV_MOST_PARTS);
}

static int set_one(struct csv_columns *c, const char *text, size_t n,
		   const struct csv_header *header, struct tide_error *err)
{
	const char *equals = memchr(text, '=', n);
	struct csv_field key = {text, equals ? (size_t)(equals - text) : n}, value = {"", 0};
	enum csv_key k = find_key(&key);

	if (k == CSV_KEYS)
		return equals ? fail_key(&key, err) : fail_name(&key, err);
	if (c->at[k])
		return tide_fail(err, -EINVAL, "csv column %s is given twice: give it once",
				 td_trace_csv_keys[k]);
	if (equals)
		value = (struct csv_field){equals + 1, n - key.n - 1};
	return k == CSV_KEY ? set_parts(c, &value, header, err)
			    : find_column(c, k, &value, header, &c->at[k], err);
}

static int check(const struct csv_columns *c, struct tide_error *err)
{
	int n = !!c->at[CSV_PAGE] + !!c->at[CSV_ADDR] + !!c->at[CSV_LBN] + !!c->at[CSV_KEY];

	if (n != 1)
		return tide_fail(err, -EINVAL,
				 "csv columns name %s of page, key, addr and lbn: give "
				 "exactly one, such as page=1",
				 n ? "several" : "none");
	return 0;
}

int td_trace_csv_columns(struct csv_columns *c, const char *text, const struct csv_header *header,
			 struct tide_error *err)
{
	int rc;

	*c = (struct csv_columns){0};
	for (;;) {
		size_t n = strcspn(text, ",");

		rc = set_one(c, text, n, header, err);
		if (rc || !text[n])
			break;
		text += n + 1;
	}
	if (!rc)
		rc = check(c, err);
	if (!rc)
		settle(c);
	return rc;
}

/* A header that is one field: other programs separate fields by semicolons or tabs. */
static int fail_header(const struct csv_header *header, struct tide_error *err)
{
	const struct csv_field *f = &header->fields[0];

	if (header->n == 1 && (memchr(f->text, ';', f->n) || memchr(f->text, '\t', f->n)))
		return tide_fail(err, -EINVAL,
				 "%s has no comma in line 1: separate its fields by commas, as by "
				 "tr ';\\t' ',,'",
				 header->file);
	return tide_fail(err, -EINVAL,
			 "%s line 1 is a header without a column named page, key, "
			 "addr or lbn: say where it is with `columns` page=N, "
			 "key=NAME or addr=NAME",
			 header->file);
}

int td_trace_csv_header(struct csv_columns *c, const struct csv_header *header,
			struct tide_error *err)
{
	*c = (struct csv_columns){0};
	for (size_t i = 0; i < header->n; i++) {
		enum csv_key k = find_key(&header->fields[i]);

		if (k != CSV_KEYS && !c->at[k])
			c->at[k] = (unsigned)i + 1;
	}
	if (!c->at[CSV_PAGE] && !c->at[CSV_ADDR] && !c->at[CSV_LBN] && !c->at[CSV_KEY])
		return fail_header(header, err);
	c->part[0] = c->at[CSV_KEY];
	c->parts = 1;
	settle(c);
	return 0;
}

void td_trace_csv_plain(struct csv_columns *c, bool with_op)
{
	*c = (struct csv_columns){0};
	c->at[CSV_PAGE] = 1;
	c->at[CSV_OP] = with_op ? 2 : 0;
	settle(c);
}

int td_trace_csv_op(const struct csv_field *f)
{
	/* SCSI commands are written in hexadecimal, with or without 0x. */
	static const char *const reads[] = {"r",  "read", "get", "load", "28",
					    "08", "8",    "a8",  "88",   NULL};
	static const char *const writes[] = {"w",  "write", "set", "put", "store", "2a",
					     "0a", "a",     "aa",  "8a",  NULL};
	struct csv_field word = *f;

	if (word.n > 2 && word.text[0] == '0' && (word.text[1] | 0x20) == 'x') {
		word.text += 2;
		word.n -= 2;
	}
	for (size_t i = 0; reads[i]; i++)
		if (same(&word, reads[i]))
			return 0;
	for (size_t i = 0; writes[i]; i++)
		if (same(&word, writes[i]))
			return 1;
	return -1;
}
