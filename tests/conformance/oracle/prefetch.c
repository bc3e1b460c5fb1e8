/* The reference prefetchers: section 3 of the policies' specification. */
#include "oracle.h"

#include <string.h>

/* Adds pages first .. first + n - 1, counted from the start of the faulting chunk. */
static void add_run(struct oracle *o, uint64_t first, uint64_t n)
{
	uint64_t base = o->fault_page - o->fault_page % o->pages_per_chunk;

	for (uint64_t i = first; i < first + n; i++)
		if (i <= o->max_page - base)
			add_page(o, base + i);
}

static const struct plan nothing_else;

static struct plan plan_none(struct prefetcher *p)
{
	(void)p;
	return nothing_else;
}

static struct plan plan_locality(struct prefetcher *p)
{
	add_run(p->o, 0, p->o->pages_per_chunk);
	return nothing_else;
}

static struct plan plan_locality_stop(struct prefetcher *p)
{
	return p->o->was_full ? nothing_else : plan_locality(p);
}

static void create_sequential(struct prefetcher *p)
{
	p->pages = param_number(p->spec, "n", 128);
}

static struct plan plan_sequential(struct prefetcher *p)
{
	struct oracle *o = p->o;

	for (uint64_t i = 0; i < p->pages && i <= o->max_page - o->fault_page; i++)
		add_page(o, o->fault_page + i);
	return nothing_else;
}

static uint64_t count_run(uint64_t bits, uint64_t first, uint64_t n)
{
	uint64_t count = 0;

	for (uint64_t i = first; i < first + n; i++)
		count += bits >> i & 1;
	return count;
}

static void create_tree(struct prefetcher *p)
{
	p->threshold = param_number(p->spec, "threshold", 51);
}

static void create_aggressive(struct prefetcher *p)
{
	p->threshold = 1;
}

struct plan plan_tree(struct prefetcher *p)
{
	struct oracle *o = p->o;
	uint64_t at = o->fault_page % o->pages_per_chunk;
	uint64_t present = o->chunks[o->fault_chunk].resident | (uint64_t)1 << at;
	uint64_t best_first = at, best_n = 1;

	for (uint64_t size = 2; size < 2 * o->pages_per_chunk; size *= 2) {
		uint64_t first = at / size * size;
		uint64_t n = size;

		if (first + n > o->pages_per_chunk)
			n = o->pages_per_chunk - first;
		if (100 * count_run(present, first, n) > p->threshold * n) {
			best_first = first;
			best_n = n;
		}
	}
	add_run(o, best_first, best_n);
	return nothing_else;
}

const struct prefetch reference_prefetchers[] = {
	{.name = "none", .plan = plan_none},
	{.name = "locality", .plan = plan_locality},
	{.name = "locality-stop", .plan = plan_locality_stop},
	{.name = "sequential", .keys = "n", .create = create_sequential, .plan = plan_sequential},
	{.name = "tree", .keys = "threshold", .create = create_tree, .plan = plan_tree},
	{.name = "aggressive", .create = create_aggressive, .plan = plan_tree},
	{0},
};
