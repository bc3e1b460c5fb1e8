/* The table of tide compare. */
#include <string.h>

#include "compare.h"

/* What is compared: time where there is a clock, faults, or with three tiers the transfers to and
 * from storage. */
static uint64_t cost_of(const struct td_cli_pair *pair, const struct td_cli_run *run)
{
	const struct tide_counts *c = &run->counts;

	if (run->time_ns)
		return run->time_ns;
	return pair->place ? c->tier3_reads + c->tier3_writes : c->faults;
}

uint64_t td_cli_least_cost(const struct td_cli_comparison *all, size_t first, size_t n)
{
	uint64_t best = UINT64_MAX;

	for (size_t i = first; i < first + n; i++) {
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

/* Hits, where the input has groups prefix hits, and where objects have sizes those by bytes and
 * cost. */
static void print_hits(struct td_cli_table *t, const struct tide_counts *c)
{
	td_cli_cell(t, "%s", td_cli_share(c->hits, c->accesses).text);
	if (c->groups)
		td_cli_cell(t, "%s", td_cli_share(c->prefix_hits, c->accesses).text);
	if (!c->fault_bytes)
		return;
	td_cli_cell(t, "%s", td_cli_share(c->hit_bytes, c->hit_bytes + c->fault_bytes).text);
	td_cli_cell(t, "%s", td_cli_share(c->hit_cost, c->hit_cost + c->fault_cost).text);
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
	print_hits(t, c);
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
	print_hits(t, c);
}

/* The columns of the tables. */
static const char *const heads[] = {"",     "evict",    "prefetch", "faults",       "x best",
				    "hits", "migrated", "evicted",  "written back", NULL};
static const char *const timed_heads[] = {"",        "evict",        "prefetch", "time",
					  "x best",  "faults",       "hits",     "migrated",
					  "evicted", "written back", NULL};
static const char *const placed_timed_heads[] = {"",       "place",     "time",   "x best", "reads",
						 "writes", "host hits", "faults", "hits",   NULL};
static const char *const placed_heads[] = {"",       "place",     "storage I/O", "x best", "reads",
					   "writes", "host hits", "faults",      "hits",   NULL};

static void print_heads(struct td_cli_table *t, const char *const *head,
			const struct tide_counts *some)
{
	for (size_t i = 0; head[i]; i++) {
		td_cli_cell(t, "%s", head[i]);
		if (strcmp(head[i], "hits") != 0)
			continue;
		if (some->groups)
			td_cli_cell(t, "%s", "prefix");
		if (some->fault_bytes) {
			td_cli_cell(t, "%s", "by bytes");
			td_cli_cell(t, "%s", "by cost");
		}
	}
}

/* All runs have the same input: what it has is seen in the counts of any. */
static const struct tide_counts *some_counts(const struct td_cli_comparison *all)
{
	size_t i = 0;

	while (i + 1 < all->pairs.n && all->runs[i].rc)
		i++;
	return &all->runs[i].counts;
}

int td_cli_compare_table(const struct td_cli_comparison *all, size_t first, struct tide_error *err)
{
	bool is_placed = all->pairs.at[0].place != NULL, is_timed = all->options->model != NULL;
	const char *const *head = is_placed && is_timed ? placed_timed_heads
				  : is_placed           ? placed_heads
				  : is_timed            ? timed_heads
							: heads;
	const struct tide_counts *some = some_counts(all);
	char align[24];
	struct td_cli_table t = {.align = align};
	uint64_t best = td_cli_least_cost(all, first, all->pairs.per_size);

	snprintf(align, sizeof align, "%s%s%s",
		 is_placed  ? "llrrrrrrr"
		 : is_timed ? "lllrrrrrrr"
			    : "lllrrrrrr",
		 some->groups ? "r" : "", some->fault_bytes ? "rr" : "");
	print_heads(&t, head, some);
	for (size_t i = first; i < first + all->pairs.per_size; i++)
		if (!all->runs[i].rc)
			(is_placed ? print_placed_row : print_row)(&t, &all->pairs.at[i],
								   &all->runs[i], best);
	return td_cli_table_end(&t, err);
}
