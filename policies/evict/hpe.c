/* HPE, from which MHPE was made. When memory is full, it looks at how many chunks are complete.
 * Then it goes by LRU, by MRU-C (the most recent chunk, but a complete one first), or changes
 * between the two.
 *
 * The counter of a chunk counts the pages migrated into it since it came in. That is the number of
 * its resident pages, because a chunk leaves whole. The counter also counts the pages that a
 * prefetcher brought. This is the weakness of HPE from which CPPE starts. */
#include "intervals.h"
#include "tide/ostree.h"

#define DISTANCE_MOST 32
#define STAMPS UINT32_MAX
#define WALK 64 /* steps in search of a complete chunk, before the index is made and used */

struct slot {
	struct entry entry;
	struct tide_osnode node; /* of the index; n is 0: the chunk is not in it */
	uint32_t stamp;          /* ascending along the chain */
};

enum class { UNKNOWN, REGULAR, IRREGULAR_1, IRREGULAR_2 };

struct hpe {
	struct intervals in;
	enum class class;
	bool lru;
	uint64_t distance;
	uint64_t lasted;      /* how many intervals the present strategy has lasted */
	uint64_t lasted_then; /* how many the other strategy had lasted when it ended; 0: never */
	uint64_t switches;
	uint32_t stamp; /* the next */
	/* The complete chunks by their stamp. A walk mostly finds one soon, so the index is made
	 * only when a walk was long, and is kept from then on. */
	struct tide_ostree complete;
	bool has_index;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct hpe *s = self;
	(void)err;
	intervals_init(&s->in, view, sizeof(struct slot), values[0].i);
	return 0;
}

static struct slot *slot(const struct hpe *s, uint32_t i)
{
	return tide_slot(s->in.view, struct slot, (tide_chunk){i});
}

static bool is_complete(const struct hpe *s, uint32_t i)
{
	return tide_resident(s->in.view, (tide_chunk){i}) == tide_whole_chunk(s->in.view);
}

/* ---- the index ---- */

static uint64_t stamp_of(const void *self, uint32_t i)
{
	return slot(self, i)->stamp;
}

static struct tide_osview index_view(const struct hpe *s)
{
	struct tide_links nodes = {s->in.view->slots + offsetof(struct slot, node),
				   sizeof(struct slot)};
	return (struct tide_osview){nodes, stamp_of, s};
}

static void index_add(struct hpe *s, uint32_t i)
{
	struct tide_osview v = index_view(s);
	if (slot(s, i)->node.n || !is_complete(s, i))
		return;
	tide_ostree_add(&s->complete, &v, i);
}

static void index_remove(struct hpe *s, uint32_t i)
{
	struct tide_osview v = index_view(s);
	if (!slot(s, i)->node.n)
		return;
	tide_ostree_remove(&s->complete, &v, i);
	slot(s, i)->node.n = 0;
}

static void make_index(struct hpe *s)
{
	s->has_index = true;
	for (uint32_t i = s->in.chain.head; i != TIDE_NIL; i = slot(s, i)->entry.chain.next)
		index_add(s, i);
}

/* The newest complete valid chunk that is no newer than i. */
static uint32_t index_find(const struct hpe *s, uint32_t i)
{
	struct tide_osview v = index_view(s);
	for (uint64_t k = tide_ostree_rank(&s->complete, &v, (uint64_t)slot(s, i)->stamp + 1); k;
	     k--) {
		uint32_t found = tide_ostree_select(&s->complete, &v, k - 1);
		if (intervals_valid(&s->in, found))
			return found;
	}
	return TIDE_NIL;
}

/* ---- what happened ---- */

/* The stamps have run out: gives new ones to the chain, and makes the index anew. */
static void stamp_again(struct hpe *s)
{
	s->complete = (struct tide_ostree){0};
	s->stamp = 0;
	for (uint32_t i = s->in.chain.head; i != TIDE_NIL; i = slot(s, i)->entry.chain.next) {
		slot(s, i)->node = (struct tide_osnode){0};
		slot(s, i)->stamp = s->stamp++;
	}
	if (s->has_index)
		make_index(s);
}

static void to_tail(struct hpe *s, uint32_t i)
{
	if (s->stamp == STAMPS)
		stamp_again(s);
	slot(s, i)->stamp = s->stamp++;
	intervals_to_tail(&s->in, i);
}

/* A chunk that faults is not complete, so it is not in the index. */
static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct hpe *s = self;
	(void)p;
	intervals_wrong(&s->in, c.index);
	if (!tide_resident(s->in.view, c))
		return;
	intervals_take_out(&s->in, c.index);
	to_tail(s, c.index);
}

static void classify(struct hpe *s)
{
	uint64_t complete = 0, all = s->in.chain.n;
	for (uint32_t i = s->in.chain.head; i != TIDE_NIL; i = slot(s, i)->entry.chain.next)
		complete += is_complete(s, i);
	s->class = 4 * complete >= 3 * all ? REGULAR
		   : 4 * complete <= all   ? IRREGULAR_1
					   : IRREGULAR_2;
	s->lru = s->class != REGULAR;
}

static void on_full(void *self)
{
	struct hpe *s = self;
	classify(s);
	intervals_full(&s->in);
}

static void change_strategy(struct hpe *s)
{
	s->lru = !s->lru;
	s->lasted_then = s->lasted;
	s->lasted = 0;
	s->switches++;
}

static void end_interval(struct hpe *s)
{
	s->lasted++;
	if (s->class == REGULAR) {
		uint64_t d = s->distance + wrong_at_most_4(&s->in);
		s->distance = d < DISTANCE_MOST ? d : DISTANCE_MOST;
	} else if (s->class == IRREGULAR_2 && s->in.wrong >= 2 &&
		   (!s->lasted_then || s->lasted <= s->lasted_then)) {
		change_strategy(s);
	}
	s->in.wrong = 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct hpe *s = self;
	if (tide_came_in(s->in.view, c, pages))
		to_tail(s, c.index);
	if (s->has_index)
		index_add(s, c.index);
	if (intervals_count(&s->in, pages) && s->class != UNKNOWN)
		end_interval(s);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct hpe *s = self;
	(void)what;
	index_remove(s, c.index);
	intervals_evicted(&s->in, c.index);
}

/* ---- victims ---- */

/* From start towards the head, the first complete valid chunk; start itself if there is none. */
static uint32_t first_complete(struct hpe *s, uint32_t start)
{
	uint32_t i = start, found;
	for (int step = 0; i != TIDE_NIL; step++, i = slot(s, i)->entry.chain.prev) {
		if (step == WALK)
			break;
		if (is_complete(s, i) && intervals_valid(&s->in, i))
			return i;
	}
	if (i == TIDE_NIL)
		return start;
	if (!s->has_index)
		make_index(s);
	found = index_find(s, i);
	return found == TIDE_NIL ? start : found;
}

static tide_chunk pick_victim(void *self)
{
	struct hpe *s = self;
	uint32_t start = s->lru ? TIDE_NIL : intervals_skip(&s->in, s->distance);
	if (start == TIDE_NIL)
		return (tide_chunk){intervals_oldest(&s->in)};
	return (tide_chunk){first_complete(s, start)};
}

static bool follows_lru(void *self)
{
	return ((const struct hpe *)self)->lru;
}

static void report(void *self, const struct tide_report *report)
{
	static const char *const classes[] = {NULL, "regular", "irregular#1", "irregular#2"};
	const struct hpe *s = self;
	report->text(report->to, "class", classes[s->class]);
	report->text(report->to, "strategy", s->class == UNKNOWN ? NULL : s->lru ? "lru" : "mru-c");
	report->number(report->to, "forward_distance", s->distance);
	report->number(report->to, "switches", s->switches);
	intervals_report(&s->in, report);
}

static const struct tide_param params[] = {
	INTERVAL_PARAM,
	{0},
};

const struct tide_policy td_policy_evict_hpe = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "hpe",
	.role = TIDE_EVICT,
	.summary = "LRU or complete recent chunks, by how many are complete when memory is full",
	.paper = "HPE, as in CPPE, IPDPS 2020",
	.params = params,
	.state_bytes = sizeof(struct hpe),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_full = on_full,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.follows_lru = follows_lru,
	.report = report,
};
