/* The figures of the GRAM and DEDU paper, drawn. */
#include <errno.h>
#include <stdlib.h>

#include "cli/plot.h"
#include "gram.h"

/* A panel: a figure over a study, a curve for each kind of pool. */
struct drawing {
	enum td_cli_gram_study study;
	const char *title, *x_label, *y_label;
	td_cli_gram_figure *figure; /* NULL: utility */
	enum td_cli_gram_how hows[GRAM_HOWS];
	unsigned n;
};

static const struct drawing drawings[] = {
	{GRAM_DEVICE,
	 "Figures 4a, 5b",
	 "K pages of device memory",
	 "reads of the file, %",
	 td_cli_gram_reads,
	 {GRAM_GRAM, GRAM_DEDU},
	 2},
	{GRAM_DEVICE,
	 "Figures 4b, 5c",
	 "K pages of device memory",
	 "reads saved, % per MB",
	 NULL,
	 {GRAM_GRAM, GRAM_DEDU},
	 2},
	{GRAM_SET,
	 "Figure 4c",
	 "K pages of working set",
	 "reads of the file, %",
	 td_cli_gram_reads,
	 {GRAM_NATIVE, GRAM_GRAM},
	 2},
	{GRAM_BATCH,
	 "Section 5.2",
	 "misses served together",
	 "ns a page, to or from the device",
	 td_cli_gram_move_ns,
	 {GRAM_GRAM},
	 1},
	{GRAM_FACTOR,
	 "Figure 5a",
	 "copies of each block",
	 "reads of the file, %",
	 td_cli_gram_reads,
	 {GRAM_DEDU},
	 1},
	{GRAM_UPDATES,
	 "Figure 5d",
	 "updates, %",
	 "reads of the file, %",
	 td_cli_gram_reads,
	 {GRAM_GRAM, GRAM_DEDU, GRAM_AUTO},
	 3},
	{GRAM_MACHINE,
	 "Figure 6",
	 "virtual machines",
	 "reads of the file, %",
	 td_cli_gram_reads,
	 {GRAM_NATIVE, GRAM_SHARED, GRAM_GRAM, GRAM_DEDU},
	 4},
	{GRAM_MACHINE,
	 "Figure 6",
	 "virtual machines",
	 "pages in use that share, %",
	 td_cli_gram_shared,
	 {GRAM_SHARED, GRAM_DEDU},
	 2},
};
#define DRAWINGS (sizeof drawings / sizeof *drawings)
#define POINTS_MAX 12

struct panel {
	struct td_cli_curve curves[GRAM_HOWS];
	double x[POINTS_MAX], y[GRAM_HOWS][POINTS_MAX];
};

static void fill(const struct td_cli_gram *g, const struct drawing *d, struct panel *p)
{
	const struct td_cli_gram_points *points = &td_cli_gram_points[d->study];

	for (unsigned h = 0; h < d->n; h++) {
		p->curves[h] = (struct td_cli_curve){.name = td_cli_gram_names[d->hows[h]],
						     .x = p->x,
						     .y = p->y[h],
						     .n = points->n};
		for (unsigned i = 0; i < points->n; i++) {
			unsigned x = points->x[i];
			p->x[i] = x;
			p->y[h][i] =
				d->figure ? td_cli_gram_value(g, d->figure, d->study, d->hows[h], x)
					  : td_cli_gram_utility(g, d->hows[h], x);
		}
	}
}

int td_cli_gram_plot(const struct td_cli_gram *g, struct tide_error *err)
{
	struct panel *data = calloc(DRAWINGS, sizeof *data);
	struct td_cli_panel panels[DRAWINGS];
	size_t n = 0;
	int rc;

	if (!data)
		return tide_fail(err, -ENOMEM, "no memory for the figure: free some");
	for (size_t i = 0; i < DRAWINGS; i++) {
		const struct drawing *d = &drawings[i];
		if (!td_cli_gram_has(g, d->study))
			continue;
		fill(g, d, &data[n]);
		panels[n] = (struct td_cli_panel){.title = d->title,
						  .x_label = d->x_label,
						  .y_label = d->y_label,
						  .curves = data[n].curves,
						  .n = d->n};
		n++;
	}
	rc = td_cli_plot(panels, n, NULL, g->args->plot, err);
	free(data);
	return rc;
}
