#include "tlb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model.h"
#include "tide/event.h"

/* As many caches of as many entries: sets are the largest power of two that the entries fill. */
static int init_cache(struct td_tlb_cache *c, int64_t entries, uint32_t ways, uint32_t caches)
{
	*c = (struct td_tlb_cache){.sets = entries ? 1 : 0, .ways = ways};
	while (c->sets && (int64_t)c->sets * 2 * ways <= entries)
		c->sets *= 2;
	c->tag = calloc((size_t)c->sets * ways * caches + 1, sizeof *c->tag);
	return c->tag ? 0 : -ENOMEM;
}

int td_tlb_init(struct td_tlb *t, const struct td_timed_model *m, uint32_t sms)
{
	double cycle_ps = 1e6 / m->clock_mhz;

	*t = (struct td_tlb){
		.second_ps = (uint64_t)(m->tlb2_cycles * cycle_ps),
		.walk_ps = (uint64_t)(m->walk_ns * 1000),
		.walkers = (uint32_t)m->walkers,
	};
	int rc = init_cache(&t->first, m->tlb1, TD_TLB_WAYS_FIRST, sms);
	if (!rc)
		rc = init_cache(&t->second, m->tlb2, TD_TLB_WAYS_SHARED, 1);
	if (!rc)
		rc = init_cache(&t->walk_cache, m->walk_cache, TD_TLB_WAYS_SHARED, 1);
	t->walker = calloc(t->walkers, sizeof *t->walker);
	return rc || !t->walker ? -ENOMEM : 0;
}

void td_tlb_free(struct td_tlb *t)
{
	free(t->first.tag);
	free(t->second.tag);
	free(t->walk_cache.tag);
	free(t->walker);
	*t = (struct td_tlb){0};
}

/* Is the tag there, in the n-th of these caches? It is the last used one of its set afterwards. */
static bool use(const struct td_tlb_cache *c, uint32_t n, uint64_t tag)
{
	uint32_t set = n * c->sets + ((uint32_t)(tag >> 1) & (c->sets - 1));
	uint64_t *at = &c->tag[(size_t)set * c->ways], moved = at[0];

	if (moved == tag)
		return true;
	at[0] = tag;
	for (unsigned i = 1; i < c->ways; i++) {
		uint64_t here = at[i];
		at[i] = moved;
		if (here == tag)
			return true;
		moved = here;
	}
	return false;
}

/* As many walks at once as there are walkers; the oldest makes room. */
static uint64_t walk(struct td_tlb *t, uint64_t region, uint64_t now)
{
	uint64_t tag = tide_hash64(region) | 1, *walker = &t->walker[t->walks];
	bool known = t->walk_cache.sets && use(&t->walk_cache, 0, tag);
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

	if (t->first.sets) {
		if (use(&t->first, sm, tag))
			return wait_for(t, tag, now);
		t->first_misses++;
	}
	if (t->second.sets) {
		now += t->second_ps;
		if (use(&t->second, 0, tag))
			return wait_for(t, tag, now);
	}
	t->second_misses++;
	now = walk(t, region, now);
	t->under_way[(tag >> 1) % TD_TLB_WALKS] = (struct td_tlb_walk){tag, now};
	return now;
}
