/* Policies by name. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static const struct evict *find_evict(const char *name)
{
	const struct evict *tables[] = {reference_evictors, study_evictors,      cppe_evictors,
					observ_evictors,    tournament_evictors, leu_evictors};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct evict *at = tables[i]; at->name; at++)
			if (!strcmp(at->name, name))
				return at;
	usage("unknown eviction policy");
	return NULL;
}

struct evictor *open_evictor(struct oracle *o, const struct spec *spec)
{
	struct evictor *e = own_state(sizeof(*e));

	e->how = find_evict(spec->name);
	e->o = o;
	e->spec = spec;
	e->sieve_hand = NONE;
	check_keys(spec, e->how->keys);
	if (e->how->single && o->pages_per_chunk != 1)
		usage("this policy needs one page per chunk");
	if (e->how->create)
		e->how->create(e);
	return e;
}

static const struct prefetch *find_prefetch(const char *name)
{
	const struct prefetch *tables[] = {reference_prefetchers, cppe_prefetchers,
					   feedback_prefetchers, acbm_prefetchers};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct prefetch *at = tables[i]; at->name; at++)
			if (!strcmp(at->name, name))
				return at;
	usage("unknown prefetcher");
	return NULL;
}

struct prefetcher *open_prefetcher(struct oracle *o, const struct spec *spec)
{
	struct prefetcher *p = own_state(sizeof(*p));

	p->how = find_prefetch(spec->name);
	p->o = o;
	p->spec = spec;
	check_keys(spec, p->how->keys);
	if (p->how->create)
		p->how->create(p);
	return p;
}
