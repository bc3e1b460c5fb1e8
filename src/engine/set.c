/* Step 3 of a fault: makes the prefetcher's plan the set of pages that come in. */
#include <errno.h>
#include <stdlib.h>

#include "steps.h"
#include "tide/sort.h"

/* Pages of a chunk that lie in the address range, and exist where they come and go. */
static uint64_t in_range(const struct td_engine *e, uint64_t number)
{
	uint64_t whole = UINT64_MAX >> (64 - e->near.chunk_pages);
	uint64_t last = td_space_number(&e->space, e->near.last_page);
	if (e->maps.on)
		return td_maps_pages(e, number);
	if (number != last)
		return number < last ? whole : 0;
	return whole >> (e->near.chunk_pages - 1 - e->near.last_page % e->near.chunk_pages);
}

static int by_number(const void *a, const void *b, void *arg)
{
	(void)arg;
	uint64_t x = ((const struct tide_plan_entry *)a)->number;
	uint64_t y = ((const struct tide_plan_entry *)b)->number;
	return (x > y) - (x < y);
}

static bool is_blocked(const struct td_engine *e, uint32_t index)
{
	return ((const uint64_t *)(void *)e->planned.at)[index / 64] >> (index % 64) & 1;
}

static void block(struct td_engine *e, uint32_t index)
{
	td_assert(index < e->near.chunks && !is_blocked(e, index));
	td_assert(index != e->near.fault_chunk.index);
	((uint64_t *)(void *)e->planned.at)[index / 64] |= UINT64_C(1) << (index % 64);
	e->near.blocked_chunks += resident(e, index) != 0;
}

static void unblock(struct td_engine *e, uint32_t index)
{
	td_assert(index < e->near.chunks && is_blocked(e, index));
	((uint64_t *)(void *)e->planned.at)[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* The other chunks of the plan: sorted, merged, in range, not resident, with an index. */
static int settle_others(struct td_engine *e, uint64_t own_number, uint64_t *size)
{
	struct tide_plan *plan = &e->plan;
	uint32_t kept = 0;
	tide_sort(plan->other, plan->n, sizeof *plan->other, by_number, NULL);
	for (uint32_t i = 0; i < plan->n; i++) {
		struct tide_plan_entry at = plan->other[i];
		for (; i + 1 < plan->n && plan->other[i + 1].number == at.number; i++)
			at.pages |= plan->other[i + 1].pages;
		at.pages = in_range(e, at.number) & (e->whole ? UINT64_MAX : at.pages);
		if (at.number == own_number) {
			plan->own |= at.pages;
			continue;
		}
		if (!at.pages)
			continue;
		int rc = td_engine_index(e, at.number, &at.index);
		if (rc)
			return rc;
		at.pages &= ~resident(e, at.index);
		if (!at.pages)
			continue;
		plan->other[kept++] = at;
		*size += td_lanes_count(at.pages);
	}
	plan->n = kept;
	for (uint32_t i = 0; i < kept; i++)
		block(e, plan->other[i].index);
	if (kept)
		e->near.planned = (const uint64_t *)(void *)e->planned.at;
	return 0;
}

static uint64_t drop_last(struct td_engine *e)
{
	struct tide_plan_entry last = e->plan.other[--e->plan.n];
	unblock(e, last.index);
	e->near.blocked_chunks -= resident(e, last.index) != 0;
	return td_lanes_count(last.pages);
}

uint64_t td_set_drop_highest(struct td_engine *e, uint64_t fault_bit)
{
	struct tide_plan *plan = &e->plan;
	if (e->whole && plan->n)
		return drop_last(e);
	uint64_t own = plan->own & ~fault_bit;
	struct tide_plan_entry *last = plan->n ? &plan->other[plan->n - 1] : NULL;
	td_assert(own || last);
	if (!last || (own && number_of(e, e->near.fault_chunk) > last->number)) {
		plan->own &= ~(UINT64_C(1) << (63 - __builtin_clzll(own)));
		return 1;
	}
	td_assert(last->pages);
	last->pages &= ~(UINT64_C(1) << (63 - __builtin_clzll(last->pages)));
	if (!last->pages)
		drop_last(e);
	return 1;
}

uint64_t td_set_pages(const struct td_engine *e)
{
	uint64_t n = td_lanes_count(e->plan.own);
	for (uint32_t i = 0; i < e->plan.n; i++)
		n += td_lanes_count(e->plan.other[i].pages);
	return n;
}

void td_set_begin(struct td_engine *e, uint64_t fault_bit)
{
	struct tide_plan *plan = &e->plan;
	plan->own = fault_bit;
	plan->n = 0;
	plan->overflow = plan->remote = false;
	plan->arm = 0;
}

int td_set_settle(struct td_engine *e, tide_chunk c, uint64_t fault_bit, uint64_t *size,
		  struct tide_error *err)
{
	struct tide_plan *plan = &e->plan;
	uint64_t own_number = number_of(e, c);
	*size = 0;
	if (plan->n && settle_others(e, own_number, size))
		return td_engine_index_failed(-ENOMEM, err);
	plan->own &= in_range(e, own_number) & ~resident(e, c.index);
	plan->own |= fault_bit;
	if (e->whole && plan->own)
		plan->own = in_range(e, own_number);
	*size += td_lanes_count(plan->own);
	while (*size > e->near.capacity_pages)
		*size -= td_set_drop_highest(e, fault_bit);
	td_assert(*size == td_set_pages(e) && *size <= e->near.capacity_pages);
	return 0;
}

void td_set_end(struct td_engine *e)
{
	if (!e->near.planned)
		return;
	for (uint32_t i = 0; i < e->plan.n; i++)
		unblock(e, e->plan.other[i].index);
	e->near.planned = e->held_chunks ? (const uint64_t *)(void *)e->planned.at : NULL;
}
