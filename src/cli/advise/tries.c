/* What is tried: other policies at today's size, and today's policy at other sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "tide/policy.h"

static bool can_try(const struct tide_policy *p, const char *now)
{
	return p->role == TIDE_EVICT && strcmp(p->name, now) != 0 &&
	       !(p->needs & (TIDE_NEEDS_FUTURE | TIDE_NEEDS_CLOCK | TIDE_NEEDS_REMOTE));
}

size_t td_advise_candidates(const struct td_cli_axis *given, const struct td_advise_run *now,
			    struct td_advise_run *out)
{
	const struct tide_policy *p;
	size_t n = 0;

	for (size_t i = 0; i < given->n && n < TD_ADVISE_POLICIES; i++)
		out[n++].policy = given->at[i];
	for (size_t i = 0; !given->n && (p = tide_policy_at(i)) && n < TD_ADVISE_POLICIES; i++)
		if (can_try(p, now->policy))
			out[n++].policy = p->name;
	for (size_t i = 0; i < n; i++)
		out[i].near_pages = now->near_pages;
	return n;
}

static int by_pages(const void *a, const void *b)
{
	const struct td_advise_run *x = a, *y = b;

	return x->near_pages < y->near_pages ? -1 : x->near_pages > y->near_pages;
}

size_t td_advise_sizes(const struct td_advise_sample *s, const struct td_advise_run *now,
		       struct td_advise_run *out)
{
	double size = (double)s->pages, least = 8 / s->rate;
	size_t n = 0, used = 0;

	out[n++].near_pages = now->near_pages;
	for (; n < TD_ADVISE_SIZES && size >= least; size *= M_SQRT1_2)
		out[n++].near_pages = (uint64_t)(size + 0.5);
	qsort(out, n, sizeof *out, by_pages);
	for (size_t i = 0; i < n; i++)
		if (!used || out[used - 1].near_pages != out[i].near_pages)
			out[used++].near_pages = out[i].near_pages;
	for (size_t i = 0; i < used; i++)
		out[i].policy = now->policy;
	return used;
}
