/* The page: one file that asks nobody for anything. */
#include <errno.h>
#include <string.h>

#include "model.h"

/* 32 bytes given in hex, in the letters that a policy of a page wants them in. */
static void put_sum(FILE *to, const char *hex)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, held = 0;

	fputs("'sha256-", to);
	for (; *hex; hex++) {
		unsigned digit = (unsigned)(*hex <= '9' ? *hex - '0' : *hex - 'a' + 10);
		bits = bits << 4 | digit;
		held += 4;
		if (held >= 6) {
			held -= 6;
			putc(letters[bits >> held & 63], to);
		}
	}
	if (held)
		putc(letters[bits << (6 - held) & 63], to);
	fputs("='", to);
}

/* Whatever slipped through as markup could still neither run nor load anything. */
static void put_head(const char *title, const char *version, FILE *to)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "base-uri 'none'; form-action 'none'; style-src ",
	      to);
	put_sum(to, td_report_css_sum);
	fputs("; script-src ", to);
	put_sum(to, td_report_js_sum);
	fputs("\">\n<meta name=\"generator\" content=\"tide ", to);
	td_report_html(to, version ? version : "");
	fputs("\">\n<title>", to);
	td_report_html(to, title);
	fprintf(to, "</title>\n<style>%s</style>\n</head>\n<body>\n", td_report_css);
}

static void put_figure(const struct td_report_figure *f, size_t number, FILE *to)
{
	fprintf(to, "<figure id=\"figure-%zu\"><figcaption><b>Figure %zu.</b> ", number, number);
	td_report_html(to, f->title);
	if (f->note) {
		fputs(" <small>", to);
		td_report_html(to, f->note);
		fputs("</small>", to);
	}
	fputs("</figcaption>\n", to);
	if (f->wide && f->narrow)
		fprintf(to, "<div class=\"wide\">%s</div>\n<div class=\"narrow\">%s</div>\n",
			f->wide, f->narrow);
	fputs("</figure>\n", to);
}

/* Names of the kinds of figures begin the names of their files: choose*.c. */
static void put_figures(const struct td_report *r, const char *kind, FILE *to)
{
	for (size_t i = 0; i < r->n_figures; i++)
		if (strncmp(r->figures[i].name, kind, strlen(kind)) == 0 && r->figures[i].wide)
			put_figure(&r->figures[i], i + 1, to);
}

static void put_section(const char *id, const char *title, FILE *to)
{
	fprintf(to, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

/* Curves that are set aside say so in their own table. */
static bool has_aside(const struct td_report *r)
{
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->runs[i].state != TD_REPORT_STANDS)
			return true;
	return false;
}

static void put_contents(const struct td_report *r, FILE *to)
{
	fputs("<nav aria-label=\"Contents\">", to);
	if (r->n_papers)
		fputs("<a href=\"#papers\">Papers</a> ", to);
	if (r->gpus)
		fputs("<a href=\"#gpu\">GPU</a> ", to);
	if (r->gpu_runs)
		fputs("<a href=\"#gpu-runs\">GPU programs</a> ", to);
	if (r->n_groups)
		fputs("<a href=\"#best\">Best</a> <a href=\"#runs\">Runs</a> ", to);
	if (r->n_curves)
		fputs("<a href=\"#curves\">Curves</a> ", to);
	if (has_aside(r))
		fputs("<a href=\"#aside\">Set aside</a> ", to);
	if (r->failed)
		fputs("<a href=\"#failed\">Failed</a> ", to);
	if (r->n_runs || r->n_curves)
		fputs("<a href=\"#commands\">Command lines</a>", to);
	fputs("</nav>\n", to);
}

static void put_papers(const struct td_report *r, FILE *to)
{
	put_section("papers", "Published and measured", to);
	put_figures(r, "published-", to);
	for (size_t i = 0; i < r->n_papers; i++)
		td_report_put_statements(&r->papers[i], to);
	fputs("</section>\n", to);
}

static void put_gpus(const struct td_report *r, FILE *to)
{
	put_section("gpu", "What was measured of the GPU", to);
	td_report_put_gpus(r, to);
	fputs("</section>\n", to);
}

static void put_gpu_runs(const struct td_report *r, FILE *to)
{
	put_section("gpu-runs", "Programs in less GPU memory than they allocate", to);
	td_report_put_gpu_runs(r, to);
	fputs("</section>\n", to);
}

/* A table for each baseline, and one of what is compared with nothing. */
static void put_groups(const struct td_report *r, FILE *to)
{
	size_t tables = r->baselines + (r->uncompared > 0);

	put_section("best", "The best of every input and size", to);
	put_figures(r, "bars-", to);
	put_figures(r, "sizes-", to);
	for (size_t i = 0; i < tables; i++)
		td_report_put_best(r, i, to);
	fputs("</section>\n", to);
	put_section("runs", "Runs", to);
	for (size_t i = 0; i < tables; i++)
		td_report_put_runs(r, i, to);
	fputs("</section>\n", to);
}

static void put_rest(const struct td_report *r, FILE *to)
{
	if (r->n_curves) {
		put_section("curves", "Miss ratio curves", to);
		put_figures(r, "mrc-", to);
		td_report_put_curves(r, to);
		fputs("</section>\n", to);
	}
	if (has_aside(r)) {
		put_section("aside", "Set aside", to);
		td_report_put_aside(r, to);
		fputs("</section>\n", to);
	}
	if (r->failed) {
		put_section("failed", "What failed", to);
		td_report_put_failed(r, to);
		fputs("</section>\n", to);
	}
	if (r->n_runs || r->n_curves) {
		put_section("commands", "Command lines", to);
		fprintf(to,
			"<p>Each line gives the same numbers again%s.</p>\n<details>"
			"<summary>Show them</summary>\n",
			td_report_any_measured(r) ? ", but for times" : "");
		td_report_put_commands(r, to);
		fputs("</details>\n</section>\n", to);
	}
}

static void put_figures_note(const struct td_report *r, FILE *to)
{
	if (r->n_figures && !r->has_gnuplot)
		fputs("<p class=\"warn\">There are no figures here: gnuplot, which draws them, was "
		      "not found. Debian has it as <code>gnuplot-nox</code>.</p>\n",
		      to);
	if (r->undrawn)
		fprintf(to,
			"<p class=\"note\">%s more figures are left out, so that the page "
			"stays light. Give fewer results at a time to see them.</p>\n",
			td_report_grouped(r->undrawn).text);
}

/* Which tide made the page, and which ones the results. */
static void put_footer(const struct td_report *r, FILE *to)
{
	const char *between = ", from results of tide ";

	fputs("<footer>Made by <code>tide report</code>", to);
	if (r->wish.version) {
		fputs(" of tide ", to);
		td_report_html(to, r->wish.version);
	}
	for (size_t i = 0; i < r->versions.n && i < 8; i++) {
		if (!*r->versions.at[i])
			continue;
		fputs(between, to);
		td_report_html(to, r->versions.at[i]);
		between = ", ";
	}
	fprintf(to, ".</footer>\n%s", r->has_gnuplot ? td_report_markers : "");
}

void td_report_page(const struct td_report *r, const char *title, FILE *to)
{
	char made[96];

	if (r->n_papers == 1)
		snprintf(made, sizeof made, "Reproduction of %.60s", r->papers[0].name);
	else
		snprintf(made, sizeof made, "%s",
			 r->n_papers ? "Reproductions" : "Results of tide");
	title = title ? title : made;
	put_head(title, r->wish.version, to);
	fputs("<header>\n<a class=\"skip\" href=\"#summary\">Skip to the results</a>\n<h1>", to);
	td_report_html(to, title);
	fputs("</h1>\n", to);
	put_contents(r, to);
	fputs("</header>\n<main>\n<section id=\"summary\">\n", to);
	td_report_put_summary(r, to);
	put_figures_note(r, to);
	fputs("</section>\n", to);
	if (r->n_papers)
		put_papers(r, to);
	if (r->gpus)
		put_gpus(r, to);
	if (r->gpu_runs)
		put_gpu_runs(r, to);
	if (r->n_groups)
		put_groups(r, to);
	put_rest(r, to);
	fputs("</main>\n", to);
	put_footer(r, to);
	fprintf(to, "<script>%s</script>\n</body>\n</html>\n", td_report_js);
}

int td_report_prepare(struct td_report *r, struct tide_error *err)
{
	int rc;

	if (!r->n_runs && !r->n_curves && !r->n_papers && !r->gpus && !r->gpu_runs)
		return tide_fail(err, -ENODATA,
				 "there is no result in %s: give files that tide "
				 "wrote with --json",
				 r->files.n == 1 ? r->files.at[0] : "these files");
	rc = td_report_check_wish(r, err);
	if (rc)
		return rc;
	rc = td_report_tell_inputs(r);
	if (!rc)
		rc = td_report_order(r);
	if (!rc)
		rc = td_report_group(r);
	if (!rc)
		rc = td_report_choose(r);
	return rc ? tide_fail(err, rc, "no memory for the report: give fewer files at a time") : 0;
}
