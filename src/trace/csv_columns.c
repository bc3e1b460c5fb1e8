#include "csv_columns.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "reader.h"

const char *const td_trace_csv_keys[CSV_KEYS + 1] = {"page", "addr", "lbn",    "size",
						     "op",   "ref",  "stream", NULL};

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

static void settle(struct csv_columns *c)
{
	c->where = c->at[CSV_PAGE] ? CSV_PAGE : c->at[CSV_ADDR] ? CSV_ADDR : CSV_LBN;
	if (c->where == CSV_PAGE)
		c->at[CSV_SIZE] = 0;
	c->last = c->at[c->where];
	for (size_t i = CSV_SIZE; i < CSV_KEYS; i++)
		if (c->at[i] > c->last)
			c->last = c->at[i];
}

static int fail_key(const struct csv_field *f, struct tide_error *err)
{
	struct td_trace_shown word = td_trace_show(f->text, f->n);
	const char *near = td_core_nearest(word.text, td_trace_csv_keys, CSV_KEYS);

	return tide_fail(err, -EINVAL,
			 "unknown csv column %s%s%s%s: known are page, addr, lbn, "
			 "size, op, ref and stream",
			 word.text, near ? ", did you mean " : "", near ? near : "",
			 near ? "?" : "");
}

static int set_one(struct csv_columns *c, const char *text, size_t n, struct tide_error *err)
{
	const char *equals = memchr(text, '=', n);
	struct csv_field key = {text, equals ? (size_t)(equals - text) : n};
	enum csv_key k = find_key(&key);
	uint64_t column;

	if (k == CSV_KEYS)
		return fail_key(&key, err);
	if (!equals || td_core_u64(equals + 1, n - key.n - 1, &column) || !column ||
	    column > CSV_MOST_COLUMNS)
		return tide_fail(err, -EINVAL,
				 "csv column %s needs a number from 1 to %d: write "
				 "%s=1 for the first",
				 td_trace_csv_keys[k], CSV_MOST_COLUMNS, td_trace_csv_keys[k]);
	if (c->at[k])
		return tide_fail(err, -EINVAL, "csv column %s is given twice: give it once",
				 td_trace_csv_keys[k]);
	c->at[k] = (unsigned)column;
	return 0;
}

static int check(const struct csv_columns *c, struct tide_error *err)
{
	int n = !!c->at[CSV_PAGE] + !!c->at[CSV_ADDR] + !!c->at[CSV_LBN];

	if (n != 1)
		return tide_fail(err, -EINVAL,
				 "csv columns name %s of page, addr and lbn: give "
				 "exactly one, such as page=1",
				 n ? "several" : "none");
	if (c->at[CSV_PAGE] && c->at[CSV_SIZE])
		return tide_fail(err, -EINVAL,
				 "csv column size goes with addr or lbn, not with "
				 "page: leave it out");
	return 0;
}

int td_trace_csv_columns(struct csv_columns *c, const char *text, struct tide_error *err)
{
	int rc;

	*c = (struct csv_columns){0};
	for (;;) {
		size_t n = strcspn(text, ",");

		rc = set_one(c, text, n, err);
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

int td_trace_csv_header(struct csv_columns *c, const struct csv_field *fields, size_t n,
			const char *file, struct tide_error *err)
{
	*c = (struct csv_columns){0};
	for (size_t i = 0; i < n; i++) {
		enum csv_key k = find_key(&fields[i]);

		if (k != CSV_KEYS && !c->at[k])
			c->at[k] = (unsigned)i + 1;
	}
	if (!c->at[CSV_PAGE] && !c->at[CSV_ADDR] && !c->at[CSV_LBN])
		return tide_fail(err, -EINVAL,
				 "%s line 1 is a header without a column named page, "
				 "addr or lbn: say where it is with `columns` page=N",
				 file);
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
