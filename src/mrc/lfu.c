/* lfu: the victim has the fewest accesses since it came in, and of several with as few, it is the
 * one whose last access is the oldest.
 *
 * A page's count in a lane is the number of its accesses so far, minus that before it came in. So a
 * hit changes nothing in any lane. Both counts and last accesses only grow. So an order that was
 * right once tells what cannot leave before what, and the front of it is looked at again before it
 * leaves:
 *
 *     queue   resident pages by when they came in; those with one access are in the right order
 *     rest    pages that had more when the queue came to them, in no order
 *     heap    the rest, once the queue is empty, by the count and the last access they had then
 *
 * At first a lane holds the first pages of all, in the order of their numbers, and the queue begins
 * with them. They take no room in it. */
#include <string.h>

#include "lane.h"

#define AHEAD 8 /* entries of a queue, whose pages are asked for */

struct page {
	uint64_t here; /* lanes */
	uint32_t uses, last;
};

struct brought {
	uint32_t page, before; /* uses before it came in */
};

struct weighed {
	uint32_t count, last; /* as they were */
	struct brought is;
};

struct lane {
	uint32_t near, here; /* pages */
	uint32_t first;      /* of the first pages, those before it have left the queue */
	uint32_t head, tail; /* of the queue behind them */
	uint32_t room;
	uint32_t rest_n, heap_n;
	struct tide_vec queue, rest; /* struct brought */
	struct tide_vec heap; /* struct weighed; the children of i are 2 * i + 1 and 2 * i + 2 */
};

struct lfu {
	struct td_mrc_lanes lanes; /* must be first */
	struct tide_vec pages;     /* struct page */
	uint32_t now;
	struct lane lane[TD_MRC_LANES];
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct lfu *s = self;
	int rc = td_mrc_lanes_init(&s->lanes, config, err);
	tide_vec_init(&s->pages, sizeof(struct page));
	for (unsigned i = 0; i < s->lanes.counts.n; i++) {
		s->lane[i].near = s->lanes.near[i];
		tide_vec_init(&s->lane[i].queue, sizeof(struct brought));
		tide_vec_init(&s->lane[i].rest, sizeof(struct brought));
		tide_vec_init(&s->lane[i].heap, sizeof(struct weighed));
	}
	return rc;
}

static void destroy(void *self)
{
	struct lfu *s = self;
	td_mrc_lanes_free(&s->lanes);
	tide_vec_free(&s->pages);
	for (unsigned i = 0; i < s->lanes.counts.n; i++) {
		tide_vec_free(&s->lane[i].queue);
		tide_vec_free(&s->lane[i].rest);
		tide_vec_free(&s->lane[i].heap);
	}
}

static inline struct page *page_at(const struct lfu *s, uint32_t i)
{
	return &((struct page *)(void *)s->pages.at)[i];
}

static inline struct brought *queue_of(const struct lane *l)
{
	return (struct brought *)(void *)l->queue.at;
}

static inline struct brought *rest_of(const struct lane *l)
{
	return (struct brought *)(void *)l->rest.at;
}

static inline uint32_t count_of(const struct lfu *s, const struct brought *b)
{
	return page_at(s, b->page)->uses - b->before;
}

/* ---- the heap ---- */

static inline bool is_before(const struct weighed *a, const struct weighed *b)
{
	return a->count != b->count ? a->count < b->count : a->last < b->last;
}

static inline struct weighed weigh(const struct lfu *s, struct brought b)
{
	return (struct weighed){count_of(s, &b), page_at(s, b.page)->last, b};
}

static void heap_push(struct lane *l, struct weighed w)
{
	struct weighed *heap = (struct weighed *)(void *)l->heap.at;
	uint32_t i = l->heap_n++;
	for (; i && is_before(&w, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = w;
}

/* Puts w in the place of the first of n. */
static void heap_replace(struct weighed *heap, uint32_t n, struct weighed w)
{
	uint32_t i = 0;
	for (uint32_t child = 1; child < n; child = 2 * i + 1) {
		child += child + 1 < n && is_before(&heap[child + 1], &heap[child]);
		if (!is_before(&heap[child], &w))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = w;
}

/* The first is right once it stays the first with what it has by now. */
static uint32_t take_from_heap(const struct lfu *s, struct lane *l)
{
	struct weighed *heap = (struct weighed *)(void *)l->heap.at, w;
	while (l->rest_n)
		heap_push(l, weigh(s, rest_of(l)[--l->rest_n]));
	while ((w = weigh(s, heap[0].is)).count != heap[0].count)
		heap_replace(heap, l->heap_n, w);
	if (--l->heap_n)
		heap_replace(heap, l->heap_n, heap[l->heap_n]);
	return w.is.page;
}

/* ---- lanes ---- */

static inline bool take_from_queue(const struct lfu *s, struct lane *l, struct brought *b)
{
	if (__builtin_expect(l->first < l->near, 0)) {
		*b = (struct brought){l->first++, 0};
		return true;
	}
	if (l->head == l->tail)
		return false;
	const struct brought *queue = queue_of(l);
	__builtin_prefetch(page_at(s, queue[l->head + AHEAD].page), 1);
	*b = queue[l->head++];
	return true;
}

static inline uint32_t take_victim(const struct lfu *s, struct lane *l)
{
	struct brought b;
	while (take_from_queue(s, l, &b)) {
		if (count_of(s, &b) == 1)
			return b.page;
		rest_of(l)[l->rest_n++] = b;
	}
	return take_from_heap(s, l);
}

static inline void bring(struct lfu *s, unsigned lane, struct brought b)
{
	struct lane *l = &s->lane[lane];
	if (__builtin_expect(l->here < l->near, 0)) {
		l->here++; /* one of the first pages */
		return;
	}
	page_at(s, take_victim(s, l))->here &= ~TD_MRC_LANE_BIT(lane);
	queue_of(l)[l->tail++] = b;
}

static inline void expect(void *self, uint32_t page)
{
	const struct lfu *s = self;
	__builtin_prefetch(page_at(s, page), 1);
}

static inline uint64_t touch(void *self, uint32_t page)
{
	struct lfu *s = self;
	struct page *p = page_at(s, page);
	struct brought b = {page, p->uses};
	uint64_t missed = s->lanes.counts.all & ~p->here;
	p->uses++;
	p->last = s->now++;
	for (uint64_t left = missed; left;) {
		unsigned lane = td_mrc_lane_next(&left);
		s->lanes.counts.misses[lane]++;
		bring(s, lane, b);
	}
	p->here = s->lanes.counts.all;
	return missed;
}

/* Room for what a batch may bring: the queue moves to the front of its room, or gets more. What
 * lies behind its tail are numbers of pages, or 0. */
static int reserve_queue(struct lane *l)
{
	uint32_t n = l->tail - l->head;
	if (l->tail + TIDE_BATCH + AHEAD <= l->room)
		return 0;
	if (n)
		memmove(queue_of(l), queue_of(l) + l->head, n * sizeof(struct brought));
	l->head = 0;
	l->tail = n;
	if (2 * n + TIDE_BATCH + AHEAD <= l->room)
		return 0;
	uint64_t room = 3 * (uint64_t)n + 2 * TIDE_BATCH;
	if (room > UINT32_MAX || tide_vec_reserve(&l->queue, room))
		return -ENOMEM;
	l->room = (uint32_t)room;
	return 0;
}

/* A lane that holds all pages has neither queue nor heap. */
static int reserve(struct lfu *s)
{
	uint64_t pages = s->lanes.numbers.map.n;
	int rc = tide_vec_reserve(&s->pages, pages);
	for (unsigned i = 0; i < s->lanes.counts.n && !rc; i++) {
		struct lane *l = &s->lane[i];
		if (l->near >= pages)
			continue;
		rc = tide_vec_reserve(&l->heap, l->near);
		if (!rc)
			rc = tide_vec_reserve(&l->rest, l->near);
		if (!rc)
			rc = reserve_queue(l);
	}
	return rc;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct lfu *s = self;
	int rc = td_mrc_number(&s->lanes.numbers, accesses, err);
	if (rc)
		return rc;
	if (accesses->before + TIDE_BATCH > UINT32_MAX)
		return td_mrc_too_long("lfu", err);
	if (reserve(s))
		return td_mrc_no_memory(err);
	td_mrc_lanes_go(&s->lanes, accesses, expect, touch);
	return 0;
}

const struct td_mrc_method td_mrc_lfu = {
	.policy = "lfu",
	.groups = true,
	.bytes = sizeof(struct lfu),
	.create = create,
	.see = see,
	.answer = td_mrc_lanes_answer,
	.pages = td_mrc_lanes_pages,
	.destroy = destroy,
};
