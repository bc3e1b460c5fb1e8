#include "runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/runs.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The first run that has the same input. */
static size_t group_of(const struct td_cli_evaluation *e, const struct td_cli_rerun *run)
{
	size_t i = 0;

	while (!same_text(e->runs[i].workload, run->workload) ||
	       !same_text(e->runs[i].page, run->page))
		i++;
	return i;
}

static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	const struct td_cli_evaluation *e = arg;
	const struct td_cli_rerun *of = &e->runs[i];

	run->options = (struct tide_sim_options){.size = sizeof run->options,
						 .workload = of->workload,
						 .near_size = of->near_size,
						 .page = of->page,
						 .chunk = of->chunk,
						 .evict = of->evict,
						 .prefetch = of->prefetch,
						 .place = of->place,
						 .host = of->host,
						 .model = of->model};
	run->group = group_of(e, of);
	return true;
}

static void end(void *arg, size_t i, struct td_cli_run *run)
{
	const struct td_cli_evaluation *e = arg;
	struct td_cli_rerun *of = &e->runs[i];

	of->rc = run->rc;
	of->err = run->err;
	of->counts = run->counts;
	of->time_ns = run->time_ns;
	of->json = run->json;
	run->json = NULL;
}

/* -EINVAL and out of memory end it; other failures are left in their runs. */
static int collect(struct td_cli_evaluation *e, struct tide_error *err)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct td_cli_rerun *run = &e->runs[i];
		if (run->rc == -EINVAL || run->rc == -ENOMEM)
			return tide_fail(err, run->rc, "%s: %.400s", run->workload, run->err.text);
		if (run->json)
			json_array_append(e->r.runs, run->json);
	}
	return 0;
}

static int rerun(struct td_cli_evaluation *e, struct tide_error *err)
{
	struct td_cli_runs runs = {.n = e->n,
				   .jobs = (size_t)e->args->jobs,
				   .begin = begin,
				   .end = end,
				   .arg = e,
				   .progress = &e->r.progress};
	int rc = td_cli_runs_do(&runs, err);

	return rc ? rc : collect(e, err);
}

static int evaluate(const struct td_cli_evaluator *by, struct td_cli_evaluation *e,
		    struct tide_error *err)
{
	int rc = by->plan(e, err);

	if (!rc)
		rc = rerun(e, err);
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
