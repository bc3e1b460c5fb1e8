/* Which formats there are, and which one a name means. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "reader.h"

/* The strictest look at the content comes first. */
const struct td_trace_format *const td_trace_formats[] = {
	&td_trace_tide,  &td_trace_csv,           &td_trace_txt,
	&td_trace_vscsi, &td_trace_oraclegeneral, NULL,
};

const char *const td_trace_read_formats[] = {"tide", "txt", "csv", "oraclegeneral", "vscsi", NULL};
const char *const td_trace_write_formats[] = {"tide", "txt", "oraclegeneral", NULL};

bool td_trace_ends_with(const char *name, size_t n, const char *ending)
{
	size_t m = strlen(ending);

	return n > m && !strncasecmp(name + n - m, ending, m);
}

static const struct td_trace_format *by_ending(const char *path)
{
	size_t n = strlen(path);

	if (td_trace_ends_with(path, n, ".gz"))
		n -= 3;
	else if (td_trace_ends_with(path, n, ".zst"))
		n -= 4;
	for (size_t i = 0; td_trace_formats[i]; i++)
		for (const char *const *e = td_trace_formats[i]->endings; *e; e++)
			if (td_trace_ends_with(path, n, *e))
				return td_trace_formats[i];
	return NULL;
}

static size_t list_names(char *to, size_t bytes, const char *const *names)
{
	size_t i, at = 0;

	for (i = 0; names[i] && at < bytes; i++)
		at += (size_t)snprintf(to + at, bytes - at, "%s%s", i ? ", " : "", names[i]);
	return i;
}

static int fail_unknown(const char *name, const char *const *known, struct tide_error *err)
{
	char list[128];
	size_t n = list_names(list, sizeof list, known);
	const char *near = td_core_nearest(name, known, n);

	if (near)
		return tide_fail(err, -EINVAL,
				 "unknown trace format %s, did you mean %s?: known "
				 "here are %s",
				 name, near, list);
	return tide_fail(err, -EINVAL, "unknown trace format %s: known here are %s", name, list);
}

int td_trace_named_format(const struct td_trace_format **out, const char *format, const char *path,
			  const char *const *known, struct tide_error *err)
{
	*out = NULL;
	if (!format) {
		*out = by_ending(path);
		return 0;
	}
	for (size_t i = 0; known[i]; i++)
		for (size_t j = 0; td_trace_formats[j]; j++)
			if (!strcmp(known[i], format) && !strcmp(td_trace_formats[j]->name, format))
				*out = td_trace_formats[j];
	return *out ? 0 : fail_unknown(format, known, err);
}

bool td_trace_is_text(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint(head[i]) && !strchr("\t\r\n", head[i]) && head[i] < 0x80)
			return false;
	/* strchr finds the ending 0 of its text too. */
	return n && !memchr(head, 0, n);
}

struct td_trace_shown td_trace_show(const void *bytes, size_t n)
{
	struct td_trace_shown s = {{0}};
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n && i < sizeof s.text - 1; i++)
		s.text[i] = (char)(p[i] < 0x20 || p[i] >= 0x7f ? '?' : p[i]);
	return s;
}
