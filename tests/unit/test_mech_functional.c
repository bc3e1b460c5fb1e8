#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "engine_help.h"

#define EVENTS 20000

static struct td_event events[EVENTS];

static void make_events(uint64_t n, uint64_t pages, uint64_t seed)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t draw = tide_random_next(&seed);
		events[i] = (struct td_event){draw % pages, 0, draw >> 62, draw >> 63};
	}
}

static struct td_engine *begin(uint32_t chunk_pages, uint64_t near_pages, const char *evict)
{
	struct td_engine_config config = config_of(chunk_pages, near_pages);

	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named("tree", TIDE_PREFETCH);
	config.length = EVENTS;
	return start(&config);
}

static void fill(struct tide_batch *b, const struct td_event *from, uint32_t n)
{
	b->n = n;
	for (uint32_t i = 0; i < n; i++) {
		b->page[i] = from[i].page;
		b->ref[i] = from[i].ref;
		b->stream[i] = from[i].stream;
		b->write[i] = from[i].write;
	}
}

/* ---- batches ---- */

static struct tide_counts run_in_batches(const char *evict, uint32_t size)
{
	struct td_engine *e = begin(6, 60, evict);
	struct tide_batch *b = calloc(1, sizeof *b);
	struct tide_counts counts = {.size = sizeof counts};

	assert_non_null(b);
	for (uint64_t at = 0; at < EVENTS; at += size) {
		fill(b, events + at, (uint32_t)(EVENTS - at < size ? EVENTS - at : size));
		assert_int_equal(td_sim_batch(e, b, NULL), 0);
		assert_int_equal(e->counts.accesses, at + b->n);
		assert_int_equal(e->near.time, at + b->n);
	}
	counts = e->counts;
	td_engine_destroy(e);
	free(b);
	return counts;
}

static void the_size_of_batches_does_not_matter(void **state)
{
	static const char *const evict[] = {"lrm", "lru", "clock"};
	static const uint32_t sizes[] = {1, 2, 13, 100, TIDE_BATCH};

	(void)state;
	make_events(EVENTS, 500, 1);
	for (size_t i = 0; i < 3; i++) {
		struct tide_counts first = run_in_batches(evict[i], sizes[0]);
		assert_int_equal(first.accesses, EVENTS);
		assert_true(first.evicted_chunks > 100 && first.writeback_pages > 100);
		for (size_t k = 1; k < 5; k++) {
			struct tide_counts counts = run_in_batches(evict[i], sizes[k]);
			assert_memory_equal(&counts, &first, sizeof counts);
		}
	}
}

static void an_empty_batch_is_nothing(void **state)
{
	struct td_engine *e = begin(1, 1, "lru");
	static struct tide_batch b;

	(void)state;
	assert_int_equal(td_sim_batch(e, &b, NULL), 0);
	assert_int_equal(e->counts.accesses, 0);
	td_engine_destroy(e);
}

/* A page of every chunk that a naive simulation of lru holds, and no other. */
static void hits_are_the_resident_pages(void **state)
{
	struct td_engine *e = begin(1, 10, "lru");
	uint64_t recent[10], n = 0, hits = 0;

	(void)state;
	make_events(EVENTS, 15, 2);
	for (uint64_t i = 0; i < EVENTS; i++) {
		uint64_t at = 0;
		while (at < n && recent[at] != events[i].page)
			at++;
		hits += at < n;
		if (at == n)
			n < 10 ? n++ : at--;
		memmove(recent + 1, recent, at * sizeof *recent);
		recent[0] = events[i].page;
		assert_int_equal(try_event(e, events[i], NULL), 0);
		assert_int_equal(e->counts.hits, hits);
	}
	assert_int_equal(e->counts.faults, EVENTS - hits);
	td_engine_destroy(e);
}

static void a_page_beyond_the_range_is_an_error(void **state)
{
	struct td_engine_config config = config_of(4, 8);
	struct tide_error err = {0};
	struct td_engine *e;

	(void)state;
	config.evict = named("lru", TIDE_EVICT);
	config.last_page = 15;
	e = start(&config);
	read_page(e, 15);
	assert_int_equal(try_event(e, (struct td_event){.page = 16}, &err), -EOVERFLOW);
	assert_non_null(strstr(err.text, "beyond its own address range"));
	assert_int_equal(e->counts.accesses, 1);
	td_engine_destroy(e);
}

/* ---- survey ---- */

static struct td_trace_facts survey(uint64_t n)
{
	struct array_source source = array_of(events, n);
	struct td_trace_facts facts;

	assert_int_equal(td_sim_survey(&source.head, &facts, NULL), 0);
	assert_int_equal(source.at, 0); /* rewound */
	return facts;
}

static void a_survey_finds_the_facts(void **state)
{
	static const uint64_t odd[] = {0, UINT64_MAX, 64, 63, 64, UINT64_MAX - 1, 1, 0};
	struct td_trace_facts f = survey(0);

	(void)state;
	assert_int_equal(f.accesses, 0);
	assert_int_equal(f.pages, 0);
	assert_int_equal(f.refs, 0);
	for (size_t i = 0; i < 8; i++)
		events[i] = (struct td_event){.page = odd[i]};
	f = survey(8);
	assert_int_equal(f.accesses, 8);
	assert_int_equal(f.pages, 6);
	assert_int_equal(f.last_page, UINT64_MAX);
	assert_int_equal(f.refs, 0);
	make_events(EVENTS, 300, 4);
	events[EVENTS - 1].ref = 1;
	f = survey(EVENTS);
	assert_int_equal(f.accesses, EVENTS);
	assert_int_equal(f.pages, 300);
	assert_int_equal(f.last_page, 299);
	assert_int_equal(f.refs, 1);
}

static int broken_next(struct td_trace_source *s, struct tide_batch *batch, struct tide_error *err)
{
	(void)s, (void)batch;
	return tide_fail(err, -EBADMSG, "broken");
}

static int cannot_rewind(struct td_trace_source *s, struct tide_error *err)
{
	(void)s;
	return tide_fail(err, -ESPIPE, "a pipe");
}

static void errors_of_the_source_are_passed_on(void **state)
{
	struct array_source source = array_of(events, 100);
	struct td_trace_source_ops ops = *source.head.ops;
	struct td_engine *e = begin(1, 1, "opt");
	struct td_trace_facts facts;
	struct tide_error err = {0};

	(void)state;
	source.head.ops = &ops;
	ops.next = broken_next;
	assert_int_equal(td_sim_survey(&source.head, &facts, &err), -EBADMSG);
	assert_int_equal(td_sim_foresee(e, &source.head, &err), -EBADMSG);
	assert_string_equal(err.text, "broken");
	ops.next = array_next;
	ops.rewind = cannot_rewind;
	assert_int_equal(td_sim_survey(&source.head, &facts, &err), -ESPIPE);
	td_engine_destroy(e);
}

/* ---- the future ---- */

static uint64_t naive_next(uint64_t time, uint64_t chunk, uint32_t chunk_pages)
{
	for (uint64_t t = time; t < 300; t++)
		if (events[t].page / chunk_pages == chunk)
			return t + 1;
	return TIDE_NEVER;
}

static void the_future_is_the_input(void **state)
{
	struct td_engine_config config = config_of(4, 8);
	struct array_source source = array_of(events, 300);
	const struct tide_view *v;
	struct td_engine *e;

	(void)state;
	make_events(300, 60, 6);
	config.evict = named("opt", TIDE_EVICT);
	config.length = 300;
	config.last_page = 59;
	e = start(&config);
	assert_int_equal(td_sim_foresee(e, &source.head, NULL), 0);
	v = &e->box[TD_BOX_EVICT].view;
	for (uint64_t t = 0; t <= 300; t++) {
		for (uint32_t c = 0; c < 15; c++)
			assert_int_equal(tide_next_use(v, (tide_chunk){c}), naive_next(t, c, 4));
		if (t == 300)
			break;
		assert_int_equal(tide_chunk_at(v, t + 1).index, events[t].page / 4);
		assert_int_equal(try_event(e, events[t], NULL), 0);
	}
	/* One more access than there was is another input. */
	assert_int_equal(try_event(e, events[0], NULL), -ESTALE);
	td_engine_destroy(e);
}

static void a_changed_input_is_an_error(void **state)
{
	(void)state;
	make_events(EVENTS, 60, 6);
	for (uint64_t n = EVENTS - 1; n <= EVENTS + 1; n += 2) {
		struct td_engine_config config = config_of(1, 8);
		struct array_source source = array_of(events, EVENTS);
		struct tide_error err = {0};
		struct td_engine *e;
		config.evict = named("opt", TIDE_EVICT);
		config.length = n;
		e = start(&config);
		assert_int_equal(td_sim_foresee(e, &source.head, &err), -ESTALE);
		assert_non_null(strstr(err.text, "changed"));
		td_engine_destroy(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_size_of_batches_does_not_matter),
		cmocka_unit_test(an_empty_batch_is_nothing),
		cmocka_unit_test(hits_are_the_resident_pages),
		cmocka_unit_test(a_page_beyond_the_range_is_an_error),
		cmocka_unit_test(a_survey_finds_the_facts),
		cmocka_unit_test(errors_of_the_source_are_passed_on),
		cmocka_unit_test(the_future_is_the_input),
		cmocka_unit_test(a_changed_input_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
