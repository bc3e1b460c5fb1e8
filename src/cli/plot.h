/* Figures, drawn by gnuplot, or of characters. */
#ifndef TD_CLI_PLOT_H
#define TD_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/style.h"

/* Numbers that are not finite are left out. Names may hold anything. */
struct td_cli_curve {
	const char *name;
	const double *x, *y;
	size_t n;
	const double *error; /* of y; NULL: none */
};

/* One set of axes. y begins at 0, as does x. */
struct td_cli_panel {
	const char *title, *x_label, *y_label; /* NULL: none */
	const struct td_cli_curve *curves;
	size_t n;
	bool points;   /* each on its own, not joined by lines */
	double x_most; /* where x ends; 0: with the curves */
};

/* Whether a figure could be drawn to path, which ends in .svg, .pdf or .png: asked before a long
 * run, so that a misspelt ending or a missing gnuplot is said at once. */
int td_cli_plot_check(const char *path, struct tide_error *err);

/* Draws the panels, side by side two and two, and puts the figure at path, whole or not at all. A
 * file of that name is replaced. look NULL: a panel is as wide as a column. */
int td_cli_plot(const struct td_cli_panel *panels, size_t n, const struct td_report_look *look,
		const char *path, struct tide_error *err);

/* The options of a figure, for verbs with --plot. */
/* clang-format off */
#define TD_CLI_WIDTH_OPTION \
	{"width", 0, TD_CLI_TEXT, TD_CLI_AT(width), "WIDTH", \
	 "of the figure, in in, cm, mm or pt (3.33in, a column)", TD_CLI_ANY}
#define TD_CLI_COLOURS_OPTION \
	{"colours", 0, TD_CLI_TEXT, TD_CLI_AT(colours), "LIST", \
	 "of the series: grey, or a list such as '#015a94,#f0962d'", TD_CLI_ANY}
/* clang-format on */
int td_cli_plot_look(struct td_report_look *look, const char *plot, const char *width,
		     const char *colours, struct tide_error *err);

/* plot_text.c: prints the panel, of characters. */
void td_cli_plot_text(const struct td_cli_panel *panel);

#endif
