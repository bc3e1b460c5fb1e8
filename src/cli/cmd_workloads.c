/* tide workloads: what there is. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "plot.h"
#include "workload/workload.h"
#include "workloads/workloads.h"

#define TD_CLI_OPTIONS struct td_cli_workloads_options

/* clang-format off */
static const struct td_cli_option options[] = {
	{"paper", 0, TD_CLI_TEXT, TD_CLI_AT(paper), "PAPER",
	 "only those of one paper: CPPE, ObservUVM, GMT, or pattern", TD_CLI_ANY},
	{"describe", 0, TD_CLI_FLAG, TD_CLI_AT(describe), NULL,
	 "show the arrays and kernels of NAME, which may have parameters", TD_CLI_ANY},
	{"plot", 0, TD_CLI_TEXT, TD_CLI_AT(plot), "OUT",
	 "draw pages against time to OUT, a name ending in .svg, .pdf or .png", TD_CLI_ANY},
	TD_CLI_WIDTH_OPTION,
	TD_CLI_COLOURS_OPTION,
	{"measure", 0, TD_CLI_FLAG, TD_CLI_AT(measure), NULL,
	 "run them at their default size; show footprints and speed", TD_CLI_ANY},
	{"jobs", 'j', TD_CLI_NUMBER, TD_CLI_AT(jobs), "N",
	 "with --measure: runs at the same time (one per core)", TD_CLI_ANY},
	{"page", 0, TD_CLI_TEXT, TD_CLI_AT(page), "SIZE",
	 "with --plot: bytes per page (the paper's)", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};
/* clang-format on */

static const char more[] =
	"A workload is written NAME or NAME:KEY=VALUE,KEY=VALUE after --workload. Footprint and\n"
	"accesses are those of the default size with the paper's pages: 4 KiB, or 64 KiB for\n"
	"ObservUVM and GMT. A footprint is the touched pages; for ObservUVM it is the pages of all\n"
	"arrays. --measure ends with status 1 if a footprint is more than 2% off the published one,\n"
	"or differs from the listed one.\n\n"
	"Examples:\n"
	"  tide workloads\n"
	"  tide workloads zipf\n"
	"  tide workloads mvt:scale=0.1 --describe\n"
	"  tide workloads mvt --plot mvt.svg\n"
	"  tide workloads --measure --paper CPPE\n"
	"  tide workloads --json\n";

/* ---- which ---- */

bool td_cli_workload_wanted(const struct td_cli_workloads_options *args,
			    const struct tide_workload_info *w)
{
	bool named = args->given.words.n == 0;

	for (size_t i = 0; i < args->given.words.n && !named; i++)
		named = strcmp(args->given.words.at[i], w->name) == 0;
	return named && (!args->paper || strcasecmp(args->paper, w->paper) == 0);
}

/* From the table itself: tide_workload_at() may have to run patterns. */
int td_cli_find_workload(const char *spec, struct tide_workload_info *out, struct tide_error *err)
{
	const char *names[256];
	size_t n = 0, len = strcspn(spec, ":");

	for (const struct td_workload *w; n < 256 && (w = td_workload_at(n)); n++) {
		names[n] = w->name;
		if (strlen(names[n]) == len && strncmp(names[n], spec, len) == 0)
			return tide_workload_at(n, out);
	}
	return td_cli_unknown("workload", td_core_shown(spec, len).text, names, n, err);
}

static int check_paper(const char *paper, struct tide_error *err)
{
	const struct td_workload *w;
	const char *papers[16];
	size_t n = 0;

	if (!paper)
		return 0;
	for (size_t k = 0; n < 16 && (w = td_workload_at(k)); k++) {
		size_t i = 0;
		if (strcasecmp(w->paper, paper) == 0)
			return 0;
		while (i < n && strcmp(papers[i], w->paper) != 0)
			i++;
		papers[i] = w->paper;
		n = i == n ? n + 1 : n;
	}
	return td_cli_unknown("paper", paper, papers, n, err);
}

/* One name, with parameters or without; several without; and no option that does nothing. */
static int check(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	bool one = args->describe || args->plot;
	struct tide_workload_info w = {.size = sizeof w};
	struct td_report_look look;
	int rc = check_paper(args->paper, err);

	if (!rc)
		rc = td_cli_plot_look(&look, args->plot, args->width, args->colours, err);
	if (!rc && one && (args->measure || args->paper || args->given.words.n != 1))
		rc = tide_fail(err, -EINVAL,
			       "%s is of one workload: give one NAME, and neither --measure nor "
			       "--paper",
			       args->describe ? "--describe" : "--plot");
	if (!rc && args->page && !args->plot)
		rc = tide_fail(err, -EINVAL, "--page is for --plot: leave it out");
	if (!rc && args->jobs && !args->measure)
		rc = tide_fail(err, -EINVAL, "--jobs is for --measure: leave it out");
	for (size_t i = 0; i < args->given.words.n && !rc; i++) {
		const char *word = args->given.words.at[i];
		rc = td_cli_find_workload(word, &w, err);
		if (!rc && !one && strchr(word, ':'))
			rc = tide_fail(err, -EINVAL,
				       "%s has parameters, and what is shown is the default size: "
				       "give --describe or --plot, or %s alone",
				       td_cli_shown(word).text, w.name);
	}
	return rc;
}

/* ---- the list ---- */

static json_t *bytes_json(uint64_t n)
{
	return n ? json_integer((json_int_t)n) : json_null();
}

static json_t *workload_json(const struct tide_workload_info *w)
{
	return json_pack("{ss ss ss ss so so so so sI sI so}", "name", w->name, "paper", w->paper,
			 "type", w->type, "summary", w->summary, "footprint_bytes",
			 bytes_json(w->footprint_bytes), "touched_bytes",
			 bytes_json(w->touched_bytes), "published_bytes",
			 bytes_json(w->published_bytes), "accesses", bytes_json(w->accesses),
			 "arrays", (json_int_t)w->arrays, "page_bytes", (json_int_t)w->page_bytes,
			 "params", td_cli_params_json(w->params));
}

static int print_json(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	json_t *list = json_array();
	struct tide_workload_info w = {.size = sizeof w};

	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++)
		if (td_cli_workload_wanted(args, &w))
			json_array_append_new(list, workload_json(&w));
	return td_cli_print_json(json_pack("{so}", "workloads", list), err);
}

static void add_params(struct td_cli_table *t, const struct tide_param *params)
{
	char text[200] = "";
	size_t used = 0;

	for (const struct tide_param *p = params; p->name && used < sizeof text; p++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
					 p == params ? "" : ",", p->name);
	td_cli_cell(t, "%s", text);
}

static int print_all(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lllrrrll"};
	static const char *const heads[] = {"name",   "paper",    "type",       "footprint",
					    "arrays", "accesses", "parameters", "summary"};
	struct tide_workload_info w = {.size = sizeof w};

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		td_cli_cell(&t, "%s", heads[i]);
	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		if (!td_cli_workload_wanted(args, &w))
			continue;
		td_cli_cell(&t, "%s", w.name);
		td_cli_cell(&t, "%s", w.paper);
		td_cli_cell(&t, "%s", w.type);
		td_cli_cell(&t, "%s",
			    w.footprint_bytes ? td_cli_bytes(w.footprint_bytes).text : "-");
		td_cli_cell(&t, w.arrays ? "%u" : "-", w.arrays);
		td_cli_cell(&t, "%s", w.accesses ? td_cli_grouped(w.accesses).text : "-");
		add_params(&t, w.params);
		td_cli_cell(&t, "%s", w.summary);
	}
	return td_cli_table_end(&t, err);
}

static int print_one(const char *name, struct tide_error *err)
{
	struct tide_workload_info w = {.size = sizeof w};
	int rc = td_cli_find_workload(name, &w, err);

	if (rc)
		return rc;
	printf("%s (%s): %s\n\npaper      %s\nfootprint  %s", w.name, w.type, w.summary, w.paper,
	       td_cli_bytes(w.footprint_bytes).text);
	if (w.published_bytes)
		printf(" (published: %s)", td_cli_bytes(w.published_bytes).text);
	if (w.touched_bytes != w.footprint_bytes)
		printf("\ntouched    %s", td_cli_bytes(w.touched_bytes).text);
	printf("\naccesses   %s\n", td_cli_grouped(w.accesses).text);
	if (w.arrays)
		printf("arrays     %u\n", w.arrays);
	return td_cli_print_params(w.params, err);
}

static int list(const struct td_cli_workloads_options *args, struct tide_error *err)
{
	if (args->json)
		return print_json(args, err);
	if (args->given.words.n == 1)
		return print_one(args->given.words.at[0], err);
	return print_all(args, err);
}

static int run(const void *given, struct tide_error *err)
{
	const struct td_cli_workloads_options *args = given;
	int rc = check(args, err);

	if (!rc && args->measure)
		return td_cli_workload_measure(args, err);
	if (!rc && !args->describe && !args->plot)
		return list(args, err);
	if (!rc && args->plot)
		rc = td_cli_workload_plot(args, err);
	if (!rc && args->describe)
		rc = td_cli_workload_describe(args, err);
	return rc;
}

const struct td_cli_verb td_cli_verb_workloads = {
	.name = "workloads",
	.order = 90,
	.synopsis = "[NAME...] [OPTIONS]",
	.summary = "List the workloads, show or draw one, or measure them",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_cli_workloads_options),
	.words_max = TD_CLI_LIST_MAX,
	.words = TD_CLI_NAMES(td_cli_workload_name),
	.run = run,
};
