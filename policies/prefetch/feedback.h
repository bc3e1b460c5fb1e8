/* What fdp and rgp share: a tree whose threshold depends on whether prefetched pages are used. One
 * prefetched page of a chunk is armed. If the program accesses it, prefetching was of use. If the
 * chunk is evicted before that, it was not. */
#ifndef TIDE_PREFETCH_FEEDBACK_H
#define TIDE_PREFETCH_FEEDBACK_H

#include "tree.h"

#define FEEDBACK_ANSWERS 50 /* after so many answers the threshold is chosen anew */

struct feedback {
	const struct tide_view *view;
	uint64_t threshold;
	unsigned yes, no;         /* answers since the threshold was chosen */
	uint64_t useful, useless; /* answers in the whole run */
};

static inline void feedback_init(struct feedback *f, const struct tide_view *view)
{
	f->view = view;
	f->threshold = TREE_CAREFUL;
}

static inline void feedback_count(struct feedback *f, bool useful)
{
	f->yes += useful;
	f->no += !useful;
	f->useful += useful;
	f->useless += !useful;
	if (f->yes + f->no < FEEDBACK_ANSWERS)
		return;
	f->threshold = 10 * f->yes > 8 * FEEDBACK_ANSWERS ? TREE_AGGRESSIVE : TREE_CAREFUL;
	f->yes = f->no = 0;
}

static inline void feedback_notice(struct feedback *f, enum tide_purpose purpose)
{
	if (purpose == TIDE_FEEDBACK)
		feedback_count(f, true);
}

static inline void feedback_evicted(struct feedback *f, const struct tide_evicted *what)
{
	if (what->unused && what->purpose == TIDE_FEEDBACK)
		feedback_count(f, false);
}

static inline void feedback_plan(const struct feedback *f, tide_chunk c, tide_page p,
				 struct tide_plan *plan)
{
	plan->own = tree_node(f->view, f->threshold, c, p);
	plan->arm = 1u << TIDE_FEEDBACK;
}

static inline void feedback_report(const struct feedback *f, const struct tide_report *r)
{
	r->number(r->to, "threshold", f->threshold);
	r->number(r->to, "useful", f->useful);
	r->number(r->to, "useless", f->useless);
}

#endif
