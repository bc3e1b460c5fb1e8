/* Every policy by way of the library: accesses pushed one by one, and as a workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

static struct tide_sim *open_sim(const struct combination *c, const char *workload)
{
	char near_size[32], chunk[32], host[32];
	struct tide_sim_options o = {.size = sizeof o,
				     .workload = workload,
				     .near_size = near_size,
				     .chunk = chunk,
				     .evict = c->evict,
				     .prefetch = c->prefetch,
				     .place = c->place,
				     .host = c->place ? host : NULL};
	struct tide_sim *sim = NULL;
	struct tide_error err = {0};

	snprintf(near_size, sizeof near_size, "%lup", c->near_pages);
	snprintf(chunk, sizeof chunk, "%uK", c->chunk_pages * 4);
	snprintf(host, sizeof host, "%lup", c->host_pages);
	if (tide_sim_open(&sim, &o, &err))
		SUITE_FAIL(c, "%s", err.text);
	return sim;
}

static struct tide_counts close_sim(struct tide_sim *sim)
{
	struct tide_counts counts = {.size = sizeof counts};

	tide_sim_counts(sim, &counts, NULL);
	tide_sim_close(sim);
	return counts;
}

static struct tide_counts push(const struct combination *c)
{
	struct tide_sim *sim = open_sim(c, NULL);
	uint64_t allocations;

	suite_allocations();
	suite_count_allocations(true);
	for (uint64_t i = 0; i < c->shape->n; i++) {
		const struct td_event *e = &c->shape->events[i];
		struct tide_event event = {.size = sizeof event,
					   .page = e->page,
					   .ref = e->ref,
					   .stream = e->stream,
					   .write = e->write};
		if (tide_sim_access(sim, &event, NULL))
			SUITE_FAIL(c, "access %lu failed", i);
	}
	suite_count_allocations(false);
	allocations = suite_allocations();
	if (allocations)
		SUITE_FAIL(c, "%lu calls of the heap", allocations);
	return close_sim(sim);
}

static struct tide_counts run_workload(const struct combination *c)
{
	struct tide_sim *sim = open_sim(c, c->shape->workload);

	if (tide_sim_run(sim, NULL, NULL, NULL))
		SUITE_FAIL(c, "the workload failed");
	return close_sim(sim);
}

static bool equal(const struct tide_counts *a, const struct tide_counts *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* Without a prefetcher the address range, which pushed accesses have not, makes no difference. */
static void compare(const struct combination *c, bool can_push, bool demand)
{
	struct result engine = suite_run(c);
	struct tide_counts pushed = {.size = sizeof pushed}, run;

	if (can_push) {
		pushed = push(c);
		if (pushed.policy_errors || pushed.accesses != c->shape->n)
			SUITE_FAIL(c, "pushed accesses went wrong");
		if (demand && !equal(&pushed, &engine.counts))
			SUITE_FAIL(c, "%lu faults pushed, %lu in the engine", pushed.faults,
				   engine.counts.faults);
	}
	if (c->shape->workload) {
		run = run_workload(c);
		if (!equal(&run, &engine.counts))
			SUITE_FAIL(c, "%lu faults as a workload, %lu in the engine", run.faults,
				   engine.counts.faults);
	}
}

static void test_policy(const struct tide_policy *evict)
{
	for (size_t i = 0; i < SHAPES * CHUNK_SIZES; i++) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		uint32_t chunk_pages = suite_chunk_pages[i / SHAPES];
		FOR_EACH_POLICY(prefetch, TIDE_PREFETCH)
		{
			struct combination c = {
				.evict = evict->name,
				.prefetch = prefetch->name,
				.shape = shape,
				.chunk_pages = chunk_pages,
				.near_pages = suite_near_pages(3, shape, chunk_pages),
			};
			unsigned needs = evict->needs | prefetch->needs;
			bool demand = !prefetch->plan_prefetch;
			/* A workload's own refs are not those of the suite. */
			if (!suite_fits(evict, chunk_pages) || needs & TIDE_NEEDS_REFS)
				continue;
			if (suite_fits(prefetch, chunk_pages))
				compare(&c, !(needs & TIDE_NEEDS_FUTURE), demand);
		}
	}
}

static void test_place(const struct tide_policy *place)
{
	for (size_t i = 0; i < SHAPES * HOST_SIZES; i++) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		struct combination c = {
			.evict = "clock",
			.prefetch = "none",
			.place = place->name,
			.shape = shape,
			.chunk_pages = 1,
			.near_pages = suite_near_pages(2, shape, 1),
			.host_pages = suite_host_pages(i / SHAPES, shape),
		};
		compare(&c, true, true);
	}
}

int main(void)
{
	int failed = suite_per_policy(TIDE_EVICT, test_policy);

	return failed + suite_per_policy(TIDE_PLACE, test_place);
}
