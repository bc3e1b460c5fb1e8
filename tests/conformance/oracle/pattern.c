/* CPPE's prefetcher: section 4.3 of the policies' specification. */
#include "oracle.h"

#include <stdlib.h>

struct record {
	uint32_t chunk;
	uint64_t pages;
	bool searched;
};

struct pattern {
	uint64_t scheme;
	struct record *at;
	size_t n, room;
};

static void create(struct prefetcher *p)
{
	struct pattern *x = p->own = own_state(sizeof(*x));

	x->scheme = param_number(p->spec, "scheme", 2);
	if (x->scheme != 1 && x->scheme != 2)
		usage("there is scheme 1 and scheme 2");
}

static struct record *find(struct pattern *x, uint32_t c)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->at[i].chunk == c)
			return &x->at[i];
	return NULL;
}

static struct record *find_or_make(struct pattern *x, uint32_t c)
{
	struct record *r = find(x, c);

	if (r)
		return r;
	if (x->n == x->room) {
		x->room = x->room ? 2 * x->room : 64;
		x->at = must(realloc(x->at, x->room * sizeof(*x->at)));
	}
	return &x->at[x->n++];
}

static void evicted(struct prefetcher *p, uint32_t c, bool unused)
{
	const struct chunk *chunk = &p->o->chunks[c];
	struct evictor *e = p->o->evict;

	(void)unused;
	if (e->how->follows_lru && !e->how->follows_lru(e))
		return;
	if (count_bits(chunk->resident & ~chunk->touched) * 2 >= p->o->pages_per_chunk)
		*find_or_make(p->own, c) = (struct record){c, chunk->touched, false};
}

static struct plan plan(struct prefetcher *p)
{
	struct oracle *o = p->o;
	struct pattern *x = p->own;
	struct record *r = find(x, o->fault_chunk);
	uint64_t number = o->chunks[o->fault_chunk].number;

	if (r && r->pages & bit_of(o, o->fault_page)) {
		for (unsigned i = 0; i < o->pages_per_chunk; i++)
			if (r->pages >> i & 1)
				add_page(o, number * o->pages_per_chunk + i);
		r->searched = true;
		return (struct plan){0};
	}
	add_chunk(o, number);
	if (r && (x->scheme == 1 || !r->searched))
		*r = x->at[--x->n];
	return (struct plan){0};
}

const struct prefetch cppe_prefetchers[] = {
	{.name = "pattern", .keys = "scheme", .create = create, .plan = plan, .evicted = evicted},
	{0},
};
