/* Numbers of the GMT paper, out of runs. */
#include <math.h>

#include "gmt.h"

static const struct td_cli_rerun *bam(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
				      enum td_cli_gmt_app a)
{
	/* It ignores host memory. */
	if (s == GMT_RATIO2 || s == GMT_RATIO8)
		s = GMT_MAIN;
	return td_cli_gmt_run(g, s, a, GMT_BAM);
}

double td_cli_gmt_speedup(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *base = bam(g, s, a), *run = td_cli_gmt_run(g, s, a, p);

	return base && run ? (double)base->time_ns / (double)run->time_ns : NAN;
}

static double percent(double part, double of)
{
	return of > 0 ? 100 * part / of : NAN;
}

double td_cli_gmt_cut(const struct td_cli_gmt *g, enum td_cli_gmt_setting s, enum td_cli_gmt_app a,
		      enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *base = bam(g, s, a), *run = td_cli_gmt_run(g, s, a, p);

	if (!base || !run)
		return NAN;
	return 100 - percent((double)run->counts.tier3_reads, (double)base->counts.tier3_reads);
}

double td_cli_gmt_useless(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);

	return run ? percent((double)run->counts.tier2_misses, (double)run->counts.faults) : NAN;
}

static double transferred(const struct td_cli_rerun *run, const char *key)
{
	const json_t *policy = json_object_get(run->json, "policy");

	return json_number_value(json_object_get(json_object_get(policy, "transfers"), key));
}

double td_cli_gmt_returned(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			   enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);

	return run ? percent(transferred(run, "tier2_to_tier1"), transferred(run, "tier1_to_tier2"))
		   : NAN;
}

double td_cli_gmt_traffic(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *base = bam(g, s, a), *run = td_cli_gmt_run(g, s, a, p);

	if (!base || !run)
		return NAN;
	return percent(transferred(run, "tier2_to_tier1") + transferred(run, "tier1_to_tier2"),
		       (double)base->counts.tier3_reads);
}

static double footprint(const struct td_cli_rerun *run)
{
	const json_t *input = json_object_get(run->json, "input");

	return json_number_value(json_object_get(input, "footprint_pages"));
}

double td_cli_gmt_reuse(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);

	return run ? 100 - percent(footprint(run), (double)run->counts.faults) : NAN;
}

double td_cli_gmt_io_gb(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);
	double data = td_cli_gmt_published[a].data_gb;

	return run ? data * (double)run->counts.tier3_reads / footprint(run) : NAN;
}

double td_cli_gmt_accuracy(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			   enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;
	const json_t *share = json_object_get(policy, "prediction_accuracy");

	return json_is_number(share) ? 100 * json_number_value(share) : NAN;
}

double td_cli_gmt_lifted(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			 enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;
	double lifted = json_number_value(json_object_get(policy, "lifted_to_tier2"));

	return run ? percent(lifted, transferred(run, "tier1_to_tier2")) : NAN;
}

/* The host waits for two reads at a time: what it reads more than reuse it would not have to wait
 * for. */
double td_cli_gmt_equalised(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			    enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	const struct td_cli_rerun *hmm = td_cli_gmt_run(g, s, a, GMT_HMM);
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, p);

	if (!hmm || !run)
		return NAN;
	double more = (double)hmm->counts.tier3_reads - (double)run->counts.tier3_reads;
	double saved_ns = more > 0 ? more * 130000 / 2 : 0;
	return ((double)hmm->time_ns - saved_ns) / (double)run->time_ns;
}

/* ---- distances ---- */

static double class_count(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a, unsigned tier)
{
	const struct td_cli_rerun *run = td_cli_gmt_run(g, s, a, GMT_REUSE);
	const json_t *policy = run ? json_object_get(run->json, "policy") : NULL;

	return json_number_value(
		json_array_get(json_object_get(policy, "correct_tiers"), tier - 1));
}

double td_cli_gmt_class_percent(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
				enum td_cli_gmt_app a, unsigned tier)
{
	double all = class_count(g, s, a, 1) + class_count(g, s, a, 2) + class_count(g, s, a, 3);

	return percent(class_count(g, s, a, tier), all);
}

unsigned td_cli_gmt_class(const struct td_cli_gmt *g, enum td_cli_gmt_setting s,
			  enum td_cli_gmt_app a)
{
	unsigned best = 0;

	for (unsigned tier = 1; tier <= 3; tier++) {
		double n = class_count(g, s, a, tier);
		if (n > 0 && (!best || n > class_count(g, s, a, best)))
			best = tier;
	}
	return best;
}

/* ---- averages ---- */

static bool is_of(enum td_cli_gmt_app a, enum td_cli_gmt_group group)
{
	const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];

	switch (group) {
	case GMT_NO_GRAPH: return !app->graph;
	case GMT_TIER2_BIAS: return app->tier == 2;
	case GMT_OTHER_BIAS: return app->tier != 2;
	default: return true;
	}
}

double td_cli_gmt_geomean(const struct td_cli_gmt *g, td_cli_gmt_figure *f,
			  enum td_cli_gmt_setting s, enum td_cli_gmt_place p,
			  enum td_cli_gmt_group group)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < GMT_APPS; a++) {
		double value = is_of(a, group) ? f(g, s, a, p) : NAN;
		if (!isnan(value)) {
			sum += log(value);
			n++;
		}
	}
	return n ? exp(sum / n) : NAN;
}

double td_cli_gmt_mean(const struct td_cli_gmt *g, td_cli_gmt_figure *f, enum td_cli_gmt_setting s,
		       enum td_cli_gmt_place p)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < GMT_APPS; a++) {
		double value = f(g, s, a, p);
		if (!isnan(value)) {
			sum += value;
			n++;
		}
	}
	return n ? sum / n : NAN;
}
