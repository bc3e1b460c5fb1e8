/* What the CPPE paper says about its Figures 3, 4 and 7 to 10. "Like" is within 5%. */
#include <math.h>

#include "cppe.h"

#define LIKE 0.05

typedef struct td_cli_cppe cppe;

static double speedup(const cppe *p, unsigned a, unsigned s, unsigned c)
{
	return td_cli_cppe_speedup(p, a, s, c);
}

static bool like(double x, double y)
{
	return fabs(x - y) <= LIKE * y;
}

/* A name of its own for each application and size. */
struct id {
	char text[40];
};

static struct id id_of(const char *figure, unsigned a, const char *rest)
{
	struct id id;

	snprintf(id.text, sizeof id.text, "%s-%s%s", figure, td_cli_cppe_published[a].name, rest);
	return id;
}

static double better(double x, double y)
{
	return isnan(x) || isnan(y) ? (double)NAN : fmax(x, y);
}

static double worse(double x, double y)
{
	return isnan(x) || isnan(y) ? (double)NAN : fmin(x, y);
}

/* ---- Figure 3: half of the footprint, reserved LRU, four of type IV and two of type VI ---- */

static const unsigned figure3[] = {CPPE_SRD, CPPE_HSD, CPPE_MRQ, CPPE_STN, CPPE_BT, CPPE_HYB};

static double figure3_average(const cppe *p, unsigned c)
{
	double sum = 0;

	for (size_t i = 0; i < 6; i++)
		sum += speedup(p, figure3[i], CPPE_50, c);
	return sum / 6;
}

static void claim_figure3(cppe *p)
{
	double most = 0, least = 9, reserved = figure3_average(p, CPPE_LRU20);
	double random = figure3_average(p, CPPE_RANDOM);

	for (size_t i = 0; i < 4; i++)
		most = better(most, speedup(p, figure3[i], CPPE_50, CPPE_LRU20));
	for (size_t i = 4; i < 6; i++)
		least = worse(least, speedup(p, figure3[i], CPPE_50, CPPE_LRU20));
	td_cli_cppe_number(p, "figure3-thrashing",
			   "most that LRU-20% gains on applications that thrash, at 50%", 1.11,
			   most, most > 1 && most < 1.3, NULL);
	for (size_t i = 0; i < 4; i += 3) {
		unsigned a = figure3[i];
		double lru = speedup(p, a, CPPE_50, CPPE_LRU20);
		double other = speedup(p, a, CPPE_50, CPPE_RANDOM);
		td_cli_state_claim(&p->e.r, id_of("figure3", a, "").text,
				   "LRU-20% gains less than random, at 50%", "less",
				   !isnan(lru + other), lru < other, NULL,
				   "%.2f of LRU-20%%, %.2f of random", lru, other);
	}
	td_cli_cppe_number(p, "figure3-irregular",
			   "most that LRU-20% loses on b+t and hyb at 50%, percent", 53,
			   100 * (1 - least), least < 1, NULL);
	td_cli_state_claim(&p->e.r, "figure3-average-lru",
			   "LRU-20% is slower than LRU on average of these six", "slower",
			   !isnan(reserved), reserved < 1,
			   "what it gains on those that thrash is more", "%.2f", reserved);
	td_cli_state_claim(&p->e.r, "figure3-average-random",
			   "LRU-20% is slower than random on average of these six", "slower",
			   !isnan(reserved + random), reserved < random, NULL, "%.2f, random %.2f",
			   reserved, random);
}

/* ---- Figure 4: evictions of pages with prefetching for each without ---- */

static void claim_figure4(cppe *p)
{
	static const unsigned apps[] = {CPPE_SAD, CPPE_NW, CPPE_MVT, CPPE_BIC};

	for (size_t i = 0; i < 4; i++) {
		double r = better(td_cli_cppe_evictions(p, apps[i], CPPE_75),
				  td_cli_cppe_evictions(p, apps[i], CPPE_50));
		td_cli_state_claim(&p->e.r, id_of("figure4", apps[i], "").text,
				   "evictions where prefetching goes on when memory is full",
				   i < 2 ? "an order of magnitude more" : "so many that it crashed",
				   !isnan(r), i < 2 ? r >= 8 : r >= 100,
				   i < 2 ? "what is prefetched is touched in time" : NULL,
				   "%.1f times as many", r);
	}
}

/* ---- Figure 7: deletion schemes ---- */

static double schemes(const cppe *p, unsigned a, unsigned s)
{
	return speedup(p, a, s, CPPE_SCHEME2) / speedup(p, a, s, CPPE_SCHEME1);
}

static void claim_figure7(cppe *p)
{
	static const unsigned equal[] = {CPPE_MVT, CPPE_SPV, CPPE_BT, CPPE_BIC, CPPE_SAD};
	static const struct {
		unsigned app;
		bool second;
	} outliers[] = {{CPPE_NW, true}, {CPPE_HIS, true}, {CPPE_BFS, false}, {CPPE_HWL, false}};
	double sum[CPPE_SIZES] = {0, 0};

	for (unsigned s = 0; s < CPPE_SIZES; s++) {
		for (size_t i = 0; i < 5; i++)
			sum[s] += schemes(p, equal[i], s) / 9;
		for (size_t i = 0; i < 4; i++)
			sum[s] += schemes(p, outliers[i].app, s) / 9;
	}
	td_cli_cppe_number(p, "figure7-average-75",
			   "scheme 2 over scheme 1 at 75%, average of the nine of the figure", 1.03,
			   sum[CPPE_75], sum[CPPE_75] > 1, NULL);
	td_cli_cppe_number(p, "figure7-average-50", "the same at 50%", 1.07, sum[CPPE_50],
			   sum[CPPE_50] > 1, NULL);
	for (size_t i = 0; i < 5; i++) {
		double x = schemes(p, equal[i], CPPE_75), y = schemes(p, equal[i], CPPE_50);
		td_cli_state_claim(&p->e.r, id_of("figure7", equal[i], "").text,
				   "scheme 2 over scheme 1", "alike", !isnan(x + y),
				   like(x, 1) && like(y, 1), NULL, "%.2f and %.2f", x, y);
	}
	for (size_t i = 0; i < 4; i++) {
		double x = schemes(p, outliers[i].app, CPPE_50);
		td_cli_state_claim(
			&p->e.r, id_of("figure7", outliers[i].app, "").text,
			"scheme 2 over scheme 1, at 50%", outliers[i].second ? "better" : "worse",
			!isnan(x), outliers[i].second ? x > 1.005 : x < 0.995,
			"the schemes differ by a few percent of the faults or less", "%.3f", x);
	}
}

/* ---- Figure 8: CPPE and the baseline ---- */

static void claim_types(cppe *p)
{
	static const char *const same[] = {"I", "VI"};

	for (size_t i = 0; i < 2; i++) {
		double x = td_cli_cppe_average(p, same[i], CPPE_75, CPPE_SCHEME2);
		double y = td_cli_cppe_average(p, same[i], CPPE_50, CPPE_SCHEME2);
		td_cli_state_claim(&p->e.r, i ? "figure8-type-VI" : "figure8-type-I",
				   i ? "CPPE over the baseline, type VI"
				     : "CPPE over the baseline, type I",
				   "alike", !isnan(x + y), like(x, 1) && like(y, 1), NULL,
				   "%.2f and %.2f", x, y);
	}
	double x = td_cli_cppe_average(p, "IV", CPPE_75, CPPE_SCHEME2);
	double y = td_cli_cppe_average(p, "IV", CPPE_50, CPPE_SCHEME2);
	td_cli_state_claim(&p->e.r, "figure8-type-IV", "CPPE over the baseline, type IV",
			   "significantly better", !isnan(x + y), x > 1.2 && y > 1.2, NULL,
			   "%.2f and %.2f", x, y);
}

static void claim_average(cppe *p)
{
	static const double published[CPPE_SIZES] = {1.56, 1.64};
	double most = 0;

	for (unsigned s = 0; s < CPPE_SIZES; s++) {
		char id[40], what[160];
		double x = td_cli_cppe_average(p, NULL, s, CPPE_SCHEME2);
		snprintf(id, sizeof id, "figure8-average-%.2s", td_cli_cppe_sizes[s]);
		snprintf(what, sizeof what,
			 "CPPE over the baseline at %s, average without mvt and bic",
			 td_cli_cppe_sizes[s]);
		td_cli_cppe_number(p, id, what, published[s], x, x > 1 + LIKE, NULL);
		for (unsigned a = 0; a < CPPE_APPS; a++)
			if (!td_cli_cppe_crashed(a))
				most = better(most, speedup(p, a, s, CPPE_SCHEME2));
	}
	td_cli_cppe_number(p, "figure8-most", "most that CPPE gains over the baseline", 10.97, most,
			   most > 2, NULL);
}

static void claim_figure8(cppe *p)
{
	static const unsigned gain[] = {CPPE_SAD, CPPE_HIS, CPPE_NW};
	static const unsigned lose[] = {CPPE_BFS, CPPE_HWL};

	claim_average(p);
	claim_types(p);
	for (size_t i = 0; i < 3; i++) {
		double x = speedup(p, gain[i], CPPE_75, CPPE_SCHEME2);
		double y = speedup(p, gain[i], CPPE_50, CPPE_SCHEME2);
		td_cli_state_claim(
			&p->e.r, id_of("figure8", gain[i], "").text,
			"CPPE over the baseline, by its prefetcher", "better", !isnan(x + y),
			better(x, y) > 1 + LIKE,
			"what leaves has no pattern that comes again; see docs/papers/cppe.md",
			"%.2f and %.2f", x, y);
	}
	for (size_t i = 0; i < 2; i++) {
		double x = speedup(p, lose[i], CPPE_50, CPPE_SCHEME2);
		double y = speedup(p, lose[i], CPPE_50, CPPE_SCHEME1);
		td_cli_state_claim(&p->e.r, id_of("figure8", lose[i], "").text,
				   "CPPE over the baseline, at 50%", "slightly worse", !isnan(x),
				   x < 1 && x > 0.8, NULL, "%.3f", x);
		td_cli_state_claim(&p->e.r, id_of("figure8", lose[i], "-scheme-1").text,
				   "CPPE with scheme 1 over the baseline, at 50%", "alike",
				   !isnan(y), like(y, 1), NULL, "%.3f", y);
	}
	double x = speedup(p, CPPE_MRQ, CPPE_75, CPPE_SCHEME2);
	double y = speedup(p, CPPE_MRQ, CPPE_50, CPPE_SCHEME2);
	td_cli_state_claim(&p->e.r, "figure8-mrq", "CPPE over the baseline, mrq", "alike",
			   !isnan(x + y), like(x, 1) && like(y, 1),
			   "the model has no time for the arithmetic between its loads and its "
			   "stores, during which MRU would evict what is stored to",
			   "%.2f and %.2f", x, y);
}

/* ---- Figure 9: other eviction policies, by type ---- */

static void claim_type_best(cppe *p, const char *type, const char *id)
{
	static const unsigned others[] = {CPPE_BASELINE, CPPE_RANDOM, CPPE_LRU10, CPPE_LRU20};
	double worst = 9;
	const char *by = "";

	for (unsigned s = 0; s < CPPE_SIZES; s++)
		for (size_t i = 0; i < 4; i++) {
			double r = td_cli_cppe_average(p, type, s, CPPE_SCHEME2) /
				   td_cli_cppe_average(p, type, s, others[i]);
			if (isnan(r) || r < worst) {
				worst = r;
				by = td_cli_cppe_names[others[i]];
			}
		}
	td_cli_state_claim(&p->e.r, id,
			   "CPPE beside the baseline, random and reserved LRU, of one type",
			   "better or alike", !isnan(worst), worst >= 1 - LIKE, NULL,
			   "%.2f of the best, %s", worst, by);
}

static void claim_figure9(cppe *p)
{
	static const char *const types[][2] = {
		{"I", "figure9-type-I"},   {"II", "figure9-type-II"}, {"III", "figure9-type-III"},
		{"IV", "figure9-type-IV"}, {"V", "figure9-type-V"},   {"VI", "figure9-type-VI"}};
	static const char *const helped[][3] = {
		{"IV", "figure9-reserved-IV", "figure9-random-IV"},
		{"V", "figure9-reserved-V", "figure9-random-V"},
	};
	double vi = td_cli_cppe_average(p, "VI", CPPE_50, CPPE_LRU10);

	td_cli_cppe_number(p, "figure9-lru10-VI", "what LRU-10% loses at 50%, type VI, percent", 27,
			   100 * (1 - vi), vi < 1 - LIKE, NULL);
	for (size_t i = 0; i < 2; i++) {
		double x = td_cli_cppe_average(p, helped[i][0], CPPE_75, CPPE_LRU20);
		double y = td_cli_cppe_average(p, helped[i][0], CPPE_50, CPPE_LRU20);
		double rx = td_cli_cppe_average(p, helped[i][0], CPPE_75, CPPE_RANDOM);
		double ry = td_cli_cppe_average(p, helped[i][0], CPPE_50, CPPE_RANDOM);
		td_cli_state_claim(&p->e.r, helped[i][1],
				   i ? "LRU-20% over the baseline, type V"
				     : "LRU-20% over the baseline, type IV",
				   "better", !isnan(x + y),
				   better(x, y) > 1 && worse(x, y) > 1 - LIKE, NULL,
				   "%.2f and %.2f", x, y);
		td_cli_state_claim(&p->e.r, helped[i][2],
				   i ? "LRU-20% beside random, type V"
				     : "LRU-20% beside random, type IV",
				   "worse", !isnan(x + y + rx + ry), x < rx && y < ry, NULL,
				   "%.2f and %.2f, random %.2f and %.2f", x, y, rx, ry);
	}
	for (size_t i = 0; i < 6; i++)
		claim_type_best(p, types[i][0], types[i][1]);
}

void td_cli_cppe_claims(cppe *p)
{
	claim_figure3(p);
	claim_figure4(p);
	claim_figure7(p);
	claim_figure8(p);
	claim_figure9(p);
	td_cli_cppe_figure10(p);
}
