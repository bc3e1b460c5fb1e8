/* jsonl: one object per line, with a list of blocks. A line is a group, as a request to a language
 * model is; its blocks in order are the accesses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"

#define DEFAULT_LIST "hash_ids"
#define MOST_NAME 256
#define MOST_TEXT 65536
#define FAST_BYTES 32 /* a number and what is behind it can be read without a look at the end */

enum place { BETWEEN, MEMBERS, BLOCKS };

struct jsonl_reader {
	struct td_trace_reader head;
	char list[MOST_NAME]; /* the member that has the blocks */
	enum place place;
	bool seen;   /* this line had the list */
	bool fresh;  /* no block of the list was taken */
	bool begins; /* the next block begins a group */
	bool ended;
	char text[MOST_TEXT];
};

static bool is_named(const struct td_trace_json_text *name, const char *as)
{
	return !name->cut && name->n == strlen(as) && !memcmp(name->at, as, name->n);
}

static int fail(struct jsonl_reader *j, const char *what, struct tide_error *err)
{
	return tide_fail(err, -EBADMSG,
			 "%s line %lu %s %s: say the right one with `columns` blocks=NAME",
			 j->head.in->name, (unsigned long)j->head.line, what, j->list);
}

/* After the closing brace. */
static int end_line(struct jsonl_reader *j, struct tide_error *err)
{
	struct td_trace_reader *r = &j->head;
	int c;

	r->in->at++;
	c = td_trace_json_blank(r, err);
	if (c != '\n' && c != TD_TRACE_JSON_END)
		return td_trace_json_wrong(r, c, "the end of the line", err);
	if (!j->seen)
		return fail(j, "has no list named", err);
	r->in->at += c == '\n';
	j->place = BETWEEN;
	return 0;
}

static int after_value(struct jsonl_reader *j, struct tide_error *err)
{
	int c = td_trace_json_blank(&j->head, err);

	if (c == '}')
		return end_line(j, err);
	if (c != ',')
		return td_trace_json_wrong(&j->head, c, "a comma or }", err);
	j->head.in->at++;
	return 0;
}

/* The next line that is not empty, up to its first member. */
static int begin_line(struct jsonl_reader *j, struct tide_error *err)
{
	struct td_trace_reader *r = &j->head;
	int c;

	for (r->line++; (c = td_trace_json_blank(r, err)) == '\n'; r->line++)
		r->in->at++;
	if (c == TD_TRACE_JSON_END) {
		j->ended = true;
		return 0;
	}
	if (c != '{')
		return td_trace_json_wrong(r, c, "{", err);
	r->in->at++;
	j->place = MEMBERS;
	j->seen = false;
	c = td_trace_json_blank(r, err);
	return c == '}' ? end_line(j, err) : c < 0 ? c : 0;
}

static int take_member(struct jsonl_reader *j, struct tide_error *err)
{
	struct td_trace_reader *r = &j->head;
	struct td_trace_json_text name = {j->text, MOST_NAME, 0, false};
	int rc = td_trace_json_name(r, &name, err), c;

	if (rc)
		return rc;
	if (!is_named(&name, j->list)) {
		rc = td_trace_json_skip(r, err);
		return rc ? rc : after_value(j, err);
	}
	if (j->seen)
		return fail(j, "has two members", err);
	c = td_trace_json_blank(r, err);
	if (c != '[')
		return c < 0 ? c : fail(j, "has no list in", err);
	r->in->at++;
	j->place = BLOCKS;
	j->seen = j->fresh = j->begins = true;
	return 0;
}

static int take_text(struct jsonl_reader *j, uint64_t *page, struct tide_error *err)
{
	struct td_trace_json_text key = {j->text, MOST_TEXT, 0, false};
	int rc = td_trace_json_string(&j->head, &key, err);

	if (!rc && key.cut)
		rc = tide_fail(err, -EBADMSG,
			       "%s line %lu: a block is a text of more than %d bytes: shorten it",
			       j->head.in->name, (unsigned long)j->head.line, MOST_TEXT);
	return rc ? rc : td_trace_key_page(&j->head, key.at, key.n, page, err);
}

static void put(struct jsonl_reader *j, struct tide_batch *batch, uint64_t page)
{
	batch->page[batch->n] = page;
	batch->write[batch->n] = 0;
	if (batch->object)
		batch->object->first[batch->n] = j->begins;
	batch->n++;
	j->begins = j->fresh = false;
}

/* Numbers of up to 15 digits with a comma behind them; all others are left. */
static void take_usual(struct jsonl_reader *j, struct tide_batch *batch, uint32_t max)
{
	struct td_trace_input *in = j->head.in;
	unsigned char *p = in->at;

	while (batch->n < max && in->end - p >= FAST_BYTES) {
		uint64_t page;
		size_t n;

		p += *p == ' ';
		n = td_trace_long_digits(p, &page);
		if (!n || p[n] != ',' || (*p == '0' && n > 1))
			break;
		p += n + 1;
		in->at = p;
		put(j, batch, page);
	}
}

static int take_block(struct jsonl_reader *j, struct tide_batch *batch, struct tide_error *err)
{
	struct td_trace_reader *r = &j->head;
	int c = td_trace_json_blank(r, err), rc;
	uint64_t page;

	if (c == '"')
		rc = take_text(j, &page, err);
	else if (c == '-' || (c >= '0' && c <= '9'))
		rc = td_trace_json_integer(r, &page, err);
	else
		rc = td_trace_json_wrong(r, c, "a block, a whole number or a text", err);
	if (!rc)
		put(j, batch, page);
	return rc;
}

static int end_list(struct jsonl_reader *j, struct tide_error *err)
{
	j->head.in->at++;
	j->place = MEMBERS;
	return after_value(j, err);
}

static int take_blocks(struct jsonl_reader *j, struct tide_batch *batch, uint32_t max,
		       struct tide_error *err)
{
	struct td_trace_reader *r = &j->head;

	if (j->fresh && td_trace_json_blank(r, err) == ']')
		return end_list(j, err);
	while (batch->n < max) {
		int rc, c;

		take_usual(j, batch, max);
		if (batch->n == max)
			break;
		rc = take_block(j, batch, err);
		if (rc)
			return rc;
		c = td_trace_json_blank(r, err);
		if (c == ']')
			return end_list(j, err);
		if (c != ',')
			return td_trace_json_wrong(r, c, "a comma or ]", err);
		r->in->at++;
	}
	return 0;
}

static int step(struct jsonl_reader *j, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	switch (j->place) {
	case BETWEEN: return begin_line(j, err);
	case MEMBERS: return take_member(j, err);
	case BLOCKS: break;
	}
	return take_blocks(j, batch, max, err);
}

static int next(struct td_trace_reader *r, struct tide_batch *batch, uint32_t max,
		struct tide_error *err)
{
	struct jsonl_reader *j = (struct jsonl_reader *)r;
	int rc = 0;

	while (!rc && batch->n < max && !j->ended)
		rc = step(j, batch, max, err);
	return rc;
}

/* ---- which member has the blocks ---- */

static const unsigned char *past_blanks(const unsigned char *p, const unsigned char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* At the value of a member: is it a list of numbers or texts, or an empty one if that may be? */
static bool holds_blocks(struct td_trace_reader *r, bool may_be_empty)
{
	const unsigned char *end = r->in->end, *p = past_blanks(r->in->at, end);

	if (p == end || *p != '[')
		return false;
	p = past_blanks(p + 1, end);
	return p < end &&
	       (*p == '"' || *p == '-' || (*p >= '0' && *p <= '9') || (may_be_empty && *p == ']'));
}

/* Looks at the members of a line; list becomes the first that has blocks. */
static int scan_line(struct jsonl_reader *j, struct td_trace_reader *r)
{
	char text[MOST_NAME];
	int c = td_trace_json_blank(r, NULL), rc;

	if (c != '{') {
		r->in->at += c == '\n';
		return c == '\n' ? 0 : -EBADMSG;
	}
	do {
		struct td_trace_json_text name = {text, MOST_NAME - 1, 0, false};
		bool usual;

		r->in->at++;
		rc = td_trace_json_name(r, &name, NULL);
		usual = !rc && is_named(&name, DEFAULT_LIST);
		if (!rc && holds_blocks(r, usual) && !name.cut && (!*j->list || usual)) {
			memcpy(j->list, text, name.n);
			j->list[name.n] = 0;
		}
		if (!rc)
			rc = td_trace_json_skip(r, NULL);
	} while (!rc && td_trace_json_blank(r, NULL) == ',');
	r->in->at++;
	return rc;
}

/* By the lines that are in the buffer, of which nothing is taken. What is wrong with them is said
 * when they are read. */
static int find_list(struct jsonl_reader *j, struct tide_error *err)
{
	struct td_trace_input view;
	struct td_trace_reader r = {.in = &view};
	int rc = td_trace_input_want(j->head.in, TD_TRACE_INPUT_BYTES, err);

	view = *j->head.in;
	view.eof = true;
	while (!rc && !*j->list && view.at < view.end)
		if (scan_line(j, &r))
			break;
	if (!*j->list)
		memcpy(j->list, DEFAULT_LIST, sizeof DEFAULT_LIST);
	return rc;
}

static int start(struct td_trace_reader *r, const struct td_trace_options *options,
		 struct tide_error *err)
{
	static const char key[] = "blocks=";
	struct jsonl_reader *j = (struct jsonl_reader *)r;
	const char *name;

	r->source.groups = true;
	r->source.facts.refs = 0;
	if (!options->columns)
		return find_list(j, err);
	name = strncmp(options->columns, key, strlen(key)) ? "" : options->columns + strlen(key);
	if (!*name || strchr(name, ',') || strlen(name) >= MOST_NAME)
		return tide_fail(err, -EINVAL,
				 "jsonl has one column: write blocks=NAME, the member that is the "
				 "list of blocks");
	memcpy(j->list, name, strlen(name) + 1);
	return 0;
}

static int restart(struct td_trace_reader *r, struct tide_error *err)
{
	struct jsonl_reader *j = (struct jsonl_reader *)r;

	(void)err;
	j->place = BETWEEN;
	j->ended = false;
	return 0;
}

/* An object with a member. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	const unsigned char *end = head + n, *p = past_blanks(head, end);

	(void)bytes;
	if (p == end || *p != '{' || !td_trace_is_text(head, n))
		return false;
	p = past_blanks(p + 1, end);
	return p < end && *p == '"';
}

static const char *const endings[] = {".jsonl", ".ndjson", NULL};

const struct td_trace_format td_trace_format_jsonl = {
	.name = "jsonl",
	.listed = 32,
	.tried = 15,
	.has_columns = true,
	.endings = endings,
	.reader_bytes = sizeof(struct jsonl_reader),
	.start = start,
	.restart = restart,
	.next = next,
	.looks = looks,
};
