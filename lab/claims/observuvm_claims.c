/* What the runs say about the claims of the ObservUVM paper: its main evaluation. */
#include <math.h>
#include <string.h>

#include "observuvm.h"

#define BIT(x) (1U << (x))
#define NEAR 2   /* percent: as fast as the fastest */
#define NO_END 3 /* times the fastest policy's time that count as not finishing */
#define LRU_GROUP (BIT(OBS_MM) | BIT(OBS_GMM) | BIT(OBS_HEL))
#define CP_GROUP (BIT(OBS_2DC) | BIT(OBS_BLK))
#define LFU_GROUP (BIT(OBS_SRK) | BIT(OBS_SR2) | BIT(OBS_GMV) | BIT(OBS_LU) | BIT(OBS_SPM))

static double saved_time(const struct td_cli_obs *o, enum td_cli_obs_app a,
			 enum td_cli_obs_config c, enum td_cli_obs_config than)
{
	return td_cli_obs_saved(o, td_cli_obs_time_ns, OBS_MAIN, a, c, than);
}

/* An average of all applications; of some of them it is none. */
static double average(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_config c,
		      enum td_cli_obs_config than)
{
	return td_cli_obs_mean(o, f, OBS_MAIN, OBS_ALL, c, than);
}

/* ---- Figure 9: time ---- */

static void claim_slower(struct td_cli_obs *o)
{
	char list[200] = "";
	unsigned n = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		double saved = saved_time(o, a, OBS_TM2, OBS_UVM);
		size_t at = strlen(list);
		n += !isnan(saved) ? 1 : 0;
		if (saved < -NEAR)
			snprintf(list + at, sizeof list - at, "%s%s %+.0f%%", at ? ", " : "",
				 td_cli_obs_published[a].app, -saved);
	}
	td_cli_state_claim(&o->e.r, "fig9-slower",
			   "no application is slower with TM++ than with UVM, by 2%", "none", n > 0,
			   !*list, NULL, "%s", *list ? list : "none");
}

static void claim_times(struct td_cli_obs *o)
{
	enum td_cli_obs_app which;
	double most_fdp =
		td_cli_obs_most(o, td_cli_obs_time_ns, OBS_MAIN, OBS_ALL, OBS_TM1, OBS_TM, &which);
	double most =
		td_cli_obs_most(o, td_cli_obs_time_ns, OBS_MAIN, OBS_ALL, OBS_TM2, OBS_UVM, &which);

	td_cli_obs_state_saved(o, "fig9-tm", "percent of UVM's time that TM saves, geometric mean",
			       20, average(o, td_cli_obs_time_ns, OBS_TM, OBS_UVM), NULL);
	td_cli_obs_state_saved(o, "fig9-tm+", "percent of TM's time that TM+ saves, geometric mean",
			       9, average(o, td_cli_obs_time_ns, OBS_TM1, OBS_TM), NULL);
	td_cli_obs_state_saved(o, "fig9-tm+-most", "the most that TM+ saves over TM", 15,
			       o->all ? most_fdp : NAN, NULL);
	td_cli_obs_state_saved(o, "fig9-tm++-fdp",
			       "percent of TM+'s time that TM++ saves, geometric mean", 5,
			       average(o, td_cli_obs_time_ns, OBS_TM2, OBS_TM1),
			       "a tournament among streams brought ahead can end otherwise");
	td_cli_obs_state_saved(o, "fig9-tm++",
			       "percent of UVM's time that TM++ saves, geometric mean", 34,
			       average(o, td_cli_obs_time_ns, OBS_TM2, OBS_UVM), NULL);
	td_cli_obs_state_saved(o, "fig9-most", "the most that TM++ saves", 64, o->all ? most : NAN,
			       NULL);
	td_cli_state_claim(&o->e.r, "fig9-spm", "SPM gains most from TM++", "SPM",
			   o->all && !isnan(most), which == OBS_SPM, NULL, "%s",
			   which < OBS_APPS ? td_cli_obs_published[which].name : "");
	claim_slower(o);
}

/* ---- Figures 10 and 11: eviction policies ---- */

static void claim_preferred(struct td_cli_obs *o, enum td_cli_obs_app a)
{
	const struct td_cli_obs_published *p = &td_cli_obs_published[a];
	enum td_cli_obs_config best = td_cli_obs_best(o, OBS_MAIN, a);
	char id[48], what[100];

	snprintf(id, sizeof id, "fig10-%s", p->app);
	snprintf(what, sizeof what, "the fastest policy, or within %d%% of it: %s", NEAR, p->name);
	td_cli_state_claim(&o->e.r, id, what, td_cli_obs_names[p->prefers], best != OBS_CONFIGS,
			   best != OBS_CONFIGS && saved_time(o, a, best, p->prefers) < NEAR, NULL,
			   "LRU, LFU, CP save %.0f, %.0f, %.0f%%",
			   saved_time(o, a, OBS_LRU, OBS_UVM), saved_time(o, a, OBS_LFU, OBS_UVM),
			   saved_time(o, a, OBS_CP, OBS_UVM));
	if (!p->no_end_with_cp)
		return;
	double times = best == OBS_CONFIGS ? (double)NAN : 1 - saved_time(o, a, OBS_CP, best) / 100;
	snprintf(id, sizeof id, "fig10-cp-%s", p->app);
	snprintf(what, sizeof what, "%s does not finish under CP: %d times the fastest", p->name,
		 NO_END);
	td_cli_state_claim(&o->e.r, id, what, "not within a reasonable time", !isnan(times),
			   times > NO_END, NULL, "%.1f times", times);
}

/* TM's time over that of the fastest of its members. */
static double behind_best(const struct td_cli_obs *o)
{
	double sum = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		enum td_cli_obs_config best = td_cli_obs_best(o, OBS_MAIN, a);
		if (best == OBS_CONFIGS)
			return NAN;
		sum += log(1 - saved_time(o, a, OBS_TM, best) / 100);
	}
	return 100 * (exp(sum / OBS_APPS) - 1);
}

static void claim_group(struct td_cli_obs *o, const char *name, unsigned apps,
			enum td_cli_obs_config c, double evictions, double time, double most_time)
{
	enum td_cli_obs_app which;
	double pages = td_cli_obs_mean(o, td_cli_obs_evicted_pages, OBS_MAIN, apps, c, OBS_UVM);
	char id[48], what[120], why[80];

	snprintf(why, sizeof why, "of the pages evicted it saves %.0f%%", pages);
	snprintf(id, sizeof id, "fig11-%s", name);
	snprintf(what, sizeof what, "percent of UVM's evictions that %s saves, its group's mean",
		 td_cli_obs_names[c]);
	td_cli_obs_state_saved(o, id, what, evictions,
			       td_cli_obs_mean(o, td_cli_obs_evictions, OBS_MAIN, apps, c, OBS_UVM),
			       why);
	snprintf(id, sizeof id, "fig10-time-%s", name);
	snprintf(what, sizeof what, "percent of UVM's time that %s saves, its group's mean",
		 td_cli_obs_names[c]);
	td_cli_obs_state_saved(o, id, what, time,
			       td_cli_obs_mean(o, td_cli_obs_time_ns, OBS_MAIN, apps, c, OBS_UVM),
			       NULL);
	if (most_time <= 0)
		return;
	double most = td_cli_obs_most(o, td_cli_obs_time_ns, OBS_MAIN, apps, c, OBS_UVM, &which);
	snprintf(id, sizeof id, "fig10-most-%s", name);
	snprintf(what, sizeof what, "and the most in its group");
	td_cli_obs_state_saved(o, id, what, most_time, most, NULL);
}

static void claim_no_gain(struct td_cli_obs *o, enum td_cli_obs_app a, const char *id)
{
	double saved = saved_time(o, a, OBS_LRU, OBS_UVM);

	if (o->wanted[a])
		td_cli_state_claim(&o->e.r, id, "LRU is like UVM's policy: within 5% of its time",
				   "no improvement", !isnan(saved), fabs(saved) < 5, NULL,
				   "%.1f%% saved", saved);
}

static void claim_policies(struct td_cli_obs *o)
{
	for (unsigned a = 0; a < OBS_APPS; a++) {
		if (o->wanted[a])
			claim_preferred(o, a);
	}
	double behind = behind_best(o);
	td_cli_obs_state(o, "fig10-tm",
			 "percent by which TM is slower than the fastest policy, mean: below 10", 2,
			 behind, behind < 10, "it tries all three until 65 victims came back");
	claim_group(o, "lru", LRU_GROUP, OBS_LRU, 62, 14, 20);
	td_cli_obs_state_saved(
		o, "sec3-mm", "percent of UVM's evictions that LRU saves, MM", 71,
		td_cli_obs_saved(o, td_cli_obs_evictions, OBS_MAIN, OBS_MM, OBS_LRU, OBS_UVM),
		NULL);
	claim_group(o, "cp", CP_GROUP, OBS_CP, 46, 34, 0);
	claim_group(o, "lfu", LFU_GROUP, OBS_LFU, 46, 16, 58);
	claim_no_gain(o, OBS_AN, "fig10-an-lrm");
	claim_no_gain(o, OBS_SN, "fig10-sn-lrm");
}

/* ---- Figure 12: faults ---- */

static json_int_t reported(const struct td_cli_rerun *run, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(run->json, "policy"), key));
}

/* Judged by all of FDP's answers: which threshold it has at the end is that of the last fifty. */
static void claim_threshold(struct td_cli_obs *o, enum td_cli_obs_app a)
{
	const struct td_cli_rerun *run = td_cli_obs_run(o, OBS_MAIN, a, OBS_TM1);
	json_int_t useful = run ? reported(run, "useful") : 0;
	json_int_t answers = run ? useful + reported(run, "useless") : 0;
	bool aggressive = answers >= 50 && 10 * useful > 8 * answers;
	char id[48];

	snprintf(id, sizeof id, "fdp-%s", td_cli_obs_published[a].app);
	td_cli_state_claim(&o->e.r, id,
			   "FDP finds more than 80% of what is prefetched of use, for threshold 1",
			   a == OBS_GMM ? "no: 51" : "yes: 1", run != NULL,
			   aggressive == (a != OBS_GMM), NULL, "%d of %d, at the end %d",
			   (int)useful, (int)answers, run ? (int)reported(run, "threshold") : 0);
}

static void claim_faults(struct td_cli_obs *o)
{
	enum td_cli_obs_app which;
	double most =
		td_cli_obs_most(o, td_cli_obs_faults, OBS_MAIN, OBS_ALL, OBS_TM1, OBS_TM, &which);
	double gmm = td_cli_obs_saved(o, td_cli_obs_faults, OBS_MAIN, OBS_GMM, OBS_TM1, OBS_TM);

	td_cli_obs_state_saved(o, "fig12-tm", "percent of UVM's faults that TM saves, mean", 40,
			       average(o, td_cli_obs_faults, OBS_TM, OBS_UVM), NULL);
	td_cli_obs_state_saved(o, "fig12-tm+", "percent of TM's faults that TM+ saves, mean", 36,
			       average(o, td_cli_obs_faults, OBS_TM1, OBS_TM), NULL);
	td_cli_obs_state_saved(o, "fig12-tm+-most", "and the most", 84, o->all ? most : NAN, NULL);
	td_cli_obs_state_saved(o, "fig12-tm+-uvm", "percent of UVM's faults that TM+ saves, mean",
			       78, average(o, td_cli_obs_faults, OBS_TM1, OBS_UVM), NULL);
	td_cli_obs_state_saved(o, "fig12-tm++", "percent of TM+'s faults that TM++ saves, mean", 9,
			       average(o, td_cli_obs_faults, OBS_TM2, OBS_TM1), NULL);
	if (o->wanted[OBS_GMM])
		td_cli_state_claim(&o->e.r, "fig12-gmm",
				   "GMM has as many faults with TM+ as with TM: within 10%",
				   "similar", !isnan(gmm), fabs(gmm) < 10, NULL, "%.0f%% fewer",
				   gmm);
	for (unsigned a = 0; a < OBS_APPS; a++) {
		if (o->wanted[a])
			claim_threshold(o, a);
	}
}

/* ---- Figure 13: what it is compared with ---- */

static void claim_acbm(struct td_cli_obs *o)
{
	unsigned n = 0, ahead = 0;

	td_cli_obs_state_saved(o, "fig13-acbm",
			       "percent of ACBM's time that TM++ saves, geometric mean", 20,
			       average(o, td_cli_obs_time_ns, OBS_TM2, OBS_ACBM), NULL);
	for (unsigned a = 0; a < OBS_APPS; a++) {
		double saved = saved_time(o, a, OBS_TM2, OBS_ACBM);
		n += !isnan(saved) ? 1 : 0;
		ahead += saved > 0;
	}
	td_cli_state_claim(&o->e.r, "fig13-all", "TM++ is faster than ACBM in all applications",
			   "all", n > 0, ahead == n, NULL, "%u of %u", ahead, n);
	for (unsigned a = OBS_MM; a <= OBS_GMM; a++) {
		double saved = saved_time(o, a, OBS_ACBM, OBS_UVM);
		if (o->wanted[a])
			td_cli_state_claim(
				&o->e.r, a == OBS_MM ? "fig13-acbm-mm" : "fig13-acbm-gmm",
				a == OBS_MM ? "ACBM is slower than UVM on MM"
					    : "ACBM is slower than UVM on GMM",
				"worse", !isnan(saved), saved < 0, NULL, "%+.0f%% time", -saved);
	}
}

static void claim_ea(struct td_cli_obs *o)
{
	enum td_cli_obs_app which;
	double most =
		td_cli_obs_most(o, td_cli_obs_time_ns, OBS_MAIN, OBS_ALL, OBS_TM2, OBS_EA, &which);
	double gmm = saved_time(o, OBS_GMM, OBS_EA, OBS_UVM);

	td_cli_obs_state_saved(o, "fig13-ea",
			       "percent of EA's time that TM++ saves, geometric mean", 20,
			       average(o, td_cli_obs_time_ns, OBS_TM2, OBS_EA), NULL);
	td_cli_obs_state_saved(o, "fig13-ea-most", "and the most", 36, o->all ? most : NAN, NULL);
	if (o->wanted[OBS_GMM])
		td_cli_state_claim(&o->e.r, "fig13-ea-gmm", "EA is slower than UVM on GMM",
				   "degradation", !isnan(gmm), gmm < 0, NULL, "%+.0f%% time", -gmm);
}

/* ---- Figure 5, overheads ---- */

static double mean_of(const struct td_cli_obs *o,
		      double (*f)(const struct td_cli_obs *o, enum td_cli_obs_app a))
{
	double sum = 0;

	for (unsigned a = 0; a < OBS_APPS; a++)
		sum += f(o, a);
	return sum / OBS_APPS;
}

static double resident(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	return td_cli_obs_occupied(o, a, false);
}

static double touched(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	return td_cli_obs_occupied(o, a, true);
}

/* Time that copies of samples take the bus, both ways at 24 GB/s, as percent of the run. */
static double copying(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	const struct td_cli_rerun *run = td_cli_obs_run(o, OBS_MAIN, a, OBS_TM2);

	if (!run)
		return NAN;
	return 100 * (double)run->counts.observe_pages * (65536 / 24. + 2000) /
	       (double)run->time_ns;
}

/* And of the driver's work on notices: 19.5 us each in the model. */
static double telling(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	const struct td_cli_rerun *run = td_cli_obs_run(o, OBS_MAIN, a, OBS_TM2);

	return run ? 100 * 19500. * (double)run->counts.notices / (double)run->time_ns : NAN;
}

static void claim_rest(struct td_cli_obs *o)
{
	double occupied = mean_of(o, resident), used = mean_of(o, touched);
	double copies = mean_of(o, copying), notices = mean_of(o, telling);

	td_cli_obs_state(o, "sec3-occupied",
			 "percent of a chunk that is resident when it leaves UVM, mean", 90,
			 occupied, occupied > 90, NULL);
	td_cli_obs_state(o, "fig5",
			 "percent of a chunk's pages that were accessed before it left UVM, mean: "
			 "above 90",
			 90, used, used > 90, "the paper counts chunks with all pages accessed");
	td_cli_obs_state(o, "overhead-copies",
			 "percent of TM++'s time that copies of samples are on the bus, mean: "
			 "below 10",
			 2.4, copies, copies < 10, "the bus copies beside the program's work");
	td_cli_obs_state(o, "overhead-notices",
			 "percent of TM++'s time that the driver works on notices, mean: below 10",
			 1.8, notices, notices < 10,
			 "beside the program, whose faults wait for it; the next chunk is observed "
			 "at once, so that there are as many notices as the driver can take");
	td_cli_state(&o->e.r, &(struct td_cli_statement){.id = "counters",
							 .what = "access counters of the hardware",
							 .published = json_integer(256),
							 .measured = json_null(),
							 .verdict = TD_CLI_UNJUDGED,
							 .note = "as many are assumed"});
}

void td_cli_obs_claims(struct td_cli_obs *o)
{
	claim_times(o);
	claim_policies(o);
	claim_faults(o);
	claim_acbm(o);
	claim_ea(o);
	claim_rest(o);
}
