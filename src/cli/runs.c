#include "runs.h"

#include <errno.h>
#include <pthread.h>

#include "core/jobs.h"

#define MILLION 1000000

struct work {
	struct td_cli_runs *runs;
	struct td_cli_looks *looks;
	pthread_mutex_t lock; /* of the line of progress */
};

/* One run under way. */
struct step {
	struct work *work;
	uint64_t millionths; /* done of it */
};

/* Called by every thread; one that finds another drawing goes on with its run. */
static void move_on(struct step *step, uint64_t millionths)
{
	struct td_cli_runs *runs = step->work->runs;

	runs->millionths += millionths - step->millionths;
	step->millionths = millionths;
	if (!runs->progress || pthread_mutex_trylock(&step->work->lock) != 0)
		return;
	td_cli_progress_show(runs->progress, runs->millionths, (uint64_t)MILLION * runs->n);
	pthread_mutex_unlock(&step->work->lock);
}

static void show(void *arg, uint64_t done, uint64_t total)
{
	double share = total ? (double)(done < total ? done : total) / (double)total : 0;

	move_on(arg, (uint64_t)(MILLION * share));
}

static int simulate(struct step *step, struct td_cli_run *run)
{
	struct tide_sim *sim = NULL;
	run->options.facts = &run->facts;
	run->options.threads = 1; /* the runs themselves use the cores */
	int rc = td_cli_open_shared(&sim, &run->options, run->reading, &run->err);

	if (!rc)
		rc = tide_sim_run(sim, show, step, &run->err);
	if (!rc) {
		run->counts.size = sizeof run->counts;
		tide_sim_counts(sim, &run->counts, NULL);
		tide_sim_facts(sim, &run->facts, NULL);
		run->time_ns = tide_sim_time_ns(sim);
		td_lib_summarize(sim, &run->summary);
		rc = td_cli_load_run(sim, &run->json, &run->err);
	}
	tide_sim_close(sim);
	return rc;
}

static int look_and_simulate(struct step *step, struct td_cli_run *run)
{
	struct td_cli_look *look;
	int rc;

	if (run->facts.size)
		return simulate(step, run);
	rc = td_cli_look_take(step->work->looks, run, &look);
	if (!rc)
		rc = simulate(step, run);
	td_cli_look_give(step->work->looks, look, run);
	return rc;
}

static void do_run(void *arg, size_t i)
{
	struct work *work = arg;
	struct td_cli_runs *runs = work->runs;
	struct step step = {.work = work};
	struct td_cli_run run = {.rc = 0};

	if (!runs->begin(runs->arg, i, &run))
		return;
	run.rc = look_and_simulate(&step, &run);
	runs->end(runs->arg, i, &run);
	json_decref(run.json);
	move_on(&step, MILLION);
}

int td_cli_runs_do(struct td_cli_runs *runs, struct tide_error *err)
{
	struct work work = {.runs = runs, .lock = PTHREAD_MUTEX_INITIALIZER};

	work.looks = td_cli_looks_new();
	if (!work.looks)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	td_jobs_run(runs->n, runs->jobs, do_run, &work);
	td_cli_looks_free(work.looks);
	return 0;
}
