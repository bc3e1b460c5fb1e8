#include "tlb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model.h"
#include "tide/event.h"

/* The largest power of two of sets that the entries fill. */
static uint32_t sets_of(int64_t entries)
{
	uint32_t n = 1;

	if (!entries)
		return 0;
	while ((int64_t)n * 2 * TD_TLB_WAYS <= entries)
		n *= 2;
	return n;
}

int td_tlb_init(struct td_tlb *t, const struct td_timed_model *m, uint32_t sms)
{
	double cycle_ps = 1e6 / m->clock_mhz;

	*t = (struct td_tlb){
		.first_sets = sets_of(m->tlb1),
		.second_sets = sets_of(m->tlb2),
		.walk_sets = sets_of(m->walk_cache),
		.second_ps = (uint64_t)(m->tlb2_cycles * cycle_ps),
		.walk_ps = (uint64_t)(m->walk_ns * 1000),
		.walkers = (uint32_t)m->walkers,
	};
	t->first = calloc((size_t)t->first_sets * sms + 1, sizeof *t->first);
	t->second = calloc((size_t)t->second_sets + 1, sizeof *t->second);
	t->walk_cache = calloc((size_t)t->walk_sets + 1, sizeof *t->walk_cache);
	t->walker = calloc(t->walkers, sizeof *t->walker);
	return t->first && t->second && t->walk_cache && t->walker ? 0 : -ENOMEM;
}

void td_tlb_free(struct td_tlb *t)
{
	free(t->first);
	free(t->second);
	free(t->walk_cache);
	free(t->walker);
	*t = (struct td_tlb){0};
}

/* Is the tag there? It is the last used one afterwards. */
static bool use(struct td_tlb_set *s, uint64_t tag)
{
	uint64_t moved = s->tag[0];

	if (moved == tag)
		return true;
	s->tag[0] = tag;
	for (unsigned i = 1; i < TD_TLB_WAYS; i++) {
		uint64_t here = s->tag[i];
		s->tag[i] = moved;
		if (here == tag)
			return true;
		moved = here;
	}
	return false;
}

static struct td_tlb_set *set_of(struct td_tlb_set *sets, uint32_t n, uint64_t tag)
{
	return &sets[tag & (n - 1)];
}

/* As many walks at once as there are walkers; the oldest makes room. */
static uint64_t walk(struct td_tlb *t, uint64_t region, uint64_t now)
{
	uint64_t tag = tide_hash64(region) | 1, *walker = &t->walker[t->walks];
	bool known = t->walk_sets && use(set_of(t->walk_cache, t->walk_sets, tag >> 1), tag);
	uint64_t start = *walker > now ? *walker : now;

	t->walks = t->walks + 1 == t->walkers ? 0 : t->walks + 1;
	*walker = start + (known ? t->walk_ps / 4 : t->walk_ps);
	return *walker;
}

/* An entry is there from the miss on, but of use only when its walk has ended. */
static uint64_t wait_for(const struct td_tlb *t, uint64_t tag, uint64_t now)
{
	const struct td_tlb_walk *w = &t->under_way[(tag >> 1) % TD_TLB_WALKS];

	return w->tag == tag && w->end > now ? w->end : now;
}

uint64_t td_tlb_find(struct td_tlb *t, uint32_t sm, uint64_t page, uint32_t stamp, uint64_t region,
		     uint64_t now)
{
	uint64_t tag = tide_hash64(page ^ (uint64_t)stamp << 40) | 1;

	if (t->first_sets) {
		if (use(set_of(t->first + (size_t)sm * t->first_sets, t->first_sets, tag >> 1),
			tag))
			return wait_for(t, tag, now);
		t->first_misses++;
	}
	if (t->second_sets) {
		now += t->second_ps;
		if (use(set_of(t->second, t->second_sets, tag >> 1), tag))
			return wait_for(t, tag, now);
	}
	t->second_misses++;
	now = walk(t, region, now);
	t->under_way[(tag >> 1) % TD_TLB_WALKS] = (struct td_tlb_walk){tag, now};
	return now;
}
