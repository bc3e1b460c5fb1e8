#include "show.h"

#include <string.h>

#include "cli/doctor.h"

/* ---- a table of rows, with a column for every member that some row says ---- */

#define COLUMNS 16

struct rows {
	const struct td_gpu_field *fields;
	const void *first;
	size_t n, each;
};

static const void *row_at(const struct rows *r, size_t i)
{
	return (const char *)r->first + i * r->each;
}

static bool is_said(const struct rows *r, const struct td_gpu_field *f)
{
	for (size_t i = 0; i < r->n; i++)
		if (td_gpu_field_says(f, row_at(r, i)))
			return true;
	return false;
}

static bool is_text(const struct td_gpu_field *f)
{
	return f->kind == TD_GPU_TEXT || f->kind == TD_GPU_WORD;
}

static void show_rows(const struct rows *r)
{
	const struct td_gpu_field *columns[COLUMNS];
	char align[COLUMNS + 1] = "";
	struct td_cli_table t = {.align = align};
	size_t n = 0;

	for (const struct td_gpu_field *f = r->fields; r->n && f->key && n < COLUMNS; f++) {
		if (!is_said(r, f))
			continue;
		align[n] = is_text(f) ? 'l' : 'r';
		columns[n++] = f;
	}
	for (size_t k = 0; k < n; k++)
		td_cli_cell(&t, "%s", td_gpu_head(columns[k]->key).text);
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < n; k++)
			td_cli_cell(&t, "%s", td_gpu_field_shown(columns[k], row_at(r, i)).text);
	if (n)
		td_cli_table_end(&t, NULL);
}

/* ---- parts: rows, and what they were to show ---- */

static void show_claims(const struct td_gpu_table *table)
{
	for (size_t i = 0; i < table->claims_n; i++) {
		const struct td_gpu_claim *c = &table->claims[i];
		printf("  %-6s %s: %s, target %s\n", c->ok ? "holds" : "MISSED", c->what,
		       td_gpu_real_shown("", c->measured).text, c->target);
	}
}

static void show_table(const struct td_gpu_table *t)
{
	struct rows rows = {td_gpu_measure_fields, t->rows, t->rows_n, sizeof *t->rows};

	printf("\n%s%s%s\n", t->name, *t->error ? ": " : "", t->error);
	show_rows(&rows);
	show_claims(t);
}

/* ---- info ---- */

void td_gpu_show_info(const struct td_gpu_result *r)
{
	struct td_gpu_device d = td_gpu_device_of(&r->device);
	struct td_cli_finding near;
	struct td_cli_table t = {.align = "ll"};

	for (const struct td_gpu_field *f = td_gpu_device_fields; r->has_device && f->key; f++) {
		td_cli_cell(&t, "%s", td_gpu_head(f->key).text);
		td_cli_cell(&t, "%s", td_gpu_field_shown(f, &d).text);
	}
	if (r->has_device) {
		td_cli_gpu_near(r->device.device, &near);
		td_cli_cell(&t, "gpu-near");
		td_cli_cell(&t, "%s%s%s%s", near.ok ? "yes: " : "no: ", near.detail,
			    near.fix ? ": " : "", near.fix ? near.fix : "");
	}
	td_cli_table_end(&t, NULL);
	for (size_t i = 0; i < r->tables_n; i++)
		show_table(&r->tables[i]);
}

/* ---- selftest ---- */

void td_gpu_show_selftest(const struct td_gpu_result *r)
{
	static const char *const heads[] = {"part", "", "accesses", "time", "detail"};
	struct td_cli_table t = {.align = "llrrl"};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		td_cli_cell(&t, "%s", heads[i]);
	for (size_t i = 0; i < r->tests_n; i++) {
		const struct td_gpu_test *one = &r->tests[i];
		td_cli_cell(&t, "%s", one->name);
		td_cli_cell(&t, "%s", one->ok ? "ok" : "FAILED");
		td_cli_cell(&t, "%s", td_cli_grouped(one->accesses).text);
		td_cli_cell(&t, "%s", td_gpu_real_shown("time_ns", (double)one->time_ns).text);
		td_cli_cell(&t, "%s", one->detail);
	}
	td_cli_table_end(&t, NULL);
}

/* ---- bench ---- */

void td_gpu_show_bench(const struct td_gpu_result *r)
{
	printf("device  %s\n", r->device.name);
	for (size_t i = 0; i < r->tables_n; i++)
		show_table(&r->tables[i]);
	if (r->apps)
		td_gpu_show_apps(r->apps);
}
