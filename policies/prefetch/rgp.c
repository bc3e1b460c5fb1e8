/* Region-grain prefetching, on top of fdp. Where faults go forward in small steps, a fault brings
 * in its whole chunk, and the next chunk too. One page of each is armed as a trigger. When the
 * program reaches it, the next absent chunk comes in before it faults.
 *
 *     number   7   8   9  10  11  12
 *              T   .   r   r   r         a notice from the trigger in 7 brings 8,
 *                  T   r   r   r   .     then one from the trigger in 8 brings 12
 *
 * A walk past the resident chunks finds the next absent one. The policy remembers the chunks that
 * the last walk passed as a run, so that a stream passes each chunk once.
 *
 * Each allocation of the program is a stream of its own. Prefetching does not go past its end. */
#include <errno.h>
#include <stdlib.h>

#include "feedback.h"

#define STREAK 4      /* so many faults close behind each other make a stream */
#define STREAMS 1024u /* allocations looked at, where allocations come and go */

/* What is known of an allocation. */
struct stream {
	uint64_t of;        /* the allocation's first page */
	uint64_t last_page; /* page of the last fault */
	uint64_t faults;
	unsigned streak;
	uint64_t first, end; /* chunk numbers known to be resident: first .. end - 1 */
};

struct rgp {
	struct feedback feedback;
	const struct tide_view *view;
	struct stream *stream; /* by allocation, or by hash where allocations come and go */
	uint32_t allocations;  /* 0: they come and go, or there is only one */
	uint64_t triggered;    /* chunks brought by triggers */
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct rgp *s = self;
	(void)values;
	s->view = view;
	feedback_init(&s->feedback, view);
	s->allocations = view->near->allocations_n;
	s->stream = calloc(s->allocations ? s->allocations : STREAMS, sizeof *s->stream);
	return s->stream ? 0 : tide_fail(err, -ENOMEM, "out of memory for policy rgp");
}

static void destroy(void *self)
{
	struct rgp *s = self;
	free(s->stream);
}

static uint64_t last_chunk(const struct rgp *s, uint32_t allocation)
{
	return tide_allocation_end(s->view, allocation) / s->view->near->chunk_pages;
}

/* If two allocations share a place, it belongs to the allocation that was looked at last. */
static struct stream *stream_of(struct rgp *s, uint32_t allocation)
{
	if (s->allocations)
		return &s->stream[allocation];
	uint64_t first = s->view->near->allocations_n ? s->view->near->allocations[allocation] : 0;
	struct stream *at = &s->stream[tide_hash64(first) % STREAMS];
	if (at->of != first)
		*at = (struct stream){.of = first};
	return at;
}

/* ---- is it a stream? ---- */

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct rgp *s = self;
	struct stream *of = stream_of(s, tide_allocation(s->view, p.number));
	uint64_t ahead = p.number - of->last_page;
	bool close =
		of->faults++ && p.number >= of->last_page && ahead <= s->view->near->chunk_pages;
	(void)c;
	of->streak = close ? of->streak + 1 : 0;
	of->last_page = p.number;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	struct rgp *s = self;
	uint32_t allocation = tide_allocation(s->view, p.number);
	if (stream_of(s, allocation)->streak < STREAK) {
		feedback_plan(&s->feedback, c, p, plan);
		return;
	}
	uint64_t number = tide_chunk_number(s->view, c);
	plan->own = tide_whole_chunk(s->view);
	plan->arm = 1u << TIDE_TRIGGER;
	if (number < last_chunk(s, allocation))
		tide_plan_chunk(plan, number + 1, plan->own);
}

/* ---- what comes next ---- */

static bool is_resident(const struct rgp *s, uint64_t number)
{
	tide_chunk c = tide_find_chunk(s->view, number);
	return c.index != TIDE_NO_CHUNK.index && tide_resident(s->view, c);
}

/* The number of the allocation's first absent chunk at `from` or after it; 0: there is none. */
static uint64_t next_absent(struct rgp *s, uint32_t allocation, uint64_t from)
{
	struct stream *of = stream_of(s, allocation);
	uint64_t first = from, at = from, last = last_chunk(s, allocation);
	while (at && at <= last) { /* 0: past the highest possible number */
		if (at >= of->first && at < of->end) {
			first = first < of->first ? first : of->first;
			at = of->end;
		} else if (is_resident(s, at)) {
			at++;
		} else {
			break;
		}
	}
	if (at > from) {
		of->first = first;
		of->end = at;
	}
	return at <= last ? at : 0;
}

static void cut(struct stream *of, uint64_t number)
{
	if (number < of->first || number >= of->end)
		return;
	if (number - of->first > of->end - number)
		of->end = number;
	else
		of->first = number + 1;
}

/* A chunk may hold the end of one allocation and the start of others. */
static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct rgp *s = self;
	uint64_t number = tide_chunk_number(s->view, c), pages = s->view->near->chunk_pages;
	uint32_t allocation = tide_allocation(s->view, number * pages);
	feedback_evicted(&s->feedback, what);
	do {
		cut(stream_of(s, allocation), number);
	} while (++allocation < s->view->near->allocations_n &&
		 s->view->near->allocations[allocation] / pages == number);
}

static void plan_notice(void *self, tide_chunk c, tide_page p, enum tide_purpose purpose,
			struct tide_plan *plan)
{
	struct rgp *s = self;
	if (purpose != TIDE_TRIGGER)
		return;
	uint64_t number = next_absent(s, tide_allocation(s->view, p.number),
				      tide_chunk_number(s->view, c) + 1);
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
	.summary = "fdp, and the next chunks of a stream",
	.paper = "ObservUVM, ISCA 2026",
	.needs = TIDE_NEEDS_NOTICES,
	.state_bytes = sizeof(struct rgp),
	.create = create,
	.destroy = destroy,
	.on_fault = on_fault,
	.on_notice = on_notice,
	.on_evicted = on_evicted,
	.plan_prefetch = plan_prefetch,
	.plan_notice = plan_notice,
	.report = report,
};
