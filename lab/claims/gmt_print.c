/* The figures and tables of the GMT paper, published beside measured. */
#include <math.h>
#include <string.h>

#include "gmt.h"

static void cell(struct td_cli_table *t, int digits, double value)
{
	if (isnan(value))
		td_cli_cell(t, "-");
	else
		td_cli_cell(t, "%.*f", digits, value);
}

static void heads(struct td_cli_table *t, const char *const *names)
{
	for (; *names; names++)
		td_cli_cell(t, "%s", *names);
}

static int end(struct td_cli_table *t, struct tide_error *err)
{
	int rc = td_cli_table_end(t, err);

	putchar('\n');
	return rc;
}

static const char *yes(bool it_is)
{
	return it_is ? "yes" : "no";
}

/* The same side of 1; not further off than 15%. */
static void agreement(struct td_cli_table *t, double published, double measured)
{
	bool known = !isnan(measured);

	td_cli_cell(t, "%s", known ? yes((measured > 1) == (published > 1)) : "-");
	td_cli_cell(t, "%s", known ? yes(fabs(measured / published - 1) <= .15) : "-");
}

static int print_speedups(const struct td_cli_gmt *g, struct tide_error *err)
{
	static const char *const names[] = {
		"", "tier-order", "random", "reuse", "published", "direction", "size", "hmm", NULL};
	static const enum td_cli_gmt_place places[] = {GMT_TIER_ORDER, GMT_RANDOM, GMT_REUSE};
	struct td_cli_table t = {.align = "lrrrrllr"};

	printf("Figures 8a and 14: speedup over BaM; published is Reuse's\n");
	heads(&t, names);
	for (unsigned a = 0; a < GMT_APPS; a++) {
		const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
		if (!g->wanted[a])
			continue;
		td_cli_cell(&t, "%s", app->name);
		for (unsigned i = 0; i < 3; i++)
			cell(&t, 2, td_cli_gmt_speedup(g, GMT_MAIN, a, places[i]));
		cell(&t, 2, app->speedup);
		agreement(&t, app->speedup, td_cli_gmt_speedup(g, GMT_MAIN, a, GMT_REUSE));
		cell(&t, 2, td_cli_gmt_speedup(g, GMT_MAIN, a, GMT_HMM));
	}
	td_cli_cell(&t, "geometric mean");
	for (unsigned i = 0; i < 3; i++)
		cell(&t, 2,
		     td_cli_gmt_geomean(g, td_cli_gmt_speedup, GMT_MAIN, places[i], GMT_ALL));
	cell(&t, 2, 1.5);
	agreement(&t, 1.5, td_cli_gmt_geomean(g, td_cli_gmt_speedup, GMT_MAIN, GMT_REUSE, GMT_ALL));
	cell(&t, 2, td_cli_gmt_geomean(g, td_cli_gmt_speedup, GMT_MAIN, GMT_HMM, GMT_ALL));
	if (g->all)
		heads(&t, (const char *const[]){"published", "1.07", "1.24", "1.50", "", "", "",
						"0.33", NULL});
	return end(&t, err);
}

static int print_characters(const struct td_cli_gmt *g, struct tide_error *err)
{
	static const char *const names[] = {"",          "reuse %",  "published", "SSD GB",
					    "published", "tier 1 %", "tier 2 %",  "tier 3 %",
					    "published", NULL};
	struct td_cli_table t = {.align = "lrrrrrrrr"};

	printf("Table 2 and Figure 7: reuse, SSD reads of BaM, and the tier of the distances\n");
	heads(&t, names);
	for (unsigned a = 0; a < GMT_APPS; a++) {
		const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
		if (!g->wanted[a])
			continue;
		td_cli_cell(&t, "%s", app->name);
		cell(&t, 1, td_cli_gmt_reuse(g, GMT_MAIN, a, GMT_BAM));
		cell(&t, 1, app->reuse_percent);
		cell(&t, 0, td_cli_gmt_io_gb(g, GMT_MAIN, a, GMT_BAM));
		cell(&t, 0, app->io_gb);
		for (unsigned tier = 1; tier <= 3; tier++)
			cell(&t, 1, td_cli_gmt_class_percent(g, GMT_MAIN, a, tier));
		td_cli_cell(&t, "tier %u", app->tier);
	}
	return end(&t, err);
}

static int print_placement(const struct td_cli_gmt *g, struct tide_error *err)
{
	static const char *const names[] = {"",      "saved: order", "random", "reuse", "published",
					    "right", "back: order",  "random", "reuse", NULL};
	static const enum td_cli_gmt_place places[] = {GMT_TIER_ORDER, GMT_RANDOM, GMT_REUSE};
	struct td_cli_table t = {.align = "lrrrrrrrr"};

	printf("Figures 8b, 9 and 10: percent of BaM's SSD reads saved, of predictions that were "
	       "right, and of\nthe pages put into tier 2 that came back from there\n");
	heads(&t, names);
	for (unsigned a = 0; a < GMT_APPS; a++) {
		const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
		if (!g->wanted[a])
			continue;
		td_cli_cell(&t, "%s", app->name);
		for (unsigned i = 0; i < 3; i++)
			cell(&t, 1, td_cli_gmt_cut(g, GMT_MAIN, a, places[i]));
		cell(&t, 0, app->cut_percent > 0 ? app->cut_percent : NAN);
		cell(&t, 1, td_cli_gmt_accuracy(g, GMT_MAIN, a, GMT_REUSE));
		for (unsigned i = 0; i < 3; i++)
			cell(&t, 1, td_cli_gmt_returned(g, GMT_MAIN, a, places[i]));
	}
	return end(&t, err);
}

/* A column of a table of speedups. */
struct column {
	const char *name;
	enum td_cli_gmt_setting setting;
	enum td_cli_gmt_place place;
	const char *published;
};

static int print_columns(const struct td_cli_gmt *g, const struct column *columns, size_t n,
			 struct tide_error *err)
{
	char align[16] = "l";
	struct td_cli_table t = {.align = align};

	memset(align + 1, 'r', n);
	td_cli_cell(&t, "%s", "");
	for (size_t i = 0; i < n; i++)
		td_cli_cell(&t, "%s", columns[i].name);
	for (unsigned a = 0; a <= GMT_APPS; a++) {
		if (a < GMT_APPS && !g->wanted[a])
			continue;
		td_cli_cell(&t, "%s",
			    a < GMT_APPS ? td_cli_gmt_published[a].name : "geometric mean");
		for (size_t i = 0; i < n; i++)
			cell(&t, 2,
			     a < GMT_APPS
				     ? td_cli_gmt_speedup(g, columns[i].setting, a,
							  columns[i].place)
				     : td_cli_gmt_geomean(g, td_cli_gmt_speedup, columns[i].setting,
							  columns[i].place, GMT_ALL));
	}
	td_cli_cell(&t, "published");
	for (size_t i = 0; i < n; i++)
		td_cli_cell(&t, "%s", columns[i].published);
	return end(&t, err);
}

static int print_studies(const struct td_cli_gmt *g, struct tide_error *err)
{
	static const struct column columns[] = {
		{"osf 4: order", GMT_OSF4, GMT_TIER_ORDER, "1.03"},
		{"random", GMT_OSF4, GMT_RANDOM, "1.14"},
		{"reuse", GMT_OSF4, GMT_REUSE, "1.23"},
		{"T2:T1 2", GMT_RATIO2, GMT_REUSE, "-"},
		{"4", GMT_MAIN, GMT_REUSE, "1.50"},
		{"8", GMT_RATIO8, GMT_REUSE, "-"},
		{"larger: order", GMT_LARGER, GMT_TIER_ORDER, "1.07"},
		{"random", GMT_LARGER, GMT_RANDOM, "1.21"},
		{"reuse", GMT_LARGER, GMT_REUSE, "1.45"},
		{"implied: reuse", GMT_IMPLIED, GMT_REUSE, "-"},
	};

	printf("Figures 11 to 13, and data as small as Table 2 implies: speedup over BaM; of 11 and "
	       "13 published\nare the means\n");
	return print_columns(g, columns, sizeof columns / sizeof *columns, err);
}

int td_cli_gmt_print(const struct td_cli_gmt *g, struct tide_error *err)
{
	bool only_main = g->e.args->study && strcmp(g->e.args->study, "main") == 0;
	bool with_main = !g->e.args->study || only_main;
	int rc = with_main ? print_speedups(g, err) : 0;

	if (!rc && with_main)
		rc = print_characters(g, err);
	if (!rc && with_main)
		rc = print_placement(g, err);
	if (!rc && !only_main)
		rc = print_studies(g, err);
	return rc;
}
