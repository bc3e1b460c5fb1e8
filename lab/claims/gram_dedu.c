/* What the paper says of DEDU, Figure 5, and of virtual machines, Figure 6. */
#include <math.h>

#include "gram.h"

#define READS td_cli_gram_reads
#define US td_cli_gram_us
#define NOISE_POINTS 10 /* of times that are compared closely */

static double dedu(const struct td_cli_gram *g, enum td_cli_gram_study s, unsigned x)
{
	return td_cli_gram_value(g, READS, s, GRAM_DEDU, x);
}

/* Every page is read once, and never again. */
static bool reads_once(const struct td_cli_gram *g, enum td_cli_gram_study s, unsigned x)
{
	const struct td_cli_gram_run *run = td_cli_gram_find(g, s, GRAM_DEDU, x);

	return run && run->stats.counts.tier3_reads <= run->set_pages;
}

/* ---- 5a ---- */

static double saved_by_factor(const struct td_cli_gram *g, td_cli_gram_figure *f, unsigned factor)
{
	return 100 * (1 - td_cli_gram_value(g, f, GRAM_FACTOR, GRAM_DEDU, factor) /
				  td_cli_gram_value(g, f, GRAM_FACTOR, GRAM_GRAM, 1));
}

static void claim_one(struct td_cli_gram *g)
{
	double reads = 0 - saved_by_factor(g, READS, 1), us = -saved_by_factor(g, US, 1);

	td_cli_gram_state_count(g, "fig5a-one",
				"percent more reads of DEDU than of GRAM, each block once", 5,
				reads, NULL);
	td_cli_state_number(&g->r, "fig5a-one-time", "the same, of the time of an access", 5, us,
			    us <= 5 + NOISE_POINTS,
			    "medians of 3; agrees if not more than that and 10 points of noise");
}

static void claim_factor(struct td_cli_gram *g)
{
	const struct td_cli_gram_run *four = td_cli_gram_find(g, GRAM_FACTOR, GRAM_DEDU, 4);
	uint64_t hashed = four->stats.hashed_blocks;
	bool once = true;

	for (unsigned x = 5; x <= 10; x++)
		once &= reads_once(g, GRAM_FACTOR, x);
	td_cli_gram_state_count(g, "fig5a-most", "percent of GRAM's reads that DEDU saves, at most",
				81, saved_by_factor(g, READS, 10), NULL);
	td_cli_gram_state_time(g, "fig5a-time", "the same, of the time of an access", 81,
			       saved_by_factor(g, US, 10));
	claim_one(g);
	td_cli_state_claim(&g->r, "fig5a-falls", "reads as each block is there more often", "fall",
			   true, td_cli_gram_falls(g, GRAM_FACTOR, GRAM_DEDU, 1, 5), NULL,
			   "%.1f, %.1f, %.1f, %.1f, %.1f%% with 1, 2, 3, 4, 5",
			   dedu(g, GRAM_FACTOR, 1), dedu(g, GRAM_FACTOR, 2),
			   dedu(g, GRAM_FACTOR, 3), dedu(g, GRAM_FACTOR, 4),
			   dedu(g, GRAM_FACTOR, 5));
	td_cli_state_claim(&g->r, "fig5a-fits", "with five times and more", "the data fits", true,
			   once, NULL, "%s",
			   once ? "each page is read once" : "pages are read twice");
	td_cli_state_claim(&g->r, "sec4-once", "signatures of pages that are only read",
			   "at most one for each", true, hashed <= four->set_pages, NULL,
			   "%s for %s pages", td_cli_grouped(hashed).text,
			   td_cli_grouped(four->set_pages).text);
	td_cli_state_claim(&g->r, "sec4-index", "signatures and directory",
			   "less than 1% of the block array", true, td_cli_gram_index(four) < 1,
			   NULL, "%.2f%%", td_cli_gram_index(four));
	td_cli_state(&g->r,
		     &(struct td_cli_statement){.id = "hash-speed",
						.what = "signatures on a GPU, over one core",
						.published = json_string("24 to 29 times"),
						.measured = json_null(),
						.verdict = TD_CLI_UNJUDGED,
						.note = "see tide gpu bench --micro signatures"});
}

/* ---- 5b, 5c ---- */

static bool is_higher(const struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_DEVICE];

	for (unsigned i = 1; i < p->n && p->x[i] < 576; i++)
		if (!(td_cli_gram_utility(g, GRAM_DEDU, p->x[i]) >
		      td_cli_gram_utility(g, GRAM_GRAM, p->x[i])))
			return false;
	return true;
}

static void claim_device(struct td_cli_gram *g)
{
	double u16 = td_cli_gram_utility(g, GRAM_DEDU, 16),
	       u64 = td_cli_gram_utility(g, GRAM_DEDU, 64),
	       u596 = td_cli_gram_utility(g, GRAM_DEDU, 596);

	td_cli_state_claim(&g->r, "fig5b-falls", "DEDU's reads as device memory grows",
			   "fall until the data fits", true,
			   td_cli_gram_falls(g, GRAM_DEVICE, GRAM_DEDU, 0, 128) &&
				   reads_once(g, GRAM_DEVICE, 128),
			   NULL,
			   "%.1f, %.1f, %.1f, %.1f%% with 0, 32, 64, 128K; then each page once",
			   dedu(g, GRAM_DEVICE, 0), dedu(g, GRAM_DEVICE, 32),
			   dedu(g, GRAM_DEVICE, 64), dedu(g, GRAM_DEVICE, 128));
	td_cli_state_claim(&g->r, "fig5c-falls", "DEDU's buffer utility as device memory grows",
			   "falls", true, u16 > u64 && u64 > u596, NULL,
			   "%.4f, %.4f, %.4f points a MB with 16, 64, 596K", u16, u64, u596);
	td_cli_state_claim(&g->r, "fig5c-higher", "DEDU's buffer utility beside GRAM's", "higher",
			   true, is_higher(g), NULL, "%.1f times with 64K, the same where all fits",
			   u64 / td_cli_gram_utility(g, GRAM_GRAM, 64));
}

/* ---- 5d ---- */

static double updates(const struct td_cli_gram *g, td_cli_gram_figure *f, enum td_cli_gram_how how,
		      unsigned x)
{
	return td_cli_gram_value(g, f, GRAM_UPDATES, how, x);
}

struct costs {
	double io_ns, hash_ns; /* of a read or write of the file, and of a signature */
};

/* The means of all runs, as single ones are noisy. */
static struct costs costs_of(const struct td_cli_gram *g)
{
	double io_ns = 0, io = 0, hash_ns = 0, hashes = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct tide_pool_stats *s = &g->runs[i].stats;
		io_ns += (double)s->file_ns;
		io += (double)(s->counts.tier3_reads + s->counts.tier3_writes);
		hash_ns += (double)s->hash_ns;
		hashes += (double)s->hashed_blocks;
	}
	return (struct costs){io_ns / io, hash_ns / hashes};
}

/* Of 100 accesses: reads and writes of the file that DEDU does not do, and GRAM does. */
static double saved_io(const struct td_cli_gram *g, unsigned x)
{
	return updates(g, td_cli_gram_io, GRAM_GRAM, x) - updates(g, td_cli_gram_io, GRAM_DEDU, x);
}

/* us of an access that DEDU gains over GRAM: what it saves, less what its signatures take. */
static double gain_us(const struct td_cli_gram *g, unsigned x)
{
	struct costs c = costs_of(g);

	return (saved_io(g, x) * c.io_ns -
		updates(g, td_cli_gram_signed, GRAM_DEDU, x) * c.hash_ns) /
	       1e5;
}

/* What a signature may take, in percent of a read or write of the file, for DEDU to pay. */
static double bearable(const struct td_cli_gram *g, unsigned x)
{
	return 100 * saved_io(g, x) / updates(g, td_cli_gram_signed, GRAM_DEDU, x);
}

/* The first share of updates with which DEDU does not pay, 0: there is none. */
static unsigned crossing(const struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_UPDATES];

	for (unsigned i = 0; i < p->n; i++)
		if (gain_us(g, p->x[i]) < 0)
			return p->x[i];
	return 0;
}

static void claim_crossing(struct td_cli_gram *g)
{
	struct costs c = costs_of(g);
	unsigned at = crossing(g);
	char where[24] = "nowhere", why[200];

	if (at)
		snprintf(where, sizeof where, "below %u%%", at);
	snprintf(why, sizeof why,
		 "it is there where a signature takes %.1f to %.1f%% of a read or write of the "
		 "file; here %.1f%%: see --hash md5",
		 bearable(g, 64), bearable(g, 32), 100 * c.hash_ns / c.io_ns);
	td_cli_state_claim(&g->r, "fig5d-cross", "updates from which on GRAM costs less than DEDU",
			   "between 32 and 64%", true, at == 64, why,
			   "%s: it gains %.2f, %.2f, %.2f, %.2f us an access with 0, 32, 64, 100%%",
			   where, gain_us(g, 0), gain_us(g, 32), gain_us(g, 64), gain_us(g, 100));
}

static void claim_updates(struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_UPDATES];
	double s0 = updates(g, td_cli_gram_signed, GRAM_DEDU, 0),
	       s32 = updates(g, td_cli_gram_signed, GRAM_DEDU, 32),
	       s100 = updates(g, td_cli_gram_signed, GRAM_DEDU, 100);
	bool stable = true, grow = true;

	for (unsigned i = 1; i < p->n; i++) {
		stable &= fabs(updates(g, READS, GRAM_GRAM, p->x[i]) /
				       updates(g, READS, GRAM_GRAM, 0) -
			       1) < .02;
		grow &= updates(g, READS, GRAM_DEDU, p->x[i]) >
			updates(g, READS, GRAM_DEDU, p->x[i - 1]);
	}
	td_cli_state_claim(&g->r, "fig5d-gram", "GRAM's I/O cost as updates grow", "stable", true,
			   stable, NULL, "reads %.1f to %.1f%%; writes grow, to %.1f%%",
			   updates(g, READS, GRAM_GRAM, 0), updates(g, READS, GRAM_GRAM, 100),
			   updates(g, td_cli_gram_io, GRAM_GRAM, 100) -
				   updates(g, READS, GRAM_GRAM, 100));
	td_cli_state_claim(&g->r, "fig5d-dedu", "DEDU's I/O cost as updates grow", "grows", true,
			   grow, NULL, "reads %.1f, %.1f, %.1f, %.1f%% with 0, 16, 64, 100%%",
			   updates(g, READS, GRAM_DEDU, 0), updates(g, READS, GRAM_DEDU, 16),
			   updates(g, READS, GRAM_DEDU, 64), updates(g, READS, GRAM_DEDU, 100));
	td_cli_state_claim(
		&g->r, "fig5d-signatures", "signatures as updates grow", "ever more", true,
		s0 < s32 && s32 <= s100,
		"a page that was written is signed when it comes from the file again, not "
		"at every write; where all write, nobody reads what is in the file",
		"%.1f, %.1f, %.1f%% of the accesses with 0, 32, 100%%", s0, s32, s100);
	claim_crossing(g);
}

/* ---- 6 ---- */

static double most(const struct td_cli_gram *g, td_cli_gram_figure *f, bool saved)
{
	double best = -INFINITY;

	for (unsigned x = 1; x <= g->disks.n; x++)
		best = fmax(best,
			    saved ? td_cli_gram_saved(g, f, GRAM_MACHINE, x, GRAM_DEDU, GRAM_NATIVE)
				  : td_cli_gram_value(g, f, GRAM_MACHINE, GRAM_DEDU, x));
	return best;
}

#define MACHINES_WHY "a matter of the machines and of what they serve, which the paper does not say"

static void claim_machines(struct td_cli_gram *g)
{
	unsigned n = g->disks.n;
	double without = td_cli_gram_value(g, td_cli_gram_shared, GRAM_MACHINE, GRAM_SHARED, n),
	       with = td_cli_gram_value(g, td_cli_gram_shared, GRAM_MACHINE, GRAM_DEDU, n);

	td_cli_gram_state_count(g, "fig6-most",
				"percent of native's reads that DEDU saves, at most", 68,
				most(g, READS, true), MACHINES_WHY);
	td_cli_gram_state_time(g, "fig6-time", "the same, of the time of an access", 68,
			       most(g, US, true));
	td_cli_gram_state_count(g, "fig6-sharing",
				"percent of the pages in use that are held and share, at most", 40,
				most(g, td_cli_gram_shared, false), MACHINES_WHY);
	td_cli_state_claim(&g->r, "fig6-more", "pages that share, with device memory", "more",
			   n > 1, with > without, NULL,
			   "%.1f%% without it, %.1f%% with it, %u machines", without, with, n);
}

void td_cli_gram_dedu_claims(struct td_cli_gram *g)
{
	if (td_cli_gram_has(g, GRAM_FACTOR))
		claim_factor(g);
	if (td_cli_gram_has(g, GRAM_DEVICE))
		claim_device(g);
	if (td_cli_gram_has(g, GRAM_UPDATES))
		claim_updates(g);
	if (td_cli_gram_has(g, GRAM_MACHINE))
		claim_machines(g);
}
