/* A tree whose threshold follows the faults. If most faults of a window fall in chunks that already
 * had a fault in that window, the program uses chunks whole. So faults of the next window bring in
 * whole chunks. */
#include "tree.h"

#define WINDOW 64 /* faults */

struct slot {
	uint16_t window; /* number of the window of the chunk's last fault, from 1 */
};

struct adaptor {
	const struct tide_view *view;
	uint64_t threshold;
	uint16_t window;        /* number of the present window */
	unsigned faults, again; /* faults in it; faults in chunks that already had one in it */
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct adaptor *s = self;
	(void)values, (void)err;
	s->view = view;
	s->threshold = TREE_CAREFUL;
	s->window = 1;
	return 0;
}

/* The numbers of windows have run out. Clears all slots: no chunk had a fault in the new window. */
static void count_again(struct adaptor *s)
{
	memset(s->view->slots, 0, s->view->near->chunks * sizeof(struct slot));
	s->window = 1;
}

static void on_fault(void *self, tide_chunk c, tide_page p)
{
	struct adaptor *s = self;
	struct slot *slot = tide_slot(s->view, struct slot, c);
	(void)p;
	s->again += slot->window == s->window;
	slot->window = s->window;
	if (++s->faults < WINDOW)
		return;
	s->threshold = 2 * s->again > WINDOW ? TREE_AGGRESSIVE : TREE_CAREFUL;
	s->faults = s->again = 0;
	if (s->window++ == UINT16_MAX)
		count_again(s);
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct adaptor *s = self;
	plan->own = tree_node(s->view, s->threshold, c, p);
}

static void report(void *self, const struct tide_report *r)
{
	r->number(r->to, "threshold", ((const struct adaptor *)self)->threshold);
}

const struct tide_policy td_policy_prefetch_early_adaptor = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "early-adaptor",
	.role = TIDE_PREFETCH,
	.summary = "tree, or the whole chunk while faults fall close together (an approximation)",
	.paper = "Early-Adaptor, ISPASS 2023",
	.state_bytes = sizeof(struct adaptor),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_fault = on_fault,
	.plan_prefetch = plan_prefetch,
	.report = report,
};
