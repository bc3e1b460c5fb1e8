/* Doubly linked lists. The links live inside the items of an array that the caller owns.
 *
 *     base -> | link | ... | link | ... | link | ...      stride bytes apart
 *
 * The links are indices, not pointers. They take half the space, and the array may move when it
 * grows. TIDE_NIL marks the ends of a list.
 *
 * Keep lists that a condition chooses between in an array, and let the condition be the index. gcc
 * 12 takes the list of `c ? &s->a : &s->b` for neither member when it reasons by types. It then
 * moves the length of a list out of a loop that changes it. */
#ifndef TIDE_LIST_H
#define TIDE_LIST_H

#include <stddef.h>
#include <stdint.h>

#define TIDE_NIL UINT32_MAX

struct tide_link {
	uint32_t prev, next;
};

struct tide_links {
	unsigned char *base;
	size_t stride;
};

struct tide_list {
	uint32_t head, tail;
	uint32_t n;
};

static inline struct tide_link *tide_link_at(struct tide_links links, uint32_t i)
{
	return (struct tide_link *)(void *)(links.base + (size_t)i * links.stride);
}

static inline void tide_list_init(struct tide_list *l)
{
	*l = (struct tide_list){TIDE_NIL, TIDE_NIL, 0};
}

/* Puts i between two neighbours. Either of them may be TIDE_NIL: i is then at that end. */
static inline void tide_list_between(struct tide_list *l, struct tide_links links, uint32_t i,
				     uint32_t prev, uint32_t next)
{
	*tide_link_at(links, i) = (struct tide_link){prev, next};
	if (prev == TIDE_NIL)
		l->head = i;
	else
		tide_link_at(links, prev)->next = i;
	if (next == TIDE_NIL)
		l->tail = i;
	else
		tide_link_at(links, next)->prev = i;
	l->n++;
}

static inline void tide_list_push_tail(struct tide_list *l, struct tide_links links, uint32_t i)
{
	tide_list_between(l, links, i, l->tail, TIDE_NIL);
}

static inline void tide_list_push_head(struct tide_list *l, struct tide_links links, uint32_t i)
{
	tide_list_between(l, links, i, TIDE_NIL, l->head);
}

static inline void tide_list_remove(struct tide_list *l, struct tide_links links, uint32_t i)
{
	struct tide_link at = *tide_link_at(links, i);
	if (at.prev == TIDE_NIL)
		l->head = at.next;
	else
		tide_link_at(links, at.prev)->next = at.next;
	if (at.next == TIDE_NIL)
		l->tail = at.prev;
	else
		tide_link_at(links, at.next)->prev = at.prev;
	l->n--;
}

/* Call it after the head was removed. It prefetches the memory that removing the next head will
 * touch. */
__attribute__((always_inline)) static inline void tide_list_expect(const struct tide_list *l,
								   struct tide_links links)
{
	if (l->head != TIDE_NIL && tide_link_at(links, l->head)->next != TIDE_NIL)
		__builtin_prefetch(tide_link_at(links, tide_link_at(links, l->head)->next), 1);
}

/* Prefetches both neighbours of an entry, which moving it will touch. The link may be out of date.
 */
__attribute__((always_inline)) static inline void tide_links_expect(struct tide_links links,
								    struct tide_link at)
{
	uintptr_t base = (uintptr_t)links.base; /* an end of the list is no address of an entry */
	__builtin_prefetch((const void *)(base + at.prev * links.stride), 1);
	__builtin_prefetch((const void *)(base + at.next * links.stride), 1);
}

static inline void tide_list_to_tail(struct tide_list *l, struct tide_links links, uint32_t i)
{
	if (l->tail == i)
		return;
	tide_list_remove(l, links, i);
	tide_list_push_tail(l, links, i);
}

#endif
