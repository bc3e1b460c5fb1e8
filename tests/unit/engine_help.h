/* What the tests of the engine share: an engine fed one access at a time, and inputs in memory. */
#ifndef TESTS_UNIT_ENGINE_HELP_H
#define TESTS_UNIT_ENGINE_HELP_H

#include <stdlib.h>

#include "engine/engine.h"
#include "mech/sim/functional.h"

/* A policy of the table, with the parameters of the spec. */
static inline struct td_policy_choice named(const char *spec, enum tide_role role)
{
	struct td_policy_choice choice;
	struct tide_error err = {0};

	if (td_policy_choose(&choice, spec, role, &err))
		fail_msg("%s: %s", spec, err.text);
	return choice;
}

/* A policy of the test's own. */
static inline struct td_policy_choice own(const struct tide_policy *policy)
{
	return (struct td_policy_choice){.policy = policy, .needs = policy->needs};
}

static inline struct td_engine_config config_of(uint32_t chunk_pages, uint64_t near_pages)
{
	return (struct td_engine_config){
		.near_pages = near_pages,
		.chunk_pages = chunk_pages,
		.last_page = UINT64_MAX,
		.pages = UINT64_MAX,
		.seed = 1,
		.mechanism = td_mech_functional.name,
		.gives = td_mech_functional.gives,
	};
}

static inline struct td_engine *start(struct td_engine_config *config)
{
	struct td_engine *e = NULL;
	struct tide_error err = {0};

	if (td_engine_create(&e, config, &err))
		fail_msg("%s", err.text);
	return e;
}

static inline int try_event(struct td_engine *e, struct td_event event, struct tide_error *err)
{
	static struct tide_batch batch;

	batch.n = 1;
	batch.page[0] = event.page;
	batch.ref[0] = event.ref;
	batch.stream[0] = event.stream;
	batch.write[0] = event.write;
	return td_sim_batch(e, &batch, err);
}

static inline void read_page(struct td_engine *e, uint64_t page)
{
	assert_int_equal(try_event(e, (struct td_event){.page = page}, NULL), 0);
}

static inline void write_page(struct td_engine *e, uint64_t page)
{
	assert_int_equal(try_event(e, (struct td_event){.page = page, .write = true}, NULL), 0);
}

static inline bool is_resident(struct td_engine *e, uint64_t page)
{
	uint32_t index;

	assert_int_equal(td_engine_index(e, page / e->near.chunk_pages, &index), 0);
	return tide_resident(&e->box[TD_BOX_EVICT].view, (tide_chunk){index}) >>
		       (page % e->near.chunk_pages) &
	       1;
}

/* An array of events as a source. */
struct array_source {
	struct td_trace_source head;
	const struct td_event *events;
	uint64_t n, at;
};

static inline int array_next(struct td_trace_source *s, struct tide_batch *batch,
			     struct tide_error *err)
{
	struct array_source *a = (struct array_source *)s;

	(void)err;
	for (batch->n = 0; batch->n < TIDE_BATCH && a->at < a->n; batch->n++, a->at++) {
		batch->page[batch->n] = a->events[a->at].page;
		batch->ref[batch->n] = a->events[a->at].ref;
		batch->stream[batch->n] = a->events[a->at].stream;
		batch->write[batch->n] = a->events[a->at].write;
	}
	return 0;
}

static inline int array_rewind(struct td_trace_source *s, struct tide_error *err)
{
	(void)err;
	((struct array_source *)s)->at = 0;
	return 0;
}

static inline void array_close(struct td_trace_source *s)
{
	(void)s;
}

static inline struct array_source array_of(const struct td_event *events, uint64_t n)
{
	static const struct td_trace_source_ops ops = {.format = "array",
						       .next = array_next,
						       .rewind = array_rewind,
						       .close = array_close};

	return (struct array_source){{.ops = &ops, .facts = TD_TRACE_NO_FACTS}, events, n, 0};
}

#endif
