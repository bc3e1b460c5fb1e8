/* arc: T1 and T2 hold the pages accessed once and more often since they came in, B1 and B2 are
 * their ghosts.
 *
 * In every lane, each of the four lists is in the order of last accesses. A page enters T1 and T2
 * with an access, and the page that leaves for a ghost list is the one whose last access is the
 * oldest. So one log of last accesses is the order of all lists of all lanes. Its entry says in
 * which lists the page is. A lane needs to know no more than how many pages are in a list, and
 * where the list's oldest one may be: nowhere before its cursor.
 *
 *     log      c   a   .   d   b   .   e    oldest first; the stops are pages accessed since
 *     lane 0   B1  T2      T1  -       T1   the cursors of B1, T2 and T1 are at c, a and d
 *     lane 1   -   B2      T2  T1      T1
 */
#include <string.h>

#include "lane.h"

#define AHEAD 4 /* entries behind a cursor, which are asked for */
#define SPARE_LEAST (16 * TIDE_BATCH)
#define BLOCK 64 /* entries whose places, after packing, are looked up together */

/* The lists are combinations of these planes. No lane: in no list. */
struct entry {
	uint64_t here, ghost; /* lanes; never both */
	uint64_t often;       /* in T2, or B2 */
	uint32_t page;        /* entry 0 is none */
	uint32_t unused;
};

enum { T1, T2, B1, B2, LISTS };

struct lane {
	uint32_t near;
	uint32_t n[LISTS];
	uint32_t cursor[LISTS];
	uint32_t p;
};

struct arc {
	struct td_mrc_lanes lanes; /* must be first */
	struct tide_vec last;      /* uint32_t: by page, its entry */
	struct tide_vec log;       /* struct entry */
	struct tide_vec places;    /* uint32_t: see BLOCK */
	uint32_t tail, room;
	struct lane lane[TD_MRC_LANES];
};

static int create(void *self, const void *config, struct tide_error *err)
{
	struct arc *s = self;
	int rc = td_mrc_lanes_init(&s->lanes, config, err);
	for (unsigned i = 0; i < s->lanes.counts.n; i++)
		s->lane[i] = (struct lane){.near = s->lanes.near[i], .cursor = {1, 1, 1, 1}};
	s->tail = 1;
	tide_vec_init(&s->last, sizeof(uint32_t));
	tide_vec_init(&s->log, sizeof(struct entry));
	tide_vec_init(&s->places, sizeof(uint32_t));
	return rc;
}

static void destroy(void *self)
{
	struct arc *s = self;
	td_mrc_lanes_free(&s->lanes);
	tide_vec_free(&s->last);
	tide_vec_free(&s->log);
	tide_vec_free(&s->places);
}

static inline struct entry *log_of(const struct arc *s)
{
	return (struct entry *)(void *)s->log.at;
}

static inline uint32_t *last_of(const struct arc *s)
{
	return (uint32_t *)(void *)s->last.at;
}

/* ---- lists ---- */

static inline uint64_t members(const struct entry *e, unsigned list)
{
	uint64_t in = list == T1 || list == T2 ? e->here : e->ghost;
	return list == T2 || list == B2 ? in & e->often : in & ~e->often;
}

/* Takes the oldest page out of a list that is not empty. The caller changes its entry. */
static inline struct entry *take_oldest(const struct arc *s, struct lane *l, unsigned list,
					uint64_t bit)
{
	struct entry *e = &log_of(s)[l->cursor[list]];
	while (!(members(e, list) & bit))
		e++;
	/* The log goes on behind its end: looking there is harmless. */
	__builtin_prefetch(e + AHEAD, 1);
	l->cursor[list] = (uint32_t)(e - log_of(s)) + 1;
	l->n[list]--;
	return e;
}

static inline void forget(const struct arc *s, struct lane *l, unsigned list, uint64_t bit)
{
	take_oldest(s, l, list, bit)->ghost &= ~bit;
}

static inline void evict(const struct arc *s, struct lane *l, bool once, bool keep, uint64_t bit)
{
	struct entry *e = take_oldest(s, l, once ? T1 : T2, bit);
	e->here &= ~bit;
	if (!keep)
		return;
	e->ghost |= bit;
	l->n[once ? B1 : B2]++;
}

/* ---- misses ---- */

static inline uint32_t step(uint32_t other, uint32_t own)
{
	return other > own ? other / own : 1;
}

static inline void adapt(struct lane *l, bool once)
{
	uint32_t b1 = l->n[B1], b2 = l->n[B2];
	if (once) {
		uint64_t p = (uint64_t)l->p + step(b2, b1);
		l->p = p < l->near ? (uint32_t)p : l->near;
	} else {
		uint32_t down = step(b1, b2);
		l->p -= down < l->p ? down : l->p;
	}
}

/* A page that is in no list comes in. The ghosts make room first. Does the victim leave one? */
static inline bool make_room(const struct arc *s, struct lane *l, uint64_t bit)
{
	uint64_t l1 = (uint64_t)l->n[T1] + l->n[B1], l2 = (uint64_t)l->n[T2] + l->n[B2];
	if (l1 >= l->near) {
		if (l->n[T1] >= l->near)
			return false;
		forget(s, l, B1, bit);
	} else if (l1 + l2 >= 2 * (uint64_t)l->near && l->n[B2]) {
		forget(s, l, B2, bit);
	}
	return true;
}

static inline void make_free(const struct arc *s, struct lane *l, const struct entry *e,
			     uint64_t bit)
{
	bool is_ghost = e->ghost & bit, ghost2 = e->ghost & e->often & bit, keep = true;
	if (is_ghost)
		adapt(l, !ghost2);
	else
		keep = make_room(s, l, bit);
	uint32_t t1 = l->n[T1];
	bool once = !keep || (t1 && (t1 > l->p || (ghost2 && t1 == l->p)));
	evict(s, l, once || !l->n[T2], keep, bit);
}

static inline void bring(struct arc *s, unsigned lane, const struct entry *e)
{
	struct lane *l = &s->lane[lane];
	const uint64_t bit = TD_MRC_LANE_BIT(lane);
	/* Before a lane is full there are no ghosts. */
	if (__builtin_expect(l->n[T1] + l->n[T2] >= l->near, 1))
		make_free(s, l, e, bit);
	if (e->ghost & bit) {
		l->n[e->often & bit ? B2 : B1]--;
		l->n[T2]++;
	} else {
		l->n[T1]++;
	}
}

/* ---- accesses ---- */

static inline void expect(void *self, uint32_t page)
{
	const struct arc *s = self;
	__builtin_prefetch(&last_of(s)[page], 1);
}

static inline uint64_t touch(void *self, uint32_t page)
{
	struct arc *s = self;
	uint32_t *last = &last_of(s)[page];
	struct entry *e = &log_of(s)[*last];
	uint64_t all = s->lanes.counts.all, missed = all & ~e->here;
	for (uint64_t left = e->here & ~e->often; left;) {
		struct lane *l = &s->lane[td_mrc_lane_next(&left)];
		l->n[T1]--;
		l->n[T2]++;
	}
	for (uint64_t left = missed; left;) {
		unsigned lane = td_mrc_lane_next(&left);
		s->lanes.counts.misses[lane]++;
		bring(s, lane, e);
	}
	uint64_t often = e->here | e->ghost;
	*e = (struct entry){0};
	*last = s->tail++;
	log_of(s)[*last] = (struct entry){.here = all, .often = often, .page = page};
	return missed;
}

/* ---- the log ---- */

/* Moves the entries that count to the front. A cursor goes to where its block has gone. */
static void pack(struct arc *s)
{
	struct entry *log = log_of(s);
	uint32_t *last = last_of(s), *places = (uint32_t *)(void *)s->places.at, to = 1;
	for (uint32_t i = 1; i < s->tail; i++) {
		if (i % BLOCK == 0 || i == 1)
			places[i / BLOCK] = to;
		if (i + 16 < s->tail)
			__builtin_prefetch(&last[log[i + 16].page], 1);
		if (!(log[i].here | log[i].ghost)) {
			if (last[log[i].page] == i)
				last[log[i].page] = 0; /* in no list of any lane */
			continue;
		}
		log[to] = log[i];
		last[log[to].page] = to;
		to++;
	}
	for (unsigned i = 0; i < s->lanes.counts.n; i++) {
		for (unsigned list = 0; list < LISTS; list++) {
			uint32_t *cursor = &s->lane[i].cursor[list];
			*cursor = *cursor < s->tail ? places[*cursor / BLOCK] : to;
		}
	}
	memset(log + to, 0, (s->tail - to) * sizeof *log);
	s->tail = to;
}

/* Room for what a batch brings. */
static int reserve(struct arc *s)
{
	if (tide_vec_reserve(&s->last, s->lanes.numbers.map.n))
		return -ENOMEM;
	if (s->tail + TIDE_BATCH + AHEAD <= s->room)
		return 0;
	if (s->tail > 1)
		pack(s);
	uint64_t spare = s->tail / 2 < SPARE_LEAST ? SPARE_LEAST : s->tail / 2;
	uint64_t room = s->tail + spare + AHEAD;
	if (room > UINT32_MAX || tide_vec_reserve(&s->log, room) ||
	    tide_vec_reserve(&s->places, room / BLOCK + 1))
		return -ENOMEM;
	s->room = room > s->room ? (uint32_t)room : s->room;
	return 0;
}

static int see(void *self, const struct td_mrc_accesses *accesses, struct tide_error *err)
{
	struct arc *s = self;
	int rc = td_mrc_number(&s->lanes.numbers, accesses, err);
	if (rc)
		return rc;
	if (reserve(s))
		return td_mrc_no_memory(err);
	td_mrc_lanes_go(&s->lanes, accesses, expect, touch);
	return 0;
}

const struct td_mrc_method td_mrc_arc = {
	.policy = "arc",
	.groups = true,
	.bytes = sizeof(struct arc),
	.create = create,
	.see = see,
	.answer = td_mrc_lanes_answer,
	.pages = td_mrc_lanes_pages,
	.destroy = destroy,
};
