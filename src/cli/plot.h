/* Figures, drawn by gnuplot. */
#ifndef TD_CLI_PLOT_H
#define TD_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/error.h"

/* Numbers that are not finite are left out. Names may hold anything. */
struct td_cli_curve {
	const char *name;
	const double *x, *y;
	size_t n;
};

/* One set of axes. y begins at 0, as does x. */
struct td_cli_panel {
	const char *title, *x_label, *y_label; /* NULL: none */
	const struct td_cli_curve *curves;
	size_t n;
	bool points;   /* each on its own, not joined by lines */
	double x_most; /* where x ends; 0: with the curves */
};

/* Whether a figure could be drawn to path, which ends in .svg or .png: asked before a long run, so
 * that a misspelt ending or a missing gnuplot is said at once. */
int td_cli_plot_check(const char *path, struct tide_error *err);

/* Draws the panels, side by side two and two, and puts the figure at path, whole or not at all. A
 * file of that name is replaced. */
int td_cli_plot(const struct td_cli_panel *panels, size_t n, const char *path,
		struct tide_error *err);

#endif
