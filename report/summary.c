/* What was run and what came out, in plain words. */
#include <math.h>
#include <string.h>

#include "model.h"

static void put_plural(FILE *to, size_t n, const char *one, const char *many)
{
	fprintf(to, "%s %s", td_report_grouped(n).text, n == 1 ? one : many);
}

static void put_sizes(const struct td_report *r, FILE *to)
{
	if (r->sizes.n > 6) {
		fprintf(to, ", at %zu sizes of near memory", r->sizes.n);
		return;
	}
	fputs(", with near memory of ", to);
	for (size_t i = 0; i < r->sizes.n; i++) {
		fputs(i == 0 ? "" : i + 1 < r->sizes.n ? ", " : " and ", to);
		td_report_html(to, r->sizes.at[i]);
	}
	fputs(r->sizes_are_shares ? " of the footprint" : "", to);
}

static void put_model(const struct td_report *r, FILE *to)
{
	if (r->models.n > 1) {
		fprintf(to, ", on %zu models", r->models.n);
	} else if (strcmp(r->models.at[0], "functional") == 0) {
		fputs(", counted without a clock", to);
	} else {
		fputs(r->runs[0].is_measured ? ", measured on " : ", timed by the model ", to);
		td_report_html(to, r->models.at[0]);
	}
}

static void put_runs_line(const struct td_report *r, FILE *to)
{
	fputs("<p>", to);
	put_plural(to, r->n_runs, "run", "runs");
	fputs(" of ", to);
	put_plural(to, r->run_inputs, "input", "inputs");
	fputs(" under ", to);
	put_plural(to, r->combinations.n, "combination of policies", "combinations of policies");
	if (r->sizes.n)
		put_sizes(r, to);
	put_model(r, to);
	fputs("; from ", to);
	put_plural(to, r->files.n, "file", "files");
	fputs(".</p>\n", to);
}

static void put_measure_line(const struct td_report *r, FILE *to)
{
	bool used[TD_REPORT_MIXED] = {false};
	const char *between = "";

	for (size_t i = 0; i < r->n_groups; i++)
		used[r->groups[i].metric] = true;
	fputs("<p>Runs of the same input and size are compared by ", to);
	for (int k = TD_REPORT_MEASURED; k >= TD_REPORT_FAULTS; k--)
		if (used[k]) {
			fprintf(to, "%s<strong>%s</strong>", between,
				td_report_metric_name((enum td_report_metric)k));
			between = " or ";
		}
	fputs(", less being better, with ", to);
	if (r->baselines == 1 && !r->uncompared) {
		fputs("the baseline <strong>", to);
		td_report_html(to, td_report_baseline(r, 0));
		fputs("</strong>.</p>\n", to);
	} else {
		fputs("a baseline for each table. No combination ran everywhere, so there is no "
		      "mean over all.</p>\n",
		      to);
	}
}

/* The best by mean of those that ran in most groups; SIZE_MAX: there is none. */
static size_t find_winner(const struct td_report *r)
{
	size_t best = SIZE_MAX, groups = 0;

	/* Times and counts have no common mean, nor have ratios to different policies. */
	if (r->combinations.n < 2 || td_report_metric(r) == TD_REPORT_MIXED || r->baselines > 1 ||
	    r->uncompared)
		return SIZE_MAX;
	for (uint32_t i = 0; i < r->combinations.n; i++) {
		double gain = td_report_mean_gain(r, i);
		if (isnan(gain) || r->scores[i].gains < groups || r->scores[i].is_oracle)
			continue;
		if (r->scores[i].gains > groups || best == SIZE_MAX ||
		    gain > td_report_mean_gain(r, (uint32_t)best))
			best = i;
		groups = r->scores[i].gains;
	}
	return best;
}

static bool has_oracle(const struct td_report *r, bool measured)
{
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->runs[i].is_measured == measured && td_report_is_oracle(r, &r->runs[i]))
			return true;
	return false;
}

static void put_gain(const struct td_report *r, double gain, FILE *to)
{
	enum td_report_metric metric = td_report_metric(r);

	if (td_report_is_time(metric))
		fprintf(to, "%.3f times as fast as the baseline", gain);
	else
		fprintf(to, "%.3f times the %s of the baseline", 1 / gain,
			td_report_metric_name(metric));
}

static void put_winner_line(const struct td_report *r, size_t winner, FILE *to)
{
	const struct td_report_score *s = &r->scores[winner];

	fputs("<p>On the whole <strong>", to);
	td_report_html(to, r->combinations.at[winner]);
	fputs("</strong> is the best: ", to);
	if (s->is_baseline) {
		fputs("nothing beats the baseline by the geometric mean", to);
	} else {
		put_gain(r, td_report_mean_gain(r, (uint32_t)winner), to);
		fputs(" by the geometric mean", to);
	}
	fprintf(to, ". It comes first in %zu of %zu comparisons.", s->best, s->groups);
	if (has_oracle(r, false))
		fputs(" <em>opt</em> knows the future and is not ranked.", to);
	if (has_oracle(r, true))
		fputs(" <em>raw</em> and <em>resident</em> have all data near and are not ranked.",
		      to);
	fputs("</p>\n", to);
}

/* Which results are of the same run, and what became of them. */
static void put_same(const struct td_report *r, FILE *to)
{
	const struct {
		size_t n;
		bool is_bad;
		const char *one, *many;
	} rows[] = {
		{r->equal, false, "result is equal to another, and counts once",
		 "results are equal to others, and count once"},
		{r->retried, false, "failure has a result of another try",
		 "failures have a result of another try"},
		{r->outdated, true,
		 "result is outdated: a newer tide gave other numbers, which are used",
		 "results are outdated: a newer tide gave other numbers, which are used"},
		{r->conflicting, true,
		 "result conflicts with another of the same input, settings and version of tide: the "
		 "first is used",
		 "results conflict with others of the same input, settings and version of tide: the "
		 "first are used"},
		{r->renamed, false, "trace has the same events as another, and goes by its name",
		 "traces have the same events as others, and go by their names"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].n)
			continue;
		fputs(rows[i].is_bad ? "<p class=\"warn\">" : "<p>", to);
		put_plural(to, rows[i].n, rows[i].one, rows[i].many);
		fputs(".</p>\n", to);
	}
}

static void put_troubles(const struct td_report *r, FILE *to)
{
	if (r->failed) {
		fputs("<p class=\"warn\">", to);
		put_plural(to, r->failed, "run", "runs");
		fputs(" failed: see <a href=\"#failed\">what failed</a>.</p>\n", to);
	}
	put_same(r, to);
	if (r->others) {
		fputs("<p>", to);
		put_plural(to, r->others, "result", "results");
		fputs(" of a form that this page does not show.</p>\n", to);
	}
}

static void put_papers_lines(const struct td_report *r, FILE *to)
{
	for (size_t i = 0; i < r->n_papers; i++) {
		const struct td_report_paper *p = &r->papers[i];
		fputs("<p><strong>", to);
		td_report_html(to, p->name);
		fputs("</strong>: ", to);
		if (p->figures)
			fprintf(to, "%zu of %zu figures within 25%%; ", p->near, p->figures);
		size_t left = p->n - p->figures;
		fprintf(to,
			"of %zu %sstatements <span class=\"verdict yes\">%zu agree</span> "
			"<span class=\"verdict no\">%zu differ</span> "
			"<span class=\"verdict open\">%zu not judged</span></p>\n",
			left, p->figures ? "other " : "", p->agree, p->disagree,
			left - p->agree - p->disagree);
	}
}

/* ---- numbers at a glance ---- */

static void put_tile(const char *value, const char *what, FILE *to)
{
	fputs("<div><dd>", to);
	/* A combination is best broken where its policies meet. */
	for (const char *plus; (plus = strchr(value, '+')); value = plus + 1) {
		td_report_html_part(to, value, (size_t)(plus - value));
		fputs("+<wbr>", to);
	}
	td_report_html(to, value);
	fprintf(to, "</dd><dt>%s</dt></div>\n", what);
}

static void put_papers_tile(const struct td_report *r, FILE *to)
{
	size_t n = 0, agree = 0;
	char text[64];

	for (size_t i = 0; i < r->n_papers; i++) {
		n += r->papers[i].agree + r->papers[i].disagree;
		agree += r->papers[i].agree;
	}
	snprintf(text, sizeof text, "%zu of %zu", agree, n);
	put_tile(text, "published statements agree", to);
}

static void put_winner_tiles(const struct td_report *r, size_t winner, FILE *to)
{
	double gain = td_report_mean_gain(r, (uint32_t)winner);
	enum td_report_metric metric = td_report_metric(r);
	char text[64];

	put_tile(r->combinations.at[winner], "best on the whole", to);
	if (td_report_is_time(metric))
		snprintf(text, sizeof text, "%.2fx", gain);
	else
		snprintf(text, sizeof text, "%.3f", 1 / gain);
	put_tile(text,
		 td_report_is_time(metric) ? "its mean speedup over the baseline"
					   : "its mean, relative to the baseline",
		 to);
}

static void put_tiles(const struct td_report *r, size_t winner, FILE *to)
{
	fputs("<dl class=\"tiles\">\n", to);
	if (r->n_papers)
		put_papers_tile(r, to);
	if (r->n_runs) {
		put_tile(td_report_grouped(r->n_runs).text, r->n_runs == 1 ? "run" : "runs", to);
		put_tile(td_report_grouped(r->run_inputs).text,
			 r->run_inputs == 1 ? "input" : "inputs", to);
	}
	if (winner != SIZE_MAX)
		put_winner_tiles(r, winner, to);
	if (r->n_curves)
		put_tile(td_report_grouped(r->n_curves).text, "miss ratio curves", to);
	if (r->gpu_runs)
		put_tile(td_report_grouped(json_array_size(r->gpu_runs)).text,
			 "programs in less GPU memory", to);
	fputs("</dl>\n", to);
}

void td_report_put_summary(const struct td_report *r, FILE *to)
{
	size_t winner = find_winner(r);

	put_tiles(r, winner, to);
	put_papers_lines(r, to);
	if (r->n_runs)
		put_runs_line(r, to);
	if (r->n_groups && r->combinations.n > 1)
		put_measure_line(r, to);
	if (winner != SIZE_MAX)
		put_winner_line(r, winner, to);
	if (r->n_curves && !r->n_runs) {
		fputs("<p>", to);
		put_plural(to, r->n_curves, "miss ratio curve", "miss ratio curves");
		fputs(" of ", to);
		put_plural(to, r->n_inputs, "input", "inputs");
		fputs(".</p>\n", to);
	}
	put_troubles(r, to);
}
