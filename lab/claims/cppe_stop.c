/* What the CPPE paper says about prefetching that is off once memory is full (Figure 10), and
 * about HPE. */
#include <math.h>

#include "cppe.h"

static double stop(const struct td_cli_cppe *p, unsigned a, unsigned s)
{
	return td_cli_cppe_speedup(p, a, s, CPPE_STOP);
}

static bool gains_by_it(unsigned a)
{
	return a == CPPE_SAD || a == CPPE_NW || td_cli_cppe_crashed(a);
}

/* The least speedup of those that the paper has slower by it. */
static void claim_slowest(struct td_cli_cppe *p)
{
	double least = 9;
	unsigned faster = 0;

	for (unsigned a = 0; a < CPPE_APPS; a++)
		for (unsigned s = 0; s < CPPE_SIZES; s++) {
			double x = stop(p, a, s);
			if (gains_by_it(a))
				continue;
			least = isnan(x) || isnan(least) ? (double)NAN : fmin(x, least);
			faster += x > 1;
		}
	td_cli_cppe_number(p, "figure10-slowest", "most that prefetching off loses, percent", 85,
			   100 * (1 - least), least < 0.5,
			   "each page is a fault of 20 us then, and a chunk was one");
	td_cli_cppe_number(p, "figure10-regular", "the same, of regular applications", 87,
			   100 * (1 - least), least < 0.5,
			   "each page is a fault of 20 us then, and a chunk was one");
	td_cli_state_claim(
		&p->e.r, "figure10-others",
		"applications but sad, nw, mvt and bic that prefetching off makes faster", "none",
		!isnan(least), !faster, NULL, "%u", faster);
}

static void claim_faster(struct td_cli_cppe *p, unsigned a, const char *id)
{
	double x = stop(p, a, CPPE_75), y = stop(p, a, CPPE_50);

	td_cli_state_claim(
		&p->e.r, id,
		a == CPPE_SAD ? "prefetching off over the baseline, sad at 50%"
			      : "prefetching off over the baseline, at 75% and 50%",
		"better", !isnan(a == CPPE_SAD ? y : x + y), y > 1 && (a == CPPE_SAD || x > 1),
		"the baseline does not thrash enough for it: a fault of each page costs as "
		"much as one of a chunk",
		"%.2f and %.2f", x, y);
}

static void claim_cppe(struct td_cli_cppe *p)
{
	double least = 99;
	const char *by = "";

	for (unsigned a = 0; a < CPPE_APPS; a++)
		for (unsigned s = 0; s < CPPE_SIZES; s++) {
			double x = td_cli_cppe_speedup(p, a, s, CPPE_SCHEME2) / stop(p, a, s);
			if (a == CPPE_SAD || (!isnan(x) && x >= least))
				continue;
			least = x;
			by = td_cli_cppe_published[a].name;
		}
	td_cli_state_claim(&p->e.r, "figure10-cppe", "CPPE over prefetching off, all but sad",
			   "better", !isnan(least), least > 1, NULL, "%.2f at least, of %s", least,
			   by);
	double sad = td_cli_cppe_speedup(p, CPPE_SAD, CPPE_50, CPPE_SCHEME2) /
		     stop(p, CPPE_SAD, CPPE_50);
	td_cli_state_claim(&p->e.r, "figure10-sad", "CPPE over prefetching off, sad at 50%",
			   "worse", !isnan(sad), sad < 1, "see figure10-stop-sad", "%.2f", sad);
}

/* Counters are of what was prefetched: irregular applications pass for regular ones. */
static void claim_hpe(struct td_cli_cppe *p)
{
	static const char *const irregular[] = {"II", "III", "VI"};
	double hpe = 0, cppe = 0;

	for (size_t i = 0; i < 3; i++)
		for (unsigned s = 0; s < CPPE_SIZES; s++) {
			hpe += td_cli_cppe_average(p, irregular[i], s, CPPE_HPE) / 6;
			cppe += td_cli_cppe_average(p, irregular[i], s, CPPE_SCHEME2) / 6;
		}
	td_cli_state_claim(&p->e.r, "hpe-prefetching",
			   "HPE with the locality prefetcher on irregular types, over the baseline",
			   "inefficient", !isnan(hpe + cppe), hpe < cppe, NULL, "%.2f, CPPE %.2f",
			   hpe, cppe);
}

void td_cli_cppe_figure10(struct td_cli_cppe *p)
{
	claim_slowest(p);
	claim_faster(p, CPPE_SAD, "figure10-stop-sad");
	claim_faster(p, CPPE_NW, "figure10-stop-nw");
	claim_faster(p, CPPE_MVT, "figure10-stop-mvt");
	claim_faster(p, CPPE_BIC, "figure10-stop-bic");
	claim_cppe(p);
	claim_hpe(p);
}
