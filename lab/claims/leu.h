/* The parts of tide reproduce leu: the curves of Figure 1 and what follows from them, and the
 * paper's small examples. */
#ifndef TD_CLI_REPRODUCE_LEU_H
#define TD_CLI_REPRODUCE_LEU_H

#include "reproduce.h"

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
int td_cli_leu_inputs(const struct td_cli_args *args, double scale, struct td_cli_leu_input *inputs,
		      size_t *n, struct tide_error *err);

extern const char *const td_cli_leu_names[TD_CLI_LEU_CURVES];

/* The policy of a curve as the command line takes it; false: the input has no refs for it. */
struct td_cli_leu_policy {
	char text[120];
};
bool td_cli_leu_policy(const struct td_cli_leu_input *in, enum td_cli_leu_curve curve,
		       struct td_cli_leu_policy *policy);

/* The miss ratio at a size, on the line between the two sizes that were tried. */
double td_cli_leu_ratio(const struct tide_mrc *m, double pages);

/* leu_claims.c: what the curves say about the paper's claims. */
int td_cli_leu_claims(struct td_cli_reproduction *r, const struct td_cli_leu_input *inputs,
		      size_t n, bool exact, struct tide_error *err);

/* leu_examples.c: "axayaz", "aaxyz" and "aabb". */
int td_cli_leu_examples(struct td_cli_reproduction *r, struct tide_error *err);

#endif
