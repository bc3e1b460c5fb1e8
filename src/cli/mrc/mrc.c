/* tide mrc: miss ratio curves of one input, a policy each. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/every.h"
#include "core/clock.h"
#include "lib/sizes.h"
#include "mrc.h"

#define TD_CLI_OPTIONS struct td_cli_mrc_options

static const struct td_cli_option options[] = {
	TD_CLI_INPUT_OPTIONS(in, "trace to read; - is standard input"),
	TD_CLI_PAGE_OPTION,
	TD_CLI_PRESET_PAGE_OPTION,
	TD_CLI_EVICTS_AT(evict, "an eviction policy (lru), all that can run, or vmin or osl"),
	TD_CLI_NEAR_AT(TD_CLI_LIST, near_size,
		       "sizes (10%,64M,1024p), or a number of sizes up to the footprint (50)"),
	{"sample", 0, TD_CLI_TEXT, TD_CLI_AT(sample), "SHARE",
	 "look at this share of the pages only, such as 0.01 or 1% (auto: all, if that is quick)",
	 TD_CLI_ANY},
	{"exact", 0, TD_CLI_FLAG, TD_CLI_AT(exact), NULL,
	 "look at all pages, however long it takes", TD_CLI_ANY},
	{"verify", 0, TD_CLI_FLAG, TD_CLI_AT(verify), NULL,
	 "with --sample: compute the exact curve too, and print the error of the sample",
	 TD_CLI_ANY},
	{"plot", 0, TD_CLI_TEXT, TD_CLI_AT(plot), "OUT",
	 "draw the curves to OUT, a name ending in .svg, .pdf or .png; -: here, instead of the "
	 "table",
	 TD_CLI_ANY},
	TD_CLI_WIDTH_OPTION,
	TD_CLI_COLOURS_OPTION,
	TD_CLI_OBJECTS_AT(objects),
	TD_CLI_SEED_OPTION,
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_CSV_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Chunks have one page, and there is no prefetch. lru, opt, vmin, osl and leu with train= need\n"
	"one pass over the input for all sizes; arc, lfu and s3fifo need one for 64 sizes; all other\n"
	"policies need a run per size, over one reading. Where accesses times sizes are above 800\n"
	"million, arc, lfu, s3fifo and the policies with runs take samples of the pages, unless\n"
	"--exact is given. vmin and osl are bounds for memory of variable size, and their size is an\n"
	"average. {lru,arc} and {10..90..10}% in a value stand for several: quote them. --policy and\n"
	"--sizes are other spellings of --evict and --near.\n"
	"With --objects there are also miss ratios by bytes and by cost, and every policy takes runs\n"
	"over all objects.\n\n"
	"Examples:\n"
	"  tide mrc --workload zipf\n"
	"  tide mrc --trace app.tide --evict '{lru,arc,opt}' --plot curves.svg\n"
	"  tide mrc --trace big.oracleGeneral.zst --sample 0.01 --near '{1,2,5,10,20,50}%'\n";

/* ---- running ---- */

/* The sizes of a curve as another one is asked for them; freed with free(). */
static char *sizes_of(const struct tide_mrc *m)
{
	/* A number of bytes alone would be a number of sizes: then it comes twice. */
	size_t n = m->objects && m->n == 1 ? 2 : m->n, used = 0;
	char *text = malloc(n * 24 + 1);

	for (size_t i = 0; text && i < n; i++) {
		const char *comma = i ? "," : "";
		if (m->objects)
			used += (size_t)sprintf(text + used, "%s%" PRIu64, comma,
						m->objects[i % m->n].near_bytes);
		else
			used += (size_t)sprintf(text + used, "%s%" PRIu64 "p", comma,
						m->at[i].size_pages);
	}
	return text;
}

static int run_one(struct td_cli_mrc *all, const char *policy, const char *sizes,
		   const char *sample, struct tide_mrc **out, struct tide_error *err)
{
	const struct td_cli_mrc_options *args = all->args;
	struct tide_mrc_options options = {.size = sizeof options,
					   .trace = args->in.trace,
					   .workload = args->in.workload,
					   .format = args->in.format,
					   .columns = args->in.columns,
					   .page = args->page,
					   .seed = args->seed,
					   .policy = policy,
					   .sizes = sizes,
					   .sample = sample,
					   .objects = args->objects,
					   .threads = (unsigned)args->jobs};
	struct tide_error why;
	int rc = td_lib_mrc_run(out, &options, all->reading, td_cli_progress_show, &all->progress,
				&why);

	td_cli_progress_end(&all->progress);
	if (rc && all->n > 1)
		return tide_fail(err, rc, "%s: %.400s", td_cli_shown(policy).text, why.text);
	return rc ? tide_fail(err, rc, "%s", why.text) : 0;
}

static int verify(struct td_cli_mrc *all, struct td_cli_mrc_curve *c, const char *sizes,
		  struct tide_error *err)
{
	struct tide_mrc *exact;
	int rc = run_one(all, c->policy, sizes, NULL, &exact, err);

	if (rc)
		return rc;
	c->off = 0;
	for (size_t i = 0; i < exact->n; i++)
		c->off +=
			fabs(exact->at[i].miss_ratio - c->mrc->at[i].miss_ratio) / (double)exact->n;
	free(exact);
	return 0;
}

/* All curves have the sizes of the first. */
static int run_all(struct td_cli_mrc *all, struct tide_error *err)
{
	const struct td_cli_mrc_options *args = all->args;
	double started = td_clock_seconds();
	char *sizes = NULL;
	int rc = 0;

	for (size_t i = 0; i < all->n && !rc; i++) {
		struct td_cli_mrc_curve *c = &all->at[i];
		rc = run_one(all, c->policy, sizes ? sizes : all->sizes, td_cli_mrc_sample(args),
			     &c->mrc, err);
		if (!rc && !sizes && !(sizes = sizes_of(c->mrc)))
			rc = tide_fail(err, -ENOMEM, "no memory for the sizes: give fewer");
		if (!rc && args->verify)
			rc = verify(all, c, sizes, err);
	}
	free(sizes);
	all->seconds = td_clock_seconds() - started;
	return rc;
}

/* ---- as a figure ---- */

/* In the terminal, instead of the table. */
static bool is_text_plot(const struct td_cli_mrc_options *args)
{
	return args->plot && strcmp(args->plot, "-") == 0;
}

static int plot(const struct td_cli_mrc *all, struct tide_error *err)
{
	const struct td_cli_mrc_options *args = all->args;
	struct td_cli_curve drawn[TD_CLI_MRC_CURVES];
	size_t points = all->at[0].mrc->n;
	double *numbers = calloc(2 * all->n * points, sizeof *numbers);
	int rc = 0;

	if (!numbers)
		return tide_fail(err, -ENOMEM, "no memory for the figure: give fewer sizes");
	for (size_t c = 0; c < all->n; c++) {
		double *x = numbers + 2 * c * points, *y = x + points;
		for (size_t i = 0; i < points; i++) {
			x[i] = args->objects ? (double)all->at[c].mrc->objects[i].near_bytes
					     : all->at[c].mrc->at[i].pages;
			y[i] = all->at[c].mrc->at[i].miss_ratio;
		}
		drawn[c] = (struct td_cli_curve){all->at[c].policy, x, y, points,
						 all->at[c].mrc->errors};
	}
	struct td_cli_panel panel = {.title = args->in.trace ? args->in.trace : args->in.workload,
				     .x_label = args->objects ? "near memory, bytes"
							      : "near memory, pages",
				     .y_label = "miss ratio",
				     .curves = drawn,
				     .x_most = drawn[0].x[points - 1],
				     .n = all->n};
	if (is_text_plot(args))
		td_cli_plot_text(&panel);
	else
		rc = td_cli_plot(&panel, 1, &all->look, args->plot, err);
	free(numbers);
	return rc;
}

/* ---- the verb ---- */

/* What braces stand for. */
static int expand(struct td_cli_mrc *all, struct tide_error *err)
{
	static const struct td_cli_list initial = {1, {"lru"}};
	const struct td_cli_mrc_options *args = all->args;
	const struct tide_sim_options like = {.size = sizeof like,
					      .trace = args->in.trace,
					      .workload = args->in.workload,
					      .format = args->in.format,
					      .columns = args->in.columns,
					      .page = args->page,
					      .chunk = "1p",
					      .prefetch = "none",
					      .seed = args->seed,
					      .objects = args->objects};
	struct td_cli_axis sizes = {0};
	int rc = td_cli_axis_fill(&all->evict, "evict", args->evict.n ? &args->evict : &initial,
				  err);

	if (!rc)
		rc = td_cli_every_evict(&all->evict, "mrc", &like, err);
	if (!rc)
		rc = td_cli_axis_fill(&sizes, "near", &args->near_size, err);
	if (!rc && sizes.n && !(all->sizes = td_cli_axis_join(&sizes)))
		rc = tide_fail(err, -ENOMEM, "no memory for the sizes: give fewer");
	td_cli_axis_free(&sizes);
	if (!rc && all->evict.n > TD_CLI_MRC_CURVES)
		rc = tide_fail(err, -EINVAL, "more than %d curves in one table: give fewer",
			       TD_CLI_MRC_CURVES);
	if (rc)
		return rc;
	for (; all->n < all->evict.n; all->n++)
		all->at[all->n] =
			(struct td_cli_mrc_curve){.policy = all->evict.at[all->n], .off = -1};
	return 0;
}

static int set_up(struct td_cli_mrc *all, struct tide_error *err)
{
	const struct td_cli_mrc_options *args = all->args;
	int rc = td_cli_check_input(&args->in, err);

	if (!rc)
		rc = td_cli_check_form(args->json, args->csv, err);
	if (!rc)
		rc = expand(all, err);
	if (!rc && args->exact && args->sample)
		rc = tide_fail(err, -EINVAL, "--exact looks at all pages: leave out --sample");
	if (!rc && args->verify && !args->sample)
		rc = tide_fail(
			err, -EINVAL,
			"--verify compares a sampled curve with the exact one: add --sample");
	if (!rc && (all->n > 1 || args->verify))
		rc = td_cli_check_rereadable(args->in.trace, "ask for one curve", err);
	if (!rc)
		rc = td_lib_page_bytes(args->page, &all->page_bytes, err);
	if (!rc)
		rc = td_lib_seed(args->seed, &all->seed, err);
	if (!rc)
		rc = td_cli_plot_look(&all->look, args->plot, args->width, args->colours, err);
	if (!rc && is_text_plot(args) && (args->json || args->csv))
		rc = tide_fail(err, -EINVAL,
			       "--plot - and --%s both print to standard output: leave one out",
			       args->json ? "json" : "csv");
	if (!rc && args->plot && !is_text_plot(args))
		rc = td_cli_plot_check(args->plot, err);
	if (!rc)
		rc = td_cli_progress_start(&all->progress, args->progress, "mrc", err);
	return rc;
}

static int show(const struct td_cli_mrc *all, struct tide_error *err)
{
	int rc;

	td_cli_mrc_show_head(all);
	rc = is_text_plot(all->args) ? plot(all, err) : td_cli_mrc_show_tables(all, err);
	td_cli_mrc_show_speed(all);
	return rc;
}

static int draw(struct td_cli_mrc *all, struct tide_error *err)
{
	const struct td_cli_mrc_options *args = all->args;
	int rc;

	td_lib_room_init(&all->room);
	if (all->n > 1 || args->verify)
		all->reading = td_lib_reading_new(&all->room);
	rc = run_all(all, err);
	td_lib_reading_free(all->reading);
	if (!rc && args->plot && !is_text_plot(args))
		rc = plot(all, err);
	if (!rc && args->csv)
		td_cli_mrc_csv(all);
	else if (!rc)
		rc = args->json ? td_cli_mrc_json(all, err) : show(all, err);
	if (!rc && args->plot && !is_text_plot(args) && !args->json && !args->csv)
		printf("plot    %s\n", td_cli_name(args->plot).text);
	for (size_t i = 0; i < all->n; i++)
		free(all->at[i].mrc);
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	struct td_cli_mrc_options args = *(const struct td_cli_mrc_options *)given;
	struct td_cli_mrc all = {.args = &args};
	int rc = td_cli_preset_page(args.preset, &args.page, err);

	if (!rc)
		rc = set_up(&all, err);
	if (!rc)
		rc = draw(&all, err);
	td_cli_axis_free(&all.evict);
	free(all.sizes);
	return rc;
}

const struct td_cli_verb td_cli_verb_mrc = {
	.name = "mrc",
	.order = 30,
	.synopsis = "(--trace FILE | --workload SPEC) [OPTIONS]",
	.summary = "Draw miss ratio curves: the misses for every size of near memory",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_cli_mrc_options),
	.run = run,
};
