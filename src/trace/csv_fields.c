#include "csv_fields.h"

#include <string.h>

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next field; *at moves past the comma. */
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

size_t td_trace_csv_split(const unsigned char *line, struct csv_field *fields, size_t most)
{
	const unsigned char *p = line;
	size_t n = 0;

	while (n < most) {
		fields[n++] = take_field(&p);
		if (p[0] == '\n' && p[-1] != ',')
			break;
	}
	return n;
}

bool td_trace_csv_empty(const unsigned char *line)
{
	while (blank(*line))
		line++;
	return *line == '\n' || *line == '#';
}

/* A field with a comma was quoted, and has no quote inside. One without a comma never begins with
 * a quote. So the text can be split again, and no two lists of fields give the same. */
char *td_trace_csv_join(char *to, const struct csv_field *field, bool first)
{
	bool quoted = field->n && memchr(field->text, ',', field->n);

	if (!first)
		*to++ = ',';
	if (quoted)
		*to++ = '"';
	memcpy(to, field->text, field->n);
	to += field->n;
	if (quoted)
		*to++ = '"';
	return to;
}
