/* Observation: who is armed, what an access to an armed page sets off, and what it counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_help.h"

static struct {
	char heard[4096];
	uint64_t observe;     /* chunk number to name as the candidate, UINT64_MAX: none */
	unsigned arm;         /* of every plan */
	uint64_t plan_pages;  /* of the faulting chunk */
	uint64_t notice_plan; /* chunk number that a notice brings in, UINT64_MAX: none */
	bool remote;
	uint64_t victim;
	bool lru;
} script;

struct watcher {
	const struct tide_view *view;
};

__attribute__((format(printf, 1, 2))) static void hear(const char *format, ...)
{
	size_t used = strlen(script.heard);
	va_list args;

	va_start(args, format);
	vsnprintf(script.heard + used, sizeof script.heard - used, format, args);
	va_end(args);
}

static void assert_heard(const char *expected)
{
	assert_string_equal(script.heard, expected);
	*script.heard = '\0';
}

static int record(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	(void)values, (void)err;
	((struct watcher *)self)->view = view;
	return 0;
}

static const char *const purposes[] = {"observe", "feedback", "trigger", "remote"};

static void e_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)self;
	hear("e notice %u %lu %s\n", c.index, p.number, purposes[purpose]);
}

static void p_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)self;
	hear("p notice %u %lu %s\n", c.index, p.number, purposes[purpose]);
}

static void p_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	const struct watcher *s = self;
	hear("evicted %u%s%s%s\n", c.index, what->unused ? " unused " : "",
	     what->unused ? purposes[what->purpose] : "", s->view->near->follows_lru ? " lru" : "");
}

static tide_chunk e_pick(void *self)
{
	(void)self;
	return (tide_chunk){(uint32_t)script.victim};
}

static tide_chunk e_candidate(void *self)
{
	(void)self;
	return script.observe == UINT64_MAX ? TIDE_NO_CHUNK
					    : (tide_chunk){(uint32_t)script.observe};
}

static bool e_follows_lru(void *self)
{
	(void)self;
	return script.lru;
}

static void p_plan(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	(void)self, (void)c, (void)p;
	plan->own = script.plan_pages;
	plan->arm = script.arm;
	plan->remote = script.remote;
}

static void p_plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			  struct tide_plan *plan)
{
	(void)self, (void)c, (void)p, (void)purpose;
	if (script.notice_plan != UINT64_MAX)
		tide_plan_chunk(plan, script.notice_plan, 0xf);
	plan->arm = script.arm;
}

static const struct tide_policy evicter = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "e",
	.role = TIDE_EVICT,
	.summary = "writes down",
	.needs = TIDE_NEEDS_NOTICES,
	.state_bytes = sizeof(struct watcher),
	.create = record,
	.on_notice = e_notice,
	.pick_victim = e_pick,
	.pick_observed = e_candidate,
	.follows_lru = e_follows_lru,
};

static const struct tide_policy prefetcher = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "p",
	.role = TIDE_PREFETCH,
	.summary = "writes down",
	.needs = TIDE_NEEDS_NOTICES | TIDE_NEEDS_REMOTE,
	.state_bytes = sizeof(struct watcher),
	.create = record,
	.on_notice = p_notice,
	.on_evicted = p_evicted,
	.plan_prefetch = p_plan,
	.plan_notice = p_plan_notice,
};

/* Chunks of 4 pages in a short address range, so that indices are numbers. */
static struct td_engine *begin(uint64_t near_pages)
{
	struct td_engine_config config = config_of(4, near_pages);

	memset(&script, 0, sizeof script);
	script.observe = script.notice_plan = UINT64_MAX;
	config.last_page = 1023;
	config.pages = 1024;
	config.prefetch = own(&prefetcher);
	config.evict = own(&evicter);
	return start(&config);
}

static uint64_t armed(struct td_engine *e, uint32_t chunk)
{
	return tide_bits(&e->box[TD_BOX_EVICT].view, (tide_chunk){chunk}, TIDE_ARMED);
}

static void an_observed_chunk_gives_one_notice(void **state)
{
	struct td_engine *e = begin(64);

	(void)state;
	script.observe = 0;
	read_page(e, 1);
	assert_int_equal(armed(e, 0), 2);
	assert_int_equal(e->counts.observe_pages, 1);
	script.observe = UINT64_MAX;
	write_page(e, 1);
	assert_heard("p notice 0 1 observe\ne notice 0 1 observe\n");
	read_page(e, 1);
	assert_heard("");
	assert_int_equal(armed(e, 0), 0);
	assert_int_equal(e->counts.notices, 1);
	assert_int_equal(e->counts.remote_accesses, 1);
	assert_int_equal(e->counts.observe_pages, 2);
	assert_int_equal(e->counts.hits, 2);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(tide_bits(&e->box[TD_BOX_EVICT].view, (tide_chunk){0}, TIDE_DIRTY), 2);
	td_engine_destroy(e);
}

/* An absent chunk, one already observed, one that does not exist: nothing happens. */
static void candidates_are_proposals(void **state)
{
	struct td_engine *e = begin(64);

	(void)state;
	script.observe = 9;
	read_page(e, 0);
	assert_int_equal(e->counts.observe_pages, 0);
	script.observe = 0;
	read_page(e, 1);
	read_page(e, 2);
	read_page(e, 3);
	assert_int_equal(e->counts.observe_pages, 1);
	assert_int_equal(e->observe.n[TIDE_OBSERVE], 1);
	td_engine_destroy(e);
}

static void the_budget_is_kept(void **state)
{
	struct td_engine *e = begin(256);

	(void)state;
	e->observe.budget[TIDE_OBSERVE] = 2;
	for (uint64_t c = 0; c < 4; c++) {
		script.observe = c;
		read_page(e, c * 4);
	}
	assert_int_equal(e->observe.n[TIDE_OBSERVE], 2);
	assert_int_equal(armed(e, 2) | armed(e, 3), 0);
	script.observe = 3;
	read_page(e, 0); /* gives a notice, and room */
	assert_int_equal(armed(e, 0), 0);
	assert_int_equal(armed(e, 3), 1);
	td_engine_destroy(e);
}

static void an_evicted_chunk_was_unused(void **state)
{
	struct td_engine *e = begin(4);

	(void)state;
	script.observe = 0;
	script.lru = true;
	read_page(e, 0);
	script.observe = UINT64_MAX;
	read_page(e, 1);
	read_page(e, 2);
	read_page(e, 3);
	read_page(e, 4);
	assert_heard("evicted 0 unused observe lru\n");
	assert_int_equal(e->counts.observe_pages, 1);
	assert_int_equal(e->observe.n[TIDE_OBSERVE], 0);
	script.victim = 1;
	script.lru = false;
	for (uint64_t p = 5; p < 9; p++)
		read_page(e, p);
	assert_heard("evicted 1\n");
	td_engine_destroy(e);
}

/* One of the prefetched pages is armed, never the one that faulted. */
static void what_is_prefetched_can_be_armed(void **state)
{
	(void)state;
	for (unsigned purpose = TIDE_FEEDBACK; purpose <= TIDE_TRIGGER; purpose++) {
		struct td_engine *e = begin(256);
		uint64_t seen = 0;
		script.arm = 1u << purpose;
		script.plan_pages = 0xf;
		for (uint64_t c = 0; c < 64; c++) {
			read_page(e, c * 4 + 1);
			assert_int_equal(__builtin_popcountll(armed(e, (uint32_t)c)), 1);
			seen |= armed(e, (uint32_t)c);
		}
		assert_int_equal(seen, 0xd);
		assert_int_equal(e->observe.n[purpose], 64);
		td_engine_destroy(e);
	}
}

static void a_trigger_brings_pages_without_a_fault(void **state)
{
	struct td_engine *e = begin(12);

	(void)state;
	script.arm = 1u << TIDE_TRIGGER;
	script.plan_pages = 3;
	read_page(e, 0);
	assert_int_equal(armed(e, 0), 2);
	script.notice_plan = 5;
	read_page(e, 1);
	assert_heard("p notice 0 1 trigger\ne notice 0 1 trigger\n");
	assert_true(is_resident(e, 20) && is_resident(e, 23));
	assert_int_equal(__builtin_popcountll(armed(e, 5)), 1);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->counts.migrated_pages, 6);
	assert_int_equal(e->counts.prefetched_pages, 5);
	td_engine_destroy(e);
}

/* What a notice brings in pushes out others, but not the chunk that gave it. */
static void room_is_made_for_a_notice(void **state)
{
	struct td_engine *e = begin(7);

	(void)state;
	script.observe = 0;
	read_page(e, 0);
	read_page(e, 1);
	script.observe = UINT64_MAX;
	read_page(e, 8);
	read_page(e, 9);
	script.notice_plan = 7;
	script.victim = 2;
	read_page(e, 0);
	assert_heard("p notice 0 0 observe\ne notice 0 0 observe\nevicted 2\n");
	assert_true(is_resident(e, 28) && is_resident(e, 31) && is_resident(e, 0));
	assert_int_equal(e->near.free_pages, 1);
	assert_int_equal(e->counts.policy_errors, 0);
	td_engine_destroy(e);
}

/* With nobody else to leave, less comes. */
static void a_notice_takes_what_room_there_is(void **state)
{
	struct td_engine *e = begin(5);

	(void)state;
	script.observe = 0;
	read_page(e, 0);
	read_page(e, 1);
	script.observe = UINT64_MAX;
	script.notice_plan = 7;
	read_page(e, 0);
	assert_true(is_resident(e, 30) && !is_resident(e, 31) && is_resident(e, 0));
	assert_int_equal(e->near.free_pages, 0);
	td_engine_destroy(e);
}

static void a_page_can_stay_where_it_is(void **state)
{
	struct td_engine *e = begin(64);

	(void)state;
	script.remote = true;
	read_page(e, 6);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->counts.migrated_pages, 0);
	read_page(e, 6);
	assert_heard("p notice 1 6 remote\n");
	assert_int_equal(e->counts.remote_accesses, 1);
	assert_int_equal(e->counts.notices, 0);
	assert_int_equal(e->counts.hits, 0);
	script.notice_plan = 1;
	read_page(e, 6);
	*script.heard = '\0';
	read_page(e, 6);
	assert_heard("");
	assert_int_equal(e->counts.hits, 1);
	assert_int_equal(e->counts.faults, 1);
	assert_int_equal(e->counts.prefetched_pages, 4);
	td_engine_destroy(e);
}

/* A hundred evictions that all come back double the samples, ones that never do halve them. */
static void samples_follow_what_comes_back(void **state)
{
	struct td_engine *e = begin(4);

	(void)state;
	script.plan_pages = 0xf;
	for (uint64_t i = 0; i <= 200; i++) {
		script.victim = (i + 1) % 2;
		read_page(e, i % 2 * 4);
	}
	assert_int_equal(e->counts.evicted_chunks, 200);
	assert_int_equal(e->observe.samples, 4);
	for (uint64_t i = 0; i < 100; i++) {
		script.victim = i ? i + 1 : 0;
		read_page(e, (i + 2) * 4);
	}
	assert_int_equal(e->counts.evicted_chunks, 300);
	assert_int_equal(e->observe.samples, 2);
	td_engine_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_observed_chunk_gives_one_notice),
		cmocka_unit_test(candidates_are_proposals),
		cmocka_unit_test(the_budget_is_kept),
		cmocka_unit_test(an_evicted_chunk_was_unused),
		cmocka_unit_test(what_is_prefetched_can_be_armed),
		cmocka_unit_test(a_trigger_brings_pages_without_a_fault),
		cmocka_unit_test(room_is_made_for_a_notice),
		cmocka_unit_test(a_notice_takes_what_room_there_is),
		cmocka_unit_test(a_page_can_stay_where_it_is),
		cmocka_unit_test(samples_follow_what_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
