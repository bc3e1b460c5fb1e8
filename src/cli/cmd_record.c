/* tide record: tide run, and a trace of what the pager saw. */
#include <errno.h>

#include "cli.h"
#include "run/run.h"

static const struct td_cli_option options[] = {
	{"out", 'o', TD_CLI_TEXT, TD_CLI_AT(record), "FILE", "the trace to write", TD_CLI_ANY},
	TD_RUN_OPTIONS,
	TD_RUN_NO_GPU_OPTIONS TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Runs the program as tide run does, and writes the accesses that the pager sees. Then prints\n"
	"the command that replays them with the same decisions.\n\n"
	"Examples:\n"
	"  tide record --out sort.tide --near 512M -- sort big.txt\n"
	"  tide trace info sort.tide\n";

static int run(const void *given, struct tide_error *err)
{
	const struct td_run_options *args = given;

	if (td_run_gpu_given(args))
		return tide_fail(err, -EINVAL,
				 "--%s is of tide run: the record is what the pager of host memory "
				 "sees",
				 td_run_gpu_given(args));
	if (!args->record)
		return tide_fail(err, -EINVAL, "no file to write: give --out FILE");
	return td_run(args, "record", err);
}

const struct td_cli_verb td_cli_verb_record = {
	.name = "record",
	.order = 120,
	.synopsis = "--out FILE --near SIZE [OPTIONS] [--] PROGRAM [ARGS]",
	.summary = "Run a program as tide run does, and write a trace that tide sim replays",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_run_options),
	.words_min = 1,
	.words_max = TD_CLI_COMMAND,
	.run = run,
};
