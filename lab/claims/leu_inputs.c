/* The inputs of the curves: generated block workloads, or a trace. */
#include "leu.h"

/* What volumes of file servers are made of, alone and together: a scan that comes again, skewed
 * accesses, and working sets that move. */
static const struct recipe {
	const char *name, *what;
	size_t n;
	bool edge; /* a power of two of pages, and so a reuse interval that begins a bin of LEU's */
	struct td_cli_part parts[3];
} recipes[] = {
	{"loop", "the same scan again and again", 1, false, {{"cyclic:pages=", 5000, 75000}}},
	{"loop-edge",
	 "the same, as many pages as a power of two",
	 1,
	 true,
	 {{"cyclic:pages=", 5000, 75000}}},
	{"skewed", "accesses by Zipf's law", 1, false, {{"zipf:skew=0.9,pages=", 6000, 75000}}},
	{"mixed",
	 "a hot set beside a scan that comes again",
	 2,
	 false,
	 {{"zipf:skew=0.8,pages=", 1000, 40000}, {"cyclic:pages=", 4000, 40000}}},
	{"phases",
	 "a hot region that moves on",
	 1,
	 false,
	 {{"phases:phases=4,rounds=2,hot=", 1500, 75000}}},
	{"volume",
	 "skewed accesses, a scan that comes again and one that does not",
	 3,
	 false,
	 {{"zipf:skew=1,pages=", 4000, 48000},
	  {"cyclic:pages=", 2000, 24000},
	  {"cyclic:pages=", 8000, 8000}}},
};

_Static_assert(sizeof recipes / sizeof recipes[0] == TD_CLI_LEU_INPUTS_MAX, "as many as said");

/* A run that knows its footprint has looked through the input. */
static int survey(struct td_cli_leu_input *in, struct tide_error *err)
{
	struct tide_sim_options options = {.size = sizeof options,
					   .trace = in->copy.path,
					   .format = "txt",
					   .near_size = "100%",
					   .chunk = "1p",
					   .evict = "fifo",
					   .prefetch = "none"};
	struct tide_sim *sim;
	int rc = tide_sim_open(&sim, &options, err);

	if (rc)
		return rc;
	in->facts.size = sizeof in->facts;
	tide_sim_facts(sim, &in->facts, NULL);
	tide_sim_close(sim);
	return 0;
}

static uint64_t scaled(uint64_t n, double scale)
{
	double x = (double)n * scale;

	return x < 1 ? 1 : (uint64_t)x;
}

static int generate(struct td_cli_leu_input *in, const struct recipe *recipe, double scale,
		    const char *seed, struct tide_error *err)
{
	struct td_cli_part parts[3];

	for (size_t i = 0; i < recipe->n; i++) {
		parts[i] = recipe->parts[i];
		parts[i].pages = scaled(parts[i].pages, scale);
		parts[i].accesses = scaled(parts[i].accesses, scale);
		if (recipe->edge)
			parts[i].pages = UINT64_C(1) << (63 - __builtin_clzll(parts[i].pages));
	}
	in->name = recipe->name;
	snprintf(in->what, sizeof in->what, "%s", recipe->what);
	return td_cli_weave(&in->copy, parts, recipe->n, seed, err);
}

static int read_trace(struct td_cli_leu_input *in, const struct td_claims_options *args,
		      struct tide_error *err)
{
	in->name = "trace";
	snprintf(in->what, sizeof in->what, "%s", td_cli_shown(args->trace).text);
	return td_cli_copy_trace(&in->copy, args, err);
}

int td_cli_leu_inputs(const struct td_claims_options *args, double scale,
		      struct td_cli_leu_input *inputs, size_t *n, struct tide_error *err)
{
	int rc = 0;

	*n = args->trace ? 1 : TD_CLI_LEU_INPUTS_MAX;
	for (size_t i = 0; i < *n && !rc; i++) {
		rc = args->trace ? read_trace(&inputs[i], args, err)
				 : generate(&inputs[i], &recipes[i], scale, args->seed, err);
		if (!rc)
			rc = survey(&inputs[i], err);
	}
	return rc;
}
