/* What tide gpu bench and tide run --gpu-near measured of the GPU and the runtime: a table for
 * every part, as it comes, and what was to be shown. Anything may stand in a document. */
#include <math.h>
#include <string.h>

#include "read.h"

#define COLUMNS_MOST 16

static bool is_flat(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

/* Bytes of a key that are a unit, which stands with the values. */
static size_t unit_of(const char *key)
{
	return ends_in(key, "_ns") ? 3 : ends_in(key, "_bytes") ? 6 : 0;
}

/* Keys as the page's heads: "#" first where the column has numbers. */
struct columns {
	const char *keys[COLUMNS_MOST];
	char heads[COLUMNS_MOST][80];
	size_t n;
};

/* Heads are part of the page, so only letters, digits and blanks of a key get there. */
static void add_column(struct columns *c, const char *key, const json_t *value)
{
	char *to = c->heads[c->n];
	const char *end = key + strlen(key) - unit_of(key);
	size_t n = 0;

	if (json_is_number(value))
		to[n++] = '#';
	for (const char *k = key; k < end && n < sizeof c->heads[0] - 1; k++)
		to[n++] = (char)((*k >= 'a' && *k <= 'z') || (*k >= 'A' && *k <= 'Z') ||
						 (*k >= '0' && *k <= '9')
					 ? *k
					 : ' ');
	to[n] = '\0';
	if (strcmp(key, "gbps") == 0)
		snprintf(to, sizeof c->heads[0], "#GB/s");
	c->keys[c->n++] = key;
}

static bool has(const struct columns *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->keys[i], key) == 0)
			return true;
	return false;
}

static void find_columns(struct columns *c, const json_t *row)
{
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)row, key, value)
	{
		if (is_flat(value) && c->n < COLUMNS_MOST && !has(c, key))
			add_column(c, key, value);
	}
}

static void put_number(const char *key, double value, struct td_report_table *to)
{
	bool whole = value >= 0 && value < 1e18;
	char text[64];

	if (ends_in(key, "_ns") && whole)
		td_report_put_number(to, value, td_report_ns((uint64_t)value).text);
	else if (ends_in(key, "_bytes") && whole)
		td_report_put_number(to, value, td_report_bytes((uint64_t)value).text);
	else if (whole && value >= 10000)
		td_report_put_number(to, value, td_report_grouped((uint64_t)value).text);
	else {
		snprintf(text, sizeof text, "%.5g", value);
		td_report_put_number(to, value, text);
	}
}

static void put_value(const char *key, const json_t *value, struct td_report_table *to)
{
	const char *text = json_string_value(value);

	if (json_is_number(value))
		put_number(key, json_number_value(value), to);
	else if (json_is_boolean(value))
		td_report_put_text(to, json_is_true(value) ? "yes" : "no");
	else
		td_report_put_text(to, text ? text : "");
}

static void put_rows(const char *caption, const json_t *rows, FILE *to)
{
	const char *heads[COLUMNS_MOST + 1];
	struct columns c = {.n = 0};
	struct td_report_table t;
	size_t n = json_array_size(rows);

	for (size_t i = 0; i < n && i < TD_REPORT_ROWS_MOST; i++)
		find_columns(&c, json_array_get(rows, i));
	if (!c.n)
		return;
	for (size_t i = 0; i < c.n; i++)
		heads[i] = c.heads[i];
	heads[c.n] = NULL;
	td_report_put_heads(&t, caption, heads, to);
	for (size_t i = 0; i < n && i < TD_REPORT_ROWS_MOST; i++) {
		td_report_put_row(&t, false);
		for (size_t k = 0; k < c.n; k++)
			put_value(c.keys[k], json_object_get(json_array_get(rows, i), c.keys[k]),
				  &t);
	}
	td_report_put_foot(&t, "rows", "");
}

static void put_claims(const json_t *claims, FILE *to)
{
	static const char *const heads[] = {"verdict", "what", "#target", "#measured", NULL};
	struct td_report_table t;
	const json_t *claim;
	size_t i;

	if (!json_array_size(claims))
		return;
	td_report_put_heads(&t, "What was to be shown", heads, to);
	json_array_foreach(claims, i, claim)
	{
		const json_t *ok = json_object_get(claim, "ok");
		if (i == TD_REPORT_ROWS_MOST)
			break;
		td_report_put_row(&t, false);
		fprintf(to, "<td><span class=\"verdict %s\">%s</span></td>",
			json_is_true(ok)    ? "yes"
			: json_is_false(ok) ? "no"
					    : "open",
			json_is_true(ok)    ? "holds"
			: json_is_false(ok) ? "missed"
					    : "not judged");
		put_value("what", json_object_get(claim, "what"), &t);
		put_value("target", json_object_get(claim, "target"), &t);
		put_value("measured", json_object_get(claim, "measured"), &t);
	}
	td_report_put_foot(&t, "rows", "");
}

static void put_part(const char *device, const char *name, const json_t *part, FILE *to)
{
	const char *error = td_report_string(part, "error");
	char caption[300];

	snprintf(caption, sizeof caption, "%.100s on %.150s", name, device);
	if (error) {
		fputs("<p class=\"warn\">", to);
		td_report_html(to, caption);
		fputs(": ", to);
		td_report_html(to, error);
		fputs("</p>\n", to);
	}
	put_rows(caption, json_object_get(part, "rows"), to);
	put_claims(json_object_get(part, "claims"), to);
}

void td_report_put_gpus(const struct td_report *r, FILE *to)
{
	const json_t *gpu, *part;
	const char *name;
	size_t i;

	json_array_foreach(r->gpus, i, gpu)
	{
		json_object_foreach(json_object_get(gpu, "micro"), name, part)
		{
			put_part(td_report_string(gpu, "device"), name, part, to);
		}
	}
}

void td_report_put_gpu_runs(const struct td_report *r, FILE *to)
{
	json_t *rows = json_array();
	const json_t *run;
	char caption[300];
	size_t i;

	json_array_foreach(r->gpu_runs, i, run)
	{
		json_array_append(rows, json_object_get(run, "row"));
	}
	put_rows("Programs in less GPU memory than they allocate", rows, to);
	json_decref(rows);
	json_array_foreach(r->gpu_runs, i, run)
	{
		snprintf(caption, sizeof caption, "Kernels of %.160s",
			 td_report_string(json_object_get(run, "row"), "program"));
		put_rows(caption, json_object_get(run, "kernels"), to);
	}
}
