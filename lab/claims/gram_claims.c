/* What the runs say about the claims of the GRAM and DEDU paper. */
#include <math.h>
#include <string.h>

#include "gram.h"

/* Reads, from one point to the other: less at each. */
static bool falls(const struct td_cli_gram *g, enum td_cli_gram_study s, enum td_cli_gram_how how,
		  unsigned from, unsigned to)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[s];
	double before = INFINITY;

	for (unsigned i = 0; i < p->n; i++) {
		double now = td_cli_gram_value(g, td_cli_gram_reads, s, how, p->x[i]);
		if (p->x[i] < from || p->x[i] > to)
			continue;
		if (!(now < before))
			return false;
		before = now;
	}
	return true;
}

/* Every page is read once, and never again. */
static bool reads_once(const struct td_cli_gram *g, enum td_cli_gram_study s, unsigned x)
{
	const struct td_cli_gram_run *run = td_cli_gram_find(g, s, GRAM_DEDU, x);

	return run && run->stats.counts.tier3_reads <= run->set_pages;
}

static bool fits_from_five(const struct td_cli_gram *g)
{
	bool once = true;

	for (unsigned x = 5; x <= 10; x++)
		once &= reads_once(g, GRAM_FACTOR, x);
	return once;
}

static bool hashed_once(const struct td_cli_gram *g)
{
	const struct td_cli_gram_run *four = td_cli_gram_find(g, GRAM_FACTOR, GRAM_DEDU, 4);

	return four->stats.hashed_blocks <= four->set_pages;
}

static struct td_claims_cell signatures(const struct td_cli_gram *g)
{
	const struct td_cli_gram_run *four = td_cli_gram_find(g, GRAM_FACTOR, GRAM_DEDU, 4);
	struct td_claims_cell cell;

	snprintf(cell.text, sizeof cell.text, "%s for %s pages",
		 td_cli_grouped(four->stats.hashed_blocks).text,
		 td_cli_grouped(four->set_pages).text);
	return cell;
}

static bool is_gpu(const struct td_cli_gram *g)
{
	return g->args->device_kind && strcmp(g->args->device_kind, "cuda") == 0;
}

static bool is_higher(const struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_DEVICE];

	for (unsigned i = 1; i < p->n && p->x[i] < 576; i++)
		if (!(td_cli_gram_utility(g, GRAM_DEDU, p->x[i]) >
		      td_cli_gram_utility(g, GRAM_GRAM, p->x[i])))
			return false;
	return true;
}

/* ---- updates ---- */

static double updates(const struct td_cli_gram *g, td_cli_gram_figure *f, enum td_cli_gram_how how,
		      unsigned x)
{
	return td_cli_gram_value(g, f, GRAM_UPDATES, how, x);
}

/* GRAM's reads do not depend on the share of updates. */
static bool is_stable(const struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_UPDATES];
	double first = updates(g, td_cli_gram_io, GRAM_GRAM, 0);
	bool stable = true;

	for (unsigned i = 1; i < p->n; i++)
		stable &= fabs(updates(g, td_cli_gram_io, GRAM_GRAM, p->x[i]) / first - 1) < .1;
	return stable;
}

/* DEDU's do. */
static bool grows(const struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_UPDATES];
	bool more = true;

	for (unsigned i = 1; i < p->n; i++)
		more &= updates(g, td_cli_gram_reads, GRAM_DEDU, p->x[i]) >
			updates(g, td_cli_gram_reads, GRAM_DEDU, p->x[i - 1]);
	return more;
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

static struct td_claims_cell crossing_text(const struct td_cli_gram *g)
{
	struct td_claims_cell cell;
	unsigned at = crossing(g);
	char where[24] = "nowhere";

	if (at)
		snprintf(where, sizeof where, "below %u%%", at);
	snprintf(cell.text, sizeof cell.text,
		 "%s: it gains %.2f, %.2f, %.2f, %.2f us an access with 0, 32, 64, 100%%", where,
		 gain_us(g, 0), gain_us(g, 32), gain_us(g, 64), gain_us(g, 100));
	return cell;
}

static struct td_claims_cell crossing_note(const struct td_cli_gram *g)
{
	struct costs c = costs_of(g);
	struct td_claims_cell cell;

	snprintf(cell.text, sizeof cell.text,
		 "it is there where a signature takes %.1f to %.1f%% of a read or write of the "
		 "file; here %.1f%%: see --hash md5",
		 bearable(g, 64), bearable(g, 32), 100 * c.hash_ns / c.io_ns);
	return cell;
}

/* ---- virtual machines ---- */

static double most(const struct td_cli_gram *g, td_cli_gram_figure *f, bool saved)
{
	double best = -INFINITY;

	for (unsigned x = 1; x <= g->disks.n; x++)
		best = fmax(best,
			    saved ? td_cli_gram_saved(g, f, GRAM_MACHINE, x, GRAM_DEDU, GRAM_NATIVE)
				  : td_cli_gram_value(g, f, GRAM_MACHINE, GRAM_DEDU, x));
	return best;
}

/* ---- the claims ---- */

static const struct td_claim rows[] = {
#define ROWS_AS_TABLE
#include "gram.def"
};

static const char *const headlines[] = {"fig4a-most", "fig4c-most", "fig5a-most", "fig6-most",
					NULL};

const struct td_claims_paper td_claims_paper_gram = {
	.name = "gram", .rows = rows, .rows_n = sizeof rows / sizeof *rows, .headlines = headlines};

void td_cli_gram_claims(struct td_cli_gram *p)
{
	struct td_cli_reproduction *r = &p->r;
	const struct td_claim *row = rows;
	struct td_claims_cell note = {""};
	bool on = true;

#include "gram.def"
}
