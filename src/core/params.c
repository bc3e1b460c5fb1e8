#include "params.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

size_t td_core_spec_name(const char *spec)
{
	return strcspn(spec, ":");
}

struct td_core_word td_core_spec_meant(const char *name)
{
	struct td_core_word meant = {""};
	size_t n = strcspn(name, ",=");

	if (!n || name[n] != ',' || !strchr(name, '='))
		return meant;
	meant = td_core_shown(name, strlen(name));
	if (n < sizeof meant.text - 1)
		meant.text[n] = ':';
	return meant;
}

bool td_core_spec_is_list(const char *name)
{
	return *name != ',' && strchr(name, ',') && !strpbrk(name, "=:/{}\\");
}

size_t td_core_params_count(const struct tide_param *table)
{
	size_t n = 0;

	while (table && table[n].name)
		n++;
	return n;
}

void td_core_put_param(FILE *to, const struct tide_param *row, const union tide_value *value)
{
	uint64_t bits;

	memcpy(&bits, value, sizeof bits);
	if (row->type == TIDE_PARAM_INT || row->type == TIDE_PARAM_REAL)
		fprintf(to, "%s=%" PRIx64 "\n", row->name, bits);
	else
		fprintf(to, "%s=%s\n", row->name, value->text);
}

static struct td_core_word shown(const char *text)
{
	return td_core_shown(text, strlen(text));
}

static void write_bound(char *text, size_t size, double bound)
{
	bool whole = fabs(bound) < 1e15 && bound == floor(bound);

	snprintf(text, size, whole ? "%.0f" : "%g", bound);
}

/* What to write instead of `1M`, which could be a million or a mebi; empty: it is no size. */
static void write_instead(char *text, size_t size, const struct tide_param *row, const char *value)
{
	uint64_t number;

	*text = '\0';
	if (row->type == TIDE_PARAM_INT && td_core_count(value, strlen(value), &number) &&
	    !td_core_size(value, strlen(value), &number))
		snprintf(text, size, ", such as %" PRIu64 " or 1e6", number);
}

static int fail_value(const struct tide_param *row, const char *value, const char *who,
		      const char *wrong, struct tide_error *err)
{
	const char *kind = row->type == TIDE_PARAM_INT ? "a whole number" : "a number";
	char min[32], max[32], instead[48];

	write_instead(instead, sizeof instead, row, value);
	write_bound(min, sizeof min, row->min);
	write_bound(max, sizeof max, row->max);
	return tide_fail(err, -EINVAL, "%s: %s=%s is %s: give %s from %s to %s%s", who, row->name,
			 shown(value).text, wrong, kind, min, max, instead);
}

static int parse_int(const char *text, int64_t *out)
{
	bool minus = *text == '-';
	uint64_t size;
	int rc = td_core_count(text + minus, strlen(text + minus), &size);

	if (rc)
		return rc;
	if (size > (uint64_t)INT64_MAX)
		return -ERANGE;
	*out = minus ? -(int64_t)size : (int64_t)size;
	return 0;
}

static int parse_value(const struct tide_param *row, const char *text, const char *who,
		       union tide_value *value, struct tide_error *err)
{
	bool inside;
	int rc;

	if (row->type != TIDE_PARAM_INT && row->type != TIDE_PARAM_REAL) {
		value->text = text;
		return 0;
	}
	if (row->type == TIDE_PARAM_INT) {
		rc = parse_int(text, &value->i);
		/* long double holds every 64-bit number, double does not. */
		inside = !rc && (long double)value->i >= row->min &&
			 (long double)value->i <= row->max;
	} else {
		rc = td_core_real(text, &value->r);
		inside = !rc && value->r >= row->min && value->r <= row->max;
	}
	if (rc == -EINVAL)
		return fail_value(
			row, text, who,
			row->type == TIDE_PARAM_INT ? "not a whole number" : "not a number", err);
	return inside ? 0 : fail_value(row, text, who, "out of range", err);
}

static int fail_unknown(const struct tide_param *table, size_t n, const char *key, const char *who,
			struct tide_error *err)
{
	const char *names[n + 1];
	const char *near;
	char list[440] = "";
	size_t used = 0;

	if (n == 0)
		return tide_fail(err, -EINVAL, "%s has no parameter %s: it takes none", who,
				 shown(key).text);
	for (size_t i = 0; i < n; i++) {
		names[i] = table[i].name;
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
						 i ? ", " : "", names[i]);
	}
	near = td_core_nearest(key, names, n);
	return tide_fail(err, -EINVAL, "%s has no parameter %s%s%s%s: it takes %s", who,
			 shown(key).text, near ? " (did you mean " : "", near ? near : "",
			 near ? "?)" : "", list);
}

/* The parse: words of the spec, cut in place, one per row of the table; NULL: not given. */
struct given {
	const struct tide_param *table;
	size_t n;
	const char *who;
	char **words;
};

static int take_item(struct given *g, char *item, struct tide_error *err)
{
	char *value = strchr(item, '=');
	size_t i = 0;

	if (value)
		*value++ = '\0';
	if (*item == '\0')
		return tide_fail(err, -EINVAL,
				 "%s: a parameter has no name: write key=value,"
				 "key=value",
				 g->who);
	while (i < g->n && strcmp(g->table[i].name, item) != 0)
		i++;
	if (i == g->n)
		return fail_unknown(g->table, g->n, item, g->who, err);
	if (!value || *value == '\0')
		return tide_fail(err, -EINVAL, "%s: parameter %s has no value: write %s=VALUE",
				 g->who, item, item);
	if (g->words[i])
		return tide_fail(err, -EINVAL, "%s: parameter %s is given twice: give it once",
				 g->who, item);
	g->words[i] = value;
	return 0;
}

static int take_items(struct given *g, char *items, struct tide_error *err)
{
	while (items) {
		char *item = strsep(&items, ",");
		int rc = take_item(g, item, err);
		if (rc)
			return rc;
	}
	return 0;
}

static const char *initial_of(const struct tide_param *row)
{
	return row->initial ? row->initial : "";
}

static size_t texts_bytes(const struct tide_param *table, size_t n, const char *spec)
{
	size_t bytes = strlen(spec) + 1;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(initial_of(&table[i])) + 1;
	return bytes;
}

/* The allocation: values of all rows | words of all rows (used here only) | the spec, cut |
 * the defaults that were needed. */
int td_core_params(const struct tide_param *table, const char *spec, const char *who,
		   union tide_value **values, struct tide_error *err)
{
	size_t n = td_core_params_count(table);
	size_t name_len = td_core_spec_name(spec);
	size_t heads = n * (sizeof **values + sizeof(char *));
	union tide_value *v = calloc(1, heads + texts_bytes(table, n, spec));
	struct given g = {table, n, who, (char **)(void *)(v + n)};
	char *items, *texts;
	int rc = 0;

	if (!v)
		return tide_fail(err, -ENOMEM, "%s: no memory for its parameters: free some", who);
	items = (char *)v + heads;
	texts = stpcpy(items, spec) + 1;
	if (items[name_len] == ':')
		rc = take_items(&g, items + name_len + 1, err);
	for (size_t i = 0; i < n && !rc; i++) {
		if (!g.words[i]) {
			g.words[i] = texts;
			texts = stpcpy(texts, initial_of(&table[i])) + 1;
		}
		rc = parse_value(&table[i], g.words[i], who, &v[i], err);
	}
	if (rc)
		free(v);
	else
		*values = v;
	return rc;
}
