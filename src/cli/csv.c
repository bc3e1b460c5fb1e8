#include "csv.h"

#include "report/csv.h"

static const char near_bytes[] = "near_bytes";

/* A column: its head is its key, in this part of the document of a run. */
static const struct column {
	const char *part, *key; /* part NULL: at the top */
} columns[] = {
	{"input", "input"}, /* a trace or a workload */
	{"input", "format"},      {"input", "footprint_pages"}, {"config", "model"},
	{"config", "evict"},      {"config", "prefetch"},       {"config", "place"},
	{"config", "page_bytes"}, {"config", "chunk_bytes"},    {"config", "near_pages"},
	{"config", near_bytes},   {"config", "near_share"},     {"config", "host_pages"},
	{"config", "seed"},
#define TIDE_COUNTER(name, help) {"counts", #name},
#include "tide/counters.def"
#undef TIDE_COUNTER
	{NULL, "miss_ratio"},     {"time", "simulated_ns"},     {NULL, "tide"},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

void td_cli_csv_heads(void)
{
	for (size_t i = 0; i < COLUMNS; i++)
		printf("%s%s", i ? "," : "", columns[i].key);
	putchar('\n');
}

static const json_t *value_of(const json_t *run, const struct column *c)
{
	const json_t *part = c->part ? json_object_get(run, c->part) : run;
	const json_t *value = json_object_get(part, c->key);

	if (!value)
		value = json_object_get(part, "trace");
	return value ? value : json_object_get(part, "workload");
}

/* Near memory in bytes: as it was asked for where objects have sizes, else that of its pages. */
static void put_near_bytes(const json_t *run)
{
	const json_t *config = json_object_get(run, "config");
	const json_t *bytes = json_object_get(config, near_bytes);
	double pages = json_number_value(json_object_get(config, "near_pages"));
	double page = json_number_value(json_object_get(config, "page_bytes"));

	printf("%.0f", bytes ? json_number_value(bytes) : pages * page);
}

static void put_value(const json_t *value)
{
	if (json_is_string(value))
		td_report_csv(stdout, json_string_value(value));
	else if (json_is_integer(value))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		printf("%.15g", json_real_value(value));
}

void td_cli_csv_run(const json_t *run)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i)
			putchar(',');
		if (columns[i].key == near_bytes)
			put_near_bytes(run);
		else
			put_value(value_of(run, &columns[i]));
	}
	putchar('\n');
}

int td_cli_csv_sim(struct tide_sim *sim, struct tide_error *err)
{
	json_t *run;
	int rc = td_cli_load_run(sim, &run, err);

	if (rc)
		return rc;
	td_cli_csv_heads();
	td_cli_csv_run(run);
	json_decref(run);
	return 0;
}
