/* Files of documents, one after the other, read a byte at a time: so the parser takes no byte of
 * the next document, and the line where it stops is known. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

uint64_t td_report_u64(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	/* Beyond 2^63 tide writes numbers as texts. */
	if (text && *text >= '0' && *text <= '9')
		return strtoull(text, NULL, 10);
	return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
}

double td_report_real(const json_t *value)
{
	const char *text = json_string_value(value);
	char *end;
	double number;

	if (json_is_number(value))
		return json_number_value(value);
	if (!text || !*text)
		return NAN;
	/* "1.56x" and "75%" are numbers too; "below 1" and "inf" are not. */
	number = strtod(text, &end);
	if (end == text || !isfinite(number) ||
	    (*end && strcmp(end, "x") != 0 && strcmp(end, "%") != 0))
		return NAN;
	return number;
}

const char *td_report_string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

struct reader {
	FILE *from;
	size_t line; /* where the next byte stands */
	bool ended;
};

static size_t give_byte(void *buffer, size_t room, void *reader)
{
	struct reader *in = reader;
	int c = room ? getc(in->from) : EOF;

	if (c == EOF) {
		in->ended = true;
		return 0;
	}
	in->line += c == '\n';
	*(char *)buffer = (char)c;
	return 1;
}

/* The next byte that is no blank, left where it is; EOF: there is none. */
static int skip_blanks(struct reader *in)
{
	int c;

	while ((c = getc(in->from)) != EOF) {
		if (!strchr(" \t\r\n", c) || c == 0) {
			ungetc(c, in->from);
			return c;
		}
		in->line += c == '\n';
	}
	return EOF;
}

/* The parser shows what stands at the place, which may be anything: that is left out. */
static int fail_parse(const struct reader *in, const char *path, size_t started, json_error_t *why,
		      struct tide_error *err)
{
	char *shown = strstr(why->text, " near ");

	if (in->ended)
		return tide_fail(err, -EIO,
				 "%.150s line %zu: the result that begins here is cut short: run "
				 "its command again, or remove it",
				 path, started);
	if (shown)
		*shown = '\0';
	return tide_fail(
		err, -EIO,
		"%.150s line %zu: not JSON (%s): remove what stands there, or give another "
		"file that tide wrote",
		path, started + (size_t)(why->line > 0 ? why->line - 1 : 0), why->text);
}

static int read_one(struct td_report *r, struct reader *in, const char *path, uint32_t file,
		    struct tide_error *err)
{
	json_error_t why;
	size_t started = in->line;
	json_t *doc = json_load_callback(give_byte, in, JSON_DISABLE_EOF_CHECK, &why);
	int rc;

	if (!doc)
		return fail_parse(in, path, started, &why, err);
	rc = td_report_take(r, doc, file);
	json_decref(doc);
	if (rc == -ENOMEM)
		return tide_fail(err, rc, "no memory for the results: give fewer files at a time");
	if (rc)
		return tide_fail(
			err, -EIO,
			"%.150s line %zu: JSON, but no result that can be reported: give "
			"those of sim, compare, sweep, mrc, reproduce, gpu bench or run --gpu-near",
			path, started);
	return 0;
}

static int read_all(struct td_report *r, struct reader *in, const char *path,
		    struct tide_error *err)
{
	uint32_t file;
	int rc = td_report_name(&r->files, path, &file);

	if (rc)
		return tide_fail(err, rc, "no memory for the results: give fewer files at a time");
	while (!rc && skip_blanks(in) != EOF)
		rc = read_one(r, in, path, file, err);
	if (ferror(in->from))
		return tide_fail(err, -EIO, "cannot read %.150s: %s: give a file of results", path,
				 strerror(errno));
	return rc;
}

int td_report_read(struct td_report *r, const char *path, struct tide_error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct reader in = {is_stdin ? stdin : fopen(path, "r"), 1, false};
	int rc;

	if (!in.from)
		return tide_fail(err, -errno, "cannot open %.150s: %s: give a file of results",
				 path, strerror(errno));
	rc = read_all(r, &in, is_stdin ? "standard input" : path, err);
	if (!is_stdin)
		fclose(in.from);
	return rc;
}
