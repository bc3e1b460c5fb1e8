/* The table of runs: only columns that say something. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum column {
	NUMBER,
	MARK,
	INPUT,
	NEAR,
	HOST,
	PAGE,
	CHUNK,
	SEED,
	MODEL,
	EVICT,
	PREFETCH,
	PLACE,
	TIME,
	SPEEDUP,
	FAULTS,
	RELATIVE,
	HITS,
	PREFIX_HITS,
	BYTE_HITS,
	COST_HITS,
	MIGRATED,
	EVICTED,
	WRITTEN_BACK,
	REMOTE,
	HOST_HITS,
	READS,
	WRITES,
	COLUMNS,
};

/* "#" first: numbers. */
static const char *const heads[COLUMNS] = {
	"#run",           "mark",           "input",           "#near memory", "#host memory",
	"#page",          "#chunk",         "#seed",           "model",        "evict",
	"prefetch",       "place",          "#simulated time", "#speedup",     "#faults",
	"#x baseline",    "#hits",          "#prefix hits",    "#byte hits",   "#cost hits",
	"#migrated",      "#evicted",       "#written back",   "#remote",      "#host hits",
	"#storage reads", "#storage writes"};

/* Where the input says no costs, every fetch costs 1, and these hits are the hits. */
static bool has_costs(const struct td_report_run *run)
{
	return run->counts[TD_REPORT_hit_cost] != run->counts[TD_REPORT_hits] &&
	       run->counts[TD_REPORT_hit_cost] > 0;
}

/* What the runs have in common is said once, above the table, or not at all. */
static void choose_columns(const struct td_report *r, bool shown[COLUMNS])
{
	const struct td_report_run *one = &r->runs[r->order[0]];

	for (int c = 0; c < COLUMNS; c++)
		shown[c] = c < HOST || (c >= FAULTS && c <= HITS) || (c >= MIGRATED && c < REMOTE);
	shown[MODEL] = r->models.n > 1;
	shown[RELATIVE] = false;
	for (size_t g = 0; g < r->n_groups; g++) {
		shown[SPEEDUP] |= td_report_is_time(r->groups[g].metric);
		shown[RELATIVE] |= !td_report_is_time(r->groups[g].metric);
	}
	shown[TIME] = shown[SPEEDUP];
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct td_report_run *run = &r->runs[i];
		if (!td_report_is_compared(run))
			continue;
		shown[EVICT] |= strcmp(r->policies.at[run->evict], "-") != 0;
		shown[PREFETCH] |= strcmp(r->policies.at[run->prefetch], "-") != 0;
		shown[PLACE] |= run->is_placed;
		shown[HOST] |= run->host_pages > 0;
		shown[PAGE] |= run->page_bytes != one->page_bytes;
		shown[CHUNK] |= run->chunk_bytes != one->chunk_bytes;
		shown[SEED] |= run->seed != one->seed;
		shown[PREFIX_HITS] |= run->counts[TD_REPORT_prefix_hits] > 0;
		shown[BYTE_HITS] |= run->counts[TD_REPORT_hit_bytes] > 0;
		shown[COST_HITS] |= has_costs(run);
		shown[REMOTE] |= run->counts[TD_REPORT_remote_accesses] > 0;
		shown[HOST_HITS] |= run->counts[TD_REPORT_tier2_hits] > 0;
		shown[READS] |= run->counts[TD_REPORT_tier3_reads] > 0;
		shown[WRITES] |= run->counts[TD_REPORT_tier3_writes] > 0;
	}
}

static void put_count(struct td_report_table *to, uint64_t n)
{
	td_report_put_number(to, (double)n, td_report_grouped(n).text);
}

static void put_ratio(struct td_report_table *to, double value, const char *after)
{
	char text[48];

	snprintf(text, sizeof text, "%.3f%s", value, after);
	td_report_put_number(to, value, text);
}

static void put_size(struct td_report_table *to, uint64_t pages, uint64_t page_bytes, uint64_t of)
{
	struct td_report_run run = {.near_pages = pages, .page_bytes = page_bytes};
	char text[128];

	if (of)
		snprintf(text, sizeof text, "%s, %.3g%%", td_report_near(&run).text,
			 100.0 * (double)pages / (double)of);
	else
		snprintf(text, sizeof text, "%s", td_report_near(&run).text);
	td_report_put_number(to, (double)pages, text);
}

static const char *mark_of(const struct td_report *r, const struct td_report_group *g,
			   const struct td_report_run *run)
{
	bool best = td_report_cost(run, g->metric) == td_report_cost(g->best, g->metric);

	if (run != g->best && td_report_is_oracle(r, run))
		return run->is_measured ? "all near" : "oracle";
	if (run == g->baseline)
		return best ? "best, baseline" : "baseline";
	return best ? "best" : "";
}

static void put_hits(struct td_report_table *to, uint64_t hits, uint64_t of)
{
	double share = of ? 100.0 * (double)hits / (double)of : NAN;
	char text[32];

	snprintf(text, sizeof text, "%.2f%%", share);
	td_report_put_number(to, share, text);
}

static void put_relation(const struct td_report_group *g, const struct td_report_run *run,
			 bool speedup, struct td_report_table *to)
{
	double gain = td_report_gain(g, run);

	if (td_report_is_time(g->metric) != speedup)
		gain = NAN;
	put_ratio(to, speedup ? gain : 1 / gain, speedup ? "x" : "");
}

static void put_setting(const struct td_report *r, const struct td_report_run *run, enum column c,
			struct td_report_table *to)
{
	switch (c) {
	case INPUT: td_report_put_text(to, r->inputs.at[run->input]); break;
	case NEAR: put_size(to, run->near_pages, run->page_bytes, run->footprint_pages); break;
	case HOST: put_size(to, run->host_pages, run->page_bytes, 0); break;
	case PAGE: put_size(to, 1, run->page_bytes, 0); break;
	case CHUNK: put_size(to, 1, run->chunk_bytes, 0); break;
	case SEED: put_count(to, run->seed); break;
	case MODEL: td_report_put_text(to, r->models.at[run->model]); break;
	case EVICT: td_report_put_text(to, r->policies.at[run->evict]); break;
	case PREFETCH: td_report_put_text(to, r->policies.at[run->prefetch]); break;
	default: td_report_put_text(to, r->policies.at[run->place]); break;
	}
}

static void put_result(const struct td_report_group *g, const struct td_report_run *run,
		       enum column c, struct td_report_table *to)
{
	const uint64_t *n = run->counts;

	switch (c) {
	case TIME:
		td_report_put_number(to, run->time_ns ? (double)run->time_ns : NAN,
				     td_report_ns(run->time_ns).text);
		break;
	case SPEEDUP: put_relation(g, run, true, to); break;
	case FAULTS: put_count(to, n[TD_REPORT_faults]); break;
	case RELATIVE: put_relation(g, run, false, to); break;
	case HITS: put_hits(to, n[TD_REPORT_hits], n[TD_REPORT_accesses]); break;
	case PREFIX_HITS: put_hits(to, n[TD_REPORT_prefix_hits], n[TD_REPORT_accesses]); break;
	case BYTE_HITS:
		put_hits(to, n[TD_REPORT_hit_bytes],
			 n[TD_REPORT_hit_bytes] + n[TD_REPORT_fault_bytes]);
		break;
	case COST_HITS:
		put_hits(to, n[TD_REPORT_hit_cost],
			 n[TD_REPORT_hit_cost] + n[TD_REPORT_fault_cost]);
		break;
	case MIGRATED: put_count(to, n[TD_REPORT_migrated_pages]); break;
	case EVICTED: put_count(to, n[TD_REPORT_evicted_pages]); break;
	case WRITTEN_BACK: put_count(to, n[TD_REPORT_writeback_pages]); break;
	case REMOTE: put_count(to, n[TD_REPORT_remote_accesses]); break;
	case HOST_HITS: put_count(to, n[TD_REPORT_tier2_hits]); break;
	case READS: put_count(to, n[TD_REPORT_tier3_reads]); break;
	default: put_count(to, n[TD_REPORT_tier3_writes]); break;
	}
}

static void put_row(const struct td_report *r, const struct td_report_group *g,
		    const struct td_report_run *run, const bool shown[COLUMNS],
		    struct td_report_table *to)
{
	const char *mark = mark_of(r, g, run);

	td_report_put_row(to, strncmp(mark, "best", 4) == 0);
	for (int c = 0; c < COLUMNS; c++) {
		if (!shown[c])
			continue;
		if (c == NUMBER)
			put_count(to, run->number);
		else if (c == MARK)
			td_report_put_text(to, mark);
		else if (c < TIME)
			put_setting(r, run, (enum column)c, to);
		else
			put_result(g, run, (enum column)c, to);
	}
}

static void put_group(const struct td_report *r, const struct td_report_group *g,
		      const bool shown[COLUMNS], struct td_report_table *to)
{
	for (size_t k = 0; k < g->n; k++)
		put_row(r, g, &r->runs[r->order[g->first + k]], shown, to);
}

void td_report_put_runs(const struct td_report *r, size_t baseline, FILE *to)
{
	struct td_report_caption caption = td_report_caption(r, "Every run", baseline);
	const char *wanted[COLUMNS + 1];
	struct td_report_table t;
	bool shown[COLUMNS];
	size_t n = 0;

	choose_columns(r, shown);
	for (int c = 0; c < COLUMNS; c++)
		if (shown[c])
			wanted[n++] = c == TIME && td_report_any_measured(r) ? "#time" : heads[c];
	wanted[n] = NULL;
	td_report_put_heads(&t, caption.text, wanted, to);
	for (size_t i = 0; i < r->n_groups; i++)
		if (td_report_baseline_of(r, &r->groups[i]) == baseline)
			put_group(r, &r->groups[i], shown, &t);
	td_report_put_foot(&t, "runs", "runs.csv");
}
