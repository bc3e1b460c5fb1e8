/* The parts of tide reproduce leu: the curves of Figure 1 and what follows from them, and the
 * paper's small examples. */
#ifndef TD_CLI_REPRODUCE_LEU_H
#define TD_CLI_REPRODUCE_LEU_H

#include "claims.h"
#include "tide/rit.h"

enum td_cli_leu_curve {
	TD_CLI_LEU_LRU,
	TD_CLI_LEU_2Q,
	TD_CLI_LEU_ARC,
	TD_CLI_LEU_OPT,
	TD_CLI_LEU_VMIN,
	TD_CLI_LEU_OSL,
	TD_CLI_LEU_PAGE,   /* trained, a distribution per page */
	TD_CLI_LEU_REF,    /* trained, a distribution per reference */
	TD_CLI_LEU_ONLINE, /* per reference where there are any */
	TD_CLI_LEU_MRU,    /* not of the figure: for the claims about LRU and MRU */
	TD_CLI_LEU_CURVES
};

struct td_cli_leu_input {
	const char *name;
	char what[160];
	struct td_cli_copy copy;
	struct tide_facts facts;
	struct tide_mrc *curves[TD_CLI_LEU_CURVES]; /* NULL: not for this input */
};

/* leu_inputs.c: those of the generated set, scaled, or the trace. */
#define TD_CLI_LEU_INPUTS_MAX 6
int td_cli_leu_inputs(const struct td_claims_options *args, double scale,
		      struct td_cli_leu_input *inputs, size_t *n, struct tide_error *err);

extern const char *const td_cli_leu_names[TD_CLI_LEU_CURVES];

/* The policy of a curve as the command line takes it; false: the input has no refs for it. */
struct td_cli_leu_policy {
	char text[120];
};
bool td_cli_leu_policy(const struct td_cli_leu_input *in, enum td_cli_leu_curve curve,
		       struct td_cli_leu_policy *policy);

/* The miss ratio at a size, on the line between the two sizes that were tried. */
double td_cli_leu_ratio(const struct tide_mrc *m, double pages);

/* ---- leu_examples.c: the examples of sections 2 and 3 ---- */

enum td_leu_example { AABB, AXAYAZ, AXAYAZ_REFS, AAXYZ, TD_LEU_EXAMPLES };
enum td_leu_policy { TD_LEU_LRU, TD_LEU_MRU, TD_LEU_OPT, TD_LEU_LEU, TD_LEU_POLICIES };
#define TD_LEU_SIZES 4 /* pages: a, x, y, z */

struct td_leu_examples {
	unsigned n; /* that are made */
	struct tide_rit tables[TD_LEU_EXAMPLES];
	uint64_t misses[TD_LEU_EXAMPLES][TD_LEU_POLICIES][TD_LEU_SIZES];
};

struct td_cli_leu {
	const struct td_claims_options *args;
	struct td_cli_reproduction r;
	struct td_cli_leu_input inputs[TD_CLI_LEU_INPUTS_MAX];
	size_t n;
	double scale;
	char sizes[128];
	struct td_leu_examples examples;
	bool exact;          /* no sample */
	size_t equal, tried; /* sizes at which a run has as many misses as the curve says */
};

int td_leu_examples_make(struct td_leu_examples *examples, struct tide_error *err);
void td_leu_examples_free(struct td_leu_examples *examples);
/* The share of the reuses of a page or ref that come after so many accesses. */
double td_leu_reuses(const struct td_cli_leu *p, enum td_leu_example e, char key,
		     unsigned interval);
/* Accesses since the last one to a page, seen right after the one at the end of a round. */
unsigned td_leu_tesla(enum td_leu_example e, char page);
/* Of the page then, by the statistics of the key: its own, or its ref's. */
double td_leu_priority(const struct td_cli_leu *p, enum td_leu_example e, char key, char page);
struct td_claims_cell td_leu_misses(const struct td_cli_leu *p, enum td_leu_example e);
/* At most 1.05 times LRU's misses at every size, or those of the better of LRU and MRU. */
bool td_leu_keeps_up(const struct td_cli_leu *p, enum td_leu_example e, bool mru);
/* The least size that misses less than so often per round. */
unsigned td_leu_least_size(const struct td_cli_leu *p, enum td_leu_example e,
			   enum td_leu_policy policy, unsigned per_round);

/* leu_claims.c: states what the curves and the examples say about the paper's claims. */
int td_cli_leu_claims(struct td_cli_leu *p, struct tide_error *err);

#endif
