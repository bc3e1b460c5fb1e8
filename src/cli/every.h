/* The word that stands for every eviction policy that can run. */
#ifndef TD_CLI_EVERY_H
#define TD_CLI_EVERY_H

#include "braces.h"
#include "cli.h"

#define TD_CLI_EVERY "all"

/* Puts those policies in the place of the word. like: the run, but for its policy. A line on
 * standard error names each reason why a policy is left out. */
int td_cli_every_evict(struct td_cli_axis *axis, const char *verb,
		       const struct tide_sim_options *like, struct tide_error *err);

#endif
