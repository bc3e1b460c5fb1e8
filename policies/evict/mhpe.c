/* MHPE, the eviction half of CPPE. At first it evicts the most recently used old chunks, but skips
 * as many of the newest ones as the forward distance says. When many pages leave untouched, the
 * program is not cyclic. From then on MHPE evicts the least recently used chunk.
 *
 *     head  C1 C2 C3 C4 | C5 C6 C7 C8 |  tail        old | middle | new
 *            |  |     `- forward distance 0
 *            |  `------- forward distance 2
 *            `---------- LRU */
#include "intervals.h"

#define REPORTED 16 /* intervals */

struct mhpe {
	struct intervals in;
	uint32_t to_head; /* the chunk that will come in at the head; TIDE_NIL: none */
	bool full, lru, sees_touched;
	int64_t first_distance; /* negative: the length of the chain decides */
	uint64_t t1, t2, t3;
	uint64_t distance;
	uint64_t untouched, untouched_first_four; /* U1, U2 */
	uint64_t ended;                           /* intervals since memory was full */
	uint64_t switched_at;                     /* 0: never */
	uint64_t untouched_by[REPORTED], distance_by[REPORTED];
};

enum { TOUCHED = 5 };

static unsigned needs_with(const union tide_value *values)
{
	return values[TOUCHED].i ? TIDE_NEEDS_TOUCHED : 0;
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct mhpe *s = self;
	(void)err;
	s->t1 = (uint64_t)values[0].i;
	s->t2 = (uint64_t)values[1].i;
	s->t3 = (uint64_t)values[2].i;
	intervals_init(&s->in, view, sizeof(struct entry), values[3].i);
	s->first_distance = values[4].i;
	s->sees_touched = values[TOUCHED].i;
	s->to_head = TIDE_NIL;
	return 0;
}

static uint64_t hundredth_of(uint64_t length)
{
	uint64_t d = length / 100;
	return d < 2 ? 2 : d > 8 ? 8 : d;
}

static void on_full(void *self)
{
	struct mhpe *s = self;
	s->full = true;
	s->distance =
		s->first_distance < 0 ? hundredth_of(s->in.chain.n) : (uint64_t)s->first_distance;
	intervals_full(&s->in);
}

static void place(struct mhpe *s, uint32_t i)
{
	if (i == s->to_head)
		intervals_to_head(&s->in, i);
	else
		intervals_to_tail(&s->in, i);
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct mhpe *s = self;
	(void)p;
	s->to_head = intervals_wrong(&s->in, c.index) && !s->lru ? c.index : TIDE_NIL;
	if (!tide_resident(s->in.view, c))
		return;
	intervals_take_out(&s->in, c.index);
	place(s, c.index);
}

/* How much the untouched pages of an interval add to the forward distance. */
static uint64_t level(uint64_t untouched)
{
	return untouched < 4 ? 0 : untouched < 11 ? 1 : untouched < 18 ? 2 : untouched < 25 ? 3 : 4;
}

static void judge(struct mhpe *s)
{
	if (s->untouched >= s->t1 || (s->ended == 4 && s->untouched_first_four >= s->t2)) {
		s->lru = true;
		s->switched_at = s->ended;
	} else if (s->distance < s->t3) {
		uint64_t by_level = level(s->untouched), by_wrong = wrong_at_most_4(&s->in);
		s->distance += by_level > by_wrong ? by_level : by_wrong;
		s->distance = s->distance < s->t3 ? s->distance : s->t3;
	}
}

static void end_interval(struct mhpe *s)
{
	if (s->ended < REPORTED) {
		s->untouched_by[s->ended] = s->untouched;
		s->distance_by[s->ended] = s->distance;
	}
	if (s->ended++ < 4)
		s->untouched_first_four += s->untouched;
	if (!s->lru)
		judge(s);
	s->untouched = s->in.wrong = 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct mhpe *s = self;
	if (tide_came_in(s->in.view, c, pages))
		place(s, c.index);
	if (intervals_count(&s->in, pages) && s->full)
		end_interval(s);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct mhpe *s = self;
	if (s->sees_touched)
		s->untouched += (uint64_t)__builtin_popcountll(what->resident & ~what->touched);
	intervals_evicted(&s->in, c.index);
}

static tide_chunk pick_victim(void *self)
{
	const struct mhpe *s = self;
	uint32_t i = s->lru ? TIDE_NIL : intervals_skip(&s->in, s->distance);
	return (tide_chunk){i == TIDE_NIL ? intervals_oldest(&s->in) : i};
}

static bool follows_lru(void *self)
{
	return ((const struct mhpe *)self)->lru;
}

static void report(void *self, const struct tide_report *report)
{
	const struct mhpe *s = self;
	size_t n = s->ended < REPORTED ? (size_t)s->ended : REPORTED;
	report->text(report->to, "strategy", s->lru ? "lru" : "mru");
	report->number(report->to, "forward_distance", s->distance);
	if (s->switched_at)
		report->number(report->to, "switched_at_interval", s->switched_at);
	else
		report->text(report->to, "switched_at_interval", NULL);
	report->list(report->to, "untouch_by_interval", s->untouched_by, n);
	report->list(report->to, "forward_distance_by_interval", s->distance_by, n);
	intervals_report(&s->in, report);
}

static const struct tide_param params[] = {
	{"t1", TIDE_PARAM_INT, "32", 0, 1e9,
	 "untouched pages in one interval that cause the switch to LRU"},
	{"t2", TIDE_PARAM_INT, "40", 0, 1e9, "the same for the first four intervals together"},
	{"t3", TIDE_PARAM_INT, "32", 0, 1024, "limit of the forward distance"},
	INTERVAL_PARAM,
	{"fd", TIDE_PARAM_INT, "-1", -1, 1024,
	 "forward distance at first; -1: a hundredth of the chain, 2 to 8"},
	[TOUCHED] = {"touched", TIDE_PARAM_INT, "1", 0, 1,
		     "0: never switch to LRU, and let faults alone set the forward distance"},
	{0},
};

const struct tide_policy td_policy_evict_mhpe = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "mhpe",
	.role = TIDE_EVICT,
	.summary = "MRU of the old chunks; LRU once too many pages leave untouched",
	.paper = "CPPE, IPDPS 2020",
	.needs = TIDE_NEEDS_TOUCHED,
	.needs_with = needs_with,
	.params = params,
	.state_bytes = sizeof(struct mhpe),
	.chunk_bytes = sizeof(struct entry),
	.create = create,
	.on_full = on_full,
	.on_fault = on_fault,
	.on_migrated = on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.follows_lru = follows_lru,
	.report = report,
};
