/* tide reproduce leu: the miss ratio curves of Figure 1 of "Statistical Caching for Near Memory
 * Management", on generated block workloads or on a trace, with LEU among them. */
#include "leu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plot.h"

const char *const td_cli_leu_names[TD_CLI_LEU_CURVES] = {
	"lru", "2q", "arc", "opt", "vmin", "osl", "leu", "leu-ref", "leu-online", "mru"};

/* Of the footprint, in percent. Every size is a run for policies without a one-pass curve. */
static const unsigned shares[] = {1,  2,  5,  10, 15, 20, 25, 30, 35, 40, 45,
				  50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100};
#define SHARES (sizeof shares / sizeof shares[0])

#define TABLE_MAX \
	65536 /* refs of leu: as many pages have a distribution of their own at a time \
	       */

bool td_cli_leu_policy(const struct td_cli_leu_input *in, enum td_cli_leu_curve curve,
		       struct td_cli_leu_policy *policy)
{
	uint64_t pages = in->facts.pages < TABLE_MAX ? in->facts.pages : TABLE_MAX;
	char *to = policy->text;
	size_t room = sizeof policy->text;

	switch (curve) {
	case TD_CLI_LEU_PAGE:
		snprintf(to, room, "leu:by=page,refs=%" PRIu64 ",train=%s", pages, in->copy.path);
		return true;
	case TD_CLI_LEU_REF:
		snprintf(to, room, "leu:train=%s", in->copy.path);
		return in->copy.refs;
	case TD_CLI_LEU_ONLINE:
		if (in->copy.refs)
			snprintf(to, room, "leu");
		else
			snprintf(to, room, "leu:by=page,refs=%" PRIu64, pages);
		return true;
	default: snprintf(to, room, "%s", td_cli_leu_names[curve]); return true;
	}
}

static int run_curve(struct td_cli_leu *f, struct td_cli_leu_input *in, enum td_cli_leu_curve curve,
		     struct tide_error *err)
{
	struct td_cli_leu_policy policy;
	struct tide_mrc_options options = {.size = sizeof options,
					   .trace = in->copy.path,
					   .format = "txt",
					   .policy = policy.text,
					   .sizes = f->sizes,
					   .sample = f->args->sample,
					   .seed = f->args->seed,
					   .facts = &in->facts};
	struct tide_error why;
	int rc;

	if (!td_cli_leu_policy(in, curve, &policy))
		return 0;
	rc = tide_mrc_run(&in->curves[curve], &options, td_cli_reproduce_show, &f->r, &why);
	f->r.step++;
	/* Bad usage is not this curve's alone. */
	if (rc == -EINVAL)
		return tide_fail(err, rc, "%s", why.text);
	return rc ? tide_fail(err, rc, "%s on %s: %.400s", td_cli_leu_names[curve], in->name,
			      why.text)
		  : 0;
}

static int run_curves(struct td_cli_leu *f, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++)
		for (unsigned c = 0; c < TD_CLI_LEU_CURVES && !rc; c++)
			rc = run_curve(f, &f->inputs[i], c, err);
	return rc;
}

static void add_runs(struct td_cli_leu *f, const struct td_cli_leu_input *in)
{
	for (unsigned c = 0; c < TD_CLI_LEU_CURVES; c++) {
		const struct tide_mrc *m = in->curves[c];
		bool sampled = m && m->sampled_accesses != m->accesses;
		if (!m)
			continue;
		json_array_append_new(
			f->r.runs,
			json_pack("{ss so ss ss sI sI sI so so}", "input", in->name, "what",
				  td_cli_json_text(in->what), "policy", td_cli_leu_names[c],
				  "method", m->method, "accesses", (json_int_t)m->accesses,
				  "footprint_pages", (json_int_t)m->footprint_pages,
				  "sampled_accesses", (json_int_t)m->sampled_accesses,
				  "estimated_error", sampled ? json_real(m->error) : json_null(),
				  "curve", td_cli_curve_json(m)));
	}
}

double td_cli_leu_ratio(const struct tide_mrc *m, double pages)
{
	size_t i = 0;

	while (i + 1 < m->n && m->at[i].pages < pages)
		i++;
	if (i == 0 || m->at[i].pages <= pages || m->at[i].pages <= m->at[i - 1].pages)
		return m->at[i].miss_ratio;
	return m->at[i - 1].miss_ratio + (m->at[i].miss_ratio - m->at[i - 1].miss_ratio) *
						 (pages - m->at[i - 1].pages) /
						 (m->at[i].pages - m->at[i - 1].pages);
}

static bool is_shown(unsigned share)
{
	return share <= 10 || share % 20 == 0 || share == 50;
}

static int print_input(const struct td_cli_leu_input *in, struct tide_error *err)
{
	struct td_cli_table t = {.align = in->copy.refs ? "rrrrrrrrrrrr" : "rrrrrrrrrrr"};

	printf("%s: %s; %s accesses, %s pages%s\n", in->name, in->what,
	       td_cli_grouped(in->facts.accesses).text, td_cli_grouped(in->facts.pages).text,
	       in->copy.refs ? "" : ", no refs");
	if (in->facts.pages > TABLE_MAX)
		printf("leu has distributions of %s pages at a time\n",
		       td_cli_grouped(TABLE_MAX).text);
	td_cli_cell(&t, "%s", "pages");
	td_cli_cell(&t, "%s", "share");
	for (unsigned c = 0; c < TD_CLI_LEU_CURVES; c++)
		if (in->curves[c])
			td_cli_cell(&t, "%s", td_cli_leu_names[c]);
	for (size_t s = 0; s < SHARES; s++) {
		/* Rounded up, as everywhere. */
		uint64_t pages = (in->facts.pages * shares[s] + 99) / 100;
		if (!is_shown(shares[s]))
			continue;
		td_cli_cell(&t, "%" PRIu64, pages);
		td_cli_cell(&t, "%u%%", shares[s]);
		for (unsigned c = 0; c < TD_CLI_LEU_CURVES; c++)
			if (in->curves[c])
				td_cli_cell(&t, "%.4f",
					    td_cli_leu_ratio(in->curves[c], (double)pages));
	}
	return td_cli_table_end(&t, err);
}

/* Says how far a sampled curve may be off: as far as the worst of them. */
static void print_sampling(const struct td_cli_leu *f)
{
	double worst = 0;

	for (size_t i = 0; i < f->n; i++)
		for (unsigned c = 0; c < TD_CLI_LEU_CURVES; c++)
			if (f->inputs[i].curves[c] && f->inputs[i].curves[c]->error > worst)
				worst = f->inputs[i].curves[c]->error;
	printf("The curves are of a sample of the pages, --sample %s: estimated mean error of a "
	       "miss ratio at most %.4f.\n\n",
	       f->args->sample, worst);
}

static int print_curves(const struct td_cli_leu *f, struct tide_error *err)
{
	printf("Miss ratios, for near memory of so many pages%s.\n\n",
	       f->args->trace ? "" : "; workloads that stand for the paper's trace, usr");
	if (f->args->sample)
		print_sampling(f);
	for (size_t i = 0; i < f->n; i++) {
		int rc = print_input(&f->inputs[i], err);
		if (rc)
			return rc;
		putchar('\n');
	}
	return 0;
}

/* The points of all curves of one input, for the plot. */
static int split_points(const struct td_cli_leu_input *in, struct td_cli_curve *curves,
			struct td_cli_panel *panel)
{
	*panel = (struct td_cli_panel){.title = in->what,
				       .x_label = "pages of near memory",
				       .y_label = "miss ratio",
				       .curves = curves};
	for (unsigned c = 0; c < TD_CLI_LEU_MRU; c++) {
		const struct tide_mrc *m = in->curves[c];
		double *x = m ? calloc(2 * m->n + 1, sizeof *x) : NULL;
		if (!m)
			continue;
		if (!x)
			return -ENOMEM;
		curves[panel->n++] = (struct td_cli_curve){
			.name = td_cli_leu_names[c], .x = x, .y = x + m->n, .n = m->n};
		for (size_t i = 0; i < m->n; i++) {
			x[i] = m->at[i].pages;
			x[m->n + i] = m->at[i].miss_ratio;
		}
	}
	return 0;
}

static int plot(const struct td_cli_leu *f, struct tide_error *err)
{
	struct td_cli_curve curves[TD_CLI_LEU_INPUTS_MAX][TD_CLI_LEU_CURVES];
	struct td_cli_panel panels[TD_CLI_LEU_INPUTS_MAX] = {0};
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++)
		rc = split_points(&f->inputs[i], curves[i], &panels[i]);
	if (rc)
		tide_fail(err, rc, "no memory for the figure: free some");
	else
		rc = td_cli_plot(panels, f->n, NULL, f->args->plot, err);
	for (size_t i = 0; i < f->n; i++)
		for (size_t c = 0; c < panels[i].n; c++)
			free((void *)(uintptr_t)panels[i].curves[c].x);
	return rc;
}

static int check_args(struct td_cli_leu *f, struct tide_error *err)
{
	const struct td_claims_options *args = f->args;

	f->scale = 1;
	if (!args->trace && (args->format || args->columns || args->page))
		return tide_fail(err, -EINVAL, "--%s is for traces: give --trace too",
				 args->format    ? "format"
				 : args->columns ? "columns"
						 : "page");
	if (args->trace && (args->scale || args->seed))
		return tide_fail(err, -EINVAL,
				 "--%s is for generated workloads: leave it out with --trace",
				 args->scale ? "scale" : "seed");
	if (args->scale &&
	    (td_core_real(args->scale, &f->scale) || f->scale < 0.01 || f->scale > 100))
		return tide_fail(err, -EINVAL, "--scale %s: give a number from 0.01 to 100",
				 td_cli_shown(args->scale).text);
	return args->plot ? td_cli_plot_check(args->plot, err) : 0;
}

static void release(struct td_cli_leu *f)
{
	for (size_t i = 0; i < f->n; i++) {
		for (unsigned c = 0; c < TD_CLI_LEU_CURVES; c++)
			free(f->inputs[i].curves[c]);
		td_cli_copy_close(&f->inputs[i].copy);
	}
	td_cli_reproduce_free(&f->r);
	free(f);
}

static int reproduce(struct td_cli_leu *f, struct tide_error *err)
{
	int rc = td_cli_leu_inputs(f->args, f->scale, f->inputs, &f->n, err);

	f->r.steps = f->n * TD_CLI_LEU_CURVES;
	if (!rc)
		rc = run_curves(f, err);
	f->exact = !f->args->sample;
	if (!rc)
		rc = td_cli_leu_claims(f, err);
	if (!rc && f->args->plot)
		rc = plot(f, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < f->n; i++)
		add_runs(f, &f->inputs[i]);
	td_cli_progress_end(&f->r.progress);
	f->r.headlines = td_claims_paper_leu.headlines;
	if (!f->args->json)
		rc = td_cli_reproduce_measure(&f->r, err);
	if (!rc && !f->args->json)
		rc = print_curves(f, err);
	return rc ? rc : td_cli_reproduce_print(&f->r, err);
}

int td_claims_leu(const void *args, struct tide_error *err)
{
	struct td_cli_leu *f = calloc(1, sizeof *f);
	size_t used = 0;
	int rc;

	if (!f)
		return tide_fail(err, -ENOMEM, "no memory for the curves: free some");
	f->args = args;
	for (size_t s = 0; s < SHARES; s++)
		used += (size_t)snprintf(f->sizes + used, sizeof f->sizes - used, "%s%u%%",
					 s ? "," : "", shares[s]);
	rc = td_cli_reproduce_start(&f->r, "leu", 1, args, err);
	if (!rc)
		rc = check_args(f, err);
	if (!rc)
		rc = reproduce(f, err);
	release(f);
	return rc;
}
