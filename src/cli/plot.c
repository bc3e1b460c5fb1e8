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

/* What the file's ending asks for, how gnuplot writes it, and how a whole file of it ends. */
static const struct kind {
	const char *ending, *terminal, *last;
} kinds[] = {
	{".svg", "svg dynamic background 'white' font 'sans-serif,14' noenhanced", "</svg>"},
	{".png", "pngcairo background 'white' font 'sans,11' noenhanced", "IEND"},
};

#define PANEL_WIDTH 760
#define PANEL_HEIGHT 460
#define STYLES 16 /* eight colours, whole and dashed */

static const struct kind *find_kind(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (len > 4 && strcmp(path + len - 4, kinds[i].ending) == 0)
			return &kinds[i];
	return NULL;
}

static void put_setting(FILE *to, const char *what, const char *text)
{
	fprintf(to, "set %s ", what);
	td_report_script_text(to, text ? text : "");
	putc('\n', to);
}

static void put_points(FILE *to, const struct td_cli_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++)
		if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
			fprintf(to, "%.10g %.10g\n", curve->x[i], curve->y[i]);
}

static bool has_points(const struct td_cli_curve *curve)
{
	for (size_t i = 0; i < curve->n; i++)
		if (isfinite(curve->x[i]) && isfinite(curve->y[i]))
			return true;
	return false;
}

static void put_panel(FILE *to, const struct td_cli_panel *panel)
{
	size_t shown = 0;

	put_setting(to, "title", panel->title);
	put_setting(to, "xlabel", panel->x_label);
	put_setting(to, "ylabel", panel->y_label);
	if (panel->x_most > 0)
		fprintf(to, "set xrange [0:%.10g]\n", panel->x_most);
	else
		fputs("set xrange [0:*]\n", to);
	for (size_t i = 0; i < panel->n; i++) {
		fprintf(to, "$curve%zu << END\n", i);
		put_points(to, &panel->curves[i]);
		fprintf(to, "END\n");
	}
	for (size_t i = 0; i < panel->n; i++) {
		if (!has_points(&panel->curves[i]))
			continue;
		fprintf(to, "%s $curve%zu using 1:2 with %s linetype %zu %s title ",
			shown++ ? "," : "plot", i, panel->points ? "points" : "linespoints",
			i % STYLES + 1, panel->points ? "pointtype 5 pointsize 0.2" : "");
		td_report_script_text(to, panel->curves[i].name);
	}
	/* gnuplot refuses to plot nothing; an empty panel keeps its place. */
	fprintf(to, "%s\n", shown ? "" : "plot [0:1][0:1] -1 notitle");
}

/* Colours that people who do not see all of them can tell apart. */
static void put_styles(FILE *to)
{
	static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
					      "#d55e00", "#56b4e9", "#000000", "#8c6d1f"};

	for (size_t i = 0; i < STYLES; i++)
		fprintf(to,
			"set linetype %zu linecolor rgb '%s' linewidth 2 pointtype %zu "
			"pointsize 0.4 dashtype %zu\n",
			i + 1, colours[i % 8], i % 8 + 4, i / 8 + 1);
	fputs("set key outside right top\nset grid\nset border 3\nset tics nomirror\n"
	      "set yrange [0:*]\n",
	      to);
}

static void put_script(FILE *to, const struct kind *kind, const struct td_cli_panel *panels,
		       size_t n)
{
	size_t columns = n > 1 ? 2 : 1, rows = (n + columns - 1) / columns;

	fprintf(to, "set terminal %s size %zu,%zu\n", kind->terminal, columns * PANEL_WIDTH,
		rows * PANEL_HEIGHT);
	put_styles(to);
	if (n > 1)
		fprintf(to, "set multiplot layout %zu,%zu\n", rows, columns);
	for (size_t i = 0; i < n; i++)
		put_panel(to, &panels[i]);
	if (n > 1)
		fputs("unset multiplot\n", to);
}

static int draw(const struct kind *kind, const struct td_cli_panel *panels, size_t n, int out,
		struct tide_error *err)
{
	FILE *script = td_report_script();

	if (script)
		put_script(script, kind, panels, n);
	return td_report_gnuplot(script, out, kind->last, "--plot", err);
}

/* The figure is made beside its place and put there by rename: that must not hit a device. */
static int check_place(const char *path, struct tide_error *err)
{
	struct stat st;

	if (!find_kind(path))
		return tide_fail(err, -EINVAL,
				 "%s ends in neither .svg nor .png: the ending says what the "
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

int td_cli_plot(const struct td_cli_panel *panels, size_t n, const char *path,
		struct tide_error *err)
{
	char *name = NULL;
	int fd, rc = check_place(path, err);

	if (rc)
		return rc;
	fd = open_beside(path, &name, err);
	if (fd < 0)
		return fd;
	td_core_keep_mode(fd, path);
	rc = draw(find_kind(path), panels, n, fd, err);
	if (!rc && rename(name, path) != 0)
		rc = tide_fail(err, -errno, "cannot put the figure at %s: %s",
			       td_cli_shown(path).text, strerror(errno));
	if (rc)
		unlink(name);
	close(fd);
	free(name);
	return rc;
}
