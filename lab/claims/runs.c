#include "runs.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/jobs.h"

/* An input, as its footprint depends on it. */
struct input {
	const struct td_cli_rerun *of; /* the first run that has it */
	struct tide_facts facts;
	struct tide_error err;
	int rc;
};

struct work {
	struct td_cli_reproduction *r;
	struct td_cli_rerun *runs;
	struct input *inputs;
	size_t *input_of; /* run -> input */
	size_t n, inputs_n;
	atomic_size_t done;
	pthread_mutex_t lock; /* of progress */
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void find_inputs(struct work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct td_cli_rerun *run = &w->runs[i];
		size_t k = 0;
		while (k < w->inputs_n && !(same_text(w->inputs[k].of->workload, run->workload) &&
					    same_text(w->inputs[k].of->page, run->page)))
			k++;
		if (k == w->inputs_n)
			w->inputs[w->inputs_n++].of = run;
		w->input_of[i] = k;
	}
}

static void tell(struct work *w)
{
	size_t done = atomic_fetch_add(&w->done, 1) + 1;

	if (pthread_mutex_trylock(&w->lock))
		return;
	td_cli_progress_show(&w->r->progress, done, w->n + w->inputs_n);
	pthread_mutex_unlock(&w->lock);
}

/* A share of the footprint makes the library look through the input. */
static void look_through(void *arg, size_t i)
{
	struct work *w = arg;
	struct input *in = &w->inputs[i];
	struct tide_sim_options options = {.size = sizeof options,
					   .workload = in->of->workload,
					   .page = in->of->page,
					   .chunk = "1p",
					   .near_size = "50%",
					   .evict = "fifo",
					   .prefetch = "tree"};
	struct tide_sim *sim = NULL;

	in->rc = tide_sim_open(&sim, &options, &in->err);
	if (!in->rc)
		in->facts.size = sizeof in->facts;
	tide_sim_facts(sim, &in->facts, NULL);
	tide_sim_close(sim);
	tell(w);
}

static void do_run(void *arg, size_t i)
{
	struct work *w = arg;
	struct td_cli_rerun *run = &w->runs[i];
	const struct input *in = &w->inputs[w->input_of[i]];
	struct tide_sim_options options = {.size = sizeof options,
					   .workload = run->workload,
					   .near_size = run->near_size,
					   .page = run->page,
					   .chunk = run->chunk,
					   .evict = run->evict,
					   .prefetch = run->prefetch,
					   .place = run->place,
					   .host = run->host,
					   .model = run->model,
					   .facts = &in->facts};
	struct tide_sim *sim = NULL;

	run->rc = in->rc;
	run->err = in->err;
	if (!run->rc)
		run->rc = tide_sim_open(&sim, &options, &run->err);
	if (!run->rc)
		run->rc = tide_sim_run(sim, NULL, NULL, &run->err);
	if (!run->rc) {
		run->counts.size = sizeof run->counts;
		tide_sim_counts(sim, &run->counts, NULL);
		run->time_ns = tide_sim_time_ns(sim);
		run->rc = td_cli_load_run(sim, &run->json, &run->err);
	}
	tide_sim_close(sim);
	tell(w);
}

static int collect(struct work *w, struct tide_error *err)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct td_cli_rerun *run = &w->runs[i];
		if (run->rc == -EINVAL || run->rc == -ENOMEM)
			return tide_fail(err, run->rc, "%s: %.400s", run->workload, run->err.text);
		if (run->json)
			json_array_append(w->r->runs, run->json);
	}
	return 0;
}

/* An input that several runs have is looked through once. -EINVAL and out of memory end it; other
 * failures are left in their runs. */
static int rerun(struct td_cli_reproduction *r, struct td_cli_rerun *runs, size_t n, size_t jobs,
		 struct tide_error *err)
{
	struct work w = {.r = r, .runs = runs, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc;

	w.inputs = calloc(n + 1, sizeof *w.inputs);
	w.input_of = calloc(n + 1, sizeof *w.input_of);
	if (!w.inputs || !w.input_of) {
		rc = tide_fail(err, -ENOMEM, "no memory for %zu runs: free some", n);
	} else {
		find_inputs(&w);
		td_jobs_run(w.inputs_n, jobs, look_through, &w);
		td_jobs_run(n, jobs, do_run, &w);
		rc = collect(&w, err);
	}
	free(w.inputs);
	free(w.input_of);
	return rc;
}

static int evaluate(const struct td_cli_evaluator *by, struct td_cli_evaluation *e,
		    struct tide_error *err)
{
	int rc = by->plan(e, err);

	if (!rc)
		rc = rerun(&e->r, e->runs, e->n, (size_t)e->args->jobs, err);
	if (rc)
		return rc;
	td_cli_progress_end(&e->r.progress);
	by->claim(e);
	if (!e->args->json)
		rc = by->print(e, err);
	return rc ? rc : td_cli_reproduce_print(&e->r, err);
}

int td_cli_evaluate(const struct td_cli_evaluator *by, const struct td_cli_args *args,
		    struct tide_error *err)
{
	struct td_cli_evaluation *e = calloc(1, by->bytes);

	if (!e)
		return tide_fail(err, -ENOMEM, "no memory for the reproduction: free some");
	e->args = args;
	int rc = td_cli_reproduce_start(&e->r, by->paper, 1, args, err);
	if (!rc)
		rc = evaluate(by, e, err);
	for (size_t i = 0; i < e->n; i++)
		json_decref(e->runs[i].json);
	free(e->runs);
	if (by->release)
		by->release(e);
	td_cli_reproduce_free(&e->r);
	free(e);
	return rc;
}
