/* What holds for every run, whatever the policies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

void suite_fail(const struct combination *c, const char *where, int line, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	print_error("%s + %s + %s (%lu) on %s, chunks of %u, near %lu pages: %s (%s, line %d)\n",
		    c->evict, c->prefetch, c->place ? c->place : "two tiers", c->host_pages,
		    c->shape->name, c->chunk_pages, c->near_pages, text, where, line);
	fail();
	abort();
}

#define HOLDS(condition) \
	do { \
		if (!(condition)) \
			SUITE_FAIL(c, "not %s", #condition); \
	} while (0)

/* Only acbm leaves pages where they are, and only rgp brings pages in where nothing faulted. */
static bool is(const char *spec, const char *name)
{
	return !strncmp(spec, name, strlen(name));
}

static void check_pages(const struct combination *c, const struct result *r)
{
	const struct tide_counts *n = &r->counts;
	uint64_t brought_by_faults = n->migrated_pages - n->prefetched_pages;

	HOLDS(n->migrated_pages - n->evicted_pages == r->resident_pages);
	HOLDS(r->resident_pages <= c->near_pages);
	HOLDS(n->migrated_pages >= n->prefetched_pages);
	HOLDS(brought_by_faults <= n->faults);
	if (!is(c->prefetch, "acbm"))
		HOLDS(brought_by_faults == n->faults);
	HOLDS(n->evicted_chunks <= n->evicted_pages);
	HOLDS(n->evicted_pages <= n->evicted_chunks * c->chunk_pages);
	HOLDS(n->writeback_pages + n->untouched_evicted_pages <= n->evicted_pages);
	HOLDS(n->untouched_evicted_pages <= n->prefetched_pages);
	if (!is(c->prefetch, "rgp"))
		HOLDS(n->faults >= (c->shape->pages + c->near_pages - 1) / c->near_pages);
}

/* What is armed has moved once, and once more at its notice. */
static void check_observation(const struct combination *c, const struct result *r)
{
	const struct tide_counts *n = &r->counts;

	HOLDS(n->remote_accesses >= n->notices);
	HOLDS(n->accesses == n->hits + n->faults + n->remote_accesses - n->notices);
	HOLDS(n->notices <= n->hits);
	HOLDS(n->observe_pages >= 2 * n->notices);
	if (!is(c->prefetch, "acbm"))
		HOLDS(n->remote_accesses == n->notices);
	if (!(r->needs & TIDE_NEEDS_NOTICES))
		HOLDS(n->observe_pages == 0 && n->remote_accesses == 0);
}

static void check_tiers(const struct combination *c, const struct result *r)
{
	const struct tide_counts *n = &r->counts;

	HOLDS(n->tier2_hits + n->tier2_misses == (c->place ? n->faults : 0));
	HOLDS(n->tier3_reads == n->tier2_misses);
	HOLDS(n->tier3_writes <= n->writeback_pages);
	HOLDS(n->tier2_hits <= n->evicted_pages);
	if (c->place && c->host_pages == 0)
		HOLDS(n->tier2_hits == 0 && n->tier3_writes == n->writeback_pages);
}

void suite_check(const struct combination *c, const struct result *r)
{
	HOLDS(r->counts.policy_errors == 0);
	HOLDS(r->allocations == 0);
	HOLDS(r->counts.accesses == c->shape->n);
	check_pages(c, r);
	check_observation(c, r);
	check_tiers(c, r);
}
