/* Lists {16,32,64} and ranges {10..90}, {0.5..1.5..0.25}. A
 * backslash before a brace, a comma or a backslash takes its meaning away. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "braces.h"

#define DECIMALS_MAX 9
#define DIGITS_MAX 17

void td_cli_axis_free(struct td_cli_axis *axis)
{
	for (size_t i = 0; i < axis->n; i++)
		free(axis->at[i]);
	free(axis->at);
	*axis = (struct td_cli_axis){0};
}

/* Takes text over. */
static int push(struct td_cli_axis *axis, char *text, struct tide_error *err)
{
	if (!text)
		goto no_memory;
	if (axis->n == TD_CLI_VALUES_MAX) {
		free(text);
		return tide_fail(err, -EINVAL, "more than %d values: give fewer, or several sweeps",
				 TD_CLI_VALUES_MAX);
	}
	if (axis->n == axis->room) {
		size_t room = axis->room ? axis->room * 2 : 16;
		char **at = realloc(axis->at, room * sizeof *at);
		if (!at)
			goto no_memory;
		axis->at = at;
		axis->room = room;
	}
	axis->at[axis->n++] = text;
	return 0;
no_memory:
	free(text);
	return tide_fail(err, -ENOMEM, "no memory for the values of the grid: give fewer");
}

/* A decimal number as a whole one, in units of its last decimal. */
struct decimal {
	int64_t value;
	unsigned decimals, width; /* width: of digits that begin with a 0, as in 08 */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool read_decimal(const char *text, size_t n, struct decimal *out)
{
	bool negative = n && *text == '-', point = false;
	size_t digits = 0;

	*out = (struct decimal){0};
	for (size_t i = negative; i < n; i++) {
		if (text[i] == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (!is_digit(text[i]) || ++digits > DIGITS_MAX)
			return false;
		out->value = out->value * 10 + (text[i] - '0');
		out->decimals += point;
	}
	if (!point && digits > 1 && text[negative] == '0')
		out->width = (unsigned)digits;
	if (negative)
		out->value = -out->value;
	return digits && out->decimals <= DECIMALS_MAX && (!point || out->decimals);
}

static bool scale_to(struct decimal *d, unsigned decimals)
{
	for (; d->decimals < decimals; d->decimals++)
		if (__builtin_mul_overflow(d->value, 10, &d->value))
			return false;
	return true;
}

static char *write_decimal(int64_t value, unsigned decimals, unsigned width)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value, unit = 1;
	const char *sign = value < 0 ? "-" : "";
	char *text;
	int n;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	if (decimals)
		n = asprintf(&text, "%s%" PRIu64 ".%0*" PRIu64, sign, size / unit, (int)decimals,
			     size % unit);
	else
		n = asprintf(&text, "%s%0*" PRIu64, sign, (int)width, size);
	return n < 0 ? NULL : text;
}

struct range {
	struct decimal part[3]; /* from, to, step */
};

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* `FROM..TO` or `FROM..TO..STEP`, all brought to the same number of decimals. */
static bool read_range(const char *text, size_t n, struct range *r)
{
	const char *end = text + n;
	unsigned decimals = 0;
	size_t parts = 0;

	r->part[2] = (struct decimal){.value = 1};
	for (; parts < 3; parts++) {
		const char *dots = memmem(text, (size_t)(end - text), "..", 2);
		if (!read_decimal(text, (size_t)((dots ? dots : end) - text), &r->part[parts]))
			return false;
		decimals = most(decimals, r->part[parts].decimals);
		if (!dots)
			break;
		text = dots + 2;
	}
	if (parts == 0 || parts == 3 || r->part[2].value <= 0)
		return false;
	return scale_to(&r->part[0], decimals) && scale_to(&r->part[1], decimals) &&
	       scale_to(&r->part[2], decimals);
}

static int push_range(struct td_cli_axis *out, const struct range *r, struct tide_error *err)
{
	int64_t from = r->part[0].value, to = r->part[1].value, step = r->part[2].value;
	unsigned width = most(r->part[0].width, r->part[1].width);
	uint64_t n = (from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to) /
		     (uint64_t)step;
	int rc = 0;

	for (uint64_t i = 0; i <= n && !rc; i++) {
		rc = push(out, write_decimal(from, r->part[0].decimals, width), err);
		if (i < n)
			from += from < to ? step : -step;
	}
	return rc;
}

/* Copies text without the backslashes that only quote. */
static char *unquote(const char *text, size_t n)
{
	char *copy = malloc(n + 1);
	size_t used = 0;

	for (size_t i = 0; copy && i < n; i++) {
		if (text[i] == '\\' && i + 1 < n && strchr("{},\\", text[i + 1]))
			i++;
		copy[used++] = text[i];
	}
	if (copy)
		copy[used] = '\0';
	return copy;
}

/* How far text goes before one of these characters that is not quoted, or its end. */
static size_t span_to(const char *text, const char *stops)
{
	size_t n = 0;

	while (text[n] && !strchr(stops, text[n]))
		n += text[n] == '\\' && text[n + 1] ? 2 : 1;
	return n;
}

static int push_list(struct td_cli_axis *out, const char *text, struct tide_error *err)
{
	int rc = 0;

	for (bool more = true; more && !rc; text++) {
		size_t n = span_to(text, ",}");
		rc = push(out, unquote(text, n), err);
		text += n;
		more = *text == ',';
	}
	return rc;
}

/* What stands between braces, of which n is the length. */
static int read_braces(struct td_cli_axis *out, const char *text, size_t n, struct tide_error *err)
{
	struct range range;

	if (memchr(text, ',', n) || !memmem(text, n, "..", 2))
		return push_list(out, text, err);
	if (!read_range(text, n, &range))
		return tide_fail(err, -EINVAL,
				 "{%s} is no range: write {FROM..TO} or {FROM..TO..STEP} in "
				 "numbers, or a list {A,B,C}",
				 td_core_shown(text, n).text);
	return push_range(out, &range, err);
}

static char *join(const char *a, const char *b)
{
	char *text;

	return asprintf(&text, "%s%s", a, b) < 0 ? NULL : text;
}

/* Every value so far, continued in every way. */
static int multiply(struct td_cli_axis *values, const struct td_cli_axis *ends,
		    struct tide_error *err)
{
	struct td_cli_axis product = {0};
	int rc = 0;

	for (size_t i = 0; i < values->n && !rc; i++)
		for (size_t k = 0; k < ends->n && !rc; k++)
			rc = push(&product, join(values->at[i], ends->at[k]), err);
	td_cli_axis_free(values);
	*values = product;
	return rc;
}

/* The next piece of text: braces, or what stands before them. */
static int read_piece(struct td_cli_axis *ends, const char **text, struct tide_error *err)
{
	const char *from = *text;
	bool braces = *from == '{';
	size_t n = span_to(from + braces, "{}");
	char stop = from[braces + n];

	*text = from + n + 2 * (size_t)braces;
	if (braces && (stop != '}' || !n))
		return tide_fail(err, -EINVAL,
				 "%s: write {A,B,C} or {FROM..TO}, and \\{ for a brace itself",
				 !stop         ? "a brace is not closed"
				 : stop == '{' ? "braces within braces"
					       : "nothing between braces");
	if (!braces && stop == '}')
		return tide_fail(
			err, -EINVAL,
			"a brace is closed and none is open: write \\} for a brace itself");
	return braces ? read_braces(ends, from + 1, n, err) : push(ends, unquote(from, n), err);
}

static int expand(struct td_cli_axis *values, const char *text, struct tide_error *err)
{
	int rc = push(values, strdup(""), err);

	while (*text && !rc) {
		struct td_cli_axis ends = {0};
		rc = read_piece(&ends, &text, err);
		if (!rc)
			rc = multiply(values, &ends, err);
		td_cli_axis_free(&ends);
	}
	return rc;
}

int td_cli_axis_add(struct td_cli_axis *axis, const char *option, const char *text,
		    struct tide_error *err)
{
	struct tide_error inner = {0, ""};
	struct td_cli_axis values = {0};
	int rc = expand(&values, text, &inner);

	for (size_t i = 0; i < values.n && !rc; i++) {
		char *value = values.at[i];
		values.at[i] = NULL;
		if (*value) {
			rc = push(axis, value, &inner);
			continue;
		}
		free(value);
		rc = tide_fail(&inner, -EINVAL, "one of its values is empty: fill it in");
	}
	td_cli_axis_free(&values);
	return rc ? tide_fail(err, rc, "--%s %s: %.400s", option, td_cli_shown(text).text,
			      inner.text)
		  : 0;
}

int td_cli_axis_fill(struct td_cli_axis *axis, const char *option, const struct td_cli_list *list,
		     struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++)
		rc = td_cli_axis_add(axis, option, list->at[i], err);
	return rc;
}

bool td_cli_is_several(const char *text)
{
	for (text += span_to(text, "{"); *text; text += span_to(text, "{")) {
		size_t n = span_to(++text, "{}");
		if (text[n] == '}' &&
		    (text[span_to(text, ",}")] == ',' || memmem(text, n, "..", 2)))
			return true;
		text += n;
	}
	return false;
}

char *td_cli_axis_join(const struct td_cli_axis *axis)
{
	size_t bytes = 1;
	char *text, *end;

	for (size_t i = 0; i < axis->n; i++)
		bytes += strlen(axis->at[i]) + 1;
	end = text = malloc(bytes);
	if (!text)
		return NULL;
	*end = '\0';
	for (size_t i = 0; i < axis->n; i++) {
		end = stpcpy(end, i ? "," : "");
		end = stpcpy(end, axis->at[i]);
	}
	return text;
}

int td_cli_expand(const char *option, const char **list, char **room, struct tide_error *err)
{
	struct td_cli_axis values = {0};
	int rc;

	*room = NULL;
	if (!*list || !td_cli_is_several(*list))
		return 0;
	rc = td_cli_axis_add(&values, option, *list, err);
	if (!rc && !(*room = td_cli_axis_join(&values)))
		rc = tide_fail(err, -ENOMEM, "no memory for the values of --%s: give fewer",
			       option);
	if (!rc)
		*list = *room;
	td_cli_axis_free(&values);
	return rc;
}
