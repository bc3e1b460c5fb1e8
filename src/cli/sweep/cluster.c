/* A sweep by jobs: its parts, its name, and what is said at its end. */
#include "cluster.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

/* ---- the watch ---- */

static void tick(void *arg)
{
	struct td_cli_cluster *c = arg;

	pthread_mutex_lock(&c->s->lock);
	td_cli_results_keep(&c->s->results, NULL);
	if (c->s->progress)
		td_cli_sweep_draw(c->s);
	pthread_mutex_unlock(&c->s->lock);
}

static void stop(void *arg, int signal_number)
{
	struct td_cli_cluster *c = arg;
	struct td_cli_sweep *s = c->s;

	pthread_mutex_lock(&s->lock);
	td_cli_results_sync(&s->results, NULL);
	td_cli_sweep_wipe(s);
	fprintf(stderr,
		"tide sweep: stopped by SIG%s after %s of %s runs: ", sigabbrev_np(signal_number),
		td_cli_grouped(s->plan.done + s->plan.failed + s->done + s->failed + s->elsewhere)
			.text,
		td_cli_grouped(s->plan.n).text);
	fprintf(stderr, "%s%s\n", c->kind->stopped, c->kind->number ? c->name : "");
}

/* ---- all of it ---- */

/* Jobs are found again by their name: which sweep, of which file, in how many parts. */
static int name_jobs(struct td_cli_cluster *c, struct tide_error *err)
{
	char file[PATH_MAX] = "";
	XXH64_hash_t hash = c->s->plan.grid.low64;

	if (!realpath(c->args->output, file) && errno != ENOENT)
		return tide_fail(err, -errno, "cannot find %s (%s): check the name",
				 c->args->output, strerror(errno));
	hash = XXH3_64bits_withSeed(file, strlen(file), hash);
	snprintf(c->name, sizeof c->name, "tide-%016" PRIx64 "-%zu", (uint64_t)hash, c->n);
	return 0;
}

static int make_parts(struct td_cli_cluster *c, struct tide_error *err)
{
	uint64_t wanted = c->args->slurm ? c->args->slurm : c->args->mpi;
	int n = snprintf(c->folder, sizeof c->folder, "%s.parts", c->args->output);

	if (n < 0 || (size_t)n >= sizeof c->folder)
		return tide_fail(err, -ENAMETOOLONG,
				 "the name of --output is too long: shorten it");
	c->n = wanted < c->s->plan.n ? (size_t)wanted : c->s->plan.n;
	c->parts = calloc(c->n, sizeof *c->parts);
	c->go = calloc(c->n, sizeof *c->go);
	if (!c->parts || !c->go)
		return tide_fail(err, -ENOMEM, "no memory for %zu parts: give fewer", c->n);
	td_cli_cluster_count(c);
	return 0;
}

/* What it would begin, for a shell. */
static int show(struct td_cli_cluster *c, struct tide_error *err)
{
	struct td_cli_text script = {0}, line = {0};
	struct td_cli_argv argv = {0};
	int rc = 0;

	if (!td_cli_cluster_choose(c))
		return 0;
	rc = td_cli_cluster_command(c, &script, &argv, err);
	for (size_t i = 0; i < argv.n; i++)
		td_cli_put_exact(&line, argv.at[i]);
	if (!rc && c->args->slurm)
		printf("%s <<'END'\n%sEND\n", line.at + 1, script.at);
	else if (!rc)
		printf("%s\n", line.at + 1);
	td_cli_argv_free(&argv);
	free(line.at);
	free(script.at);
	return rc;
}

static int judge(struct td_cli_cluster *c, struct tide_error *err)
{
	size_t given_up = 0, last = 0;
	char log[sizeof c->folder + 64];

	for (size_t i = 0; i < c->n; i++)
		if (td_cli_part_given_up(c, &c->parts[i])) {
			given_up++;
			last = i;
		}
	if (!given_up)
		return 0;
	c->kind->log(c, last, log, sizeof log);
	return tide_fail(err, -EIO,
			 "%zu of %zu parts are given up, since %u jobs in a row made no run (%s): "
			 "see %s; the same command goes on from there",
			 given_up, c->n, c->kind->idle_max, td_cli_last_of(log).text, log);
}

static int make_runs(struct td_cli_cluster *c, struct tide_error *err)
{
	struct td_cli_sweep *s = c->s;
	int rc;

	if (mkdir(c->folder, 0777) && errno != EEXIST)
		return tide_fail(err, -errno,
				 "cannot make %s (%s): make room, or give another "
				 "--output",
				 c->folder, strerror(errno));
	pthread_mutex_init(&s->lock, NULL);
	s->started_ns = td_clock_ns();
	s->watch = (struct td_cli_watch){.tick = tick, .stop = stop, .arg = c};
	rc = td_cli_watch_start(&s->watch, err);
	if (rc)
		return rc;
	rc = td_cli_cluster_watch(c, err);
	td_cli_watch_end(&s->watch);
	td_cli_sweep_wipe(s);
	if (!rc)
		rc = judge(c, err);
	if (rc) {
		rmdir(c->folder); /* if there is nothing in it */
		return rc;
	}
	td_cli_cluster_tidy(c);
	if (c->repeated)
		printf("jobs that ended early, and whose parts were begun again: %zu\n",
		       c->repeated);
	return 0;
}

int td_cli_cluster_run(struct td_cli_sweep *s, const struct td_cli_sweep_options *args,
		       struct tide_error *err)
{
	struct td_cli_cluster c = {
		.s = s,
		.args = args,
		.kind = args->slurm ? &td_cli_cluster_slurm : &td_cli_cluster_mpi,
	};
	int rc = make_parts(&c, err);

	if (!rc)
		rc = name_jobs(&c, err);
	if (!rc)
		rc = args->dry_run ? show(&c, err) : make_runs(&c, err);
	free(c.parts);
	free(c.go);
	return rc;
}
