/* The applications of tide gpu bench as a table: one line per run, then the means. */
#include <string.h>

#include "show.h"

static uint64_t count(const json_t *run, const char *name)
{
	const json_t *counts = json_object_get(run, "counts");

	return (uint64_t)json_integer_value(json_object_get(counts, name));
}

static void add_headers(struct td_cli_table *t, const char *const *names)
{
	for (; *names; names++)
		td_cli_cell(t, "%s", *names);
}

static void add_ratio(struct td_cli_table *t, const json_t *ratio)
{
	if (json_is_number(ratio))
		td_cli_cell(t, "%.2fx", json_number_value(ratio));
	else
		td_cli_cell(t, "-");
}

static const char *verdict(const json_t *run)
{
	const json_t *verified = json_object_get(run, "verified");

	if (*td_gpu_text(run, "error"))
		return td_gpu_text(run, "error");
	return json_is_true(verified) ? "yes" : json_is_false(verified) ? "WRONG" : "not checked";
}

/* Shares of nothing are left out. */
static void add_run(struct td_cli_table *t, const json_t *run)
{
	uint64_t accesses = count(run, "accesses"), tier2 = count(run, "tier2_hits");
	const json_t *accuracy = json_object_get(run, "accuracy");

	td_cli_cell(t, "%s", td_gpu_text(run, "app"));
	td_cli_cell(t, "%s", td_gpu_text(run, "place"));
	td_cli_cell(t, "%g", json_number_value(json_object_get(run, "oversubscribe")));
	td_cli_cell(t, "%s", td_gpu_shown("data_bytes", json_object_get(run, "data_bytes")).text);
	td_cli_cell(t, "%s", td_gpu_shown("time_ns", json_object_get(run, "time_ns")).text);
	add_ratio(t, json_object_get(run, "speedup"));
	td_cli_cell(t, "%s", td_cli_share(count(run, "hits"), accesses).text);
	td_cli_cell(t, "%s", td_cli_share(tier2, tier2 + count(run, "tier2_misses")).text);
	td_cli_cell(t, "%s", td_cli_grouped(count(run, "tier3_reads")).text);
	td_cli_cell(t, "%s", td_gpu_shown("accuracy_share", accuracy).text);
	td_cli_cell(t, "%s", verdict(run));
}

static void show_means(const json_t *means)
{
	struct td_cli_table t = {.align = "lrrr"};
	const json_t *mean;
	size_t i;

	if (!json_array_size(means))
		return;
	printf("\ngeometric means over bam\n");
	add_headers(&t, (const char *const[]){"place", "x", "speedup", "apps", NULL});
	json_array_foreach(means, i, mean)
	{
		td_cli_cell(&t, "%s", td_gpu_text(mean, "place"));
		td_cli_cell(&t, "%g", json_number_value(json_object_get(mean, "oversubscribe")));
		add_ratio(&t, json_object_get(mean, "speedup"));
		td_cli_cell(&t, "%s", td_gpu_shown("apps", json_object_get(mean, "apps")).text);
	}
	td_cli_table_end(&t, NULL);
}

void td_gpu_show_apps(const json_t *apps)
{
	struct td_cli_table t = {.align = "llrrrrrrrrl"};
	const json_t *runs = json_object_get(apps, "runs"), *run;
	size_t i;

	if (!json_array_size(runs))
		return;
	printf("\n");
	add_headers(&t,
		    (const char *const[]){"app", "place", "x", "data", "time", "speedup", "tier 1",
					  "tier 2", "tier 3 reads", "accuracy", "verified", NULL});
	json_array_foreach(runs, i, run)
	{
		add_run(&t, run);
	}
	td_cli_table_end(&t, NULL);
	show_means(json_object_get(apps, "means"));
}
