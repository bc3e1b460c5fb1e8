/* Doubly linked lists whose links live inside somebody else's array, by index.
 *
 *     base -> | link | ... | link | ... | link | ...      stride bytes apart
 *
 * Indices instead of pointers: half the size, and the array may move when it grows. Ends are
 * marked with TD_NIL. */
#ifndef TD_CORE_LIST_H
#define TD_CORE_LIST_H

#include <stddef.h>
#include <stdint.h>

#define TD_NIL UINT32_MAX

struct td_link {
	uint32_t prev, next;
};

struct td_links {
	unsigned char *base;
	size_t stride;
};

struct td_list {
	uint32_t head, tail;
	uint32_t n;
};

static inline struct td_link *td_link_at(struct td_links links, uint32_t i)
{
	return (struct td_link *)(void *)(links.base + (size_t)i * links.stride);
}

static inline void td_list_init(struct td_list *l)
{
	*l = (struct td_list){TD_NIL, TD_NIL, 0};
}

/* Puts i between two neighbours, either of which may be TD_NIL (an end). */
static inline void td_list_between(struct td_list *l, struct td_links links, uint32_t i,
				   uint32_t prev, uint32_t next)
{
	*td_link_at(links, i) = (struct td_link){prev, next};
	if (prev == TD_NIL)
		l->head = i;
	else
		td_link_at(links, prev)->next = i;
	if (next == TD_NIL)
		l->tail = i;
	else
		td_link_at(links, next)->prev = i;
	l->n++;
}

static inline void td_list_push_tail(struct td_list *l, struct td_links links, uint32_t i)
{
	td_list_between(l, links, i, l->tail, TD_NIL);
}

static inline void td_list_push_head(struct td_list *l, struct td_links links, uint32_t i)
{
	td_list_between(l, links, i, TD_NIL, l->head);
}

static inline void td_list_remove(struct td_list *l, struct td_links links, uint32_t i)
{
	struct td_link at = *td_link_at(links, i);
	if (at.prev == TD_NIL)
		l->head = at.next;
	else
		td_link_at(links, at.prev)->next = at.next;
	if (at.next == TD_NIL)
		l->tail = at.prev;
	else
		td_link_at(links, at.next)->prev = at.prev;
	l->n--;
}

/* After the head was taken: asks for the memory that taking the next one will touch. */
__attribute__((always_inline)) static inline void td_list_expect(const struct td_list *l,
								 struct td_links links)
{
	if (l->head != TD_NIL && td_link_at(links, l->head)->next != TD_NIL)
		__builtin_prefetch(td_link_at(links, td_link_at(links, l->head)->next), 1);
}

static inline void td_list_to_tail(struct td_list *l, struct td_links links, uint32_t i)
{
	if (l->tail == i)
		return;
	td_list_remove(l, links, i);
	td_list_push_tail(l, links, i);
}

#endif
