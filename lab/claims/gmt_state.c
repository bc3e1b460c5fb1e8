/* Statements of the GMT paper: direction is what agrees or does not, the note says how far the size
 * is off. */
#include <math.h>

#include "gmt.h"

#define SIZE_PERCENT 15 /* a size agrees that is not further off */

struct td_cli_gmt_note td_cli_gmt_size_note(double published, double measured, const char *why)
{
	struct td_cli_gmt_note n;
	double off = 100 * (measured / published - 1);

	if (isnan(off))
		snprintf(n.text, sizeof n.text, "not run, or not by all applications");
	else if (fabs(off) <= SIZE_PERCENT)
		snprintf(n.text, sizeof n.text, "its size agrees: %+.0f%%", off);
	else
		snprintf(n.text, sizeof n.text, "its size is off by %+.0f%%%s%s", off,
			 why ? ": " : "", why ? why : "");
	return n;
}

void td_cli_gmt_state_speedup(struct td_cli_gmt *g, const char *id, const char *what,
			      double published, double measured, const char *why)
{
	struct td_cli_gmt_note n = td_cli_gmt_size_note(published, measured, why);

	td_cli_state_number(&g->e.r, id, what, published, measured,
			    (measured > 1) == (published > 1), n.text);
}

void td_cli_gmt_state_gain(struct td_cli_gmt *g, const char *id, const char *what, double published,
			   double measured, const char *why)
{
	struct td_cli_gmt_note n = td_cli_gmt_size_note(published, measured, why);

	td_cli_state_number(&g->e.r, id, what, published, measured, measured > 0, n.text);
}

void td_cli_gmt_skip(struct td_cli_gmt *g, const char *id, const char *what, const char *published,
		     const char *why)
{
	td_cli_state(&g->e.r, &(struct td_cli_statement){.id = id,
							 .what = what,
							 .published = json_string(published),
							 .measured = json_null(),
							 .verdict = TD_CLI_UNJUDGED,
							 .note = why});
}
