/* tide workloads: what there is. */
#include <string.h>

#include "cli.h"

const struct td_cli_option td_cli_workloads_options[] = {
	TD_CLI_JSON_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

const char td_cli_workloads_more[] =
	"A workload is written NAME or NAME:KEY=VALUE,KEY=VALUE after --workload. Footprint and\n"
	"accesses are those of the default size with pages of 4 KiB.\n\n"
	"Examples:\n"
	"  tide workloads\n"
	"  tide workloads zipf\n"
	"  tide workloads --json\n";

static json_t *workload_json(const struct tide_workload_info *w)
{
	json_t *published =
		w->published_bytes ? json_integer((json_int_t)w->published_bytes) : json_null();

	return json_pack("{ss ss ss sI so sI so}", "name", w->name, "paper", w->paper, "type",
			 w->type, "footprint_bytes", (json_int_t)w->footprint_bytes,
			 "published_bytes", published, "accesses", (json_int_t)w->accesses,
			 "params", td_cli_params_json(w->params));
}

static int print_json(const char *only, struct tide_error *err)
{
	json_t *list = json_array();
	struct tide_workload_info w;

	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++)
		if (!only || strcmp(only, w.name) == 0)
			json_array_append_new(list, workload_json(&w));
	return td_cli_print_json(json_pack("{so}", "workloads", list), err);
}

static int print_all(struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrrlll"};
	static const char *const heads[] = {"name", "footprint", "accesses",
					    "type", "summary",   "paper"};
	struct tide_workload_info w;

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		td_cli_cell(&t, "%s", heads[i]);
	for (size_t i = 0; tide_workload_at(i, &w) == 0; i++) {
		td_cli_cell(&t, "%s", w.name);
		td_cli_cell(&t, "%s", td_cli_bytes(w.footprint_bytes).text);
		td_cli_cell(&t, "%s", td_cli_grouped(w.accesses).text);
		td_cli_cell(&t, "%s", w.type);
		td_cli_cell(&t, "%s", w.summary);
		td_cli_cell(&t, "%s", w.paper);
	}
	return td_cli_table_end(&t, err);
}

static int print_one(const struct tide_workload_info *w, struct tide_error *err)
{
	printf("%s (%s): %s\n\npaper      %s\nfootprint  %s", w->name, w->type, w->summary,
	       w->paper, td_cli_bytes(w->footprint_bytes).text);
	if (w->published_bytes)
		printf(" (published: %s)", td_cli_bytes(w->published_bytes).text);
	printf("\naccesses   %s\n", td_cli_grouped(w->accesses).text);
	return td_cli_print_params(w->params, err);
}

static int find(const char *name, struct tide_workload_info *w, struct tide_error *err)
{
	const char *names[256];
	size_t n = 0;

	for (; n < 256 && tide_workload_at(n, w) == 0; n++) {
		if (strcmp(w->name, name) == 0)
			return 0;
		names[n] = w->name;
	}
	return td_cli_unknown("workload", name, names, n, err);
}

int td_cli_workloads(const struct td_cli_args *args, struct tide_error *err)
{
	const char *name = args->words.n ? args->words.at[0] : NULL;
	struct tide_workload_info w;
	int rc = name ? find(name, &w, err) : 0;

	if (rc)
		return rc;
	if (args->json)
		return print_json(name, err);
	return name ? print_one(&w, err) : print_all(err);
}
