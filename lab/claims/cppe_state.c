/* Statements of the CPPE paper: direction is what agrees or does not, the note says whether the
 * size does too. */
#include <math.h>

#include "cppe.h"

#define SIZE_PERCENT 25 /* a size agrees that is not further off */
#define LEVEL_PAGES 4   /* nor is an untouch level of so many pages more or less */

static void state_number(struct td_cli_cppe *p, const char *id, const char *what, double published,
			 double measured, double slack, bool agrees, const char *why)
{
	bool same = fabs(measured - published) <= fmax(SIZE_PERCENT / 100.0 * published, slack);
	char note[500];

	if (agrees && same)
		snprintf(note, sizeof note, "its size agrees too");
	else
		snprintf(note, sizeof note, "%s%s%s",
			 agrees ? "the direction alone" : "another direction", why ? ": " : "",
			 why ? why : "");
	td_cli_state_number(&p->e.r, id, what, published, measured, agrees, note);
}

void td_cli_cppe_number(struct td_cli_cppe *p, const char *id, const char *what, double published,
			double measured, bool agrees, const char *why)
{
	state_number(p, id, what, published, measured, 0, agrees, why);
}

void td_cli_cppe_level(struct td_cli_cppe *p, const char *id, const char *what, int published,
		       double measured, bool agrees, const char *why)
{
	state_number(p, id, what, published, measured, LEVEL_PAGES, agrees, why);
}
