/* twitter: the csv of Twitter's cache traces: time, key, key size, value size, client, operation,
 * time to live. */
#include <errno.h>
#include <string.h>

#include "number.h"
#include "reader.h"

enum { TTL, OP, CLIENT, VALUE_SIZE, KEY_SIZE, TAIL };

struct field {
	const unsigned char *text;
	size_t n;
};

static int fail(struct td_trace_reader *r, const char *what, const struct field *f, int code,
		struct tide_error *err)
{
	struct td_trace_shown shown = td_trace_show(f->text, f->n);

	return tide_fail(err, code,
			 "%s line %lu: %s \"%s\": a line is time, key, key size, value size, "
			 "client, operation, time to live",
			 r->in->name, (unsigned long)r->line, what, shown.text);
}

/* The time and the fields behind the key, from the last one on: a key may have commas. */
static bool split(const unsigned char *line, const unsigned char *end, struct field *key,
		  struct field *tail)
{
	const unsigned char *start = memchr(line, ',', (size_t)(end - line));

	if (!start)
		return false;
	start++;
	for (int i = 0; i < TAIL; i++) {
		const unsigned char *comma = memrchr(start, ',', (size_t)(end - start));

		if (!comma)
			return false;
		tail[i] = (struct field){comma + 1, (size_t)(end - comma - 1)};
		end = comma;
	}
	*key = (struct field){start, (size_t)(end - start)};
	return true;
}

/* 0: a read, 1: a write, -1: no operation of memcached. */
static int op_of(const struct field *f)
{
	static const char *const names[] = {"get",    "gets",    "set",    "add",  "cas", "replace",
					    "append", "prepend", "delete", "incr", "decr"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == f->n && !memcmp(names[i], f->text, f->n))
			return i >= 2;
	return -1;
}

static int take_numbers(struct td_trace_reader *r, const struct field *tail, struct tide_error *err)
{
	static const int which[] = {KEY_SIZE, VALUE_SIZE, CLIENT};
	uint64_t values[3];

	for (int i = 0; i < 3; i++) {
		const struct field *f = &tail[which[i]];
		int rc = td_trace_number(f->text, f->n, &values[i]);

		if (rc)
			return fail(r, "no number", f, rc == -ERANGE ? rc : -EBADMSG, err);
	}
	if (__builtin_add_overflow(values[0], values[1], &r->span.bytes))
		return fail(r, "a size beyond 64 bits", &tail[VALUE_SIZE], -ERANGE, err);
	r->span.stream = values[2];
	return 0;
}

static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	const unsigned char *end = r->in->at - 1;
	struct field key, tail[TAIL];
	int op, rc;

	end -= end > line && end[-1] == '\r';
	if (line == end)
		return 0;
	if (!split(line, end, &key, tail))
		return fail(r, "too few fields", &(struct field){line, (size_t)(end - line)},
			    -EBADMSG, err);
	r->span = (struct td_trace_span){0};
	rc = take_numbers(r, tail, err);
	if (rc)
		return rc;
	op = op_of(&tail[OP]);
	if (op < 0)
		return fail(r, "unknown operation", &tail[OP], -EBADMSG, err);
	r->span.write = (uint8_t)op;
	r->span.left = 1;
	return td_trace_key_page(r, (const char *)key.text, key.n, &r->span.page, err);
}

static bool is_number(const struct field *f)
{
	uint64_t value;

	return !td_core_u64((const char *)f->text, f->n, &value);
}

/* The first line has all fields, and its operation is one. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const unsigned char *end = memchr(head, '\n', n);
	struct field key, tail[TAIL];

	(void)bytes;
	if (!end || !td_trace_is_text(head, n))
		return false;
	end -= end > head && end[-1] == '\r';
	return split(head, end, &key, tail) && op_of(&tail[OP]) >= 0 && is_number(&tail[TTL]) &&
	       is_number(&tail[KEY_SIZE]) && is_number(&tail[VALUE_SIZE]);
}

static const char *const endings[] = {".twitter", NULL};

const struct td_trace_format td_trace_format_twitter = {
	.name = "twitter",
	.listed = 44,
	.tried = 16,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.start = td_trace_start_sized,
	.take_line = take_line,
	.looks = looks,
};
