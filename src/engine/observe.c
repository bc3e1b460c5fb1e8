/* Observation: which pages are armed and why, and what an access to one of them sets off.
 *
 * A chunk is observed for one purpose at a time. Its armed pages are a lane of its record. The
 * tables here say for which purpose. Hardware has 256 counters, which the purposes share. So the
 * tables are short, and a search is cheap. */
#include <errno.h>

#include "ask.h"

#define FEEDBACK_BUDGET 64
#define OBSERVE_MAX (TD_OBSERVE_COUNTERS - FEEDBACK_BUDGET)
#define JUDGED 100 /* evictions after which the number of samples is judged */
#define SAMPLES_MAX 8

/* The value of one of the rows that TIDE_OBSERVE_PARAMS gives an eviction policy. */
static int64_t setting(const struct td_policy_choice *choice, const char *name, int64_t otherwise)
{
	const struct tide_param *row = choice->policy->params;
	for (size_t i = 0; row && row[i].name; i++) {
		if (!strcmp(row[i].name, name) && row[i].type == TIDE_PARAM_INT)
			return choice->values[i].i;
	}
	return otherwise;
}

/* A plug-in may give these rows other ranges than TIDE_OBSERVE_PARAMS does. */
int td_observe_init(struct td_engine *e, struct tide_error *err)
{
	const struct td_policy_choice *evict = &e->box[TD_BOX_EVICT].choice;
	struct td_observe *o = &e->observe;
	int64_t chunks = setting(evict, "observe", 100), samples = setting(evict, "samples", 1);
	if (chunks < 0 || chunks > OBSERVE_MAX || samples < 1 || samples > SAMPLES_MAX)
		return tide_fail(err, -EINVAL,
				 "evict policy %s observes %lld chunks by %lld pages each: at most "
				 "%d by %d are observed, write TIDE_OBSERVE_PARAMS into its table",
				 evict->policy->name, (long long)chunks, (long long)samples,
				 OBSERVE_MAX, SAMPLES_MAX);
	o->budget[TIDE_OBSERVE] = (unsigned)chunks;
	o->budget[TIDE_FEEDBACK] = FEEDBACK_BUDGET;
	o->budget[TIDE_TRIGGER] = OBSERVE_MAX - o->budget[TIDE_OBSERVE];
	o->samples = (unsigned)samples;
	o->adapt = setting(evict, "adapt", 1);
	return 0;
}

/* ---- the table ---- */

static bool find(const struct td_observe *o, uint32_t index, unsigned *purpose, unsigned *at)
{
	for (*purpose = 0; *purpose < TD_OBSERVE_PURPOSES; ++*purpose) {
		for (*at = 0; *at < o->n[*purpose]; ++*at) {
			if (o->chunk[*purpose][*at] == index)
				return true;
		}
	}
	return false;
}

/* Out of the table: what it was observed for. */
static enum tide_purpose forget(struct td_observe *o, uint32_t index)
{
	unsigned purpose, at;
	if (!find(o, index, &purpose, &at))
		return TIDE_OBSERVE;
	td_assert(o->n[purpose] && o->n[purpose] <= o->budget[purpose]);
	o->chunk[purpose][at] = o->chunk[purpose][--o->n[purpose]];
	return (enum tide_purpose)purpose;
}

void td_observe_forget(struct td_engine *e, tide_chunk c)
{
	forget(&e->observe, c.index);
}

/* n of the pages, drawn at random; all, if there are no more. */
static uint64_t draw(struct td_engine *e, uint64_t pages, unsigned n)
{
	uint64_t drawn = 0;
	if (td_lanes_count(pages) <= n)
		return pages;
	while (n--) {
		uint64_t rest = pages & ~drawn;
		for (uint64_t skip = tide_random_next(&e->random) % td_lanes_count(rest); skip;
		     skip--)
			rest &= rest - 1;
		drawn |= rest & -rest;
	}
	return drawn;
}

static void arm(struct td_engine *e, uint32_t index, uint64_t pages, unsigned n,
		enum tide_purpose purpose)
{
	struct td_observe *o = &e->observe;
	struct td_lanes l = load(e, index);
	pages &= l.resident;
	if (!pages || l.armed & l.resident || o->n[purpose] >= o->budget[purpose])
		return;
	pages = draw(e, pages, n);
	td_assert(pages && td_lanes_count(pages) <= n);
	td_assert(!find(o, index, &(unsigned){0}, &(unsigned){0}));
	l.armed |= pages;
	store(e, index, l);
	e->counts.observe_pages += td_lanes_count(pages);
	o->chunk[purpose][o->n[purpose]++] = index;
	if (e->carrier.watch)
		e->carrier.watch(e->carrier.arg, (tide_chunk){index}, pages, true);
}

/* ---- what is armed after a fault or a notice ---- */

/* What the prefetcher wants of the chunks it has just filled. */
static void arm_planned(struct td_engine *e, tide_chunk c, uint64_t fault_bit)
{
	const struct tide_plan *plan = &e->plan;
	enum tide_purpose purpose = plan->arm & 1u << TIDE_TRIGGER ? TIDE_TRIGGER : TIDE_FEEDBACK;
	if (!plan->arm)
		return;
	arm(e, c.index, plan->own & ~fault_bit, 1, purpose);
	for (uint32_t i = 0; i < plan->n; i++)
		arm(e, plan->other[i].index, plan->other[i].pages, 1, purpose);
}

int td_observe_after(struct td_engine *e, tide_chunk c, uint64_t fault_bit, struct tide_error *err)
{
	tide_chunk found;
	arm_planned(e, c, fault_bit);
	int rc = td_ask_observed(e, &found, err);
	if (!rc && found.index != UINT32_MAX)
		arm(e, found.index, resident(e, found.index), e->observe.samples, TIDE_OBSERVE);
	return rc;
}

/* ---- how many samples ---- */

void td_observe_fault(struct td_engine *e, tide_chunk c)
{
	struct td_observe *o = &e->observe;
	for (unsigned i = 0; i < o->left_n; i++) {
		if (o->left[i] == c.index) {
			o->left[i] = UINT32_MAX;
			o->came_back++;
		}
	}
}

static void judge(struct td_observe *o)
{
	if (o->came_back * 2 > JUDGED)
		o->samples = o->samples * 2 < SAMPLES_MAX ? o->samples * 2 : SAMPLES_MAX;
	else if (o->came_back * 5 < JUDGED)
		o->samples = o->samples > 1 ? o->samples / 2 : 1;
	td_assert(o->samples >= 1 && o->samples <= SAMPLES_MAX);
	o->left_n = o->came_back = 0;
}

void td_observe_evicted(struct td_engine *e, tide_chunk c, const struct td_lanes *l,
			struct tide_evicted *what)
{
	struct td_observe *o = &e->observe;
	if (l->armed & l->resident) {
		what->unused = true;
		what->purpose = forget(o, c.index);
	}
	if (!o->adapt)
		return;
	td_assert(o->left_n < JUDGED && o->came_back <= o->left_n);
	o->left[o->left_n++] = c.index;
	if (o->left_n == JUDGED)
		judge(o);
}

/* ---- an armed page was accessed ---- */

int td_engine_notice(struct td_engine *e, tide_chunk c, const struct td_event *event,
		     struct tide_error *err)
{
	struct td_lanes l = load(e, c.index);
	enum tide_purpose purpose = forget(&e->observe, c.index);
	td_assert(l.armed & l.resident);
	e->counts.remote_accesses++;
	e->counts.notices++;
	e->counts.observe_pages += td_lanes_count(l.armed & l.resident);
	if (e->carrier.watch)
		e->carrier.watch(e->carrier.arg, c, l.armed & l.resident, false);
	l.armed &= ~l.resident;
	store(e, c.index, l);
	TELL(e, on_notice, c, (tide_page){event->page}, purpose);
	return td_engine_bring_noticed(e, c, event, purpose, err);
}

int td_engine_remote(struct td_engine *e, tide_chunk c, const struct td_event *event,
		     struct tide_error *err)
{
	const struct td_engine_box *box = &e->box[TD_BOX_PREFETCH];
	e->counts.remote_accesses++;
	e->remote_only++;
	if (box->choice.policy->on_notice) {
		CALLING_BOX(e, on_notice, TD_BOX_PREFETCH);
		box->choice.policy->on_notice(box->self, c, (tide_page){event->page}, TIDE_REMOTE);
	}
	return td_engine_bring_noticed(e, c, event, TIDE_REMOTE, err);
}
