/* Invalid answers: the first one ends the run, or they are replaced and the policy ejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "engine_help.h"

enum wrong { NO_CHUNK, NO_SUCH_CHUNK, NOT_RESIDENT, FAULTING, PLANNED, KINDS };

static const char *const why[KINDS] = {
	"it named no chunk although one is valid",
	"the chunk does not exist",
	"the chunk is not resident",
	"the chunk is the one that faulted",
	"the chunk has a page that is being brought in",
};

/* What the policies of this test do, and what was seen of them. */
static struct {
	enum wrong wrong;
	uint64_t wrong_every; /* of so many answers one is wrong */
	uint64_t asked;
	bool answered;        /* a valid chunk, which is about to leave */
	uint64_t others_word; /* evictions that were not the policy's word */
} play;

struct bad {
	const struct tide_view *view;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct bad *)self)->view = view;
	return 0;
}

static tide_chunk find(const struct tide_view *v, bool resident, bool valid)
{
	for (uint32_t i = v->near->chunks; i--;) {
		tide_chunk c = {i};
		if ((tide_resident(v, c) != 0) == resident && tide_valid(v, c) == valid)
			return c;
	}
	return TIDE_NO_CHUNK;
}

static tide_chunk wrong_answer(const struct tide_view *v)
{
	const struct tide_near *near = v->near;

	switch (play.wrong) {
	case NO_CHUNK: return TIDE_NO_CHUNK;
	case NO_SUCH_CHUNK: return (tide_chunk){near->chunks};
	case NOT_RESIDENT: return find(v, false, true);
	case FAULTING: return near->fault_chunk;
	default: return (tide_chunk){near->plan->other[0].index};
	}
}

static tide_chunk pick_victim(void *self)
{
	const struct tide_view *v = ((const struct bad *)self)->view;

	play.answered = ++play.asked % play.wrong_every != 0;
	return play.answered ? find(v, true, true) : wrong_answer(v);
}

static const struct tide_policy bad = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "bad",
	.role = TIDE_EVICT,
	.summary = "answers wrong",
	.state_bytes = sizeof(struct bad),
	.create = create,
	.pick_victim = pick_victim,
};

/* ---- the first one ends the run ---- */

static struct td_engine *begin(const char *prefetch, bool replace)
{
	struct td_engine_config config = config_of(4, 12);

	config.evict = own(&bad);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	config.replace_invalid = replace;
	config.last_page = 4000;
	return start(&config);
}

static void the_first_invalid_answer_ends_the_run(void **state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		struct td_engine *e = begin("sequential:n=3", false);
		struct tide_error err = {0};
		memset(&play, 0, sizeof play);
		play.wrong = (enum wrong)kind;
		play.wrong_every = 1;
		/* 0..2, 6..8, 13..15, 20..22: memory is full. */
		read_page(e, 0);
		read_page(e, 6);
		read_page(e, 13);
		read_page(e, 20);
		/* Set {3, 4, 5}: the fault's chunk 0 and chunk 1 have pages here. */
		assert_int_equal(try_event(e, (struct td_event){.page = 3}, &err), -EPROTO);
		assert_non_null(strstr(err.text, why[kind]));
		assert_non_null(strstr(err.text, "evict policy bad"));
		assert_non_null(strstr(err.text, "access 5 (fault in chunk 0, 0 of 12 pages free"));
		assert_int_equal(e->counts.policy_errors, 1);
		assert_int_equal(e->counts.accesses, 5);
		assert_int_equal(e->counts.faults, 5);
		assert_int_equal(e->counts.hits, 0);
		assert_int_equal(e->counts.evicted_chunks, 0);
		td_engine_destroy(e);
	}
}

/* ---- or the engine chooses instead ---- */

/* A prefetcher that knows who came in when, and checks every victim not of the policy's word:
 * it must be the valid chunk whose last migration is the oldest. */
#define CHUNKS 1000
struct watcher {
	const struct tide_view *view;
	uint64_t migrated[CHUNKS], now;
	uint32_t stretch; /* pages to bring */
};

static struct watcher *watching;

static int watch(void *self, const struct tide_view *view, const union tide_value *values,
		 struct tide_error *err)
{
	(void)values, (void)err;
	watching = self;
	watching->view = view;
	return 0;
}

static void watch_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct watcher *w = self;

	(void)pages;
	w->migrated[tide_chunk_number(w->view, c)] = ++w->now;
}

static void watch_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	const struct watcher *w = self;
	uint64_t oldest = UINT64_MAX;

	(void)what;
	for (uint32_t i = 0; i < w->view->near->chunks; i++) {
		uint64_t at = w->migrated[tide_chunk_number(w->view, (tide_chunk){i})];
		if (tide_resident(w->view, (tide_chunk){i}) &&
		    tide_valid(w->view, (tide_chunk){i}) && at < oldest)
			oldest = at;
	}
	if (!play.answered) {
		assert_int_equal(w->migrated[tide_chunk_number(w->view, c)], oldest);
		play.others_word++;
	}
	play.answered = false;
}

static void watch_plan(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct watcher *w = self;
	uint32_t chunk_pages = w->view->near->chunk_pages;

	(void)c;
	for (uint64_t page = p.number; page < p.number + w->stretch; page++)
		tide_plan_chunk(plan, page / chunk_pages, UINT64_C(1) << (page % chunk_pages));
}

static const struct tide_policy watcher = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "watcher",
	.role = TIDE_PREFETCH,
	.summary = "checks",
	.state_bytes = sizeof(struct watcher),
	.create = watch,
	.on_migrated = watch_migrated,
	.on_evicted = watch_evicted,
	.plan_prefetch = watch_plan,
};

static struct td_engine *begin_watched(uint32_t chunk_pages, uint32_t stretch, bool identity)
{
	struct td_engine_config config = config_of(chunk_pages, chunk_pages * 8);
	struct td_engine *e;

	config.evict = own(&bad);
	config.prefetch = own(&watcher);
	config.replace_invalid = true;
	if (identity)
		config.last_page = CHUNKS * chunk_pages - 1;
	e = start(&config);
	watching->stretch = stretch;
	return e;
}

static void touch_at_random(struct td_engine *e, uint64_t accesses, uint64_t pages)
{
	uint64_t random = 5;

	for (uint64_t i = 0; i < accesses; i++)
		read_page(e, tide_random_next(&random) % pages);
}

static void wrong_answers_are_replaced_and_the_policy_ejected(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t chunk_pages = i % 4 < 2 ? 16 : 6;
		struct td_engine *e = begin_watched(chunk_pages, i % 8 < 4 ? 1 : 20, i < 16);
		memset(&play, 0, sizeof play);
		play.wrong = i % 2 ? FAULTING : NO_CHUNK;
		play.wrong_every = i % 3 + 1;
		touch_at_random(e, 4000, chunk_pages * 30);
		assert_int_equal(e->counts.policy_errors, 16);
		assert_int_equal(play.asked, 16 * play.wrong_every);
		assert_string_equal(e->ejected, "bad");
		assert_string_equal(e->box[TD_BOX_EVICT].choice.policy->name, "lrm");
		assert_int_equal(play.others_word, e->counts.evicted_chunks - play.asked + 16);
		assert_true(play.others_word > 200);
		td_engine_destroy(e);
	}
}

static void fifteen_wrong_answers_are_forgiven(void **state)
{
	struct td_engine *e = begin_watched(4, 1, true);

	(void)state;
	memset(&play, 0, sizeof play);
	play.wrong_every = 100;
	for (uint64_t page = 0; play.asked < 1599; page = (page + 4) % (4 * CHUNKS))
		read_page(e, page);
	assert_int_equal(e->counts.policy_errors, 15);
	assert_string_equal(e->ejected, "");
	assert_string_equal(e->box[TD_BOX_EVICT].choice.policy->name, "bad");
	td_engine_destroy(e);
}

/* Turns are 32 bits: chunks that come in ascending order leave so, also where turns run out. */
static void the_order_outlives_its_turns(void **state)
{
	struct td_engine *e = begin_watched(4, 1, true);

	(void)state;
	memset(&play, 0, sizeof play);
	play.wrong = NO_CHUNK;
	play.wrong_every = 1;
	e->migrations = UINT32_MAX - 12;
	for (uint64_t chunk = 0; play.asked < 15; chunk++)
		for (uint64_t page = 0; page < 4; page++)
			read_page(e, 4 * chunk + page);
	assert_int_equal(play.others_word, 15);
	assert_true(e->migrations < UINT32_MAX - 12);
	td_engine_destroy(e);
}

/* The fallback's order is that of lrm, so a policy that is never right leaves the counts of lrm. */
static void never_right_is_lrm(void **state)
{
	static const char *const prefetch[] = {"none", "locality", "tree", "sequential:n=7"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct td_engine *e = begin(prefetch[i], true), *lrm;
		struct td_engine_config config = config_of(4, 12);
		memset(&play, 0, sizeof play);
		play.wrong_every = 1;
		config.evict = named("lrm", TIDE_EVICT);
		config.prefetch = named(prefetch[i], TIDE_PREFETCH);
		config.last_page = 4000;
		lrm = start(&config);
		touch_at_random(e, 3000, 60);
		touch_at_random(lrm, 3000, 60);
		assert_int_equal(e->counts.policy_errors, 16);
		e->counts.policy_errors = 0;
		assert_memory_equal(&e->counts, &lrm->counts, sizeof e->counts);
		td_engine_destroy(e);
		td_engine_destroy(lrm);
	}
}

/* ---- a plan with more chunks than there is room for ---- */

static uint32_t plan_chunks;

static void plan_many(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	(void)self, (void)c, (void)p;
	for (uint32_t i = 0; i < plan_chunks; i++)
		tide_plan_chunk(plan, (i + 1) * 2, 1);
}

static void a_plan_of_too_many_chunks_is_invalid(void **state)
{
	static const struct tide_policy many = {
		.api = TIDE_POLICY_API,
		.size = sizeof(struct tide_policy),
		.name = "many",
		.role = TIDE_PREFETCH,
		.summary = "plans",
		.plan_prefetch = plan_many,
	};
	struct tide_error err = {0};

	(void)state;
	for (int replace = 0; replace < 2; replace++) {
		struct td_engine_config config = config_of(4, 10000);
		config.evict = named("fifo", TIDE_EVICT);
		config.prefetch = own(&many);
		config.replace_invalid = replace;
		struct td_engine *e = start(&config);
		plan_chunks = TIDE_PLAN_ENTRIES;
		read_page(e, 0);
		assert_int_equal(e->counts.prefetched_pages, TIDE_PLAN_ENTRIES);
		plan_chunks++;
		assert_int_equal(try_event(e, (struct td_event){.page = 1}, &err),
				 replace ? 0 : -EPROTO);
		assert_non_null(strstr(err.text, "prefetch policy many"));
		assert_int_equal(e->counts.policy_errors, 1);
		assert_int_equal(e->counts.migrated_pages, TIDE_PLAN_ENTRIES + 1 + replace);
		td_engine_destroy(e);
	}
}

/* ---- every member of a plan ---- */

static const struct {
	unsigned needs, n, arm, remote; /* remote: as a byte */
	const char *why;                /* NULL: valid */
} plans[] = {
	{0, 1, 1 << TIDE_FEEDBACK, 1, "without TIDE_NEEDS_REMOTE"},
	{TIDE_NEEDS_NOTICES, 1, 1 << TIDE_FEEDBACK, 1, "without TIDE_NEEDS_REMOTE"},
	{TIDE_NEEDS_NOTICES | TIDE_NEEDS_REMOTE, 1, 1 << TIDE_FEEDBACK, 1, NULL},
	{TIDE_NEEDS_REMOTE, UINT32_MAX, 0, 1, "too many chunks"},
	{TIDE_NEEDS_REMOTE, 0, 0, 2, "neither true nor false"},
	{0, 0, 1 << TIDE_FEEDBACK, 0, "without TIDE_NEEDS_NOTICES"},
	{TIDE_NEEDS_NOTICES, 0, 1 << TIDE_OBSERVE, 0, "a purpose"},
	{TIDE_NEEDS_NOTICES, 0, UINT32_MAX, 0, "a purpose"},
	{0, TIDE_PLAN_ENTRIES + 1, 0, 0, "too many chunks"},
};

static size_t plan_given;

static void plan_wrongly(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	(void)self, (void)c, (void)p;
	plan->other[0] = (struct tide_plan_entry){.number = 3, .pages = 1, .index = 0xfffffff0};
	plan->n = plans[plan_given].n;
	plan->arm = plans[plan_given].arm;
	memset(&plan->remote, (int)plans[plan_given].remote, 1);
}

static void try_plan(const struct tide_policy *p, bool replace)
{
	const char *why = plans[plan_given].why;
	struct td_engine_config config = config_of(4, 16);
	struct tide_error err = {0};

	config.evict = named("fifo", TIDE_EVICT);
	config.prefetch = own(p);
	config.replace_invalid = replace;
	struct td_engine *e = start(&config);
	assert_int_equal(try_event(e, (struct td_event){.page = 1}, &err),
			 why && !replace ? -EPROTO : 0);
	if (why && !replace)
		assert_non_null(strstr(err.text, why));
	assert_int_equal(e->counts.policy_errors, why != NULL);
	/* Replaced by the page alone; what is remote brings nothing in, and nothing is armed. */
	assert_int_equal(e->counts.migrated_pages, why && replace);
	assert_int_equal(e->counts.observe_pages, 0);
	for (unsigned i = 0; i < 40 && replace; i++)
		read_page(e, 8 + 4 * i);
	assert_int_equal(e->counts.policy_errors, why && replace ? 16 : why != NULL);
	assert_string_equal(e->ejected, why && replace ? "plans" : "");
	td_engine_destroy(e);
}

static void every_member_of_a_plan_is_checked(void **state)
{
	struct tide_policy p = {
		.api = TIDE_POLICY_API,
		.size = sizeof(struct tide_policy),
		.name = "plans",
		.role = TIDE_PREFETCH,
		.summary = "plans wrongly",
		.plan_prefetch = plan_wrongly,
	};

	(void)state;
	for (plan_given = 0; plan_given < sizeof plans / sizeof *plans; plan_given++) {
		p.needs = plans[plan_given].needs;
		try_plan(&p, false);
		try_plan(&p, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_invalid_answer_ends_the_run),
		cmocka_unit_test(wrong_answers_are_replaced_and_the_policy_ejected),
		cmocka_unit_test(fifteen_wrong_answers_are_forgiven),
		cmocka_unit_test(the_order_outlives_its_turns),
		cmocka_unit_test(never_right_is_lrm),
		cmocka_unit_test(a_plan_of_too_many_chunks_is_invalid),
		cmocka_unit_test(every_member_of_a_plan_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
