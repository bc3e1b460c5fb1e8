/* Tables III and IV of the CPPE paper, its overheads, and the tables that are printed. */
#include <math.h>
#include <string.h>

#include "cppe.h"

#define T1 32
#define T2 40

struct label {
	char id[40], what[120];
};

static struct label label(const char *kind, const char *what, enum td_cli_cppe_app a,
			  enum td_cli_cppe_size s)
{
	const char *name = td_cli_cppe_published[a].name;
	struct label l;

	snprintf(l.id, sizeof l.id, "%s-%s-%.2s", kind, name, td_cli_cppe_sizes[s]);
	snprintf(l.what, sizeof l.what, "%s, %s at %s", what, name, td_cli_cppe_sizes[s]);
	return l;
}

/* Does it switch to LRU by the end of the fourth interval? That is what the tables are about. */
static bool switches(double most, double total)
{
	return most >= T1 || total >= T2;
}

static void state_levels(struct td_cli_cppe *p, enum td_cli_cppe_app a, enum td_cli_cppe_size s)
{
	const struct td_cli_cppe_published *app = &td_cli_cppe_published[a];
	double most = td_cli_cppe_most(p, a, s), total = td_cli_cppe_total(p, a, s);
	bool agrees = switches(most, total) == switches(app->most[s], app->total[s]);
	struct label l =
		label("table3", "most untouched pages of one of the first four intervals", a, s);

	if (app->most[CPPE_75] || app->most[CPPE_50] || a == CPPE_BIC)
		td_cli_cppe_level(p, l.id, l.what, app->most[s], most, agrees, app->why);
	if (app->total[s] == CPPE_NONE)
		return;
	l = label("table4", "untouched pages of the first four intervals", a, s);
	td_cli_cppe_level(p, l.id, l.what, app->total[s], total, agrees, app->why);
}

/* Those that Table III leaves out had no untouched pages. */
static void state_others(struct td_cli_cppe *p)
{
	double most = 0;
	const char *name = "";

	for (unsigned a = 0; a < CPPE_APPS; a++)
		for (unsigned s = 0; s < CPPE_SIZES; s++) {
			const struct td_cli_cppe_published *app = &td_cli_cppe_published[a];
			double here = td_cli_cppe_most(p, a, s);
			if (app->most[CPPE_75] || app->most[CPPE_50] || a == CPPE_BIC)
				continue;
			if (isnan(here) || here > most) {
				most = here;
				name = app->name;
			}
		}
	td_cli_state_claim(&p->e.r, "table3-others",
			   "untouched pages of those that Table III leaves out", "0", !isnan(most),
			   most < T1,
			   "one that the paper does not have among its irregular ones switches",
			   "at most %.0f%s%s", most, *name ? ", of " : "", name);
}

/* Of the pages of a chunk that is brought in whole, a stride touches one in so many. */
static void state_stride(struct td_cli_cppe *p, enum td_cli_cppe_app a, double published)
{
	char id[40], what[120];
	double stride = td_cli_cppe_stride(p, a, CPPE_75);

	snprintf(id, sizeof id, "stride-%s", td_cli_cppe_published[a].name);
	snprintf(what, sizeof what,
		 "stride of the pages of %s: how many leave for one that was touched",
		 td_cli_cppe_published[a].name);
	td_cli_cppe_number(p, id, what, published, stride,
			   stride >= published * 0.75 && stride <= published * 1.25, NULL);
}

/* ---- overheads ---- */

enum structure { ALL_THREE, EVICTED, PATTERNS };

/* Averages over all; of patterns over those that keep any, in percent of the chain. */
static double entries(const struct td_cli_cppe *p, enum td_cli_cppe_size s, enum structure which)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++) {
		double chain = td_cli_cppe_reported(p, a, s, "chain_entries");
		double evicted = td_cli_cppe_reported(p, a, s, "buffer_entries");
		double patterns = td_cli_cppe_reported(p, a, s, "pattern_entries");
		if (which == PATTERNS && patterns <= 0)
			continue;
		sum += which == PATTERNS  ? 100 * patterns / chain
		       : which == EVICTED ? evicted
					  : chain + evicted + patterns;
		n++;
	}
	return sum / n;
}

static void state_overheads(struct td_cli_cppe *p)
{
	static const struct {
		const char *id, *what;
		enum structure which;
		double published[CPPE_SIZES];
	} rows[] = {
		{"entries", "entries of all structures, on average", ALL_THREE, {731, 559}},
		{"evicted",
		 "entries of the buffer of evicted chunks, on average",
		 EVICTED,
		 {73, 51}},
		{"patterns",
		 "patterns, in percent of the chain where there are any",
		 PATTERNS,
		 {37.2, 88.7}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned s = 0; s < CPPE_SIZES; s++) {
			char id[40], what[120];
			double here = entries(p, s, rows[i].which);
			double of = here / rows[i].published[s];
			snprintf(id, sizeof id, "overhead-%s-%.2s", rows[i].id,
				 td_cli_cppe_sizes[s]);
			snprintf(what, sizeof what, "%s at %s", rows[i].what, td_cli_cppe_sizes[s]);
			td_cli_cppe_number(p, id, what, rows[i].published[s], here,
					   of > 0.5 && of < 2,
					   "the most that each held, not what it held on average");
		}
}

void td_cli_cppe_table_claims(struct td_cli_cppe *p)
{
	for (unsigned a = 0; a < CPPE_APPS; a++)
		for (unsigned s = 0; s < CPPE_SIZES; s++)
			state_levels(p, a, s);
	state_others(p);
	state_stride(p, CPPE_NW, 2);
	state_stride(p, CPPE_MVT, 4);
	state_overheads(p);
}

/* ---- printing ---- */

static void number_cell(struct td_cli_table *t, double value, int digits)
{
	if (isnan(value))
		td_cli_cell(t, "-");
	else
		td_cli_cell(t, "%.*f", digits, value);
}

static void level_cell(struct td_cli_table *t, int published, double measured)
{
	char text[16] = "-";

	if (published != CPPE_NONE)
		snprintf(text, sizeof text, "%d", published);
	if (isnan(measured))
		td_cli_cell(t, "%s / -", text);
	else
		td_cli_cell(t, "%s / %.0f", text, measured);
}

static void print_app(const struct td_cli_cppe *p, struct td_cli_table *t, enum td_cli_cppe_app a,
		      enum td_cli_cppe_size s)
{
	const struct td_cli_cppe_published *app = &td_cli_cppe_published[a];

	td_cli_cell(t, "%s", app->name);
	td_cli_cell(t, "%s", app->type);
	number_cell(t, td_cli_cppe_time(p, p->at[a][s][CPPE_BASELINE]) / 1e6, 2);
	for (unsigned c = CPPE_SCHEME2; c < CPPE_CONFIGS; c++)
		number_cell(t, td_cli_cppe_speedup(p, a, s, c), 2);
	number_cell(t, td_cli_cppe_evictions(p, a, s), 2);
	level_cell(t, app->most[s], td_cli_cppe_most(p, a, s));
	level_cell(t, app->total[s], td_cli_cppe_total(p, a, s));
}

static void print_average(const struct td_cli_cppe *p, struct td_cli_table *t, const char *type,
			  enum td_cli_cppe_size s)
{
	td_cli_cell(t, "%s", type ? "average" : "all");
	td_cli_cell(t, "%s", type ? type : "");
	td_cli_cell(t, "%s", "");
	for (unsigned c = CPPE_SCHEME2; c < CPPE_CONFIGS; c++)
		number_cell(t, td_cli_cppe_average(p, type, s, c), 2);
	for (unsigned i = 0; i < 3; i++)
		td_cli_cell(t, "%s", "");
}

static void print_geomean(const struct td_cli_cppe *p, struct td_cli_table *t,
			  enum td_cli_cppe_size s)
{
	td_cli_cell(t, "%s", "geometric");
	td_cli_cell(t, "%s", "");
	td_cli_cell(t, "%s", "");
	for (unsigned c = CPPE_SCHEME2; c < CPPE_CONFIGS; c++)
		number_cell(t, td_cli_cppe_geomean(p, s, c), 2);
	for (unsigned i = 0; i < 3; i++)
		td_cli_cell(t, "%s", "");
}

static int print_size(const struct td_cli_cppe *p, enum td_cli_cppe_size s, struct tide_error *err)
{
	static const char *const types[] = {"I", "II", "III", "IV", "V", "VI", NULL};
	struct td_cli_table t = {.align = "llrrrrrrrrrrr"};

	td_cli_cell(&t, "%s", "app");
	td_cli_cell(&t, "%s", "type");
	td_cli_cell(&t, "%s", "ms");
	for (unsigned c = CPPE_SCHEME2; c < CPPE_CONFIGS; c++)
		td_cli_cell(&t, "%s", td_cli_cppe_names[c]);
	td_cli_cell(&t, "%s", "evictions");
	td_cli_cell(&t, "%s", "Table III");
	td_cli_cell(&t, "%s", "Table IV");
	for (unsigned a = 0; a < CPPE_APPS; a++)
		if (p->wanted[a])
			print_app(p, &t, a, s);
	if (!p->e.args->only)
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			print_average(p, &t, types[i], s);
	if (!p->e.args->only)
		print_geomean(p, &t, s);
	return td_cli_table_end(&t, err);
}

int td_cli_cppe_print(const struct td_cli_cppe *p, struct tide_error *err)
{
	for (unsigned s = 0; s < CPPE_SIZES; s++) {
		printf("%s of the footprint in near memory: milliseconds of the baseline, speedup "
		       "over it, pages that\nit evicts for each of stop's (Figure 4), untouched "
		       "pages as published / measured.\n\n",
		       td_cli_cppe_sizes[s]);
		int rc = print_size(p, s, err);
		if (rc)
			return rc;
		putchar('\n');
	}
	return 0;
}
