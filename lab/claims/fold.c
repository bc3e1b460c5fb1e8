#include <math.h>

#include "claims.h"

void td_fold_add(struct td_fold *f, unsigned at, double value)
{
	if (isnan(value)) {
		f->missing++;
		return;
	}
	if (!f->n || value < f->least) {
		f->least = value;
		f->least_at = at;
	}
	if (!f->n || value > f->most) {
		f->most = value;
		f->most_at = at;
	}
	f->n++;
	f->sum += value;
	f->logs += log(value);
}

static double known(struct td_fold f, double value)
{
	return f.n && !f.missing ? value : (double)NAN;
}

double td_fold_mean(struct td_fold f)
{
	return known(f, f.sum / f.n);
}

double td_fold_geomean(struct td_fold f)
{
	return known(f, exp(f.logs / f.n));
}

double td_fold_least(struct td_fold f)
{
	return known(f, f.least);
}

double td_fold_most(struct td_fold f)
{
	return known(f, f.most);
}

struct td_fold td_fold_known(struct td_fold f)
{
	f.missing = 0;
	return f;
}

double td_claims_lower(double x, double y)
{
	return isnan(x) || isnan(y) ? (double)NAN : fmin(x, y);
}

double td_claims_higher(double x, double y)
{
	return isnan(x) || isnan(y) ? (double)NAN : fmax(x, y);
}
