/* Chunks in the order in which they were last put at the newest end.
 *
 * A linked list would touch both neighbours of a chunk that moves, and a cache miss for each is
 * most of what a policy costs. This order is a log instead. A chunk that moves is written at the
 * end of the log once more, and its slot says which entry counts. The other entries of the chunk
 * are stale, and a walk from the oldest end drops them.
 *
 *     log    a b c a d b        slots   a: 4   b: 6   c: 3   d: 5
 *            - - ^ ^ ^ ^        a and b moved, so their first entries are stale
 *
 * A full log is packed: the entries that count move to its start. The log has room for about four
 * times the chunks that are in it, so a chunk is packed once in three moves, at most. Walks and
 * packing know long before which slots they will read, and prefetch them.
 *
 * The first member of each slot is a uint32_t, the place of the chunk in the log; 0: in no order. A
 * chunk may be in one of several orders (tide_order_init_one()). Their places differ, so an entry
 * of an order that the chunk has left is stale, too.
 *
 * A policy may divide an order by a mark, such as into ghosts and resident chunks: packing leaves
 * every entry on its side of the mark. */
#ifndef TIDE_ORDER_H
#define TIDE_ORDER_H

#include "list.h"
#include "policy.h"
#include "vec.h"

#define TIDE_ORDER_LEAST 1024 /* entries */
#define TIDE_ORDER_RESERVE (1u << 24)
#define TIDE_ORDER_AHEAD 16 /* entries whose slots are prefetched */
#define TIDE_ORDERS 8       /* that may share slots */

struct tide_order {
	struct tide_vec log; /* uint32_t: chunks; its first entry is not used */
	uint32_t head, tail; /* the entries are those from head on, before tail */
	uint32_t end;        /* the log is packed when tail gets there */
	uint32_t n;          /* chunks */
	uint32_t mark;       /* an entry, or the tail */
	uint32_t base;       /* the number of the log's first entry */
	uint32_t most;       /* entries */
};

/* An array whose elements are the log's entries by their numbers. */
static inline uint32_t *tide_order_log(const struct tide_order *o)
{
	return (uint32_t *)((uintptr_t)o->log.at - o->base * sizeof(uint32_t));
}

static inline uint32_t *tide_order_place(struct tide_links slots, uint32_t i)
{
	return (uint32_t *)(void *)(slots.base + (size_t)i * slots.stride);
}

static inline int tide_order_init_from(struct tide_order *o, uint64_t chunks, uint32_t base,
				       uint32_t most)
{
	uint64_t room = chunks < TIDE_ORDER_RESERVE / 4 ? chunks * 4 : TIDE_ORDER_RESERVE;
	*o = (struct tide_order){.head = base + 1,
				 .tail = base + 1,
				 .end = base + TIDE_ORDER_LEAST,
				 .mark = base + 1,
				 .base = base,
				 .most = most};
	tide_vec_init(&o->log, sizeof(uint32_t));
	room = room < TIDE_ORDER_LEAST ? TIDE_ORDER_LEAST : room;
	return tide_vec_reserve(&o->log, room + TIDE_ORDER_AHEAD);
}

/* 0, or -ENOMEM. Reserves what so many chunks need, within TIDE_ORDER_RESERVE; what is not needed
 * is never touched. Beyond that, the log grows when it is packed. */
static inline int tide_order_init(struct tide_order *o, uint64_t chunks)
{
	return tide_order_init_from(o, chunks, 0, UINT32_MAX);
}

/* The same for one of up to TIDE_ORDERS orders that share slots, each with a number of its own.
 * Such an order has room for 2^29 entries. */
static inline int tide_order_init_one(struct tide_order *o, uint64_t chunks, unsigned number)
{
	const uint32_t most = UINT32_MAX / TIDE_ORDERS;
	return tide_order_init_from(o, chunks, number * most, most);
}

static inline void tide_order_free(struct tide_order *o)
{
	tide_vec_free(&o->log);
}

/* Does this entry count? */
static inline bool tide_order_counts(const struct tide_order *o, struct tide_links slots,
				     uint32_t at)
{
	return *tide_order_place(slots, tide_order_log(o)[at]) == at;
}

/* If there is no memory, what is there serves as long as it can. */
static inline void tide_order_resize(struct tide_order *o)
{
	uint64_t want = UINT64_C(4) * o->n;
	want = want < TIDE_ORDER_LEAST ? TIDE_ORDER_LEAST : want;
	want = want < o->most ? want : o->most;
	tide_vec_reserve(&o->log, want + TIDE_ORDER_AHEAD);
	uint64_t room = o->log.mapped_bytes / sizeof(uint32_t) - TIDE_ORDER_AHEAD;
	o->end = o->base + (uint32_t)(want < room ? want : room);
}

/* Moves the entries that count to the start of the log. */
__attribute__((noinline)) static void tide_order_pack(struct tide_order *o, struct tide_links slots)
{
	uint32_t *log = tide_order_log(o), to = o->base + 1, mark = 0;
	for (uint32_t at = o->head; at < o->tail; at++) {
		__builtin_prefetch(tide_order_place(slots, log[at + TIDE_ORDER_AHEAD]), 1);
		if (at == o->mark)
			mark = to;
		if (!tide_order_counts(o, slots, at))
			continue;
		log[to] = log[at];
		*tide_order_place(slots, log[to]) = to;
		to++;
	}
	o->mark = mark ? mark : o->mark < o->tail ? o->base + 1 : to;
	o->head = o->base + 1;
	o->tail = to;
	tide_order_resize(o);
}

/* Puts i at the newest end, or moves it there. It may not be in another order. A chunk for which
 * there is no memory is in no order. */
static inline void tide_order_put(struct tide_order *o, struct tide_links slots, uint32_t i)
{
	uint32_t *place = tide_order_place(slots, i);
	if (*place && *place == o->tail - 1)
		return;
	if (__builtin_expect(o->tail == o->end, 0)) {
		tide_order_pack(o, slots);
		if (o->tail == o->end)
			return;
	}
	o->n += !*place;
	*place = o->tail;
	tide_order_log(o)[o->tail++] = i;
}

static inline void tide_order_remove(struct tide_order *o, struct tide_links slots, uint32_t i)
{
	o->n -= *tide_order_place(slots, i) != 0;
	*tide_order_place(slots, i) = 0;
}

/* The oldest valid chunk after an entry. */
__attribute__((noinline, cold)) static tide_chunk tide_order_after(const struct tide_order *o,
								   struct tide_links slots,
								   const struct tide_view *v,
								   uint32_t at)
{
	while (++at < o->tail) {
		tide_chunk c = {tide_order_log(o)[at]};
		if (tide_order_counts(o, slots, at) && tide_valid(v, c))
			return c;
	}
	return TIDE_NO_CHUNK;
}

/* The first entry from `at` on that counts, or the tail. */
static inline uint32_t tide_order_find(const struct tide_order *o, struct tide_links slots,
				       const struct tide_view *v, uint32_t at)
{
	const uint32_t *log = tide_order_log(o);
	const uint32_t tail = o->tail;
	for (; at < tail; at++) {
		/* The log goes on behind its end: looking there is harmless. */
		__builtin_prefetch(tide_order_place(slots, log[at + TIDE_ORDER_AHEAD]), 1);
		tide_expect(v, (tide_chunk){log[at + TIDE_ORDER_AHEAD / 2]});
		if (*tide_order_place(slots, log[at]) == at)
			break;
	}
	return at;
}

/* The oldest chunk, valid or not. Drops the stale entries before it. */
static inline tide_chunk tide_order_first(struct tide_order *o, struct tide_links slots,
					  const struct tide_view *v)
{
	uint32_t at = o->head = tide_order_find(o, slots, v, o->head);
	return at < o->tail ? (tide_chunk){tide_order_log(o)[at]} : TIDE_NO_CHUNK;
}

/* The oldest valid chunk. */
static inline tide_chunk tide_order_oldest(struct tide_order *o, struct tide_links slots,
					   const struct tide_view *v)
{
	tide_chunk c = tide_order_first(o, slots, v);
	if (__builtin_expect(c.index == TIDE_NIL || tide_valid(v, c), 1))
		return c;
	return tide_order_after(o, slots, v, o->head);
}

/* The oldest valid chunk from the mark on. The mark moves up to the oldest chunk there. */
static inline tide_chunk tide_order_marked(struct tide_order *o, struct tide_links slots,
					   const struct tide_view *v)
{
	uint32_t at = o->mark = tide_order_find(o, slots, v, o->mark);
	tide_chunk c = at < o->tail ? (tide_chunk){tide_order_log(o)[at]} : TIDE_NO_CHUNK;
	if (__builtin_expect(c.index == TIDE_NIL || tide_valid(v, c), 1))
		return c;
	return tide_order_after(o, slots, v, at);
}

/* The newest valid chunk. */
static inline tide_chunk tide_order_newest(struct tide_order *o, struct tide_links slots,
					   const struct tide_view *v)
{
	while (o->tail > o->head && !tide_order_counts(o, slots, o->tail - 1))
		o->tail--;
	for (uint32_t at = o->tail; at-- > o->head;) {
		tide_chunk c = {tide_order_log(o)[at]};
		if (tide_order_counts(o, slots, at) && tide_valid(v, c))
			return c;
	}
	return TIDE_NO_CHUNK;
}

#endif
