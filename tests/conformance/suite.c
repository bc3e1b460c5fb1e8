#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#include "engine/engine.h"
#include "mech/sim/functional.h"
#include "trace/trace.h"
#include "workload/workload.h"

#define ACCESSES 1440
#define PAGES 480
#define TRAIL_EVERY 61 /* accesses; so that batches begin and end anywhere */

/* ---- the heap ---- */

static struct {
	bool on;
	uint64_t calls;
} heap;

void suite_count_allocations(bool on)
{
	heap.on = on;
}

uint64_t suite_allocations(void)
{
	uint64_t calls = heap.calls;

	heap.calls = 0;
	return calls;
}

/* -Wl,--wrap=malloc and so on bring every call of our objects here. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
char *__real_strdup(const char *text);
void __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
char *__wrap_strdup(const char *text);
void __wrap_free(void *at);

void *__wrap_malloc(size_t bytes)
{
	heap.calls += heap.on;
	return __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	heap.calls += heap.on;
	return __real_calloc(n, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
	heap.calls += heap.on;
	return __real_realloc(at, bytes);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	heap.calls += heap.on;
	return __real_aligned_alloc(align, bytes);
}

char *__wrap_strdup(const char *text)
{
	heap.calls += heap.on;
	return __real_strdup(text);
}

void __wrap_free(void *at)
{
	heap.calls += heap.on;
	__real_free(at);
}

/* ---- shapes ---- */

struct shape suite_shapes[SHAPES] = {
	{"cyclic", "cyclic:pages=480,rounds=3", NULL, 0, 0, 0},
	{"zipf", "zipf:pages=480,accesses=1440,writes=0.1", NULL, 0, 0, 0},
	{"uniform", "uniform:pages=480,accesses=1440", NULL, 0, 0, 0},
	{"stride", "stride:pages=480,step=10,rounds=3", NULL, 0, 0, 0},
	{"phases", "phases:hot=120,phases=4,rounds=2,accesses=1440,writes=0.3", NULL, 0, 0, 0},
	{"scan and hot", "scanhot:pages=420,hot=60,accesses=1440", NULL, 0, 0, 0},
	{"random writes", NULL, NULL, 0, 0, 0},
	{"sparse", NULL, NULL, 0, 0, 0},
};

static void take_workload(struct shape *s)
{
	struct td_trace_source *source = NULL;
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_error err = {0};

	assert_non_null(batch);
	if (td_workload_open(&source, s->workload, 4096, 1, &err))
		fail_msg("%s: %s", s->workload, err.text);
	while (!td_trace_next(source, batch, NULL) && batch->n) {
		for (uint32_t i = 0; i < batch->n && s->n < ACCESSES; i++, s->n++)
			s->events[s->n] = (struct td_event){batch->page[i], 0, batch->stream[i],
							    batch->write[i]};
	}
	td_trace_close(source);
	free(batch);
}

/* Writes half of the time, in short runs that begin anywhere, some pages several times over. */
static void take_random_writes(struct shape *s)
{
	uint64_t random = 5, page = 0;

	for (; s->n < ACCESSES; s->n++) {
		uint64_t draw = tide_random_next(&random);
		if (draw % 4 == 0)
			page = (draw >> 8) % PAGES;
		else if (draw % 4 == 1)
			page = (page + 1) % PAGES;
		s->events[s->n] = (struct td_event){page, 0, 0, draw >> 63};
	}
}

/* Groups of eight pages, anywhere in 64 bits, the first and the last number among them. */
static void take_sparse(struct shape *s)
{
	uint64_t random = 6;

	for (; s->n < ACCESSES; s->n++) {
		uint64_t draw = tide_random_next(&random), group = draw % (PAGES / 8);
		uint64_t first = group == 0 ? 0 : group == 1 ? UINT64_MAX : tide_hash64(group);
		s->events[s->n] = (struct td_event){(first & ~UINT64_C(7)) + (draw >> 8) % 8, 0, 0,
						    draw >> 62 == 0};
	}
}

static int by_page(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void find_facts(struct shape *s)
{
	uint64_t pages[ACCESSES];

	for (uint64_t i = 0; i < s->n; i++) {
		pages[i] = s->events[i].page;
		s->events[i].ref = 1 + tide_hash64(pages[i] / 50) % 5;
	}
	qsort(pages, s->n, sizeof *pages, by_page);
	s->last_page = pages[s->n - 1];
	for (uint64_t i = 0; i < s->n; i++)
		s->pages += !i || pages[i] != pages[i - 1];
}

int suite_open(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		struct shape *s = &suite_shapes[i];
		s->events = calloc(ACCESSES, sizeof *s->events);
		assert_non_null(s->events);
		if (s->workload)
			take_workload(s);
		else if (i == SHAPES - 1)
			take_sparse(s);
		else
			take_random_writes(s);
		assert_int_equal(s->n, ACCESSES);
		find_facts(s);
	}
	return 0;
}

int suite_close(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		free(suite_shapes[i].events);
		suite_shapes[i].n = suite_shapes[i].pages = 0;
	}
	return 0;
}

/* ---- combinations ---- */

const uint32_t suite_chunk_pages[CHUNK_SIZES] = {1, 2, 6, 16, 64};

uint64_t suite_near_pages(size_t i, const struct shape *shape, uint32_t chunk_pages)
{
	uint64_t sizes[NEAR_SIZES] = {chunk_pages,      2 * chunk_pages, shape->pages / 10,
				      shape->pages / 2, shape->pages,    shape->pages * 2};

	return sizes[i] < chunk_pages ? chunk_pages : sizes[i];
}

uint64_t suite_host_pages(size_t i, const struct shape *shape)
{
	uint64_t sizes[HOST_SIZES] = {0, 1, shape->pages / 4, shape->pages * 2};

	return sizes[i];
}

bool suite_can_run(const struct tide_policy *policy)
{
	return !(policy->needs & ~td_mech_functional.gives);
}

bool suite_fits(const struct tide_policy *policy, uint32_t chunk_pages)
{
	return chunk_pages == 1 || !(policy->needs & TIDE_NEEDS_PAGES);
}

/* ---- a run ---- */

static void fill(struct tide_batch *b, const struct combination *c, uint64_t at)
{
	const struct td_event *event = c->shape->events + at;
	uint64_t left = c->shape->n - at;

	b->n = (uint32_t)(left < TRAIL_EVERY ? left : TRAIL_EVERY);
	for (uint32_t i = 0; i < b->n; i++) {
		b->page[i] = event[i].page + c->page_offset;
		b->ref[i] = event[i].ref;
		b->stream[i] = event[i].stream;
		b->write[i] = event[i].write;
	}
}

/* The trace that a policy learns from is the one it runs on. */
static int feed(void *arg, const char *trace, struct td_engine_box *box, struct tide_error *err)
{
	const struct combination *c = arg;
	const struct tide_policy *p = box->choice.policy;
	static struct tide_batch batch;
	int rc = 0;

	(void)trace;
	for (uint64_t at = 0; !rc && at < c->shape->n; at += batch.n) {
		fill(&batch, c, at);
		rc = p->train(box->self, &batch, err);
	}
	return rc ? rc : p->train(box->self, NULL, err);
}

static struct td_engine *start(const struct combination *c)
{
	struct td_engine_config config = {
		.near_pages = c->near_pages,
		.chunk_pages = c->chunk_pages,
		.last_page = c->shape->last_page + c->page_offset,
		.pages = c->shape->pages,
		.length = c->shape->n,
		.seed = 1,
		.mechanism = td_mech_functional.name,
		.gives = td_mech_functional.gives,
		.host_pages = c->host_pages,
		.log_path = c->log_path,
	};
	struct td_engine *e = NULL;
	struct tide_error err = {0};

	if (td_policy_choose(&config.evict, c->evict, TIDE_EVICT, &err) ||
	    td_policy_choose(&config.prefetch, c->prefetch, TIDE_PREFETCH, &err) ||
	    (c->place && td_policy_choose(&config.place, c->place, TIDE_PLACE, &err)) ||
	    td_engine_create(&e, &config, &err) || td_engine_train(e, feed, (void *)c, &err))
		SUITE_FAIL(c, "%s", err.text);
	return e;
}

static void foresee(struct td_engine *e, const struct combination *c, struct tide_batch *b)
{
	for (uint64_t at = 0; at < c->shape->n; at += b->n) {
		fill(b, c, at);
		assert_int_equal(td_engine_foresee(e, b, NULL), 0);
	}
	assert_int_equal(td_engine_foreseen(e, NULL), 0);
}

static uint64_t mix_counts(uint64_t hash, const struct tide_counts *counts)
{
#define TIDE_COUNTER(name, help) hash = tide_hash64(hash + 1) ^ counts->name;
#include "tide/counters.def"
#undef TIDE_COUNTER
	return hash;
}

static uint64_t count_resident(const struct td_engine *e)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < e->near.chunks; i++)
		pages += (uint64_t)__builtin_popcountll(
			tide_resident(&e->box[TD_BOX_EVICT].view, (tide_chunk){i}));
	assert_int_equal(pages, e->near.capacity_pages - e->near.free_pages);
	return pages;
}

struct result suite_run(const struct combination *c)
{
	static struct tide_batch batch;
	struct td_engine *e = start(c);
	struct tide_error err = {0};
	struct result r = {.identity = e->space.identity};

	for (int i = 0; i < TD_BOXES; i++)
		r.needs |= e->box[i].choice.needs;

	if (e->wants_future)
		foresee(e, c, &batch);
	suite_allocations();
	for (uint64_t at = 0; at < c->shape->n; at += batch.n) {
		fill(&batch, c, at);
		suite_count_allocations(true);
		int rc = td_sim_batch(e, &batch, &err);
		suite_count_allocations(false);
		if (rc)
			SUITE_FAIL(c, "%s", err.text);
		r.trail = mix_counts(r.trail, &e->counts);
	}
	r.allocations = suite_allocations();
	r.counts = e->counts;
	r.resident_pages = count_resident(e);
	assert_int_equal(td_engine_finish(e, NULL), 0);
	td_engine_destroy(e);
	return r;
}

/* ---- one test per policy ---- */

static suite_test *per_policy;

static void call_test(void **state)
{
	per_policy(*state);
}

int suite_per_policy(enum tide_role role, suite_test *test)
{
	struct CMUnitTest tests[256] = {0};
	size_t n = 0;

	per_policy = test;
	FOR_EACH_POLICY(p, role)
	{
		if (n < 256)
			tests[n++] = (struct CMUnitTest){p->name, call_test, NULL, NULL, (void *)p};
	}
	return _cmocka_run_group_tests("conformance", tests, n, suite_open, suite_close);
}
