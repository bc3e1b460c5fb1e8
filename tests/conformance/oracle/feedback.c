/* Prefetchers that adapt: section 5.3 and early-adaptor of 5.4. */
#include "oracle.h"

#include <string.h>

struct feedback {
	/* fdp */
	uint64_t useful, answers;
	/* rgp: pages of the last five faults, the newest first */
	uint64_t page[5];
	uint64_t faults;
	/* early-adaptor: chunks of the faults of this window */
	uint32_t chunk[64];
	size_t window_len, again;
};

static void create(struct prefetcher *p)
{
	p->own = own_state(sizeof(struct feedback));
	p->threshold = 51;
}

/* ---- fdp ---- */

static struct plan fdp_plan(struct prefetcher *p)
{
	struct plan plan = plan_tree(p);

	plan.arm = true;
	plan.purpose = FEEDBACK;
	return plan;
}

static void answer(struct prefetcher *p, bool useful)
{
	struct feedback *x = p->own;

	x->answers++;
	x->useful += useful;
	if (x->answers < 50)
		return;
	p->threshold = x->useful * 10 > x->answers * 8 ? 1 : 51;
	x->answers = x->useful = 0;
}

static void fdp_notice(struct prefetcher *p, uint32_t c, enum purpose purpose)
{
	(void)c;
	if (purpose == FEEDBACK)
		answer(p, true);
}

static void fdp_evicted(struct prefetcher *p, uint32_t c, bool unused)
{
	if (unused && p->o->chunks[c].purpose == FEEDBACK)
		answer(p, false);
}

/* ---- rgp ---- */

static void rgp_fault(struct prefetcher *p, uint32_t c, uint64_t page)
{
	struct feedback *x = p->own;

	(void)c;
	memmove(x->page + 1, x->page, 4 * sizeof(*x->page));
	x->page[0] = page;
	x->faults++;
}

static bool streams(const struct prefetcher *p)
{
	const struct feedback *x = p->own;

	if (x->faults < 5)
		return false;
	for (int i = 0; i < 4; i++)
		if (x->page[i] < x->page[i + 1] ||
		    x->page[i] - x->page[i + 1] > p->o->pages_per_chunk)
			return false;
	return true;
}

static struct plan rgp_plan(struct prefetcher *p)
{
	struct oracle *o = p->o;
	uint64_t number = o->chunks[o->fault_chunk].number;

	if (!streams(p))
		return fdp_plan(p);
	add_chunk(o, number);
	if (number < UINT64_MAX)
		add_chunk(o, number + 1);
	return (struct plan){.arm = true, .purpose = TRIGGER};
}

static bool has_resident_page(struct oracle *o, uint64_t number)
{
	uint32_t c = chunk_of(o, number * o->pages_per_chunk);

	return o->chunks[c].resident;
}

static struct plan rgp_plan_notice(struct prefetcher *p, uint32_t c, enum purpose purpose)
{
	struct oracle *o = p->o;
	uint64_t last = o->max_page / o->pages_per_chunk, number = o->chunks[c].number;

	if (purpose != TRIGGER)
		return (struct plan){0};
	while (number < last) {
		if (has_resident_page(o, ++number))
			continue;
		add_chunk(o, number);
		break;
	}
	return (struct plan){.arm = true, .purpose = TRIGGER};
}

/* ---- early-adaptor ---- */

static bool in_window(const struct feedback *x, uint32_t c)
{
	for (size_t i = 0; i < x->window_len; i++)
		if (x->chunk[i] == c)
			return true;
	return false;
}

static void early_fault(struct prefetcher *p, uint32_t c, uint64_t page)
{
	struct feedback *x = p->own;

	(void)page;
	x->again += in_window(x, c);
	x->chunk[x->window_len++] = c;
	if (x->window_len < 64)
		return;
	p->threshold = x->again * 2 > 64 ? 1 : 51;
	x->window_len = x->again = 0;
}

const struct prefetch feedback_prefetchers[] = {
	{.name = "fdp",
	 .create = create,
	 .plan = fdp_plan,
	 .evicted = fdp_evicted,
	 .notice = fdp_notice},
	{.name = "rgp",
	 .create = create,
	 .fault = rgp_fault,
	 .plan = rgp_plan,
	 .evicted = fdp_evicted,
	 .notice = fdp_notice,
	 .plan_notice = rgp_plan_notice},
	{.name = "early-adaptor", .create = create, .fault = early_fault, .plan = plan_tree},
	{0},
};
