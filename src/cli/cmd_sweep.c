/* tide sweep: a grid of runs, resumable and in shards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/cluster.h"
#include "sweep/sweep.h"

#define TD_CLI_OPTIONS struct td_cli_sweep_options
#define EACH(name, member, value, help, values) \
	{ \
		name, 0, TD_CLI_LIST, TD_CLI_AT(member), value, help, values \
	}

static const struct td_cli_option options[] = {
	EACH("trace", trace, "FILE", "trace to read", TD_CLI_ANY),
	EACH("workload", workload, "SPEC",
	     "workload to generate: NAME or NAME:KEY=VALUE,KEY=VALUE (see tide workloads)",
	     TD_CLI_SPECS(td_cli_workload_name, td_cli_workload_param)),
	TD_CLI_FORMAT_OPTIONS,
	TD_CLI_NEAR_AT(TD_CLI_LIST, near_size, TD_CLI_NEAR_HELP),
	EACH("page", page, "SIZE", "bytes per page (4K)", TD_CLI_ANY),
	EACH("chunk", chunk, "SIZE", "bytes per chunk, 1 to 64 pages (64K)", TD_CLI_ANY),
	TD_CLI_EVICTS_AT(
		evict,
		"policy that chooses the chunk to evict, or all that can run (lrm); see tide policies"),
	TD_CLI_PREFETCH_AT(TD_CLI_LIST, prefetch,
			   "policy that chooses the pages to bring in on a fault (tree)"),
	TD_CLI_PLACE_AT(TD_CLI_LIST, place, "policy that says where victims go, with --host"),
	EACH("host", host, "SIZE", "host memory behind near memory, with --place: as --near, or 0",
	     TD_CLI_ANY),
	TD_CLI_POLICIES_AT(TD_CLI_LIST, policies),
	TD_CLI_PRESET_AT(preset),
	TD_CLI_SPLIT_AT(split),
	TD_CLI_OBJECTS_AT(objects),
	TD_CLI_FLUSH_AT(flush),
	{"functional", 0, TD_CLI_FLAG, TD_CLI_AT(functional), NULL,
	 "run without a clock (the default); with --model, run both", TD_CLI_ANY},
	EACH("model", model, "MODEL",
	     "run with the clock of a machine: NAME or NAME:KEY=VALUE,.. (see tide models)",
	     TD_CLI_SPECS(td_cli_model_name, td_cli_model_param)),
	EACH("seed", seed, "N", "start of the random numbers (1)", TD_CLI_ANY),
	TD_CLI_ERRORS_OPTION(replace_invalid),
	{"output", 'o', TD_CLI_TEXT, TD_CLI_AT(output), "FILE",
	 "append the results to FILE, and skip the runs that it has (standard output)", TD_CLI_ANY},
	EACH("skip", skip, "FILE", "skip the runs that FILE has, too; FILE is only read",
	     TD_CLI_ANY),
	{"retry", 0, TD_CLI_FLAG, TD_CLI_AT(retry), NULL, "repeat failed runs", TD_CLI_ANY},
	{"shard", 0, TD_CLI_TEXT, TD_CLI_AT(shard), "I/N",
	 "make only the Ith of N parts of the runs, I from 1 to N; keep N fixed", TD_CLI_ANY},
	{"slurm", 0, TD_CLI_NUMBER, TD_CLI_AT(slurm), "N",
	 "make the runs by N jobs of Slurm, and merge their results into --output", TD_CLI_ANY},
	{"mpi", 0, TD_CLI_NUMBER, TD_CLI_AT(mpi), "N",
	 "make the runs by N processes of mpirun, and merge their results into --output",
	 TD_CLI_ANY},
	{"launch-args", 0, TD_CLI_TEXT, TD_CLI_AT(launch_args), "TEXT",
	 "more options for sbatch or mpirun: --launch-args='-p long --mem=4G'", TD_CLI_ANY},
	{"dry-run", 0, TD_CLI_FLAG, TD_CLI_AT(dry_run), NULL,
	 "print the command lines of the remaining runs, and run none", TD_CLI_ANY},
	TD_CLI_JOBS_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Every value of an option is combined with every value of the others; --policies adds\n"
	"single combinations. In a value, {16,32,64} and {10..90..20} stand for several values:\n"
	"quote them, so that the shell does not expand them. A result is one line, the JSON document\n"
	"of tide sim with its \"command\". Repeat the command to continue a killed sweep.\n\n"
	"Examples:\n"
	"  tide sweep --workload '{zipf,cyclic}' --near '{25,50,75}%' --evict '{lru,lrm}' -o r.jsonl\n"
	"  tide sweep --trace app.tide --near 512M --evict 'mhpe:t1={16..64..16}' --prefetch pattern\n"
	"  tide sweep --workload mvt --near '{10..90}%' --shard 3/8 --output mvt.3.jsonl\n"
	"  tide sweep --workload mvt --near '{10..90}%' --output mvt.jsonl --slurm 8 \\\n"
	"      --launch-args='--partition=long --time=4:00:00'\n";

/* NULL: standard output. */
static const char *file_of(const struct td_cli_sweep_options *args)
{
	return args->output && strcmp(args->output, "-") != 0 ? args->output : NULL;
}

static int check_cluster(const struct td_cli_sweep_options *args, struct tide_error *err)
{
	const char *kind = args->slurm ? "slurm" : "mpi";

	if (args->slurm && args->mpi)
		return tide_fail(err, -EINVAL, "--slurm and --mpi are two ways: leave one out");
	if (!args->slurm && !args->mpi)
		return !args->launch_args ? 0
					  : tide_fail(err, -EINVAL,
						      "--launch-args is for --slurm and --mpi: "
						      "add one, or leave it out");
	if (args->shard)
		return tide_fail(err, -EINVAL, "--%s makes the shards itself: leave out --shard",
				 kind);
	if (!file_of(args))
		return tide_fail(err, -EINVAL, "--%s needs a file for the results: give --output",
				 kind);
	return 0;
}

static int check_words(const struct td_cli_sweep_options *args, struct tide_error *err)
{
	if (args->given.words.n)
		return tide_fail(err, -EINVAL,
				 "unexpected word %s: quote values with braces, such as "
				 "--near '{25,50}%%'",
				 td_cli_shown(args->given.words.at[0]).text);
	if (args->retry && !file_of(args))
		return tide_fail(err, -EINVAL,
				 "--retry needs the results of before: give --output FILE");
	return check_cluster(args, err);
}

/* Results of before that do not count, and why. */
static void print_again(const struct td_cli_plan *plan, const char *before)
{
	if (plan->old)
		printf("%s%s to make again: another version of tide made %s\n", before,
		       td_cli_grouped(plan->old).text, plan->old == 1 ? "it" : "them");
	if (plan->changed)
		printf("%s%s to make again: the input has changed\n", before,
		       td_cli_grouped(plan->changed).text);
	if (plan->rebuilt)
		printf("%s%s to make again: outdated, a policy was built anew\n", before,
		       td_cli_grouped(plan->rebuilt).text);
}

static int print_commands(const struct td_cli_sweep *s, struct tide_error *err)
{
	struct td_cli_text command = {0};
	int rc = 0;

	for (size_t i = 0; i < s->plan.left && !rc; i++) {
		rc = td_cli_grid_command(s->grid, s->plan.at[i].index, &command);
		if (!rc)
			puts(command.at);
	}
	free(command.at);
	print_again(&s->plan, "# ");
	printf("# %s runs: %s left, %s done, %s failed\n", td_cli_grouped(s->plan.n).text,
	       td_cli_grouped(s->plan.left).text, td_cli_grouped(s->plan.done).text,
	       td_cli_grouped(s->plan.failed).text);
	return rc ? tide_fail(err, rc, "no memory for a command line: free some") : 0;
}

/* Failures are in the results too; here it is said that there are some. */
static int judge(const struct td_cli_sweep *s, struct tide_error *err)
{
	size_t failed = s->failed + s->plan.failed;
	const char *path = s->results.path;

	if (!failed)
		return 0;
	return tide_fail(err, -EIO, "%s of %s runs failed%s%.300s%s: see \"error\" in %s%s",
			 td_cli_grouped(failed).text, td_cli_grouped(s->plan.n).text,
			 s->failed ? " (" : " before", s->failure.text, s->failed ? ")" : "",
			 path ? path : "their lines", path ? ", and try again with --retry" : "");
}

/* For the first trace that has objects of several sizes. */
static void note_sizes(const struct td_cli_grid *grid)
{
	for (size_t i = 0; i < grid->trace.n && !grid->objects; i++) {
		const struct td_cli_input in = {.trace = grid->trace.at[i],
						.format = grid->format,
						.columns = grid->columns};
		if (!td_cli_sizes_differ(&in))
			continue;
		printf("the objects of %s differ in size, and count as one page each: --objects "
		       "counts their bytes\n",
		       td_cli_name(in.trace).text);
		return;
	}
}

static void print_summary(const struct td_cli_sweep *s)
{
	if (s->results.path) {
		print_again(&s->plan, "");
		note_sizes(s->grid);
	}
	if (s->results.restored)
		printf("%s was removed while the sweep ran, and written again\n",
		       td_cli_name(s->results.path).text);
	if (s->results.path)
		printf("%s runs: %s done now, %s before, %s failed; results in %s\n",
		       td_cli_grouped(s->plan.n).text, td_cli_grouped(s->done).text,
		       td_cli_grouped(s->plan.done).text,
		       td_cli_grouped(s->failed + s->plan.failed).text,
		       td_cli_name(s->results.path).text);
}

/* Results of before: those that are only looked at, then those that are gone on with. */
static int read_results(struct td_cli_sweep *s, const struct td_cli_sweep_options *args,
			struct tide_error *err)
{
	struct td_cli_results other;
	int rc = 0;

	s->reading = (struct td_cli_reading){s->grid, &s->plan, json_object()};
	for (size_t i = 0; i < args->skip.n && !rc; i++) {
		rc = td_cli_results_open(&other, args->skip.at[i], true, &s->reading, err);
		if (!rc)
			td_cli_results_close(&other, NULL);
	}
	if (!rc)
		rc = td_cli_results_open(&s->results, file_of(args), args->dry_run, &s->reading,
					 err);
	if (!rc)
		td_cli_plan_count(&s->plan, args->retry);
	return rc;
}

static int make_runs(struct td_cli_sweep *s, const struct td_cli_sweep_options *args,
		     struct tide_error *err)
{
	if (args->slurm || args->mpi)
		return td_cli_cluster_run(s, args, err);
	td_cli_plan_order(&s->plan);
	return args->dry_run ? print_commands(s, err)
			     : td_cli_sweep_run(s, (size_t)args->jobs, err);
}

static int sweep(struct td_cli_sweep *s, const struct td_cli_sweep_options *args,
		 struct tide_error *err)
{
	struct td_cli_progress progress;
	int rc = td_cli_progress_start(&progress, args->progress, "sweep", err);

	s->progress = progress.on;
	if (!rc)
		rc = td_cli_plan_make(&s->plan, s->grid, args->shard, err);
	if (!rc)
		rc = td_cli_grid_check(s->grid, err);
	if (!rc)
		rc = read_results(s, args, err);
	if (!rc)
		rc = make_runs(s, args, err);
	if (rc || args->dry_run)
		return rc;
	rc = td_cli_results_keep(&s->results, err);
	if (!rc)
		rc = td_cli_results_sync(&s->results, err);
	if (rc)
		return rc;
	print_summary(s);
	return judge(s, err);
}

static int run(const void *given, struct tide_error *err)
{
	const struct td_cli_sweep_options *args = given;
	struct td_cli_grid grid = {0};
	struct td_cli_sweep s = {.grid = &grid, .results.fd = -1};
	int rc = check_words(args, err);

	if (!rc)
		rc = td_cli_grid_make(&grid, args, err);
	if (!rc)
		rc = sweep(&s, args, err);
	if (td_cli_results_close(&s.results, rc ? NULL : err) && !rc)
		rc = -EIO;
	json_decref(s.reading.digests);
	td_cli_plan_free(&s.plan);
	td_cli_grid_free(&grid);
	return rc;
}

const struct td_cli_verb td_cli_verb_sweep = {
	.name = "sweep",
	.order = 40,
	.synopsis = "(--trace FILE | --workload SPEC)... --near SIZE... [OPTIONS]",
	.summary = "Run a grid of inputs, sizes, policies and parameters, on all cores",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_cli_sweep_options),
	.words_max = TD_CLI_LIST_MAX,
	.run = run,
};
