/* LRU over prefixes, leaves first, as the caches of serving systems have it (SGLang's
 * RadixAttention, NeurIPS 2024; vLLM's prefix caching). A block of a prompt is of use only if all
 * blocks before it are there. So the blocks are a tree, and a block does not leave while a child of
 * it is resident. Among the leaves, the least recently used one leaves.
 *
 * The parent of a block is the block that its group accessed just before it, the last time that it
 * was accessed. The first block of a group has no parent. Without groups all blocks are leaves, and
 * this is lru. If every block has a resident child, because parents go round in a circle, the least
 * recently used block leaves. Serving systems also lock the blocks of requests that run; a trace
 * does not say how long they run. */
#include "heap.h"

struct block {
	struct heap_node node; /* of the resident leaves, by last use */
	struct tide_link link; /* of all resident blocks, by last use */
	uint64_t last;         /* 0: not resident */
	uint32_t parent_plus_1;
	uint32_t children; /* resident ones */
};

struct prefix_lru {
	const struct tide_view *view;
	struct heap leaves;
	struct tide_list recent; /* the head is the least recently used */
	uint32_t previous_plus_1;
};

static struct block *block(const struct prefix_lru *s, uint32_t i)
{
	return tide_slot(s->view, struct block, (tide_chunk){i});
}

static struct tide_links links(const struct prefix_lru *s)
{
	return (struct tide_links){s->view->slots + offsetof(struct block, link),
				   sizeof(struct block)};
}

static bool before(const void *self, uint32_t a, uint32_t b)
{
	const struct prefix_lru *s = self;
	if (block(s, a)->last != block(s, b)->last)
		return block(s, a)->last < block(s, b)->last;
	return heap_lower_number(s->view, a, b);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct prefix_lru *s = self;
	(void)values, (void)err;
	s->view = view;
	s->leaves = (struct heap){view, sizeof(struct block), 0, before, s};
	tide_list_init(&s->recent);
	return 0;
}

/* ---- the tree ---- */

/* The parent of a resident block is no leaf. */
static void join_parent(struct prefix_lru *s, const struct block *child)
{
	if (!child->parent_plus_1)
		return;
	uint32_t parent = child->parent_plus_1 - 1;
	if (!block(s, parent)->children++ && block(s, parent)->last)
		heap_remove(&s->leaves, parent);
}

static void leave_parent(struct prefix_lru *s, const struct block *child)
{
	if (!child->parent_plus_1)
		return;
	uint32_t parent = child->parent_plus_1 - 1;
	if (!--block(s, parent)->children && block(s, parent)->last)
		heap_add(&s->leaves, parent);
}

/* A group is at this resident block. */
static void learn_parent(struct prefix_lru *s, uint32_t i)
{
	struct block *at = block(s, i);
	uint32_t parent_plus_1 = s->view->near->group_at ? s->previous_plus_1 : 0;
	s->previous_plus_1 = i + 1;
	if (parent_plus_1 == at->parent_plus_1 || parent_plus_1 == i + 1)
		return;
	leave_parent(s, at);
	at->parent_plus_1 = parent_plus_1;
	join_parent(s, at);
}

/* ---- events ---- */

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct prefix_lru *s = self;
	struct block *at = block(s, c.index);
	(void)pages;
	at->last = s->view->near->time;
	tide_list_push_tail(&s->recent, links(s), c.index);
	if (!at->children)
		heap_add(&s->leaves, c.index);
	join_parent(s, at);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct prefix_lru *s = self;
	(void)p, (void)ref;
	block(s, c.index)->last = s->view->near->time;
	tide_list_to_tail(&s->recent, links(s), c.index);
	if (heap_has(&s->leaves, c.index))
		heap_moved(&s->leaves, c.index);
	if (s->view->near->group_at != UINT64_MAX)
		learn_parent(s, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct prefix_lru *s = self;
	struct block *at = block(s, c.index);
	(void)what;
	if (heap_has(&s->leaves, c.index))
		heap_remove(&s->leaves, c.index);
	tide_list_remove(&s->recent, links(s), c.index);
	at->last = 0;
	leave_parent(s, at);
}

static tide_chunk pick_victim(void *self)
{
	struct prefix_lru *s = self;
	tide_chunk c = heap_first(&s->leaves, NULL);
	if (c.index != TIDE_NIL)
		return c;
	c.index = s->recent.head;
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = block(s, c.index)->link.next;
	return c;
}

const struct tide_policy td_policy_evict_prefix_lru = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "prefix-lru",
	.role = TIDE_EVICT,
	.summary = "least recently used leaf of the tree of prefixes; without groups, lru",
	.paper = "RadixAttention, NeurIPS 2024",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.state_bytes = sizeof(struct prefix_lru),
	.chunk_bytes = sizeof(struct block),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
