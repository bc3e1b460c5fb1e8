#include "csv_fields.h"

#include <string.h>

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const unsigned char *past_blanks(const unsigned char *p)
{
	while (blank(*p))
		p++;
	return p;
}

static bool ends_field(unsigned char c)
{
	return c == ',' || c == '\n';
}

/* The quote that ends the text at p, or the end of the line. Two quotes are part of the text. */
static const unsigned char *closing_quote(const unsigned char *p)
{
	while (*p != '\n' && (*p != '"' || p[1] == '"'))
		p += *p == '"' ? 2 : 1;
	return p;
}

/* The next field; *at moves past the comma. Quotes are those around the whole field. */
static struct csv_field take_field(const unsigned char **at)
{
	const unsigned char *start = past_blanks(*at), *stop, *p;

	if (*start == '"') {
		stop = closing_quote(start + 1);
		p = past_blanks(stop + (*stop == '"'));
		if (ends_field(*p)) {
			start++;
			goto done;
		}
	}
	for (p = start; !ends_field(*p);)
		p++;
	for (stop = p; stop > start && blank(stop[-1]);)
		stop--;
done:
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
	line = past_blanks(line);
	return *line == '\n' || *line == '#';
}

/* A field with a comma was quoted, and quotes inside it are doubled. So the text can be split
 * again, and two lists of fields give the same text only if a field is no proper one. */
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
