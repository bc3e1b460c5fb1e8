/* What all runs together say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps.h"
#include "gpu/tools.h"

static bool is_run(const struct td_gpu_run *r, const char *app, const char *place, double size)
{
	return (!app || !strcmp(r->app, app)) && !strcmp(r->label, place) &&
	       !(r->oversubscribe < size) && !(r->oversubscribe > size);
}

/* The geometric mean of the speedups of a placement, over all applications. */
static double mean_of(const struct td_gpu_apps *all, const char *place, double size, unsigned *n)
{
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < all->runs_n; i++) {
		const struct td_gpu_run *r = &all->runs[i];
		if (is_run(r, NULL, place, size) && r->speedup > 0) {
			sum += log(r->speedup);
			++*n;
		}
	}
	return *n ? exp(sum / *n) : 0;
}

void td_gpu_apps_mean(struct td_gpu_apps *all, const struct td_gpu_setup *setup, const char *place,
		      double size)
{
	unsigned n;
	double speedup = mean_of(all, place, size, &n);
	struct td_gpu_mean *means =
		n ? td_gpu_more(all->means, &all->means_n, sizeof *means) : NULL;

	if (!means)
		return;
	struct td_gpu_mean *m = &means[all->means_n - 1];
	all->means = means;
	snprintf(m->place, sizeof m->place, "%s", place);
	m->oversubscribe = size;
	m->speedup = speedup;
	m->apps = n;
	td_gpu_tell(setup, "%s, oversubscription %g: %.3f times bam's speed, %u applications",
		    place, size, speedup, n);
}

/* 0: it was not run, or failed. */
static double time_of(const struct td_gpu_apps *all, const char *app, const char *place,
		      double size)
{
	for (size_t i = 0; i < all->runs_n; i++) {
		if (is_run(&all->runs[i], app, place, size))
			return (double)all->runs[i].time_ns;
	}
	return 0;
}

/* The applications of the paper under one of its placements: as fast as they must be? */
static void claim(struct td_gpu_apps *all, const struct td_gpu_setup *setup, const char *place)
{
	const double size = 2;
	double worst = INFINITY, mean;
	unsigned n;
	char what[96];

	for (unsigned i = 0; i < TD_APP_PLANS; i++) {
		double reuse = time_of(all, td_app_plans[i]->name, place, size);
		double order = time_of(all, td_app_plans[i]->name, "tier-order", size);
		if (!(reuse > 0) || !(order > 0) || setup->quick)
			return;
		worst = fmin(worst, order / reuse);
	}
	mean = mean_of(all, place, size, &n);
	snprintf(what, sizeof what, "%s over bam, geometric mean, oversubscription 2", place);
	if (n)
		td_gpu_table_claim(&all->claims, setup, what, TD_GPU_AT_LEAST, 1.5, mean);
	snprintf(what, sizeof what, "%s over tier-order, the worst, oversubscription 2", place);
	td_gpu_table_claim(&all->claims, setup, what, TD_GPU_AT_LEAST, .98, worst);
}

void td_gpu_apps_claims(struct td_gpu_apps *all, const struct td_gpu_setup *setup)
{
	all->claims.ok = true;
	claim(all, setup, "reuse");
	claim(all, setup, "worth");
	all->ok = all->ok && all->claims.ok;
}
