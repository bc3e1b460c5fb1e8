/* What lecar and cacheus share: two experts name a victim each, one by recency and one by
 * frequency. Chance decides by their weights whose victim leaves. Each expert has a history of the
 * pages that left by its advice. If such a page comes back, that expert loses weight. */
#ifndef TIDE_EVICT_EXPERTS_H
#define TIDE_EVICT_EXPERTS_H

#include <math.h>

#include "heap.h"

/* Where a page is: in near memory, where cacheus has a second queue; in a history; or in neither.
 */
enum { EXPERTS_AWAY, EXPERTS_HERE, EXPERTS_QUEUED, EXPERTS_BY_RECENCY, EXPERTS_BY_FREQUENCY };

struct expert_page {
	struct heap_node node; /* resident pages by frequency */
	struct tide_link link; /* in a queue of the policy, or in a history */
	uint64_t time;         /* of the last use; in a history: of leaving */
	uint32_t uses;
	uint8_t state;
	bool demoted, new; /* see cacheus */
};

struct experts {
	const struct tide_view *view;
	struct heap heap;
	struct tide_list history[2]; /* of the expert for recency, and for frequency */
	uint64_t history_pages;      /* of each */
	double recency;              /* weight; the other one has the rest */
	uint32_t picked;             /* the last victim named */
	uint8_t advised;             /* whose it was; EXPERTS_AWAY: both named it */
};

static inline struct expert_page *expert_page(const struct tide_view *v, uint32_t i)
{
	return tide_slot(v, struct expert_page, (tide_chunk){i});
}

static inline struct tide_links expert_links(const struct tide_view *v)
{
	return (struct tide_links){v->slots + offsetof(struct expert_page, link),
				   sizeof(struct expert_page)};
}

static inline void experts_init(struct experts *x, const struct tide_view *view,
				bool (*before)(const void *view, uint32_t a, uint32_t b),
				double history_percent)
{
	x->view = view;
	x->heap = (struct heap){view, sizeof(struct expert_page), 0, before, view};
	tide_list_init(&x->history[0]);
	tide_list_init(&x->history[1]);
	x->history_pages = (uint64_t)((double)view->near->capacity_pages * history_percent / 100);
	x->recency = 0.5;
	x->picked = TIDE_NIL;
}

/* ---- weights ---- */

/* The expert by whose advice a page left loses weight by the factor e^-loss. */
static inline void experts_blame(struct experts *x, uint8_t state, double loss)
{
	double recency = x->recency, frequency = 1 - x->recency;
	if (state == EXPERTS_BY_RECENCY)
		recency *= exp(-loss);
	else
		frequency *= exp(-loss);
	recency /= recency + frequency;
	x->recency = recency < 0.01 ? 0.01 : recency > 0.99 ? 0.99 : recency;
}

/* A real number from 0 to less than 1. */
static inline double experts_chance(const struct experts *x)
{
	return (double)(tide_random_next(x->view->random) >> 11) * 0x1p-53;
}

/* ---- histories ---- */

static inline bool experts_remember(const struct expert_page *at)
{
	return at->state >= EXPERTS_BY_RECENCY;
}

static inline struct tide_list *experts_history(struct experts *x, uint8_t state)
{
	return &x->history[state - EXPERTS_BY_RECENCY];
}

/* The page stays known by its uses. */
static inline void experts_leave_history(struct experts *x, uint32_t i)
{
	struct expert_page *at = expert_page(x->view, i);
	tide_list_remove(experts_history(x, at->state), expert_links(x->view), i);
	at->state = EXPERTS_AWAY;
}

/* A page has left near memory, and its queue. Returns the page that a full history forgets for it,
 * or TIDE_NIL. */
static inline uint32_t experts_enter_history(struct experts *x, uint32_t i)
{
	struct expert_page *at = expert_page(x->view, i);
	heap_remove(&x->heap, i);
	uint8_t state = x->picked == i && x->history_pages ? x->advised : EXPERTS_AWAY;
	uint32_t forgotten = TIDE_NIL;
	x->picked = TIDE_NIL;
	at->state = state;
	at->time = x->view->near->time;
	if (!experts_remember(at)) {
		at->uses = 0;
		return TIDE_NIL;
	}
	if (experts_history(x, state)->n == x->history_pages) {
		forgotten = experts_history(x, state)->head;
		experts_leave_history(x, forgotten);
		expert_page(x->view, forgotten)->uses = 0;
	}
	tide_list_push_tail(experts_history(x, state), expert_links(x->view), i);
	return forgotten;
}

/* ---- the victim ---- */

/* Chance is asked even if both experts name the same page. */
static inline tide_chunk experts_pick(struct experts *x, uint32_t by_recency)
{
	uint32_t by_frequency = heap_first(&x->heap, NULL).index;
	bool first = experts_chance(x) < x->recency;
	x->picked = first ? by_recency : by_frequency;
	x->advised = first ? EXPERTS_BY_RECENCY : EXPERTS_BY_FREQUENCY;
	if (by_recency == by_frequency)
		x->advised = EXPERTS_AWAY;
	return (tide_chunk){x->picked};
}

/* The oldest valid page of a queue. */
static inline uint32_t experts_oldest(const struct experts *x, const struct tide_list *queue)
{
	uint32_t i = queue->head;
	while (i != TIDE_NIL && !tide_valid(x->view, (tide_chunk){i}))
		i = expert_page(x->view, i)->link.next;
	return i;
}

#endif
