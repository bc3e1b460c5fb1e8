#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"

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

/* In single quotes gnuplot takes every character as it is, two single quotes for one. */
static void put_text(FILE *to, const char *text)
{
	putc('\'', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '\'')
			putc('\'', to);
		putc(c < ' ' || c == 127 ? ' ' : c, to);
	}
	putc('\'', to);
}

static void put_setting(FILE *to, const char *what, const char *text)
{
	fprintf(to, "set %s ", what);
	put_text(to, text ? text : "");
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
		put_text(to, panel->curves[i].name);
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

/* The script as a file without a name, to be gnuplot's standard input; -1: no memory. */
static int make_script(const struct kind *kind, const struct td_cli_panel *panels, size_t n)
{
	int fd = memfd_create("plot", MFD_CLOEXEC);
	FILE *to = fd < 0 ? NULL : fdopen(dup(fd), "w");
	bool bad = !to;

	if (to) {
		put_script(to, kind, panels, n);
		bad = ferror(to);
		bad |= fclose(to) != 0;
	}
	if (bad || lseek(fd, 0, SEEK_SET) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* gnuplot's first words of complaint: it points at the place in lines of carets before. */
static int fail_gnuplot(int said, struct tide_error *err)
{
	char text[1024], *line, *rest = text;
	ssize_t n = pread(said, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (strstr(line, "line ") || strstr(line, "rror"))
			break;
	return tide_fail(err, -EIO, "gnuplot could not draw the figure: %s",
			 line && *line ? td_cli_shown(line).text : "try gnuplot by hand");
}

static int fail_spawn(int code, struct tide_error *err)
{
	if (code == ENOENT)
		return tide_fail(err, -ENOENT,
				 "gnuplot is not in PATH, and draws the figures: get it by sudo "
				 "apt install gnuplot-nox, or leave out --plot");
	return tide_fail(err, -code, "cannot run gnuplot: %s", strerror(code));
}

/* Runs gnuplot with these as its standard streams. No shell, and no settings of the user. */
static int run_gnuplot(char *const *argv, const int fds[3], int *status, struct tide_error *err)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return fail_spawn(code, err);
	for (int i = 0; i < 3 && !code; i++)
		code = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	if (!code)
		code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code)
		return fail_spawn(code, err);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return fail_spawn(errno, err);
	return 0;
}

/* gnuplot does not say that the disk was full: a figure that has no end is not whole. */
static bool is_whole(int fd, const struct kind *kind)
{
	char tail[17] = "";
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, tail, 16, size > 16 ? size - 16 : 0);

	return n > 0 && memmem(tail, (size_t)n, kind->last, strlen(kind->last));
}

static int draw(const struct kind *kind, const struct td_cli_panel *panels, size_t n, int out,
		struct tide_error *err)
{
	char *const argv[] = {(char[]){"gnuplot"}, (char[]){"--default-settings"}, NULL};
	int script = make_script(kind, panels, n), said = memfd_create("said", MFD_CLOEXEC);
	int status = 0, rc;

	if (script < 0 || said < 0)
		rc = tide_fail(err, -ENOMEM, "no memory for the figure: free some");
	else
		rc = run_gnuplot(argv, (int[]){script, out, said}, &status, err);
	if (!rc && status)
		rc = fail_gnuplot(said, err);
	else if (!rc && !is_whole(out, kind))
		rc = tide_fail(err, -EIO,
			       "the figure could not be written whole: is the disk full?");
	if (script >= 0)
		close(script);
	if (said >= 0)
		close(said);
	return rc;
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
	char *const argv[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};
	char *name = NULL;
	int status, nowhere, fd, rc = check_place(path, err);

	if (rc)
		return rc;
	fd = open_beside(path, &name, err);
	if (fd < 0)
		return fd;
	unlink(name);
	free(name);
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	rc = run_gnuplot(argv, (int[]){nowhere, fd, nowhere}, &status, err);
	close(nowhere);
	close(fd);
	return rc;
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
