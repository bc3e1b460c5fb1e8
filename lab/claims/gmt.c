/* "GMT: GPU Orchestrated Memory Tiering for the Big Data Era": nine applications under BaM, the
 * three policies of the paper and a host that pages, with a clock. */
#include <math.h>

#include "claims.h"
#include "gmt_runs.h"
#include "rows.h"

/* ---- figures ---- */

static double percent(double part, double of)
{
	return of > 0 ? 100 * part / of : (double)NAN;
}

static double speedup(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, BAM) / TIME(s, a, c);
}

/* Percent of BaM's storage reads that are saved. */
static double cut(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return 100 - percent(COUNTED(tier3_reads, s, a, c), COUNTED(tier3_reads, s, a, BAM));
}

/* Look-ups of tier 2 in vain, as percent of the misses. */
static double useless(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return percent(COUNTED(tier2_misses, s, a, c), COUNTED(faults, s, a, c));
}

#define UP(s, a, c) REPORTED("transfers.tier2_to_tier1", s, a, c)
#define DOWN(s, a, c) REPORTED("transfers.tier1_to_tier2", s, a, c)

/* Pages back from tier 2, as percent of those put there. */
static double returned(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return percent(UP(s, a, c), DOWN(s, a, c));
}

/* Pages to and from tier 2, as percent of BaM's reads. */
static double traffic(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return percent(UP(s, a, c) + DOWN(s, a, c), COUNTED(tier3_reads, s, a, BAM));
}

static double footprint(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, c);
	const json_t *input = run ? json_object_get(run->json, "input") : NULL;

	return run ? json_number_value(json_object_get(input, "footprint_pages")) : (double)NAN;
}

/* Percent: 1 - pages / misses. */
static double reuse(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return 100 - percent(footprint(p, s, a, c), COUNTED(faults, s, a, c));
}

/* Storage reads, were the data of the paper's size. */
static double io_gib(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return apps[a].data_gib * COUNTED(tier3_reads, s, a, c) / footprint(p, s, a, c);
}

/* Of predictions, percent. */
static double accuracy(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return 100 * REPORTED("prediction_accuracy", s, a, c);
}

/* Speedup over HMM with reads as few as c's. The host waits for two reads at a time: what it reads
 * more it would not have to wait for. */
static double equalised(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	double more = COUNTED(tier3_reads, s, a, HMM) - COUNTED(tier3_reads, s, a, c);

	return (TIME(s, a, HMM) - (more > 0 ? more * 130000 / 2 : 0)) / TIME(s, a, c);
}

/* Of pages that came back, by the tier of their distance; nothing is missing if some did. */
static struct td_fold distances(const struct td_claims *p, unsigned s, unsigned a)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, REUSE);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;
	const json_t *list = json_object_get(policy, "correct_tiers");
	struct td_fold f = {0};

	for (unsigned tier = 1; tier <= 3; tier++)
		td_fold_add(&f, tier, json_number_value(json_array_get(list, tier - 1)));
	f.missing = !(f.sum > 0);
	return f;
}

/* The tier that has most of them, and percent of it. */
static double tier(const struct td_claims *p, unsigned s, unsigned a)
{
	struct td_fold f = distances(p, s, a);

	return f.missing ? (double)NAN : f.most_at;
}

static double tier_percent(const struct td_claims *p, unsigned s, unsigned a)
{
	struct td_fold f = distances(p, s, a);

	return percent(td_fold_most(f), f.sum);
}

/* What ran is averaged, but of some of the applications there is no average. */
static double known_mean(struct td_fold f)
{
	return td_fold_mean(td_fold_known(f));
}

static double known_geomean(struct td_fold f)
{
	return td_fold_geomean(td_fold_known(f));
}

/* By how many percent reuse has less of it, the mean over the applications. */
static double less(const struct td_claims *p, td_claims_figure *f, unsigned than)
{
	struct td_fold fold = {0};

	for (unsigned a = 0; a < APPS && !p->options->only; a++) {
		double theirs = f(p, MAIN, a, than);
		if (theirs > 0)
			td_fold_add(&fold, a, 100 * (1 - f(p, MAIN, a, REUSE) / theirs));
	}
	return known_mean(fold);
}

/* ---- the claims ---- */

static const struct td_claim rows[] = {
#define ROWS_AS_TABLE
#include "gmt.def"
};

static void claim(struct td_claims *p)
{
	struct td_cli_reproduction *r = &p->r;
	const struct td_claim *row = rows;
	struct td_claims_cell note = {""};
	bool on = true;

#include "gmt.def"
}

/* ---- tables ---- */

/* c: the tier. */
static double in_tier(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, REUSE);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;
	const json_t *list = json_object_get(policy, "correct_tiers");

	return percent(json_number_value(json_array_get(list, c - 1)), distances(p, s, a).sum);
}

static struct td_claims_cell published_tier(const struct td_claims *p, unsigned s, unsigned a,
					    unsigned c)
{
	struct td_claims_cell cell;

	(void)s, (void)c;
	snprintf(cell.text, sizeof cell.text, "%.6s",
		 td_claims_row(p, "fig7-%s", apps[a].name)->text);
	return cell;
}

/* Percent by which the speedup is off. */
static double off(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	double published = td_claims_published(p, "fig8a-%s", apps[a].name);

	return 100 * (speedup(p, s, a, c) / published - 1);
}

static const struct td_claims_column speedup_columns[] = {
	TD_COLUMN("tier-order", speedup, MAIN, TIER_ORDER, 2, "1.07"),
	TD_COLUMN("random", speedup, MAIN, RANDOM, 2, "1.24"),
	TD_COLUMN("reuse", speedup, MAIN, REUSE, 2, "1.50"),
	{"published", .row = "fig8a-%s", .digits = 2},
	{"off %", off, MAIN, REUSE, .alone = true},
	TD_COLUMN("hmm", speedup, MAIN, HMM, 2, "0.33"),
};
static const struct td_claims_column character_columns[] = {
	TD_COLUMN("reuse %", reuse, MAIN, BAM, 1, NULL),
	{"published", .row = "table2-reuse-%s", .digits = 1},
	TD_COLUMN("SSD GiB", io_gib, MAIN, BAM, 0, NULL),
	{"published", .row = "table2-io-%s", .digits = 0},
	TD_COLUMN("tier 1 %", in_tier, MAIN, 1, 1, NULL),
	TD_COLUMN("tier 2 %", in_tier, MAIN, 2, 1, NULL),
	TD_COLUMN("tier 3 %", in_tier, MAIN, 3, 1, NULL),
	{"published", .words = published_tier},
};
static const struct td_claims_column placement_columns[] = {
	TD_COLUMN("saved: order", cut, MAIN, TIER_ORDER, 1, NULL),
	TD_COLUMN("random", cut, MAIN, RANDOM, 1, NULL),
	TD_COLUMN("reuse", cut, MAIN, REUSE, 1, NULL),
	{"published", .row = "fig8b-%s", .digits = 0},
	TD_COLUMN("right", accuracy, MAIN, REUSE, 1, NULL),
	TD_COLUMN("back: order", returned, MAIN, TIER_ORDER, 1, NULL),
	TD_COLUMN("random", returned, MAIN, RANDOM, 1, NULL),
	TD_COLUMN("reuse", returned, MAIN, REUSE, 1, NULL),
};
static const struct td_claims_column study_columns[] = {
	TD_COLUMN("osf 4: order", speedup, OSF4, TIER_ORDER, 2, "1.03"),
	TD_COLUMN("random", speedup, OSF4, RANDOM, 2, "1.14"),
	TD_COLUMN("reuse", speedup, OSF4, REUSE, 2, "1.23"),
	TD_COLUMN("T2:T1 2", speedup, RATIO2, REUSE, 2, "-"),
	TD_COLUMN("4", speedup, MAIN, REUSE, 2, "1.50"),
	TD_COLUMN("8", speedup, RATIO8, REUSE, 2, "-"),
	TD_COLUMN("larger: order", speedup, LARGER, TIER_ORDER, 2, "1.07"),
	TD_COLUMN("random", speedup, LARGER, RANDOM, 2, "1.21"),
	TD_COLUMN("reuse", speedup, LARGER, REUSE, 2, "1.45"),
};
#define COLUMNS(which) .columns = (which), .columns_n = sizeof(which) / sizeof *(which)

static int print(const struct td_claims *p, struct tide_error *err)
{
	static const struct td_claims_summary mean = {"geometric mean", NULL, ALL, known_geomean};
	const struct td_claims_table tables[] = {
		{"Figures 8a and 14: speedup over BaM; published is Reuse's",
		 COLUMNS(speedup_columns), .summaries = &mean, .summaries_n = 1,
		 .published = !p->options->only},
		{"Table 2 and Figure 7: reuse, SSD reads of BaM, and the tier of the distances",
		 COLUMNS(character_columns)},
		{"Figures 8b, 9 and 10: percent of BaM's SSD reads saved, of predictions that were "
		 "right, and of\nthe pages put into tier 2 that came back from there",
		 COLUMNS(placement_columns)},
		{"Figures 11 to 13: speedup over BaM; of 11 and 13 published are the means",
		 COLUMNS(study_columns), .summaries = &mean, .summaries_n = 1, .published = true},
	};
	bool only_main = p->options->study && p->study == STUDY_MAIN;
	int rc = 0;

	for (size_t i = STUDIED(STUDY_MAIN) ? 0 : 3; i < (only_main ? 3 : 4) && !rc; i++)
		rc = td_claims_print(p, &tables[i], p->wanted, err);
	return rc;
}

/* ---- the paper ---- */

const char *td_cli_gmt_app(size_t i)
{
	return i < APPS ? apps[i].name : NULL;
}

const char *td_cli_gmt_study(size_t i)
{
	return i < STUDIES ? studies[i].name : NULL;
}

static const struct td_claims_setting *setting(unsigned s)
{
	return &settings[s].head;
}

static const char *const headlines[] = {"fig8a-reuse", "fig8a-random", "fig8a-tier-order",
					"fig14-reuse", NULL};

const struct td_claims_paper td_claims_paper_gmt = {
	.name = "gmt",
	.apps = APPS,
	.configs = CONFIGS,
	.settings = SETTINGS,
	.app = td_cli_gmt_app,
	.study_name = td_cli_gmt_study,
	.setting = setting,
	.studies = studies,
	.make = make,
	.rows = rows,
	.headlines = headlines,
	.rows_n = sizeof rows / sizeof *rows,
	.claim = claim,
	.print = print,
};

int td_claims_gmt(const void *options, struct tide_error *err)
{
	return td_claims_evaluate(&td_claims_paper_gmt, options, err);
}
