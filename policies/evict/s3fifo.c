/* S3-FIFO: three queues. New pages enter the small queue. Pages that were used more than once there
 * go on to the main queue, the others to the ghost. A page found in the ghost enters the main queue
 * at once. In the main queue, a page gets another round for each of its uses, of which up to three
 * count. Moving to the main queue clears the uses. */
#include "queues.h"

enum { SMALL = 1, MAIN, GHOST };

struct s3fifo {
	struct queues q;
	uint64_t small_pages, main_pages; /* the ghost is as long as main */
	uint8_t cap, promote;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct s3fifo *s = self;
	uint64_t n = view->near->capacity_pages;
	s->small_pages = n * (uint64_t)values[0].i / 100;
	s->small_pages = s->small_pages ? s->small_pages : 1;
	s->main_pages = n - s->small_pages;
	s->cap = (uint8_t)values[1].i;
	s->promote = (uint8_t)values[2].i;
	return queues_init(&s->q, view, err);
}

static void destroy(void *self)
{
	struct s3fifo *s = self;
	queues_free(&s->q);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct s3fifo *s = self;
	struct queued *at = queued(&s->q, c.index);
	(void)pages;
	at->used = 0;
	queues_move(&s->q, c.index, at->queue == GHOST ? MAIN : SMALL);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct s3fifo *s = self;
	struct queued *at = queued(&s->q, c.index);
	(void)p, (void)ref;
	if (at->used < s->cap && !queues_faulting(&s->q, c))
		at->used++;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct s3fifo *s = self;
	(void)what;
	queues_move(&s->q, c.index, queued(&s->q, c.index)->queue == SMALL ? GHOST : 0);
	queues_trim(&s->q, GHOST, s->main_pages);
}

static tide_chunk from_main(struct s3fifo *s)
{
	for (;;) {
		tide_chunk c = queues_oldest(&s->q, MAIN);
		if (c.index == TIDE_NIL || !queued(&s->q, c.index)->used)
			return c;
		queued(&s->q, c.index)->used--;
		queues_move(&s->q, c.index, MAIN);
	}
}

/* The oldest page of the small queue that was not used often enough to move to the main queue. The
 * search moves the others there. If that makes the main queue too long, the victim comes from it.
 */
static tide_chunk from_small(struct s3fifo *s)
{
	for (;;) {
		tide_chunk c = queues_oldest(&s->q, SMALL);
		if (c.index == TIDE_NIL || queued(&s->q, c.index)->used < s->promote)
			return c;
		queued(&s->q, c.index)->used = 0;
		queues_move(&s->q, c.index, MAIN);
		if (queues_length(&s->q, MAIN) > s->main_pages)
			return from_main(s);
	}
}

static tide_chunk pick_victim(void *self)
{
	struct s3fifo *s = self;
	tide_chunk c = TIDE_NO_CHUNK;
	if (queues_length(&s->q, SMALL) >= s->small_pages)
		c = from_small(s);
	if (c.index == TIDE_NIL)
		c = from_main(s);
	if (c.index == TIDE_NIL)
		c = from_small(s);
	return c.index != TIDE_NIL ? c : from_main(s); /* the whole small queue may have moved */
}

static const struct tide_param params[] = {
	{"small", TIDE_PARAM_INT, "10", 0, 100, "size of the small queue, per cent of near memory"},
	{"cap", TIDE_PARAM_INT, "3", 1, 255, "uses counted per page, at most"},
	{"promote", TIDE_PARAM_INT, "2", 1, 255,
	 "uses in the small queue that move a page to main"},
	{0},
};

const struct tide_policy td_policy_evict_s3fifo = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "s3fifo",
	.role = TIDE_EVICT,
	.summary = "small, main and ghost queues; pages used once leave early",
	.paper = "S3-FIFO, SOSP 2023",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct s3fifo),
	.chunk_bytes = sizeof(struct queued),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
