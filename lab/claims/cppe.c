/* "Coordinated Page Prefetch and Eviction for Memory Oversubscription Management in GPUs": 23
 * applications under CPPE and what it was held against, with a clock. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "cppe_runs.h"
#include "rows.h"

/* ---- figures ---- */

#define FIRST 4 /* intervals that Tables III and IV look at */
#define LIKE 0.05

static double speedup(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, BASELINE) / TIME(s, a, c);
}

static double ratio(double part, double of)
{
	return of > 0 ? part / of : (double)NAN;
}

/* Of pages, by the baseline for each of the one without prefetching. */
static double evictions(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	(void)c;
	return ratio(COUNTED(evicted_pages, s, a, BASELINE), COUNTED(evicted_pages, s, a, STOP));
}

/* Pages that the baseline evicts for each of them that was touched. */
static double stride(const struct td_claims *p, unsigned s, unsigned a)
{
	double evicted = COUNTED(evicted_pages, s, a, BASELINE);

	return ratio(evicted, evicted - COUNTED(untouched_evicted_pages, s, a, BASELINE));
}

/* Untouched pages of the first intervals: the most in one of them, and the sum. */
static struct td_fold untouched(const struct td_claims *p, unsigned s, unsigned a)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, CPPE);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;
	const json_t *list = json_object_get(policy, "untouch_by_interval");
	struct td_fold f = {.missing = !list, .n = 1};

	for (size_t i = 0; i < FIRST && i < json_array_size(list); i++)
		td_fold_add(&f, (unsigned)i, json_number_value(json_array_get(list, i)));
	return f;
}

static double most_untouched(const struct td_claims *p, unsigned s, unsigned a)
{
	return td_fold_most(untouched(p, s, a));
}

static double all_untouched(const struct td_claims *p, unsigned s, unsigned a)
{
	struct td_fold f = untouched(p, s, a);

	return f.missing ? (double)NAN : f.sum;
}

static bool like(double x, double y)
{
	return fabs(x - y) <= LIKE * y;
}

/* CPPE beside other eviction policies, of one type: the least, and which it is. */
static struct td_fold beside_others(const struct td_claims *p, uint32_t type)
{
	struct td_fold f = {0};

	for (unsigned s = AT75; s <= AT50; s++)
		for (unsigned c = 0; c < CONFIGS; c++)
			if (c == BASELINE || c == RANDOM || c == LRU10 || c == LRU20)
				td_fold_add(&f, c,
					    MEAN(type, speedup(p, s, a, CPPE)) /
						    MEAN(type, speedup(p, s, a, c)));
	return f;
}

/* Patterns in percent of the chain, on average of those that keep any. */
static double patterns_percent(const struct td_claims *p, unsigned s)
{
	struct td_fold f = {0};

	for (unsigned a = 0; a < APPS; a++) {
		double patterns = REPORTED("pattern_entries", s, a, CPPE);
		if (!(patterns <= 0))
			td_fold_add(&f, a, 100 * patterns / REPORTED("chain_entries", s, a, CPPE));
	}
	return td_fold_mean(f);
}

/* Limits of the forward distance by the average that the paper chose by. */
static struct td_fold by_limit(const struct td_claims *p)
{
	struct td_fold f = {0};

	for (unsigned s = 0; s < SETTINGS; s += 2)
		if (settings[s].head.study == T3)
			td_fold_add(
				&f, (unsigned)strtoul(settings[s].value, NULL, 10),
				MEAN(TD_BIT(SRD) | TD_BIT(HSD) | TD_BIT(MRQ),
				     (speedup(p, s, a, CPPE) + speedup(p, s + 1, a, CPPE)) / 2));
	return f;
}

static double at_limit(const struct td_claims *p, const char *limit)
{
	for (unsigned s = 0; s < SETTINGS; s += 2)
		if (settings[s].head.study == T3 && !strcmp(settings[s].value, limit))
			return MEAN(TD_BIT(SRD) | TD_BIT(HSD) | TD_BIT(MRQ),
				    (speedup(p, s, a, CPPE) + speedup(p, s + 1, a, CPPE)) / 2);
	return (double)NAN;
}

/* ---- the claims ---- */

static const struct td_claim rows[] = {
#define ROWS_AS_TABLE
#include "cppe.def"
};

/* A value of a study says nothing that was published. */
static void state_value(struct td_claims *p, unsigned s, unsigned number)
{
	char id[60], what[200];
	const struct td_claim row = {.id = id,
				     .what = what,
				     .place = "ours",
				     .kind = TD_CLAIM_NOT_JUDGED,
				     .published = (double)NAN};

	snprintf(id, sizeof id, "%s-%u-%.2s", studies[p->study].name, number,
		 settings[s].near_size);
	snprintf(what, sizeof what, "CPPE over the baseline at %s, average, %s: %s",
		 settings[s].near_size, varied[p->study], settings[s].value);
	td_claims_state(
		&p->r, &row,
		&(struct td_claims_measured){
			{MEAN(p->wanted & AVERAGED, speedup(p, s, a, CPPE))}, NULL, 0, NULL});
}

static void claim(struct td_claims *p)
{
	struct td_cli_reproduction *r = &p->r;
	const struct td_claim *row = rows;
	struct td_claims_cell note = {""};
	bool on = true;

	for (unsigned first = AT75; first <= AT50; first++)
		for (unsigned s = first, number = 0; s < SETTINGS; s += 2)
			if (p->study != FIGURES && settings[s].head.study == p->study)
				state_value(p, s, ++number);
#include "cppe.def"
}

/* ---- tables ---- */

static double milliseconds(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, c) / 1e6;
}

static struct td_claims_cell type(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	struct td_claims_cell cell;

	(void)p, (void)s, (void)c;
	snprintf(cell.text, sizeof cell.text, "%s", apps[a].type);
	return cell;
}

/* "22 / 19": as published, or what stands for nothing, and as measured. */
static struct td_claims_cell level(double published, const char *none, double measured)
{
	struct td_claims_cell cell;
	int n;

	if (isnan(published))
		n = snprintf(cell.text, sizeof cell.text, "%s / ", none);
	else
		n = snprintf(cell.text, sizeof cell.text, "%.0f / ", published);
	if (isnan(measured))
		snprintf(cell.text + n, sizeof cell.text - (size_t)n, "-");
	else
		snprintf(cell.text + n, sizeof cell.text - (size_t)n, "%.0f", measured);
	return cell;
}

/* An application that Table III leaves out had none. */
static struct td_claims_cell table3(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	(void)c;
	return level(
		td_claims_published(p, s == AT75 ? "table3-%s-75" : "table3-%s-50", apps[a].name),
		"0", most_untouched(p, s, a));
}

static struct td_claims_cell table4(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	(void)c;
	return level(
		td_claims_published(p, s == AT75 ? "table4-%s-75" : "table4-%s-50", apps[a].name),
		"-", all_untouched(p, s, a));
}

static int print_size(const struct td_claims *p, unsigned s, struct tide_error *err)
{
	const struct td_claims_column columns[] = {
		{"type", .words = type, .left = true},
		{"ms", milliseconds, s, BASELINE, 2, .alone = true},
		TD_COLUMN("cppe", speedup, s, CPPE, 2, NULL),
		TD_COLUMN("scheme 1", speedup, s, SCHEME1, 2, NULL),
		TD_COLUMN("random", speedup, s, RANDOM, 2, NULL),
		TD_COLUMN("lru-10%", speedup, s, LRU10, 2, NULL),
		TD_COLUMN("lru-20%", speedup, s, LRU20, 2, NULL),
		TD_COLUMN("stop", speedup, s, STOP, 2, NULL),
		TD_COLUMN("hpe", speedup, s, HPE, 2, NULL),
		{"evictions", evictions, s, 0, 2, .alone = true},
		{"Table III", .s = s, .words = table3},
		{"Table IV", .s = s, .words = table4},
	};
	static const struct td_claims_summary summaries[] = {
		{"average", "I", TYPE_I, td_fold_mean},
		{"average", "II", TYPE_II, td_fold_mean},
		{"average", "III", TYPE_III, td_fold_mean},
		{"average", "IV", TYPE_IV, td_fold_mean},
		{"average", "V", TYPE_V, td_fold_mean},
		{"average", "VI", TYPE_VI, td_fold_mean},
		{"all", "", AVERAGED, td_fold_mean},
		{"geometric", "", AVERAGED, td_fold_geomean},
	};
	char title[300];

	snprintf(title, sizeof title,
		 "%s of the footprint in near memory: milliseconds of the baseline, speedup over "
		 "it, pages that\nit evicts for each of stop's (Figure 4), untouched pages as "
		 "published / measured.\n",
		 settings[s].near_size);
	return td_claims_print(p,
			       &(struct td_claims_table){
				       .title = title,
				       .corner = "app",
				       .columns = columns,
				       .columns_n = sizeof columns / sizeof *columns,
				       .summaries = summaries,
				       .summaries_n = p->options->only ? 0 : 8,
			       },
			       p->wanted, err);
}

static int print_study(const struct td_claims *p, unsigned first, struct tide_error *err)
{
	const struct td_claims_summary average = {"average", NULL, p->wanted & AVERAGED,
						  td_fold_mean};
	struct td_claims_column columns[8];
	struct td_claims_table table = {
		.corner = "app", .columns = columns, .summaries = &average, .summaries_n = 1};
	char title[300];

	for (unsigned s = first; s < SETTINGS; s += 2)
		if (settings[s].head.study == p->study)
			columns[table.columns_n++] = (struct td_claims_column)TD_COLUMN(
				settings[s].value, speedup, s, CPPE, 2, NULL);
	snprintf(title, sizeof title,
		 "%s of the footprint in near memory: CPPE over the baseline, by %s.\n",
		 settings[first].near_size, varied[p->study]);
	table.title = title;
	return td_claims_print(p, &table, p->wanted, err);
}

static int print(const struct td_claims *p, struct tide_error *err)
{
	int rc = 0;

	for (unsigned s = AT75; s <= AT50 && !rc; s++)
		rc = (p->study ? print_study : print_size)(p, s, err);
	return rc;
}

/* ---- the paper ---- */

const char *td_cli_cppe_app(size_t i)
{
	return i < APPS ? apps[i].name : NULL;
}

const char *td_cli_cppe_study(size_t i)
{
	return i + 1 < STUDIES ? studies[i + 1].name : NULL;
}

static const char *config_name(size_t i)
{
	return i < CONFIGS ? configs[i].name : NULL;
}

static const struct td_claims_setting *setting(unsigned s)
{
	return &settings[s].head;
}

static unsigned cost(unsigned a)
{
	return apps[a].cost;
}

static const char *const headlines[] = {"figure8-average-75", "figure8-average-50", NULL};

const struct td_claims_paper td_claims_paper_cppe = {
	.name = "cppe",
	.apps = APPS,
	.configs = CONFIGS,
	.settings = SETTINGS,
	.app = td_cli_cppe_app,
	.config = config_name,
	.study_name = td_cli_cppe_study,
	.setting = setting,
	.studies = studies,
	.first_alone = true,
	.cost = cost,
	.make = make,
	.rows = rows,
	.headlines = headlines,
	.rows_n = sizeof rows / sizeof *rows,
	.claim = claim,
	.print = print,
};

int td_claims_cppe(const void *options, struct tide_error *err)
{
	return td_claims_evaluate(&td_claims_paper_cppe, options, err);
}
