#include "show.h"

#include <string.h>

const char *td_gpu_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* ---- rows ---- */

#define COLUMNS 16

/* The keys of all rows whose values are no lists or objects, in the order they come. */
struct columns {
	const char *keys[COLUMNS];
	char align[COLUMNS + 1];
	size_t n;
};

static bool has(const struct columns *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->keys[i], key) == 0)
			return true;
	return false;
}

static void add_keys(struct columns *c, const json_t *row)
{
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)row, key, value)
	{
		if (c->n == COLUMNS || json_is_object(value) || json_is_array(value) || has(c, key))
			continue;
		c->align[c->n] = json_is_string(value) ? 'l' : 'r';
		c->keys[c->n++] = key;
	}
	c->align[c->n] = '\0';
}

static void add_value(struct td_cli_table *t, const char *key, const json_t *value)
{
	if (!value)
		td_cli_cell(t, "%s", "");
	else if (json_is_string(value))
		td_cli_cell(t, "%s", json_string_value(value));
	else
		td_cli_cell(t, "%s", td_gpu_shown(key, value).text);
}

static void show_rows(const json_t *rows)
{
	struct columns c = {.n = 0};
	struct td_cli_table t = {.align = c.align};
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		add_keys(&c, row);
	}
	if (!c.n)
		return;
	for (size_t k = 0; k < c.n; k++)
		td_cli_cell(&t, "%s", td_gpu_head(c.keys[k]).text);
	json_array_foreach(rows, i, row)
	{
		for (size_t k = 0; k < c.n; k++)
			add_value(&t, c.keys[k], json_object_get(row, c.keys[k]));
	}
	td_cli_table_end(&t, NULL);
}

/* ---- parts: rows, and what they were to show ---- */

static void show_claims(const json_t *claims)
{
	const json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		const json_t *ok = json_object_get(claim, "ok");
		const char *target = td_gpu_text(claim, "target"); /* "<= 2", or a number */
		printf("  %-6s %s: %s, target %s\n",
		       json_is_true(ok)    ? "holds"
		       : json_is_false(ok) ? "MISSED"
					   : "-",
		       td_gpu_text(claim, "what"),
		       td_gpu_shown("", json_object_get(claim, "measured")).text,
		       *target ? target : td_gpu_shown("", json_object_get(claim, "target")).text);
	}
}

static void show_part(const char *name, const json_t *part)
{
	printf("\n%s%s%s\n", name, *td_gpu_text(part, "error") ? ": " : "",
	       td_gpu_text(part, "error"));
	show_rows(json_object_get(part, "rows"));
	show_claims(json_object_get(part, "claims"));
}

/* ---- info ---- */

/* "key  value" lines; lists and objects are left out. */
static void show_lines(const json_t *object)
{
	struct td_cli_table t = {.align = "ll"};
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		if (json_is_object(value) || json_is_array(value))
			continue;
		td_cli_cell(&t, "%s", td_gpu_head(key).text);
		add_value(&t, key, value);
	}
	td_cli_table_end(&t, NULL);
}

void td_gpu_show_info(const json_t *document)
{
	const json_t *limits = json_object_get(document, "limits");

	show_lines(json_object_get(document, "device"));
	if (limits)
		show_part("limits", limits);
}

/* ---- selftest ---- */

void td_gpu_show_selftest(const json_t *document)
{
	struct td_cli_table t = {.align = "llrrl"};
	const json_t *part;
	size_t i;

	for (const char *const *h =
		     (const char *const[]){"part", "", "accesses", "time", "detail", NULL};
	     *h; h++)
		td_cli_cell(&t, "%s", *h);
	json_array_foreach(json_object_get(document, "parts"), i, part)
	{
		td_cli_cell(&t, "%s", td_gpu_text(part, "name"));
		td_cli_cell(&t, "%s", json_is_true(json_object_get(part, "ok")) ? "ok" : "FAILED");
		td_cli_cell(&t, "%s",
			    td_gpu_shown("accesses", json_object_get(part, "accesses")).text);
		td_cli_cell(&t, "%s",
			    td_gpu_shown("time_ns", json_object_get(part, "time_ns")).text);
		td_cli_cell(&t, "%s", td_gpu_text(part, "detail"));
	}
	td_cli_table_end(&t, NULL);
}

/* ---- bench ---- */

void td_gpu_show_bench(const json_t *document)
{
	const json_t *device = json_object_get(document, "device"), *part;
	const char *name;

	printf("device  %s\n", td_gpu_text(device, "name"));
	json_object_foreach(json_object_get(document, "micro"), name, part)
	{
		show_part(name, part);
	}
	td_gpu_show_apps(json_object_get(document, "apps"));
}
