#include <errno.h>
#include <sys/stat.h>

#include "cli.h"

int td_cli_check_input(const struct td_cli_input *in, struct tide_error *err)
{
	if (!in->trace == !in->workload)
		return tide_fail(err, -EINVAL,
				 in->trace
					 ? "--trace and --workload are both given: give one of them"
					 : "no input: give --trace FILE or --workload NAME");
	if (in->workload && (in->format || in->columns))
		return tide_fail(err, -EINVAL, "--%s is for traces: leave it out with --workload",
				 in->format ? "format" : "columns");
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

int td_cli_check_rereadable(const char *trace, const char *instead, struct tide_error *err)
{
	if (!trace || !is_read_once(trace))
		return 0;
	return tide_fail(err, -EINVAL, "%s can be read only once: write it to a file first, or %s",
			 strcmp(trace, "-") ? "a pipe" : "standard input", instead);
}

int td_cli_setup(const struct td_cli_setup *setup, struct tide_sim_options *options,
		 struct tide_error *err)
{
	int rc = td_cli_check_input(&setup->in, err);

	if (rc)
		return rc;
	if (!setup->near_size)
		return tide_fail(err, -EINVAL,
				 "no size of near memory: give --near SIZE, such as "
				 "--near 64M or --near 75%%");
	if (setup->functional && setup->model)
		return tide_fail(err, -EINVAL,
				 "--functional and --model are both given: give one of them");
	*options = (struct tide_sim_options){
		.size = sizeof(struct tide_sim_options),
		.model = setup->model,
		.trace = setup->in.trace,
		.workload = setup->in.workload,
		.format = setup->in.format,
		.columns = setup->in.columns,
		.near_size = setup->near_size,
		.host = setup->host,
		.page = setup->page,
		.chunk = setup->chunk,
		.seed = setup->seed,
		.replace_invalid = setup->replace_invalid,
		.flush = setup->flush,
		.watchdog = setup->watchdog,
		.split = setup->split,
		.objects = setup->objects,
	};
	return 0;
}

int td_cli_check_form(bool json, bool csv, struct tide_error *err)
{
	if (json && csv)
		return tide_fail(err, -EINVAL, "both --json and --csv: give one of them");
	return 0;
}
