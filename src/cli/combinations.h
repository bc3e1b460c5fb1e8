/* The combinations of policies that tide compare runs. */
#ifndef TD_CLI_COMBINATIONS_H
#define TD_CLI_COMBINATIONS_H

#include "braces.h"
#include "options.h"

#define TD_CLI_RUNS_MAX 256

/* The options of tide compare. */
struct td_cli_compare_options {
	struct td_cli_given given;
	struct td_cli_setup setup;
	struct td_cli_list near_size; /* the first is in the setup, too */
	struct td_cli_list evict, prefetch, place, policies;
	uint64_t jobs; /* 0: not given */
	const char *progress, *preset;
	bool json, csv;
};

struct td_cli_pair {
	char *near_size, *evict, *prefetch;
	char *place; /* NULL: none */
};

/* All of the first size, then all of the next. */
struct td_cli_combinations {
	size_t n, per_size;
	struct td_cli_pair at[TD_CLI_RUNS_MAX];
};

int td_cli_combinations(const struct td_cli_compare_options *args, struct td_cli_combinations *out,
			struct tide_error *err);
void td_cli_combinations_free(struct td_cli_combinations *c);

#endif
