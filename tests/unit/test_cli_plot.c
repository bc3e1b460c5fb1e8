/* Figures: drawn whole or not at all, whatever the names hold and whatever gnuplot does. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* After the headers that cmocka needs. */
#include <cmocka.h>

#include "cli/plot.h"

static const double xs[] = {0, 10, 20, 30}, ys[] = {1, 0.5, NAN, 0.25};

struct place {
	char folder[64], home[4096];
	char *path; /* of programs, as it was */
};

static int enter(void **state)
{
	struct place *p = calloc(1, sizeof *p);

	strcpy(p->folder, "/tmp/tide-plot-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	assert_non_null(getcwd(p->home, sizeof p->home));
	assert_int_equal(chdir(p->folder), 0);
	p->path = strdup(getenv("PATH"));
	*state = p;
	return 0;
}

static int leave(void **state)
{
	struct place *p = *state;
	DIR *folder = opendir(".");
	const struct dirent *e;

	while ((e = readdir(folder)))
		if (e->d_name[0] != '.')
			remove(e->d_name);
	closedir(folder);
	assert_int_equal(chdir(p->home), 0);
	assert_int_equal(rmdir(p->folder), 0);
	setenv("PATH", p->path, 1);
	free(p->path);
	free(p);
	return 0;
}

static size_t count_files(void)
{
	DIR *folder = opendir(".");
	const struct dirent *e;
	size_t n = 0;

	while ((e = readdir(folder)))
		n += e->d_name[0] != '.';
	closedir(folder);
	return n;
}

static char *read_file(const char *name)
{
	char *text = calloc(1, 1 << 20);
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* A gnuplot of our own in front of, or instead of, the true one. */
static void put_gnuplot(const char *script)
{
	FILE *file = fopen("gnuplot", "w");

	fputs(script, file);
	fclose(file);
	chmod("gnuplot", 0755);
	setenv("PATH", ".", 1);
}

static int draw_named(const char *name, const char *path, struct tide_error *err)
{
	struct td_cli_curve curves[] = {{name, xs, ys, 4, NULL}, {"second", xs, ys, 2, NULL}};
	struct td_cli_panel panel = {
		.title = name, .x_label = name, .y_label = name, .curves = curves, .n = 2};

	return td_cli_plot(&panel, 1, NULL, path, err);
}

static bool has_gnuplot(void)
{
	return td_cli_plot_check("check.svg", NULL) == 0;
}

static void draws_svg_and_png(void **state)
{
	struct tide_error err = {0, ""};
	char *text;

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(draw_named("lru", "a.svg", &err), 0);
	text = read_file("a.svg");
	assert_non_null(strstr(text, "<svg"));
	assert_non_null(strstr(text, "second"));
	free(text);
	assert_int_equal(draw_named("lru", "a.png", &err), 0);
	text = read_file("a.png");
	assert_memory_equal(text + 1, "PNG", 3);
	free(text);
	assert_int_equal(draw_named("lru", "a.pdf", &err), 0);
	text = read_file("a.pdf");
	assert_memory_equal(text, "%PDF", 4);
	free(text);
	assert_int_equal(count_files(), 3);
}

/* As wide as was asked for, with letters of 8 pt, in the colours that were asked for. */
static void draws_as_asked(void **state)
{
	struct td_cli_curve curves[] = {{"first", xs, ys, 4, NULL}, {"second", xs, ys, 2, NULL}};
	struct td_cli_panel panel = {.curves = curves, .n = 2};
	struct td_report_look look;
	char *text;

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(td_cli_plot_look(&look, "a.svg", "5in", "#123456,#654321", NULL), 0);
	assert_int_equal(td_cli_plot(&panel, 1, &look, "a.svg", NULL), 0);
	text = read_file("a.svg");
	assert_non_null(strstr(text, "width=\"480\"")); /* 96 in an inch */
	assert_non_null(strstr(text, "font-size=\"10.67\""));
	assert_non_null(strstr(text, "rgb( 18,  52,  86)"));
	assert_non_null(strstr(text, "rgb(101,  67,  33)"));
	free(text);
	assert_int_equal(td_cli_plot_look(&look, NULL, "5in", NULL, NULL), -EINVAL);
}

/* What stands in a name is drawn: nothing of it is a command to gnuplot or to a shell. */
static void takes_names_as_they_are(void **state)
{
	static const char name[] = "x' ; system(\"touch hit1\") ; '`touch hit2`@m\n!touch "
				   "hit3\nEND\n$curve0 <<";
	struct tide_error err = {0, ""};
	char *text;

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(draw_named(name, "a.svg", &err), 0);
	text = read_file("a.svg");
	assert_non_null(strstr(text, "touch hit2"));
	free(text);
	assert_int_equal(count_files(), 1);
}

static void draws_panels_without_points(void **state)
{
	struct td_cli_curve none = {"none", xs, ys + 2, 1, NULL}, some = {"some", xs, ys, 4, NULL};
	struct td_cli_panel panels[] = {{.title = "first", .curves = &none, .n = 1},
					{.title = "second"},
					{.title = "third", .curves = &some, .n = 1}};
	char *text;

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(td_cli_plot(panels, 3, NULL, "a.svg", NULL), 0);
	text = read_file("a.svg");
	assert_non_null(strstr(text, "first"));
	assert_non_null(strstr(text, "third"));
	free(text);
}

/* Less is drawn than with lines; x ends where it is told to. */
static void draws_points_without_lines(void **state)
{
	struct td_cli_curve curve = {"dots", xs, ys, 4, NULL};
	struct td_cli_panel lines = {.curves = &curve, .n = 1, .x_most = 1000};
	struct td_cli_panel points = {.curves = &curve, .n = 1, .points = true, .x_most = 1000};
	char *text;

	(void)state;
	if (!has_gnuplot())
		skip();
	assert_int_equal(td_cli_plot(&points, 1, NULL, "a.svg", NULL), 0);
	assert_int_equal(td_cli_plot(&lines, 1, NULL, "b.svg", NULL), 0);
	text = read_file("a.svg");
	assert_non_null(strstr(text, "1000<"));
	size_t without = strlen(text);
	free(text);
	text = read_file("b.svg");
	assert_true(strlen(text) > without);
	free(text);
}

static void refuses_places(void **state)
{
	struct tide_error err = {0, ""};

	(void)state;
	assert_int_equal(draw_named("lru", "a.ps", &err), -EINVAL);
	assert_non_null(strstr(err.text, ".svg"));
	assert_int_equal(td_cli_plot_check(".svg", &err), -EINVAL);
	assert_int_equal(draw_named("lru", "no/such/a.svg", &err), -ENOENT);
	assert_int_equal(mkdir("d.svg", 0777), 0);
	assert_int_equal(td_cli_plot_check("d.svg", &err), -EEXIST);
	assert_int_equal(symlink("/dev/null", "l.svg"), 0);
	assert_int_equal(draw_named("lru", "l.svg", &err), -EEXIST);
	assert_int_equal(count_files(), 2);
}

static void says_that_gnuplot_is_missing(void **state)
{
	struct tide_error err = {0, ""};

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(td_cli_plot_check("a.svg", &err), -ENOENT);
	assert_non_null(strstr(err.text, "gnuplot-nox"));
	err.text[0] = '\0';
	assert_int_equal(draw_named("lru", "a.svg", &err), -ENOENT);
	assert_non_null(strstr(err.text, "gnuplot-nox"));
	assert_int_equal(count_files(), 0);
}

/* A figure from before stays as it was. */
static void leaves_nothing_half_written(void **state)
{
	struct tide_error err = {0, ""};
	FILE *old = fopen("a.svg", "w");
	char *text;

	(void)state;
	fputs("old", old);
	fclose(old);
	put_gnuplot("#!/bin/sh\necho '<svg>'\necho 'line 3: no such terminal' >&2\nexit 1\n");
	assert_int_equal(draw_named("lru", "a.svg", &err), -EIO);
	assert_non_null(strstr(err.text, "no such terminal"));
	put_gnuplot("#!/bin/sh\necho '<svg>'\n");
	assert_int_equal(draw_named("lru", "a.svg", &err), -EIO);
	assert_non_null(strstr(err.text, "whole"));
	text = read_file("a.svg");
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(count_files(), 2);
	put_gnuplot("#!/bin/sh\necho '<svg></svg>'\n");
	assert_int_equal(draw_named("lru", "a.svg", &err), 0);
	text = read_file("a.svg");
	assert_string_equal(text, "<svg></svg>\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(draws_as_asked, enter, leave),
		cmocka_unit_test_setup_teardown(draws_svg_and_png, enter, leave),
		cmocka_unit_test_setup_teardown(takes_names_as_they_are, enter, leave),
		cmocka_unit_test_setup_teardown(draws_panels_without_points, enter, leave),
		cmocka_unit_test_setup_teardown(draws_points_without_lines, enter, leave),
		cmocka_unit_test_setup_teardown(refuses_places, enter, leave),
		cmocka_unit_test_setup_teardown(says_that_gnuplot_is_missing, enter, leave),
		cmocka_unit_test_setup_teardown(leaves_nothing_half_written, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
