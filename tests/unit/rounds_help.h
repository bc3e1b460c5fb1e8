/* What the tests of recur and follow share: rounds over chunks of one page, and what a run of them
 * moves. */
#ifndef TESTS_UNIT_ROUNDS_HELP_H
#define TESTS_UNIT_ROUNDS_HELP_H

#include "policy_help.h"

#define MOST_VISITS 40000

static struct td_event visits[MOST_VISITS];
static uint64_t visits_n;

static inline void visit(uint64_t chunk)
{
	assert_true(visits_n < MOST_VISITS);
	visits[visits_n++] = (struct td_event){.page = chunk};
}

/* Rounds over `n` chunks from `first` on. */
static inline void go_round(uint64_t first, uint64_t n, uint64_t rounds)
{
	for (uint64_t r = 0; r < rounds; r++)
		for (uint64_t i = 0; i < n; i++)
			visit(first + i);
}

struct moved {
	uint64_t faults, pages, planned, wasted;
};

static struct {
	uint64_t planned, wasted;
} follow_said;

static void take_number(void *to, const char *key, uint64_t value)
{
	(void)to;
	if (strcmp(key, "followed_chunks") == 0)
		follow_said.planned = value;
	if (strcmp(key, "followed_in_vain") == 0)
		follow_said.wasted = value;
}

static inline struct moved run_visits(const char *evict, const char *prefetch, uint64_t near_pages)
{
	struct td_engine_config config = config_of(1, near_pages);
	struct array_source source = array_of(visits, visits_n);
	const struct tide_report to = {NULL, take_number, put_real, put_text, put_list};
	static struct tide_batch batch;
	struct moved moved;
	struct td_engine *e;

	config.length = visits_n;
	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	e = start(&config);
	if (e->wants_future)
		assert_int_equal(td_sim_foresee(e, &source.head, NULL), 0);
	while (!array_next(&source.head, &batch, NULL) && batch.n)
		assert_int_equal(td_sim_batch(e, &batch, NULL), 0);
	assert_int_equal(td_engine_check(e), 0);
	assert_int_equal(e->counts.policy_errors, 0);
	memset(&follow_said, 0, sizeof follow_said);
	if (strcmp(prefetch, "follow") == 0)
		e->box[TD_BOX_PREFETCH].choice.policy->report(e->box[TD_BOX_PREFETCH].self, &to);
	moved = (struct moved){e->counts.faults, e->counts.migrated_pages, follow_said.planned,
			       follow_said.wasted};
	td_engine_destroy(e);
	return moved;
}

#endif
