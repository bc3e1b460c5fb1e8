/* Which figures a report has. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"

#define FIGURES_MOST 60

/* ---- making one ---- */

/* Behind the last slash of a word; NULL: it has none. */
static const char *behind_folders(const char *at)
{
	const char *last = NULL;

	for (; *at && *at != ' '; at++)
		if (*at == '/')
			last = at + 1;
	return last;
}

/* Letters, digits and single dashes, without folders, cut where it is long. Returns its length. */
static size_t spell(const char *text, char *name, size_t size)
{
	size_t n = 0;
	bool starts = false; /* the input, behind the kind of the figure */

	for (; *text && n < size - 1; text++) {
		const char *base = starts ? behind_folders(text) : NULL;
		text = base && *base ? base : text;
		starts = *text == '-' && !memchr(name, '-', n);
		if (isalnum((unsigned char)*text))
			name[n++] = (char)tolower((unsigned char)*text);
		else if (n > 0 && name[n - 1] != '-')
			name[n++] = '-';
	}
	while (n > 0 && name[n - 1] == '-')
		n--;
	name[n] = '\0';
	return n;
}

static char *file_name(const struct td_report *r, const char *text)
{
	char name[96], *out;
	size_t n = spell(text, name, sizeof name), same = 1;

	for (size_t i = 0; i < r->n_figures; i++) {
		const char *other = r->figures[i].name;
		same += other && strncmp(other, name, n) == 0 &&
			(other[n] == '\0' || (other[n] == '-' && other[n + 1] == '-'));
	}
	/* Two dashes come from nothing else, so that no name is given twice. */
	if (same > 1 ? asprintf(&out, "%s--%zu", name, same) < 0 : asprintf(&out, "%s", name) < 0)
		return NULL;
	return out;
}

struct td_report_figure *td_report_new_figure(struct td_report *r, enum td_report_kind kind,
					      size_t series, size_t groups)
{
	struct td_report_figure *f;

	if (r->n_figures == FIGURES_MOST) {
		r->undrawn++;
		return NULL;
	}
	f = reallocarray(r->figures, r->n_figures + 1, sizeof *f);
	if (!f)
		return NULL;
	r->figures = f;
	f = &r->figures[r->n_figures];
	*f = (struct td_report_figure){.kind = kind};
	f->series = calloc(series + 1, sizeof *f->series);
	f->groups = calloc(groups + 1, sizeof *f->groups);
	r->n_figures++;
	if (f->series && f->groups)
		return f;
	r->n_figures--;
	td_report_figure_free(f);
	return NULL;
}

/* name: of the files, as a text that is made one. */
int td_report_title(struct td_report *r, struct td_report_figure *f, const char *name,
		    const char *title, const char *x_label, const char *y_label)
{
	f->name = file_name(r, name);
	f->title = strdup(title);
	f->x_label = strdup(x_label);
	f->y_label = strdup(y_label);
	return f->name && f->title && f->x_label && f->y_label ? 0 : -ENOMEM;
}

struct td_report_series *td_report_new_series(struct td_report_figure *f, const char *name,
					      size_t colour, size_t n)
{
	struct td_report_series *s = &f->series[f->n_series++];

	*s = (struct td_report_series){.name = strdup(name),
				       .colour = (unsigned)colour,
				       .n = n,
				       .x = calloc(n + 1, sizeof *s->x),
				       .y = calloc(n + 1, sizeof *s->y)};
	if (!s->name || !s->x || !s->y)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		s->x[i] = (double)i;
		s->y[i] = NAN;
	}
	return s;
}

int td_report_new_group(struct td_report_figure *f, const char *name)
{
	f->groups[f->n_groups] = strdup(name);
	return f->groups[f->n_groups++] ? 0 : -ENOMEM;
}

/* ---- units ---- */

struct unit {
	double of;
	const char *name;
};

static const char *plain_unit(enum td_report_metric metric)
{
	switch (metric) {
	case TD_REPORT_TIME: return "simulated time, ns";
	case TD_REPORT_MEASURED: return "measured time, ns";
	case TD_REPORT_STORAGE: return "storage I/O, pages";
	default: return "faults";
	}
}

static struct unit unit_of(enum td_report_metric metric, double most)
{
	static const char *const names[2][3] = {
		{"simulated time, s", "simulated time, ms", "simulated time, us"},
		{"measured time, s", "measured time, ms", "measured time, us"}};

	if (td_report_is_time(metric)) {
		const char *const *of = names[metric == TD_REPORT_MEASURED];
		if (most >= 1e9)
			return (struct unit){1e9, of[0]};
		return most >= 1e6 ? (struct unit){1e6, of[1]} : (struct unit){1e3, of[2]};
	}
	if (most >= 5e6)
		return (struct unit){1e6, metric == TD_REPORT_FAULTS
						  ? "faults, millions"
						  : "storage I/O, million pages"};
	if (most >= 5e3)
		return (struct unit){1e3, metric == TD_REPORT_FAULTS
						  ? "faults, thousands"
						  : "storage I/O, thousand pages"};
	return (struct unit){1, metric == TD_REPORT_FAULTS ? "faults" : "storage I/O, pages"};
}

void td_report_scale(struct td_report_figure *f, enum td_report_metric metric)
{
	double most = 0;
	struct unit unit;

	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			most = fmax(most, f->series[s].y[i]); /* fmax() passes over NAN */
	unit = unit_of(metric, most);
	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++)
			f->series[s].y[i] /= unit.of;
	f->y_plain = plain_unit(metric);
	f->y_unit = unit.of;
	free(f->y_label);
	f->y_label = strdup(unit.name);
}

/* ---- words ---- */

/* "near memory 50%", and the model where there are several. */
static void put_where(FILE *to, const struct td_report *r, uint32_t model, const char *size)
{
	if (size)
		fprintf(to, ", near memory %s", size);
	if (r->models.n > 1)
		fprintf(to, ", model %s", r->models.at[model]);
}

char *td_report_where(const struct td_report *r, const char *start, uint32_t model,
		      const char *size)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return NULL;
	fputs(start, to);
	put_where(to, r, model, size);
	fclose(to);
	return text;
}

/* ---- which combinations ---- */

/* Of many combinations, the ones to draw: the baselines, then the best by mean gain. */
static bool is_better(const struct td_report *r, uint32_t a, uint32_t b)
{
	double x = td_report_mean_gain(r, a), y = td_report_mean_gain(r, b);

	if (r->scores[a].is_baseline != r->scores[b].is_baseline)
		return r->scores[a].is_baseline;
	return isnan(y) ? !isnan(x) : x > y;
}

static void choose_combinations(const struct td_report *r, struct td_report_choice *c, size_t most)
{
	c->n = 0;
	for (uint32_t i = 0; i < r->combinations.n; i++) {
		size_t at = c->n;
		if (!r->scores[i].groups ||
		    (r->wish.n_series && td_report_wanted(r, r->combinations.at[i]) == SIZE_MAX))
			continue;
		while (at > 0 && is_better(r, i, c->at[at - 1]))
			at--;
		if (at >= most)
			continue;
		c->n += c->n < most;
		memmove(&c->at[at + 1], &c->at[at], (c->n - at - 1) * sizeof c->at[0]);
		c->at[at] = i;
	}
}

static int compare_means(const struct td_report *r, uint32_t a, uint32_t b)
{
	double x = td_report_mean_gain(r, a), y = td_report_mean_gain(r, b);

	if (isnan(x) || isnan(y))
		return (int)isnan(x) - (int)isnan(y);
	return (x < y) - (x > y);
}

/* As they were asked for, else by the order that was, else as they were seen first. */
static int compare_series(const void *a, const void *b, void *report)
{
	const struct td_report *r = report;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const char *one = r->combinations.at[x], *two = r->combinations.at[y];
	int by = 0;

	if (r->order_by == TD_REPORT_BY_NAME)
		by = strverscmp(one, two);
	else if (r->order_by == TD_REPORT_BY_BEST)
		by = compare_means(r, x, y);
	else if (r->wish.n_series)
		by = (td_report_wanted(r, one) > td_report_wanted(r, two)) -
		     (td_report_wanted(r, one) < td_report_wanted(r, two));
	return by ? by : (x > y) - (x < y);
}

/* A combination that was not run here has no place in the legend. */
static void drop_empty(struct td_report_figure *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n_series; i++) {
		struct td_report_series one = f->series[i];
		bool has_points = false;
		for (size_t k = 0; k < one.n; k++)
			has_points |= isfinite(one.y[k]);
		if (has_points) {
			f->series[kept++] = one;
			continue;
		}
		free(one.name);
		free(one.x);
		free(one.y);
		free(one.error);
	}
	f->n_series = kept;
}

int td_report_choose(struct td_report *r)
{
	struct td_report_choice c;
	int rc;

	choose_combinations(r, &c, r->wish.n_series ? TD_REPORT_STYLES : TD_REPORT_COLOURS);
	qsort_r(c.at, c.n, sizeof c.at[0], compare_series, r);
	rc = td_report_choose_papers(r);
	if (!rc)
		rc = td_report_choose_bars(r, &c);
	if (!rc)
		rc = td_report_choose_sizes(r, &c);
	if (!rc)
		rc = td_report_choose_curves(r);
	for (size_t i = 0; i < r->n_figures; i++)
		drop_empty(&r->figures[i]);
	return rc;
}
