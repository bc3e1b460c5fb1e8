/* The next n pages in order, across chunk borders. Resident pages are among the n. */
#include "tide/policy.h"

struct sequential {
	const struct tide_view *view;
	uint64_t n;
};

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct sequential *s = self;
	(void)err;
	s->view = view;
	s->n = (uint64_t)values[0].i;
	return 0;
}

/* The bits of `length` pages of one chunk, from bit `first` on. */
static uint64_t run(unsigned first, uint64_t length)
{
	return (UINT64_MAX >> (64 - length)) << first;
}

static void plan_prefetch(void *self, tide_chunk c, tide_page p, struct tide_plan *plan)
{
	const struct sequential *s = self;
	uint64_t left = s->n, number = tide_chunk_number(s->view, c);
	unsigned first = tide_page_bit(s->view, p);
	uint32_t chunk_pages = s->view->near->chunk_pages;
	while (left) {
		uint64_t length = chunk_pages - first < left ? chunk_pages - first : left;
		tide_plan_chunk(plan, number++, run(first, length));
		left -= length;
		first = 0;
		if (!number)
			return; /* past the highest possible number */
	}
}

static const struct tide_param params[] = {
	{"n", TIDE_PARAM_INT, "128", 1, 4096, "pages to bring in, including the faulting one"},
	{0},
};

const struct tide_policy td_policy_prefetch_sequential = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "sequential",
	.role = TIDE_PREFETCH,
	.summary = "the next n pages, across chunk borders",
	.paper = "Zheng et al., HPCA 2016",
	.params = params,
	.state_bytes = sizeof(struct sequential),
	.create = create,
	.plan_prefetch = plan_prefetch,
};
