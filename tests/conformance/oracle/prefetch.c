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

static void plan_none(struct oracle *o)
{
	(void)o;
}

static void plan_locality(struct oracle *o)
{
	add_run(o, 0, o->pages_per_chunk);
}

static void plan_locality_stop(struct oracle *o)
{
	if (!o->was_full)
		plan_locality(o);
}

static void plan_sequential(struct oracle *o)
{
	for (uint64_t i = 0; i < o->pages && i <= o->max_page - o->fault_page; i++)
		add_page(o, o->fault_page + i);
}

static uint64_t count_run(uint64_t bits, uint64_t first, uint64_t n)
{
	uint64_t count = 0;

	for (uint64_t i = first; i < first + n; i++)
		count += bits >> i & 1;
	return count;
}

static void plan_tree(struct oracle *o)
{
	uint64_t at = o->fault_page % o->pages_per_chunk;
	uint64_t present = o->chunks[o->fault_chunk].resident | (uint64_t)1 << at;
	uint64_t best_first = at, best_n = 1;

	for (uint64_t size = 2; size < 2 * o->pages_per_chunk; size *= 2) {
		uint64_t first = at / size * size;
		uint64_t n = size;

		if (first + n > o->pages_per_chunk)
			n = o->pages_per_chunk - first;
		if (100 * count_run(present, first, n) > o->threshold * n) {
			best_first = first;
			best_n = n;
		}
	}
	add_run(o, best_first, best_n);
}

static const struct prefetch prefetchers[] = {
	{"none", plan_none},
	{"locality", plan_locality},
	{"locality-stop", plan_locality_stop},
	{"sequential", plan_sequential},
	{"tree", plan_tree},
	{"aggressive", plan_tree},
};

const struct prefetch *find_prefetch(const char *name)
{
	for (size_t i = 0; i < sizeof(prefetchers) / sizeof(*prefetchers); i++)
		if (!strcmp(prefetchers[i].name, name))
			return &prefetchers[i];
	return NULL;
}
