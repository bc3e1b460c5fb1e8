/* The examples of section 3 of the LEU paper: what it worked out by hand, from the table that the
 * policy learns with, and from runs. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leu.h"
#include "tide/rit.h"

#define ROUNDS 100
#define ROUNDS_LEARNT 10000
#define SIZES 4 /* pages: a, x, y, z */

/* A round of pages, repeated for ever; the digit under a page is the ref that accesses it. */
struct example {
	const char *round, *refs;
};

static const struct example axayaz = {"axayaz", "121212"}, aaxyz = {"aaxyz", "11222"},
			    aabb = {"aabb", "1122"};

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

/* The share of the reuses of a page or ref that come after so many accesses. */
static double share_of(const struct tide_rit *table, char key, unsigned interval)
{
	uint32_t e = tide_rit_find(table, (uint64_t)key);

	return (double)tide_rit_counts(table, e)[tide_rit_bin(interval)] /
	       (double)tide_rit_at(table, e)->n;
}

static double priority(const struct tide_rit *table, char key, unsigned tesla)
{
	return tide_rit_real(tide_rit_worth_of(table, tide_rit_find(table, (uint64_t)key), tesla));
}

/* Accesses since the last one to a page, seen right after the one at the end of a round. */
static unsigned tesla_of(const struct example *e, char page)
{
	return (unsigned)(e->round + strlen(e->round) - 1 - strrchr(e->round, page));
}

static void state_number(struct td_cli_reproduction *r, const char *id, const char *what,
			 double published, double measured, const char *note)
{
	/* What is learnt has an end, which shows in the fifth digit. */
	bool same = fabs(published - measured) < 1e-4;

	td_cli_state(r,
		     &(struct td_cli_statement){.id = id,
						.what = what,
						.published = json_real(published),
						.measured = json_real(measured),
						.verdict = same ? TD_CLI_AGREES : TD_CLI_DISAGREES,
						.note = same ? NULL : note});
}

struct published {
	char page;
	double tesla, priority; /* tesla below 0: not published */
};

/* At the end of a round. ref: the one whose distribution counts, 0: the page's own. */
static void state_priorities(struct td_cli_reproduction *r, const struct example *e,
			     const struct tide_rit *table, const char *name, char ref,
			     const struct published *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char page = rows[i].page, id[48], what[96];
		unsigned tesla = tesla_of(e, page);
		if (rows[i].tesla >= 0) {
			snprintf(id, sizeof id, "%s-tesla-%c", name, page);
			snprintf(what, sizeof what,
				 "%s: accesses since the last one to %c, after a round", e->round,
				 page);
			state_number(r, id, what, rows[i].tesla, tesla, NULL);
		}
		snprintf(id, sizeof id, "%s-%c", name, page);
		snprintf(what, sizeof what, "%s: priority of %c after a round, statistics per %s",
			 e->round, page, ref ? "reference" : "page");
		state_number(r, id, what, rows[i].priority,
			     priority(table, ref ? ref : page, tesla),
			     "the paper's own formula gives the published value one access later; "
			     "the order of the four pages is the same");
	}
}

static int state_aabb(struct td_cli_reproduction *r)
{
	struct tide_rit pages;
	int rc = learn(&aabb, aabb.round, &pages);

	if (rc)
		return rc;
	state_number(r, "section2-1", "aabb: share of the reuses of a at interval 1", 0.5,
		     share_of(&pages, 'a', 1), NULL);
	state_number(r, "section2-3", "aabb: share of the reuses of a at interval 3", 0.5,
		     share_of(&pages, 'a', 3), NULL);
	tide_rit_free(&pages);
	return 0;
}

static int state_axayaz(struct td_cli_reproduction *r)
{
	static const struct published figure3[] = {
		{'a', 1, 1}, {'x', 4, 1.0 / 2}, {'y', 2, 1.0 / 4}, {'z', 0, 1.0 / 6}};
	struct tide_rit pages;
	int rc = learn(&axayaz, axayaz.round, &pages);

	if (rc)
		return rc;
	for (const char *page = "axyz"; *page; page++) {
		unsigned interval = *page == 'a' ? 2 : 6;
		char id[48], what[96];
		snprintf(id, sizeof id, "figure3-ri-%c", *page);
		snprintf(what, sizeof what, "axayaz: share of the reuses of %c at interval %u",
			 *page, interval);
		state_number(r, id, what, 1, share_of(&pages, *page, interval), NULL);
	}
	state_priorities(r, &axayaz, &pages, "figure3", 0, figure3, 4);
	tide_rit_free(&pages);
	return 0;
}

static int state_axayaz_refs(struct td_cli_reproduction *r)
{
	static const struct published section32[] = {
		{'x', -1, 1.0 / 2}, {'y', -1, 1.0 / 4}, {'z', -1, 1.0 / 6}};
	struct tide_rit refs;
	int rc = learn(&axayaz, axayaz.refs, &refs);

	if (rc)
		return rc;
	state_number(r, "section32-ri",
		     "axayaz: share of the reuses of x, y, z, one reference, at interval 6", 1,
		     share_of(&refs, '2', 6), NULL);
	state_priorities(r, &axayaz, &refs, "section32", '2', section32, 3);
	tide_rit_free(&refs);
	return 0;
}

static int state_aaxyz(struct td_cli_reproduction *r)
{
	static const struct published section31[] = {
		{'a', -1, 1}, {'x', -1, 1.0 / 2}, {'y', -1, 1.0 / 3}, {'z', -1, 1.0 / 4}};
	struct tide_rit pages;
	int rc = learn(&aaxyz, aaxyz.round, &pages);

	if (rc)
		return rc;
	state_priorities(r, &aaxyz, &pages, "section31", 0, section31, 4);
	tide_rit_free(&pages);
	return 0;
}

static int state_formulas(struct td_cli_reproduction *r, struct tide_error *err)
{
	int rc = state_aabb(r);

	if (!rc)
		rc = state_axayaz(r);
	if (!rc)
		rc = state_axayaz_refs(r);
	if (!rc)
		rc = state_aaxyz(r);
	return rc ? tide_fail(err, rc, "no memory for the examples: free some") : 0;
}

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

enum { LRU, MRU, OPT, LEU, POLICIES };

static int run_example(const struct example *e, uint64_t misses[POLICIES][SIZES],
		       struct tide_error *err)
{
	struct td_cli_copy copy;
	char leu[64];
	int rc = td_cli_copy_letters(&copy, e->round, e->refs, ROUNDS, err);

	if (rc)
		return rc;
	snprintf(leu, sizeof leu, "leu:train=%s", copy.path);
	rc = run_policy(&copy, "lru", misses[LRU], err);
	if (!rc)
		rc = run_policy(&copy, "mru", misses[MRU], err);
	if (!rc)
		rc = run_policy(&copy, "opt", misses[OPT], err);
	if (!rc)
		rc = run_policy(&copy, leu, misses[LEU], err);
	td_cli_copy_close(&copy);
	return rc;
}

/* "LEU 600 300 ..., LRU ...": by size, 1 to 4 pages. */
static void write_misses(uint64_t misses[POLICIES][SIZES], char *text, size_t room)
{
	static const char *const names[] = {"LRU", "MRU", "OPT", "LEU"};
	size_t used = 0;

	for (int p = LEU; p >= LRU; p--) {
		used += (size_t)snprintf(text + used, room - used, "%s%s", p == LEU ? "" : ", ",
					 names[p]);
		for (size_t s = 0; s < SIZES; s++)
			used += (size_t)snprintf(text + used, room - used, " %" PRIu64,
						 misses[p][s]);
	}
}

/* mru: the better of LRU and MRU is the measure, else LRU alone. */
static void state_runs(struct td_cli_reproduction *r, const struct example *e, const char *id,
		       uint64_t misses[POLICIES][SIZES], bool mru)
{
	bool good = true;
	char text[160], what[120];

	write_misses(misses, text, sizeof text);
	for (size_t s = 0; s < SIZES; s++) {
		uint64_t better = misses[LRU][s];
		if (mru && misses[MRU][s] < better)
			better = misses[MRU][s];
		good &= misses[LEU][s] >= misses[OPT][s] && 100 * misses[LEU][s] <= 105 * better;
	}
	snprintf(what, sizeof what, "%s %d times: misses with 1 to 4 pages; at most 1.05 times %s",
		 e->round, ROUNDS, mru ? "the better of LRU's and MRU's" : "LRU's");
	td_cli_state(r, &(struct td_cli_statement){
				.id = id,
				.what = what,
				.published = json_string("a cached first, the rest by MRU"),
				.measured = json_string(text),
				.verdict = good ? TD_CLI_AGREES : TD_CLI_DISAGREES});
}

/* The least size that misses less than so often per round. */
static unsigned least_size(const uint64_t misses[SIZES], unsigned per_round)
{
	unsigned s = 0;

	while (s < SIZES && misses[s] + SIZES > (uint64_t)per_round * ROUNDS)
		s++;
	return s + 1;
}

static void state_kept(struct td_cli_reproduction *r, unsigned size)
{
	char text[40];

	snprintf(text, sizeof text, "from %u pages on", size);
	td_cli_state(r,
		     &(struct td_cli_statement){
			     .id = "section31-leu",
			     .what = "aaxyz: from which size on LEU keeps a; of two pages, one is "
				     "for the others",
			     .published = json_string("a is always cached first"),
			     .measured = json_string(text),
			     .verdict = size == 2 ? TD_CLI_AGREES : TD_CLI_DISAGREES});
}

int td_cli_leu_examples(struct td_cli_reproduction *r, struct tide_error *err)
{
	uint64_t first[POLICIES][SIZES], second[POLICIES][SIZES];
	int rc = run_example(&axayaz, first, err);

	if (!rc)
		rc = run_example(&aaxyz, second, err);
	if (rc)
		return rc;
	rc = state_formulas(r, err);
	if (rc)
		return rc;
	state_runs(r, &axayaz, "figure3-runs", first, true);
	state_runs(r, &aaxyz, "section31-runs", second, false);
	/* x, y, z and the first a of a round: fewer than four misses, and a stays. */
	state_number(r, "section31-lru", "aaxyz: least size in pages at which LRU keeps a", 4,
		     least_size(second[LRU], 4), NULL);
	state_kept(r, least_size(second[LEU], 4));
	return 0;
}
