/* leu as its rules are written, by search through everything: the judge of the real one. It shares
 * nothing with it, bins included. */
#ifndef TESTS_UNIT_LEU_NAIVE_H
#define TESTS_UNIT_LEU_NAIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tide/event.h"

#define NAIVE_PAGES 4096
#define NAIVE_REFS 4096
#define NAIVE_EDGES 512 /* distinct upper edges of bins in one histogram */

struct naive_entry {
	bool live;
	uint64_t ref, n, made, recent;
	uint64_t edge[NAIVE_EDGES], count[NAIVE_EDGES]; /* ascending edges */
	unsigned edges;
};

struct naive_page {
	bool resident;
	uint64_t last, ref;
};

struct naive {
	unsigned refs; /* size of the table */
	bool by_page, fixed;
	bool next; /* edge=next */
	double sample;
	uint64_t decay;
	uint64_t t;
	uint64_t pages; /* above all page numbers seen */
	struct naive_page page[NAIVE_PAGES];
	struct naive_entry table[NAIVE_REFS];
	unsigned entry[NAIVE_PAGES]; /* index + 1 in the table, by ref; refs are as low as pages */
	uint64_t recycled;
};

/* The last interval of the bin that x is in. */
static inline uint64_t naive_edge(uint64_t x)
{
	uint64_t octave = 64;

	if (x < 64)
		return x;
	while (octave * 2 <= x)
		octave *= 2;
	for (uint64_t top = octave;; top += octave / 8)
		if (x < top + octave / 8)
			return top + octave / 8 - 1;
}

static inline struct naive_entry *naive_find(struct naive *v, uint64_t ref)
{
	return v->entry[ref] ? &v->table[v->entry[ref] - 1] : NULL;
}

static inline bool naive_recycled_before(const struct naive_entry *a, const struct naive_entry *b)
{
	if (!a->live || !b->live)
		return !a->live && b->live;
	return a->recent < b->recent || (a->recent == b->recent && a->ref < b->ref);
}

static inline struct naive_entry *naive_make(struct naive *v, uint64_t ref)
{
	struct naive_entry *e = &v->table[0];

	for (unsigned i = 1; i < v->refs; i++)
		if (naive_recycled_before(&v->table[i], e))
			e = &v->table[i];
	v->recycled += e->live;
	if (e->live)
		v->entry[e->ref] = 0;
	v->entry[ref] = (unsigned)(e - v->table) + 1;
	*e = (struct naive_entry){.live = true, .ref = ref, .made = v->t, .recent = v->t};
	return e;
}

static inline uint64_t naive_sum(const struct naive_entry *e)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < e->edges; i++)
		sum += e->count[i];
	return sum;
}

static inline void naive_credit(struct naive *v, struct naive_entry *e, uint64_t last)
{
	uint64_t edge = naive_edge(v->t - last);
	unsigned i = 0, rest;

	if (last < e->made)
		return;
	if (naive_sum(e) == e->n)
		e->n++;
	while (i < e->edges && e->edge[i] < edge)
		i++;
	if (i == e->edges || e->edge[i] != edge) {
		rest = e->edges++ - i;
		memmove(&e->edge[i + 1], &e->edge[i], rest * sizeof e->edge[0]);
		memmove(&e->count[i + 1], &e->count[i], rest * sizeof e->count[0]);
		e->edge[i] = edge;
		e->count[i] = 0;
	}
	e->count[i]++;
	e->recent = v->t;
}

static inline void naive_halve(struct naive *v)
{
	for (unsigned i = 0; i < v->refs; i++) {
		struct naive_entry *e = &v->table[i];
		uint64_t endless = e->n - naive_sum(e);

		for (unsigned j = 0; j < e->edges; j++)
			e->count[j] /= 2;
		e->n = naive_sum(e) + endless / 2;
	}
}

static inline bool naive_sampled(const struct naive *v, uint64_t page)
{
	return (double)tide_hash64(page) < v->sample * 0x1p64;
}

/* The access of the present time, once it is served. */
static inline void naive_access(struct naive *v, uint64_t page, uint64_t ref)
{
	struct naive_page *p = &v->page[page];
	struct naive_entry *e;

	if (v->by_page)
		ref = page;
	if (!v->fixed && (v->sample >= 1 || naive_sampled(v, page))) {
		e = p->last ? naive_find(v, p->ref) : NULL;
		if (e)
			naive_credit(v, e, p->last);
		e = naive_find(v, ref);
		if (!e)
			e = naive_make(v, ref);
		e->n++;
	}
	p->last = v->t;
	p->ref = ref;
	p->resident = true;
	v->pages = page < v->pages ? v->pages : page + 1;
	if (v->decay && !v->fixed && v->t % v->decay == 0)
		naive_halve(v);
}

struct naive_priority {
	uint64_t k;
	unsigned __int128 below;
};

static inline bool naive_less(struct naive_priority a, struct naive_priority b)
{
	return a.k * b.below < b.k * a.below;
}

static inline struct naive_priority naive_priority_of(struct naive *v, uint64_t page)
{
	const struct naive_entry *e = naive_find(v, v->page[page].ref);
	struct naive_priority best = {0, 1};
	uint64_t tesla = v->t - v->page[page].last, g = 0, k = 0;
	/* Of the first bin that is not behind: of the one after tesla's, or that tesla + 1 is in.
	 */
	uint64_t ahead = naive_edge(v->next ? tesla + 1 : naive_edge(tesla) + 1);

	for (unsigned i = 0; e && i < e->edges; i++) {
		if (e->edge[i] < ahead) {
			g += e->count[i];
			continue;
		}
		k += e->count[i];
		struct naive_priority p = {k, (unsigned __int128)(e->n - g) * (e->edge[i] - tesla)};
		if (e->n != g && naive_less(best, p))
			best = p;
	}
	return best;
}

/* The victim at the present time: lowest priority, then largest tesla. */
static inline uint64_t naive_victim(struct naive *v)
{
	uint64_t victim = NAIVE_PAGES;
	struct naive_priority least = {0, 1};

	for (uint64_t i = 0; i < v->pages; i++) {
		if (!v->page[i].resident)
			continue;
		struct naive_priority p = naive_priority_of(v, i);
		if (victim == NAIVE_PAGES || naive_less(p, least) ||
		    (!naive_less(least, p) && v->page[i].last < v->page[victim].last)) {
			victim = i;
			least = p;
		}
	}
	return victim;
}

/* After a whole pass: the table stays, everything else begins anew. */
static inline void naive_trained(struct naive *v)
{
	memset(v->page, 0, sizeof v->page);
	v->t = 0;
	v->fixed = true;
}

#endif
