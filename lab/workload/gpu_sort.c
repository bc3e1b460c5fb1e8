/* Events of a step in the order of their threads. */
#include <stdlib.h>
#include <string.h>

#include "gpu_touch.h"

enum { PILES = 8, FEW = 32, SORTED_MOST = 512 };

static int by_order(const void *a, const void *b)
{
	const struct td_gpu_event *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Piles of events, each in order: an event goes on the first that it may go on. */
struct piles {
	uint32_t n, head[PILES], tail[PILES];
	uint32_t *next;
};

static bool pile_up(struct piles *p, const struct td_gpu_event *at, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t to = 0;
		while (to < p->n && at[p->tail[to]].order > at[k].order)
			to++;
		if (to == PILES)
			return false;
		if (to == p->n) {
			p->head[p->n++] = k;
		} else {
			p->next[p->tail[to]] = k;
		}
		p->tail[to] = k;
		p->next[k] = UINT32_MAX;
	}
	return true;
}

static void merge_piles(struct piles *p, const struct td_gpu_event *at, struct td_gpu_event *to)
{
	while (p->n) {
		uint32_t least = 0;
		for (uint32_t k = 1; k < p->n; k++) {
			if (at[p->head[k]].order < at[p->head[least]].order)
				least = k;
		}
		*to++ = at[p->head[least]];
		p->head[least] = p->next[p->head[least]];
		if (p->head[least] == UINT32_MAX)
			p->head[least] = p->head[--p->n];
	}
}

static void sort_few(struct td_gpu_event *at, uint32_t n)
{
	for (uint32_t k = 1; k < n; k++) {
		struct td_gpu_event e = at[k];
		uint32_t to = k;
		for (; to && at[to - 1].order > e.order; to--)
			at[to] = at[to - 1];
		at[to] = e;
	}
}

/* Few events, or few runs of sorted ones, are the rule. */
void td_gpu_sort(struct td_gpu_event *at, uint32_t n)
{
	struct td_gpu_event copy[SORTED_MOST];
	uint32_t next[SORTED_MOST];
	struct piles p = {.next = next};

	if (n <= FEW) {
		sort_few(at, n);
	} else if (n <= SORTED_MOST && pile_up(&p, at, n)) {
		merge_piles(&p, at, copy);
		memcpy(at, copy, n * sizeof *at);
	} else {
		qsort(at, n, sizeof *at, by_order);
	}
}
