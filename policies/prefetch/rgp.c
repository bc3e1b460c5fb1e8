/* Region-grain prefetching, on top of fdp: where faults go forward page by page, whole chunks are
 * brought, and the next one too. One page of each is armed as a trigger; when the program gets
 * there, the next chunk that is absent follows, before it is asked for.
 *
 *     number   7   8   9  10  11  12
 *              T   .   r   r   r         a notice from the trigger in 7 brings 8,
 *                  T   r   r   r   .     then one from the trigger in 8 brings 12
 *
 * Which chunk is the next absent one is found by a walk past the resident ones; what the last walk
 * passed is remembered as a run, so that a stream passes each chunk once. */
#include "feedback.h"

#define STREAK 4 /* faults close behind each other that make a stream */

struct rgp {
	struct feedback feedback;
	const struct tide_view *view;
	uint64_t last_page; /* of the last fault */
	uint64_t faults;
	unsigned streak;
	uint64_t first, end; /* chunk numbers known to be resident: first .. end - 1 */
	uint64_t triggered;  /* chunks brought by triggers */
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct rgp *s = self;
	(void)values, (void)err;
	s->view = view;
	feedback_init(&s->feedback, view);
	return 0;
}

static uint64_t last_chunk(const struct rgp *s)
{
	return s->view->near->last_page / s->view->near->chunk_pages;
}

/* ---- is it a stream? ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct rgp *s = self;
	uint64_t ahead = p.number - s->last_page; /* wraps round where it is behind */
	bool close = s->faults++ && ahead <= s->view->near->chunk_pages;
	(void)c;
	s->streak = close ? s->streak + 1 : 0;
	s->last_page = p.number;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	struct rgp *s = self;
	if (s->streak < STREAK) {
		feedback_plan(&s->feedback, c, p, plan);
		return;
	}
	uint64_t number = tide_chunk_number(s->view, c);
	plan->own = tide_whole_chunk(s->view);
	plan->arm = 1u << TIDE_TRIGGER;
	if (number < last_chunk(s))
		tide_plan_chunk(plan, number + 1, plan->own);
}

/* ---- what comes next ---- */

static bool is_resident(const struct rgp *s, uint64_t number)
{
	tide_chunk c = tide_find_chunk(s->view, number);
	return c.index != TIDE_NO_CHUNK.index && tide_resident(s->view, c);
}

/* The first chunk number from one on that is not resident, 0 if there is none. */
static uint64_t next_absent(struct rgp *s, uint64_t from)
{
	uint64_t first = from, at = from;
	while (at && at <= last_chunk(s)) { /* 0: past the highest number there is */
		if (at >= s->first && at < s->end) {
			first = first < s->first ? first : s->first;
			at = s->end;
		} else if (is_resident(s, at)) {
			at++;
		} else {
			break;
		}
	}
	if (at > from) {
		s->first = first;
		s->end = at;
	}
	return at <= last_chunk(s) ? at : 0;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct rgp *s = self;
	uint64_t number = tide_chunk_number(s->view, c);
	feedback_evicted(&s->feedback, what);
	if (number < s->first || number >= s->end)
		return;
	if (number - s->first > s->end - number)
		s->end = number;
	else
		s->first = number + 1;
}

static void plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			struct tide_plan *plan)
{
	struct rgp *s = self;
	(void)p;
	if (purpose != TIDE_TRIGGER)
		return;
	uint64_t number = next_absent(s, tide_chunk_number(s->view, c) + 1);
	if (!number)
		return;
	tide_plan_chunk(plan, number, tide_whole_chunk(s->view));
	plan->arm = 1u << TIDE_TRIGGER;
	s->triggered++;
}

static void on_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose)
{
	struct rgp *s = self;
	(void)c, (void)p;
	feedback_notice(&s->feedback, purpose);
}

static void report(void *self, const struct tide_report *r)
{
	const struct rgp *s = self;
	feedback_report(&s->feedback, r);
	r->number(r->to, "triggered", s->triggered);
}

const struct tide_policy td_policy_prefetch_rgp = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "rgp",
	.role = TIDE_PREFETCH,
	.summary = "fdp, and the chunks ahead of a program that goes forward",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.state_bytes = sizeof(struct rgp),
	.create = create,
	.on_fault = on_fault,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.plan_notice = plan_notice,
	.report = report,
};
