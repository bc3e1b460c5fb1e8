/* Access counters: acbm of section 5.4. */
#include "oracle.h"

#include <stdlib.h>

struct counter {
	uint32_t chunk;
	uint64_t hits, last;
};

struct acbm {
	uint64_t threshold;
	size_t n, room;
	struct counter *at;
};

static void create(struct prefetcher *p)
{
	struct acbm *x = p->own = own_state(sizeof(*x));

	x->threshold = param_number(p->spec, "threshold", 256);
	x->room = param_number(p->spec, "counters", 256);
	x->at = must(calloc(x->room, sizeof(*x->at)));
}

static struct plan plan(struct prefetcher *p)
{
	(void)p;
	return (struct plan){.remote = true};
}

static struct counter *find(struct acbm *x, uint32_t c)
{
	struct counter *least = x->at;

	for (size_t i = 0; i < x->n; i++) {
		if (x->at[i].chunk == c)
			return &x->at[i];
		if (x->at[i].last < least->last)
			least = &x->at[i];
	}
	if (x->n < x->room)
		least = &x->at[x->n++];
	*least = (struct counter){.chunk = c};
	return least;
}

static void remote(struct prefetcher *p, uint32_t c)
{
	struct acbm *x = p->own;
	struct counter *counter = find(x, c);

	counter->last = p->o->counts.accesses;
	if (++counter->hits < x->threshold)
		return;
	*counter = x->at[--x->n];
	add_chunk(p->o, p->o->chunks[c].number);
}

const struct prefetch acbm_prefetchers[] = {
	{.name = "acbm",
	 .keys = "threshold counters",
	 .create = create,
	 .plan = plan,
	 .remote = remote},
	{0},
};
