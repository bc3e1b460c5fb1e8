/* The tables and documents of tide reproduce gram. */
#include <inttypes.h>
#include <math.h>

#include "gram.h"

static void number(struct td_cli_table *t, int digits, double value)
{
	if (isnan(value))
		td_cli_cell(t, "-");
	else
		td_cli_cell(t, "%.*f", digits, value);
}

/* A column: a figure of the runs of one kind. */
struct column {
	const char *head;
	enum td_cli_gram_how how;
	td_cli_gram_figure *figure;
	int digits;
	/* The figure, what is saved of native's in percent, or the utility without a figure. */
	enum { PLAIN, SAVED, UTILITY } kind;
};

static double writes(const struct td_cli_gram_run *run)
{
	return td_cli_gram_io(run) - td_cli_gram_reads(run);
}

static double batch_pages(const struct td_cli_gram_run *run)
{
	return (double)run->stats.batched_pages / (double)run->stats.batches;
}

#define READS td_cli_gram_reads
#define US td_cli_gram_us
static const struct column device_columns[] = {{"reads %: GRAM", GRAM_GRAM, READS, 2, PLAIN},
					       {"DEDU", GRAM_DEDU, READS, 2, PLAIN},
					       {"utility: GRAM", GRAM_GRAM, NULL, 4, UTILITY},
					       {"DEDU", GRAM_DEDU, NULL, 4, UTILITY},
					       {"us: GRAM", GRAM_GRAM, US, 2, PLAIN},
					       {"DEDU", GRAM_DEDU, US, 2, PLAIN},
					       {NULL, 0, NULL, 0, PLAIN}};
static const struct column set_columns[] = {{"reads %: native", GRAM_NATIVE, READS, 2, PLAIN},
					    {"GRAM", GRAM_GRAM, READS, 2, PLAIN},
					    {"saved %", GRAM_GRAM, READS, 1, SAVED},
					    {"us: native", GRAM_NATIVE, US, 2, PLAIN},
					    {"GRAM", GRAM_GRAM, US, 2, PLAIN},
					    {NULL, 0, NULL, 0, PLAIN}};
static const struct column batch_columns[] = {
	{"pages", GRAM_GRAM, batch_pages, 1, PLAIN},
	{"ns a page", GRAM_GRAM, td_cli_gram_move_ns, 0, PLAIN},
	{"GB/s", GRAM_GRAM, td_cli_gram_move_gbs, 2, PLAIN},
	{"us", GRAM_GRAM, US, 2, PLAIN},
	{NULL, 0, NULL, 0, PLAIN}};
static const struct column factor_columns[] = {
	{"reads %: GRAM", GRAM_GRAM, READS, 2, PLAIN},
	{"DEDU", GRAM_DEDU, READS, 2, PLAIN},
	{"signed %", GRAM_DEDU, td_cli_gram_signed, 2, PLAIN},
	{"us: GRAM", GRAM_GRAM, US, 2, PLAIN},
	{"DEDU", GRAM_DEDU, US, 2, PLAIN},
	{NULL, 0, NULL, 0, PLAIN}};
static const struct column update_columns[] = {
	{"reads %: GRAM", GRAM_GRAM, READS, 2, PLAIN},
	{"DEDU", GRAM_DEDU, READS, 2, PLAIN},
	{"auto", GRAM_AUTO, READS, 2, PLAIN},
	{"writes %: GRAM", GRAM_GRAM, writes, 2, PLAIN},
	{"DEDU", GRAM_DEDU, writes, 2, PLAIN},
	{"signed %: DEDU", GRAM_DEDU, td_cli_gram_signed, 2, PLAIN},
	{"auto", GRAM_AUTO, td_cli_gram_signed, 2, PLAIN},
	{"us: GRAM", GRAM_GRAM, US, 2, PLAIN},
	{"DEDU", GRAM_DEDU, US, 2, PLAIN},
	{"auto", GRAM_AUTO, US, 2, PLAIN},
	{NULL, 0, NULL, 0, PLAIN}};
static const struct column machine_columns[] = {
	{"reads %: native", GRAM_NATIVE, READS, 2, PLAIN},
	{"shared", GRAM_SHARED, READS, 2, PLAIN},
	{"GRAM", GRAM_GRAM, READS, 2, PLAIN},
	{"DEDU", GRAM_DEDU, READS, 2, PLAIN},
	{"sharing %, of held: shared", GRAM_SHARED, td_cli_gram_sharing, 1, PLAIN},
	{"DEDU", GRAM_DEDU, td_cli_gram_sharing, 1, PLAIN},
	{"of used: shared", GRAM_SHARED, td_cli_gram_shared, 1, PLAIN},
	{"DEDU", GRAM_DEDU, td_cli_gram_shared, 1, PLAIN},
	{"us: native", GRAM_NATIVE, US, 2, PLAIN},
	{"shared", GRAM_SHARED, US, 2, PLAIN},
	{"GRAM", GRAM_GRAM, US, 2, PLAIN},
	{"DEDU", GRAM_DEDU, US, 2, PLAIN},
	{NULL, 0, NULL, 0, PLAIN}};
static const struct column *const columns[GRAM_STUDIES] = {device_columns, set_columns,
							   batch_columns,  factor_columns,
							   update_columns, machine_columns};

static double value(const struct td_cli_gram *g, enum td_cli_gram_study s, const struct column *c,
		    unsigned x)
{
	switch (c->kind) {
	case SAVED: return td_cli_gram_saved(g, c->figure, s, x, c->how, GRAM_NATIVE);
	case UTILITY: return td_cli_gram_utility(g, c->how, x);
	default: return td_cli_gram_value(g, c->figure, s, c->how, x);
	}
}

static bool has_point(const struct td_cli_gram *g, enum td_cli_gram_study s, unsigned x)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->runs[i].study == s && g->runs[i].x == x)
			return true;
	return false;
}

static int print_study(const struct td_cli_gram *g, enum td_cli_gram_study s,
		       struct tide_error *err)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[s];
	char align[16] = "r";
	struct td_cli_table t = {.align = align};
	unsigned n = 1;

	printf("%s\n", p->what);
	td_cli_cell(&t, "%s", p->axis);
	for (const struct column *c = columns[s]; c->head; c++) {
		td_cli_cell(&t, "%s", c->head);
		align[n++] = 'r';
	}
	for (unsigned i = 0; i < p->n; i++) {
		if (!has_point(g, s, p->x[i]))
			continue;
		td_cli_cell(&t, "%u", p->x[i]);
		for (const struct column *c = columns[s]; c->head; c++)
			number(&t, c->digits, value(g, s, c, p->x[i]));
	}
	int rc = td_cli_table_end(&t, err);
	putchar('\n');
	return rc;
}

static void print_setup(const struct td_cli_gram *g)
{
	const struct td_claims_options *args = g->args;
	uint64_t pages = 0, ns = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct tide_counts *c = &g->runs[i].stats.counts;
		pages += c->tier3_reads + c->tier3_writes;
		ns += g->runs[i].stats.file_ns;
	}
	printf("Pages of 4 KiB, %" PRIu64 " for 1,024 of the paper's; device memory %s, signatures "
	       "%s. Reads and writes are\nof the file, in percent of the accesses; us: the time of an "
	       "access in the pool.\n",
	       g->thousand, args->device_kind ? args->device_kind : "ram",
	       args->hash ? args->hash : "xxh3");
	if (pages)
		printf("speed   a page of the file took %.1f us%s%s\n",
		       (double)ns / 1e3 / (double)pages, args->inject ? ", with " : "",
		       args->inject ? args->inject : "");
	putchar('\n');
}

static int print_disks(const struct td_cli_gram *g)
{
	const struct td_cli_gram_disks *d = &g->disks;

	if (!d->n || !td_cli_gram_has(g, GRAM_MACHINE))
		return 0;
	return printf(
		"Disks of %s pages, %s: they start with %s, serve %s. Main memory has %s, "
		"device memory as many.\n",
		td_cli_grouped(d->source.pages / d->n).text,
		g->args->given.words.n ? "images" : "generated",
		td_cli_grouped(td_cli_gram_role_pages(d, d->n, GRAM_BOOT) / d->n).text,
		td_cli_grouped(td_cli_gram_role_pages(d, d->n, GRAM_DOCUMENT) / d->n).text,
		td_cli_grouped(td_cli_gram_find(g, GRAM_MACHINE, GRAM_NATIVE, 1)->main_pages).text);
}

int td_cli_gram_print(const struct td_cli_gram *g, struct tide_error *err)
{
	int rc = 0;

	print_setup(g);
	for (unsigned s = 0; s < GRAM_STUDIES && !rc; s++) {
		if (!td_cli_gram_has(g, s))
			continue;
		if (s == GRAM_MACHINE)
			print_disks(g);
		rc = print_study(g, s, err);
	}
	return rc;
}

/* ---- JSON ---- */

static json_t *counts_json(const struct tide_counts *c)
{
	json_t *o = json_object();

#define TIDE_COUNTER(name, help) json_object_set_new(o, #name, json_integer((json_int_t)c->name));
#include "tide/counters.def"
#undef TIDE_COUNTER
	return o;
}

static json_t *figures_json(const struct tide_pool_stats *s)
{
	json_t *o = json_object();

#define TIDE_FIGURE(name, help) json_object_set_new(o, #name, json_integer((json_int_t)s->name));
#include "tide/pool_figures.def"
#undef TIDE_FIGURE
	return o;
}

static json_t *config_json(const struct td_cli_gram *g, const struct td_cli_gram_run *run)
{
	bool machines = run->study == GRAM_MACHINE;

	return json_pack("{sI sI sI ss? ss? ss? so so sI so sI sI}", "main_pages",
			 (json_int_t)run->main_pages, "device_pages", (json_int_t)run->device_pages,
			 "page_bytes", (json_int_t)GRAM_PAGE, "device_kind", g->args->device_kind,
			 "hash", g->args->hash, "inject", g->args->inject, "machines",
			 machines ? json_integer(run->x) : json_null(), "duplicates",
			 machines ? json_null() : json_integer(run->copies), "set_pages",
			 (json_int_t)run->set_pages, "updates_percent",
			 machines ? json_null() : json_integer(run->updates_percent), "batch",
			 (json_int_t)run->batch, "depth", (json_int_t)run->depth);
}

json_t *td_cli_gram_run_json(const struct td_cli_gram *g, const struct td_cli_gram_run *run)
{
	double accesses = (double)run->stats.counts.accesses;

	return json_pack("{ss ss sI so s{so so s{sf sI}}}", "study",
			 td_cli_gram_points[run->study].name, "how", td_cli_gram_names[run->how],
			 "x", (json_int_t)run->x, "config", config_json(g, run), "result", "counts",
			 counts_json(&run->stats.counts), "pool", figures_json(&run->stats), "wall",
			 "seconds", run->seconds, "accesses_per_second",
			 run->seconds > 0 ? (json_int_t)(accesses / run->seconds) : 0);
}
