/* Clock: a ring with one bit per chunk and a hand.
 *
 * The ring is an array. The bits of 32 entries share a word, so the hand mostly looks at many
 * chunks at once. Entries without a chunk are in one gap just behind the hand, where a new chunk
 * belongs. The gap moves along with the hand.
 *
 *     e f . . a b c d        the hand is on a, the round ends with f
 *         gap ^ hand */
#include <errno.h>

#include "tide/list.h"
#include "tide/policy.h"
#include "tide/vec.h"

#define RESERVE (1u << 24)

enum { NEW, BITS };

struct ring {
	const struct tide_view *view;
	struct tide_vec chunks; /* uint32_t: the chunk of each entry */
	struct tide_vec used;   /* uint32_t: the bits of 32 entries; clear in the gap */
	uint32_t entries;
	uint32_t hand;
	uint32_t looked;     /* the hand was last seen in the word of this entry */
	uint32_t hole;       /* the first entry of the gap; TIDE_NIL: there is no gap */
	bool answered;       /* the hand is on a chunk that was named and has not left since */
	bool marks;          /* accesses set bits */
	bool mark_new;       /* the access that brings a chunk in sets its bit */
	tide_chunk newcomer; /* the chunk that came in and was not accessed yet */
};

/* The entry of a resident chunk, plus 1; 0: there was no memory for one. */
static inline uint32_t *place(const struct ring *s, uint32_t chunk)
{
	return tide_slot(s->view, uint32_t, (tide_chunk){chunk});
}

static inline uint32_t *at(const struct ring *s, uint32_t entry)
{
	return &((uint32_t *)(void *)s->chunks.at)[entry];
}

static inline uint32_t *word(const struct ring *s, uint32_t entry)
{
	return &((uint32_t *)(void *)s->used.at)[entry / 32];
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

/* Room for so many entries. */
static int reserve(struct ring *s, uint64_t n)
{
	int rc = tide_vec_reserve(&s->chunks, n);
	return rc ? rc : tide_vec_reserve(&s->used, n / 32 + 1);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct ring *s = self;
	uint64_t n = view->near->capacity_pages;
	s->view = view;
	tide_vec_init(&s->chunks, sizeof(uint32_t));
	tide_vec_init(&s->used, sizeof(uint32_t));
	if (reserve(s, n < RESERVE ? n : RESERVE))
		return tide_fail(err, -ENOMEM, "out of memory for the ring of clock");
	s->mark_new = values[NEW].i;
	s->marks = values[BITS].i;
	s->newcomer = TIDE_NO_CHUNK;
	s->hole = TIDE_NIL;
	return 0;
}

static void destroy(void *self)
{
	struct ring *s = self;
	tide_vec_free(&s->chunks);
	tide_vec_free(&s->used);
}

/* ---- the array ---- */

/* Moves a chunk and its bit to an entry of the gap. */
static void move(struct ring *s, uint32_t from, uint32_t to)
{
	uint32_t chunk = *at(s, from);
	*at(s, to) = chunk;
	*place(s, chunk) = to + 1;
	if (*word(s, from) & bit(from)) {
		*word(s, from) &= ~bit(from);
		*word(s, to) |= bit(to);
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
	if (reserve(s, n))
		return;
	uint32_t more = (uint32_t)n - s->entries;
	s->hole = s->hand ? s->hand : s->entries;
	for (uint32_t i = s->entries; s->hand && i-- > s->hand;)
		move(s, i, i + more);
	s->hand += s->hand ? more : 0;
	s->entries += more;
}

/* Entry i has become empty, elsewhere in the ring. Moves other entries, so that it joins the
 * gap. */
static void close_up(struct ring *s, uint32_t i)
{
	uint32_t end = s->hole != TIDE_NIL ? s->hole : s->hand;
	for (uint32_t next = after(s, i); next != end; next = after(s, i)) {
		move(s, next, i);
		i = next;
	}
	s->hole = i;
}

/* The hand steps past its entry, which becomes the last of the round. */
static void pass(struct ring *s)
{
	if (s->hole != TIDE_NIL) {
		move(s, s->hand, s->hole);
		s->hole = after(s, s->hole);
	}
	s->hand = after(s, s->hand);
}

/* ---- events ---- */

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct ring *s = self;
	if (!tide_came_in(s->view, c, pages))
		return;
	if (s->hole == TIDE_NIL)
		widen(s);
	uint32_t i = s->hole, next = after(s, i);
	if (__builtin_expect(i == TIDE_NIL, 0))
		return;
	s->hole = next != s->hand ? next : TIDE_NIL;
	*at(s, i) = c.index;
	*place(s, c.index) = i + 1;
	if (!s->mark_new && c.index == s->view->near->fault_chunk.index)
		s->newcomer = c;
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct ring *s = self;
	uint32_t i = *place(s, c.index) - 1;
	(void)p, (void)ref;
	if (c.index == s->newcomer.index)
		s->newcomer = TIDE_NO_CHUNK;
	else if (i != TIDE_NIL && s->marks)
		*word(s, i) |= bit(i);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct ring *s = self;
	uint32_t i = *place(s, c.index) - 1;
	(void)what;
	*place(s, c.index) = 0;
	if (__builtin_expect(i == TIDE_NIL, 0))
		return;
	*word(s, i) &= ~bit(i);
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

/* The hand comes to the word of an entry: the victims of the next word are likely the next ones. */
static inline void look_ahead(struct ring *s, uint32_t first)
{
	uint32_t next = first + 32 < s->entries ? first + 32 : 0, left = s->entries - next;
	uint32_t clear = ~*word(s, next) & (left < 32 ? bit(left) - 1 : UINT32_MAX);
	s->looked = first;
	for (; clear; clear &= clear - 1) {
		uint32_t chunk = *at(s, next + lowest(clear));
		__builtin_prefetch(place(s, chunk), 1);
		tide_expect(s->view, (tide_chunk){chunk});
	}
}

/* Moves the hand, entry by entry, to the next valid entry whose bit is clear. */
static void walk(struct ring *s)
{
	for (;; pass(s)) {
		uint32_t i = s->hand;
		if (!tide_valid(s->view, (tide_chunk){*at(s, i)}))
			continue;
		if (!(*word(s, i) & bit(i)))
			return;
		*word(s, i) &= ~bit(i);
	}
}

/* Moves the hand word by word. All entries must be valid, and there must be no gap. */
static inline void scan(struct ring *s)
{
	uint32_t i = s->hand;
	for (;;) {
		uint32_t first = i & ~31u, left = s->entries - first;
		uint32_t ahead = UINT32_MAX << i % 32;
		uint32_t exist = left < 32 ? bit(left) - 1 : UINT32_MAX;
		uint32_t *used = word(s, i), found = ~*used & ahead & exist;
		if (first != s->looked)
			look_ahead(s, first);
		if (found) {
			*used &= ~(ahead & (found - 1)); /* the bits before the first one found */
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
	if (__builtin_expect(s->answered, 0))
		pass(s);
	if (s->hole == TIDE_NIL && s->view->near->chunk_pages == 1 && !s->view->near->planned)
		scan(s);
	else
		walk(s);
	s->answered = true;
	return (tide_chunk){*at(s, s->hand)};
}

static const struct tide_param params[] = {
	[NEW] = {"new", TIDE_PARAM_INT, "1", 0, 1,
		 "the bit of a new entry: 1, or 0 as other simulators have it"},
	[BITS] = {"bits", TIDE_PARAM_INT, "1", 0, 1,
		  "0: accesses set no bits, and the hand takes each entry in turn"},
	{0},
};

const struct tide_policy td_policy_evict_clock = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "clock",
	.role = TIDE_EVICT,
	.summary =
		"a ring with a hand and one bit per chunk, set for a new entry; new=0: not, as other simulators",
	.paper = "reference",
	.needs = TIDE_NEEDS_ACCESSES | TIDE_TAKES_SAMPLES | TIDE_TAKES_SIZES,
	.params = params,
	.state_bytes = sizeof(struct ring),
	.chunk_bytes = sizeof(uint32_t),
	.create = create,
	.destroy = destroy,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
