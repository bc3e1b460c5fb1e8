/* What tide compare and its table share. */
#ifndef TD_CLI_COMPARE_H
#define TD_CLI_COMPARE_H

#include <pthread.h>

#include "combinations.h"
#include "runs.h"

struct td_cli_comparison {
	struct td_cli_combinations pairs;
	struct tide_sim_options *options; /* of all runs, but for the policies */
	struct td_cli_run *runs;
	struct td_lib_room room;
	struct td_lib_reading *reading; /* of all runs; NULL: no memory */
	struct td_cli_progress progress;
	pthread_mutex_t lock;
	struct tide_facts facts; /* under the lock: of the input, as far as they are known */
};

/* compare_table.c: the least cost of n runs from the first on, of those that succeeded; UINT64_MAX
 * if none did. */
uint64_t td_cli_least_cost(const struct td_cli_comparison *all, size_t first, size_t n);
/* The runs of one size, from the first on. */
int td_cli_compare_table(const struct td_cli_comparison *all, size_t first, struct tide_error *err);

#endif
