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

/* Runs all of them, and adds their documents to the reproduction. An input that several runs have
 * is looked through once. -EINVAL and out of memory end it; other failures are left in their runs.
 */
int td_cli_rerun(struct td_cli_reproduction *r, struct td_cli_rerun *runs, size_t n, size_t jobs,
		 struct tide_error *err);
void td_cli_rerun_free(struct td_cli_rerun *runs, size_t n);

#endif
