/* tide advise: is it the policy or the size? */
#include "advise.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sizes.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* Accesses that are kept: all policies and sizes together then take a few seconds. */
#define SAMPLE_MOST 1000000
#define CHOOSE 0x155u /* parts 1, 3, 5, 7 and 9: the best policy is chosen there */
#define JUDGE 0x2aau  /* and what it saves is told from the others */

struct advise_options {
	struct td_cli_given given; /* words: traces */
	const char *workload, *format, *columns, *near_size, *evict, *page, *preset, *seed,
		*progress;
	struct td_cli_list candidate;
	uint64_t jobs; /* 0: not given */
	bool json;
};
#define TD_CLI_OPTIONS struct advise_options

static const struct td_cli_option options[] = {
	{"trace", 0, TD_CLI_LIST, TD_CLI_AT(given.words), "FILE", "trace to read, as TRACE",
	 TD_CLI_ANY},
	TD_CLI_WORKLOAD_AT(workload),
	TD_CLI_FORMAT_OPTIONS,
	TD_CLI_NEAR_AT(
		TD_CLI_ONE, near_size,
		"today's memory: bytes (512M), pages (1024p) or a share of the footprint (10%)"),
	TD_CLI_EVICT_AT(TD_CLI_ONE, evict, "today's policy (lru)"),
	{"candidate", 0, TD_CLI_LIST, TD_CLI_AT(candidate), "POLICY",
	 "a policy to try instead (all that need no future)",
	 TD_CLI_SPECS(td_cli_evict_name, td_cli_evict_param)},
	TD_CLI_PAGE_OPTION,
	TD_CLI_PRESET_PAGE_OPTION,
	TD_CLI_SEED_OPTION,
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"The verdict is one of: another policy (which, and what it saves), more memory (how much), or\n"
	"neither. Chunks have one page, and there is no prefetch. A long input is sampled by pages.\n\n"
	"Examples:\n"
	"  tide advise requests.csv --near 10%\n"
	"  tide advise kernels.tide --near 512M --evict lrm --candidate '{mhpe,cp}'\n"
	"  tide advise --workload scanhot --near 25% --json\n";

/* One input under advice. */
struct asked {
	const struct advise_options *args;
	const struct td_cli_axis *candidate; /* what is asked for */
	const char *trace;                   /* NULL: the workload */
	uint64_t page_bytes, seed;
	struct td_advise_sample sample;
	struct td_advise_run now, candidates[TD_ADVISE_POLICIES], sizes[TD_ADVISE_SIZES];
	struct td_advice advice;
	struct td_cli_progress progress;
};

/* ---- the optimum ---- */

static char *sizes_text(const struct asked *q)
{
	size_t n = q->advice.points, used = 0;
	char *text = malloc(n * 24 + 1);

	for (size_t i = 0; text && i < n; i++)
		used += (size_t)sprintf(text + used, "%s%" PRIu64 "p", i ? "," : "",
					q->sizes[i].near_pages);
	return text;
}

/* Its sample has the same pages: those with a hash below the same bound. */
static int run_opt(struct asked *q, struct tide_error *err)
{
	const struct advise_options *args = q->args;
	char sample[32], *sizes = sizes_text(q);
	struct tide_mrc_options o = {.size = sizeof o,
				     .trace = q->trace,
				     .workload = q->trace ? NULL : args->workload,
				     .format = args->format,
				     .columns = args->columns,
				     .page = args->page,
				     .seed = args->seed,
				     .policy = "opt",
				     .sizes = sizes,
				     .sample = q->sample.rate < 1 ? sample : NULL};
	struct tide_mrc *m;
	int rc;

	if (!sizes)
		return tide_fail(err, -ENOMEM, "no memory for the sizes: free some");
	snprintf(sample, sizeof sample, "%.17g", q->sample.rate);
	rc = tide_mrc_run(&m, &o, td_cli_progress_show, &q->progress, err);
	td_cli_progress_end(&q->progress);
	free(sizes);
	if (rc)
		return rc;
	for (size_t i = 0; i < q->advice.points; i++) {
		q->advice.opt[i] =
			(struct td_advise_point){m->at[i].size_pages, m->at[i].miss_ratio};
		if (m->at[i].size_pages == q->now.near_pages)
			q->advice.opt_miss_ratio = m->at[i].miss_ratio;
	}
	free(m);
	return 0;
}

/* ---- the advice ---- */

static int open_source(struct asked *q, struct td_trace_source **source, struct tide_error *err)
{
	const struct advise_options *args = q->args;
	struct td_trace_options o = {.path = q->trace,
				     .format = args->format,
				     .columns = args->columns,
				     .page_bytes = q->page_bytes};

	if (!q->trace)
		return td_workload_open(source, args->workload, q->page_bytes, q->seed, err);
	return td_trace_open(source, &o, err);
}

static int read_input(struct asked *q, struct tide_error *err)
{
	struct td_trace_source *source;
	int rc = open_source(q, &source, err);

	if (rc)
		return rc;
	rc = td_advise_read(&q->sample, source, SAMPLE_MOST, &q->progress, err);
	td_cli_progress_end(&q->progress);
	td_trace_close(source);
	return rc;
}

static int set_near(struct asked *q, struct tide_error *err)
{
	struct td_lib_near near;
	const char *text = q->args->near_size;
	int rc = td_lib_near_parse(text ? text : "10%", q->page_bytes, &near, err);

	q->advice.near_given = text != NULL;
	return rc ? rc : td_lib_near_resolve(&near, q->sample.pages, 1, &q->now.near_pages, err);
}

/* A policy that was asked for must run; of the others, those that do. */
static int first_error(const struct asked *q, struct tide_error *err)
{
	const struct td_advise_run *failed = NULL;

	for (size_t i = 0; i < q->advice.points && !failed; i++)
		failed = q->sizes[i].rc ? &q->sizes[i] : NULL;
	for (size_t i = 0; i < q->advice.runs_n && q->candidate->n && !failed; i++)
		failed = q->candidates[i].rc ? &q->candidates[i] : NULL;
	return failed ? tide_fail(err, failed->rc, "%s: %.400s", failed->policy, failed->err.text)
		      : 0;
}

static void next_knee(struct asked *q)
{
	struct td_advice *a = &q->advice;
	double now = td_advise_miss_ratio(&q->now);

	for (size_t i = 0; i < a->knees_n && !a->facts.knee_pages; i++)
		if (a->knees[i] > q->now.near_pages)
			a->facts.knee_pages = a->knees[i];
	for (size_t i = 0; i < a->points; i++)
		if (a->curve[i].pages == a->facts.knee_pages && now > 0)
			a->facts.knee_saves = 1 - a->curve[i].miss_ratio / now;
}

static void judge(struct asked *q)
{
	struct td_advice *a = &q->advice;

	for (size_t i = 0; i < a->points; i++) {
		a->curve[i] = (struct td_advise_point){q->sizes[i].near_pages,
						       td_advise_miss_ratio(&q->sizes[i])};
		if (q->sizes[i].near_pages == q->now.near_pages)
			q->now = q->sizes[i];
	}
	a->knees_n = td_advise_knees(a->curve, a->points, a->knees, 4);
	a->best = td_advise_best(q->candidates, a->runs_n, CHOOSE);
	a->facts.is_partial = q->sample.marks;
	a->facts.near_pages = q->now.near_pages;
	a->facts.evicted_pages = (uint64_t)((double)q->now.evicted_pages / q->sample.rate);
	if (a->best != SIZE_MAX) {
		const struct td_advise_run *best = &q->candidates[a->best];
		a->facts.policy = td_advise_saving(&q->now, best, JUDGE);
		a->worth_pages =
			td_advise_size_for(a->curve, a->points, td_advise_miss_ratio(best));
	}
	next_knee(q);
	a->verdict = td_advise_judge(&a->facts);
}

static int advise(struct asked *q, struct tide_error *err)
{
	const struct advise_options *args = q->args;
	int rc = read_input(q, err);

	if (!rc)
		rc = set_near(q, err);
	if (rc)
		return rc;
	q->now.policy = args->evict ? args->evict : "lru";
	q->advice.runs = q->candidates;
	q->advice.runs_n = td_advise_candidates(q->candidate, &q->now, q->candidates);
	q->advice.points = td_advise_sizes(&q->sample, &q->now, q->sizes);
	td_advise_measure(&q->sample, args->seed, (size_t)args->jobs, q->sizes, q->advice.points,
			  &q->progress);
	td_advise_measure(&q->sample, args->seed, (size_t)args->jobs, q->candidates,
			  q->advice.runs_n, &q->progress);
	rc = first_error(q, err);
	if (!rc)
		rc = run_opt(q, err);
	if (rc)
		return rc;
	q->advice.input = q->trace ? q->trace : args->workload;
	q->advice.is_trace = q->trace != NULL;
	q->advice.format = args->format;
	q->advice.columns = args->columns;
	q->advice.page = args->page;
	q->advice.sample = &q->sample;
	q->advice.page_bytes = q->page_bytes;
	q->advice.now = &q->now;
	judge(q);
	return 0;
}

static int one(const struct advise_options *args, const struct td_cli_axis *candidate,
	       const char *trace, json_t *list, struct tide_error *err)
{
	struct asked *q = calloc(1, sizeof *q);
	int rc;

	if (!q)
		return tide_fail(err, -ENOMEM, "no memory: free some");
	q->args = args;
	q->candidate = candidate;
	q->trace = trace;
	rc = trace ? td_cli_check_rereadable(trace, "use tide mrc", err) : 0;
	if (!rc)
		rc = td_lib_page_bytes(args->page, &q->page_bytes, err);
	if (!rc)
		rc = td_lib_seed(args->seed, &q->seed, err);
	if (!rc)
		rc = td_cli_progress_start(&q->progress, args->progress, "advise", err);
	if (!rc)
		rc = advise(q, err);
	if (!rc && list)
		json_array_append_new(list, td_advise_json(&q->advice));
	else if (!rc)
		rc = td_advise_show(&q->advice, err);
	td_advise_free(&q->sample);
	free(q);
	return rc;
}

static int all(const struct advise_options *args, const struct td_cli_axis *candidate, json_t *list,
	       struct tide_error *err)
{
	size_t n = args->given.words.n;
	int rc = n ? 0 : one(args, candidate, NULL, list, err);

	for (size_t i = 0; i < n && !rc; i++) {
		if (i && !list)
			putchar('\n');
		rc = one(args, candidate, args->given.words.at[i], list, err);
	}
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	struct advise_options args = *(const struct advise_options *)given;
	json_t *list = args.json ? json_array() : NULL;
	struct td_cli_axis candidate = {0};
	int rc = td_cli_preset_page(args.preset, &args.page, err);

	if (!rc && !args.given.words.n == !args.workload)
		rc = tide_fail(err, -EINVAL, "%s: write tide advise FILE, or --workload SPEC",
			       args.workload ? "both traces and a workload" : "no input");
	if (!rc)
		rc = td_cli_axis_fill(&candidate, "candidate", &args.candidate, err);
	if (!rc)
		rc = all(&args, &candidate, list, err);
	td_cli_axis_free(&candidate);
	if (!rc && list)
		return td_cli_print_json(json_pack("{ss ss so}", "tide", tide_version(), "verb",
						   "advise", "inputs", list),
					 err);
	json_decref(list);
	return rc;
}

const struct td_cli_verb td_cli_verb_advise = {
	.name = "advise",
	.order = 35,
	.synopsis = "(TRACE... | --workload SPEC) [OPTIONS]",
	.summary = "Say whether another policy or more memory would help",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct advise_options),
	.words_max = TD_CLI_LIST_MAX,
	.run = run,
};
