/* What the runs say about the claims of the GMT paper: its main evaluation. */
#include <math.h>
#include <string.h>

#include "gmt.h"

static double speedup(const struct td_cli_gmt *g, enum td_cli_gmt_app a, enum td_cli_gmt_place p)
{
	return td_cli_gmt_speedup(g, GMT_MAIN, a, p);
}

/* An average of all applications; of some of them it is none. */
static double average(const struct td_cli_gmt *g, enum td_cli_gmt_place p)
{
	return g->all ? td_cli_gmt_geomean(g, td_cli_gmt_speedup, GMT_MAIN, p, GMT_ALL) : NAN;
}

static double mean(const struct td_cli_gmt *g, td_cli_gmt_figure *f, enum td_cli_gmt_place p)
{
	return g->all ? td_cli_gmt_mean(g, f, GMT_MAIN, p) : NAN;
}

/* ---- Figure 8a: speedups ---- */

#define ORDER_WHY \
	"in multivectoradd and pathfinder all that comes again lies nearer than tiers 1 and 2 " \
	"together, and a queue in tier 2 saves all of it"

static void claim_averages(struct td_cli_gmt *g)
{
	double order = average(g, GMT_TIER_ORDER), random = average(g, GMT_RANDOM);
	double reuse = average(g, GMT_REUSE);

	td_cli_gmt_state_speedup(g, "fig8a-reuse", "speedup of Reuse over BaM, geometric mean", 1.5,
				 reuse, NULL);
	td_cli_gmt_state_speedup(g, "fig8a-tier-order",
				 "speedup of TierOrder over BaM, geometric mean", 1.07, order,
				 ORDER_WHY);
	td_cli_gmt_state_speedup(g, "fig8a-random", "speedup of Random over BaM, geometric mean",
				 1.24, random, NULL);
	td_cli_state_claim(&g->e.r, "fig8a-best", "Reuse is the fastest on average",
			   "1.5, 1.24, 1.07", !isnan(reuse), reuse > random && reuse > order, NULL,
			   "reuse %.2f, random %.2f, tier-order %.2f", reuse, random, order);
	td_cli_state_claim(&g->e.r, "fig8a-second", "Random is faster than TierOrder on average",
			   "1.24 against 1.07", !isnan(reuse), random > order, ORDER_WHY,
			   "random %.2f, tier-order %.2f", random, order);
}

static void claim_speedups(struct td_cli_gmt *g)
{
	for (unsigned a = 0; a < GMT_APPS; a++) {
		const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
		char id[48], what[80];
		if (!g->wanted[a])
			continue;
		snprintf(id, sizeof id, "fig8a-%s", app->name);
		snprintf(what, sizeof what, "speedup of Reuse over BaM, %s", app->name);
		td_cli_gmt_state_speedup(g, id, what, app->speedup,
					 td_cli_gmt_speedup(g, GMT_MAIN, a, GMT_REUSE), app->why);
	}
}

static void claim_orders(struct td_cli_gmt *g)
{
	double lavamd = speedup(g, GMT_LAVAMD, GMT_REUSE),
	       coin = speedup(g, GMT_LAVAMD, GMT_RANDOM);
	double bfs = speedup(g, GMT_BFS, GMT_TIER_ORDER), add = speedup(g, GMT_MVA, GMT_TIER_ORDER);

	if (g->wanted[GMT_LAVAMD])
		td_cli_state_claim(
			&g->e.r, "fig8a-lavamd-random", "Random beats Reuse on LavaMD",
			"outperforming", !isnan(coin), coin > lavamd,
			"nothing is used again; Reuse stops when tier 2 is full, Random goes on to push pages out",
			"random %.3f, reuse %.3f", coin, lavamd);
	if (g->wanted[GMT_BFS])
		td_cli_state_claim(&g->e.r, "fig8a-bfs-tier-order",
				   "TierOrder does well on BFS: above 1.1", "quite well",
				   !isnan(bfs), bfs > 1.1, NULL, "%.2f", bfs);
	if (g->wanted[GMT_MVA])
		td_cli_state_claim(
			&g->e.r, "fig8a-mva-tier-order",
			"TierOrder is behind Random on MultiVectorAdd",
			"evicts what is "
			"needed next",
			!isnan(add), add < speedup(g, GMT_MVA, GMT_RANDOM),
			"two of six vectors pass between two uses of a page: 3.3 times tier 1, "
			"and tiers 1 and 2 hold 5 times as much, at the paper's sizes too",
			"tier-order %.2f, random %.2f", add, speedup(g, GMT_MVA, GMT_RANDOM));
	for (unsigned a = GMT_SRAD; a <= GMT_BACKPROP; a++) {
		double order = speedup(g, a, GMT_TIER_ORDER), random = speedup(g, a, GMT_RANDOM);
		double reuse = speedup(g, a, GMT_REUSE);
		if (g->wanted[a])
			td_cli_state_claim(
				&g->e.r, a == GMT_SRAD ? "fig8a-srad-gap" : "fig8a-backprop-gap",
				a == GMT_SRAD ? "Reuse is well ahead of both others on Srad"
					      : "Reuse is well ahead of both others on Backprop",
				"considerable gap", !isnan(reuse),
				reuse > 1.1 * fmax(order, random), NULL,
				"reuse %.2f, random %.2f, tier-order %.2f", reuse, random, order);
	}
}

/* ---- Figures 8b, 9, 10: where it comes from ---- */

static void claim_cuts(struct td_cli_gmt *g)
{
	for (unsigned a = 0; a < GMT_APPS; a++) {
		const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
		char id[48], what[80];
		if (!g->wanted[a] || !(app->cut_percent > 0))
			continue;
		snprintf(id, sizeof id, "fig8b-%s", app->name);
		snprintf(what, sizeof what, "percent of BaM's SSD reads that Reuse saves, %s",
			 app->name);
		td_cli_gmt_state_gain(g, id, what, app->cut_percent,
				      td_cli_gmt_cut(g, GMT_MAIN, a, GMT_REUSE), app->why);
	}
}

/* By how many percent reuse has less of it, the mean over the applications. */
static double less(const struct td_cli_gmt *g, td_cli_gmt_figure *f, enum td_cli_gmt_place than)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned a = 0; g->all && a < GMT_APPS; a++) {
		double theirs = f(g, GMT_MAIN, a, than), ours = f(g, GMT_MAIN, a, GMT_REUSE);
		if (!isnan(theirs) && !isnan(ours) && theirs > 0) {
			sum += 100 * (1 - ours / theirs);
			n++;
		}
	}
	return n ? sum / n : NAN;
}

static void claim_placement(struct td_cli_gmt *g)
{
	double back = mean(g, td_cli_gmt_returned, GMT_REUSE);
	double order = mean(g, td_cli_gmt_returned, GMT_TIER_ORDER);
	double random = mean(g, td_cli_gmt_returned, GMT_RANDOM);
	double most = mean(g, td_cli_gmt_traffic, GMT_TIER_ORDER);
	double free_time = average(g, GMT_FREE), reuse = average(g, GMT_REUSE);

	td_cli_gmt_state_gain(g, "io-tier-order",
			      "percent of TierOrder's SSD reads that Reuse saves, mean", 25.67,
			      less(g, td_cli_gmt_io_gb, GMT_TIER_ORDER), ORDER_WHY);
	td_cli_gmt_state_gain(g, "io-random",
			      "percent of Random's SSD reads that Reuse saves, mean", 14.87,
			      less(g, td_cli_gmt_io_gb, GMT_RANDOM), NULL);
	td_cli_gmt_state_gain(
		g, "fig10a-tier-order",
		"percent fewer look-ups of tier 2 in vain than TierOrder, of the misses, mean",
		40.94, less(g, td_cli_gmt_useless, GMT_TIER_ORDER), ORDER_WHY);
	td_cli_gmt_state_gain(
		g, "fig10a-random",
		"percent fewer look-ups of tier 2 in vain than Random, of the misses, mean", 0.15,
		less(g, td_cli_gmt_useless, GMT_RANDOM),
		"here a look-up in vain is a read of the SSD, of which Reuse saves more");
	td_cli_state_claim(
		&g->e.r, "fig10b-returned",
		"what Reuse puts into tier 2 comes back more often than with the others, "
		"percent of what was put there, mean",
		"matching more closely", !isnan(back), back > order && back > random, NULL,
		"reuse %.0f, random %.0f, tier-order %.0f", back, random, order);
	td_cli_state_claim(&g->e.r, "fig10b-traffic",
			   "TierOrder moves the most pages between tiers 1 and 2, percent of BaM's "
			   "SSD reads, mean",
			   "a lot more traffic", !isnan(most),
			   most > mean(g, td_cli_gmt_traffic, GMT_RANDOM) &&
				   most > mean(g, td_cli_gmt_traffic, GMT_REUSE),
			   NULL, "tier-order %.0f, random %.0f, reuse %.0f", most,
			   mean(g, td_cli_gmt_traffic, GMT_RANDOM),
			   mean(g, td_cli_gmt_traffic, GMT_REUSE));
	td_cli_state_number(&g->e.r, "cost",
			    "percent of the time that look-ups and copies to tier 2 take: below 10",
			    2.41, 100 * (1 - reuse / free_time), 100 * (1 - reuse / free_time) < 10,
			    "the time that is saved where they take none");
}

static void claim_predictions(struct td_cli_gmt *g)
{
	double srad = td_cli_gmt_accuracy(g, GMT_MAIN, GMT_SRAD, GMT_REUSE);
	double backprop = td_cli_gmt_accuracy(g, GMT_MAIN, GMT_BACKPROP, GMT_REUSE);
	double add = td_cli_gmt_accuracy(g, GMT_MAIN, GMT_MVA, GMT_REUSE);
	double lifted = td_cli_gmt_lifted(g, GMT_MAIN, GMT_HOTSPOT, GMT_REUSE);

	if (g->wanted[GMT_LAVAMD])
		td_cli_state_claim(&g->e.r, "fig9-lavamd", "LavaMD builds up hardly any history",
				   "hardly any",
				   td_cli_gmt_run(g, GMT_MAIN, GMT_LAVAMD, GMT_REUSE) != NULL,
				   td_cli_gmt_class(g, GMT_MAIN, GMT_LAVAMD) == 0, NULL, "%s",
				   td_cli_gmt_class(g, GMT_MAIN, GMT_LAVAMD) ? "pages came back"
									     : "no page came back");
	if (g->wanted[GMT_SRAD])
		td_cli_state_claim(&g->e.r, "fig9-srad",
				   "predictions are right in most cases, Srad", "fairly high",
				   !isnan(srad), srad > 50, NULL, "%.0f%%", srad);
	if (g->wanted[GMT_BACKPROP])
		td_cli_state_claim(&g->e.r, "fig9-backprop",
				   "predictions are right in most cases, Backprop", "fairly high",
				   !isnan(backprop), backprop > 50, NULL, "%.0f%%", backprop);
	if (g->wanted[GMT_MVA])
		td_cli_state_claim(&g->e.r, "fig4b",
				   "a page of MultiVectorAdd always has the same distance",
				   "the same each time", !isnan(add), add > 99, NULL,
				   "%.1f%% in the same tier as before", add);
	td_cli_gmt_skip(g, "fig4a", "distances are linear in the accesses that passed", "linear",
			"the policy fits a line and keeps no residuals");
	td_cli_gmt_skip(g, "fig4c", "distances of a page of PageRank alternate", "alternating",
			"runs keep tiers, not distances");
	if (g->wanted[GMT_HOTSPOT])
		td_cli_state_claim(&g->e.r, "rule80", "Hotspot's gain comes from the 80% rule",
				   "forces pages into tier 2", !isnan(lifted), lifted > 50, NULL,
				   "%.0f%% of what went to tier 2", lifted);
}

/* ---- Table 2, Figure 7 ---- */

static void claim_reuse(struct td_cli_gmt *g, enum td_cli_gmt_app a)
{
	const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
	double reuse = td_cli_gmt_reuse(g, GMT_MAIN, a, GMT_BAM);
	double io = td_cli_gmt_io_gb(g, GMT_MAIN, a, GMT_BAM);
	struct td_cli_gmt_note n = td_cli_gmt_size_note(app->io_gb, io, app->io_why);
	char id[48], what[100];

	snprintf(id, sizeof id, "table2-reuse-%s", app->name);
	snprintf(what, sizeof what, "reuse in percent, within 5: 1 - pages / misses of BaM, %s",
		 app->name);
	td_cli_state_number(&g->e.r, id, what, app->reuse_percent, reuse,
			    fabs(reuse - app->reuse_percent) <= 5,
			    fabs(reuse - app->reuse_percent) <= 5 ? NULL : app->io_why);
	snprintf(id, sizeof id, "table2-io-%s", app->name);
	snprintf(what, sizeof what, "SSD reads of BaM in GB, were the data %g GB, within 15%%: %s",
		 app->data_gb, app->name);
	td_cli_state_number(&g->e.r, id, what, app->io_gb, io, fabs(io / app->io_gb - 1) <= .15,
			    n.text);
}

void td_cli_gmt_claim_class(struct td_cli_gmt *g, enum td_cli_gmt_setting s, enum td_cli_gmt_app a)
{
	const struct td_cli_gmt_published *app = &td_cli_gmt_published[a];
	unsigned tier = td_cli_gmt_class(g, s, a);
	char id[48], what[100], published[40];

	snprintf(id, sizeof id, "%s-%s", s == GMT_MAIN ? "fig7" : "implied-tier", app->name);
	snprintf(what, sizeof what, "tier of most remaining reuse distances%s, %s",
		 s == GMT_MAIN ? "" : " then", app->name);
	if (app->tier_percent > 0)
		snprintf(published, sizeof published, "tier %u, %.4g%%", app->tier,
			 app->tier_percent);
	else
		snprintf(published, sizeof published, "tier %u", app->tier);
	if (!tier && td_cli_gmt_run(g, s, a, GMT_REUSE)) {
		td_cli_gmt_skip(g, id, what, published, "no page came back");
		return;
	}
	td_cli_state_claim(&g->e.r, id, what, published, tier != 0, tier == app->tier,
			   app->tier_why, "tier %u, %.4g%%", tier,
			   td_cli_gmt_class_percent(g, s, a, tier ? tier : 1));
}

/* ---- Figure 14: a host that pages ---- */

static void claim_hmm(struct td_cli_gmt *g)
{
	double hmm = average(g, GMT_HMM), reuse = average(g, GMT_REUSE);
	double equal =
		g->all ? td_cli_gmt_geomean(g, td_cli_gmt_equalised, GMT_MAIN, GMT_REUSE, GMT_ALL)
		       : NAN;

	td_cli_state_claim(&g->e.r, "fig14-bam", "BaM is faster than HMM on average", "outperforms",
			   !isnan(hmm), hmm < 1, NULL, "HMM at %.2f of BaM's speed", hmm);
	td_cli_gmt_state_gain(
		g, "fig14-reuse", "Reuse is so many percent faster than HMM, geometric mean", 357,
		100 * (reuse / hmm - 1),
		"the model's driver is that of other GPUs, and reads two pages at a time");
	td_cli_gmt_state_gain(g, "fig14-equalised",
			      "the same, if HMM read the SSD as seldom as Reuse, geometric mean",
			      90.3, 100 * (equal - 1), NULL);
}

static void claim_inputs(struct td_cli_gmt *g)
{
	td_cli_gmt_skip(g, "latencies", "a page from host memory, from the SSD; a look-up",
			"50 us, 130 us, 50 ns", "figures of the model");
	td_cli_gmt_skip(g, "fig6", "warps copy better than the copy engine from 8 pages on",
			"8 pages", "needs a GPU");
}

void td_cli_gmt_claims(struct td_cli_gmt *g)
{
	if (g->e.args->study && strcmp(g->e.args->study, "main") != 0)
		return;
	claim_averages(g);
	claim_speedups(g);
	claim_orders(g);
	claim_cuts(g);
	claim_placement(g);
	claim_predictions(g);
	for (unsigned a = 0; a < GMT_APPS; a++) {
		if (!g->wanted[a])
			continue;
		claim_reuse(g, a);
		td_cli_gmt_claim_class(g, GMT_MAIN, a);
	}
	claim_hmm(g);
	claim_inputs(g);
}
