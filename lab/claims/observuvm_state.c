/* Statements of the ObservUVM paper: direction is what agrees or does not, the note says how far
 * the size is off. */
#include <math.h>

#include "observuvm.h"

#define SIZE_POINTS 10 /* a size agrees that is not further off, in points of a percentage */

/* Percentages to two decimals. */
static double rounded(double value)
{
	return isnan(value) ? value : round(value * 100) / 100;
}

void td_cli_obs_state(struct td_cli_obs *o, const char *id, const char *what, double published,
		      double measured, bool agrees, const char *note)
{
	td_cli_state_number(&o->e.r, id, what, rounded(published), rounded(measured), agrees, note);
}

void td_cli_obs_state_saved(struct td_cli_obs *o, const char *id, const char *what,
			    double published, double measured, const char *why)
{
	double off = measured - published;
	char note[400];

	if (fabs(off) <= SIZE_POINTS)
		snprintf(note, sizeof note, "its size agrees: %+.0f points", off);
	else
		snprintf(note, sizeof note, "its size is off by %+.0f points%s%s", off,
			 why ? ": " : "", why ? why : "");
	td_cli_obs_state(o, id, what, published, measured, measured > 0, note);
}
