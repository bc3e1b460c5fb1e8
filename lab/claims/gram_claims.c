/* What the paper says of GRAM, Figure 4 and section 5.2, and what was measured. */
#include <math.h>

#include "gram.h"

#define READS td_cli_gram_reads
#define POINTS 10 /* of percent: a count agrees that is not further off */

struct note {
	char text[300];
};

static struct note size_note(double off, const char *why)
{
	bool near = fabs(off) <= POINTS;
	struct note n;

	snprintf(n.text, sizeof n.text, "off by %+.1f points%s%s", off, !near && why ? ": " : "",
		 !near && why ? why : "");
	return n;
}

void td_cli_gram_state_count(struct td_cli_gram *g, const char *id, const char *what,
			     double published, double measured, const char *why)
{
	td_cli_state_number(&g->r, id, what, published, measured,
			    fabs(measured - published) <= POINTS,
			    size_note(measured - published, why).text);
}

void td_cli_gram_state_time(struct td_cli_gram *g, const char *id, const char *what,
			    double published, double measured)
{
	td_cli_state_number(&g->r, id, what, published, measured, measured > 0,
			    "agrees if something is saved: how much is a matter of the storage");
}

bool td_cli_gram_falls(const struct td_cli_gram *g, enum td_cli_gram_study s,
		       enum td_cli_gram_how how, unsigned from, unsigned to)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[s];
	double before = INFINITY;

	for (unsigned i = 0; i < p->n; i++) {
		double now = td_cli_gram_value(g, READS, s, how, p->x[i]);
		if (p->x[i] < from || p->x[i] > to)
			continue;
		if (!(now < before))
			return false;
		before = now;
	}
	return true;
}

/* What cannot be judged: measured may be NAN. */
static void state_unjudged(struct td_cli_gram *g, const char *id, const char *what,
			   double published, double measured, const char *why)
{
	td_cli_state(&g->r, &(struct td_cli_statement){
				    .id = id,
				    .what = what,
				    .published = json_real(published),
				    .measured = isnan(measured) ? json_null() : json_real(measured),
				    .verdict = TD_CLI_UNJUDGED,
				    .note = why});
}

static double device_value(const struct td_cli_gram *g, enum td_cli_gram_how how, unsigned x)
{
	return td_cli_gram_value(g, READS, GRAM_DEVICE, how, x);
}

static double saved_by_device(const struct td_cli_gram *g, td_cli_gram_figure *f, unsigned x)
{
	return 100 * (1 - td_cli_gram_value(g, f, GRAM_DEVICE, GRAM_GRAM, x) /
				  td_cli_gram_value(g, f, GRAM_DEVICE, GRAM_GRAM, 0));
}

static void claim_device(struct td_cli_gram *g)
{
	double at16 = td_cli_gram_utility(g, GRAM_GRAM, 16),
	       at596 = td_cli_gram_utility(g, GRAM_GRAM, 596),
	       moves = td_cli_gram_value(g, td_cli_gram_move_percent, GRAM_DEVICE, GRAM_GRAM, 64);

	td_cli_gram_state_count(g, "fig4a-most",
				"percent of native's reads that GRAM saves, at most", 83,
				saved_by_device(g, READS, 596), NULL);
	td_cli_gram_state_time(g, "fig4a-time", "the same, of the time of an access", 83,
			       saved_by_device(g, td_cli_gram_us, 596));
	td_cli_state_claim(&g->r, "fig4a-falls", "reads as device memory grows to 576K pages",
			   "fall", true, td_cli_gram_falls(g, GRAM_DEVICE, GRAM_GRAM, 0, 576), NULL,
			   "%.1f, %.1f, %.1f, %.1f%% with 0, 64, 256, 576K",
			   device_value(g, GRAM_GRAM, 0), device_value(g, GRAM_GRAM, 64),
			   device_value(g, GRAM_GRAM, 256), device_value(g, GRAM_GRAM, 576));
	td_cli_state_claim(&g->r, "fig4a-fits", "once the working set fits, more device memory",
			   "saves no more reads", true,
			   device_value(g, GRAM_GRAM, 576) <= device_value(g, GRAM_GRAM, 596), NULL,
			   "%.2f%% with 576K, %.2f%% with 596K", device_value(g, GRAM_GRAM, 576),
			   device_value(g, GRAM_GRAM, 596));
	td_cli_state_claim(&g->r, "fig4b", "buffer utility as device memory grows", "falls", true,
			   at596 < at16,
			   "few accesses: the difference is a few percent, and luck as much",
			   "%.4f points a MB with 16K, %.4f with 596K", at16, at596);
	td_cli_state_claim(&g->r, "transfers", "transfers to and from device memory",
			   "less than 1% of the I/O cost", true, moves < 1,
			   "of storage that answers in microseconds, not of a disk: see --inject "
			   "delay=5ms",
			   "%.2g%% of the time of the file, with 64K", moves);
}

static void claim_set(struct td_cli_gram *g)
{
	const struct td_cli_gram_points *p = &td_cli_gram_points[GRAM_SET];
	double saved[12], before = INFINITY;
	bool falls = true;

	for (unsigned i = 0; i < p->n; i++) {
		saved[i] = td_cli_gram_saved(g, READS, GRAM_SET, p->x[i], GRAM_GRAM, GRAM_NATIVE);
		falls &= saved[i] < before;
		before = saved[i];
	}
	td_cli_gram_state_count(g, "fig4c-most",
				"percent of native's reads that GRAM saves where all fits", 90,
				saved[0], NULL);
	td_cli_gram_state_time(
		g, "fig4c-time", "the same, of the time of an access", 90,
		td_cli_gram_saved(g, td_cli_gram_us, GRAM_SET, 128, GRAM_GRAM, GRAM_NATIVE));
	td_cli_state_claim(&g->r, "fig4c-falls", "what GRAM saves as the working set grows",
			   "falls from 128K pages on", true, falls, NULL,
			   "%.1f, %.1f, %.1f, %.1f, %.1f%%", saved[0], saved[1], saved[2], saved[3],
			   saved[4]);
}

#define HOST_WHY "device memory is memory of the host: a transfer is a copy. See --device-kind cuda"

static double batch_ns(const struct td_cli_gram *g, unsigned batch)
{
	return td_cli_gram_value(g, td_cli_gram_move_ns, GRAM_BATCH, GRAM_GRAM, batch);
}

static void claim_batch(struct td_cli_gram *g)
{
	const char *kind = g->args->device_kind;
	bool gpu = kind && strcmp(kind, "cuda") == 0;
	double gain = 100 * (1 - batch_ns(g, 256) / batch_ns(g, 1));
	double more = 100 * (1 - batch_ns(g, 512) / batch_ns(g, 256));
	double speed = td_cli_gram_value(g, td_cli_gram_move_gbs, GRAM_BATCH, GRAM_GRAM, 256);

	if (gpu) {
		td_cli_state_number(&g->r, "batch-gain",
				    "percent that a page's transfer gets cheaper, batch 1 to 256",
				    87, gain, gain >= 87, "agrees if it is at least that");
		td_cli_state_claim(&g->r, "batch-knee", "a page's transfer, batch 256 and more",
				   "stable", true, fabs(more) < 25, NULL, "%.0f%% cheaper with 512",
				   more);
	} else {
		state_unjudged(g, "batch-gain",
			       "percent that a page's transfer gets cheaper, batch 1 to 256", 87,
			       gain, HOST_WHY);
	}
	state_unjudged(g, "batch-speed", "GB/s of transfers in batches of 256", 2.1, speed,
		       "66% of a bus of 3.2 GB/s in the paper: a matter of the device");
	state_unjudged(g, "batch-kernel",
		       "percent that a kernel gathers cheaper than single copies", 67, NAN,
		       "there is one way to gather here: tide gpu bench --micro pool has both");
}

void td_cli_gram_claims(struct td_cli_gram *g)
{
	if (td_cli_gram_has(g, GRAM_DEVICE))
		claim_device(g);
	if (td_cli_gram_has(g, GRAM_SET))
		claim_set(g);
	if (td_cli_gram_has(g, GRAM_BATCH))
		claim_batch(g);
}
