#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "advise.h"
#include "cli/command.h"

#define POLICIES_SHOWN 6
#define BAR 24 /* characters */

static const char *const verdict_names[] = {
	[TD_ADVISE_FITS] = "fits", [TD_ADVISE_SHORT] = "too short", [TD_ADVISE_POLICY] = "policy",
	[TD_ADVISE_SIZE] = "size", [TD_ADVISE_NEITHER] = "neither",
};

static const struct td_advise_run *best_run(const struct td_advice *a)
{
	return a->best == SIZE_MAX ? NULL : &a->runs[a->best];
}

/* ---- what to do ---- */

static void print_command(const struct td_advice *a, const char *verb, uint64_t pages,
			  const char *policy)
{
	struct td_cli_text text = {0};
	char near[32];

	snprintf(near, sizeof near, "%" PRIu64 "p", pages);
	td_cli_put_word(&text, verb);
	td_cli_put_option(&text, a->is_trace ? "trace" : "workload", a->input);
	td_cli_put_option(&text, "format", a->format);
	td_cli_put_option(&text, "columns", a->columns);
	td_cli_put_option(&text, "page", a->page);
	td_cli_put_option(&text, "near", near);
	td_cli_put_word(&text, " --chunk 1p --prefetch none");
	td_cli_put_option(&text, "evict", a->now->policy);
	td_cli_put_option(&text, "evict", policy);
	if (!text.failed)
		printf("\n  %s\n", text.at);
	free(text.at);
}

static void say_policy(const struct td_advice *a)
{
	const struct td_advise_run *best = best_run(a);

	printf("Verdict: policy. %s saves %.1f%% (+- %.1f) of the misses of %s.\n", best->policy,
	       100 * a->facts.policy.share, 100 * a->facts.policy.error, a->now->policy);
	if (a->worth_pages > a->now->near_pages)
		printf("%s would need %s, %.2f times the memory, to have as few.\n", a->now->policy,
		       td_cli_pages(a->worth_pages, a->page_bytes).text,
		       (double)a->worth_pages / (double)a->now->near_pages);
	print_command(a, "tide compare", a->now->near_pages, best->policy);
}

/* Half of the parts choose the best policy, and the others say what it saves. */
static void say_best(const struct td_advice *a)
{
	const struct td_advise_run *best = best_run(a);

	if (!best)
		printf("No policy could be tried.\n");
	else
		printf("The best policy of one half of the input, %s, saves %.1f%% (+- %.1f)\n"
		       "of the misses of %s in the other half, less than %.0f%%.\n",
		       best->policy, 100 * a->facts.policy.share, 100 * a->facts.policy.error,
		       a->now->policy, 100 * TD_ADVISE_WORTH);
}

static void say_size(const struct td_advice *a)
{
	printf("Verdict: size. ");
	say_best(a);
	printf("With %s, %.2f times the memory, %s has %.1f%% fewer misses.\n",
	       td_cli_pages(a->facts.knee_pages, a->page_bytes).text,
	       (double)a->facts.knee_pages / (double)a->now->near_pages, a->now->policy,
	       100 * a->facts.knee_saves);
	print_command(a, "tide sim", a->facts.knee_pages, NULL);
}

static void say_short(const struct td_advice *a)
{
	if (a->facts.evicted_pages < a->facts.near_pages)
		printf("Verdict: the input is too short. %s evicts %s pages, fewer than near memory\n"
		       "has: record a longer one, or give a smaller --near.\n",
		       a->now->policy, td_cli_grouped(a->facts.evicted_pages).text);
	else
		printf("Verdict: the input is too short. %s saves %.1f%% of the misses of %s, but the\n"
		       "parts of the input differ by +- %.1f: record a longer one.\n",
		       best_run(a)->policy, 100 * a->facts.policy.share, a->now->policy,
		       100 * a->facts.policy.error);
}

static void say_neither(const struct td_advice *a)
{
	printf("Verdict: neither. ");
	say_best(a);
	printf("The optimum saves %.1f%%. The curve has no knee up to %d times the memory.\n",
	       100 * (1 - a->opt_miss_ratio / td_advise_miss_ratio(a->now)), TD_ADVISE_REACH);
}

static void say_partial(const struct td_advice *a)
{
	printf("Verdict: none. A record of tide run lacks the accesses to what was near, so no other\n"
	       "policy and no other size can be judged by it. No policy could have fewer than %.1f%%\n"
	       "of these faults.\n",
	       100 * a->opt_miss_ratio);
}

static void say_fits(const struct td_advice *a)
{
	(void)a;
	printf("Verdict: neither. All pages fit into near memory.\n");
}

static void (*const say[])(const struct td_advice *a) = {
	[TD_ADVISE_FITS] = say_fits,       [TD_ADVISE_SHORT] = say_short,
	[TD_ADVISE_POLICY] = say_policy,   [TD_ADVISE_SIZE] = say_size,
	[TD_ADVISE_NEITHER] = say_neither, [TD_ADVISE_PARTIAL] = say_partial,
};

/* ---- tables ---- */

static void bar_cell(struct td_cli_table *t, double share)
{
	static const char full[] = "########################";
	int n = (int)(share * BAR + 0.5);

	td_cli_cell(t, "%.*s", n < 0 ? 0 : n > BAR ? BAR : n, full);
}

static int show_sets(const struct td_advice *a, struct tide_error *err)
{
	const struct td_advise_sample *s = a->sample;
	struct td_cli_table t = {.align = "rrrl"};

	td_cli_cell(&t, "%s", "part");
	td_cli_cell(&t, "%s", "pages");
	td_cli_cell(&t, "%s", "size");
	td_cli_cell(&t, "%s", "");
	for (unsigned i = 0; i < TD_ADVISE_PARTS; i++) {
		td_cli_cell(&t, "%u", i + 1);
		td_cli_cell(&t, "%s", td_cli_grouped(s->working_set[i]).text);
		td_cli_cell(&t, "%s", td_cli_pages(s->working_set[i], a->page_bytes).text);
		bar_cell(&t, (double)s->working_set[i] / (double)s->pages);
	}
	printf("\nWorking sets: the distinct pages of each tenth of the accesses\n\n");
	return td_cli_table_end(&t, err);
}

static bool is_knee(const struct td_advice *a, uint64_t pages)
{
	for (size_t i = 0; i < a->knees_n; i++)
		if (a->knees[i] == pages)
			return true;
	return false;
}

static int show_curve(const struct td_advice *a, struct tide_error *err)
{
	struct td_cli_table t = {.align = "rrrrrll"};

	for (size_t i = 0; i < 7; i++)
		td_cli_cell(&t, "%s",
			    ((const char *[]){"pages", "size", "share", a->now->policy, "opt", "",
					      ""})[i]);
	for (size_t i = 0; i < a->points; i++) {
		uint64_t pages = a->curve[i].pages;
		td_cli_cell(&t, "%s", td_cli_grouped(pages).text);
		td_cli_cell(&t, "%s", td_cli_pages(pages, a->page_bytes).text);
		td_cli_cell(&t, "%s", td_cli_share(pages, a->sample->pages).text);
		td_cli_cell(&t, "%.4f", a->curve[i].miss_ratio);
		td_cli_cell(&t, "%.4f", a->opt[i].miss_ratio);
		bar_cell(&t, a->curve[i].miss_ratio);
		td_cli_cell(&t, "%s",
			    pages == a->now->near_pages ? "near memory"
			    : is_knee(a, pages)         ? "knee"
							: "");
	}
	printf("\nMiss ratio by size\n\n");
	return td_cli_table_end(&t, err);
}

static int by_misses(const void *a, const void *b)
{
	const struct td_advise_run *const *x = a, *const *y = b;
	uint64_t p = td_advise_misses(*x), q = td_advise_misses(*y);

	return p < q ? -1 : p > q;
}

static void policy_row(struct td_cli_table *t, const struct td_advice *a, const char *name,
		       double ratio)
{
	td_cli_cell(t, "%s", name);
	td_cli_cell(t, "%.4f", ratio);
	td_cli_cell(t, "%.1f%%", 100 * (1 - ratio / td_advise_miss_ratio(a->now)));
}

static int show_policies(const struct td_advice *a, struct tide_error *err)
{
	const struct td_advise_run *sorted[TD_ADVISE_POLICIES];
	struct td_cli_table t = {.align = "lrr"};
	size_t n = 0;

	for (size_t i = 0; i < a->runs_n; i++)
		if (!a->runs[i].rc)
			sorted[n++] = &a->runs[i];
	qsort(sorted, n, sizeof *sorted, by_misses);
	td_cli_cell(&t, "%s", "policy");
	td_cli_cell(&t, "%s", "miss ratio");
	td_cli_cell(&t, "%s", "saves");
	policy_row(&t, a, "opt (the bound)", a->opt_miss_ratio);
	for (size_t i = 0; i < n && i < POLICIES_SHOWN; i++)
		policy_row(&t, a, sorted[i]->policy, td_advise_miss_ratio(sorted[i]));
	policy_row(&t, a, a->now->policy, td_advise_miss_ratio(a->now));
	printf("\nPolicies at this size, over the whole input: the best of %zu, the bound and today's\n\n",
	       n);
	return td_cli_table_end(&t, err);
}

int td_advise_show(const struct td_advice *a, struct tide_error *err)
{
	const struct td_advise_sample *s = a->sample;
	int rc;

	printf("input   %s %s%s%s, %s accesses to %s%s pages, %s\n",
	       a->is_trace ? "trace" : "workload", td_cli_name(a->input).text,
	       a->is_trace ? " as " : "", a->is_trace ? s->format : "",
	       td_cli_grouped(s->accesses).text, s->rate < 1 ? "about " : "",
	       td_cli_grouped(s->pages).text, td_cli_pages(s->pages, a->page_bytes).text);
	printf("near    %s pages, %s, %s of the footprint%s; today's policy %s\n",
	       td_cli_grouped(a->now->near_pages).text,
	       td_cli_pages(a->now->near_pages, a->page_bytes).text,
	       td_cli_share(a->now->near_pages, s->pages).text,
	       a->near_given ? "" : " (a guess: give --near)", a->now->policy);
	if (s->groups)
		printf("groups  a hit counts only if all accesses of its group before it hit\n");
	if (s->rate < 1)
		printf("sample  %.3g%% of the pages, %s accesses\n", 100 * s->rate,
		       td_cli_grouped(s->n).text);
	putchar('\n');
	say[a->verdict](a);
	rc = a->verdict == TD_ADVISE_PARTIAL ? 0 : show_policies(a, err);
	if (!rc && a->verdict != TD_ADVISE_PARTIAL)
		rc = show_curve(a, err);
	return rc ? rc : show_sets(a, err);
}

/* ---- as JSON ---- */

static json_t *curve_json(const struct td_advice *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->points; i++)
		json_array_append_new(list, json_pack("{so sf sf}", "pages",
						      td_cli_json_u64(a->curve[i].pages),
						      "miss_ratio", a->curve[i].miss_ratio,
						      "opt_miss_ratio", a->opt[i].miss_ratio));
	return list;
}

static json_t *policies_json(const struct td_advice *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->runs_n; i++)
		if (!a->runs[i].rc)
			json_array_append_new(list, json_pack("{so sf}", "policy",
							      td_cli_json_text(a->runs[i].policy),
							      "miss_ratio",
							      td_advise_miss_ratio(&a->runs[i])));
	return list;
}

static json_t *numbers_json(const uint64_t *at, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, td_cli_json_u64(at[i]));
	return list;
}

static json_t *verdict_json(const struct td_advice *a)
{
	const struct td_advise_run *best = best_run(a);
	json_t *o = json_pack("{ss}", "verdict", verdict_names[a->verdict]);

	json_object_set_new(o, "policy", best ? td_cli_json_text(best->policy) : json_null());
	json_object_set_new(o, "saves", json_real(a->facts.policy.share));
	json_object_set_new(o, "saves_error", json_real(a->facts.policy.error));
	json_object_set_new(o, "same_as_pages",
			    a->worth_pages ? td_cli_json_u64(a->worth_pages) : json_null());
	json_object_set_new(o, "next_knee_pages",
			    a->facts.knee_pages ? td_cli_json_u64(a->facts.knee_pages)
						: json_null());
	json_object_set_new(o, "next_knee_saves", json_real(a->facts.knee_saves));
	return o;
}

json_t *td_advise_json(const struct td_advice *a)
{
	const struct td_advise_sample *s = a->sample;

	return json_pack("{s{so so so sf so} s{so so sf sf} so so so so}", "input",
			 a->is_trace ? "trace" : "workload", td_cli_json_text(a->input), "accesses",
			 td_cli_json_u64(s->accesses), "footprint_pages", td_cli_json_u64(s->pages),
			 "sample", s->rate, "working_sets",
			 numbers_json(s->working_set, TD_ADVISE_PARTS), "now", "policy",
			 td_cli_json_text(a->now->policy), "near_pages",
			 td_cli_json_u64(a->now->near_pages), "miss_ratio",
			 td_advise_miss_ratio(a->now), "opt_miss_ratio", a->opt_miss_ratio,
			 "advice", verdict_json(a), "policies", policies_json(a), "curve",
			 curve_json(a), "knees", numbers_json(a->knees, a->knees_n));
}
