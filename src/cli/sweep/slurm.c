/* Slurm: the parts are the tasks of a job array. sbatch and squeue are all that is needed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

/* ---- which jobs are live ---- */

/* `17 3 R tide-0123456789abcdef-16`: job, part, state, and a name that says which sweep. */
static bool read_task(char *line, char *words[4])
{
	char *rest = line;

	for (int i = 0; i < 4; i++) {
		words[i] = strsep(&rest, i < 3 ? " " : "\n");
		if (!words[i])
			return false;
	}
	return true;
}

/* Jobs of the same sweep with another number of parts are not to be mixed with ours. */
static int take_task(struct td_cli_cluster *c, char *const words[4], struct tide_error *err)
{
	size_t prefix = (size_t)(strrchr(c->name, '-') - c->name) + 1;
	struct td_cli_part *part;
	uint64_t job, i;

	if (strncmp(words[3], c->name, prefix) != 0)
		return 0;
	if (strcmp(words[3], c->name) != 0)
		return tide_fail(err, -EBUSY,
				 "jobs of this sweep are in the queue, in %s parts: give --slurm "
				 "that number, or end them by scancel --name=%s",
				 td_cli_shown(words[3] + prefix).text, td_cli_shown(words[3]).text);
	if (td_core_u64(words[0], strlen(words[0]), &job) ||
	    td_core_u64(words[1], strlen(words[1]), &i) || i < 1 || i > c->n)
		return 0;
	part = &c->parts[i - 1];
	part->job = job;
	part->out = part->live = true;
	part->running = strcmp(words[2], "PD") != 0;
	return 0;
}

static int look(struct td_cli_cluster *c, struct tide_error *err)
{
	static char *const argv[] = {
		"squeue", "--me", "--array", "--noheader", "--format=%F %K %t %j", NULL};
	struct td_cli_text out;
	char *words[4], *rest, *line;
	int rc = td_cli_capture(c, argv, "", &out, err);

	for (size_t i = 0; i < c->n && !rc; i++)
		c->parts[i].live = c->parts[i].running = false;
	for (rest = out.at; !rc && (line = strsep(&rest, "\n"));)
		if (read_task(line, words))
			rc = take_task(c, words, err);
	free(out.at);
	return rc;
}

/* ---- more of them ---- */

/* `1-5,7`: the parts to go. */
static void put_array(const struct td_cli_cluster *c, struct td_cli_text *text)
{
	char one[64];

	for (size_t i = 0, end; i < c->n; i = end + 1) {
		end = i;
		if (!c->go[i])
			continue;
		while (end + 1 < c->n && c->go[end + 1])
			end++;
		snprintf(one, sizeof one, end > i ? "%s%zu-%zu" : "%s%zu", text->n ? "," : "",
			 i + 1, end + 1);
		td_cli_put_word(text, one);
	}
}

/* Per cent signs of a file name mean something to sbatch, unless there are two. */
static void put_log(const struct td_cli_cluster *c, struct td_cli_text *text)
{
	for (const char *at = c->folder; *at; at++)
		td_cli_put_word(text, *at == '%' ? "%%" : (char[]){*at, '\0'});
	td_cli_put_word(text, "/%A.%a.log");
}

/* Options of the user come after those that are only usual, and before those that must be. tide
 * alone repeats jobs: so a file of results has one writer. */
static void command(struct td_cli_cluster *c, const char *script, struct td_cli_argv *argv)
{
	struct td_cli_text array = {0}, log = {0};

	(void)script;
	put_array(c, &array);
	put_log(c, &log);
	td_cli_argv_add(argv, "sbatch");
	td_cli_argv_add(argv, "--ntasks=1");
	if (c->args->jobs)
		td_cli_argv_add(argv, "--cpus-per-task=%" PRIu64, c->args->jobs);
	if (c->args->launch_args)
		td_cli_argv_split(argv, c->args->launch_args);
	td_cli_argv_add(argv, "--parsable");
	td_cli_argv_add(argv, "--no-requeue");
	td_cli_argv_add(argv, "--job-name=%s", c->name);
	td_cli_argv_add(argv, "--array=%s", array.at ? array.at : "");
	td_cli_argv_add(argv, "--output=%s", log.at ? log.at : "");
	argv->failed |= array.failed || log.failed;
	free(array.at);
	free(log.at);
}

static int begin(struct td_cli_cluster *c, char *const *argv, const char *script, uint64_t *job,
		 struct tide_error *err)
{
	struct td_cli_text out;
	int rc = td_cli_capture(c, argv, script, &out, err);

	/* `17`, or `17;cluster` */
	if (!rc && td_core_u64(out.at, strcspn(out.at, ";\n"), job))
		rc = tide_fail(err, -EIO, "sbatch says %s, not the number of a job: see squeue",
			       td_cli_shown(out.at).text);
	free(out.at);
	return rc;
}

static const char *job(const struct td_cli_cluster *c, size_t part, struct td_cli_last *out)
{
	snprintf(out->text, sizeof out->text, "job %" PRIu64 "_%zu", c->parts[part].job, part + 1);
	return out->text;
}

static void name_log(const struct td_cli_cluster *c, size_t part, char *path, size_t size)
{
	snprintf(path, size, "%s/%" PRIu64 ".%zu.log", c->folder, c->parts[part].job, part + 1);
}

const struct td_cli_cluster_kind td_cli_cluster_slurm = {
	.name = "slurm",
	.script = "#!/bin/sh\n"
		  "shard=$SLURM_ARRAY_TASK_ID\n"
		  "cores=${SLURM_CPUS_ON_NODE:-1}\n",
	.number = "$SLURM_ARRAY_JOB_ID",
	.end = "",
	.stopped = "its jobs go on, and the same command watches them again; to end them, run "
		   "scancel --name=",
	.idle_max = 6,
	.wait_max_ns = UINT64_C(15000000000),
	.look = look,
	.command = command,
	.begin = begin,
	.job = job,
	.log = name_log,
};
