#include "json.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int td_trace_json_more(struct td_trace_reader *r, struct tide_error *err)
{
	while (r->in->at == r->in->end) {
		int rc;

		if (r->in->eof)
			return TD_TRACE_JSON_END;
		rc = td_trace_input_more(r->in, err);
		if (rc)
			return rc;
	}
	return *r->in->at;
}

static int fail(struct td_trace_reader *r, const char *what, struct tide_error *err)
{
	return tide_fail(err, -EBADMSG, "%s line %lu: %s", r->in->name, (unsigned long)r->line,
			 what);
}

int td_trace_json_wrong(struct td_trace_reader *r, int c, const char *wanted,
			struct tide_error *err)
{
	unsigned char byte = (unsigned char)c;

	if (c < 0)
		return c;
	if (c == '\n' || c == TD_TRACE_JSON_END)
		return tide_fail(err, -EBADMSG,
				 "%s line %lu ends where JSON needs %s: each line is one object, "
				 "{...}",
				 r->in->name, (unsigned long)r->line, wanted);
	return tide_fail(err, -EBADMSG,
			 "%s line %lu has \"%s\" where JSON needs %s: each line is one object, "
			 "{...}",
			 r->in->name, (unsigned long)r->line, td_trace_show(&byte, 1).text, wanted);
}

/* ---- texts ---- */

static void keep(struct td_trace_json_text *to, const void *bytes, size_t n)
{
	if (!to)
		return;
	if (n > to->room - to->n) {
		n = to->room - to->n;
		to->cut = true;
	}
	memcpy(to->at + to->n, bytes, n);
	to->n += n;
}

static void keep_code(struct td_trace_json_text *to, uint32_t code)
{
	char utf8[4];
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i; i--, code >>= 6)
		utf8[i] = (char)(0x80 | (code & 0x3f));
	utf8[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xff) | code);
	keep(to, utf8, n);
}

static int take_hex4(struct td_trace_reader *r, uint32_t *code, struct tide_error *err)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		int c = td_trace_json_peek(r, err);

		if (c < 0 || c == TD_TRACE_JSON_END || !isxdigit(c))
			return td_trace_json_wrong(r, c, "four hexadecimal digits after \\u", err);
		*code = *code << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
		r->in->at++;
	}
	return 0;
}

/* After \u. Two of them may be one character. */
static int take_code(struct td_trace_reader *r, struct td_trace_json_text *to,
		     struct tide_error *err)
{
	uint32_t code, low;
	int rc = take_hex4(r, &code, err);

	if (rc || code < 0xd800 || code > 0xdfff) {
		if (!rc)
			keep_code(to, code);
		return rc;
	}
	for (const char *p = "\\u"; *p; p++) {
		int c = td_trace_json_peek(r, err);

		if (c != *p)
			return td_trace_json_wrong(r, c, "the second half of a \\u pair", err);
		r->in->at++;
	}
	rc = take_hex4(r, &low, err);
	if (rc)
		return rc;
	if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return fail(r, "a text has half of a \\u pair: correct it", err);
	keep_code(to, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
	return 0;
}

/* After the backslash. */
static int take_escape(struct td_trace_reader *r, struct td_trace_json_text *to,
		       struct tide_error *err)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	int c = td_trace_json_peek(r, err);
	const char *at = c > 0 && c < 0x80 ? strchr(names, c) : NULL;

	if (!at && c != 'u')
		return td_trace_json_wrong(r, c, "one of \"\\/bfnrtu after a backslash", err);
	r->in->at++;
	if (!at)
		return take_code(r, to, err);
	keep(to, &means[at - names], 1);
	return 0;
}

int td_trace_json_string(struct td_trace_reader *r, struct td_trace_json_text *to,
			 struct tide_error *err)
{
	int c = td_trace_json_peek(r, err), rc = 0;

	if (c != '"')
		return td_trace_json_wrong(r, c, "a text", err);
	r->in->at++;
	while (!rc) {
		unsigned char *p = r->in->at;

		while (p < r->in->end && *p != '"' && *p != '\\' && *p >= 0x20)
			p++;
		keep(to, r->in->at, (size_t)(p - r->in->at));
		r->in->at = p;
		c = td_trace_json_peek(r, err);
		if (c >= 0x20 && c != '"' && c != '\\' && c != TD_TRACE_JSON_END)
			continue;
		if (c != '"' && c != '\\')
			return td_trace_json_wrong(r, c, "the end of a text", err);
		r->in->at++;
		if (c == '"')
			return 0;
		rc = take_escape(r, to, err);
	}
	return rc;
}

int td_trace_json_name(struct td_trace_reader *r, struct td_trace_json_text *to,
		       struct tide_error *err)
{
	int c = td_trace_json_blank(r, err), rc;

	if (c != '"')
		return td_trace_json_wrong(r, c, "the name of a member", err);
	rc = td_trace_json_string(r, to, err);
	if (rc)
		return rc;
	c = td_trace_json_blank(r, err);
	if (c != ':')
		return td_trace_json_wrong(r, c, "a colon", err);
	r->in->at++;
	return 0;
}

/* ---- numbers ---- */

/* Digits, at least one. value NULL: of any size. */
static int take_digits(struct td_trace_reader *r, uint64_t *value, struct tide_error *err)
{
	int c = td_trace_json_peek(r, err);
	uint64_t v = 0;

	if (c < '0' || c > '9')
		return td_trace_json_wrong(r, c, "a digit", err);
	for (; c >= '0' && c <= '9'; c = td_trace_json_peek(r, err)) {
		if (value && (__builtin_mul_overflow(v, 10, &v) ||
			      __builtin_add_overflow(v, (uint64_t)(c - '0'), &v)))
			return tide_fail(err, -ERANGE,
					 "%s line %lu: a number does not fit 64 bits: numbers go "
					 "up to 18446744073709551615",
					 r->in->name, (unsigned long)r->line);
		r->in->at++;
	}
	if (value)
		*value = v;
	return c < 0 ? c : 0;
}

/* A sign and digits, without zeros in front. */
static int take_whole(struct td_trace_reader *r, uint64_t *value, bool *minus,
		      struct tide_error *err)
{
	int c = td_trace_json_peek(r, err);

	*minus = c == '-';
	r->in->at += *minus;
	c = td_trace_json_peek(r, err);
	if (c != '0')
		return take_digits(r, value, err);
	r->in->at++;
	if (value)
		*value = 0;
	c = td_trace_json_peek(r, err);
	return c >= '0' && c <= '9' ? fail(r, "a number begins with 0: leave the 0 out", err) : 0;
}

int td_trace_json_integer(struct td_trace_reader *r, uint64_t *value, struct tide_error *err)
{
	bool minus;
	int rc = take_whole(r, value, &minus, err), c;

	if (rc)
		return rc;
	c = td_trace_json_peek(r, err);
	if (c == '.' || c == 'e' || c == 'E')
		return fail(r, "a block is no whole number: blocks are whole numbers or texts",
			    err);
	if (minus && *value > (uint64_t)INT64_MAX + 1)
		return tide_fail(err, -ERANGE,
				 "%s line %lu: a number does not fit 64 bits: numbers go down to "
				 "-9223372036854775808",
				 r->in->name, (unsigned long)r->line);
	if (minus)
		*value = 0 - *value;
	return 0;
}

static int skip_number(struct td_trace_reader *r, struct tide_error *err)
{
	bool minus;
	int rc = take_whole(r, NULL, &minus, err);

	if (!rc && td_trace_json_peek(r, err) == '.') {
		r->in->at++;
		rc = take_digits(r, NULL, err);
	}
	if (!rc && (td_trace_json_peek(r, err) | 0x20) == 'e') {
		int c;

		r->in->at++;
		c = td_trace_json_peek(r, err);
		r->in->at += c == '+' || c == '-';
		rc = take_digits(r, NULL, err);
	}
	return rc;
}

/* ---- values ---- */

static int skip_word(struct td_trace_reader *r, const char *word, struct tide_error *err)
{
	for (; *word; word++) {
		int c = td_trace_json_peek(r, err);

		if (c != *word)
			return td_trace_json_wrong(r, c, "true, false or null", err);
		r->in->at++;
	}
	return 0;
}

static int skip_value(struct td_trace_reader *r, unsigned depth, struct tide_error *err);

/* A list or an object, at its bracket. */
static int skip_members(struct td_trace_reader *r, bool object, unsigned depth,
			struct tide_error *err)
{
	const char *wanted = object ? "a comma or }" : "a comma or ]";
	int c, rc = 0, close = object ? '}' : ']';

	if (depth == TD_TRACE_JSON_DEPTH)
		return fail(r, "lists and objects are more than 64 deep: is this a trace?", err);
	r->in->at++;
	c = td_trace_json_blank(r, err);
	while (c != close) {
		if (object)
			rc = td_trace_json_name(r, NULL, err);
		if (!rc)
			rc = skip_value(r, depth + 1, err);
		if (rc)
			return rc;
		c = td_trace_json_blank(r, err);
		if (c == close)
			break;
		if (c != ',')
			return td_trace_json_wrong(r, c, wanted, err);
		r->in->at++;
		c = TD_TRACE_JSON_END; /* a comma needs a value behind it */
	}
	r->in->at++;
	return 0;
}

static int skip_value(struct td_trace_reader *r, unsigned depth, struct tide_error *err)
{
	int c = td_trace_json_blank(r, err);

	switch (c) {
	case '{':
	case '[': return skip_members(r, c == '{', depth, err);
	case '"': return td_trace_json_string(r, NULL, err);
	case 't': return skip_word(r, "true", err);
	case 'f': return skip_word(r, "false", err);
	case 'n': return skip_word(r, "null", err);
	default: break;
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return skip_number(r, err);
	return td_trace_json_wrong(r, c, "a value", err);
}

int td_trace_json_skip(struct td_trace_reader *r, struct tide_error *err)
{
	return skip_value(r, 1, err);
}
