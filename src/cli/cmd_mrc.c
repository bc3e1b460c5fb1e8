/* tide mrc: miss ratio curves of one input, a policy each. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "core/clock.h"
#include "lib/sizes.h"
#include "plot.h"

#define POLICIES_MAX 12 /* as many columns as a terminal has room for */

struct mrc_options {
	struct td_cli_given given;
	struct td_cli_input in;
	const char *page, *seed, *sizes, *sample, *plot, *progress;
	struct td_cli_list policy;
	uint64_t jobs; /* 0: not given */
	bool exact, verify, json;
};
#define TD_CLI_OPTIONS struct mrc_options

static const struct td_cli_option options[] = {
	TD_CLI_INPUT_OPTIONS(in, "trace to read; - is standard input"),
	TD_CLI_PAGE_OPTION,
	{"policy", 0, TD_CLI_LIST, TD_CLI_AT(policy), "POLICY",
	 "an eviction policy (lru), or vmin or osl", TD_CLI_NAMES(td_cli_evict_name)},
	{"sizes", 0, TD_CLI_TEXT, TD_CLI_AT(sizes), "N|LIST",
	 "a number of sizes, evenly spread up to the footprint, or a list of sizes (50)",
	 TD_CLI_ANY},
	{"sample", 0, TD_CLI_TEXT, TD_CLI_AT(sample), "SHARE",
	 "look at this share of the pages only, such as 0.01 or 1% (auto: all, if that is quick)",
	 TD_CLI_ANY},
	{"exact", 0, TD_CLI_FLAG, TD_CLI_AT(exact), NULL,
	 "look at all pages, however long it takes", TD_CLI_ANY},
	{"verify", 0, TD_CLI_FLAG, TD_CLI_AT(verify), NULL,
	 "with --sample: compute the exact curve too, and print the error of the sample",
	 TD_CLI_ANY},
	{"plot", 0, TD_CLI_TEXT, TD_CLI_AT(plot), "OUT",
	 "draw the curves to OUT, a name ending in .svg or .png", TD_CLI_ANY},
	TD_CLI_SEED_OPTION,
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Chunks have one page, and there is no prefetch. lru, opt, vmin, osl and leu with train= need\n"
	"one pass over the input; all other policies need a run per size, over one reading. Where\n"
	"accesses times sizes are above 800 million, these runs take samples of the pages, unless\n"
	"--exact is given. vmin and osl are bounds for memory of variable size, and their size is an\n"
	"average. A list of sizes has bytes, pages and shares of the footprint: 64M,1024p,75%.\n\n"
	"Examples:\n"
	"  tide mrc --workload zipf\n"
	"  tide mrc --trace app.tide --policy lru --policy arc --policy opt --plot curves.svg\n"
	"  tide mrc --trace big.oracleGeneral.zst --sample 0.01 --sizes 1%,2%,5%,10%,20%,50%\n";

struct curve {
	const char *policy;
	struct tide_mrc *mrc;
	double off; /* true mean error of a sampled curve; below 0: not looked at */
};

struct curves {
	const struct mrc_options *args;
	size_t n;
	struct curve at[POLICIES_MAX];
	uint64_t page_bytes, seed;
	double seconds;
	struct td_cli_progress progress;
	struct td_lib_room room;
	struct td_lib_reading *reading; /* of all curves; NULL: there is one, or no memory */
};

/* ---- running ---- */

/* The sizes of a curve as another one is asked for them; freed with free(). */
static char *sizes_of(const struct tide_mrc *m)
{
	char *text = malloc(m->n * 24 + 1);
	size_t used = 0;

	for (size_t i = 0; text && i < m->n; i++)
		used += (size_t)sprintf(text + used, "%s%" PRIu64 "p", i ? "," : "",
					m->at[i].size_pages);
	return text;
}

static int run_one(struct curves *all, const char *policy, const char *sizes, const char *sample,
		   struct tide_mrc **out, struct tide_error *err)
{
	const struct mrc_options *args = all->args;
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
					   .threads = (unsigned)args->jobs};
	struct tide_error why;
	int rc = td_lib_mrc_run(out, &options, all->reading, td_cli_progress_show, &all->progress,
				&why);

	td_cli_progress_end(&all->progress);
	if (rc && all->n > 1)
		return tide_fail(err, rc, "%s: %.400s", td_cli_shown(policy).text, why.text);
	return rc ? tide_fail(err, rc, "%s", why.text) : 0;
}

static int verify(struct curves *all, struct curve *c, const char *sizes, struct tide_error *err)
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

static const char *sample_of(const struct mrc_options *args)
{
	return args->exact ? NULL : args->sample ? args->sample : "auto";
}

/* All curves have the sizes of the first. */
static int run_all(struct curves *all, struct tide_error *err)
{
	const struct mrc_options *args = all->args;
	double started = td_clock_seconds();
	char *sizes = NULL;
	int rc = 0;

	for (size_t i = 0; i < all->n && !rc; i++) {
		struct curve *c = &all->at[i];
		rc = run_one(all, c->policy, sizes ? sizes : args->sizes, sample_of(args), &c->mrc,
			     err);
		if (!rc && !sizes && !(sizes = sizes_of(c->mrc)))
			rc = tide_fail(err, -ENOMEM, "no memory for the sizes: give fewer");
		if (!rc && args->verify)
			rc = verify(all, c, sizes, err);
	}
	free(sizes);
	all->seconds = td_clock_seconds() - started;
	return rc;
}

/* ---- for people ---- */

static bool is_sampled(const struct tide_mrc *m)
{
	return m->sampled_accesses < m->accesses;
}

static void print_input(const struct curves *all)
{
	const struct mrc_options *args = all->args;
	const struct tide_mrc *m = all->at[0].mrc;

	printf("input   %s %s%s%s, %s accesses to %s%s pages, %s\n",
	       args->in.trace ? "trace" : "workload",
	       td_cli_name(args->in.trace ? args->in.trace : args->in.workload).text,
	       args->in.trace ? " as " : "", args->in.trace ? m->format : "",
	       td_cli_grouped(m->accesses).text, is_sampled(m) ? "about " : "",
	       td_cli_grouped(m->footprint_pages).text,
	       td_cli_pages(m->footprint_pages, all->page_bytes).text);
}

static void print_method(const struct curve *c)
{
	printf("curve   %s: %s", td_cli_name(c->policy).text, c->mrc->method);
	if (is_sampled(c->mrc))
		printf(", sampled: %u samples of %.3g%%, %s accesses; miss ratios +- %.4f",
		       c->mrc->samples, c->mrc->sample_share * 100,
		       td_cli_grouped(c->mrc->sampled_accesses).text, c->mrc->error);
	if (c->off >= 0)
		printf(", in truth %.4f", c->off);
	putchar('\n');
}

static double mean_of(const struct tide_mrc *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += m->at[i].miss_ratio;
	return sum / (double)m->n;
}

/* Four digits, as a share of accesses. */
static void ratio_cell(struct td_cli_table *t, double ratio)
{
	td_cli_cell(t, "%.4f", ratio);
}

static int print_table(const struct curves *all, struct tide_error *err)
{
	static const char align[] = "rrrrrrrrrrrrrrrr";
	const struct tide_mrc *first = all->at[0].mrc;
	/* The end of a string of r's as long as there are columns. */
	struct td_cli_table t = {.align = align + sizeof align - 1 - (3 + all->n)};

	td_cli_cell(&t, "%s", "pages");
	td_cli_cell(&t, "%s", "size");
	td_cli_cell(&t, "%s", "share");
	for (size_t c = 0; c < all->n; c++)
		td_cli_cell(&t, "%s", all->at[c].policy);
	for (size_t i = 0; i < first->n; i++) {
		uint64_t pages = first->at[i].size_pages;
		td_cli_cell(&t, "%s", td_cli_grouped(pages).text);
		td_cli_cell(&t, "%s", td_cli_pages(pages, all->page_bytes).text);
		td_cli_cell(&t, "%s", td_cli_share(pages, first->footprint_pages).text);
		for (size_t c = 0; c < all->n; c++)
			ratio_cell(&t, all->at[c].mrc->at[i].miss_ratio);
	}
	td_cli_cell(&t, "%s", "mean");
	td_cli_cell(&t, "%s", "");
	td_cli_cell(&t, "%s", "");
	for (size_t c = 0; c < all->n; c++)
		ratio_cell(&t, mean_of(all->at[c].mrc));
	return td_cli_table_end(&t, err);
}

static int print_text(const struct curves *all, struct tide_error *err)
{
	int rc;

	print_input(all);
	for (size_t i = 0; i < all->n; i++)
		print_method(&all->at[i]);
	printf("\nMiss ratio by size:\n\n");
	rc = print_table(all, err);
	printf("\nspeed   %.3f s, %.1f million accesses/s\n", all->seconds,
	       (double)(all->at[0].mrc->accesses * all->n) / all->seconds / 1e6);
	return rc;
}

/* ---- as JSON ---- */

json_t *td_cli_curve_json(const struct tide_mrc *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n; i++) {
		const struct tide_mrc_point *p = &m->at[i];
		/* The sizes of vmin and osl are averages; all others are whole. */
		bool whole = p->pages == floor(p->pages) && p->pages < 0x1p63;
		json_array_append_new(
			list,
			json_pack("{so sI sf}", "pages",
				  whole ? json_integer((json_int_t)p->pages) : json_real(p->pages),
				  "misses", (json_int_t)p->misses, "miss_ratio", p->miss_ratio));
		if (m->prefix_hits)
			json_object_set_new(json_array_get(list, i), "prefix_hits",
					    json_integer((json_int_t)m->prefix_hits[i]));
		if (m->errors)
			json_object_set_new(json_array_get(list, i), "error",
					    json_real(m->errors[i]));
	}
	return list;
}

static json_t *real_or_null(double value, bool is_known)
{
	return is_known ? json_real(value) : json_null();
}

static json_t *one_json(const struct curve *c)
{
	return json_pack("{so so ss sI si so so so so}", "record",
			 td_lib_record_json(c->mrc->input_digest, c->mrc->settings_digest),
			 "policy", td_cli_json_text(c->policy), "method", c->mrc->method,
			 "sampled_accesses", (json_int_t)c->mrc->sampled_accesses, "samples",
			 (int)c->mrc->samples, "sample_share",
			 real_or_null(c->mrc->sample_share, is_sampled(c->mrc)), "estimated_error",
			 real_or_null(c->mrc->error, is_sampled(c->mrc)), "true_error",
			 real_or_null(c->off, c->off >= 0), "curve", td_cli_curve_json(c->mrc));
}

static json_t *input_json(const struct curves *all)
{
	const struct mrc_options *args = all->args;
	const struct tide_mrc *m = all->at[0].mrc;

	return json_pack("{so ss sI sI}", args->in.trace ? "trace" : "workload",
			 td_cli_json_text(args->in.trace ? args->in.trace : args->in.workload),
			 "format", m->format, "accesses", (json_int_t)m->accesses,
			 "footprint_pages", (json_int_t)m->footprint_pages);
}

/* The share that was asked for. Where tide chose, each curve says for itself. */
static json_t *sample_json(const struct curves *all)
{
	const char *text = sample_of(all->args);
	double sample;

	if (text && !td_core_share(text, &sample))
		return json_real(sample);
	for (size_t i = 0; i < all->n; i++) {
		if (is_sampled(all->at[i].mrc))
			return json_null();
	}
	return json_real(1);
}

static json_t *config_json(const struct curves *all)
{
	const struct mrc_options *args = all->args;

	return json_pack("{ss sI so so so}", "model", "functional", "page_bytes",
			 (json_int_t)all->page_bytes, "sizes",
			 td_cli_json_text(args->sizes ? args->sizes : "50"), "sample",
			 sample_json(all), "seed", td_cli_json_u64(all->seed));
}

/* The first curve, or the only one, stands for itself at the top. */
static int print_json(const struct curves *all, struct tide_error *err)
{
	json_t *list = json_array(), *root;

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(list, one_json(&all->at[i]));
	root = json_pack("{ss ss so so}", "tide", tide_version(), "verb", "mrc", "input",
			 input_json(all), "config", config_json(all));
	json_object_update_new(root, one_json(&all->at[0]));
	json_object_set_new(root, "curves", list);
	json_object_set_new(root, "wall", json_pack("{sf}", "seconds", all->seconds));
	return td_cli_print_json(root, err);
}

/* ---- as a figure ---- */

static int plot(const struct curves *all, struct tide_error *err)
{
	const struct mrc_options *args = all->args;
	struct td_cli_curve drawn[POLICIES_MAX];
	size_t points = all->at[0].mrc->n;
	double *numbers = calloc(2 * all->n * points, sizeof *numbers);
	int rc;

	if (!numbers)
		return tide_fail(err, -ENOMEM, "no memory for the figure: give fewer sizes");
	for (size_t c = 0; c < all->n; c++) {
		double *x = numbers + 2 * c * points, *y = x + points;
		for (size_t i = 0; i < points; i++) {
			x[i] = all->at[c].mrc->at[i].pages;
			y[i] = all->at[c].mrc->at[i].miss_ratio;
		}
		drawn[c] = (struct td_cli_curve){all->at[c].policy, x, y, points};
	}
	rc = td_cli_plot(
		&(struct td_cli_panel){.title = args->in.trace ? args->in.trace : args->in.workload,
				       .x_label = "near memory, pages",
				       .y_label = "miss ratio",
				       .curves = drawn,
				       .n = all->n},
		1, args->plot, err);
	free(numbers);
	return rc;
}

/* ---- the verb ---- */

static int set_up(struct curves *all, struct tide_error *err)
{
	const struct mrc_options *args = all->args;
	int rc = td_cli_check_input(&args->in, err);

	if (!rc && args->policy.n > POLICIES_MAX)
		rc = tide_fail(err, -EINVAL, "more than %d curves in one table: give fewer",
			       POLICIES_MAX);
	if (!rc && args->exact && args->sample)
		rc = tide_fail(err, -EINVAL, "--exact looks at all pages: leave out --sample");
	if (!rc && args->verify && !args->sample)
		rc = tide_fail(
			err, -EINVAL,
			"--verify compares a sampled curve with the exact one: add --sample");
	if (!rc && (args->policy.n > 1 || args->verify))
		rc = td_cli_check_rereadable(args->in.trace, "ask for one curve", err);
	if (!rc)
		rc = td_lib_page_bytes(args->page, &all->page_bytes, err);
	if (!rc)
		rc = td_lib_seed(args->seed, &all->seed, err);
	if (!rc && args->plot)
		rc = td_cli_plot_check(args->plot, err);
	if (!rc)
		rc = td_cli_progress_start(&all->progress, args->progress, "mrc", err);
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	const struct mrc_options *args = given;
	struct curves all = {.args = args, .n = args->policy.n ? args->policy.n : 1};
	int rc = set_up(&all, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < all.n; i++)
		all.at[i] = (struct curve){.policy = args->policy.n ? args->policy.at[i] : "lru",
					   .off = -1};
	td_lib_room_init(&all.room);
	if (all.n > 1 || args->verify)
		all.reading = td_lib_reading_new(&all.room);
	rc = run_all(&all, err);
	td_lib_reading_free(all.reading);
	if (!rc && args->plot)
		rc = plot(&all, err);
	if (!rc)
		rc = args->json ? print_json(&all, err) : print_text(&all, err);
	for (size_t i = 0; i < all.n; i++)
		free(all.at[i].mrc);
	return rc;
}

const struct td_cli_verb td_cli_verb_mrc = {
	.name = "mrc",
	.order = 30,
	.synopsis = "(--trace FILE | --workload SPEC) [OPTIONS]",
	.summary = "Draw miss ratio curves: the misses for every size of near memory",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct mrc_options),
	.run = run,
};
