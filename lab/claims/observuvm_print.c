/* The figures of the ObservUVM paper, as tables. */
#include <math.h>
#include <string.h>

#include "observuvm.h"

#define BIT(x) (1U << (x))

static void cell(struct td_cli_table *t, int digits, double value)
{
	if (isnan(value))
		td_cli_cell(t, "-");
	else
		td_cli_cell(t, "%.*f", digits, value);
}

static int end(struct td_cli_table *t, struct tide_error *err)
{
	int rc = td_cli_table_end(t, err);

	putchar('\n');
	return rc;
}

/* Per application, and the mean of all: what configurations have over what UVM has. */
static int print_over_uvm(const struct td_cli_obs *o, const char *title, td_cli_obs_figure *f,
			  enum td_cli_obs_setting s, unsigned configs, bool preferred,
			  struct tide_error *err)
{
	char align[OBS_CONFIGS + 3] = "l";
	struct td_cli_table t = {.align = align};
	int n = __builtin_popcount(configs);

	printf("%s\n", title);
	memset(align + 1, 'r', (size_t)n);
	align[n + 1] = 'l';
	td_cli_cell(&t, "%s", "");
	for (unsigned c = 0; c < OBS_CONFIGS; c++) {
		if (configs & BIT(c))
			td_cli_cell(&t, "%s", td_cli_obs_names[c]);
	}
	td_cli_cell(&t, "%s", preferred ? "published fastest" : "");
	for (unsigned a = 0; a <= OBS_APPS; a++) {
		if (a < OBS_APPS && !td_cli_obs_run(o, s, a, OBS_UVM))
			continue;
		td_cli_cell(&t, "%s",
			    a < OBS_APPS ? td_cli_obs_published[a].app : "geometric mean");
		for (unsigned c = 0; c < OBS_CONFIGS; c++) {
			double saved = a < OBS_APPS ? td_cli_obs_saved(o, f, s, a, c, OBS_UVM)
						    : td_cli_obs_mean(o, f, s, OBS_ALL, c, OBS_UVM);
			if (configs & BIT(c))
				cell(&t, 3, 1 - saved / 100);
		}
		td_cli_cell(&t, "%s",
			    preferred && a < OBS_APPS
				    ? td_cli_obs_names[td_cli_obs_published[a].prefers]
				    : "");
	}
	return end(&t, err);
}

static int print_main(const struct td_cli_obs *o, struct tide_error *err)
{
	unsigned each = BIT(OBS_LRU) | BIT(OBS_LFU) | BIT(OBS_CP) | BIT(OBS_TM);
	unsigned tm = BIT(OBS_TM) | BIT(OBS_TM1) | BIT(OBS_TM2);
	int rc = print_over_uvm(o,
				"Figures 9, 10 and 13: time over UVM's; published means: TM 0.80, "
				"TM++ 0.66",
				td_cli_obs_time_ns, OBS_MAIN,
				each | tm | BIT(OBS_ACBM) | BIT(OBS_EA), true, err);

	if (!rc)
		rc = print_over_uvm(o, "Figure 11: evicted chunks over UVM's", td_cli_obs_evictions,
				    OBS_MAIN, each, true, err);
	if (!rc)
		rc = print_over_uvm(o,
				    "Figure 12: faults over UVM's; published means: TM 0.60, TM+ "
				    "0.22",
				    td_cli_obs_faults, OBS_MAIN, tm, false, err);
	return rc;
}

/* ---- studies: a column per setting ---- */

struct column {
	const char *head;
	enum td_cli_obs_setting setting;
};

/* TM++ over UVM; or LRU over LRU with what the first column has. */
static double study_ratio(const struct td_cli_obs *o, enum td_cli_obs_app a, bool over_uvm,
			  enum td_cli_obs_setting first, enum td_cli_obs_setting s)
{
	const struct td_cli_rerun *ours = td_cli_obs_run(o, s, a, over_uvm ? OBS_TM2 : OBS_LRU);
	const struct td_cli_rerun *theirs =
		over_uvm ? td_cli_obs_run(o, s, a, OBS_UVM) : td_cli_obs_run(o, first, a, OBS_LRU);

	return ours && theirs ? (double)ours->time_ns / (double)theirs->time_ns : NAN;
}

static int print_study(const struct td_cli_obs *o, const char *title, bool over_uvm,
		       const struct column *columns, size_t n, struct tide_error *err)
{
	char align[16];
	struct td_cli_table t = {.align = align};

	printf("%s\n", title);
	snprintf(align, sizeof align, "l%.*s", (int)n, "rrrrrrrr");
	td_cli_cell(&t, "%s", "");
	for (size_t i = 0; i < n; i++)
		td_cli_cell(&t, "%s", columns[i].head);
	for (unsigned a = 0; a < OBS_APPS; a++) {
		if (!o->wanted[a])
			continue;
		td_cli_cell(&t, "%s", td_cli_obs_published[a].app);
		for (size_t i = 0; i < n; i++)
			cell(&t, 3,
			     study_ratio(o, a, over_uvm, columns[0].setting, columns[i].setting));
	}
	return end(&t, err);
}

static const struct column over[] = {{"0%", OBS_ZERO}, {"10%", OBS_O10}, {"20%", OBS_O20},
				     {"30%", OBS_O30}, {"40%", OBS_O40}, {"50%", OBS_MAIN},
				     {"60%", OBS_O60}, {"70%", OBS_O70}};
static const struct column observe[] = {
	{"100", OBS_MAIN}, {"75", OBS_WATCH75}, {"50", OBS_WATCH50}, {"25", OBS_WATCH25}};
static const struct column samples[] = {
	{"1", OBS_SAMPLES1}, {"2", OBS_SAMPLES2}, {"3", OBS_SAMPLES3}};

int td_cli_obs_print(const struct td_cli_obs *o, struct tide_error *err)
{
	unsigned each = BIT(OBS_LRU) | BIT(OBS_LFU) | BIT(OBS_CP);
	int rc = 0;

	if (o->settings & BIT(OBS_MAIN))
		rc = print_main(o, err);
	if (!rc && o->settings & BIT(OBS_O30))
		rc = print_study(o,
				 "Figures 14 and 15: TM++'s time over UVM's, by oversubscription; "
				 "published means: 0.74 at 30%, 0.62 at 70%",
				 true, over, 8, err);
	if (!rc && o->settings & BIT(OBS_WATCH25))
		rc = print_study(o,
				 "Figure 16: LRU's time by chunks observed, in percent, over that "
				 "with all",
				 false, observe, 4, err);
	if (!rc && o->settings & BIT(OBS_SAMPLES1))
		rc = print_study(
			o,
			"Figure 17: LRU's time by samples, 75% of the chunks observed, over that of 1",
			false, samples, 3, err);
	if (!rc && o->settings & BIT(OBS_BARE))
		rc = print_over_uvm(o, "Figure 10 where nothing is prefetched: time over UVM's",
				    td_cli_obs_time_ns, OBS_BARE, each, true, err);
	if (!rc && o->settings & BIT(OBS_EXACT) && o->wanted[OBS_BLK])
		rc = print_over_uvm(o, "Every warp by itself, 4 iterations: time over UVM's",
				    td_cli_obs_time_ns, OBS_EXACT, each | BIT(OBS_TM), true, err);
	return rc;
}
