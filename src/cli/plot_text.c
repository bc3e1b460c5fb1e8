/* A figure of characters, for a terminal or a mail. It needs no gnuplot. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "plot.h"

#define COLUMNS 64
#define STEPS 5
#define ROWS (3 * STEPS + 1) /* a number at every third, from the lowest on */
#define MARKS "*+xo#@%&=~^:" /* one per curve, again and again */

struct canvas {
	double x_most, y_most;
	char at[ROWS][COLUMNS + 1];
};

static bool is_point(const struct td_cli_curve *c, size_t i)
{
	return isfinite(c->x[i]) && isfinite(c->y[i]) && c->x[i] >= 0 && c->y[i] >= 0;
}

/* Where an axis ends that begins at 0 and has steps that people can read. */
static double rounded_up(double most)
{
	static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
	double unit = pow(10, floor(log10(most / STEPS)));
	size_t i = 0;

	while (i < 9 && steps[i] * unit * STEPS < most * (1 - 1e-9))
		i++;
	return steps[i] * unit * STEPS;
}

/* Where the axes end: with the curves, unless the panel says it. */
static void find_ends(struct canvas *to, const struct td_cli_panel *panel)
{
	to->x_most = panel->x_most;
	for (size_t c = 0; c < panel->n; c++)
		for (size_t i = 0; i < panel->curves[c].n; i++) {
			if (!is_point(&panel->curves[c], i))
				continue;
			if (panel->x_most <= 0)
				to->x_most = fmax(to->x_most, panel->curves[c].x[i]);
			to->y_most = fmax(to->y_most, panel->curves[c].y[i]);
		}
	to->x_most = to->x_most > 0 ? to->x_most : 1;
	to->y_most = rounded_up(to->y_most > 0 ? to->y_most : 1);
}

/* x and y as shares of their axes; what is beyond them is left out. */
static void put(struct canvas *to, double x, double y, char mark)
{
	if (x >= 0 && x <= 1 && y >= 0 && y <= 1)
		to->at[ROWS - 1 - lround(y * (ROWS - 1))][lround(x * (COLUMNS - 1))] = mark;
}

/* From the point before to this one, a mark in every column. */
static void put_line(struct canvas *to, double x0, double y0, double x1, double y1, char mark)
{
	long steps = lround(fmin(fabs(x1 - x0), 1) * (COLUMNS - 1)) + 1;

	for (long i = 0; i <= steps; i++) {
		double part = (double)i / (double)steps;
		put(to, x0 + part * (x1 - x0), y0 + part * (y1 - y0), mark);
	}
}

static void put_curve(struct canvas *to, const struct td_cli_curve *c, bool points, char mark)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < c->n; i++) {
		if (!is_point(c, i))
			continue;
		size_t from = points || last == SIZE_MAX ? i : last;
		put_line(to, c->x[from] / to->x_most, c->y[from] / to->y_most, c->x[i] / to->x_most,
			 c->y[i] / to->y_most, mark);
		last = i;
	}
}

static void print_canvas(const struct canvas *from)
{
	for (int row = 0; row < ROWS; row++) {
		int used = COLUMNS;
		while (used && from->at[row][used - 1] == ' ')
			used--;
		if (row % 3 == 0)
			printf("%8.3g |", from->y_most * (ROWS - 1 - row) / (ROWS - 1));
		else
			printf("%8s |", "");
		printf("%.*s\n", used, from->at[row]);
	}
}

static void print_x_axis(const struct canvas *from, const char *label)
{
	struct td_cli_number end = {"many"};

	if (from->x_most < 0x1p63)
		end = td_cli_grouped((uint64_t)from->x_most);
	printf("%8s +", "");
	for (int i = 0; i < COLUMNS; i++)
		putchar('-');
	printf("\n%8s  0%*s\n", "", COLUMNS - 1, end.text);
	printf("%8s  %s\n", "", label ? label : "");
}

void td_cli_plot_text(const struct td_cli_panel *panel)
{
	struct canvas canvas = {.y_most = 0};

	find_ends(&canvas, panel);
	for (int row = 0; row < ROWS; row++)
		memset(canvas.at[row], ' ', COLUMNS);
	for (size_t c = 0; c < panel->n; c++)
		put_curve(&canvas, &panel->curves[c], panel->points, MARKS[c % strlen(MARKS)]);
	printf("%8s  %s\n", "", panel->y_label ? panel->y_label : "");
	print_canvas(&canvas);
	print_x_axis(&canvas, panel->x_label);
	printf("%8s", "");
	for (size_t c = 0; c < panel->n; c++)
		printf("  %c %s", MARKS[c % strlen(MARKS)],
		       td_cli_name(panel->curves[c].name).text);
	putchar('\n');
}
