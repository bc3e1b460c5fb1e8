#include <errno.h>

#include "cli.h"

int td_cli_input(const struct td_cli_args *args, struct tide_sim_options *options,
		 struct tide_error *err)
{
	if (!args->trace == !args->workload)
		return tide_fail(err, -EINVAL,
				 args->trace
					 ? "--trace and --workload are both given: give one of them"
					 : "no input: give --trace FILE or --workload NAME");
	if (args->workload && (args->format || args->columns))
		return tide_fail(err, -EINVAL, "--%s is for traces: leave it out with --workload",
				 args->format ? "format" : "columns");
	if (!args->near_size)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give --near SIZE, such as "
				 "--near 64M or --near 75%%");
	*options = (struct tide_sim_options){
		.trace = args->trace,
		.workload = args->workload,
		.format = args->format,
		.columns = args->columns,
		.near_size = args->near_size,
		.page = args->page,
		.chunk = args->chunk,
		.log = args->log,
		.seed = args->seed,
		.replace_invalid = args->replace_invalid,
	};
	return 0;
}
