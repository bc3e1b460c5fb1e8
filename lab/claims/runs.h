/* Runs of a reproduction: a list of combinations, on all cores. */
#ifndef TD_CLI_REPRODUCE_RUNS_H
#define TD_CLI_REPRODUCE_RUNS_H

#include "reproduce.h"

struct td_cli_rerun {
	/* What to run, as on the command line; NULL: the default. */
	char workload[128];
	const char *near_size, *page, *chunk, *evict, *prefetch, *place, *host, *model;
	/* What came of it. */
	int rc; /* not 0: it failed, and has no results */
	struct tide_counts counts;
	uint64_t time_ns;
	json_t *json; /* the document of tide sim */
	struct tide_error err;
};

/* An evaluation: the first member of the paper's own struct, which is zeroed. */
struct td_cli_evaluation {
	const struct td_cli_args *args;
	struct td_cli_reproduction r;
	struct td_cli_rerun *runs;
	size_t n;
};

/* What a paper does with it: allocates its runs and says what they are; states what came of them;
 * prints tables, where no JSON is wanted; frees what else it has, unless NULL. */
struct td_cli_evaluator {
	const char *paper;
	size_t bytes; /* of its struct */
	int (*plan)(void *self, struct tide_error *err);
	void (*claim)(void *self);
	int (*print)(void *self, struct tide_error *err);
	void (*release)(void *self);
};
int td_cli_evaluate(const struct td_cli_evaluator *by, const struct td_cli_args *args,
		    struct tide_error *err);

#endif
