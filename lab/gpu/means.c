/* What all runs together say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpu/tools.h"
#include "apps.h"

double td_gpu_app_time_ns(const json_t *row)
{
	return (double)json_integer_value(json_object_get(row, "time_ns"));
}

static bool is_row(const json_t *row, const char *app, const char *place, double size)
{
	const char *a = json_string_value(json_object_get(row, "app"));
	const char *p = json_string_value(json_object_get(row, "place"));
	double s = json_real_value(json_object_get(row, "oversubscribe"));

	return a && p && (!app || !strcmp(a, app)) && !strcmp(p, place) && !(s < size) &&
	       !(s > size);
}

/* The geometric mean of the speedups of a placement, over all applications. */
static double mean_of(const json_t *doc, const char *place, double size, unsigned *n)
{
	double sum = 0;
	size_t i;
	json_t *row;

	*n = 0;
	json_array_foreach(json_object_get(doc, "runs"), i, row)
	{
		double speedup = json_real_value(json_object_get(row, "speedup"));
		if (is_row(row, NULL, place, size) && speedup > 0) {
			sum += log(speedup);
			++*n;
		}
	}
	return *n ? exp(sum / *n) : 0;
}

void td_gpu_apps_mean(json_t *doc, const struct td_gpu_setup *setup, const char *place, double size)
{
	unsigned n;
	double mean = mean_of(doc, place, size, &n);

	if (!n)
		return;
	json_array_append_new(json_object_get(doc, "means"),
			      json_pack("{s:s,s:f,s:f,s:i}", "place", place, "oversubscribe", size,
					"speedup", mean, "apps", (int)n));
	td_gpu_tell(setup, "%s, oversubscription %g: %.3f times bam's speed, %u applications",
		    place, size, mean, n);
}

/* 0: it was not run, or failed. */
static double time_of(const json_t *doc, const char *app, const char *place, double size)
{
	size_t i;
	json_t *row;

	json_array_foreach(json_object_get(doc, "runs"), i, row)
	{
		if (is_row(row, app, place, size))
			return td_gpu_app_time_ns(row);
	}
	return 0;
}

/* The applications of the paper under one of its placements: as fast as they must be? */
static void claim(json_t *doc, const struct td_gpu_setup *setup, const char *place)
{
	const double size = 2;
	double worst = INFINITY, mean;
	unsigned n;
	char what[96];

	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		double reuse = time_of(doc, td_app_plans[i]->name, place, size);
		double order = time_of(doc, td_app_plans[i]->name, "tier-order", size);
		if (!(reuse > 0) || !(order > 0) || setup->quick)
			return;
		worst = fmin(worst, order / reuse);
	}
	mean = mean_of(doc, place, size, &n);
	snprintf(what, sizeof what, "%s over bam, geometric mean, oversubscription 2", place);
	if (n)
		td_gpu_table_claim(doc, setup, what, TD_GPU_AT_LEAST, 1.5, mean);
	snprintf(what, sizeof what, "%s over tier-order, the worst, oversubscription 2", place);
	td_gpu_table_claim(doc, setup, what, TD_GPU_AT_LEAST, .98, worst);
}

void td_gpu_apps_claims(json_t *doc, const struct td_gpu_setup *setup)
{
	claim(doc, setup, "reuse");
	claim(doc, setup, "worth");
}
