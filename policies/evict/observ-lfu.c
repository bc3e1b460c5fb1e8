/* Least frequently used, as far as the policy can see uses: a fault or a notice is one use. A chunk
 * keeps its frequency when it leaves, so it may come back into any bin:
 *
 *     bin 1: c9 c4 c7     bin 2: c1     bin 9: c3 c2       each in the order of last use
 *
 * The bins are the nodes of a tree ordered by frequency. Room for bins is taken at the start. There
 * are never more bins than chunks that fit near memory, and k different frequencies take k * k / 2
 * uses. */
#include <errno.h>

#include "tide/ostree.h"
#include "tide/vec.h"
#include "watch.h"

#define BINS_MOST (1u << 24) /* enough for 10^14 uses */
#define BIN_MASK (UINT32_MAX >> 1)

/* The frequency of a resident chunk is that of its bin. */
struct slot {
	union {
		struct tide_link link; /* resident: in the bin's list */
		uint64_t frequency;    /* not resident; 0: never seen */
	} __attribute__((packed, aligned(4)));
	uint32_t bin : 31;
	uint32_t faulted : 1; /* before: the first fault is not a second use */
};

struct bin {
	struct tide_osnode node;
	struct watch chunks;
	uint32_t next_free; /* while it is not in use */
	uint64_t frequency;
};

struct observ_lfu {
	const struct tide_view *view;
	struct tide_vec room;
	struct tide_ostree bins;
	uint32_t free_bin; /* chained by next_free */
	uint32_t fresh;    /* from here on no bin was ever used */
};

static struct slot *slot(const struct observ_lfu *s, tide_chunk c)
{
	return tide_slot(s->view, struct slot, c);
}

static struct bin *bin(const struct observ_lfu *s, uint32_t b)
{
	return &((struct bin *)(void *)s->room.at)[b];
}

static struct tide_links links(const struct observ_lfu *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct slot)};
}

static uint64_t frequency_of(const void *s, uint32_t b)
{
	return bin(s, b)->frequency;
}

static struct tide_osview tree(const struct observ_lfu *s)
{
	struct tide_links nodes = {s->room.at, sizeof(struct bin)};
	return (struct tide_osview){nodes, frequency_of, s};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct observ_lfu *s = self;
	uint64_t n = view->near->capacity_pages;
	(void)values;
	s->view = view;
	s->free_bin = TIDE_NIL;
	tide_vec_init(&s->room, sizeof(struct bin));
	if (tide_vec_reserve(&s->room, n < BINS_MOST ? n : BINS_MOST))
		return tide_fail(err, -ENOMEM, "out of memory for the bins of observ-lfu");
	return 0;
}

static void destroy(void *self)
{
	struct observ_lfu *s = self;
	tide_vec_free(&s->room);
}

static uint32_t open_bin(struct observ_lfu *s, uint64_t frequency)
{
	struct tide_osview v = tree(s);
	uint32_t b = s->free_bin;
	if (b != TIDE_NIL)
		s->free_bin = bin(s, b)->next_free;
	else
		b = s->fresh++;
	bin(s, b)->frequency = frequency;
	watch_init(&bin(s, b)->chunks);
	tide_ostree_add(&s->bins, &v, b);
	return b;
}

static void close_bin(struct observ_lfu *s, uint32_t b)
{
	struct tide_osview v = tree(s);
	tide_ostree_remove(&s->bins, &v, b);
	bin(s, b)->next_free = s->free_bin;
	s->free_bin = b;
}

/* The bin of the chunk's frequency. Makes it if there is none. */
static uint32_t find_bin(struct observ_lfu *s, uint64_t frequency)
{
	struct tide_osview v = tree(s);
	uint32_t b = tide_ostree_select(&s->bins, &v, tide_ostree_rank(&s->bins, &v, frequency));
	return b != TIDE_NIL && bin(s, b)->frequency == frequency ? b : open_bin(s, frequency);
}

static void enter(struct observ_lfu *s, tide_chunk c)
{
	uint32_t b = find_bin(s, slot(s, c)->frequency);
	slot(s, c)->bin = b & BIN_MASK;
	watch_push_tail(&bin(s, b)->chunks, links(s), c.index);
}

static void leave(struct observ_lfu *s, tide_chunk c)
{
	uint32_t b = slot(s, c)->bin;
	watch_remove(&bin(s, b)->chunks, links(s), c.index);
	slot(s, c)->frequency = bin(s, b)->frequency;
	if (!bin(s, b)->chunks.list.n)
		close_bin(s, b);
}

static void use(struct observ_lfu *s, tide_chunk c, uint64_t more)
{
	leave(s, c);
	slot(s, c)->frequency += more;
	enter(s, c);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct observ_lfu *s = self;
	struct slot *at = slot(s, c);
	(void)p;
	if (tide_resident(s->view, c))
		use(s, c, at->faulted);
	else
		at->frequency += at->faulted || !at->frequency;
	at->faulted = true;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct observ_lfu *s = self;
	if (!tide_came_in(s->view, c, pages))
		return;
	if (!slot(s, c)->frequency)
		slot(s, c)->frequency = 1;
	enter(s, c);
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	(void)p;
	if (purpose != TIDE_REMOTE)
		use(self, c, 1);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	leave(self, c);
}

static tide_chunk pick_victim(void *self)
{
	struct observ_lfu *s = self;
	struct tide_osview v = tree(s);
	tide_chunk c = TIDE_NO_CHUNK;
	uint32_t b;
	for (uint64_t k = 0; (b = tide_ostree_select(&s->bins, &v, k)) != TIDE_NIL; k++) {
		c = list_valid_from(s->view, links(s), bin(s, b)->chunks.list.head);
		if (c.index != TIDE_NIL)
			break;
	}
	return c;
}

static tide_chunk pick_observed(void *self)
{
	struct observ_lfu *s = self;
	struct tide_osview v = tree(s);
	tide_chunk c = TIDE_NO_CHUNK;
	uint32_t b;
	for (uint64_t k = 0; (b = tide_ostree_select(&s->bins, &v, k)) != TIDE_NIL; k++) {
		c = watch_first(&bin(s, b)->chunks, links(s), s->view);
		if (c.index != TIDE_NIL)
			break;
	}
	return c;
}

static const struct tide_param params[] = {
	TIDE_OBSERVE_PARAMS,
	{0},
};

const struct tide_policy td_policy_evict_observ_lfu = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "observ-lfu",
	.role = TIDE_EVICT,
	.summary = "least frequently used, by faults and observed chunks",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.needs_with = watch_needs_with,
	.params = params,
	.state_bytes = sizeof(struct observ_lfu),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.destroy = destroy,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.pick_observed = pick_observed,
};
