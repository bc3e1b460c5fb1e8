/* Figures of runs at one size: bars for every combination. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose_grid.h"

#define SIZES_MOST 4 /* that have bars */

static size_t column_of(const struct td_report_choice *c, uint32_t combination)
{
	size_t i = 0;

	while (i < c->n && c->at[i] != combination)
		i++;
	return i;
}

static void add_group(struct td_report_grid *d, const struct td_report_group *g)
{
	uint32_t input = td_report_run_at(d->r, g, 0)->input;

	if (d->n == 0 || d->inputs[d->n - 1] != input)
		d->inputs[d->n++] = input;
	d->last = g;
	for (size_t i = 0; i < g->n; i++) {
		const struct td_report_run *run = td_report_run_at(d->r, g, i);
		size_t column = column_of(d->c, run->combination);
		size_t at = (d->n - 1) * d->c->n + column;
		double gain = td_report_gain(g, run);
		if (column == d->c->n)
			continue;
		d->costs[at] += (double)td_report_cost(run, g->metric);
		d->runs[at]++;
		if (!isnan(gain)) {
			d->logs[at] += log(gain);
			d->gains[at]++;
		}
	}
}

static int fill(struct td_report_grid *d)
{
	const struct td_report *r = d->r;
	size_t cells = (r->n_groups + 1) * (d->c->n + 1);

	d->inputs = calloc(r->n_groups + 1, sizeof *d->inputs);
	d->logs = calloc(cells, sizeof *d->logs);
	d->costs = calloc(cells, sizeof *d->costs);
	d->gains = calloc(cells, sizeof *d->gains);
	d->runs = calloc(cells, sizeof *d->runs);
	if (!d->inputs || !d->logs || !d->costs || !d->gains || !d->runs)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct td_report_group *g = &r->groups[i];
		const struct td_report_run *first = td_report_run_at(r, g, 0);
		if (first->model == d->model && first->size == d->size && g->metric == d->metric &&
		    td_report_baseline_of(r, g) == d->baseline)
			add_group(d, g);
	}
	return 0;
}

static void empty(struct td_report_grid *d)
{
	free(d->inputs);
	free(d->logs);
	free(d->costs);
	free(d->gains);
	free(d->runs);
}

/* Speedups are better when larger, faults when smaller: each as people are used to. */
static double shown_gain(enum td_report_metric metric, double log_gain, size_t n)
{
	if (!n)
		return NAN;
	return exp((td_report_is_time(metric) ? 1 : -1) * log_gain / (double)n);
}

static void note_choice(const struct td_report_grid *d, struct td_report_figure *f)
{
	if (d->c->n < d->r->combinations.n &&
	    asprintf(&f->note, "%zu of %zu combinations are drawn; the table below has the others.",
		     d->c->n, d->r->combinations.n) < 0)
		f->note = NULL;
}

/* ---- bars: inputs in groups ---- */

static int title_gains(const struct td_report_grid *d, struct td_report_figure *f, size_t part,
		       size_t parts)
{
	struct td_report *r = d->r;
	bool timed = td_report_is_time(d->metric);
	char start[320], label[100], number[64] = "", *title, *name = NULL;
	int rc = -ENOMEM;

	if (parts > 1)
		snprintf(number, sizeof number, " (part %zu of %zu)", part + 1, parts);
	snprintf(start, sizeof start, "%s %s %.200s%s",
		 timed                            ? "Speedup"
		 : d->metric == TD_REPORT_STORAGE ? "Storage I/O"
						  : "Faults",
		 timed ? "over" : "relative to", td_report_baseline(r, d->baseline), number);
	title = td_report_where(r, start, d->model, r->sizes.at[d->size]);
	if (title &&
	    asprintf(&name, "bars-%s-%s-%s%s", timed ? "speedup" : td_report_metric_name(d->metric),
		     r->sizes.at[d->size], r->models.n > 1 ? r->models.at[d->model] : "",
		     number) < 0)
		name = NULL;
	snprintf(label, sizeof label, "%s %s %.40s",
		 timed ? "speedup" : td_report_metric_name(d->metric),
		 timed ? "over" : "relative to", td_report_baseline(r, d->baseline));
	if (name)
		rc = td_report_title(r, f, name, title, "input", label);
	free(title);
	free(name);
	f->mark = 1;
	return rc;
}

/* Inputs that a combination has a gain in. */
static size_t count_gains(const struct td_report_grid *d, size_t column)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->gains[i * d->c->n + column] > 0;
	return n;
}

/* The mean over all inputs, as a last group. One that left some out is not comparable. */
static double mean_of(const struct td_report_grid *d, size_t column)
{
	double sum = 0;
	size_t n = 0, most = 0;

	for (size_t c = 0; c < d->c->n; c++)
		most = count_gains(d, c) > most ? count_gains(d, c) : most;
	if (count_gains(d, column) < most)
		return NAN;
	for (size_t i = 0; i < d->n; i++) {
		size_t at = i * d->c->n + column;
		sum += d->logs[at];
		n += d->gains[at];
	}
	return shown_gain(d->metric, sum, n);
}

static int draw_part(struct td_report_grid *d, size_t from, size_t to, size_t part, size_t parts)
{
	bool is_last = part + 1 == parts;
	size_t n = to - from + is_last;
	struct td_report_figure *f = td_report_new_figure(d->r, TD_REPORT_BARS, d->c->n, n);
	int rc;

	if (!f)
		return 0;
	rc = title_gains(d, f, part, parts);
	for (size_t i = from; i < to && !rc; i++)
		rc = td_report_new_group(f, d->r->inputs.at[d->inputs[i]]);
	if (is_last && !rc)
		rc = td_report_new_group(f, "geometric mean");
	for (size_t c = 0; c < d->c->n && !rc; c++) {
		struct td_report_series *s =
			td_report_new_series(f, d->r->combinations.at[d->c->at[c]], c, n);
		if (!s)
			return -ENOMEM;
		for (size_t i = from; i < to; i++) {
			size_t at = i * d->c->n + c;
			s->y[i - from] = shown_gain(d->metric, d->logs[at], d->gains[at]);
		}
		if (is_last)
			s->y[n - 1] = mean_of(d, c);
	}
	note_choice(d, f);
	return rc;
}

static int draw_gains(struct td_report_grid *d)
{
	size_t parts = d->n / TD_REPORT_BARS_MOST + 1;
	int rc = 0;

	for (size_t i = 0; i < parts && !rc; i++)
		rc = draw_part(d, d->n * i / parts, d->n * (i + 1) / parts, i, parts);
	return rc;
}

/* How many combinations were run here, and the first of them. */
static size_t count_columns(const struct td_report_grid *d, size_t *first)
{
	size_t n = 0;

	for (size_t c = d->c->n; c-- > 0;) {
		bool used = false;
		for (size_t i = 0; i < d->n; i++)
			used |= d->runs[i * d->c->n + c] > 0;
		n += used;
		*first = used ? c : *first;
	}
	return n;
}

/* A single bar says nothing, unless it is all there is. */
static int draw_grid(struct td_report_grid *d)
{
	size_t columns, first = 0;
	int rc = fill(d);

	columns = rc ? 0 : count_columns(d, &first);
	if (d->n == 1 && (d->last->n > 1 || d->r->n_groups == 1))
		rc = td_report_draw_one_input(d);
	else if (d->n > 1 && columns == 1)
		rc = td_report_draw_alone(d, first);
	else if (d->n > 1 && columns > 1)
		rc = draw_gains(d);
	empty(d);
	return rc;
}

/* The sizes that a model was run at, those with the most groups first; returns how many are worth
 * bars: where there are too many, lines show those of single inputs better. */
static size_t choose_sizes(const struct td_report *r, uint32_t model, uint32_t *sizes,
			   uint32_t *groups)
{
	size_t n = 0, worth = 0;

	for (size_t i = 0; i < r->n_groups; i++) {
		const struct td_report_run *run = td_report_run_at(r, &r->groups[i], 0);
		if (run->model != model)
			continue;
		if (!groups[run->size]++)
			sizes[n++] = run->size;
	}
	for (size_t i = 0; i < n && i < SIZES_MOST; i++) {
		size_t best = i;
		for (size_t k = i + 1; k < n && n > SIZES_MOST; k++)
			if (groups[sizes[k]] > groups[sizes[best]])
				best = k;
		uint32_t moved = sizes[best];
		memmove(&sizes[i + 1], &sizes[i], (best - i) * sizeof *sizes);
		sizes[i] = moved;
		worth += n <= SIZES_MOST || groups[moved] > 1;
	}
	return worth;
}

static int draw_size(struct td_report *r, const struct td_report_choice *c, uint32_t model,
		     uint32_t size)
{
	int rc = 0;

	for (int k = TD_REPORT_MEASURED; k >= TD_REPORT_FAULTS && !rc; k--)
		for (size_t b = 0; b < r->baselines && !rc; b++)
			rc = draw_grid(&(struct td_report_grid){.r = r,
								.c = c,
								.model = model,
								.size = size,
								.metric = (enum td_report_metric)k,
								.baseline = b});
	return rc;
}

static int draw_model(struct td_report *r, const struct td_report_choice *c, uint32_t model)
{
	uint32_t *sizes = calloc(r->sizes.n + 1, sizeof *sizes);
	uint32_t *groups = calloc(r->sizes.n + 1, sizeof *groups);
	int rc = sizes && groups ? 0 : -ENOMEM;
	size_t n = rc ? 0 : choose_sizes(r, model, sizes, groups);

	for (size_t i = 0; i < n && !rc; i++)
		rc = draw_size(r, c, model, sizes[i]);
	free(sizes);
	free(groups);
	return rc;
}

int td_report_choose_bars(struct td_report *r, const struct td_report_choice *c)
{
	int rc = 0;

	for (uint32_t m = 0; m < r->models.n && m < TD_REPORT_MODELS_MOST && !rc; m++)
		rc = draw_model(r, c, m);
	return rc;
}
