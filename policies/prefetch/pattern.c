/* The prefetching half of CPPE. If half of a chunk or more leaves untouched, the policy remembers
 * which pages were touched: the pattern. When the chunk faults on one of these pages, only these
 * pages come back.
 *
 * The policy records patterns only while the eviction policy goes by recency. The victims of other
 * strategies were resident too briefly to show a pattern. */
#include "tide/policy.h"

/* Every chunk has a slot, so the pattern has no more bytes than the pages of a chunk need. */
struct slot {
	uint8_t flags;
	unsigned char pattern[sizeof(uint64_t)];
};

enum { RECORDED = 1, SEARCHED = 2 }; /* searched: a fault has matched the record before */

struct pattern {
	const struct tide_view *view;
	size_t pattern_bytes;
	int64_t scheme;
	uint64_t records, most;
};

static size_t pattern_bytes(uint32_t chunk_pages)
{
	return chunk_pages <= 8 ? 1 : chunk_pages <= 16 ? 2 : chunk_pages <= 32 ? 4 : 8;
}

static size_t chunk_bytes_with(const union tide_value *values, uint32_t chunk_pages)
{
	(void)values;
	return offsetof(struct slot, pattern) + pattern_bytes(chunk_pages);
}

static struct slot *slot(const struct pattern *s, tide_chunk c)
{
	size_t bytes = offsetof(struct slot, pattern) + s->pattern_bytes;
	return (struct slot *)(void *)(s->view->slots + c.index * bytes);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct pattern *s = self;
	(void)err;
	s->view = view;
	s->pattern_bytes = pattern_bytes(view->near->chunk_pages);
	s->scheme = values[0].i;
	return 0;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct pattern *s = self;
	struct slot *at = slot(s, c);
	unsigned untouched = (unsigned)__builtin_popcountll(what->resident & ~what->touched);
	if (!s->view->near->follows_lru || untouched * 2 < s->view->near->chunk_pages)
		return;
	s->records += !(at->flags & RECORDED);
	s->most = s->records > s->most ? s->records : s->most;
	at->flags = RECORDED;
	memcpy(at->pattern, &what->touched, s->pattern_bytes);
}

/* A fault on a page outside the pattern deletes the pattern. But scheme 2 keeps a pattern that has
 * matched before. */
static void mismatch(struct pattern *s, struct slot *at)
{
	if (s->scheme == 2 && at->flags & SEARCHED)
		return;
	at->flags &= (uint8_t)~RECORDED;
	s->records--;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	struct pattern *s = self;
	struct slot *at = slot(s, c);
	uint64_t pattern = 0;
	plan->own = tide_whole_chunk(s->view);
	if (!(at->flags & RECORDED))
		return;
	memcpy(&pattern, at->pattern, s->pattern_bytes);
	if (pattern >> tide_page_bit(s->view, p) & 1) {
		plan->own = pattern;
		at->flags |= SEARCHED;
	} else {
		mismatch(s, at);
	}
}

static void report(void *self, const struct tide_report *report)
{
	report->number(report->to, "pattern_entries", ((const struct pattern *)self)->most);
}

static const struct tide_param params[] = {
	{"scheme", TIDE_PARAM_INT, "2", 1, 2,
	 "when a fault outside a pattern deletes it: 1: always, 2: unless it has matched before"},
	{0},
};

const struct tide_policy td_policy_prefetch_pattern = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "pattern",
	.role = TIDE_PREFETCH,
	.summary = "the pages touched when the chunk was last resident, or all of it",
	.paper = "CPPE, IPDPS 2020",
	.needs = TIDE_NEEDS_TOUCHED,
	.params = params,
	.state_bytes = sizeof(struct pattern),
	.chunk_bytes = sizeof(struct slot),
	.chunk_bytes_with = chunk_bytes_with,
	.create = create,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.report = report,
};
