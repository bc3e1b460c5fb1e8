/* MPI: the parts are the processes of one mpirun, which is all that is needed of it. A process that
 * fails must not end the others, so it ends well whatever comes of its runs. */
#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <time.h>

#include "cluster.h"

static int look(struct td_cli_cluster *c, struct tide_error *err)
{
	(void)err;
	if (c->pid && waitpid(c->pid, NULL, WNOHANG) != 0)
		c->pid = 0;
	for (size_t i = 0; i < c->n; i++)
		c->parts[i].live = c->parts[i].running = c->pid && c->parts[i].out;
	return 0;
}

/* All parts have a process, so that its rank is its part; most of those with nothing to do end at
 * once. */
static void command(struct td_cli_cluster *c, const char *script, struct td_cli_argv *argv)
{
	td_cli_argv_add(argv, "mpirun");
	td_cli_argv_add(argv, "-n");
	td_cli_argv_add(argv, "%zu", c->n);
	if (c->args->launch_args)
		td_cli_argv_split(argv, c->args->launch_args);
	td_cli_argv_add(argv, "sh");
	td_cli_argv_add(argv, "-c");
	td_cli_argv_add(argv, "%s", script);
}

static void name_log(const struct td_cli_cluster *c, size_t part, char *path, size_t size)
{
	snprintf(path, size, "%s/%" PRIu64 ".0.log", c->folder, c->parts[part].job);
}

static int begin(struct td_cli_cluster *c, char *const *argv, const char *script, uint64_t *job,
		 struct tide_error *err)
{
	char log[sizeof c->folder + 64];

	(void)script;
	*job = c->job;
	snprintf(log, sizeof log, "%s/%" PRIu64 ".0.log", c->folder, c->job);
	return td_cli_start(c, argv, log, &c->pid, err);
}

static const char *job(const struct td_cli_cluster *c, size_t part, struct td_cli_last *out)
{
	(void)c;
	snprintf(out->text, sizeof out->text, "process %zu of mpirun", part);
	return out->text;
}

const struct td_cli_cluster_kind td_cli_cluster_mpi = {
	.name = "mpi",
	.script = "rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-$SLURM_PROCID}}}\n"
		  "shard=$((${rank:?mpirun gave no rank} + 1))\n"
		  "cores=1\n",
	.end = "exit 0\n",
	.stopped = "the same command goes on from there",
	.idle_max = 3,
	.wait_max_ns = UINT64_C(500000000),
	.look = look,
	.command = command,
	.begin = begin,
	.job = job,
	.log = name_log,
};
