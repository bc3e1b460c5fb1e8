/* The queue of main memory: which of its blocks leave, and when. What holds blocks in main memory
 * says so here, and nothing else of this room knows how they are ordered. All under the lock.
 *
 *   enter      a block is in main memory
 *   used       a page was accessed
 *   leave      a block is gone for another reason than the queue's choice
 *   over       must some leave?
 *   victims    takes those that leave; a pinned block cannot
 *   put_back   a victim that could not go after all is where it was
 *
 * queue_lru.c is the queue of the paper. queue_policy.c has an engine, whose policies choose. */
#ifndef TD_POOL_QUEUE_H
#define TD_POOL_QUEUE_H

#include "engine/engine.h"
#include "inside.h"

void td_queue_init(struct td_pool *p);
/* Takes at most so many blocks out of the queue, frozen, and lists them. */
size_t td_queue_victims(struct td_pool *p, uint32_t *victims, size_t most);
/* Likely the next victim, for hints; TIDE_NIL: none. */
uint32_t td_queue_next(const struct td_pool *p);

/* Of a pool with a policy or a record. */
void td_queue_note_used(struct td_pool *p, uint64_t page, bool write);
/* What a page held is gone. knows: before that, is there anything to forget? */
bool td_queue_knows(struct td_pool *p, uint64_t page);
void td_queue_forget(struct td_pool *p, uint64_t page);

static inline void td_queue_touch(struct td_pool *p, uint32_t b)
{
	tide_list_to_tail(&p->main, td_pool_links(p), b);
}

static inline void td_queue_touch_page(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		td_queue_touch(p, td_pool_resolve(p, page * p->degree + i));
}

/* What the policy has not heard of is the first to leave: an access follows. */
static inline void td_queue_enter(struct td_pool *p, uint32_t b)
{
	if (__builtin_expect(p->engine != NULL, 0))
		tide_list_push_head(&p->main, td_pool_links(p), b);
	else
		tide_list_push_tail(&p->main, td_pool_links(p), b);
}

static inline void td_queue_leave(struct td_pool *p, uint32_t b)
{
	tide_list_remove(&p->main, td_pool_links(p), b);
}

static inline void td_queue_put_back(struct td_pool *p, uint32_t b)
{
	tide_list_push_head(&p->main, td_pool_links(p), b);
}

/* The page, which is in main memory, was accessed. */
static inline void td_queue_used(struct td_pool *p, uint64_t page, bool write)
{
	if (__builtin_expect(p->noted != NULL, 0)) {
		td_queue_note_used(p, page, write);
		return;
	}
	td_queue_touch_page(p, page);
}

static inline uint32_t td_queue_count(const struct td_pool *p)
{
	return p->main.n;
}

/* Blocks of pages that the policy has evicted, or has not heard of yet. */
static inline uint64_t td_policy_leaving(const struct td_pool *p)
{
	return p->main.n - p->engine->near.resident_chunks;
}

static inline bool td_queue_over(const struct td_pool *p)
{
	return p->engine ? td_policy_leaving(p) != 0 : p->main.n > p->main_max;
}

void td_policy_enter_device(struct td_pool *p, uint32_t b);

/* A block is on the device, or still is. */
static inline void td_queue_enter_device(struct td_pool *p, uint32_t b)
{
	if (__builtin_expect(p->engine != NULL, 0))
		td_policy_enter_device(p, b);
	else
		tide_list_push_tail(&p->device, td_pool_links(p), b);
}

void td_policy_lose(struct td_pool *p, uint32_t b);

/* A block leaves memory. */
static inline void td_queue_lose(struct td_pool *p, uint32_t b)
{
	if (__builtin_expect(p->engine != NULL, 0))
		td_policy_lose(p, b);
}

/* queue_policy.c. The engine has a page in tier 1, main memory; 2, the device; or 3, the file. */
int td_policy_open(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err);
int td_policy_finish(struct td_pool *p, struct tide_error *err); /* did policies behave? */
void td_policy_discard(struct td_pool *p);
void td_policy_used(struct td_pool *p, uint64_t page, bool write);
size_t td_policy_victims(struct td_pool *p, uint32_t *victims, size_t most);
/* Lists what leaves for the file: of the device, and of the victims from `*first` on. */
size_t td_policy_outs(struct td_pool *p, struct td_pool_work *w, size_t *first);
void td_policy_count(struct td_pool *p, struct tide_counts *counts);
const char *td_policy_wrong(struct td_pool *p); /* NULL: queues and engine agree */

/* policy_watch.c: says what policy does not return, and ends the program. */
int td_policy_watch(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err);
void td_policy_unwatch(struct td_pool *p);

#endif
