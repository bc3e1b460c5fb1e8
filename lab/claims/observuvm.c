/* "Observability-aided GPU Memory Oversubscription": fourteen applications under UVM, the paper's
 * policies and what it compares them with, with a clock. */
#include <math.h>

#include "claims.h"
#include "observuvm_runs.h"
#include "rows.h"

/* ---- figures ---- */

#define NEAR 2   /* percent: as fast as the fastest */
#define LITTLE 5 /* percent of the time that are no effect */
#define NO_END 3 /* times the fastest policy's time that count as not finishing */

/* What is compared: a counter, or the time. */
#define TIME_NS SIZE_MAX
#define FAULTS offsetof(struct tide_counts, faults)
#define EVICTIONS offsetof(struct tide_counts, evicted_chunks)

static double value(const struct td_claims *p, size_t what, unsigned s, unsigned a, unsigned c)
{
	return what == TIME_NS ? TIME(s, a, c) : td_claims_counted(p, s, a, c, what);
}

static double ratio(double part, double of)
{
	return of > 0 ? part / of : (double)NAN;
}

/* Percent that c has less of it than `than`. */
static double saved(const struct td_claims *p, size_t what, unsigned s, unsigned a, unsigned c,
		    unsigned than)
{
	return 100 * (1 - ratio(value(p, what, s, a, c), value(p, what, s, a, than)));
}

/* Of several, by the geometric mean of the ratios; of none at all too. */
static double saved_mean(const struct td_claims *p, size_t what, unsigned s, uint32_t group,
			 unsigned c, unsigned than)
{
	return 100 * (1 - GEOMEAN(group,
				  td_claims_higher(1e-3, 1 - saved(p, what, s, a, c, than) / 100)));
}

/* The fastest of LRU, LFU and CP; missing: one of them is not there. */
static struct td_fold fastest(const struct td_claims *p, unsigned s, unsigned a)
{
	struct td_fold f = {0};

	for (unsigned c = LRU; c <= CP; c++)
		td_fold_add(&f, c, TIME(s, a, c));
	return f;
}

/* Times the fastest policy's time. */
static double behind(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, c) / td_fold_least(fastest(p, s, a));
}

/* Percent of a chunk's pages that were resident, or touched too, when it left UVM. */
static double occupied(const struct td_claims *p, unsigned a, bool touched)
{
	double pages = COUNTED(evicted_pages, MAIN, a, UVM);

	if (touched)
		pages -= COUNTED(untouched_evicted_pages, MAIN, a, UVM);
	return ratio(100 * pages, 32 * COUNTED(evicted_chunks, MAIN, a, UVM));
}

/* Time that copies of samples take the bus, both ways at 24 GB/s, as percent of the run; and of the
 * driver's work on notices: 19.5 us each in the model. */
static double copying(const struct td_claims *p, unsigned a)
{
	return 100 * COUNTED(observe_pages, MAIN, a, TM2) * (65536 / 24. + 2000) /
	       TIME(MAIN, a, TM2);
}

static double telling(const struct td_claims *p, unsigned a)
{
	return 100 * 19500. * COUNTED(notices, MAIN, a, TM2) / TIME(MAIN, a, TM2);
}

/* By how much TM++ is ahead, as a multiple of the time where all fits. */
static double gap(const struct td_claims *p, unsigned s)
{
	return GEOMEAN(ALL, TIME(s, a, UVM) / TIME(ZERO, a, UVM)) -
	       GEOMEAN(ALL, TIME(s, a, TM2) / TIME(ZERO, a, UVM));
}

/* Percent by which LRU is slower in one setting than in another. */
static double slower(const struct td_claims *p, unsigned s, unsigned than, unsigned a)
{
	return 100 * (TIME(s, a, LRU) / TIME(than, a, LRU) - 1);
}

/* The most that more samples change of an application's time. */
static double by_samples(const struct td_claims *p, unsigned a)
{
	return td_claims_higher(fabs(slower(p, SAMPLES2, SAMPLES1, a)),
				fabs(slower(p, SAMPLES3, SAMPLES1, a)));
}

/* "gmv +5%, lu +3%": those that TM++ makes slower. */
static struct td_claims_cell slower_ones(const struct td_claims *p)
{
	struct td_claims_cell list = {"none"};
	size_t n = 0;

	for (unsigned a = 0; a < APPS && n < sizeof list.text; a++) {
		double less = saved(p, TIME_NS, MAIN, a, TM2, UVM);
		if (less < -NEAR)
			n += (size_t)snprintf(list.text + n, sizeof list.text - n, "%s%s %+.0f%%",
					      n ? ", " : "", apps[a].name, -less);
	}
	return list;
}

/* A chunk that leaves may be a small part of one. */
static struct td_claims_cell pages_note(const struct td_claims *p, uint32_t group, unsigned c)
{
	struct td_claims_cell note;
	double pages =
		saved_mean(p, offsetof(struct tide_counts, evicted_pages), MAIN, group, c, UVM);

	snprintf(note.text, sizeof note.text, "of the pages evicted it saves %.0f%%", pages);
	return note;
}

/* Percentages to two decimals. */
static double rounded(double value)
{
	return isnan(value) ? value : round(value * 100) / 100;
}

/* ---- the claims ---- */

static const struct td_claim rows[] = {
#define ROWS_AS_TABLE
#include "observuvm.def"
};

static void claim(struct td_claims *p)
{
	struct td_cli_reproduction *r = &p->r;
	const struct td_claim *row = rows;
	struct td_claims_cell note = {""};
	bool on = true;

#include "observuvm.def"
}

/* ---- tables ---- */

static double time_over_uvm(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return 1 - saved(p, TIME_NS, s, a, c, UVM) / 100;
}

static double evictions_over_uvm(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return td_claims_higher(1e-3, 1 - saved(p, EVICTIONS, s, a, c, UVM) / 100);
}

static double faults_over_uvm(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return td_claims_higher(1e-3, 1 - saved(p, FAULTS, s, a, c, UVM) / 100);
}

static double over_main(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, c) / TIME(MAIN, a, c);
}

static double over_one_sample(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return TIME(s, a, c) / TIME(SAMPLES1, a, c);
}

static struct td_claims_cell preferred(const struct td_claims *p, unsigned s, unsigned a,
				       unsigned c)
{
	struct td_claims_cell cell;

	(void)s, (void)c;
	snprintf(cell.text, sizeof cell.text, "%s",
		 td_claims_row(p, "fig10-%s", apps[a].name)->text);
	return cell;
}

/* What configurations have over what UVM has, and the mean of all. */
static int print_over_uvm(const struct td_claims *p, const char *title, td_claims_figure *f,
			  unsigned s, uint32_t which, struct tide_error *err)
{
	static const struct td_claims_summary mean = {"geometric mean", NULL, ALL, td_fold_geomean};
	struct td_claims_column columns[CONFIGS + 1];
	struct td_claims_table table = {
		.title = title, .columns = columns, .summaries = &mean, .summaries_n = 1};

	for (unsigned c = 0; c < CONFIGS; c++)
		if (which >> c & 1)
			columns[table.columns_n++] = (struct td_claims_column)TD_COLUMN(
				configs[c].name, f, s, c, 3, NULL);
	if (which & THREE)
		columns[table.columns_n++] = (struct td_claims_column){
			.head = "published fastest", .words = preferred, .left = true};
	return td_claims_print(p, &table, p->wanted & settings[s].head.apps, err);
}

static int print_main(const struct td_claims *p, struct tide_error *err)
{
	uint32_t tm = TD_BIT(TM) | TD_BIT(TM1) | TD_BIT(TM2);
	int rc = print_over_uvm(p,
				"Figures 9, 10 and 13: time over UVM's; published means: TM 0.80, "
				"TM++ 0.66",
				time_over_uvm, MAIN, THREE | tm | TD_BIT(ACBM) | TD_BIT(EA), err);

	if (!rc)
		rc = print_over_uvm(p, "Figure 11: evicted chunks over UVM's", evictions_over_uvm,
				    MAIN, THREE | TD_BIT(TM), err);
	return rc ? rc
		  : print_over_uvm(p,
				   "Figure 12: faults over UVM's; published means: TM 0.60, TM+ "
				   "0.22",
				   faults_over_uvm, MAIN, tm, err);
}

static const struct td_claims_column over_columns[] = {
	TD_COLUMN("0%", time_over_uvm, ZERO, TM2, 3, NULL),
	TD_COLUMN("10%", time_over_uvm, O10, TM2, 3, NULL),
	TD_COLUMN("20%", time_over_uvm, O20, TM2, 3, NULL),
	TD_COLUMN("30%", time_over_uvm, O30, TM2, 3, NULL),
	TD_COLUMN("40%", time_over_uvm, O40, TM2, 3, NULL),
	TD_COLUMN("50%", time_over_uvm, MAIN, TM2, 3, NULL),
	TD_COLUMN("60%", time_over_uvm, O60, TM2, 3, NULL),
	TD_COLUMN("70%", time_over_uvm, O70, TM2, 3, NULL),
};
static const struct td_claims_column observe_columns[] = {
	TD_COLUMN("100", over_main, MAIN, LRU, 3, NULL),
	TD_COLUMN("75", over_main, WATCH75, LRU, 3, NULL),
	TD_COLUMN("50", over_main, WATCH50, LRU, 3, NULL),
	TD_COLUMN("25", over_main, WATCH25, LRU, 3, NULL),
};
static const struct td_claims_column sample_columns[] = {
	TD_COLUMN("1", over_one_sample, SAMPLES1, LRU, 3, NULL),
	TD_COLUMN("2", over_one_sample, SAMPLES2, LRU, 3, NULL),
	TD_COLUMN("3", over_one_sample, SAMPLES3, LRU, 3, NULL),
};

static const struct td_claims_table study_tables[STUDIES] = {
	[STUDY_OVER] = {.title = "Figures 14 and 15: TM++'s time over UVM's, by oversubscription; "
				 "published means: 0.74 at 30%, 0.62 at 70%",
			.columns = over_columns,
			.columns_n = 8},
	[STUDY_OBSERVE] =
		{.title = "Figure 16: LRU's time by chunks observed, in percent, over that "
			  "with all",
		 .columns = observe_columns,
		 .columns_n = 4},
	[STUDY_SAMPLES] = {.title = "Figure 17: LRU's time by samples, 75% of the chunks observed, "
				    "over that of 1",
			   .columns = sample_columns,
			   .columns_n = 3},
};

static int print(const struct td_claims *p, struct tide_error *err)
{
	int rc = STUDIED(STUDY_MAIN) ? print_main(p, err) : 0;

	for (unsigned study = 0; study < STUDIES && !rc; study++)
		if (STUDIED(study) && study_tables[study].title)
			rc = td_claims_print(p, &study_tables[study], p->wanted, err);
	if (!rc && STUDIED(STUDY_BARE))
		rc = print_over_uvm(p, "Figure 10 where nothing is prefetched: time over UVM's",
				    time_over_uvm, BARE, THREE, err);
	if (!rc && STUDIED(STUDY_EXACT) && HAS(BLK))
		rc = print_over_uvm(p, "Every warp by itself, 4 iterations: time over UVM's",
				    time_over_uvm, EXACT, THREE | TD_BIT(TM), err);
	return rc;
}

/* ---- the paper ---- */

const char *td_cli_obs_app(size_t i)
{
	return i < APPS ? apps[i].name : NULL;
}

const char *td_cli_obs_study(size_t i)
{
	return i < STUDIES ? studies[i].name : NULL;
}

static const struct td_claims_setting *setting(unsigned s)
{
	return &settings[s].head;
}

/* The slow ones are the last. */
static unsigned cost(unsigned a)
{
	return a;
}

static const char *const headlines[] = {"fig9-tm", "fig9-tm++", "fig9-most", NULL};

const struct td_claims_paper td_claims_paper_observuvm = {
	.name = "observuvm",
	.apps = APPS,
	.configs = CONFIGS,
	.settings = SETTINGS,
	.app = td_cli_obs_app,
	.study_name = td_cli_obs_study,
	.setting = setting,
	.studies = studies,
	.cost = cost,
	.check = check,
	.make = make,
	.rows = rows,
	.headlines = headlines,
	.rows_n = sizeof rows / sizeof *rows,
	.claim = claim,
	.print = print,
};

int td_claims_observuvm(const void *options, struct tide_error *err)
{
	return td_claims_evaluate(&td_claims_paper_observuvm, options, err);
}
