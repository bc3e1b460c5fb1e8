/* What no eviction policy can do under demand paging, nor a placement policy: have fewer faults
 * than opt, or more than one a page where everything fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

static struct combination demand(const char *evict, const struct shape *shape, uint32_t chunk_pages,
				 uint64_t near_pages)
{
	return (struct combination){.evict = evict,
				    .prefetch = "none",
				    .shape = shape,
				    .chunk_pages = chunk_pages,
				    .near_pages = near_pages};
}

static uint64_t faults(const struct combination *c)
{
	struct result r = suite_run(c);

	suite_check(c, &r);
	return r.counts.faults;
}

/* Only for single pages: chunks of several leave as a whole, and there Belady's rule is a
 * good guess, not a proof. */
static void is_no_better_than_opt(const struct tide_policy *evict, const struct shape *shape)
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 48, 120, 240, 375, 479, 480};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct combination c = demand(evict->name, shape, 1, sizes[i]);
		struct combination opt = demand("opt", shape, 1, sizes[i]);
		uint64_t own = faults(&c), least = faults(&opt);
		if (own < least)
			SUITE_FAIL(&c, "%lu faults, and opt has %lu", own, least);
	}
}

static void needs_no_more_than_the_footprint(const struct tide_policy *evict,
					     const struct shape *shape)
{
	for (size_t k = 0; k < CHUNK_SIZES; k++) {
		for (uint64_t more = 0; more < 2; more++) {
			uint64_t near =
				suite_near_pages(NEAR_SIZES - 2, shape, suite_chunk_pages[k]);
			struct combination c =
				demand(evict->name, shape, suite_chunk_pages[k], near + more);
			if (!suite_fits(evict, c.chunk_pages))
				continue;
			if (faults(&c) != shape->pages)
				SUITE_FAIL(&c, "%lu faults on %lu pages that all fit", faults(&c),
					   shape->pages);
		}
	}
}

static void test_policy(const struct tide_policy *evict)
{
	for (size_t s = 0; s < SHAPES; s++) {
		is_no_better_than_opt(evict, &suite_shapes[s]);
		needs_no_more_than_the_footprint(evict, &suite_shapes[s]);
	}
}

static void test_place(const struct tide_policy *place)
{
	for (size_t i = 0; i < SHAPES * NEAR_SIZES; i++) {
		const struct shape *shape = &suite_shapes[i % SHAPES];
		uint64_t near = suite_near_pages(i / SHAPES, shape, 1);
		struct combination c = demand("clock", shape, 1, near);
		struct combination opt = demand("opt", shape, 1, near);
		c.place = place->name;
		c.host_pages = suite_host_pages(2, shape);
		if (faults(&c) < faults(&opt))
			SUITE_FAIL(&c, "%lu faults, and opt has %lu", faults(&c), faults(&opt));
	}
}

int main(void)
{
	int failed = suite_per_policy(TIDE_EVICT, test_policy);

	return failed + suite_per_policy(TIDE_PLACE, test_place);
}
