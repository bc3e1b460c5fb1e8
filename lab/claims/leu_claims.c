/* What the curves say about the claims of the LEU paper. */
#include <errno.h>
#include <inttypes.h>

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

static void state_shares(struct td_cli_reproduction *r, const struct td_cli_statement *base,
			 const struct shares *s, double most)
{
	struct td_cli_statement st = *base;

	st.measured = s->n ? json_string(s->text) : json_null();
	if (!s->n)
		st.verdict = TD_CLI_UNJUDGED;
	else
		st.verdict = s->largest <= most ? TD_CLI_AGREES : TD_CLI_DISAGREES;
	if (!s->n)
		st.note = "the input has no refs";
	else if (st.verdict == TD_CLI_AGREES)
		st.note = NULL;
	td_cli_state(r, &st);
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

static void claim_figure(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
			 size_t n)
{
	static const struct {
		const char *id, *what, *published;
		enum td_cli_leu_curve a, b;
		double most;
		const char *note; /* where it does not agree */
	} claims[] = {
		{"figure1-osl-lru", "OSL's misses over all sizes, as a share of LRU's: below 1",
		 "significantly outperforms LRU", TD_CLI_LEU_OSL, TD_CLI_LEU_LRU, 0.999, NULL},
		{"figure1-osl-2q", "OSL's misses over all sizes, as a share of 2Q's: below 1",
		 "could outperform 2Q", TD_CLI_LEU_OSL, TD_CLI_LEU_2Q, 0.999, NULL},
		{"figure1-osl-arc", "OSL's misses over all sizes, as a share of ARC's: below 1",
		 "could outperform ARC", TD_CLI_LEU_OSL, TD_CLI_LEU_ARC, 0.999, NULL},
		{"figure1-osl-opt",
		 "OSL's misses over all sizes, as a share of OPT's: at most 1.02",
		 "the same performance as OPT, or better", TD_CLI_LEU_OSL, TD_CLI_LEU_OPT, 1.02,
		 "the claim is about usr; where accesses come by chance, OPT knows which and statistics do not"},
		{"figure1-vmin-osl", "VMIN's misses over all sizes, as a share of OSL's: at most 1",
		 "VMIN is the optimal variable-size policy", TD_CLI_LEU_VMIN, TD_CLI_LEU_OSL,
		 1.0005, NULL},
	};

	for (size_t c = 0; c < sizeof claims / sizeof claims[0]; c++) {
		struct shares s = {0};
		for (size_t i = 0; i < n; i++)
			add_share(&s, &inputs[i],
				  misses_share(&inputs[i], claims[c].a, claims[c].b));
		state_shares(
			r,
			&(struct td_cli_statement){.id = claims[c].id,
						   .what = claims[c].what,
						   .published = json_string(claims[c].published),
						   .note = claims[c].note},
			&s, claims[c].most);
	}
}

/* The paper's figure is of a trace that is not ours. */
static void claim_size(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
		       size_t n)
{
	uint64_t pages = 0;
	char text[80];

	for (size_t i = 0; i < n; i++)
		if (inputs[i].facts.pages > pages)
			pages = inputs[i].facts.pages;
	snprintf(text, sizeof text, "up to %s pages", td_cli_grouped(pages).text);
	td_cli_state(r, &(struct td_cli_statement){
				.id = "figure1-size",
				.what = "sizes of the cache in Figure 1",
				.published = json_string("up to 60 GB"),
				.measured = json_string(text),
				.verdict = TD_CLI_UNJUDGED,
				.note = "the figure's trace, usr, is not part of tide; give it by "
					"--trace where you have it"});
}

/* The worst size: LEU's misses as a multiple of the better of LRU's and MRU's. */
static double over_better(const struct td_cli_leu_input *in, enum td_cli_leu_curve leu)
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

#define BINS \
	"intervals of 64 and more share bins, eight to a power of two, and a page as old as the bin " \
	"of its next use is given up: a loop is learnt if its length begins a bin, and not else"

static void claim_combination(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
			      size_t n, enum td_cli_leu_curve leu, struct td_cli_statement *st)
{
	struct shares s = {0};

	for (size_t i = 0; i < n; i++)
		if (inputs[i].curves[leu])
			add_share(&s, &inputs[i], over_better(&inputs[i], leu));
	st->published = json_string("the effect of combining LRU and MRU");
	state_shares(r, st, &s, 1.05);
}

static void claim_combinations(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
			       size_t n)
{
	claim_combination(
		r, inputs, n, TD_CLI_LEU_PAGE,
		&(struct td_cli_statement){
			.id = "combines",
			.what = "LEU per page: misses over those of the better of LRU and "
				"MRU, at the worst size: at most 1.05",
			.note = BINS "; and a page seldom used has little to learn from"});
	claim_combination(r, inputs, n, TD_CLI_LEU_REF,
			  &(struct td_cli_statement){
				  .id = "combines-ref",
				  .what = "LEU per reference: misses over those of the better of "
					  "LRU and MRU, at the worst size: at most 1.05",
				  .note = BINS});
}

/* With room for every page, only the first touch of each misses. The pages of a sample are an
 * estimate. */
static void claim_complete(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
			   size_t n, bool exact)
{
	struct shares s = {0};

	for (size_t i = 0; i < n; i++) {
		const struct tide_mrc *m = inputs[i].curves[TD_CLI_LEU_PAGE];
		add_share(&s, &inputs[i],
			  (double)m->at[m->n - 1].misses / (double)m->footprint_pages);
	}
	state_shares(r,
		     &(struct td_cli_statement){
			     .id = "complete",
			     .what = "LEU with room for all pages: misses as a multiple of the "
				     "pages, 1",
			     .published = json_string("no capacity misses at the end")},
		     &s, exact ? 1 : 1.02);
}

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

static int claim_stack(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
		       size_t n, bool exact, struct tide_error *err)
{
	size_t equal = 0, tried = 0;
	char text[80] = "not tried on a sample";
	int rc = 0;

	for (size_t i = 0; exact && i < n && !rc; i++) {
		rc = count_equal(&inputs[i], TD_CLI_LEU_PAGE, &equal, &tried, err);
		if (!rc)
			rc = count_equal(&inputs[i], TD_CLI_LEU_REF, &equal, &tried, err);
	}
	if (rc)
		return rc;
	if (tried)
		snprintf(text, sizeof text, "the same at %zu of %zu sizes", equal, tried);
	td_cli_state(r,
		     &(struct td_cli_statement){
			     .id = "stack",
			     .what = "misses of trained LEU in one pass over all sizes, against a "
				     "run for a size",
			     .published = json_string("LEU is a stack algorithm"),
			     .measured = json_string(text),
			     .verdict = !tried           ? TD_CLI_UNJUDGED
					: equal == tried ? TD_CLI_AGREES
							 : TD_CLI_DISAGREES});
	return 0;
}

int td_cli_leu_claims(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
		      size_t n, bool exact, struct tide_error *err)
{
	claim_figure(r, inputs, n);
	claim_size(r, inputs, n);
	claim_combinations(r, inputs, n);
	claim_complete(r, inputs, n, exact);
	return claim_stack(r, inputs, n, exact, err);
}
