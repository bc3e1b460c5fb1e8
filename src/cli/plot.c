#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mode.h"
#include "options.h"
#include "report/gnuplot.h"
#include "report/size.h"

#define LINE 1.5      /* pixels, as in the files of reports */
#define HEIGHT 0.6    /* of a panel, in its width */
#define LETTER_EM 0.6 /* the width of a letter, about */

static void put_setting(FILE *to, const char *what, const char *text)
{
	fprintf(to, "set %s ", what);
	td_report_script_text(to, text ? text : "");
	fputs(" textcolor rgb '" TD_REPORT_INK "'\n", to);
}

static double most_x(const struct td_cli_panel *panel)
{
	double most = panel->x_most;

	for (size_t c = 0; panel->x_most <= 0 && c < panel->n; c++)
		for (size_t i = 0; i < panel->curves[c].n; i++)
			most = fmax(most, panel->curves[c].x[i]); /* passes over NAN */
	return most;
}

static void put_points(FILE *to, const struct td_cli_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++)
		if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
			fprintf(to, "%.10g %.10g %.10g\n", curve->x[i], curve->y[i],
				curve->error ? curve->error[i] : 0);
}

static bool has_points(const struct td_cli_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++)
		if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
			return true;
	return false;
}

/* As many names side by side as have room; a sample comes with each. */
static void put_key(FILE *to, const struct td_cli_panel *panel, double width)
{
	double letters = 0;
	size_t columns;

	for (size_t i = 0; i < panel->n; i++)
		letters = fmax(letters, (double)strlen(panel->curves[i].name));
	columns = (size_t)(width / TD_REPORT_LETTERS / (letters * LETTER_EM + 4.5));
	fprintf(to, "set key above left horizontal maxcols %zu Left reverse samplen %d\n",
		columns ? columns : 1, panel->points ? 1 : 3);
}

static void put_panel(FILE *to, const struct td_cli_panel *panel, bool is_one_of, double width)
{
	size_t shown = 0;

	put_key(to, panel, width);
	if (is_one_of)
		put_setting(to, "title", panel->title);
	put_setting(to, "xlabel", panel->x_label);
	put_setting(to, "ylabel", panel->y_label);
	if (panel->x_most > 0)
		fprintf(to, "set xrange [0:%.10g]\n", panel->x_most);
	else
		fputs("set xrange [0:*]\n", to);
	fprintf(to, "set xtics %g\n", td_report_step(most_x(panel), 4));
	for (size_t i = 0; i < panel->n; i++) {
		fprintf(to, "$curve%zu << END\n", i);
		put_points(to, &panel->curves[i]);
		fprintf(to, "END\n");
	}
	for (size_t i = 0; i < panel->n; i++) {
		if (!has_points(&panel->curves[i]))
			continue;
		fprintf(to, "%s $curve%zu using 1:2 with ", shown++ ? "," : "plot", i);
		if (panel->points)
			fputs("points", to);
		else
			fprintf(to, "linespoints pointinterval %zu", panel->curves[i].n / 12 + 1);
		fprintf(to, " linetype %zu %s title ", i % TD_REPORT_STYLES + 1,
			panel->points ? "pointtype 5 pointsize 0.1" : "");
		td_report_script_text(to, panel->curves[i].name);
	}
	for (size_t i = 0; i < panel->n; i++)
		if (panel->curves[i].error && has_points(&panel->curves[i]))
			fprintf(to,
				", $curve%zu using 1:($2-$3):(0):(2*$3) with vectors "
				"nohead linetype %zu dashtype solid notitle",
				i, i % TD_REPORT_STYLES + 1);
	/* gnuplot refuses to plot nothing; an empty panel keeps its place. */
	fprintf(to, "%s\n", shown ? "" : "plot [0:1][0:1] -1 notitle");
}

static void put_script(FILE *to, const struct td_report_output *output,
		       const struct td_report_look *look, const struct td_cli_panel *panels,
		       size_t n)
{
	size_t columns = n > 1 ? 2 : 1, rows = (n + columns - 1) / columns;
	double all = look && look->width > 0 ? look->width : TD_REPORT_COLUMN * (double)columns;
	double width = all / (double)columns;

	output->put_terminal(to, all, width * HEIGHT * (double)rows, TD_REPORT_LETTERS);
	td_report_put_style(to, look, LINE);
	fputs("set yrange [0:*]\nset rmargin 3\n", to);
	if (n > 1)
		fprintf(to, "set multiplot layout %zu,%zu\n", rows, columns);
	for (size_t i = 0; i < n; i++)
		put_panel(to, &panels[i], n > 1, width);
	if (n > 1)
		fputs("unset multiplot\n", to);
}

static int draw(const struct td_report_output *output, const struct td_report_look *look,
		const struct td_cli_panel *panels, size_t n, int out, struct tide_error *err)
{
	FILE *script = td_report_script();

	if (script)
		put_script(script, output, look, panels, n);
	return td_report_gnuplot(script, out, output->last, "--plot", err);
}

/* The figure is made beside its place and put there by rename: that must not hit a device. */
static int check_place(const char *path, struct tide_error *err)
{
	struct stat st;

	if (!td_report_output(path))
		return tide_fail(err, -EINVAL,
				 "%s does not end in .svg, .pdf or .png: the ending says what the "
				 "figure is to be",
				 td_cli_shown(path).text);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return tide_fail(err, -EEXIST,
				 "%s is there and no plain file: give the figure another name",
				 td_cli_shown(path).text);
	return 0;
}

static int open_beside(const char *path, char **name, struct tide_error *err)
{
	int fd = -1;

	if (asprintf(name, "%s.%ld.part", path, (long)getpid()) < 0) {
		*name = NULL;
		return tide_fail(err, -ENOMEM, "no memory for the figure: free some");
	}
	fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	return tide_fail(err, -errno, "cannot write %s: %s: give the figure another place",
			 td_cli_shown(path).text, strerror(errno));
}

int td_cli_plot_check(const char *path, struct tide_error *err)
{
	char *name = NULL;
	int fd, rc = check_place(path, err);

	if (rc)
		return rc;
	fd = open_beside(path, &name, err);
	if (fd < 0)
		return fd;
	unlink(name);
	free(name);
	close(fd);
	return td_report_gnuplot_check("--plot", err);
}

int td_cli_plot(const struct td_cli_panel *panels, size_t n, const struct td_report_look *look,
		const char *path, struct tide_error *err)
{
	char *name = NULL;
	int fd, rc = check_place(path, err);

	if (rc)
		return rc;
	fd = open_beside(path, &name, err);
	if (fd < 0)
		return fd;
	td_core_keep_mode(fd, path);
	rc = draw(td_report_output(path), look, panels, n, fd, err);
	if (!rc && rename(name, path) != 0)
		rc = tide_fail(err, -errno, "cannot put the figure at %s: %s",
			       td_cli_shown(path).text, strerror(errno));
	if (rc)
		unlink(name);
	close(fd);
	free(name);
	return rc;
}

int td_cli_plot_look(struct td_report_look *look, const char *plot, const char *width,
		     const char *colours, struct tide_error *err)
{
	int rc = 0;

	*look = (struct td_report_look){0};
	if (!plot && (width || colours))
		return tide_fail(err, -EINVAL, "--%s is for a figure: add --plot",
				 width ? "width" : "colours");
	rc = td_report_look_width(look, width, err);
	return rc ? rc : td_report_look_colours(look, colours, err);
}
