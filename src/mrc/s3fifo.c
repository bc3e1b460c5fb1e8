/* s3fifo: the small queue, the main queue and the ghost.
 *
 * A page goes from the small queue to the ghost, or to the main queue. So both queues are one, with
 * a mark between them. A page that goes on to the main queue leaves a hole.
 *
 *     oldest   g g . g g | s s s s s s   newest
 *                        ^ mark
 *
 * A page found in the ghost goes to the main queue, and its entry stays behind, stale. If the page
 * comes to the ghost once more before that entry has gone, the older entry is the stale one. A page
 * with a stale entry that would leave a second one has all stale entries of the lane removed. */
#include <string.h>

#include "lane.h"

#define AHEAD 16 /* entries of a queue, whose pages are asked for */
#define HOLE UINT32_MAX
#define FAR 64   /* entries that are asked for themselves */
#define PLANES 4 /* of uses, where a page takes one cache line */

/* Of every lane: in no queue, in the ghost, in the small queue, in the main queue. */
struct page {
	uint64_t main_or_ghost, here;
	uint64_t stale[2]; /* stale entries: bit 0 of every lane, and bit 1 */
	uint64_t uses[];   /* the same of uses, with as many bits as the cap has */
};

struct lane {
	uint32_t near, here;             /* pages */
	uint32_t small_most, main_most;  /* pages; the ghost has as many as main */
	uint32_t head, mark, tail, room; /* of the small queue and the ghost */
	uint32_t ghosts, stale;          /* in the ghost; and not any more */
	uint32_t main_head, main_n;      /* a ring of `near` entries */
	struct tide_vec queue, main;     /* uint32_t */
};

struct s3fifo {
	struct td_mrc_lanes lanes; /* must be first */
	struct tide_vec pages;
	size_t page_bytes;
	unsigned cap, promote, planes;
	struct lane lane[TD_MRC_LANES];
};

static int create(void *self, const void *config, struct tide_error *err)
{
	const struct td_mrc_lanes_config *c = config;
	struct s3fifo *s = self;
	int rc = td_mrc_lanes_init(&s->lanes, config, err);
	s->cap = (unsigned)c->values[1].i;
	s->promote = (unsigned)c->values[2].i;
	s->planes = 32 - (unsigned)__builtin_clz(s->cap);
	s->page_bytes = s->planes > PLANES ? 128 : 64;
	tide_vec_init(&s->pages, s->page_bytes);
	for (unsigned i = 0; i < s->lanes.counts.n; i++) {
		struct lane *l = &s->lane[i];
		uint64_t small = s->lanes.near[i] * (uint64_t)c->values[0].i / 100;
		l->near = s->lanes.near[i];
		l->small_most = small ? (uint32_t)small : 1;
		l->main_most = l->near - l->small_most;
		tide_vec_init(&l->queue, sizeof(uint32_t));
		tide_vec_init(&l->main, sizeof(uint32_t));
	}
	return rc;
}

static void destroy(void *self)
{
	struct s3fifo *s = self;
	td_mrc_lanes_free(&s->lanes);
	tide_vec_free(&s->pages);
	for (unsigned i = 0; i < s->lanes.counts.n; i++) {
		tide_vec_free(&s->lane[i].queue);
		tide_vec_free(&s->lane[i].main);
	}
}

static inline struct page *page_at(const struct s3fifo *s, uint32_t i)
{
	return (struct page *)(void *)(s->pages.at + i * s->page_bytes);
}

static inline uint32_t *queue_of(const struct lane *l)
{
	return (uint32_t *)(void *)l->queue.at;
}

static inline uint32_t *main_of(const struct lane *l)
{
	return (uint32_t *)(void *)l->main.at;
}

/* A hole is no page, but asking for memory is harmless. */
static inline void ask(const struct s3fifo *s, uint32_t page)
{
	__builtin_prefetch(page_at(s, page), 1);
}

/* ---- uses ---- */

/* One more in these lanes, where it is below the cap. */
static inline void use(const struct s3fifo *s, struct page *p, uint64_t lanes)
{
	uint64_t full = UINT64_MAX;
	for (unsigned i = 0; i < s->planes; i++)
		full &= s->cap >> i & 1 ? p->uses[i] : ~p->uses[i];
	uint64_t carry = lanes & ~full;
	for (unsigned i = 0; i < s->planes; i++) {
		uint64_t next = p->uses[i] & carry;
		p->uses[i] ^= carry;
		carry = next;
	}
}

static inline void keep_uses(const struct s3fifo *s, struct page *p, uint64_t lanes)
{
	for (unsigned i = 0; i < s->planes; i++)
		p->uses[i] &= lanes;
}

static inline unsigned uses_of(const struct s3fifo *s, const struct page *p, unsigned lane)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < s->planes; i++)
		sum |= (unsigned)(p->uses[i] >> lane & 1) << i;
	return sum;
}

/* One less. There was one. */
static inline void use_up(struct page *p, uint64_t bit)
{
	for (unsigned i = 0;; i++) {
		p->uses[i] ^= bit;
		if (!(p->uses[i] & bit))
			return;
	}
}

/* ---- stale entries ---- */

static inline bool has_stale(const struct page *p, uint64_t bit)
{
	return (p->stale[0] | p->stale[1]) & bit;
}

/* There is one, and then one less. */
static inline void drop_one(struct page *p, uint64_t bit)
{
	p->stale[1] ^= ~p->stale[0] & bit;
	p->stale[0] ^= bit;
}

/* There are less than three, and then one more. */
static inline void add_one(struct page *p, uint64_t bit)
{
	p->stale[1] ^= p->stale[0] & bit;
	p->stale[0] ^= bit;
}

/* ---- queues ---- */

static inline uint32_t main_place(const struct lane *l, uint32_t i)
{
	uint64_t at = (uint64_t)l->main_head + i;
	return (uint32_t)(at < l->near ? at : at - l->near);
}

static inline void main_push(struct lane *l, uint32_t page)
{
	main_of(l)[main_place(l, l->main_n++)] = page;
}

static inline uint32_t main_pop(const struct s3fifo *s, struct lane *l)
{
	const uint32_t *main = main_of(l);
	uint32_t page = main[l->main_head];
	ask(s, main[main_place(l, AHEAD < l->main_n ? AHEAD : 0)]);
	__builtin_prefetch(&main[main_place(l, FAR < l->main_n ? FAR : 0)]);
	l->main_head = main_place(l, 1);
	l->main_n--;
	return page;
}

/* Moves the entries of the ghost that count up to the mark. */
static void drop_stale(const struct s3fifo *s, struct lane *l, uint64_t bit)
{
	uint32_t *queue = queue_of(l), to = l->mark;
	uint32_t from = l->head;
	/* Of the entries of a page, the newest may count, so the oldest ones go. */
	for (uint32_t i = from; i < l->mark; i++) {
		if (queue[i] == HOLE || !has_stale(page_at(s, queue[i]), bit))
			continue;
		drop_one(page_at(s, queue[i]), bit);
		queue[i] = HOLE;
	}
	for (uint32_t i = l->mark; i-- > from;) {
		if (queue[i] != HOLE)
			queue[--to] = queue[i];
	}
	l->head = to;
	l->stale = 0;
}

/* The oldest ghosts are forgotten. */
static inline void trim(const struct s3fifo *s, struct lane *l, uint64_t bit)
{
	const uint32_t *queue = queue_of(l);
	while (l->ghosts > l->main_most) {
		uint32_t page = queue[l->head];
		__builtin_prefetch(&queue[l->head + FAR]);
		ask(s, queue[l->head++ + AHEAD]);
		if (page == HOLE)
			continue;
		struct page *p = page_at(s, page);
		if (has_stale(p, bit)) {
			drop_one(p, bit);
			l->stale--;
			continue;
		}
		p->main_or_ghost &= ~bit;
		l->ghosts--;
	}
}

/* ---- victims: lanes are full here, so there always is one ---- */

static inline void evict_from_main(const struct s3fifo *s, struct lane *l, unsigned lane)
{
	const uint64_t bit = TD_MRC_LANE_BIT(lane);
	for (;;) {
		uint32_t page = main_pop(s, l);
		struct page *p = page_at(s, page);
		if (!uses_of(s, p, lane)) {
			p->here &= ~bit;
			p->main_or_ghost &= ~bit;
			return;
		}
		use_up(p, bit);
		main_push(l, page);
	}
}

/* Before the small queue is empty, the main queue is too long. */
static inline void evict_from_small(const struct s3fifo *s, struct lane *l, unsigned lane)
{
	const uint64_t bit = TD_MRC_LANE_BIT(lane);
	uint32_t *queue = queue_of(l);
	for (;;) {
		uint32_t page = queue[l->mark];
		struct page *p = page_at(s, page);
		__builtin_prefetch(&queue[l->mark + FAR]);
		ask(s, queue[l->mark + AHEAD]);
		p->main_or_ghost |= bit;
		if (uses_of(s, p, lane) < s->promote) {
			p->here &= ~bit;
			l->mark++;
			l->ghosts++;
			trim(s, l, bit);
			return;
		}
		queue[l->mark++] = HOLE;
		keep_uses(s, p, ~bit);
		main_push(l, page);
		if (l->main_n > l->main_most) {
			evict_from_main(s, l, lane);
			return;
		}
	}
}

static inline void evict(const struct s3fifo *s, struct lane *l, unsigned lane)
{
	if (l->tail - l->mark >= l->small_most)
		evict_from_small(s, l, lane);
	else
		evict_from_main(s, l, lane);
}

/* ---- accesses ---- */

static inline void bring(struct s3fifo *s, unsigned lane, uint32_t page, const struct page *p)
{
	struct lane *l = &s->lane[lane];
	const uint64_t bit = TD_MRC_LANE_BIT(lane);
	if (__builtin_expect(l->here < l->near, 0))
		l->here++;
	else
		evict(s, l, lane);
	if (!(p->main_or_ghost & bit)) {
		queue_of(l)[l->tail++] = page;
		return;
	}
	if (p->stale[0] & p->stale[1] & bit)
		drop_stale(s, l, bit);
	add_one(page_at(s, page), bit);
	l->stale++;
	l->ghosts--;
	main_push(l, page);
}

static inline void expect(void *self, uint32_t page)
{
	ask(self, page);
}

/* A page of the ghost comes to the main queue, so its bit there stays. */
static inline uint64_t touch(void *self, uint32_t page)
{
	struct s3fifo *s = self;
	struct page *p = page_at(s, page);
	uint64_t hits = p->here, missed = s->lanes.counts.all & ~hits;
	use(s, p, hits);
	if (!missed)
		return 0;
	keep_uses(s, p, hits);
	for (uint64_t left = missed; left;) {
		unsigned lane = td_mrc_lane_next(&left);
		s->lanes.counts.misses[lane]++;
		bring(s, lane, page, p);
	}
	p->here = s->lanes.counts.all;
	return missed;
}

/* Removes the holes. */
static void close_up(struct lane *l)
{
	uint32_t *queue = queue_of(l), to = 0;
	for (uint32_t i = l->head; i < l->mark; i++) {
		if (queue[i] != HOLE)
			queue[to++] = queue[i];
	}
	memmove(queue + to, queue + l->mark, (l->tail - l->mark) * sizeof *queue);
	l->tail = to + l->tail - l->mark;
	l->mark = to;
	l->head = 0;
}

/* Room for what a batch may bring. */
static int reserve_queue(const struct s3fifo *s, struct lane *l, uint64_t bit)
{
	if (l->tail + TIDE_BATCH + AHEAD <= l->room)
		return 0;
	if (l->stale > l->ghosts + TIDE_BATCH)
		drop_stale(s, l, bit);
	if (l->tail)
		close_up(l);
	uint64_t room = l->tail + (uint64_t)l->tail / 4 + 2 * TIDE_BATCH;
	if (room <= l->room)
		return 0;
	if (room > UINT32_MAX || tide_vec_reserve(&l->queue, room))
		return -ENOMEM;
	l->room = (uint32_t)room;
	return 0;
}

static int reserve(struct s3fifo *s)
{
	uint64_t pages = s->lanes.numbers.map.n;
	int rc = tide_vec_reserve(&s->pages, pages);
	for (unsigned i = 0; i < s->lanes.counts.n && !rc; i++) {
		struct lane *l = &s->lane[i];
		rc = reserve_queue(s, l, TD_MRC_LANE_BIT(i));
		/* A lane that holds all pages has nothing in its main queue. */
		if (!rc && l->near < pages)
			rc = tide_vec_reserve(&l->main, l->near);
	}
	return rc;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct s3fifo *s = self;
	int rc = td_mrc_number(&s->lanes.numbers, accesses, err);
	if (rc)
		return rc;
	if (reserve(s))
		return td_mrc_no_memory(err);
	td_mrc_lanes_go(&s->lanes, accesses, expect, touch);
	return 0;
}

const struct td_mrc_method td_mrc_s3fifo = {
	.policy = "s3fifo",
	.groups = true,
	.bytes = sizeof(struct s3fifo),
	.create = create,
	.see = see,
	.answer = td_mrc_lanes_answer,
	.pages = td_mrc_lanes_pages,
	.destroy = destroy,
};
