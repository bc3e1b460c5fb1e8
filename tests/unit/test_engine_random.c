/* Memory that comes and goes, faults, and what the program asks for, at random, under every policy:
 * the engine agrees with a model after every step, and no policy answers wrongly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "maps_model.h"

#define STEPS 1500

static void run(struct model *m, struct td_engine_config *config)
{
	m->e = start(config);
	for (int i = 0; i < STEPS; i++) {
		model_step(m);
		check(m);
	}
	/* The end of it all. */
	model_mark(m, TIDE_MARK_GONE, 0, MODEL_PAGES);
	check(m);
	assert_int_equal(m->e->near.resident_chunks, 0);
	assert_int_equal(m->e->near.allocations_n, 0);
	assert_int_equal(m->e->near.host_free_pages, m->e->near.host_pages);
	if (m->faults < 60 || m->left_chunks < 10)
		fail_msg("%lu faults, %lu evictions", m->faults, m->left_chunks);
	td_engine_destroy(m->e);
}

static void run_with(const char *evict, const char *prefetch, uint32_t chunk_pages, uint64_t near,
		     uint64_t seed)
{
	static struct model m;
	struct td_engine_config config = model_config(&m, chunk_pages, near, seed);

	config.evict = named(evict, TIDE_EVICT);
	config.prefetch = named(prefetch, TIDE_PREFETCH);
	run(&m, &config);
}

static void every_eviction_policy(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		if ((*p)->role != TIDE_EVICT || (*p)->needs & TIDE_NEEDS_FUTURE)
			continue;
		run_with((*p)->name, "none", 1, 40, 1);
		run_with((*p)->name, "sequential:n=3", 1, 7, 2);
		if ((*p)->needs & TIDE_NEEDS_PAGES)
			continue;
		run_with((*p)->name, "locality", 4, 100, 3);
		run_with((*p)->name, "rgp", 4, 40, 4);
		run_with((*p)->name, "tree", 5, 11, 5);
		run_with((*p)->name, "sequential:n=150", 60, 200, 6);
	}
}

static void every_prefetcher(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		if ((*p)->role != TIDE_PREFETCH)
			continue;
		run_with("lrm", (*p)->name, 8, 90, 7);
		run_with("observ-lru", (*p)->name, 16, 64, 8);
		run_with("tournament", (*p)->name, 3, 30, 9);
	}
}

static void every_placement(void **state)
{
	(void)state;
	for (const struct tide_policy *const *p = td_policy_table; *p; p++) {
		for (uint64_t host = 0; (*p)->role == TIDE_PLACE && host <= 60; host += 20) {
			static struct model m;
			struct td_engine_config config = model_config(&m, 1, 40, 10 + host);
			if ((*p)->inclusive) /* a page is in both, of which the model knows nothing
					      */
				continue;
			m.tiers = true;
			config.host_pages = host;
			config.evict = named("clock", TIDE_EVICT);
			config.prefetch = named("none", TIDE_PREFETCH);
			config.place = named((*p)->name, TIDE_PLACE);
			run(&m, &config);
			if (host && !strcmp((*p)->name, "tier-order"))
				assert_true(m.spilt > m.spilt_dirty);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_eviction_policy),
		cmocka_unit_test(every_prefetcher),
		cmocka_unit_test(every_placement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
