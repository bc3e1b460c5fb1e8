/* leu's lists: who belongs to whom, oldest first.
 *
 * Every resident page is in the family of the ref that accessed it last. The family of a ref with
 * an entry hangs on that entry. One without is an orphan: all its pages have priority 0, so only
 * the oldest of all orphans matters. Orphans mostly come in order of age, and then stand in line;
 * the others are strewn over a tree. If a ref gets an entry again, a hash leads to its family.
 * Pages that were brought in ahead of their first access have no ref yet: they are strangers. */
#ifndef TIDE_EVICT_LEU_PAGES_H
#define TIDE_EVICT_LEU_PAGES_H

#include "leu_state.h"

static uint64_t last_access(const void *arg, uint32_t i)
{
	return last_of(page_at(arg, i));
}

static inline struct td_osview strewn_view(const struct leu *s)
{
	return (struct td_osview){
		{s->view->slots + offsetof(struct page, strewn), sizeof(struct page)},
		last_access,
		s,
	};
}

static inline struct td_links line_links(const struct leu *s)
{
	return (struct td_links){s->view->slots + offsetof(struct page, queued),
				 sizeof(struct page)};
}

/* ---- orphans ---- */

static inline uint32_t *bucket_of(const struct leu *s, uint64_t ref)
{
	return (uint32_t *)(void *)s->buckets.at + (tide_hash64(ref) & s->bucket_mask);
}

/* The head of a ref's orphaned family, or TD_NIL. Where every page is its own ref, there is nobody
 * but the page itself. */
static inline uint32_t find_orphan(const struct leu *s, uint64_t ref)
{
	if (s->by_page)
		return TD_NIL;
	uint32_t head = *bucket_of(s, ref);
	while (head && page_at(s, head - 1)->ref != ref)
		head = page_at(s, head - 1)->chain;
	return head - 1;
}

static inline void chain_orphan(struct leu *s, uint32_t head)
{
	uint32_t *bucket = bucket_of(s, page_at(s, head)->ref);
	page_at(s, head)->chain = *bucket;
	*bucket = head + 1;
}

static inline void unchain_orphan(struct leu *s, uint32_t head)
{
	uint32_t *link = bucket_of(s, page_at(s, head)->ref);
	while (*link != head + 1)
		link = &page_at(s, *link - 1)->chain;
	*link = page_at(s, head)->chain;
}

static inline void add_orphan(struct leu *s, uint32_t head)
{
	struct page *at = page_at(s, head);
	struct td_osview strewn = strewn_view(s);
	at->chain = 0;
	if (s->line.n == 0 || last_of(page_at(s, s->line.tail)) < last_of(at)) {
		set_flag(at, IN_LINE);
		td_list_push_tail(&s->line, line_links(s), head);
	} else {
		clear_flag(at, IN_LINE);
		td_ostree_add(&s->strewn, &strewn, head);
	}
	if (!s->by_page)
		chain_orphan(s, head);
}

static inline void remove_orphan(struct leu *s, uint32_t head)
{
	struct td_osview strewn = strewn_view(s);
	if (page_at(s, head)->stamp & IN_LINE)
		td_list_remove(&s->line, line_links(s), head);
	else
		td_ostree_remove(&s->strewn, &strewn, head);
	if (!s->by_page)
		unchain_orphan(s, head);
}

/* The page of an orphaned family that was accessed longest ago, or TD_NIL. */
static inline uint32_t oldest_orphan(const struct leu *s)
{
	struct td_osview view = strewn_view(s);
	uint32_t strewn = td_ostree_select(&s->strewn, &view, 0);
	if (strewn == TD_NIL || s->line.n == 0)
		return strewn == TD_NIL ? s->line.head : strewn;
	return last_of(page_at(s, strewn)) < last_of(page_at(s, s->line.head)) ? strewn
									       : s->line.head;
}

/* ---- families ---- */

/* Makes a page the head of a family that hangs on an entry, or of the strangers. */
static inline void set_owner(struct leu *s, uint32_t head, uint32_t owner)
{
	page_at(s, head)->chain = NOT_ORPHAN;
	page_at(s, head)->owner = owner;
}

static inline void replace_orphan(struct leu *s, uint32_t old, uint32_t new)
{
	remove_orphan(s, old);
	if (new != TD_NIL)
		add_orphan(s, new);
}

/* The family whose head was `old` has the head `new`, or nobody any more (TD_NIL). */
static inline void replace_head(struct leu *s, uint32_t old, uint32_t new)
{
	uint32_t owner = page_at(s, old)->owner;
	bool orphan = page_at(s, old)->chain != NOT_ORPHAN;
	clear_flag(page_at(s, old), HEAD);
	if (new != TD_NIL)
		set_flag(page_at(s, new), HEAD);
	if (orphan) {
		replace_orphan(s, old, new);
		return;
	}
	if (new != TD_NIL)
		set_owner(s, new, owner);
	*(owner == STRANGER ? &s->strangers : &family_at(s, owner)->head) = new + 1;
}

/* Takes a page out of its family. */
static inline void unlist(struct leu *s, uint32_t i)
{
	struct page *at = page_at(s, i);
	if (at->stamp & HEAD)
		replace_head(s, i, at->next != i ? at->next : TD_NIL);
	page_at(s, at->prev)->next = at->next;
	page_at(s, at->next)->prev = at->prev;
	clear_flag(at, LISTED);
}

/* Puts a page at the young end of the family of `head`; TD_NIL: it is the first. */
static inline void list_after(struct leu *s, uint32_t i, uint32_t head)
{
	struct page *at = page_at(s, i);
	if (head == TD_NIL) {
		set_flag(at, LISTED | HEAD);
		at->prev = at->next = i;
		return;
	}
	set_flag(at, LISTED);
	at->next = head;
	at->prev = page_at(s, head)->prev;
	page_at(s, at->prev)->next = i;
	page_at(s, head)->prev = i;
}

static inline void list_stranger(struct leu *s, uint32_t i)
{
	list_after(s, i, s->strangers - 1);
	if (!s->strangers) {
		s->strangers = i + 1;
		set_owner(s, i, STRANGER);
	}
}

/* Puts a page, its ref set, into the family of entry e, or TD_NIL: among the orphans. */
static inline void list_page(struct leu *s, uint32_t i, uint32_t e)
{
	uint32_t head =
		e != TD_NIL ? family_at(s, e)->head - 1 : find_orphan(s, page_at(s, i)->ref);
	list_after(s, i, head);
	if (e != TD_NIL && head == TD_NIL) {
		family_at(s, e)->head = i + 1;
		set_owner(s, i, e);
	} else if (head == TD_NIL) {
		add_orphan(s, i);
	}
}

/* The family of an entry that is now another ref's becomes an orphan, and that of the new ref, if
 * it was one, ceases to be. */
static inline void change_family(struct leu *s, uint32_t e, uint64_t ref)
{
	struct family *f = family_at(s, e);
	uint32_t orphan = find_orphan(s, ref);
	if (f->head)
		add_orphan(s, f->head - 1);
	f->head = orphan + 1;
	if (orphan != TD_NIL) {
		remove_orphan(s, orphan);
		set_owner(s, orphan, e);
	}
}

#endif
