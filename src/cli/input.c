#include <errno.h>
#include <sys/stat.h>

#include "cli.h"

int td_cli_check_input(const struct td_cli_args *args, struct tide_error *err)
{
	if (!args->trace == !args->workload)
		return tide_fail(err, -EINVAL,
				 args->trace
					 ? "--trace and --workload are both given: give one of them"
					 : "no input: give --trace FILE or --workload NAME");
	if (args->workload && (args->format || args->columns))
		return tide_fail(err, -EINVAL, "--%s is for traces: leave it out with --workload",
				 args->format ? "format" : "columns");
	return 0;
}

/* What is not there is said by the first who opens it. */
static bool is_read_once(const char *path)
{
	struct stat st;
	if (!strcmp(path, "-"))
		return true;
	return !stat(path, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

int td_cli_check_rereadable(const struct td_cli_args *args, const char *instead,
			    struct tide_error *err)
{
	if (!args->trace || !is_read_once(args->trace))
		return 0;
	return tide_fail(err, -EINVAL, "%s can be read only once: write it to a file first, or %s",
			 strcmp(args->trace, "-") ? "a pipe" : "standard input", instead);
}

int td_cli_input(const struct td_cli_args *args, struct tide_sim_options *options,
		 struct tide_error *err)
{
	int rc = td_cli_check_input(args, err);

	if (rc)
		return rc;
	if (!args->near_size)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give --near SIZE, such as "
				 "--near 64M or --near 75%%");
	if (args->functional && args->model)
		return tide_fail(err, -EINVAL,
				 "--functional and --model are both given: give one of them");
	if (args->log && strcmp(args->log, "-") == 0)
		return tide_fail(
			err, -EINVAL,
			"--log - would be among the results on standard output: give a file");
	*options = (struct tide_sim_options){
		.size = sizeof(struct tide_sim_options),
		.model = args->model,
		.trace = args->trace,
		.workload = args->workload,
		.format = args->format,
		.columns = args->columns,
		.near_size = args->near_size,
		.host = args->host,
		.page = args->page,
		.chunk = args->chunk,
		.log = args->log,
		.seed = args->seed,
		.replace_invalid = args->replace_invalid,
	};
	return 0;
}
