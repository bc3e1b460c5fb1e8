/* What a page is called does not matter: low numbers, where a chunk's index is its number, and
 * the same input moved far up, where chunks are looked up, give the same run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite.h"

#define FAR (UINT64_C(1) << 50) /* in chunks */

static void run_both(struct combination *c)
{
	struct result here, there;

	here = suite_run(c);
	suite_check(c, &here);
	c->page_offset = FAR * c->chunk_pages;
	there = suite_run(c);
	suite_check(c, &there);
	if (!here.identity || there.identity)
		SUITE_FAIL(c, "both runs number their chunks in the same way");
	if (here.trail != there.trail)
		SUITE_FAIL(c, "%lu faults, and %lu with the pages moved", here.counts.faults,
			   there.counts.faults);
}

static void run_pair(const struct tide_policy *evict, const struct tide_policy *prefetch,
		     uint32_t chunk_pages)
{
	/* The last shape has the highest page there is: it cannot be moved up. */
	for (size_t i = 0; i < (SHAPES - 1) * 3; i++) {
		const struct shape *shape = &suite_shapes[i / 3];
		struct combination c = {
			.evict = evict->name,
			.prefetch = prefetch->name,
			.shape = shape,
			.chunk_pages = chunk_pages,
			.near_pages = suite_near_pages(i % 3 + 1, shape, chunk_pages),
		};
		run_both(&c);
	}
}

static void test_policy(const struct tide_policy *evict)
{
	for (size_t k = 0; k < CHUNK_SIZES; k++) {
		uint32_t chunk_pages = suite_chunk_pages[k];
		FOR_EACH_POLICY(prefetch, TIDE_PREFETCH)
		{
			if (suite_fits(evict, chunk_pages) && suite_fits(prefetch, chunk_pages))
				run_pair(evict, prefetch, chunk_pages);
		}
	}
}

static void test_place(const struct tide_policy *place)
{
	for (size_t i = 0; i < (SHAPES - 1) * HOST_SIZES; i++) {
		const struct shape *shape = &suite_shapes[i / HOST_SIZES];
		struct combination c = {
			.evict = "clock",
			.prefetch = "none",
			.place = place->name,
			.shape = shape,
			.chunk_pages = 1,
			.near_pages = suite_near_pages(2, shape, 1),
			.host_pages = suite_host_pages(i % HOST_SIZES, shape),
		};
		run_both(&c);
	}
}

int main(void)
{
	int failed = suite_per_policy(TIDE_EVICT, test_policy);

	return failed + suite_per_policy(TIDE_PLACE, test_place);
}
