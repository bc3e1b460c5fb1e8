/* W-TinyLFU (Einziger, Friedman and Manes, ACM Transactions on Storage 13(4), 2017). New pages
 * enter a window, which is an LRU queue of 1% of near memory. The rest, the main part, is an SLRU:
 * a probationary segment and a protected one of up to 80%. If near memory is full, the oldest page
 * of the window and the oldest probationary page compete: the one that was used less, by the
 * sketch, leaves. If both were used equally, the page of the window leaves. A page of the window
 * that wins moves to the main part when the new page enters the window.
 *
 *     new -> [ window ] -> [ probationary ] <-> [ protected ]
 *                       ^ admission
 *
 * The sketch knows a page by its turn among all pages in order of first sight, so that page numbers
 * do not change results. Caffeine adapts the window's size and lets chance admit some pages. The
 * paper does not, and neither does this. */
#include "sketch.h"
#include "tide/list.h"
#include "tide/policy.h"

enum { WINDOW = 1, PROBATION, PROTECTED };

struct page {
	struct tide_link link;
	uint32_t turn; /* 1, 2, ... by first sight; 0: not seen */
	uint8_t queue; /* 0: none */
};

struct wtinylfu {
	const struct tide_view *view;
	struct tide_list list[PROTECTED + 1]; /* the head is the oldest; 0 is not used */
	struct sketch sketch;
	uint64_t window_pages, protected_pages;
	uint32_t turns;
};

static struct page *page(const struct wtinylfu *s, uint32_t i)
{
	return tide_slot(s->view, struct page, (tide_chunk){i});
}

static struct tide_links links(const struct wtinylfu *s)
{
	return (struct tide_links){s->view->slots, sizeof(struct page)};
}

/* Pages that the sketch is made for. More than the input can have would never be full. */
static uint64_t pages_to_count(const struct tide_near *near)
{
	uint64_t last = near->last_page; /* 0: not known yet */
	return last && last < near->capacity_pages ? last + 1 : near->capacity_pages;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct wtinylfu *s = self;
	uint64_t n = view->near->capacity_pages;
	s->view = view;
	for (int i = 0; i <= PROTECTED; i++)
		tide_list_init(&s->list[i]);
	s->window_pages = (uint64_t)((double)n * values[0].r / 100);
	s->window_pages = s->window_pages ? s->window_pages : 1;
	s->protected_pages = (uint64_t)((double)(n - s->window_pages) * values[1].r / 100);
	if (sketch_init(&s->sketch, pages_to_count(view->near), (uint64_t)values[2].i))
		return tide_fail(err, -ENOMEM, "out of memory for the sketch of wtinylfu");
	return 0;
}

static void destroy(void *self)
{
	struct wtinylfu *s = self;
	sketch_free(&s->sketch);
}

/* Moves a page to the newest end of a queue; 0: to none. */
static void move(struct wtinylfu *s, uint32_t i, uint8_t to)
{
	struct page *at = page(s, i);
	if (at->queue)
		tide_list_remove(&s->list[at->queue], links(s), i);
	at->queue = to;
	if (to)
		tide_list_push_tail(&s->list[to], links(s), i);
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct wtinylfu *s = self;
	struct page *at = page(s, c.index);
	(void)pages;
	if (!at->turn)
		at->turn = ++s->turns;
	move(s, c.index, WINDOW);
	if (s->list[WINDOW].n > s->window_pages)
		move(s, s->list[WINDOW].head, PROBATION);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct wtinylfu *s = self;
	struct page *at = page(s, c.index);
	(void)p, (void)ref;
	sketch_see(&s->sketch, at->turn);
	if (s->view->near->fault_chunk.index == c.index)
		return;
	move(s, c.index, at->queue == WINDOW ? WINDOW : PROTECTED);
	if (s->list[PROTECTED].n > s->protected_pages)
		move(s, s->list[PROTECTED].head, PROBATION);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct wtinylfu *s = self;
	(void)what;
	move(s, c.index, 0);
}

static tide_chunk oldest(const struct wtinylfu *s, uint8_t queue)
{
	tide_chunk c = {s->list[queue].head};
	while (c.index != TIDE_NIL && !tide_valid(s->view, c))
		c.index = page(s, c.index)->link.next;
	return c;
}

static tide_chunk pick_victim(void *self)
{
	struct wtinylfu *s = self;
	tide_chunk candidate = oldest(s, WINDOW), rival = oldest(s, PROBATION);
	if (rival.index == TIDE_NIL)
		rival = oldest(s, PROTECTED);
	if (candidate.index == TIDE_NIL || rival.index == TIDE_NIL)
		return rival.index == TIDE_NIL ? candidate : rival;
	if (s->list[WINDOW].n < s->window_pages)
		return rival; /* the main part has too much: the candidate stays where it is */
	return sketch_count(&s->sketch, page(s, candidate.index)->turn) >
			       sketch_count(&s->sketch, page(s, rival.index)->turn)
		       ? rival
		       : candidate;
}

static const struct tide_param params[] = {
	{"window", TIDE_PARAM_REAL, "1", 0, 100, "size of the window, per cent of near memory"},
	{"protected", TIDE_PARAM_REAL, "80", 0, 100,
	 "size of the protected segment, per cent of the main part"},
	{"sample", TIDE_PARAM_INT, "10", 1, 1000,
	 "accesses after which counts are halved, times near memory"},
	{0},
};

const struct tide_policy td_policy_evict_wtinylfu = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "wtinylfu",
	.role = TIDE_EVICT,
	.summary = "a window before a segmented LRU; a sketch of uses decides who is admitted",
	.paper = "TinyLFU, ACM Transactions on Storage 13(4), 2017",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_PAGES,
	.params = params,
	.state_bytes = sizeof(struct wtinylfu),
	.chunk_bytes = sizeof(struct page),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
