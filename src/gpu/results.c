/* Results: made, filled and freed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

void *td_gpu_more(void *array, size_t *n, size_t each)
{
	char *grown = realloc(array, (*n + 1) * each);
	if (grown)
		memset(grown + *n * each, 0, each);
	*n += grown != NULL;
	return grown;
}

struct td_gpu_result *td_gpu_result_make(void)
{
	struct td_gpu_result *r = calloc(1, sizeof *r);
	if (r)
		r->size = sizeof *r;
	return r;
}

static void free_runs(struct td_gpu_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(runs[i].stats_json);
	free(runs);
}

static void free_table(const struct td_gpu_table *t)
{
	free(t->rows);
	free(t->claims);
}

void td_gpu_result_free(struct td_gpu_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->tables_n; i++)
		free_table(&r->tables[i]);
	if (r->apps) {
		free_runs(r->apps->references, r->apps->references_n);
		free_runs(r->apps->runs, r->apps->runs_n);
		free(r->apps->means);
		free_table(&r->apps->claims);
	}
	free(r->apps);
	free(r->tables);
	free(r->tests);
	free(r);
}

struct td_gpu_table *td_gpu_table(struct td_gpu_result *r, const char *name)
{
	struct td_gpu_table *all = td_gpu_more(r->tables, &r->tables_n, sizeof *all), *t;
	if (!all)
		return NULL;
	r->tables = all;
	t = &all[r->tables_n - 1];
	t->name = name;
	t->ok = true;
	return t;
}

/* ---- rows ---- */

static void tell_row(const struct td_gpu_setup *s, const struct td_gpu_row *row)
{
	char ratio[160] = "";
	if (row->ratio > 0)
		snprintf(ratio, sizeof ratio, ", %.3f of %s", row->ratio, row->of);
	if (row->bytes)
		td_gpu_tell(s, "  %s: %.1f MB in %.3f ms, %.2f GB/s%s", row->what,
			    (double)row->bytes / 1e6, row->ns / 1e6,
			    td_gpu_gbps(row->bytes, row->ns), ratio);
	else
		td_gpu_tell(s, "  %s: %" PRIu64 " in %.3f ms, %.4g a second%s", row->what,
			    row->count, row->ns / 1e6,
			    row->ns > 0 ? (double)row->count * 1e9 / row->ns : 0, ratio);
}

void td_gpu_table_measure(struct td_gpu_table *table, const struct td_gpu_measure *measure)
{
	struct td_gpu_measure *rows = td_gpu_more(table->rows, &table->rows_n, sizeof *rows);
	if (rows) {
		table->rows = rows;
		rows[table->rows_n - 1] = *measure;
	}
	table->ok = table->ok && rows;
}

void td_gpu_table_row(struct td_gpu_table *table, const struct td_gpu_setup *s,
		      const struct td_gpu_row *row)
{
	struct td_gpu_measure m = {.time_ns = (uint64_t)row->ns};
	snprintf(m.what, sizeof m.what, "%s", row->what);
	if (row->bytes) {
		m.bytes = row->bytes;
		m.gbps = td_gpu_gbps(row->bytes, row->ns);
	} else {
		m.count = row->count;
		m.per_second = row->ns > 0 ? (double)row->count * 1e9 / row->ns : 0;
	}
	if (row->ratio > 0) {
		m.ratio = row->ratio;
		snprintf(m.of, sizeof m.of, "%s", row->of);
	}
	td_gpu_table_measure(table, &m);
	tell_row(s, row);
}

/* ---- claims ---- */

static void add_claim(struct td_gpu_table *table, const struct td_gpu_claim *claim)
{
	struct td_gpu_claim *claims = td_gpu_more(table->claims, &table->claims_n, sizeof *claims);
	if (claims) {
		table->claims = claims;
		claims[table->claims_n - 1] = *claim;
	}
	table->ok = table->ok && claims && claim->ok;
}

void td_gpu_table_claim(struct td_gpu_table *table, const struct td_gpu_setup *s, const char *what,
			enum td_gpu_bound bound, double target, double measured)
{
	struct td_gpu_claim c = {.measured = measured};
	c.ok = bound == TD_GPU_AT_LEAST ? measured >= target : measured <= target;
	snprintf(c.what, sizeof c.what, "%s", what);
	snprintf(c.target, sizeof c.target, "%s %g",
		 bound == TD_GPU_AT_LEAST ? ">=" : "<=", target);
	add_claim(table, &c);
	td_gpu_tell(s, "  %s: %s: %.4g, must be %s", c.ok ? "holds" : "FAILS", what, measured,
		    c.target);
}

void td_gpu_table_fault(struct td_gpu_table *table, const struct td_gpu_setup *s, const char *what,
			const struct tide_error *err)
{
	struct td_gpu_claim c = {.measured = NAN};
	snprintf(c.what, sizeof c.what, "%s", what);
	snprintf(c.target, sizeof c.target, "%s", err->text);
	add_claim(table, &c);
	td_gpu_tell(s, "  FAILS: %s: %s", what, err->text);
}
