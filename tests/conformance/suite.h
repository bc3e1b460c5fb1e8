/* What every policy has to hold to, and on what: shapes of input, combinations, one run.
 *
 * All of it iterates tide_policy_at(), so a policy added later is covered by being there. */
#ifndef TESTS_CONFORMANCE_SUITE_H
#define TESTS_CONFORMANCE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "tide/policy.h"
#include "tide/tide.h"

/* An input in memory. Every access has a ref, for those that need it. */
struct shape {
	const char *name;
	const char *workload; /* that it is from, NULL: made here */
	struct td_event *events;
	uint64_t n;
	uint64_t pages, last_page; /* footprint, and end of the address range */
};

#define SHAPES 8
extern struct shape suite_shapes[SHAPES];

/* Group setup and teardown of cmocka. */
int suite_open(void **state);
int suite_close(void **state);

/* Sizes of chunks in pages, and of near memory for a shape and a chunk. */
#define CHUNK_SIZES 5
extern const uint32_t suite_chunk_pages[CHUNK_SIZES];
#define NEAR_SIZES 6
uint64_t suite_near_pages(size_t i, const struct shape *shape, uint32_t chunk_pages);
#define HOST_SIZES 4
uint64_t suite_host_pages(size_t i, const struct shape *shape);

/* Can the functional simulator run it at all, and with chunks of that size? */
bool suite_can_run(const struct tide_policy *policy);
bool suite_fits(const struct tide_policy *policy, uint32_t chunk_pages);

struct combination {
	const char *evict, *prefetch; /* as on the command line */
	const char *place;            /* with clock and none, single pages; NULL: two tiers */
	uint64_t host_pages;
	const struct shape *shape;
	uint32_t chunk_pages;
	uint64_t near_pages;
	uint64_t page_offset; /* added to every page number; whole chunks */
	const char *log_path; /* of the decision log, NULL: none */
};

struct result {
	struct tide_counts counts;
	uint64_t resident_pages;
	uint64_t allocations; /* calls of the heap during the run, which may be none */
	uint64_t trail;       /* hash of all counts at many moments of the run */
	bool identity;        /* chunks were not looked up in a map */
	unsigned needs;       /* of all its policies */
};

/* Runs it; a run that fails is a failed test. */
struct result suite_run(const struct combination *c);

/* What holds for every run, whatever the policies. */
void suite_check(const struct combination *c, const struct result *r);
#define SUITE_FAIL(c, ...) suite_fail(c, __func__, __LINE__, __VA_ARGS__)
__attribute__((format(printf, 4, 5), noreturn)) void
suite_fail(const struct combination *c, const char *where, int line, const char *format, ...);

/* Heap calls counted since the last call; the link wraps malloc and its kin. */
void suite_count_allocations(bool on);
uint64_t suite_allocations(void);

/* One test per policy of the role, named as the policy, of those that can run. Those that learn
 * from a trace are given the shape itself. */
typedef void suite_test(const struct tide_policy *policy);
int suite_per_policy(enum tide_role role, suite_test *test);

/* Calls once for every prefetcher that can run with such chunks. */
#define FOR_EACH_POLICY(p, wanted_role) \
	for (size_t i_##p = 0; tide_policy_at(i_##p); i_##p++) \
		for (const struct tide_policy *p = tide_policy_at(i_##p); p; p = NULL) \
			if (p->role == (wanted_role) && suite_can_run(p))

#endif
