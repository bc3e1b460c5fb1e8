/* Least frequently used. Chunks with equal counts are in one bucket, in the order of last use. The
 * buckets are in the order of their counts:
 *
 *     lowest -> [count 1: c9 c4 c7] <-> [count 2: c1] <-> [count 9: c3 c2]
 *
 * Room for buckets is taken at the start. There are never more buckets than chunks that fit near
 * memory, nor more than different counts, and k different counts take k * k / 2 accesses. */
#include <errno.h>

#include "tide/list.h"
#include "tide/policy.h"
#include "tide/vec.h"

#define BUCKETS_MOST (1u << 24) /* enough for 10^14 accesses */

struct slot {
	struct tide_link link; /* in the bucket's list */
	uint32_t bucket;
};

struct bucket {
	struct tide_link order;
	struct tide_list members;
	uint32_t unused;
	uint64_t count;
};

struct lfu {
	const struct tide_view *view;
	struct tide_vec room;
	struct tide_list buckets; /* ascending */
	uint32_t free_bucket;     /* chained by order.next */
	uint32_t fresh;           /* from here on no bucket was ever used */
	tide_chunk newcomer;      /* came in by a fault, and is in no bucket until its access */
};

static struct slot *slot(const struct lfu *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static struct bucket *bucket(const struct lfu *s, uint32_t b)
{
	return &((struct bucket *)(void *)s->room.at)[b];
}

static struct tide_links links(const struct lfu *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static struct tide_links orders(const struct lfu *s)
{
	return (struct tide_links){s->room.at, sizeof(struct bucket)};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct lfu *s = self;
	uint64_t n = view->near->capacity_pages;
	(void)values;
	s->view = view;
	s->free_bucket = TIDE_NIL;
	s->newcomer = TIDE_NO_CHUNK;
	tide_list_init(&s->buckets);
	tide_vec_init(&s->room, sizeof(struct bucket));
	/* One for a chunk that just came in, and one while a chunk moves between buckets. */
	if (tide_vec_reserve(&s->room, (n < BUCKETS_MOST ? n : BUCKETS_MOST) + 2))
		return tide_fail(err, -ENOMEM, "out of memory for the counts of lfu");
	return 0;
}

static void destroy(void *self)
{
	struct lfu *s = self;
	tide_vec_free(&s->room);
}

static uint32_t open_bucket(struct lfu *s, uint64_t count, uint32_t prev, uint32_t next)
{
	uint32_t b = s->free_bucket;
	if (b != TIDE_NIL)
		s->free_bucket = bucket(s, b)->order.next;
	else
		b = s->fresh++;
	bucket(s, b)->count = count;
	tide_list_init(&bucket(s, b)->members);
	tide_list_between(&s->buckets, orders(s), b, prev, next);
	return b;
}

static void close_bucket(struct lfu *s, uint32_t b)
{
	tide_list_remove(&s->buckets, orders(s), b);
	bucket(s, b)->order.next = s->free_bucket;
	s->free_bucket = b;
}

static void enter(struct lfu *s, uint32_t b, uint32_t chunk)
{
	slot(s, chunk)->bucket = b;
	tide_list_push_tail(&bucket(s, b)->members, links(s), chunk);
}

static void leave(struct lfu *s, uint32_t chunk)
{
	uint32_t b = slot(s, chunk)->bucket;
	tide_list_remove(&bucket(s, b)->members, links(s), chunk);
	if (!bucket(s, b)->members.n)
		close_bucket(s, b);
}

/* Puts a chunk into the bucket of this count, which comes after prev. */
static void enter_count(struct lfu *s, uint32_t chunk, uint64_t count, uint32_t prev)
{
	uint32_t b = prev == TIDE_NIL ? s->buckets.head : bucket(s, prev)->order.next;
	if (b == TIDE_NIL || bucket(s, b)->count != count)
		b = open_bucket(s, count, prev, b);
	enter(s, b, chunk);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct lfu *s = self;
	if (!tide_came_in(s->view, c, pages))
		return;
	if (c.index == s->view->near->fault_chunk.index)
		s->newcomer = c;
	else
		enter_count(s, c.index, 0, TIDE_NIL);
}

static void first_access(struct lfu *s, uint32_t chunk)
{
	uint32_t lowest = s->buckets.head;
	bool unused = lowest != TIDE_NIL && !bucket(s, lowest)->count;
	s->newcomer = TIDE_NO_CHUNK;
	enter_count(s, chunk, 1, unused ? lowest : TIDE_NIL);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct lfu *s = self;
	(void)p, (void)ref;
	if (c.index == s->newcomer.index) {
		first_access(s, c.index);
		return;
	}
	uint32_t b = slot(s, c.index)->bucket;
	uint32_t next = bucket(s, b)->order.next;
	uint64_t count = bucket(s, b)->count + 1;
	bool next_fits = next != TIDE_NIL && bucket(s, next)->count == count;
	if (!next_fits && bucket(s, b)->members.n == 1) {
		bucket(s, b)->count = count; /* the chunk is alone: its bucket moves up */
		return;
	}
	if (!next_fits)
		next = open_bucket(s, count, b, next);
	leave(s, c.index);
	enter(s, next, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct lfu *s = self;
	(void)what;
	if (c.index == s->newcomer.index) {
		s->newcomer = TIDE_NO_CHUNK;
		return;
	}
	leave(s, c.index);
	if (s->buckets.n) {
		const struct tide_list *lowest = &bucket(s, s->buckets.head)->members;
		tide_list_expect(lowest, links(s));
		tide_expect(s->view, (tide_chunk){lowest->head});
	}
}

static void expect_access(void *self, tide_chunk c)
{
	const struct lfu *s = self;
	tide_links_expect(links(s), slot(s, c.index)->link);
}

static tide_chunk pick_victim(void *self)
{
	struct lfu *s = self;
	for (uint32_t b = s->buckets.head; b != TIDE_NIL; b = bucket(s, b)->order.next) {
		tide_chunk c = {bucket(s, b)->members.head};
		for (; c.index != TIDE_NIL; c.index = slot(s, c.index)->link.next) {
			if (tide_valid(s->view, c))
				return c;
		}
	}
	return TIDE_NO_CHUNK;
}

const struct tide_policy td_policy_evict_lfu = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "lfu",
	.role = TIDE_EVICT,
	.summary = "fewest accesses since it came in; ties to the least recently used",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct lfu),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.expect_access = expect_access,
};
