/* tide run: a program under the pager, unmodified. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "run/run.h"

static const struct td_cli_option options[] = {
	{"record", 0, TD_CLI_TEXT, TD_CLI_AT(record), "FILE",
	 "write what the pager sees as a trace, as tide record does", TD_CLI_ANY},
	TD_RUN_OPTIONS,
	TD_RUN_GPU_OPTIONS TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"--near pages large allocations of the program (malloc and private anonymous mmap), and nothing\n"
	"else; with --mapping kernel, all memory of all its processes. --gpu-near keeps a CUDA program in\n"
	"less GPU memory than it allocates. Give one or both.\n"
	"The exit status is the program's, or 128 plus the number of the signal that ended it. The\n"
	"results go to standard error. Each process has its own pager and near memory.\n\n"
	"Examples:\n"
	"  tide run --near 512M -- sort big.txt\n"
	"  tide run --near 256M --host 2G --host-kind lz4 --live -- python3 job.py\n"
	"  tide run --near 1G --host 2G --storage /var/tmp/far --stats run.json -- ./solver\n"
	"  tide run --near 64M --whatif -- ./solver\n"
	"  tide run --gpu-near 8G -- python3 train.py\n";

/* After the program has ended; its status is the result whatever is said here. */
static int report(struct td_run *r, struct tide_error *err)
{
	int rc = 0;

	if (r->slots)
		td_run_summary(r);
	if (r->kernel)
		td_run_kernel_summary(r);
	if (r->gpu.slots)
		td_run_gpu_summary(r, stderr);
	if (r->args->stats)
		rc = td_run_write_stats(r, err);
	if (!rc)
		rc = r->kernel ? td_lib_kernel_finish(r->kernel, err) : td_run_check_ends(r, err);
	if (!rc && strcmp(r->verb, "record") == 0)
		rc = td_run_print_replay(r, err);
	if (!rc && r->args->whatif)
		rc = td_run_whatif(r, err);
	return rc ? rc : r->status;
}

int td_run(const struct td_run_options *args, const char *verb, struct tide_error *err)
{
	struct td_run r = {.args = args, .verb = verb};
	struct td_cli_progress when;
	int rc = td_cli_progress_start(&when, args->progress, verb, err);

	r.live = args->live && when.on;
	if (!rc)
		rc = td_run_find_program(args->given.command[0], r.program, sizeof r.program, err);
	if (!rc && !td_run_is_kernel(args))
		rc = td_run_check_program(r.program, err);
	if (!rc && args->near_size && !td_run_is_kernel(args))
		rc = td_run_find_preload(r.preload, sizeof r.preload, err);
	if (!rc)
		rc = td_run_settings(&r, err);
	if (!rc && args->gpu_near)
		rc = td_run_check_gpu(&r, err);
	if (!rc)
		rc = td_run_prepare(&r, err);
	if (!rc)
		rc = td_run_program(&r, err);
	if (!rc)
		rc = report(&r, err);
	td_lib_kernel_close(r.kernel);
	td_run_clean(&r);
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	return td_run(given, "run", err);
}

const struct td_cli_verb td_cli_verb_run = {
	.name = "run",
	.order = 110,
	.synopsis = "--near SIZE|--gpu-near SIZE [OPTIONS] [--] PROGRAM [ARGS]",
	.summary = "Run a program with less near memory or GPU memory than it uses",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_run_options),
	.words_min = 1,
	.words_max = TD_CLI_COMMAND,
	.run = run,
};
