/* Results that do not stand: what there was, and why it is not compared. */
#include <string.h>

#include "model.h"

const char *td_report_state_name(enum td_report_state state)
{
	static const char *const names[] = {"", "conflicts", "outdated"};

	return names[state];
}

static void put_why(const struct td_report *r, const struct td_report_run *run,
		    struct td_report_table *to)
{
	const struct td_report_run *stands = &r->runs[run->instead - 1];
	char why[200];

	if (run->state == TD_REPORT_CONFLICTS)
		snprintf(why, sizeof why,
			 "conflicts: run %u has the same input, settings and version of tide, and "
			 "other numbers",
			 stands->number);
	else
		snprintf(why, sizeof why, "outdated: run %u has the numbers of tide %.40s",
			 stands->number, r->versions.at[stands->version]);
	td_report_put_text(to, why);
}

static void put_row(const struct td_report *r, const struct td_report_run *run,
		    struct td_report_table *to)
{
	td_report_put_row(to, false);
	td_report_put_number(to, run->number, td_report_grouped(run->number).text);
	td_report_put_text(to, r->files.at[run->file]);
	td_report_put_text(to, r->inputs.at[run->input]);
	td_report_put_text(to, r->combinations.at[run->combination]);
	td_report_put_number(to, (double)run->counts[TD_REPORT_faults],
			     td_report_grouped(run->counts[TD_REPORT_faults]).text);
	td_report_put_text(to, r->versions.at[run->version]);
	put_why(r, run, to);
}

void td_report_put_aside(const struct td_report *r, FILE *to)
{
	static const char *const heads[] = {"#run",    "file", "input", "combination",
					    "#faults", "tide", "why",   NULL};
	struct td_report_table t;

	td_report_put_heads(&t, "Results that are not compared", heads, to);
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->runs[i].state != TD_REPORT_STANDS)
			put_row(r, &r->runs[i], &t);
	td_report_put_foot(&t, "results", "runs.csv");
}
