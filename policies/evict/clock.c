/* Clock: a ring with one bit per chunk and a hand.
 *
 * The ring is an array. Entry k lies in slot k, but has nothing to do with chunk k. The bits of 32
 * entries share a word, so the hand mostly looks at many chunks at once. Entries without a chunk
 * are in one gap just behind the hand, where a new chunk belongs. The gap moves along with the
 * hand.
 *
 *     e f . . a b c d        the hand is on a, the round ends with f
 *         gap ^ hand */
#include "tide/list.h"
#include "tide/policy.h"

#define VICTIMS_AHEAD 4  /* chunks whose records are prefetched */
#define ENTRIES_AHEAD 64 /* entries that are prefetched */

struct slot {
	uint32_t entry; /* the entry of this chunk, while the chunk is resident */
	uint32_t chunk; /* the chunk of entry k */
	uint32_t used;  /* the bits of entries 32 k to 32 k + 31; clear in the gap */
};

struct ring {
	const struct tide_view *view;
	uint32_t entries;
	uint32_t hand;
	uint32_t hole;       /* the first entry of the gap; TIDE_NIL: there is no gap */
	bool answered;       /* the hand is on a chunk that was named and has not left since */
	bool mark_new;       /* the access that brings a chunk in sets its bit */
	tide_chunk newcomer; /* the chunk that came in and was not accessed yet */
};

static inline struct slot *slot(const struct tide_view *v, uint32_t i)
{
	return tide_slot(v, struct slot, (tide_chunk){i});
}

static inline uint32_t *word(const struct tide_view *v, uint32_t entry)
{
	return &slot(v, entry / 32)->used;
}

static inline uint32_t bit(uint32_t entry)
{
	return 1u << entry % 32;
}

static inline uint32_t lowest(uint32_t bits)
{
	return (uint32_t)__builtin_ctz(bits);
}

static inline uint32_t after(const struct ring *s, uint32_t i)
{
	return i + 1 < s->entries ? i + 1 : 0;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct ring *s = self;
	(void)err;
	s->view = view;
	s->mark_new = values[0].i;
	s->newcomer = TIDE_NO_CHUNK;
	s->hole = TIDE_NIL;
	return 0;
}

/* ---- the array ---- */

/* Moves a chunk and its bit to an entry of the gap. */
static void move(const struct tide_view *v, uint32_t from, uint32_t to)
{
	uint32_t chunk = slot(v, from)->chunk;
	slot(v, to)->chunk = chunk;
	slot(v, chunk)->entry = to;
	if (*word(v, from) & bit(from)) {
		*word(v, from) &= ~bit(from);
		*word(v, to) |= bit(to);
	}
}

/* Makes a gap where there is none. While the hand is at the start, the end of the array is just
 * behind it, so the array grows by one entry there and nothing moves. After that it doubles. */
static void widen(struct ring *s)
{
	const struct tide_view *v = s->view;
	uint64_t n = s->entries + UINT64_C(1), most = v->near->capacity_pages;
	most = most < v->near->chunks ? most : v->near->chunks;
	most = most < 2 * n ? most : 2 * n;
	n = s->hand && n < most ? most : n;
	uint32_t more = (uint32_t)n - s->entries;
	s->hole = s->hand ? s->hand : s->entries;
	for (uint32_t i = s->entries; s->hand && i-- > s->hand;)
		move(v, i, i + more);
	s->hand += s->hand ? more : 0;
	s->entries += more;
}

/* Entry i has become empty, elsewhere in the ring. Moves other entries, so that it joins the
 * gap. */
static void close_up(struct ring *s, uint32_t i)
{
	uint32_t end = s->hole != TIDE_NIL ? s->hole : s->hand;
	for (uint32_t next = after(s, i); next != end; next = after(s, i)) {
		move(s->view, next, i);
		i = next;
	}
	s->hole = i;
}

/* The hand steps past its entry, which becomes the last of the round. */
static void pass(struct ring *s)
{
	if (s->hole != TIDE_NIL) {
		move(s->view, s->hand, s->hole);
		s->hole = after(s, s->hole);
	}
	s->hand = after(s, s->hand);
}

/* ---- events ----
 *
 * Hot functions copy the view, so that the compiler does not load it again after stores into slots.
 * Functions that are not inlined read it from the ring, or the copy would have to be in memory. */

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct ring *s = self;
	const struct tide_view view = *s->view;
	if (!tide_came_in(&view, c, pages))
		return;
	if (s->hole == TIDE_NIL)
		widen(s);
	uint32_t i = s->hole, next = after(s, i);
	s->hole = next != s->hand ? next : TIDE_NIL;
	slot(&view, i)->chunk = c.index;
	slot(&view, c.index)->entry = i;
	if (!s->mark_new && c.index == view.near->fault_chunk.index)
		s->newcomer = c;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct ring *s = self;
	(void)p, (void)ref;
	if (c.index != s->newcomer.index) {
		uint32_t i = slot(s->view, c.index)->entry;
		*word(s->view, i) |= bit(i);
	} else {
		s->newcomer = TIDE_NO_CHUNK;
	}
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct ring *s = self;
	const struct tide_view view = *s->view;
	uint32_t i = s->hand;
	(void)what;
	if (slot(&view, i)->chunk != c.index)
		i = slot(&view, c.index)->entry;
	*word(&view, i) &= ~bit(i);
	if (__builtin_expect(i != s->hand, 0)) {
		close_up(s, i);
		return;
	}
	s->answered = false;
	s->hand = after(s, i);
	if (s->hole == TIDE_NIL)
		s->hole = i;
}

/* ---- the hand ---- */

/* Moves the hand, entry by entry, to the next valid entry whose bit is clear. */
static void walk(struct ring *s)
{
	const struct tide_view *v = s->view;
	for (;; pass(s)) {
		uint32_t i = s->hand, soon = i + VICTIMS_AHEAD;
		__builtin_prefetch(slot(v, i + ENTRIES_AHEAD), 1);
		if (soon < s->entries)
			tide_expect(v, (tide_chunk){slot(v, soon)->chunk});
		if (!tide_valid(v, (tide_chunk){slot(v, i)->chunk}))
			continue;
		if (!(*word(v, i) & bit(i)))
			return;
		*word(v, i) &= ~bit(i);
	}
}

/* found: the entries from `first` on that are likely to be the next victims. */
static inline void look_ahead(const struct tide_view *v, uint32_t first, uint32_t found)
{
	__builtin_prefetch(slot(v, first + lowest(found) + ENTRIES_AHEAD), 1);
	for (int i = 0; i < VICTIMS_AHEAD; i++)
		found &= found - 1;
	if (found)
		tide_expect(v, (tide_chunk){slot(v, first + lowest(found))->chunk});
}

/* Moves the hand word by word. All entries must be valid, and there must be no gap. */
static inline void scan(struct ring *s, const struct tide_view *v)
{
	uint32_t i = s->hand;
	for (;;) {
		uint32_t first = i & ~31u, left = s->entries - first;
		uint32_t ahead = UINT32_MAX << i % 32;
		uint32_t exist = left < 32 ? bit(left) - 1 : UINT32_MAX;
		uint32_t *used = word(v, i), found = ~*used & ahead & exist;
		if (found) {
			*used &= ~(ahead & (found - 1)); /* the bits before the first one found */
			look_ahead(v, first, found);
			s->hand = first + lowest(found);
			return;
		}
		*used &= ~ahead;
		i = left > 32 ? first + 32 : 0;
	}
}

/* If the chunk that was named last is still resident, the placement policy kept it. The hand then
 * steps past it. */
static tide_chunk pick_victim(void *self)
{
	struct ring *s = self;
	const struct tide_view view = *s->view;
	if (__builtin_expect(s->answered, 0))
		pass(s);
	if (s->hole == TIDE_NIL && view.near->chunk_pages == 1 && !view.near->planned)
		scan(s, &view);
	else
		walk(s);
	s->answered = true;
	return (tide_chunk){slot(&view, s->hand)->chunk};
}

static const struct tide_param params[] = {
	{"new", TIDE_PARAM_INT, "1", 0, 1,
	 "the bit of a chunk after the access that brought it in"},
	{0},
};

const struct tide_policy td_policy_evict_clock = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "clock",
	.role = TIDE_EVICT,
	.summary = "a ring with a hand and one bit per chunk, set by accesses",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_TAKES_SAMPLES | TIDE_TAKES_SIZES,
	.params = params,
	.state_bytes = sizeof(struct ring),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
