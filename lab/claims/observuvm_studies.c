/* What the runs say about the sensitivity studies of the ObservUVM paper, and about two readings of
 * ours: nothing prefetched, and every warp by itself. */
#include <math.h>

#include "observuvm.h"

#define BIT(x) (1U << (x))
#define LITTLE 5 /* percent of the time that are no effect */

static double mean(const struct td_cli_obs *o, enum td_cli_obs_setting s)
{
	return o->all ? td_cli_obs_mean(o, td_cli_obs_time_ns, s, OBS_ALL, OBS_TM2, OBS_UVM) : NAN;
}

/* ---- Figures 14 and 15: oversubscription ---- */

static const struct {
	unsigned percent;
	enum td_cli_obs_setting setting;
} levels[] = {{10, OBS_O10},  {20, OBS_O20}, {30, OBS_O30}, {40, OBS_O40},
	      {50, OBS_MAIN}, {60, OBS_O60}, {70, OBS_O70}};
#define LEVELS (sizeof levels / sizeof *levels)

/* The geometric mean of the times over those of UVM where all fits. */
static double over_zero(const struct td_cli_obs *o, enum td_cli_obs_setting s,
			enum td_cli_obs_config c)
{
	double sum = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		const struct td_cli_rerun *run = td_cli_obs_run(o, s, a, c);
		const struct td_cli_rerun *zero = td_cli_obs_run(o, OBS_ZERO, a, OBS_UVM);
		if (!run || !zero)
			return NAN;
		sum += log((double)run->time_ns / (double)zero->time_ns);
	}
	return exp(sum / OBS_APPS);
}

static void claim_muted(struct td_cli_obs *o, enum td_cli_obs_app a, const char *id,
			const char *what)
{
	double at50 = td_cli_obs_saved(o, td_cli_obs_time_ns, OBS_MAIN, a, OBS_TM2, OBS_UVM);
	double at70 = td_cli_obs_saved(o, td_cli_obs_time_ns, OBS_O70, a, OBS_TM2, OBS_UVM);

	if (o->wanted[a])
		td_cli_state_claim(&o->e.r, id, what, "relatively muted",
				   !isnan(at50) && !isnan(at70), at70 < at50, NULL,
				   "%.0f%% at 50, %.0f%% at 70", at50, at70);
}

static void claim_levels(struct td_cli_obs *o)
{
	const size_t last = LEVELS - 1;
	double gap[LEVELS], slope = 0;
	unsigned ahead = 0;

	td_cli_obs_state_saved(o, "fig14-30",
			       "percent of UVM's time that TM++ saves at 30%, geometric mean", 26,
			       mean(o, OBS_O30), NULL);
	td_cli_obs_state_saved(o, "fig14-70",
			       "percent of UVM's time that TM++ saves at 70%, geometric mean", 38,
			       mean(o, OBS_O70), NULL);
	td_cli_state_claim(&o->e.r, "fig14-more", "TM++ saves more at 70% than at 30%",
			   "38% against 26%", !isnan(mean(o, OBS_O70)),
			   mean(o, OBS_O70) > mean(o, OBS_O30), NULL, "%.0f%% against %.0f%%",
			   mean(o, OBS_O70), mean(o, OBS_O30));
	claim_muted(o, OBS_GMV, "fig14-gmv", "TM++ saves less of GMV's time at 70% than at 50%");
	claim_muted(o, OBS_LU, "fig14-lu", "TM++ saves less of LU's time at 70% than at 50%");
	for (unsigned i = 0; i < LEVELS; i++) {
		gap[i] = over_zero(o, levels[i].setting, OBS_UVM) -
			 over_zero(o, levels[i].setting, OBS_TM2);
		ahead += gap[i] > 0;
		/* Of the line through the gaps, which the paper draws; the levels are even. */
		slope += gap[i] * ((double)i - (double)last / 2);
	}
	td_cli_state_claim(&o->e.r, "fig15-ahead", "TM++ is ahead of UVM at 10, 20, .. 70%",
			   "all levels", !isnan(gap[0]) && !isnan(gap[LEVELS - 1]), ahead == LEVELS,
			   NULL, "at %u of 7", ahead);
	td_cli_state_claim(
		&o->e.r, "fig15-gap",
		"the gap widens from 10 to 70%, by its trend line, as a multiple of the time where "
		"all fits",
		"widening", !isnan(gap[0]) && !isnan(gap[LEVELS - 1]), slope > 0, NULL,
		"%.2f, %.2f, %.2f, %.2f, %.2f, %.2f, %.2f", gap[0], gap[1], gap[2], gap[3], gap[4],
		gap[5], gap[6]);
}

/* ---- Figures 16 and 17: what is observed ---- */

/* Percent by which LRU is slower in one setting than in another. */
static double slower(const struct td_cli_obs *o, enum td_cli_obs_setting s,
		     enum td_cli_obs_setting than, enum td_cli_obs_app a)
{
	const struct td_cli_rerun *ours = td_cli_obs_run(o, s, a, OBS_LRU);
	const struct td_cli_rerun *theirs = td_cli_obs_run(o, than, a, OBS_LRU);

	return ours && theirs ? 100 * ((double)ours->time_ns / (double)theirs->time_ns - 1) : NAN;
}

static void claim_observed(struct td_cli_obs *o)
{
	for (unsigned a = 0; a < OBS_APPS; a++) {
		bool hurt = a == OBS_GMM || a == OBS_SPM;
		double by = slower(o, OBS_WATCH25, OBS_MAIN, a);
		char id[48], what[120];
		if (!o->wanted[a])
			continue;
		snprintf(id, sizeof id, "fig16-%s", td_cli_obs_published[a].app);
		snprintf(what, sizeof what,
			 "LRU is slower with 25 observed chunks than with 100, by more than %d%%, "
			 "%s",
			 LITTLE, td_cli_obs_published[a].app);
		td_cli_state_claim(&o->e.r, id, what, hurt ? "yes" : "no", !isnan(by),
				   (by > LITTLE) == hurt, NULL, "%+.1f%%", by);
	}
}

/* The most that more samples change of an application's time. */
static double by_samples(const struct td_cli_obs *o, enum td_cli_obs_app a)
{
	double two = fabs(slower(o, OBS_SAMPLES2, OBS_SAMPLES1, a));
	double three = fabs(slower(o, OBS_SAMPLES3, OBS_SAMPLES1, a));

	return isnan(two + three) ? (double)NAN : fmax(two, three);
}

static void claim_samples(struct td_cli_obs *o)
{
	double most = 0;
	unsigned which = 0, n = 0, little = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		double by = by_samples(o, a);
		n += !isnan(by) ? 1 : 0;
		little += by <= LITTLE;
		if (by > most) {
			most = by;
			which = a;
		}
	}
	td_cli_state_claim(&o->e.r, "fig17",
			   "2 or 3 samples of a chunk change LRU's time by 5% at most, in most "
			   "applications",
			   "little impact on most", n > 0, 2 * little > n, NULL,
			   "%u of %u, at most %.1f%%, %s", little, n, most,
			   td_cli_obs_published[which].app);
}

/* ---- ours: another reading, or another mode, of what was judged already ---- */

static void remark(struct td_cli_obs *o, const char *id, const char *what, double published,
		   double measured, const char *note)
{
	td_cli_state(&o->e.r,
		     &(struct td_cli_statement){.id = id,
						.what = what,
						.published = json_real(published),
						.measured = isnan(measured) ? json_null()
									    : json_real(measured),
						.verdict = TD_CLI_UNJUDGED,
						.note = note});
}

/* Is the policy that the paper's application prefers the fastest, or nearly? */
static void remark_bare(struct td_cli_obs *o)
{
	unsigned n = 0, agree = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		enum td_cli_obs_config best = td_cli_obs_best(o, OBS_BARE, a);
		enum td_cli_obs_config theirs = td_cli_obs_published[a].prefers;
		if (best == OBS_CONFIGS)
			continue;
		n++;
		agree += td_cli_obs_saved(o, td_cli_obs_time_ns, OBS_BARE, a, best, theirs) < 2;
	}
	remark(o, "bare",
	       "applications whose fastest policy, or within 2% of it, is the published one, where "
	       "nothing is prefetched",
	       n, agree, "another reading of Figure 10; the table says which");
}

static void remark_exact(struct td_cli_obs *o)
{
	static const char note[] = "judged in waves, with 2DC: fig11-cp and fig10-time-cp";

	remark(o, "exact-evictions",
	       "percent of UVM's evictions that CP saves, BLK, every warp by itself", 46,
	       td_cli_obs_saved(o, td_cli_obs_evictions, OBS_EXACT, OBS_BLK, OBS_CP, OBS_UVM),
	       note);
	remark(o, "exact-time", "percent of UVM's time that CP saves, BLK, every warp by itself",
	       34, td_cli_obs_saved(o, td_cli_obs_time_ns, OBS_EXACT, OBS_BLK, OBS_CP, OBS_UVM),
	       note);
}

void td_cli_obs_study_claims(struct td_cli_obs *o)
{
	if (o->settings & BIT(OBS_O30))
		claim_levels(o);
	if (o->settings & BIT(OBS_WATCH25))
		claim_observed(o);
	if (o->settings & BIT(OBS_SAMPLES1))
		claim_samples(o);
	if (o->settings & BIT(OBS_BARE))
		remark_bare(o);
	if (o->settings & BIT(OBS_EXACT) && o->wanted[OBS_BLK])
		remark_exact(o);
}
