/* The examples of sections 2 and 3 of the LEU paper: what it worked out by hand, from the table
 * that the policy learns with, and from runs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "claims.h"
#include "leu.h"

#define ROUNDS 100
#define ROUNDS_LEARNT 10000
#define SIZES TD_LEU_SIZES

/* A round of pages, repeated for ever; the digit under a page is the ref that accesses it. */
static const struct example {
	const char *round, *refs;
	bool by_ref; /* what is learnt */
	bool run;
} examples[TD_LEU_EXAMPLES] = {
	[AABB] = {"aabb", "1122", false, false},
	[AXAYAZ] = {"axayaz", "121212", false, true},
	[AXAYAZ_REFS] = {"axayaz", "121212", true, false},
	[AAXYZ] = {"aaxyz", "11222", false, true},
};

/* ---- statistics ---- */

/* The distributions of an example: per page, or per ref where keys are its refs. */
static int learn(const struct example *e, const char *keys, struct tide_rit *table)
{
	struct tide_rit_pass pass;
	int rc = tide_rit_init(table, 16);

	if (rc)
		return rc;
	rc = tide_rit_pass_init(&pass, table);
	for (unsigned i = 0; i < ROUNDS_LEARNT && !rc; i++)
		for (size_t at = 0; e->round[at] && !rc; at++)
			rc = tide_rit_pass_touch(&pass, (uint64_t)e->round[at], (uint64_t)keys[at],
						 true);
	tide_rit_pass_free(&pass);
	/* The example has no end: what the last round left open is no access without reuse. */
	for (uint32_t i = 0; i < table->n; i++)
		tide_rit_at(table, i)->n = tide_rit_at(table, i)->sum;
	if (rc)
		tide_rit_free(table);
	return rc;
}

double td_leu_reuses(const struct td_cli_leu *p, enum td_leu_example e, char key, unsigned interval)
{
	const struct tide_rit *table = &p->examples.tables[e];
	uint32_t at = tide_rit_find(table, (uint64_t)key);

	return (double)tide_rit_counts(table, at)[tide_rit_bin(interval)] /
	       (double)tide_rit_at(table, at)->n;
}

unsigned td_leu_tesla(enum td_leu_example e, char page)
{
	const char *round = examples[e].round;

	return (unsigned)(round + strlen(round) - 1 - strrchr(round, page));
}

double td_leu_priority(const struct td_cli_leu *p, enum td_leu_example e, char key, char page)
{
	const struct tide_rit *table = &p->examples.tables[e];

	return tide_rit_real(tide_rit_worth_of(table, tide_rit_find(table, (uint64_t)key),
					       td_leu_tesla(e, page)));
}

/* ---- runs ---- */

/* Misses at each size. */
static int run_policy(const struct td_cli_copy *copy, const char *policy, uint64_t misses[SIZES],
		      struct tide_error *err)
{
	struct tide_mrc_options options = {.size = sizeof options,
					   .trace = copy->path,
					   .format = "txt",
					   .policy = policy,
					   .sizes = "1p,2p,3p,4p",
					   .threads = 1};
	struct tide_mrc *m;
	int rc = tide_mrc_run(&m, &options, NULL, NULL, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < SIZES; i++)
		misses[i] = i < m->n ? m->at[i].misses : 0;
	free(m);
	return 0;
}

static int run_example(const struct example *e, uint64_t misses[TD_LEU_POLICIES][SIZES],
		       struct tide_error *err)
{
	static const char *const policies[] = {"lru", "mru", "opt"};
	struct td_cli_copy copy;
	char leu[64];
	int rc = td_cli_copy_letters(&copy, e->round, e->refs, ROUNDS, err);

	if (rc)
		return rc;
	for (unsigned i = TD_LEU_LRU; i < TD_LEU_LEU && !rc; i++)
		rc = run_policy(&copy, policies[i], misses[i], err);
	snprintf(leu, sizeof leu, "leu:train=%s", copy.path);
	if (!rc)
		rc = run_policy(&copy, leu, misses[TD_LEU_LEU], err);
	td_cli_copy_close(&copy);
	return rc;
}

/* "LEU 600 300 ..., LRU ...": by size, 1 to 4 pages. */
struct td_claims_cell td_leu_misses(const struct td_cli_leu *p, enum td_leu_example e)
{
	static const char *const names[] = {"LRU", "MRU", "OPT", "LEU"};
	struct td_claims_cell cell;
	size_t used = 0;

	for (int i = TD_LEU_LEU; i >= TD_LEU_LRU; i--) {
		used += (size_t)snprintf(cell.text + used, sizeof cell.text - used, "%s%s",
					 i == TD_LEU_LEU ? "" : ", ", names[i]);
		for (size_t s = 0; s < SIZES; s++)
			used += (size_t)snprintf(cell.text + used, sizeof cell.text - used,
						 " %" PRIu64, p->examples.misses[e][i][s]);
	}
	return cell;
}

bool td_leu_keeps_up(const struct td_cli_leu *p, enum td_leu_example e, bool mru)
{
	const uint64_t(*misses)[SIZES] = p->examples.misses[e];
	bool good = true;

	for (size_t s = 0; s < SIZES; s++) {
		uint64_t leu = misses[TD_LEU_LEU][s], better = misses[TD_LEU_LRU][s];
		if (mru && misses[TD_LEU_MRU][s] < better)
			better = misses[TD_LEU_MRU][s];
		good &= leu >= misses[TD_LEU_OPT][s] && 100 * leu <= 105 * better;
	}
	return good;
}

unsigned td_leu_least_size(const struct td_cli_leu *p, enum td_leu_example e,
			   enum td_leu_policy policy, unsigned per_round)
{
	const uint64_t *misses = p->examples.misses[e][policy];
	unsigned s = 0;

	while (s < SIZES && misses[s] + SIZES > (uint64_t)per_round * ROUNDS)
		s++;
	return s + 1;
}

/* ---- all of them ---- */

int td_leu_examples_make(struct td_leu_examples *x, struct tide_error *err)
{
	int rc = 0;

	for (; x->n < TD_LEU_EXAMPLES && !rc; x->n++) {
		const struct example *e = &examples[x->n];
		if (e->run)
			rc = run_example(e, x->misses[x->n], err);
		if (rc)
			return rc;
		rc = learn(e, e->by_ref ? e->refs : e->round, &x->tables[x->n]);
		if (rc)
			return tide_fail(err, rc, "no memory for the examples: free some");
	}
	return 0;
}

void td_leu_examples_free(struct td_leu_examples *x)
{
	while (x->n)
		tide_rit_free(&x->tables[--x->n]);
}
