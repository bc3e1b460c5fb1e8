/* Simulations, several at a time. compare, sweep and reproduce run theirs by this alone. */
#ifndef TD_CLI_RUNS_H
#define TD_CLI_RUNS_H

#include <stdatomic.h>

#include "cli.h"

struct td_cli_run {
	/* What to run; the texts stay the caller's. Without facts a run takes those of its group,
	 * whose input is looked through once. */
	struct tide_sim_options options;
	uint64_t group; /* runs of a group have the same input, pages and seed */
	/* What its group has read of the input, with facts; NULL: it reads for itself. */
	struct td_lib_reading *reading;
	/* What is known of the input: size 0: nothing yet; after the run, all that it found. */
	struct tide_facts facts;
	/* What came of it. */
	int rc; /* not 0: it failed for err, and has no results */
	struct tide_error err;
	struct tide_counts counts;
	uint64_t time_ns;              /* 0: there was no clock */
	struct td_lib_summary summary; /* its texts are gone, but for format */
	json_t *json; /* the document of tide sim; end() may take it and leave NULL */
};

/* Nothing is kept per run: begin() says what run i is, or that it is left out, and end() has what
 * came of it. Both are called by several threads. */
struct td_cli_runs {
	size_t n, jobs; /* at a time; 0: one per core */
	bool (*begin)(void *arg, size_t i, struct td_cli_run *run);
	void (*end)(void *arg, size_t i, struct td_cli_run *run);
	void *arg;
	struct td_cli_progress *progress; /* NULL: not shown */
	_Atomic uint64_t millionths;      /* of runs that are done */
};

int td_cli_runs_do(struct td_cli_runs *runs, struct tide_error *err);

/* ---- looks.c: what is known of an input, and the input, read once for all its runs ---- */

struct td_cli_looks;
struct td_cli_look;

struct td_cli_looks *td_cli_looks_new(void); /* NULL: no memory */
void td_cli_looks_free(struct td_cli_looks *looks);
/* Sets the facts and the reading of the run, or its err; to be given back whether it worked or not.
 * The digest that the first run made is for those that come later. */
int td_cli_look_take(struct td_cli_looks *looks, struct td_cli_run *run, struct td_cli_look **look);
void td_cli_look_give(struct td_cli_looks *looks, struct td_cli_look *look,
		      const struct td_cli_run *run);

#endif
