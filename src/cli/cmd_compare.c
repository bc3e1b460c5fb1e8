/* tide compare: the same input under several combinations of policies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "combinations.h"
#include "runs.h"
#include "tide/policy.h"

#define TD_CLI_OPTIONS struct td_cli_compare_options

static const struct td_cli_option options[] = {
	TD_CLI_SETUP_OPTIONS(setup, "trace to read"),
	{"evict", 0, TD_CLI_LIST, TD_CLI_AT(evict), "POLICY",
	 "policy that chooses the chunk to evict (eight policies); see tide policies",
	 TD_CLI_NAMES(td_cli_evict_name)},
	{"prefetch", 0, TD_CLI_LIST, TD_CLI_AT(prefetch), "POLICY",
	 "policy that chooses the pages to bring in on a fault (tree)",
	 TD_CLI_NAMES(td_cli_prefetch_name)},
	{"place", 0, TD_CLI_LIST, TD_CLI_AT(place), "POLICY",
	 "policy that says where victims go, with --host", TD_CLI_NAMES(td_cli_place_name)},
	TD_CLI_HOST_OPTION(setup),
	{"policies", 0, TD_CLI_LIST, TD_CLI_AT(policies), "E+P",
	 "one combination, --evict E with --prefetch P", TD_CLI_ANY},
	TD_CLI_MODEL_OPTIONS(setup),
	TD_CLI_SEED_AT(setup.seed),
	TD_CLI_ERRORS_OPTION(setup.replace_invalid),
	TD_CLI_JOBS_OPTION,
	TD_CLI_JSON_OPTION,
	TD_CLI_PROGRESS_OPTION,
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static const char more[] =
	"Every --evict is combined with every --prefetch; --policies adds single combinations.\n"
	"An asterisk marks the combination with the fewest faults, and the column \"x best\" compares\n"
	"the others with it. With --model the shortest time is best. With --place and --host the\n"
	"fewest pages read from storage and written to it are best.\n\n"
	"Examples:\n"
	"  tide compare --workload zipf --near 50%\n"
	"  tide compare --trace app.tide --near 512M --evict lru --evict lrm --prefetch none\n"
	"  tide compare --workload scanhot --near 10% --host 40% --place bam --place reuse\n"
	"  tide compare --workload cyclic --near 75% --policies lrm+tree --policies mru+locality\n"
	"  tide compare --workload srd --near 75% --model cppe --policies lrm+locality "
	"--policies mhpe+pattern\n";

struct comparison {
	struct td_cli_combinations pairs;
	struct tide_sim_options *options; /* of all runs, but for the policies */
	struct td_cli_run *runs;
	struct td_cli_progress progress;
};

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
static int try_all(const struct comparison *all, const struct td_cli_compare_options *args,
		   struct tide_error *err)
{
	for (size_t i = 0; i < all->pairs.n; i++) {
		const struct td_cli_pair *pair = &all->pairs.at[i];
		struct tide_sim_options options = {.size = sizeof options,
						   .near_size = "64p",
						   .page = args->setup.page,
						   .chunk = args->setup.chunk,
						   .evict = pair->evict,
						   .prefetch = pair->prefetch,
						   .place = pair->place,
						   .host = args->setup.host ? "64p" : NULL};
		struct tide_sim *sim;
		int rc;
		if (!can_try(pair->evict) || !can_try(pair->prefetch))
			continue;
		rc = tide_sim_open(&sim, &options, err);
		if (rc)
			return rc;
		tide_sim_close(sim);
	}
	return 0;
}

static bool begin(void *arg, size_t i, struct td_cli_run *run)
{
	const struct comparison *all = arg;

	run->options = *all->options;
	run->options.evict = all->pairs.at[i].evict;
	run->options.prefetch = all->pairs.at[i].prefetch;
	run->options.place = all->pairs.at[i].place;
	return true;
}

static void end(void *arg, size_t i, struct td_cli_run *run)
{
	const struct comparison *all = arg;

	all->runs[i] = *run;
	run->json = NULL;
}

/* What is wrong with the options is said before all runs; what the first run finds out about the
 * input is for the others too. */
static int look(struct comparison *all, struct tide_facts *facts, struct tide_error *err)
{
	struct td_cli_run first;
	struct tide_sim *sim;
	int rc;

	begin(all, 0, &first);
	rc = tide_sim_open(&sim, &first.options, err);
	if (rc)
		return rc;
	tide_sim_facts(sim, facts, NULL);
	tide_sim_close(sim);
	return 0;
}

/* What is compared: time where there is a clock, faults, or with three tiers the transfers to and
 * from storage. */
static uint64_t cost_of(const struct td_cli_pair *pair, const struct td_cli_run *run)
{
	const struct tide_counts *c = &run->counts;

	if (run->time_ns)
		return run->time_ns;
	return pair->place ? c->tier3_reads + c->tier3_writes : c->faults;
}

static uint64_t least_cost(const struct comparison *all)
{
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < all->pairs.n; i++) {
		uint64_t cost = cost_of(&all->pairs.at[i], &all->runs[i]);
		if (!all->runs[i].rc && cost < best)
			best = cost;
	}
	return best;
}

static void print_best(struct td_cli_table *t, uint64_t cost, uint64_t best)
{
	if (best)
		td_cli_cell(t, "%.3f", (double)cost / (double)best);
	else
		td_cli_cell(t, "%s", "-");
}

static void print_count(struct td_cli_table *t, uint64_t count)
{
	td_cli_cell(t, "%s", td_cli_grouped(count).text);
}

static void print_row(struct td_cli_table *t, const struct td_cli_pair *pair,
		      const struct td_cli_run *run, uint64_t best)
{
	const struct tide_counts *c = &run->counts;
	uint64_t cost = cost_of(pair, run);

	td_cli_cell(t, "%s", cost == best ? "*" : "");
	td_cli_cell(t, "%s", pair->evict);
	td_cli_cell(t, "%s", pair->prefetch);
	if (run->time_ns) {
		td_cli_cell(t, "%.3f ms", (double)run->time_ns / 1e6);
		print_best(t, cost, best);
	}
	print_count(t, c->faults);
	if (!run->time_ns)
		print_best(t, cost, best);
	td_cli_cell(t, "%s", td_cli_share(c->hits, c->accesses).text);
	print_count(t, c->migrated_pages);
	print_count(t, c->evicted_pages);
	print_count(t, c->writeback_pages);
}

static void print_placed_row(struct td_cli_table *t, const struct td_cli_pair *pair,
			     const struct td_cli_run *run, uint64_t best)
{
	const struct tide_counts *c = &run->counts;
	uint64_t cost = cost_of(pair, run);

	td_cli_cell(t, "%s", cost == best ? "*" : "");
	td_cli_cell(t, "%s", pair->place);
	if (run->time_ns)
		td_cli_cell(t, "%.3f ms", (double)run->time_ns / 1e6);
	else
		print_count(t, cost);
	print_best(t, cost, best);
	print_count(t, c->tier3_reads);
	print_count(t, c->tier3_writes);
	print_count(t, c->tier2_hits);
	print_count(t, c->faults);
	td_cli_cell(t, "%s", td_cli_share(c->hits, c->accesses).text);
}

/* The columns of the three tables. */
static const char *const heads[] = {"",     "evict",    "prefetch", "faults",       "x best",
				    "hits", "migrated", "evicted",  "written back", NULL};
static const char *const timed_heads[] = {"",        "evict",        "prefetch", "time",
					  "x best",  "faults",       "hits",     "migrated",
					  "evicted", "written back", NULL};
static const char *const placed_heads[] = {"",       "place",     "storage I/O", "x best", "reads",
					   "writes", "host hits", "faults",      "hits",   NULL};

static int print_table(const struct comparison *all, struct tide_error *err)
{
	bool is_placed = all->pairs.at[0].place != NULL, is_timed = all->options->model != NULL;
	struct td_cli_table t = {.align = is_placed  ? "llrrrrrrr"
					  : is_timed ? "lllrrrrrrr"
						     : "lllrrrrrr"};
	const char *const *head = is_placed ? placed_heads : is_timed ? timed_heads : heads;
	uint64_t best = least_cost(all);

	for (size_t i = 0; head[i]; i++)
		td_cli_cell(&t, "%s", is_placed && is_timed && i == 2 ? "time" : head[i]);
	for (size_t i = 0; i < all->pairs.n; i++)
		if (!all->runs[i].rc)
			(is_placed ? print_placed_row : print_row)(&t, &all->pairs.at[i],
								   &all->runs[i], best);
	return td_cli_table_end(&t, err);
}

/* A run that had to know the footprint can say it. */
static void print_setup(const struct comparison *all)
{
	const struct td_cli_run *best = NULL;

	for (size_t i = 0; i < all->pairs.n; i++) {
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
	summary.input = all->options->trace ? all->options->trace : all->options->workload;
	td_cli_print_setup(&summary);
	putchar('\n');
}

static int print_json(const struct comparison *all, struct tide_error *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->pairs.n; i++)
		if (all->runs[i].json)
			json_array_append(list, all->runs[i].json);
	return td_cli_print_json(
		json_pack("{ss ss so}", "tide", tide_version(), "verb", "compare", "runs", list),
		err);
}

static int print_result(const struct comparison *all, const struct td_cli_compare_options *args,
			struct tide_error *err)
{
	if (args->json)
		return print_json(all, err);
	print_setup(all);
	return print_table(all, err);
}

/* One error for all: of several failed runs, the first is told, and how many there are. */
static int first_failure(const struct comparison *all, struct tide_error *err)
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

static int compare(struct comparison *all, const struct td_cli_compare_options *args,
		   struct tide_sim_options *options, struct tide_error *err)
{
	struct td_cli_runs runs = {.n = all->pairs.n,
				   .jobs = (size_t)args->jobs,
				   .begin = begin,
				   .end = end,
				   .arg = all,
				   .progress = &all->progress};
	struct tide_facts facts = {.size = sizeof facts};
	int rc = try_all(all, args, err);

	all->options = options;
	if (!rc)
		rc = look(all, &facts, err);
	options->facts = &facts;
	if (!rc)
		rc = td_cli_runs_do(&runs, err);
	if (rc)
		return rc;
	td_cli_progress_end(&all->progress);
	rc = first_failure(all, err);
	/* Bad usage that only a run could find prints nothing, as does a failure of all. */
	if (rc == -EINVAL || least_cost(all) == UINT64_MAX)
		return rc;
	if (print_result(all, args, rc ? NULL : err))
		return -ENOMEM;
	return rc;
}

static void release(struct comparison *all)
{
	for (size_t i = 0; all->runs && i < all->pairs.n; i++)
		json_decref(all->runs[i].json);
	free(all->runs);
	td_cli_combinations_free(&all->pairs);
}

static int run(const void *given, struct tide_error *err)
{
	const struct td_cli_compare_options *args = given;
	struct comparison all = {.runs = NULL};
	struct tide_sim_options options = {.size = sizeof options};
	int rc = td_cli_setup(&args->setup, &options, err);

	/* Every run opens the input for itself. */
	if (!rc)
		rc = td_cli_check_rereadable(args->setup.in.trace, "use tide sim", err);
	if (!rc)
		rc = td_cli_progress_start(&all.progress, args->progress, "compare", err);
	if (!rc)
		rc = td_cli_combinations(args, &all.pairs, err);
	if (rc)
		goto out;
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

const struct td_cli_verb td_cli_verb_compare = {
	.name = "compare",
	.order = 20,
	.synopsis = "(--trace FILE | --workload SPEC) --near SIZE [OPTIONS]",
	.summary = "Run the same input under several combinations of policies, on all cores",
	.more = more,
	.options = options,
	.options_bytes = sizeof(struct td_cli_compare_options),
	.run = run,
};
