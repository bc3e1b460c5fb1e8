/* Runs of a workload, for its tests. */
#ifndef TEST_WORKLOAD_H
#define TEST_WORKLOAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "trace/trace.h"
#include "workload/workload.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PAGE_BYTES 4096

/* All events of a run. */
struct run {
	size_t n;
	struct td_event *events;
};

static inline struct td_trace_source *open_source(const char *spec, uint64_t page_bytes,
						  uint64_t seed)
{
	struct tide_error err = {0};
	struct td_trace_source *s = NULL;

	if (td_workload_open(&s, spec, page_bytes, seed, &err) != 0)
		fail_msg("%s: %s", spec, err.text);
	return s;
}

static inline struct run read_all(struct td_trace_source *s)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct run run = {0, malloc((s->facts.accesses + 1) * sizeof *run.events)};

	assert_non_null(batch);
	assert_non_null(run.events);
	for (;;) {
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		if (batch->n == 0)
			break;
		/* Whole batches, but for the last; never more than was said. */
		assert_true(run.n % TIDE_BATCH == 0);
		assert_true(run.n + batch->n <= s->facts.accesses);
		for (uint32_t i = 0; i < batch->n; i++)
			run.events[run.n++] = (struct td_event){batch->page[i], batch->ref[i],
								batch->stream[i], batch->write[i]};
	}
	assert_int_equal(s->bytes_done, s->bytes_total);
	free(batch);
	return run;
}

static inline struct run run_spec(const char *spec, uint64_t page_bytes, uint64_t seed)
{
	struct td_trace_source *s = open_source(spec, page_bytes, seed);
	struct run run = read_all(s);

	td_trace_close(s);
	return run;
}

static inline bool same_event(const struct td_event *a, const struct td_event *b)
{
	return a->page == b->page && a->ref == b->ref && a->stream == b->stream &&
	       a->write == b->write;
}

static inline bool same_run(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (!same_event(&a->events[i], &b->events[i]))
			return false;
	return a->n == b->n;
}

#endif
