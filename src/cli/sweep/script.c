/* What a job runs: this tide, with the same sweep, for one part of it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "cluster.h"

/* What a job gets other values for, or none. */
static const char *const not_passed[] = {"output", "shard",   "slurm",    "mpi",  "launch-args",
					 "jobs",   "dry-run", "progress", "help", NULL};

static int make_command(const struct td_cli_cluster *c, struct td_cli_argv *argv)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

	if (n < 0)
		return -errno;
	program[n] = '\0';
	td_cli_argv_add(argv, "%s", program);
	td_cli_argv_add(argv, "sweep");
	td_cli_argv_given(argv, td_cli_verb_sweep.options, c->args, not_passed);
	td_cli_argv_add(argv, "--progress=never");
	td_cli_argv_add(argv, "--skip=%s", c->args->output);
	return argv->failed ? -ENOMEM : 0;
}

static void put_settings(const struct td_cli_cluster *c, struct td_cli_text *text)
{
	char line[64];

	td_cli_put_word(text, c->kind->script);
	if (c->kind->number)
		snprintf(line, sizeof line, "job=%s\n", c->kind->number);
	else
		snprintf(line, sizeof line, "job=%" PRIu64 "\n", c->job);
	td_cli_put_word(text, line);
	snprintf(line, sizeof line, "cores=%" PRIu64 "\n", c->args->jobs);
	td_cli_put_word(text, c->args->jobs ? line : "");
}

/* What the script itself finds out. */
static void put_rest(const struct td_cli_cluster *c, struct td_cli_text *text)
{
	char line[200];

	snprintf(line, sizeof line, " --jobs \"$cores\" --shard \"$shard/%zu\" --output", c->n);
	td_cli_put_word(text, line);
	td_cli_put_exact(text, c->folder);
	td_cli_put_word(text, "/\"$job.$shard.jsonl\" >/dev/null\n");
	td_cli_put_word(text, c->kind->end);
}

int td_cli_cluster_script(const struct td_cli_cluster *c, struct td_cli_text *text,
			  struct tide_error *err)
{
	struct td_cli_argv argv = {0};
	int rc = make_command(c, &argv);

	put_settings(c, text);
	td_cli_put_word(text, *c->kind->end ? "" : "exec");
	for (size_t i = 0; i < argv.n; i++)
		td_cli_put_exact(text, argv.at[i]);
	put_rest(c, text);
	td_cli_argv_free(&argv);
	if (!rc && text->failed)
		rc = -ENOMEM;
	return rc ? tide_fail(err, rc,
			      "cannot make the script of a job: is there memory, and is "
			      "/proc mounted?")
		  : 0;
}
