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
	bool first;          /* first touches are mapped remotely too */
	struct list evicted; /* chunks that were, at any time */
};

static void create(struct prefetcher *p)
{
	struct acbm *x = p->own = own_state(sizeof(*x));

	x->threshold = param_number(p->spec, "threshold", 256);
	x->room = param_number(p->spec, "counters", 256);
	x->at = must(calloc(x->room, sizeof(*x->at)));
	x->first = param_number(p->spec, "first", 0);
	p->threshold = 51; /* that of the tree */
}

static struct plan plan(struct prefetcher *p)
{
	struct acbm *x = p->own;

	if (x->first || list_has(&x->evicted, p->o->fault_chunk))
		return (struct plan){.remote = true};
	return plan_tree(p);
}

static void evicted(struct prefetcher *p, uint32_t c, bool unused)
{
	struct acbm *x = p->own;

	(void)unused;
	if (!list_has(&x->evicted, c))
		list_push(&x->evicted, c);
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
	 .keys = "threshold counters first",
	 .create = create,
	 .plan = plan,
	 .evicted = evicted,
	 .remote = remote},
	{0},
};
