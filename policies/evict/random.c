/* The victim is a random valid resident chunk, all equally likely. The random number is its place
 * among them in ascending order. */
#include "tide/ostree.h"
#include "tide/policy.h"

struct uniform {
	const struct tide_view *view;
	struct tide_ostree tree; /* resident chunks by number */
};

static uint64_t key(const void *arg, uint32_t i)
{
	const struct uniform *s = arg;
	return tide_chunk_number(s->view, (tide_chunk){i});
}

static struct tide_osview tree_view(const struct uniform *s)
{
	return (struct tide_osview){{s->view->slots, sizeof(struct tide_osnode)}, key, s};
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct uniform *s = self;
	(void)values, (void)err;
	s->view = view;
	return 0;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct uniform *s = self;
	struct tide_osview v = tree_view(s);
	if (tide_came_in(s->view, c, pages))
		tide_ostree_add(&s->tree, &v, c.index);
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct uniform *s = self;
	struct tide_osview v = tree_view(s);
	(void)what;
	tide_ostree_remove(&s->tree, &v, c.index);
}

/* If c is resident and its rank is not above the drawn rank, moves the drawn rank up by one. */
static void pass_over(const struct uniform *s, const struct tide_osview *v, tide_chunk c,
		      uint64_t *rank)
{
	if (tide_resident(s->view, c) && tide_ostree_rank(&s->tree, v, key(s, c.index)) <= *rank)
		++*rank;
}

static tide_chunk pick_victim(void *self)
{
	struct uniform *s = self;
	const struct tide_near *near = s->view->near;
	struct tide_osview v = tree_view(s);
	uint64_t rank = tide_random_below(s->view, near->resident_chunks - near->blocked_chunks);
	bool faulted_passed = !near->blocked_chunks || near->fault_chunk.index == UINT32_MAX;
	/* Go through the chunks that are no valid victims, in ascending order. */
	for (uint32_t i = 0; near->planned && i < near->plan->n; i++) {
		if (!faulted_passed &&
		    near->plan->other[i].number > key(s, near->fault_chunk.index)) {
			pass_over(s, &v, near->fault_chunk, &rank);
			faulted_passed = true;
		}
		pass_over(s, &v, (tide_chunk){near->plan->other[i].index}, &rank);
	}
	if (!faulted_passed)
		pass_over(s, &v, near->fault_chunk, &rank);
	tide_chunk c = {tide_ostree_select(&s->tree, &v, rank)};
	/* Others may be held: the next one that is not. */
	while (!tide_valid(s->view, c))
		c.index = tide_ostree_select(&s->tree, &v, ++rank % near->resident_chunks);
	return c;
}

const struct tide_policy td_policy_evict_random = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "random",
	.role = TIDE_EVICT,
	.summary = "any resident chunk, all equally likely",
	.paper = "reference",
	.needs = TIDE_TAKES_SIZES,
	.state_bytes = sizeof(struct uniform),
	.chunk_bytes = sizeof(struct tide_osnode),
	.create = create,
	.on_migrated = on_migrated,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
};
