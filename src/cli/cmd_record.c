/* tide record: tide run, and a trace of what the pager saw. */
#include <errno.h>

#include "cli.h"
#include "run/options.h"
#include "run/run.h"

const struct td_cli_option td_cli_record_options[] = {
	{"out", 'o', TD_CLI_TEXT, TD_CLI_AT(record), "FILE", "the trace to write", TD_CLI_ANY},
	TD_RUN_OPTIONS,
};

const char td_cli_record_more[] =
	"As tide run, and writes the accesses that the pager saw; then prints the command that\n"
	"replays them with the same decisions. What a GPU does is not recorded in this version.\n\n"
	"Examples:\n"
	"  tide record --out sort.tide --near 512M -- sort big.txt\n"
	"  tide trace info sort.tide\n";

int td_cli_record(const struct td_cli_args *args, struct tide_error *err)
{
	if (!args->record)
		return tide_fail(err, -EINVAL, "no file to write: give --out FILE");
	return td_run(args, "record", err);
}
