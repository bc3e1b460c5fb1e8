/* The applications of tide gpu bench as a table: one line per run, then the means. */
#include <math.h>

#include "show.h"

static void add_headers(struct td_cli_table *t, const char *const *names)
{
	for (; *names; names++)
		td_cli_cell(t, "%s", *names);
}

/* "-" for what is not known. */
static void add_ratio(struct td_cli_table *t, double ratio)
{
	td_cli_cell(t, "%s", td_gpu_real_shown("ratio", ratio > 0 ? ratio : NAN).text);
}

static void add_known(struct td_cli_table *t, bool known, const char *text)
{
	td_cli_cell(t, "%s", known ? text : "-");
}

static const char *verdict(const struct td_gpu_run *r)
{
	if (*r->error)
		return r->error;
	return r->verified > 0 ? "yes" : r->verified == 0 ? "WRONG" : "not checked";
}

static double accuracy(const struct tide_gpu_stats *s)
{
	return s->predictions_judged ? (double)s->predictions_right / (double)s->predictions_judged
				     : NAN;
}

/* Shares of nothing are left out. */
static void add_run(struct td_cli_table *t, const struct td_gpu_run *r)
{
	const struct tide_counts *n = &r->stats.counts;

	td_cli_cell(t, "%s", r->app);
	td_cli_cell(t, "%s", r->label);
	td_cli_cell(t, "%g", r->oversubscribe);
	add_known(t, r->data_bytes, td_cli_bytes(r->data_bytes).text);
	add_known(t, r->time_ns, td_gpu_real_shown("time_ns", (double)r->time_ns).text);
	add_ratio(t, r->speedup);
	td_cli_cell(t, "%s", td_cli_share(n->hits, n->accesses).text);
	td_cli_cell(t, "%s", td_cli_share(n->tier2_hits, n->tier2_hits + n->tier2_misses).text);
	td_cli_cell(t, "%s", td_cli_grouped(n->tier3_reads).text);
	td_cli_cell(t, "%s", td_gpu_real_shown("accuracy_share", accuracy(&r->stats)).text);
	td_cli_cell(t, "%s", verdict(r));
}

static void show_means(const struct td_gpu_apps *a)
{
	struct td_cli_table t = {.align = "lrrr"};

	if (!a->means_n)
		return;
	printf("\ngeometric means over bam\n");
	add_headers(&t, (const char *const[]){"place", "x", "speedup", "apps", NULL});
	for (size_t i = 0; i < a->means_n; i++) {
		td_cli_cell(&t, "%s", a->means[i].place);
		td_cli_cell(&t, "%g", a->means[i].oversubscribe);
		add_ratio(&t, a->means[i].speedup);
		td_cli_cell(&t, "%s", td_cli_grouped(a->means[i].apps).text);
	}
	td_cli_table_end(&t, NULL);
}

/* Where the processor decided, it may have been by another policy than was asked for. */
static void show_ejected(const struct td_gpu_run *r)
{
	if (*r->stats.ejected)
		printf("%s, %s: ejected %s, after invalid answers\n", r->app, r->label,
		       td_cli_shown(r->stats.ejected).text);
}

void td_gpu_show_apps(const struct td_gpu_apps *a)
{
	struct td_cli_table t = {.align = "llrrrrrrrrl"};

	if (!a->runs_n)
		return;
	printf("\n");
	add_headers(&t,
		    (const char *const[]){"app", "place", "x", "data", "time", "speedup", "tier 1",
					  "tier 2", "tier 3 reads", "accuracy", "verified", NULL});
	for (size_t i = 0; i < a->runs_n; i++)
		add_run(&t, &a->runs[i]);
	td_cli_table_end(&t, NULL);
	for (size_t i = 0; i < a->runs_n; i++)
		show_ejected(&a->runs[i]);
	show_means(a);
}
