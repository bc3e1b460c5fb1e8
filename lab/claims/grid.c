/* The runs of a paper: what --study and --only choose of applications, settings and configurations,
 * each different run once. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"

static size_t *at(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	return &p->at[(s * p->paper->apps + a) * p->paper->configs + c];
}

/* ---- what to run ---- */

bool td_claims_studied(const struct td_claims *p, unsigned study)
{
	return p->options->study || p->paper->first_alone ? p->study == study : true;
}

/* Those that run with a setting, as bits. */
static uint32_t configs_of(const struct td_claims *p, unsigned s)
{
	const struct td_claims_setting *set = p->paper->setting(s);

	if (td_claims_studied(p, set->study))
		return set->configs;
	return s == 0 ? p->paper->studies[p->study].main_configs : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_input(const struct td_claims_run *a, const struct td_claims_run *b)
{
	return same_text(a->workload, b->workload) && same_text(a->page, b->page);
}

static bool same_run(const struct td_claims_run *a, const struct td_claims_run *b)
{
	return same_input(a, b) && same_text(a->near_size, b->near_size) &&
	       same_text(a->host, b->host) && same_text(a->evict, b->evict) &&
	       same_text(a->model, b->model) && same_text(a->chunk, b->chunk) &&
	       same_text(a->prefetch, b->prefetch) && same_text(a->place, b->place) &&
	       a->flush == b->flush;
}

static void add_run(struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	struct td_claims_run *run = &p->runs[p->n];
	size_t i = 0;

	p->paper->make(p, s, a, c, run);
	while (!same_run(&p->runs[i], run))
		i++;
	*at(p, s, a, c) = i + 1;
	if (i == p->n)
		p->n++;
	else
		*run = (struct td_claims_run){.page = NULL};
}

static void add_app(struct td_claims *p, unsigned a)
{
	for (unsigned s = 0; s < p->paper->settings; s++) {
		uint32_t configs = configs_of(p, s);
		for (unsigned c = 0; c < p->paper->configs; c++)
			if (p->paper->setting(s)->apps >> a & 1 && configs >> c & 1)
				add_run(p, s, a, c);
	}
}

/* Applications that a chosen setting is about, without what is needed of setting 0. */
static uint32_t studied_apps(const struct td_claims *p)
{
	uint32_t apps = 0;

	for (unsigned s = 0; s < p->paper->settings; s++)
		if (td_claims_studied(p, p->paper->setting(s)->study))
			apps |= p->paper->setting(s)->apps;
	return apps;
}

static void plan(struct td_claims *p)
{
	uint32_t left = p->wanted & studied_apps(p);

	while (left) {
		unsigned next = (unsigned)__builtin_ctz(left);
		for (unsigned a = 0; p->paper->cost && a < p->paper->apps; a++)
			if (left >> a & 1 && p->paper->cost(a) > p->paper->cost(next))
				next = a;
		add_app(p, next);
		left &= ~TD_BIT(next);
	}
}

static int choose(struct td_claims *p, struct tide_error *err)
{
	const struct td_claims_options *o = p->options;
	size_t study = 0;
	int rc = o->study ? td_cli_choose_study(o->study, p->paper->study_name, &study, err) : 0;

	p->study = (unsigned)study + (o->study && p->paper->first_alone ? 1 : 0);
	if (!rc)
		rc = td_cli_choose_apps(o->only, p->paper->app, &p->wanted, err);
	return rc || !p->paper->check ? rc : p->paper->check(o, err);
}

static int make_plan(struct td_claims *p, struct tide_error *err)
{
	size_t most = (size_t)p->paper->settings * p->paper->apps * p->paper->configs;
	int rc = choose(p, err);

	if (rc)
		return rc;
	p->runs = calloc(most, sizeof *p->runs);
	p->at = calloc(most, sizeof *p->at);
	if (!p->runs || !p->at)
		return tide_fail(err, -ENOMEM, "no memory for the runs: free some");
	plan(p);
	return p->n ? 0
		    : tide_fail(err, -EINVAL,
				"study %s has none of these applications: leave --only out",
				td_cli_shown(p->options->study).text);
}

/* ---- running it ---- */

static const char *given(const char *text)
{
	return *text ? text : NULL;
}

static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	const struct td_claims *p = arg;
	const struct td_claims_run *of = &p->runs[i];

	run->options = (struct tide_sim_options){.size = sizeof run->options,
						 .workload = of->workload,
						 .near_size = of->near_size,
						 .page = of->page,
						 .chunk = of->chunk,
						 .evict = of->evict,
						 .prefetch = of->prefetch,
						 .place = of->place,
						 .flush = of->flush,
						 .host = given(of->host),
						 .model = of->model};
	while (!same_input(&p->runs[run->group], of))
		run->group++;
	return true;
}

static void end(void *arg, size_t i, struct td_cli_run *run)
{
	const struct td_claims *p = arg;

	p->runs[i].result = *run;
	run->json = NULL;
}

/* Bad usage and too little memory end it; other failures are left in their runs. */
static int collect(struct td_claims *p, struct tide_error *err)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct td_cli_run *run = &p->runs[i].result;
		if (run->rc == -EINVAL || run->rc == -ENOMEM)
			return tide_fail(err, run->rc, "%s: %.400s", p->runs[i].workload,
					 run->err.text);
		if (run->json)
			json_array_append(p->r.runs, run->json);
	}
	return 0;
}

static int run_all(struct td_claims *p, struct tide_error *err)
{
	struct td_cli_runs runs = {.n = p->n,
				   .jobs = (size_t)p->options->jobs,
				   .begin = begin,
				   .end = end,
				   .arg = p,
				   .progress = &p->r.progress};
	int rc = td_cli_runs_do(&runs, err);

	return rc ? rc : collect(p, err);
}

static int evaluate(struct td_claims *p, struct tide_error *err)
{
	int rc = td_cli_reproduce_start(&p->r, p->paper->name, 1, p->options, err);

	if (!rc)
		rc = make_plan(p, err);
	if (!rc)
		rc = run_all(p, err);
	if (rc)
		return rc;
	td_cli_progress_end(&p->r.progress);
	p->r.app = p->paper->app;
	p->r.config = p->paper->config;
	p->r.headlines = p->paper->headlines;
	p->paper->claim(p);
	if (!p->options->json)
		rc = td_cli_reproduce_measure(&p->r, err);
	if (!rc && !p->options->json)
		rc = p->paper->print(p, err);
	return rc ? rc : td_cli_reproduce_print(&p->r, err);
}

int td_claims_evaluate(const struct td_claims_paper *paper, const struct td_claims_options *options,
		       struct tide_error *err)
{
	struct td_claims p = {.paper = paper, .options = options};
	int rc = evaluate(&p, err);

	for (size_t i = 0; i < p.n; i++)
		json_decref(p.runs[i].result.json);
	free(p.runs);
	free(p.at);
	td_cli_reproduce_free(&p.r);
	return rc;
}

/* ---- results ---- */

const struct td_cli_run *td_claims_run(const struct td_claims *p, unsigned s, unsigned a,
				       unsigned c)
{
	size_t i = *at(p, s, a, c);
	const struct td_cli_run *run = i ? &p->runs[i - 1].result : NULL;

	return run && run->json && run->time_ns ? run : NULL;
}

double td_claims_time_ns(const struct td_claims *p, unsigned s, unsigned a, unsigned c)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, c);

	return run ? (double)run->time_ns : (double)NAN;
}

double td_claims_counted(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
			 size_t counter)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, c);
	uint64_t count;

	if (!run)
		return (double)NAN;
	memcpy(&count, (const char *)&run->counts + counter, sizeof count);
	return (double)count;
}

double td_claims_reported(const struct td_claims *p, unsigned s, unsigned a, unsigned c,
			  const char *key)
{
	const struct td_cli_run *run = td_claims_run(p, s, a, c);
	const json_t *value = run ? json_object_get(run->json, "policy") : NULL;

	for (size_t n; value && *key; key += n + (key[n] == '.')) {
		n = strcspn(key, ".");
		value = json_object_getn(value, key, n);
	}
	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}
