/* Figures by gnuplot: into the page, and into files. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gnuplot.h"
#include "model.h"
#include "write.h"

/* ---- into the page ---- */

static char *read_back(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);

	if (text && pread(fd, text, (size_t)size, 0) != (ssize_t)size) {
		free(text);
		return NULL;
	}
	if (text)
		text[size] = '\0';
	return text;
}

/* output NULL: for the page. */
static int draw_to(const struct td_report *r, const struct td_report_figure *f,
		   enum td_report_form form, const struct td_report_output *output, int fd,
		   struct tide_error *err)
{
	FILE *script = td_report_script();

	if (script)
		td_report_figure_script(f, form, output, &r->look, script);
	return td_report_gnuplot(script, fd, output ? output->last : td_report_svg.last,
				 output ? "--figures" : NULL, err);
}

static int draw_inline(const struct td_report *r, const struct td_report_figure *f,
		       enum td_report_form form, char **out, struct tide_error *err)
{
	int fd = memfd_create("figure", MFD_CLOEXEC);
	char *svg = NULL;
	int rc;

	if (fd < 0)
		return tide_fail(err, -ENOMEM, "no memory for a figure: free some");
	rc = draw_to(r, f, form, NULL, fd, err);
	if (!rc) {
		svg = read_back(fd);
		*out = svg ? td_report_inline_svg(f, svg) : NULL;
		if (!*out)
			rc = tide_fail(err, -EIO,
				       "gnuplot drew something else than a figure: "
				       "is it another version than 5?");
	}
	free(svg);
	close(fd);
	return rc;
}

int td_report_draw(struct td_report *r, struct tide_error *err)
{
	int rc = r->n_figures ? td_report_gnuplot_check(NULL, err) : 0;

	for (size_t i = 0; i < r->n_figures && !rc; i++) {
		struct td_report_figure *f = &r->figures[i];
		rc = draw_inline(r, f, TD_REPORT_WIDE, &f->wide, err);
		if (!rc)
			rc = draw_inline(r, f, TD_REPORT_NARROW, &f->narrow, err);
	}
	r->has_gnuplot = !rc;
	return rc;
}

/* ---- into files ---- */

static int draw_file(const struct td_report *r, const struct td_report_figure *f,
		     const struct td_report_output *output, const char *folder,
		     struct tide_error *err)
{
	struct td_report_file file;
	int rc = td_report_file_open(&file, folder, f->name, output->ending + 1, err);

	if (rc)
		return rc;
	rc = draw_to(r, f, TD_REPORT_FILE, output, fileno(file.to), err);
	return td_report_file_close(&file, rc, err);
}

/* A number as it was before it was put into the unit of its axis. */
static double plain(double value, double unit)
{
	return unit > 0 ? value * unit : value;
}

static void put_number(FILE *to, double value, double unit)
{
	putc(',', to);
	if (isfinite(value))
		fprintf(to, "%.15g", plain(value, unit));
}

/* Bars are a table; lines have their own sizes each, so a row is a point. Bars in a unit are of one
 * series, whose heading says what they are. */
static void put_bars(const struct td_report_figure *f, FILE *to)
{
	td_report_csv(to, f->x_label);
	for (size_t s = 0; s < f->n_series; s++) {
		putc(',', to);
		td_report_csv(to, f->y_plain ? f->y_plain : f->series[s].name);
	}
	for (size_t i = 0; i < f->n_groups; i++) {
		putc('\n', to);
		td_report_csv(to, f->groups[i]);
		for (size_t s = 0; s < f->n_series; s++)
			put_number(to, f->series[s].y[i], f->y_unit);
	}
	putc('\n', to);
}

static bool has_errors(const struct td_report_figure *f)
{
	for (size_t s = 0; s < f->n_series; s++)
		if (f->series[s].error)
			return true;
	return false;
}

static void put_points(const struct td_report_figure *f, FILE *to)
{
	bool errors = has_errors(f);

	fputs("series,", to);
	td_report_csv(to, f->x_plain ? f->x_plain : f->x_label);
	putc(',', to);
	td_report_csv(to, f->y_plain ? f->y_plain : f->y_label);
	fputs(errors ? ",error\n" : "\n", to);
	for (size_t s = 0; s < f->n_series; s++)
		for (size_t i = 0; i < f->series[s].n; i++) {
			td_report_csv(to, f->series[s].name);
			put_number(to, f->series[s].x[i], f->x_unit);
			put_number(to, f->series[s].y[i], f->y_unit);
			if (errors)
				put_number(to, f->series[s].error ? f->series[s].error[i] : NAN, 0);
			putc('\n', to);
		}
}

static int write_data(const struct td_report_figure *f, const char *folder, struct tide_error *err)
{
	struct td_report_file file;
	int rc = td_report_file_open(&file, folder, f->name, "csv", err);

	if (rc)
		return rc;
	if (f->kind == TD_REPORT_BARS)
		put_bars(f, file.to);
	else
		put_points(f, file.to);
	return td_report_file_close(&file, 0, err);
}

static int draw_files(const struct td_report *r, const char *folder, struct tide_error *err)
{
	static const struct td_report_output *const outputs[] = {&td_report_svg, &td_report_pdf,
								 &td_report_png};
	int rc = r->n_figures ? td_report_gnuplot_check("--figures", err) : 0;

	for (size_t i = 0; i < 3 * r->n_figures && !rc; i++)
		rc = draw_file(r, &r->figures[i / 3], outputs[i % 3], folder, err);
	return rc;
}

/* What needs no gnuplot comes first. */
int td_report_figures(struct td_report *r, const char *folder, struct tide_error *err)
{
	int rc = 0;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return tide_fail(err, -errno, "cannot make the folder %.150s: %s: give another",
				 folder, strerror(errno));
	for (size_t i = 0; i < r->n_figures && !rc; i++)
		rc = write_data(&r->figures[i], folder, err);
	if (!rc)
		rc = td_report_write_all(r, folder, err);
	if (!rc)
		rc = draw_files(r, folder, err);
	r->has_gnuplot = !rc;
	return rc;
}
