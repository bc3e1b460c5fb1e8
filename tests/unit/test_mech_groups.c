/* Groups and prefix hits in the functional simulator: beside a slow model, and beside what the hits
 * of single accesses say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_help.h"
#include "groups_model.h"

#define MOONCAKE TIDE_SOURCE_DIR "/../shared/traces/mooncake-synthetic.jsonl"

/* ---- runs ---- */

struct setup {
	const char *evict, *prefetch, *place;
	uint32_t chunk_pages;
	uint64_t near_pages;
	bool long_way; /* the engine may not use its short way for single pages */
	uint32_t batch;
};

static struct td_engine *begin(const struct setup *s, const struct grouped *t)
{
	struct td_engine_config config = config_of(s->chunk_pages, s->near_pages);

	config.evict = named(s->evict, TIDE_EVICT);
	config.prefetch = named(s->prefetch, TIDE_PREFETCH);
	if (s->place)
		config.place = named(s->place, TIDE_PLACE);
	config.host_pages = s->near_pages;
	config.last_page = t->pages - 1;
	config.length = t->n;
	config.replace_invalid = s->long_way;
	return start(&config);
}

static void foresee(struct td_engine *e, const struct grouped *t)
{
	struct td_event *events = calloc(t->n, sizeof *events);
	struct array_source source = array_of(events, t->n);

	assert_non_null(events);
	for (size_t i = 0; i < t->n; i++)
		events[i].page = t->page[i];
	assert_int_equal(td_sim_foresee(e, &source.head, NULL), 0);
	free(events);
}

static struct tide_counts run_grouped(const struct setup *s, const struct grouped *t)
{
	struct td_engine *e = begin(s, t);
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_counts counts;

	assert_non_null(b);
	b->object = calloc(1, sizeof *b->object);
	assert_non_null(b->object);
	if (e->wants_future)
		foresee(e, t);
	for (size_t at = 0; at < t->n; at += b->n) {
		b->n = (uint32_t)(t->n - at < s->batch ? t->n - at : s->batch);
		memcpy(b->page, t->page + at, b->n * sizeof *b->page);
		memcpy(b->object->first, t->first + at, b->n);
		assert_int_equal(td_sim_batch(e, b, NULL), 0);
	}
	counts = e->counts;
	td_engine_destroy(e);
	free(b->object);
	free(b);
	return counts;
}

/* The same run without groups, access by access: the hits of each say what a prefix is. */
static struct tide_counts run_singly(const struct setup *s, const struct grouped *t)
{
	struct td_engine *e = begin(s, t);
	struct tide_counts counts;
	uint64_t groups = 0, prefix_hits = 0;
	bool whole = false;

	if (e->wants_future)
		foresee(e, t);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t hits = e->counts.hits;
		read_page(e, t->page[i]);
		groups += t->first[i];
		whole = (whole || t->first[i]) && e->counts.hits > hits;
		prefix_hits += whole;
	}
	assert_int_equal(e->counts.groups, 0);
	assert_int_equal(e->counts.prefix_hits, 0);
	counts = e->counts;
	counts.groups = groups;
	counts.prefix_hits = prefix_hits;
	td_engine_destroy(e);
	return counts;
}

/* ---- beside the model ---- */

static void compare(const struct grouped *t, size_t policy, size_t near)
{
	struct model m = model_run(t, policy, near);

	for (int long_way = 0; long_way < 2; long_way++) {
		struct setup s = {.evict = modelled[policy],
				  .prefetch = "none",
				  .chunk_pages = 1,
				  .near_pages = near,
				  .long_way = long_way,
				  .batch = TIDE_BATCH};
		struct tide_counts c = run_grouped(&s, t);
		if (c.hits != m.hits || c.prefix_hits != m.prefix_hits || c.groups != m.groups)
			fail_msg("%s, %zu pages: %llu hits, %llu of prefixes; the model has %llu, "
				 "%llu",
				 modelled[policy], near, (unsigned long long)c.hits,
				 (unsigned long long)c.prefix_hits, (unsigned long long)m.hits,
				 (unsigned long long)m.prefix_hits);
	}
}

static void random_requests_agree_with_the_model(void **state)
{
	static const size_t pages[] = {40, 300, 1000}, near[] = {1, 2, 7, 30, 100, 299};

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		struct grouped t = random_trace(pages[p], p ? 40 : 3, p + 1);
		for (size_t i = 0; i < MODELLED * 6; i++)
			compare(&t, i / 6, near[i % 6]);
		free_trace(&t);
	}
}

static void mooncakes_requests_agree_with_the_model(void **state)
{
	static const size_t near[] = {10, 50, 200, 500, 1000, 1500};
	FILE *f = fopen(MOONCAKE, "r");

	(void)state;
	if (!f)
		skip();
	struct grouped t = mooncake(f);
	fclose(f);
	for (size_t i = 0; i < MODELLED * 6; i++)
		compare(&t, i / 6, near[i % 6]);
	free_trace(&t);
}

/* ---- beside single accesses: whatever else happens in the run ---- */

static void prefetch_tiers_and_notices_agree_with_single_accesses(void **state)
{
	static const struct setup setups[] = {
		{"lru", "tree", NULL, 16, 64, false, 100},
		{"lfu", "sequential:n=5", NULL, 4, 40, false, TIDE_BATCH},
		{"opt", "locality", NULL, 6, 60, false, 7},
		{"observ-lru", "rgp", NULL, 8, 64, false, TIDE_BATCH},
		{"cp", "fdp", NULL, 16, 96, false, 1},
		{"lrm", "acbm:threshold=2", NULL, 4, 40, false, TIDE_BATCH},
		{"clock", "none", "reuse", 1, 50, false, 1000},
		{"arc", "none", NULL, 1, 50, false, 999},
	};

	(void)state;
	for (size_t i = 0; i < sizeof setups / sizeof *setups; i++) {
		struct grouped t = random_trace(300, 20, i + 10);
		struct tide_counts together = run_grouped(&setups[i], &t);
		struct tide_counts singly = run_singly(&setups[i], &t);
		assert_memory_equal(&together, &singly, sizeof singly);
		assert_true(singly.prefix_hits > 100 && singly.prefix_hits < singly.hits);
		free_trace(&t);
	}
}

/* ---- marks ---- */

static void marks_end_no_group(void **state)
{
	static const struct tide_mark marks[] = {
		{TIDE_MARK_MAP, 0, 0, 16}, {TIDE_MARK_GONE, 4, 1, 1}, {TIDE_MARK_MAP, 4, 16, 1}};
	struct td_engine_config config = config_of(1, 8);
	struct tide_batch *b = calloc(1, sizeof *b);

	(void)state;
	config.evict = named("lru", TIDE_EVICT);
	config.maps = true;
	struct td_engine *e = start(&config);
	assert_non_null(b);
	b->object = calloc(1, sizeof *b->object);
	assert_non_null(b->object);
	/* 0 1 | 0 1 (1 ceases to exist) 0 16 0 | 0 */
	memcpy(b->page, (uint64_t[]){0, 1, 0, 1, 0, 16, 0, 0}, 8 * sizeof *b->page);
	memcpy(b->object->first, (uint8_t[]){1, 0, 1, 0, 0, 0, 0, 1}, 8);
	b->n = 8;
	b->marks = marks;
	b->marks_n = 3;
	assert_int_equal(td_sim_batch(e, b, NULL), 0);
	assert_int_equal(e->counts.groups, 3);
	assert_int_equal(e->counts.hits, 5);
	assert_int_equal(e->counts.prefix_hits, 4);
	td_engine_destroy(e);
	free(b->object);
	free(b);
}

/* ---- what policies see ---- */

struct watcher {
	const struct tide_view *view;
	uint64_t seen[16];
	unsigned n;
};

static struct watcher *watching;

static int watch_create(void *self, const struct tide_view *view, const union tide_value *values,
			struct tide_error *err)
{
	(void)values;
	(void)err;
	watching = self;
	watching->view = view;
	return 0;
}

static void watch_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct watcher *w = self;

	(void)c;
	(void)p;
	(void)ref;
	w->seen[w->n++] = w->view->near->group_at;
}

static tide_chunk watch_victim(void *self)
{
	(void)self;
	return (tide_chunk){0};
}

static const struct tide_policy watch = {
	.api = TIDE_POLICY_API,
	.size = sizeof watch,
	.name = "watch",
	.role = TIDE_EVICT,
	.needs = TIDE_NEEDS_ACCESSES,
	.state_bytes = sizeof(struct watcher),
	.create = watch_create,
	.on_access = watch_access,
	.pick_victim = watch_victim,
};

static void policies_see_the_position(void **state)
{
	static const uint64_t expected[] = {TIDE_NEVER, TIDE_NEVER, 0, 1, 2, 0, 0, 1};
	static struct tide_batch b;
	static struct tide_batch_object object = {.first = {0, 0, 1, 0, 0, 1, 1, 0}};

	(void)state;
	for (uint32_t chunk_pages = 1; chunk_pages <= 4; chunk_pages += 3) {
		struct td_engine_config config = config_of(chunk_pages, 8);
		config.evict = own(&watch);
		struct td_engine *e = start(&config);
		b.n = 8;
		b.object = &object;
		assert_int_equal(td_sim_batch(e, &b, NULL), 0);
		assert_memory_equal(watching->seen, expected, sizeof expected);
		b.n = 1; /* another batch, the same group: object.first[0] is 0 */
		assert_int_equal(td_sim_batch(e, &b, NULL), 0);
		assert_int_equal(watching->seen[8], 2);
		/* Nothing before the first group is a prefix. */
		assert_int_equal(e->counts.hits, 8);
		assert_int_equal(e->counts.prefix_hits, 7);
		td_engine_destroy(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_requests_agree_with_the_model),
		cmocka_unit_test(mooncakes_requests_agree_with_the_model),
		cmocka_unit_test(prefetch_tiers_and_notices_agree_with_single_accesses),
		cmocka_unit_test(marks_end_no_group),
		cmocka_unit_test(policies_see_the_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
