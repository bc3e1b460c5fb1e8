/* Between the files of `tide workloads`. */
#ifndef TD_CLI_WORKLOADS_H
#define TD_CLI_WORKLOADS_H

#include "../cli.h"

struct td_cli_workloads_options {
	struct td_cli_given given;
	const char *paper, *plot, *width, *colours, *page, *seed, *progress;
	uint64_t jobs; /* 0: not given */
	bool describe, measure, json;
};

/* The workload of that name, whatever parameters follow it; or an error that names a near one. */
int td_cli_find_workload(const char *spec, struct tide_workload_info *w, struct tide_error *err);

/* Is it one of those that the words and --paper ask for? */
bool td_cli_workload_wanted(const struct td_cli_workloads_options *args,
			    const struct tide_workload_info *w);

int td_cli_workload_describe(const struct td_cli_workloads_options *args, struct tide_error *err);
int td_cli_workload_plot(const struct td_cli_workloads_options *args, struct tide_error *err);
int td_cli_workload_measure(const struct td_cli_workloads_options *args, struct tide_error *err);

#endif
