/* Numbers of the CPPE paper's figures, out of runs. */
#include <math.h>
#include <string.h>

#include "cppe.h"

#define FIRST 4 /* intervals that Tables III and IV look at */

static const struct td_cli_rerun *get(const struct td_cli_cppe *p, size_t at)
{
	const struct td_cli_rerun *run = at ? &p->e.runs[at - 1] : NULL;

	return run && !run->rc && run->json && run->time_ns ? run : NULL;
}

double td_cli_cppe_time(const struct td_cli_cppe *p, size_t at)
{
	const struct td_cli_rerun *run = get(p, at);

	return run ? (double)run->time_ns : (double)NAN;
}

double td_cli_cppe_speedup(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			   enum td_cli_cppe_size s, enum td_cli_cppe_config c)
{
	return td_cli_cppe_time(p, p->at[a][s][CPPE_BASELINE]) /
	       td_cli_cppe_time(p, p->at[a][s][c]);
}

double td_cli_cppe_evictions(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			     enum td_cli_cppe_size s)
{
	const struct td_cli_rerun *on = get(p, p->at[a][s][CPPE_BASELINE]);
	const struct td_cli_rerun *off = get(p, p->at[a][s][CPPE_STOP]);

	if (!on || !off || !off->counts.evicted_pages)
		return (double)NAN;
	return (double)on->counts.evicted_pages / (double)off->counts.evicted_pages;
}

double td_cli_cppe_stride(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			  enum td_cli_cppe_size s)
{
	const struct td_cli_rerun *run = get(p, p->at[a][s][CPPE_BASELINE]);

	if (!run || run->counts.evicted_pages == run->counts.untouched_evicted_pages)
		return (double)NAN;
	return (double)run->counts.evicted_pages /
	       (double)(run->counts.evicted_pages - run->counts.untouched_evicted_pages);
}

static const json_t *policy_of(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			       enum td_cli_cppe_size s)
{
	const struct td_cli_rerun *run = get(p, p->at[a][s][CPPE_SCHEME2]);

	return run ? json_object_get(run->json, "policy") : NULL;
}

static double of_intervals(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			   enum td_cli_cppe_size s, bool most)
{
	const json_t *list = json_object_get(policy_of(p, a, s), "untouch_by_interval");
	double sum = 0;

	if (!list)
		return (double)NAN;
	for (size_t i = 0; i < FIRST && i < json_array_size(list); i++) {
		double x = json_number_value(json_array_get(list, i));
		sum = !most ? sum + x : x > sum ? x : sum;
	}
	return sum;
}

double td_cli_cppe_most(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			enum td_cli_cppe_size s)
{
	return of_intervals(p, a, s, true);
}

double td_cli_cppe_total(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			 enum td_cli_cppe_size s)
{
	return of_intervals(p, a, s, false);
}

double td_cli_cppe_reported(const struct td_cli_cppe *p, enum td_cli_cppe_app a,
			    enum td_cli_cppe_size s, const char *key)
{
	const json_t *value = json_object_get(policy_of(p, a, s), key);

	return value ? json_number_value(value) : (double)NAN;
}

bool td_cli_cppe_crashed(enum td_cli_cppe_app a)
{
	return a == CPPE_MVT || a == CPPE_BIC;
}

double td_cli_cppe_average(const struct td_cli_cppe *p, const char *type, enum td_cli_cppe_size s,
			   enum td_cli_cppe_config c)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++) {
		if (td_cli_cppe_crashed(a) ||
		    (type && strcmp(type, td_cli_cppe_published[a].type) != 0))
			continue;
		sum += td_cli_cppe_speedup(p, a, s, c);
		n++;
	}
	return sum / n;
}

double td_cli_cppe_geomean(const struct td_cli_cppe *p, enum td_cli_cppe_size s,
			   enum td_cli_cppe_config c)
{
	double sum = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++)
		sum += td_cli_cppe_crashed(a) ? 0 : log(td_cli_cppe_speedup(p, a, s, c));
	return exp(sum / (CPPE_APPS - 2));
}
