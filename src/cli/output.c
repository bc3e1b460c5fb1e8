#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"

struct td_cli_name td_cli_name(const char *name)
{
	struct td_cli_name out;

	td_core_escape(out.text, sizeof out.text, name, true);
	return out;
}

/* Cells hold names of files and policies too. Takes the text over; NULL: no memory. */
static char *make_safe(char *text)
{
	size_t n = text ? td_core_escape(NULL, 0, text, true) : 0;
	char *safe;

	if (!text || n == strlen(text))
		return text;
	safe = malloc(n + 1);
	if (safe)
		td_core_escape(safe, n + 1, text, true);
	free(text);
	return safe;
}

void td_cli_cell(struct td_cli_table *t, const char *format, ...)
{
	va_list args;
	char *text;

	if (t->n == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		char **cells = realloc(t->cells, room * sizeof *cells);
		if (!cells) {
			t->failed = true;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	t->cells[t->n] = make_safe(text);
	if (t->cells[t->n])
		t->n++;
	else
		t->failed = true;
}

static int column_width(const struct td_cli_table *t, size_t column, size_t columns)
{
	size_t width = 0;

	for (size_t i = column; i < t->n; i += columns) {
		size_t len = strlen(t->cells[i]);
		if (len > width)
			width = len;
	}
	return (int)width;
}

/* Blanks are owed until a cell needs them: no line ends in blanks. */
static void print_row(const struct td_cli_table *t, size_t row, size_t columns, const int *widths)
{
	int owed = 0;

	for (size_t c = 0; c < columns; c++) {
		const char *cell = t->cells[row * columns + c];
		int pad = widths[c] - (int)strlen(cell);
		if (t->align[c] == 'r')
			owed += pad;
		if (*cell) {
			printf("%*s%s", owed, "", cell);
			owed = 0;
		}
		owed += 2 + (t->align[c] == 'r' ? 0 : pad);
	}
	putchar('\n');
}

int td_cli_table_end(struct td_cli_table *t, struct tide_error *err)
{
	size_t columns = strlen(t->align);
	int widths[TD_CLI_COLUMNS];

	if (!t->failed) {
		for (size_t c = 0; c < columns; c++)
			widths[c] = column_width(t, c, columns);
		for (size_t row = 0; row < t->n / columns; row++)
			print_row(t, row, columns, widths);
	}
	for (size_t i = 0; i < t->n; i++)
		free(t->cells[i]);
	free(t->cells);
	return t->failed ? tide_fail(err, -ENOMEM, "no memory for a table: free some") : 0;
}

struct td_cli_number td_cli_grouped(uint64_t n)
{
	struct td_cli_number out;
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	char *to = out.text;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

static struct td_cli_number show_bytes(double value)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	struct td_cli_number out;
	size_t unit = 0;

	while (value >= 1024 && unit < 6) {
		value /= 1024;
		unit++;
	}
	/* "4 KiB", but "1.5 MiB". */
	snprintf(out.text, sizeof out.text, "%.*f %s", value == (double)(uint64_t)value ? 0 : 1,
		 value, units[unit]);
	return out;
}

struct td_cli_number td_cli_bytes(uint64_t bytes)
{
	return show_bytes((double)bytes);
}

struct td_cli_number td_cli_pages(uint64_t pages, uint64_t page_bytes)
{
	return show_bytes((double)pages * (double)page_bytes);
}

struct td_cli_number td_cli_share(uint64_t part, uint64_t of)
{
	struct td_cli_number out = {""};

	if (of)
		snprintf(out.text, sizeof out.text, "%.2f%%", 100.0 * (double)part / (double)of);
	return out;
}

/* ---- what policies report ---- */

static void put_value(FILE *to, const json_t *value);

static void put_real(FILE *to, double value)
{
	fprintf(to, value > -1e4 && value < 1e4 ? "%.4g" : "%.0f", value);
}

static void put_list(FILE *to, const json_t *list)
{
	size_t i;
	json_t *one;

	json_array_foreach(list, i, one)
	{
		fputs(i ? " " : "", to);
		put_value(to, one);
	}
}

static void put_members(FILE *to, const json_t *object)
{
	const char *key, *between = "";
	json_t *one;

	json_object_foreach((json_t *)object, key, one)
	{
		fprintf(to, "%s%s ", between, key);
		put_value(to, one);
		between = "; ";
	}
}

static void put_value(FILE *to, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT: put_members(to, value); break;
	case JSON_ARRAY: put_list(to, value); break;
	case JSON_STRING: fputs(json_string_value(value), to); break;
	case JSON_INTEGER:
		fputs(td_cli_grouped((uint64_t)json_integer_value(value)).text, to);
		break;
	case JSON_REAL: put_real(to, json_real_value(value)); break;
	case JSON_TRUE: fputs("yes", to); break;
	case JSON_FALSE: fputs("no", to); break;
	case JSON_NULL: fputs("none", to); break;
	}
}

void td_cli_value_cell(struct td_cli_table *t, const json_t *value)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to) {
		put_value(to, value);
		fclose(to);
	}
	t->failed |= !text;
	td_cli_cell(t, "%s", text ? text : "");
	free(text);
}
