/* The prefetching half of CPPE: a chunk that left with half of it or more untouched is remembered
 * with the pages that were touched, and when it faults on one of these, only these come back.
 *
 * Chunks leave a pattern only while the eviction policy goes by recency: what other strategies
 * evict had too short a life to show one. */
#include "tide/policy.h"

struct slot {
	uint64_t pattern;
	bool recorded : 1, searched : 1; /* searched: a fault has matched the record before */
} __attribute__((packed));               /* every chunk has one */

struct pattern {
	const struct tide_view *view;
	int64_t scheme;
	uint64_t records, most;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct pattern *s = self;
	(void)err;
	s->view = view;
	s->scheme = values[0].i;
	return 0;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct pattern *s = self;
	struct slot *slot = tide_slot(s->view, struct slot, c);
	unsigned untouched = (unsigned)__builtin_popcountll(what->resident & ~what->touched);
	if (!s->view->near->follows_lru || untouched * 2 < s->view->near->chunk_pages)
		return;
	s->records += !slot->recorded;
	s->most = s->records > s->most ? s->records : s->most;
	*slot = (struct slot){.pattern = what->touched, .recorded = true};
}

/* A fault that is not in the pattern: scheme 2 forgives it once the pattern has matched. */
static void mismatch(struct pattern *s, struct slot *slot)
{
	if (s->scheme == 2 && slot->searched)
		return;
	slot->recorded = false;
	s->records--;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	struct pattern *s = self;
	struct slot *slot = tide_slot(s->view, struct slot, c);
	plan->own = tide_whole_chunk(s->view);
	if (!slot->recorded)
		return;
	if (slot->pattern >> tide_page_bit(s->view, p) & 1) {
		plan->own = slot->pattern;
		slot->searched = true;
	} else {
		mismatch(s, slot);
	}
}

static void report(void *self, const struct tide_report *report)
{
	report->number(report->to, "pattern_entries", ((const struct pattern *)self)->most);
}

static const struct tide_param params[] = {
	{"scheme", TIDE_PARAM_INT, "2", 1, 2,
	 "a fault outside the pattern deletes it: 1 always, 2 unless one has matched before"},
	{0},
};

const struct tide_policy td_policy_prefetch_pattern = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "pattern",
	.role = TIDE_PREFETCH,
	.summary = "the pages that were touched when the chunk was here last, or all of it",
	.paper = "CPPE, IPDPS 2020",
	.needs = TIDE_NEEDS_TOUCHED,
	.params = params,
	.state_bytes = sizeof(struct pattern),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.report = report,
};
