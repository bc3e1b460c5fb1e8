/* tide compare: the same input under several combinations of policies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "compare.h"
#include "csv.h"
#include "tide/policy.h"

#define TD_CLI_OPTIONS struct td_cli_compare_options

static const struct td_cli_option options[] = {
	TD_CLI_SETUP_OPTIONS(setup, "trace to read", TD_CLI_LIST, near_size),
	TD_CLI_EVICTS_AT(
		evict,
		"policy that chooses the chunk to evict, or all that can run (eight of them, others where "
		"chunks are single pages); see tide policies"),
	TD_CLI_PREFETCH_AT(TD_CLI_LIST, prefetch,
			   "policy that chooses the pages to bring in on a fault (tree)"),
	TD_CLI_PLACE_AT(TD_CLI_LIST, place, "policy that says where victims go, with --host"),
	TD_CLI_HOST_OPTION(setup),
	TD_CLI_FLUSH_AT(setup.flush),
	TD_CLI_POLICIES_AT(TD_CLI_LIST, policies),
	TD_CLI_PRESET_AT(preset),
	TD_CLI_SPLIT_AT(setup.split),
	TD_CLI_OBJECTS_AT(setup.objects),
	TD_CLI_MODEL_OPTIONS(setup),
	TD_CLI_SEED_AT(setup.seed),
	TD_CLI_ERRORS_OPTION(setup.replace_invalid),
	TD_CLI_WATCHDOG_OPTION(setup.watchdog),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_CSV_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Every --evict is combined with every --prefetch; --policies adds single combinations. Every\n"
	"--near has a table. {lru,arc} and {25..75..25}% in a value stand for several: quote them.\n"
	"An asterisk marks the combination with the fewest faults, and the column \"x best\" compares\n"
	"the others with it. With --model the shortest time is best. With --place and --host the\n"
	"fewest pages read from storage and written to it are best. If the input has groups, such\n"
	"as requests, the column \"prefix\" has the hits before the first miss of each group.\n"
	"With --objects there are also hits by bytes and by cost.\n\n"
	"Examples:\n"
	"  tide compare --workload zipf --near 50%\n"
	"  tide compare --trace app.tide --near '{256,512}M' --evict '{lru,lrm}' --prefetch none\n"
	"  tide compare --workload scanhot --near 10% --host 40% --place bam --place reuse\n"
	"  tide compare --workload cyclic --near 75% --policies lrm+tree --policies mru+locality\n"
	"  tide compare --workload srd --near 75% --model cppe --policies lrm+locality "
	"--policies mhpe+pattern\n";

/* Whether a policy can be tried without its input: not where it wants to see the future, nor
 * where only its file can tell. */
static bool can_try(const char *spec)
{
	size_t n = strcspn(spec, ":");
	const struct tide_policy *p;

	for (size_t i = 0; (p = tide_policy_at(i)); i++)
		if (strlen(p->name) == n && memcmp(p->name, spec, n) == 0 &&
		    (p->needs & TIDE_NEEDS_FUTURE))
			return false;
	return !memchr(spec, '/', n);
}

/* A misspelt policy is found before the first run, not after hours of them. */
static int try_all(const struct td_cli_comparison *all, const struct td_cli_compare_options *args,
		   struct tide_error *err)
{
	for (size_t i = 0; i < all->pairs.per_size; i++) {
		const struct td_cli_pair *pair = &all->pairs.at[i];
		struct tide_sim_options options = {.size = sizeof options,
						   .near_size = "64p",
						   .page = args->setup.page,
						   .chunk = args->setup.chunk,
						   .evict = pair->evict,
						   .prefetch = pair->prefetch,
						   .place = pair->place,
						   .host = args->setup.host ? "64p" : NULL,
						   .objects = args->setup.objects};
		struct tide_sim *sim;
		int rc;
		if (!can_try(pair->evict) || !can_try(pair->prefetch))
			continue;
		rc = td_cli_open_sim(&sim, &options, err);
		if (rc)
			return rc;
		tide_sim_close(sim);
	}
	return 0;
}

static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	struct td_cli_comparison *all = arg;

	pthread_mutex_lock(&all->lock);
	run->facts = all->facts;
	pthread_mutex_unlock(&all->lock);
	run->options = *all->options;
	run->reading = all->reading;
	run->options.near_size = all->pairs.at[i].near_size;
	run->options.evict = all->pairs.at[i].evict;
	run->options.prefetch = all->pairs.at[i].prefetch;
	run->options.place = all->pairs.at[i].place;
	return true;
}

/* The digest that one run has made, later ones need not make. Other facts that it found stay its
 * own: the document must not depend on which run ended first. */
static void end(void *arg, size_t i, struct td_cli_run *run)
{
	struct td_cli_comparison *all = arg;

	pthread_mutex_lock(&all->lock);
	if (!run->rc)
		memcpy(all->facts.digest, run->facts.digest, sizeof run->facts.digest);
	pthread_mutex_unlock(&all->lock);
	all->runs[i] = *run;
	run->json = NULL;
}

/* What is wrong with the options is said before all runs; what the first run finds out about the
 * input is for the others too. */
static int look(struct td_cli_comparison *all, struct tide_error *err)
{
	struct td_cli_run first = {.rc = 0};
	struct tide_sim *sim;
	int rc;

	begin(all, 0, &first);
	rc = td_cli_open_shared(&sim, &first.options, all->reading, err);
	if (rc)
		return rc;
	all->facts.size = sizeof all->facts;
	tide_sim_facts(sim, &all->facts, NULL);
	tide_sim_close(sim);
	return 0;
}

/* Of the runs of one size. A run that had to know the footprint can say it. */
static void print_setup(const struct td_cli_comparison *all, size_t first)
{
	const struct td_cli_run *best = NULL;

	for (size_t i = first; i < first + all->pairs.per_size; i++) {
		const struct td_cli_run *run = &all->runs[i];
		bool says = !run->rc && run->summary.footprint_pages != UINT64_MAX;
		if (!run->rc && (!best || says))
			best = run;
		if (says)
			break;
	}
	if (!best)
		return;
	struct td_lib_summary summary = best->summary;
	/* The run is closed, and its texts are gone. */
	summary.place = all->pairs.at[best - all->runs].place;
	summary.split = all->options->split;
	summary.input = all->options->trace ? all->options->trace : all->options->workload;
	td_cli_print_setup(&summary);
	td_cli_note_sizes(&(struct td_cli_input){.trace = all->options->trace,
						 .format = all->options->format,
						 .columns = all->options->columns},
			  all->options->objects);
	putchar('\n');
}

/* All runs have the same input: what one of them knows of it, all say. */
static void share_input(const struct td_cli_comparison *all)
{
	json_t *known = json_object(), *value;
	const char *key;

	for (size_t i = 0; i < all->pairs.n; i++)
		json_object_foreach(json_object_get(all->runs[i].json, "input"), key, value)
		{
			if (!json_is_null(value))
				json_object_set(known, key, value);
		}
	for (size_t i = 0; i < all->pairs.n; i++)
		json_object_update_existing(json_object_get(all->runs[i].json, "input"), known);
	json_decref(known);
}

static int print_json(const struct td_cli_comparison *all, struct tide_error *err)
{
	json_t *list = json_array();

	share_input(all);
	for (size_t i = 0; i < all->pairs.n; i++)
		if (all->runs[i].json)
			json_array_append(list, all->runs[i].json);
	return td_cli_print_json(
		json_pack("{ss ss so}", "tide", tide_version(), "verb", "compare", "runs", list),
		err);
}

static void print_csv(const struct td_cli_comparison *all)
{
	share_input(all);
	td_cli_csv_heads();
	for (size_t i = 0; i < all->pairs.n; i++)
		if (all->runs[i].json)
			td_cli_csv_run(all->runs[i].json);
}

static int print_result(const struct td_cli_comparison *all,
			const struct td_cli_compare_options *args, struct tide_error *err)
{
	int rc = 0;

	if (args->json)
		return print_json(all, err);
	if (args->csv) {
		print_csv(all);
		return 0;
	}
	for (size_t i = 0; i < all->pairs.n && !rc; i += all->pairs.per_size) {
		if (td_cli_least_cost(all, i, all->pairs.per_size) == UINT64_MAX)
			continue;
		if (i)
			putchar('\n');
		print_setup(all, i);
		rc = td_cli_compare_table(all, i, err);
	}
	return rc;
}

/* One error for all: of several failed runs, the first is told, and how many there are. */
static int first_failure(const struct td_cli_comparison *all, struct tide_error *err)
{
	size_t failed = 0, first = 0;

	for (size_t i = all->pairs.n; i-- > 0;)
		if (all->runs[i].rc) {
			failed++;
			first = i;
		}
	if (!failed)
		return 0;
	return tide_fail(err, all->runs[first].rc, "%s+%s (%zu of %zu runs failed): %.400s",
			 all->pairs.at[first].evict, all->pairs.at[first].prefetch, failed,
			 all->pairs.n, all->runs[first].err.text);
}

static int compare(struct td_cli_comparison *all, const struct td_cli_compare_options *args,
		   struct tide_sim_options *options, struct tide_error *err)
{
	struct td_cli_runs runs = {.n = all->pairs.n,
				   .jobs = (size_t)args->jobs,
				   .begin = begin,
				   .end = end,
				   .arg = all,
				   .progress = &all->progress};
	int rc = try_all(all, args, err);

	all->options = options;
	if (!rc)
		rc = look(all, err);
	if (!rc)
		rc = td_cli_runs_do(&runs, err);
	if (rc)
		return rc;
	td_cli_progress_end(&all->progress);
	rc = first_failure(all, err);
	/* Bad usage that only a run could find prints nothing, as does a failure of all. */
	if (rc == -EINVAL || td_cli_least_cost(all, 0, all->pairs.n) == UINT64_MAX)
		return rc;
	if (print_result(all, args, rc ? NULL : err))
		return -ENOMEM;
	return rc;
}

static void release(struct td_cli_comparison *all)
{
	for (size_t i = 0; all->runs && i < all->pairs.n; i++)
		json_decref(all->runs[i].json);
	free(all->runs);
	td_lib_reading_free(all->reading);
	td_cli_combinations_free(&all->pairs);
}

static int compare_as(const struct td_cli_compare_options *args, struct tide_error *err)
{
	struct td_cli_comparison all = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct tide_sim_options options = {.size = sizeof options};
	int rc = td_cli_setup(&args->setup, &options, err);

	if (!rc)
		rc = td_cli_check_form(args->json, args->csv, err);
	/* Where it is too long to be kept, every run reads the input for itself. */
	if (!rc)
		rc = td_cli_check_rereadable(args->setup.in.trace, "use tide sim", err);
	if (!rc)
		rc = td_cli_progress_start(&all.progress, args->progress, "compare", err);
	if (!rc)
		rc = td_cli_combinations(args, &all.pairs, err);
	if (rc)
		goto out;
	td_lib_room_init(&all.room);
	all.reading = td_lib_reading_new(&all.room);
	all.runs = calloc(all.pairs.n, sizeof *all.runs);
	if (!all.runs) {
		rc = tide_fail(err, -ENOMEM, "no memory for %zu runs: give fewer", all.pairs.n);
		goto out;
	}
	rc = compare(&all, args, &options, err);
out:
	release(&all);
	return rc;
}

static int run(const void *given, struct tide_error *err)
{
	struct td_cli_compare_options args = *(const struct td_cli_compare_options *)given;
	struct td_cli_world world = {args.setup.page, args.setup.chunk, NULL};
	int rc = td_cli_preset(args.preset, &world, err);

	args.setup.near_size = args.near_size.n ? args.near_size.at[0] : NULL;
	args.setup.page = world.page;
	args.setup.chunk = world.chunk;
	if (!rc && world.prefetch && !args.prefetch.n && (args.evict.n || !args.policies.n))
		rc = td_cli_list_add(&args.prefetch, world.prefetch, err);
	return rc ? rc : compare_as(&args, err);
}

const struct td_cli_verb td_cli_verb_compare = {
	.name = "compare",
	.order = 20,
	.synopsis = "(--trace FILE | --workload SPEC) --near SIZE... [OPTIONS]",
	.summary = "Run the same input under several combinations of policies, on all cores",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_cli_compare_options),
	.run = run,
};
