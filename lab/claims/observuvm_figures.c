/* Numbers of the ObservUVM paper's figures, out of runs. */
#include <math.h>

#include "observuvm.h"

const struct td_cli_rerun *td_cli_obs_run(const struct td_cli_obs *o, enum td_cli_obs_setting s,
					  enum td_cli_obs_app a, enum td_cli_obs_config c)
{
	size_t at = o->at[s][a][c];
	const struct td_cli_rerun *run = at ? &o->e.runs[at - 1] : NULL;

	return run && !run->rc && run->json && run->time_ns ? run : NULL;
}

double td_cli_obs_time_ns(const struct td_cli_rerun *run)
{
	return (double)run->time_ns;
}

double td_cli_obs_faults(const struct td_cli_rerun *run)
{
	return (double)run->counts.faults;
}

double td_cli_obs_evictions(const struct td_cli_rerun *run)
{
	return (double)run->counts.evicted_chunks;
}

double td_cli_obs_evicted_pages(const struct td_cli_rerun *run)
{
	return (double)run->counts.evicted_pages;
}

/* Of what c has as a share of what `than` has. */
static double ratio(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
		    enum td_cli_obs_app a, enum td_cli_obs_config c, enum td_cli_obs_config than)
{
	const struct td_cli_rerun *ours = td_cli_obs_run(o, s, a, c);
	const struct td_cli_rerun *theirs = td_cli_obs_run(o, s, a, than);

	return ours && theirs && f(theirs) > 0 ? f(ours) / f(theirs) : NAN;
}

double td_cli_obs_saved(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
			enum td_cli_obs_app a, enum td_cli_obs_config c,
			enum td_cli_obs_config than)
{
	return 100 * (1 - ratio(o, f, s, a, c, than));
}

double td_cli_obs_mean(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
		       unsigned apps, enum td_cli_obs_config c, enum td_cli_obs_config than)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < OBS_APPS; a++) {
		if (!(apps >> a & 1))
			continue;
		sum += log(fmax(ratio(o, f, s, a, c, than), 1e-3)); /* of none at all too */
		n++;
		if (isnan(ratio(o, f, s, a, c, than)))
			return NAN;
	}
	return 100 * (1 - exp(sum / n));
}

double td_cli_obs_most(const struct td_cli_obs *o, td_cli_obs_figure *f, enum td_cli_obs_setting s,
		       unsigned apps, enum td_cli_obs_config c, enum td_cli_obs_config than,
		       enum td_cli_obs_app *which)
{
	double most = NAN;

	*which = OBS_APPS;
	for (unsigned a = 0; a < OBS_APPS; a++) {
		double saved = apps >> a & 1 ? td_cli_obs_saved(o, f, s, a, c, than) : (double)NAN;
		if (isnan(saved) || saved <= most)
			continue;
		most = saved;
		*which = a;
	}
	return most;
}

enum td_cli_obs_config td_cli_obs_best(const struct td_cli_obs *o, enum td_cli_obs_setting s,
				       enum td_cli_obs_app a)
{
	enum td_cli_obs_config best = OBS_LRU;

	for (unsigned c = OBS_LRU; c <= OBS_CP; c++) {
		const struct td_cli_rerun *run = td_cli_obs_run(o, s, a, c);
		if (!run)
			return OBS_CONFIGS;
		if (run->time_ns < td_cli_obs_run(o, s, a, best)->time_ns)
			best = c;
	}
	return best;
}

double td_cli_obs_occupied(const struct td_cli_obs *o, enum td_cli_obs_app a, bool touched)
{
	const struct td_cli_rerun *run = td_cli_obs_run(o, OBS_MAIN, a, OBS_UVM);

	if (!run || !run->counts.evicted_chunks)
		return NAN;
	uint64_t pages =
		run->counts.evicted_pages - (touched ? run->counts.untouched_evicted_pages : 0);
	return 100 * (double)pages / (32 * (double)run->counts.evicted_chunks);
}
