/* wiki: Wikimedia's traces of its caches, fields separated by tabs or commas. Of images: time, key,
 * type, bytes, seconds to the first byte. Of texts the same without a type. */
#include <errno.h>
#include <string.h>

#include "number.h"
#include "reader.h"

enum { MOST_FIELDS = 5 };

struct field {
	const unsigned char *text;
	size_t n;
};

static size_t split(const unsigned char *line, struct field *fields)
{
	size_t n = 0;

	for (;;) {
		size_t bytes = strcspn((const char *)line, "\t,\r\n");

		if (n < MOST_FIELDS)
			fields[n] = (struct field){line, bytes};
		n++;
		line += bytes;
		if (*line == '\r' || *line == '\n')
			return n;
		line++;
	}
}

static bool is_number(const struct field *f)
{
	uint64_t value;

	return !td_core_u64((const char *)f->text, f->n, &value);
}

/* The bytes are the last field but one. */
static bool is_request(const struct field *fields, size_t n)
{
	return (n == MOST_FIELDS || n == MOST_FIELDS - 1) && is_number(&fields[0]) && fields[1].n &&
	       is_number(&fields[n - 2]);
}

static bool is_heading(const struct field *fields, size_t n)
{
	static const char first[] = "relative_unix";

	return n && fields[0].n == strlen(first) && !memcmp(fields[0].text, first, fields[0].n);
}

static int take_line(struct td_trace_reader *r, const unsigned char *line, struct tide_error *err)
{
	struct field fields[MOST_FIELDS];
	size_t n;

	if (*line == '\n' || *line == '\r')
		return 0;
	n = split(line, fields);
	if (r->line == 1 && is_heading(fields, n))
		return 0;
	if (!is_request(fields, n))
		return tide_fail(err, -EBADMSG,
				 "%s line %lu, \"%s\", is no request: a line is time, key, type "
				 "(of images only), bytes, seconds to the first byte",
				 r->in->name, (unsigned long)r->line,
				 td_trace_show(line, strcspn((const char *)line, "\r\n")).text);
	r->span = (struct td_trace_span){.left = 1};
	td_trace_number(fields[n - 2].text, fields[n - 2].n, &r->span.bytes);
	return td_trace_key_page(r, (const char *)fields[1].text, fields[1].n, &r->span.page, err);
}

/* Only by its heading, since columns of numbers could be anything. */
static bool looks(const unsigned char *head, size_t n, uint64_t bytes)
{
	struct field fields[MOST_FIELDS];

	(void)bytes;
	return memchr(head, '\n', n) && td_trace_is_text(head, n) &&
	       is_heading(fields, split(head, fields));
}

static const char *const endings[] = {".wiki", NULL};

const struct td_trace_format td_trace_format_wiki = {
	.name = "wiki",
	.listed = 46,
	.tried = 17,
	.endings = endings,
	.reader_bytes = sizeof(struct td_trace_reader),
	.start = td_trace_start_sized,
	.take_line = take_line,
	.looks = looks,
};
