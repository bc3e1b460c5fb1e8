/* What the curves and the examples say about the claims of the LEU paper. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "claims.h"
#include "leu.h"

/* "loop 0.421, skewed 0.987": a number per input, and the largest of them. */
struct shares {
	char text[200];
	size_t used, n;
	double largest;
};

static void add_share(struct shares *s, const struct td_cli_leu_input *in, double share)
{
	if (s->used < sizeof s->text)
		s->used += (size_t)snprintf(s->text + s->used, sizeof s->text - s->used,
					    "%s%s %.3f", s->n ? ", " : "", in->name, share);
	if (!s->n++ || share > s->largest)
		s->largest = share;
}

/* Misses of a as a share of those of b, over all sizes that both can take: the curves of vmin and
 * osl begin at the least average that they used. */
static double misses_share(const struct td_cli_leu_input *in, enum td_cli_leu_curve a,
			   enum td_cli_leu_curve b)
{
	const struct tide_mrc *sizes = in->curves[TD_CLI_LEU_LRU];
	const struct tide_mrc *of_a = in->curves[a], *of_b = in->curves[b];
	double sum_a = 0, sum_b = 0;

	for (size_t i = 0; i < sizes->n; i++) {
		double pages = sizes->at[i].pages;
		if (pages < of_a->at[0].pages || pages < of_b->at[0].pages)
			continue;
		sum_a += td_cli_leu_ratio(of_a, pages);
		sum_b += td_cli_leu_ratio(of_b, pages);
	}
	return sum_b > 0 ? sum_a / sum_b : 1;
}

static struct shares misses_shares(const struct td_cli_leu *p, enum td_cli_leu_curve a,
				   enum td_cli_leu_curve b)
{
	struct shares s = {.text = ""};

	for (size_t i = 0; i < p->n; i++)
		add_share(&s, &p->inputs[i], misses_share(&p->inputs[i], a, b));
	return s;
}

/* The worst size: LEU's misses as a multiple of the better of LRU's and MRU's. */
static double worst_size(const struct td_cli_leu_input *in, enum td_cli_leu_curve leu)
{
	double worst = 0;

	for (size_t i = 0; i < in->curves[leu]->n; i++) {
		double lru = in->curves[TD_CLI_LEU_LRU]->at[i].miss_ratio;
		double mru = in->curves[TD_CLI_LEU_MRU]->at[i].miss_ratio;
		double share = in->curves[leu]->at[i].miss_ratio / (lru < mru ? lru : mru);
		if (share > worst)
			worst = share;
	}
	return worst;
}

static struct shares over_better(const struct td_cli_leu *p, enum td_cli_leu_curve leu)
{
	struct shares s = {.text = ""};

	for (size_t i = 0; i < p->n; i++)
		if (p->inputs[i].curves[leu])
			add_share(&s, &p->inputs[i], worst_size(&p->inputs[i], leu));
	return s;
}

static struct shares with_room(const struct td_cli_leu *p)
{
	struct shares s = {.text = ""};

	for (size_t i = 0; i < p->n; i++) {
		const struct tide_mrc *m = p->inputs[i].curves[TD_CLI_LEU_PAGE];
		add_share(&s, &p->inputs[i],
			  (double)m->at[m->n - 1].misses / (double)m->footprint_pages);
	}
	return s;
}

static struct td_claims_cell largest_input(const struct td_cli_leu *p)
{
	struct td_claims_cell cell;
	uint64_t pages = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->inputs[i].facts.pages > pages)
			pages = p->inputs[i].facts.pages;
	snprintf(cell.text, sizeof cell.text, "up to %s pages", td_cli_grouped(pages).text);
	return cell;
}

/* ---- one pass against a run for each size ---- */

static int run_size(const struct td_cli_leu_input *in, const char *policy, uint64_t pages,
		    uint64_t *misses, struct tide_error *err)
{
	char near_size[32];
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = in->copy.path,
					   .format = "txt",
					   .near_size = near_size,
					   .chunk = "1p",
					   .page = "4K",
					   .evict = policy,
					   .prefetch = "none",
					   .facts = &in->facts};
	struct tide_counts counts = {.size = sizeof counts};
	struct tide_sim *sim;
	int rc;

	snprintf(near_size, sizeof near_size, "%" PRIu64 "p", pages);
	rc = tide_sim_open(&sim, &options, err);
	if (rc)
		return rc;
	rc = tide_sim_run(sim, NULL, NULL, err);
	tide_sim_counts(sim, &counts, NULL);
	*misses = counts.faults;
	tide_sim_close(sim);
	return rc;
}

/* Runs at single sizes against the curve that one pass gave. */
static int count_equal(const struct td_cli_leu_input *in, enum td_cli_leu_curve leu, size_t *equal,
		       size_t *tried, struct tide_error *err)
{
	const struct tide_mrc *m = in->curves[leu];
	struct td_cli_leu_policy policy;

	if (!m || !td_cli_leu_policy(in, leu, &policy))
		return 0;
	for (size_t i = 2; i < m->n; i += 6) {
		uint64_t misses;
		int rc = run_size(in, policy.text, (uint64_t)m->at[i].pages, &misses, err);
		if (rc)
			return rc;
		*equal += misses == m->at[i].misses;
		++*tried;
	}
	return 0;
}

static int count_stack(struct td_cli_leu *p, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; p->exact && i < p->n && !rc; i++) {
		rc = count_equal(&p->inputs[i], TD_CLI_LEU_PAGE, &p->equal, &p->tried, err);
		if (!rc)
			rc = count_equal(&p->inputs[i], TD_CLI_LEU_REF, &p->equal, &p->tried, err);
	}
	return rc;
}

static struct td_claims_cell stack_text(const struct td_cli_leu *p)
{
	struct td_claims_cell cell = {"not tried on a sample"};

	if (p->tried)
		snprintf(cell.text, sizeof cell.text, "the same at %zu of %zu sizes", p->equal,
			 p->tried);
	return cell;
}

/* ---- the claims ---- */

static const struct td_claim rows[] = {
#define ROWS_AS_TABLE
#include "leu.def"
};

const struct td_claims_paper td_claims_paper_leu = {
	.name = "leu", .rows = rows, .rows_n = sizeof rows / sizeof *rows};

static void claim(const struct td_cli_leu *p, struct td_cli_reproduction *r)
{
	const struct td_claim *row = rows;
	struct td_claims_cell note = {""};
	bool on = true;

#include "leu.def"
}

int td_cli_leu_claims(struct td_cli_leu *p, struct tide_error *err)
{
	int rc = td_leu_examples_make(&p->examples, err);

	if (!rc)
		rc = count_stack(p, err);
	if (!rc)
		claim(p, &p->r);
	td_leu_examples_free(&p->examples);
	return rc;
}
