/* What mhpe and hpe share: the chunk chain, cut by age into three partitions, and the
 * wrong-eviction buffer. It holds the chunks evicted last. A fault on one of them shows that its
 * eviction was wrong.
 *
 *     head  [ old .......... ] [ middle .... ] [ new .... ]  tail
 *                  old_end ^     middle_end ^
 *
 * New chunks entered or faulted in the present interval, middle chunks in the one before. A chunk
 * goes to the tail or, if it is to count as old, to the head. So each partition is a run of the
 * chain, and the end of an interval only moves the two borders. */
#ifndef TIDE_EVICT_INTERVALS_H
#define TIDE_EVICT_INTERVALS_H

#include "tide/list.h"
#include "tide/policy.h"

/* The slot of a policy that uses this file begins with this. A chunk can be in both lists: a
 * prefetch brought it back, and only faults look in the buffer. If a chunk is not in the buffer,
 * both its links are 0, as at first. No chunk in a list has the same neighbour on both sides. */
struct entry {
	struct tide_link chain, buffer;
};

struct intervals {
	const struct tide_view *view;
	size_t slot_bytes;
	struct tide_list chain;
	uint32_t old_end, middle_end; /* the last old entry; the last old or middle entry */
	struct tide_list buffer;      /* the head is the oldest */
	uint32_t buffer_room;         /* 0 until memory is full */
	uint64_t length_pages, pages; /* pages of an interval; pages migrated in this interval */
	uint64_t wrong;               /* evictions found wrong in this interval */
	uint32_t chain_most, buffer_most;
};

#define INTERVAL_PARAM \
	{ \
		"interval", TIDE_PARAM_INT, "64", 1, 1e9, "migrated pages per interval" \
	}

static inline void intervals_init(struct intervals *s, const struct tide_view *view,
				  size_t slot_bytes, int64_t length_pages)
{
	s->view = view;
	s->slot_bytes = slot_bytes;
	s->length_pages = (uint64_t)length_pages;
	s->old_end = s->middle_end = TIDE_NIL;
	tide_list_init(&s->chain);
	tide_list_init(&s->buffer);
}

static inline struct entry *entry_of(const struct intervals *s, uint32_t i)
{
	return (struct entry *)(void *)(s->view->slots + (size_t)i * s->slot_bytes);
}

static inline struct tide_links chain_links(const struct intervals *s)
{
	return (struct tide_links){s->view->slots, s->slot_bytes};
}

static inline struct tide_links buffer_links(const struct intervals *s)
{
	return (struct tide_links){s->view->slots + offsetof(struct entry, buffer), s->slot_bytes};
}

static inline void note_most(uint32_t *most, uint32_t n)
{
	if (n > *most)
		*most = n;
}

/* ---- the chain ---- */

static inline void intervals_to_tail(struct intervals *s, uint32_t i)
{
	tide_list_push_tail(&s->chain, chain_links(s), i);
	note_most(&s->chain_most, s->chain.n);
}

static inline void intervals_to_head(struct intervals *s, uint32_t i)
{
	tide_list_push_head(&s->chain, chain_links(s), i);
	note_most(&s->chain_most, s->chain.n);
	if (s->old_end == TIDE_NIL)
		s->old_end = i;
	if (s->middle_end == TIDE_NIL)
		s->middle_end = i;
}

static inline void intervals_take_out(struct intervals *s, uint32_t i)
{
	uint32_t before = entry_of(s, i)->chain.prev;
	if (s->old_end == i)
		s->old_end = before;
	if (s->middle_end == i)
		s->middle_end = before;
	tide_list_remove(&s->chain, chain_links(s), i);
}

/* Counts the pages that came in, after the chunk has its place. Did that end an interval? */
static inline bool intervals_count(struct intervals *s, uint64_t pages)
{
	s->pages += (uint64_t)__builtin_popcountll(pages);
	if (s->pages < s->length_pages)
		return false;
	s->pages = 0;
	s->old_end = s->middle_end;
	s->middle_end = s->chain.tail;
	return true;
}

/* ---- victims ---- */

static inline bool intervals_valid(const struct intervals *s, uint32_t i)
{
	return tide_valid(s->view, (tide_chunk){i});
}

/* The oldest valid chunk of all. */
static inline uint32_t intervals_oldest(const struct intervals *s)
{
	uint32_t i = s->chain.head;
	while (i != TIDE_NIL && !intervals_valid(s, i))
		i = entry_of(s, i)->chain.next;
	return i;
}

/* Skips that many valid chunks from the newest end of old, and gives the next valid one. If there
 * are not so many, gives the oldest valid one. TIDE_NIL: no old chunk is valid. */
static inline uint32_t intervals_skip(const struct intervals *s, uint64_t skip)
{
	uint32_t found = TIDE_NIL;
	for (uint32_t i = s->old_end; i != TIDE_NIL; i = entry_of(s, i)->chain.prev) {
		if (!intervals_valid(s, i))
			continue;
		found = i;
		if (!skip--)
			break;
	}
	return found;
}

/* ---- the buffer ---- */

/* For on_full. The length of the chain sets the buffer's size, and the count of pages starts
 * anew. */
static inline void intervals_full(struct intervals *s)
{
	uint32_t room = s->chain.n / 64 * 8;
	s->buffer_room = room < 8 ? 8 : room;
	s->pages = 0;
}

static inline bool is_buffered(const struct intervals *s, uint32_t i)
{
	struct tide_link at = entry_of(s, i)->buffer;
	return at.prev | at.next;
}

static inline void buffer_take_out(struct intervals *s, uint32_t i)
{
	tide_list_remove(&s->buffer, buffer_links(s), i);
	entry_of(s, i)->buffer = (struct tide_link){0, 0};
}

/* For on_fault: was the chunk evicted wrongly? */
static inline bool intervals_wrong(struct intervals *s, uint32_t i)
{
	if (!is_buffered(s, i))
		return false;
	buffer_take_out(s, i);
	s->wrong++;
	return true;
}

static inline void intervals_evicted(struct intervals *s, uint32_t i)
{
	intervals_take_out(s, i);
	if (!s->buffer_room) /* the program's advice evicted it before memory was full */
		return;
	if (is_buffered(s, i))
		buffer_take_out(s, i);
	else if (s->buffer.n == s->buffer_room)
		buffer_take_out(s, s->buffer.head);
	tide_list_push_tail(&s->buffer, buffer_links(s), i);
	note_most(&s->buffer_most, s->buffer.n);
}

static inline uint64_t wrong_at_most_4(const struct intervals *s)
{
	return s->wrong < 4 ? s->wrong : 4;
}

static inline void intervals_report(const struct intervals *s, const struct tide_report *report)
{
	report->number(report->to, "chain_entries", s->chain_most);
	report->number(report->to, "buffer_entries", s->buffer_most);
}

#endif
