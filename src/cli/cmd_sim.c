/* tide sim: one run. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "csv.h"

struct sim_options {
	struct td_cli_given given;
	struct td_cli_setup setup;
	const char *evict, *prefetch, *policies, *place, *log, *preset, *progress;
	uint64_t jobs; /* 0: not given */
	bool json, csv;
};
#define TD_CLI_OPTIONS struct sim_options

static const struct td_cli_option options[] = {
	TD_CLI_SETUP_OPTIONS(setup, "trace to read; - is standard input", TD_CLI_ONE,
			     setup.near_size),
	TD_CLI_EVICT_AT(TD_CLI_ONE, evict,
			"policy that chooses the chunk to evict (lrm); see tide policies"),
	TD_CLI_PREFETCH_AT(TD_CLI_ONE, prefetch,
			   "policy that chooses the pages to bring in on a fault (tree)"),
	TD_CLI_POLICIES_AT(TD_CLI_ONE, policies),
	TD_CLI_PLACE_AT(TD_CLI_ONE, place,
			"policy that sends victims to host memory or storage (no host memory)"),
	TD_CLI_HOST_OPTION(setup),
	TD_CLI_FLUSH_AT(setup.flush),
	TD_CLI_PRESET_AT(preset),
	TD_CLI_SPLIT_AT(setup.split),
	{"jobs", 'j', TD_CLI_NUMBER, TD_CLI_AT(jobs), "N",
	 "with --split: parts that run at the same time (one per core)", TD_CLI_ANY},
	TD_CLI_OBJECTS_AT(setup.objects),
	TD_CLI_MODEL_OPTIONS(setup),
	TD_CLI_SEED_AT(setup.seed),
	{"log", 0, TD_CLI_TEXT, TD_CLI_AT(log), "FILE",
	 "write every decision to FILE, one JSON line each", TD_CLI_ANY},
	TD_CLI_ERRORS_OPTION(setup.replace_invalid),
	TD_CLI_WATCHDOG_OPTION(setup.watchdog),
	TD_CLI_JSON_OPTION,
	TD_CLI_CSV_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"There is no clock unless --model names one: faults are counted and take no time.\n"
	"Presets: gpu has pages of 64 KiB in chunks of 2 MiB, and tree; cache has single pages and no\n"
	"prefetch; block has chunks of 64 KiB that move as a whole. --policy and --sizes are other\n"
	"spellings of --evict and --near, in all verbs.\n\n"
	"Examples:\n"
	"  tide sim --workload zipf --near 50% --evict lru\n"
	"  tide sim --workload mvt --near 75% --evict mhpe --prefetch pattern --model cppe\n"
	"  tide sim --trace app.tide --near 512M --evict ./mine.so --prefetch sequential:n=32\n"
	"  tide sim --workload scanhot --near 10% --host 40% --place reuse\n"
	"  tide sim --trace io.csv --columns page=5,op=3 --near 1024p --chunk 4K --json\n";

/* Counts that say more as a share of another one, or of two together. */
static const struct {
	size_t part, of, plus;
} shares[] = {
#define AT(name) offsetof(struct tide_counts, name)
	{AT(hits), AT(accesses), 0},
	{AT(faults), AT(accesses), 0},
	{AT(prefetched_pages), AT(migrated_pages), 0},
	{AT(writeback_pages), AT(evicted_pages), 0},
	{AT(untouched_evicted_pages), AT(evicted_pages), 0},
	{AT(notices), AT(accesses), 0},
	{AT(remote_accesses), AT(accesses), 0},
	{AT(tier2_hits), AT(faults), 0},
	{AT(tier2_misses), AT(faults), 0},
	{AT(prefix_hits), AT(accesses), 0},
	{AT(bypassed), AT(faults), 0},
	{AT(hit_bytes), AT(hit_bytes), AT(fault_bytes)},
	{AT(fault_bytes), AT(hit_bytes), AT(fault_bytes)},
	{AT(hit_cost), AT(hit_cost), AT(fault_cost)},
	{AT(fault_cost), AT(hit_cost), AT(fault_cost)},
#undef AT
};

static uint64_t count_at(const struct tide_counts *counts, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const unsigned char *)counts + offset, sizeof value);
	return value;
}

static struct td_cli_number share_of(const struct tide_counts *counts, size_t offset)
{
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		if (shares[i].part == offset)
			return td_cli_share(
				count_at(counts, offset),
				count_at(counts, shares[i].of) +
					(shares[i].plus ? count_at(counts, shares[i].plus) : 0));
	return (struct td_cli_number){""};
}

/* Counts of things that did not happen are left out after those every run has. */
static int print_counts(const struct tide_counts *counts, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lrrl"};
	static const struct {
		const char *name, *help;
		size_t offset;
	} rows[] = {
#define TIDE_COUNTER(name, help) {#name, help, offsetof(struct tide_counts, name)},
#include "tide/counters.def"
#undef TIDE_COUNTER
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t value = count_at(counts, rows[i].offset);
		if (!value && rows[i].offset > offsetof(struct tide_counts, policy_errors))
			continue;
		td_cli_cell(&t, "%s", rows[i].name);
		td_cli_cell(&t, "%s", td_cli_grouped(value).text);
		td_cli_cell(&t, "%s", share_of(counts, rows[i].offset).text);
		td_cli_cell(&t, "%s", rows[i].help);
	}
	return td_cli_table_end(&t, err);
}

static void print_policies(const struct td_lib_summary *run)
{
	printf("policy  evict %s, prefetch %s, ", td_cli_name(run->evict).text,
	       td_cli_name(run->prefetch).text);
	if (run->place)
		printf("place %s, ", td_cli_name(run->place).text);
	printf("seed %s\n\n", td_cli_grouped(run->seed).text);
}

/* The parts of a split run. */
static int print_parts(const struct tide_sim *sim, struct tide_error *err)
{
	struct td_cli_table t = {.align = "rrrrrr"};
	static const char *const heads[] = {"stream",   "pages", "near",
					    "accesses", "hits",  "faults"};
	struct td_lib_part_summary part;

	if (!td_lib_sim_part(sim, 0, &part))
		return 0;
	putchar('\n');
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		td_cli_cell(&t, "%s", heads[i]);
	for (uint32_t i = 0; td_lib_sim_part(sim, i, &part); i++) {
		td_cli_cell(&t, "%" PRIu64, part.stream);
		td_cli_cell(&t, "%s", td_cli_grouped(part.footprint_pages).text);
		td_cli_cell(&t, "%s", td_cli_grouped(part.near_pages).text);
		td_cli_cell(&t, "%s", td_cli_grouped(part.counts.accesses).text);
		td_cli_cell(&t, "%s", td_cli_share(part.counts.hits, part.counts.accesses).text);
		td_cli_cell(&t, "%s", td_cli_grouped(part.counts.faults).text);
	}
	return td_cli_table_end(&t, err);
}

/* What the policies report, whatever it is, a line each. */
static int print_report(const struct tide_sim *sim, struct tide_error *err)
{
	struct td_cli_table t = {.align = "ll"};
	json_t *report = td_lib_sim_policy(sim), *value;
	const char *key;

	json_object_foreach(report, key, value)
	{
		td_cli_cell(&t, "%s", key);
		td_cli_value_cell(&t, value);
	}
	json_decref(report);
	if (t.n)
		printf("\nThe policies report:\n");
	return td_cli_table_end(&t, err);
}

/* Where the simulated time went, of a timed run; what did not happen is left out. */
static int print_time(const struct td_lib_summary *run, struct tide_error *err)
{
	const struct {
		const char *name, *help;
		uint64_t value;
	} rows[] = {
#define TIDE_TIME(name, help) {#name, help, run->time.name},
#include "tide/times.def"
#undef TIDE_TIME
	};
	struct td_cli_table t = {.align = "lrl"};

	if (!run->time.simulated_ns)
		return 0;
	printf("\nUnder the model %s it took %.6f s:\n", run->model,
	       (double)run->time.simulated_ns / 1e9);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].value)
			continue;
		td_cli_cell(&t, "%s", rows[i].name);
		td_cli_cell(&t, "%s", td_cli_grouped(rows[i].value).text);
		td_cli_cell(&t, "%s", rows[i].help);
	}
	return td_cli_table_end(&t, err);
}

static int print_run(const struct tide_sim *sim, const struct sim_options *o,
		     struct tide_error *err)
{
	struct td_lib_summary run;
	int rc;

	td_lib_summarize(sim, &run);
	td_cli_print_setup(&run);
	td_cli_note_sizes(&o->setup.in, o->setup.objects);
	print_policies(&run);
	rc = print_counts(&run.counts, err);
	if (!rc)
		rc = print_parts(sim, err);
	if (!rc)
		rc = print_report(sim, err);
	if (!rc)
		rc = print_time(&run, err);
	printf("\nspeed   %.3f s, %.1f million accesses/s\n", run.seconds,
	       (double)run.accesses_per_second / 1e6);
	return rc;
}

static int print_text(struct tide_sim *sim, struct tide_error *err)
{
	char *text;
	int rc = tide_sim_json(sim, &text, err);

	if (rc)
		return rc;
	puts(text);
	free(text);
	return 0;
}

/* The policies and the world that they run in. */
static int set_policies(const struct sim_options *o, struct td_cli_pair_room *room,
			struct tide_sim_options *out, struct tide_error *err)
{
	struct td_cli_world world = {out->page, out->chunk, o->prefetch};
	int rc;

	out->evict = o->evict;
	out->place = o->place;
	rc = td_cli_pair_take(o->policies, room, &out->evict, &world.prefetch, err);
	if (!rc)
		rc = td_cli_preset(o->preset, &world, err);
	out->page = world.page;
	out->chunk = world.chunk;
	out->prefetch = world.prefetch;
	return rc;
}

/* The options as the library takes them. */
static int set_up(const struct sim_options *o, struct td_cli_pair_room *room,
		  struct tide_sim_options *out, struct tide_error *err)
{
	int rc = td_cli_setup(&o->setup, out, err);

	if (!rc)
		rc = td_cli_check_form(o->json, o->csv, err);
	if (rc)
		return rc;
	if (o->log && strcmp(o->log, "-") == 0)
		return tide_fail(
			err, -EINVAL,
			"--log - would be among the results on standard output: give a file");
	if (o->jobs && !o->setup.split)
		return tide_fail(err, -EINVAL,
				 "--jobs is how many parts of --split run at a time: leave it out "
				 "without --split");
	out->log = o->log;
	out->threads = (size_t)o->jobs;
	out->no_digest = !o->json;
	return set_policies(o, room, out, err);
}

static int run(const void *given, struct tide_error *err)
{
	const struct sim_options *o = given;
	struct tide_sim_options run = {.size = sizeof run};
	struct td_cli_pair_room room;
	struct td_cli_progress progress;
	struct tide_sim *sim = NULL;
	int rc = set_up(o, &room, &run, err);

	if (!rc)
		rc = td_cli_progress_start(&progress, o->progress, "sim", err);
	if (!rc)
		rc = td_cli_open_sim(&sim, &run, err);
	if (rc)
		return rc;
	rc = tide_sim_run(sim, td_cli_progress_show, &progress, err);
	td_cli_progress_end(&progress);
	if (!rc)
		rc = o->csv    ? td_cli_csv_sim(sim, err)
		     : o->json ? print_text(sim, err)
			       : print_run(sim, o, err);
	tide_sim_close(sim);
	return rc;
}

const struct td_cli_verb td_cli_verb_sim = {
	.name = "sim",
	.order = 10,
	.synopsis = "(--trace FILE | --workload SPEC) --near SIZE [OPTIONS]",
	.summary = "Run a trace or a workload under one combination of policies",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct sim_options),
	.run = run,
};
