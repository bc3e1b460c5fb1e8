/* Migration by access counters. If a chunk was evicted before, its faulting page is only mapped in
 * far memory. The whole chunk comes in when it was accessed there often enough. A chunk that was
 * never evicted comes in as under tree. There are few counters. A chunk that has none takes the
 * counter that was hit least recently. */
#include "tide/list.h"
#include "tree.h"

#define COUNTERS_MOST 4096

struct slot {
	uint16_t counter_plus_1; /* 0: none */
	bool evicted;            /* the chunk was evicted at some time before */
};

struct counter {
	struct tide_link link;
	tide_chunk chunk;
	uint32_t hits;
};

struct acbm {
	const struct tide_view *view;
	uint32_t threshold;
	bool first;            /* pages of chunks never evicted are mapped, too */
	struct tide_list used; /* the head was hit least recently */
	struct tide_list idle;
	uint64_t recycled, migrated;
	struct counter at[COUNTERS_MOST];
};

enum { THRESHOLD, COUNTERS, FIRST };

static struct tide_links links(struct acbm *s)
{
	return (struct tide_links){(unsigned char *)s->at, sizeof(struct counter)};
}

static struct slot *slot(const struct acbm *s, tide_chunk c)
{
	return tide_slot(s->view, struct slot, c);
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct acbm *s = self;
	(void)err;
	s->view = view;
	s->threshold = (uint32_t)values[THRESHOLD].i;
	s->first = values[FIRST].i;
	tide_list_init(&s->used);
	tide_list_init(&s->idle);
	for (uint32_t i = 0; i < (uint32_t)values[COUNTERS].i; i++)
		tide_list_push_tail(&s->idle, links(s), i);
	return 0;
}

static void release(struct acbm *s, uint32_t i)
{
	slot(s, s->at[i].chunk)->counter_plus_1 = 0;
	tide_list_remove(&s->used, links(s), i);
	tide_list_push_tail(&s->idle, links(s), i);
}

/* Gives a counter to a chunk that has none. */
static void acquire(struct acbm *s, tide_chunk c)
{
	if (!s->idle.n) {
		release(s, s->used.head);
		s->recycled++;
	}
	uint32_t i = s->idle.head;
	tide_list_remove(&s->idle, links(s), i);
	tide_list_push_tail(&s->used, links(s), i);
	s->at[i].chunk = c;
	s->at[i].hits = 0;
	slot(s, c)->counter_plus_1 = (uint16_t)(i + 1);
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct acbm *s = self;
	if (s->first || slot(s, c)->evicted)
		plan->remote = true;
	else
		plan->own = tree_node(s->view, TREE_CAREFUL, c, p);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	(void)what;
	slot(self, c)->evicted = true;
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	struct acbm *s = self;
	(void)p;
	if (purpose != TIDE_REMOTE)
		return;
	if (!slot(s, c)->counter_plus_1)
		acquire(s, c);
	uint32_t i = slot(s, c)->counter_plus_1 - 1;
	s->at[i].hits++;
	tide_list_to_tail(&s->used, links(s), i);
}

static void plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			struct tide_plan *plan)
{
	struct acbm *s = self;
	(void)p;
	if (purpose != TIDE_REMOTE)
		return;
	uint32_t i = slot(s, c)->counter_plus_1 - 1;
	if (s->at[i].hits < s->threshold)
		return;
	plan->own = tide_whole_chunk(s->view);
	s->migrated++;
	release(s, i);
}

static void report(void *self, const struct tide_report *r)
{
	const struct acbm *s = self;
	r->number(r->to, "counters_recycled", s->recycled);
	r->number(r->to, "chunks_migrated", s->migrated);
}

static const struct tide_param params[] = {
	{"threshold", TIDE_PARAM_INT, "256", 1, 65535, "accesses after which a chunk is migrated"},
	{"counters", TIDE_PARAM_INT, "256", 1, COUNTERS_MOST, "chunks counted at once"},
	{"first", TIDE_PARAM_INT, "0", 0, 1, "1: pages of chunks never evicted are mapped too"},
	{0},
};

const struct tide_policy td_policy_prefetch_acbm = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "acbm",
	.role = TIDE_PREFETCH,
	.summary =
		"tree; an evicted chunk comes back once its pages were often accessed in host memory",
	.paper = "NVIDIA's driver, access counter based migration",
	.needs = TIDE_NEEDS_NOTICES | TIDE_NEEDS_REMOTE,
	.params = params,
	.state_bytes = sizeof(struct acbm),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.plan_notice = plan_notice,
	.report = report,
};
