/* Least recently used, nearly: of a few resident chunks drawn at random, the one not used for
 * longest. No list to keep in order, so an access costs one store.
 *
 * The resident chunks are an array that lies across the slots: place i of it is kept in slot i,
 * whichever chunk that is, and a chunk that leaves is replaced by the last one. */
#include <tide/policy.h>

struct slot {
	uint64_t used_at; /* time of this chunk's last access */
	uint32_t place;   /* of this chunk in the array */
	uint32_t member;  /* the array's entry here; not in any way this chunk's */
};

struct sampled {
	const struct tide_view *view;
	uint64_t samples;
	uint32_t resident;
	uint64_t victims, age; /* age: of all victims together, in accesses */
};

static struct slot *slot(const struct sampled *s, uint32_t i)
{
	return tide_slot(s->view, struct slot, (tide_chunk){i});
}

static int create(void *self, const struct tide_view *view, const union tide_value *values,
		  struct tide_error *err)
{
	struct sampled *s = self;
	(void)err;
	s->view = view;
	s->samples = (uint64_t)values[0].i;
	return 0;
}

static void put(struct sampled *s, uint32_t place, uint32_t chunk)
{
	slot(s, place)->member = chunk;
	slot(s, chunk)->place = place;
}

static void on_migrated(void *self, tide_chunk c, uint64_t pages)
{
	struct sampled *s = self;
	if (!tide_came_in(s->view, c, pages))
		return;
	slot(s, c.index)->used_at = s->view->near->time;
	put(s, s->resident++, c.index);
}

static void on_access(void *self, tide_chunk c, tide_page p, uint64_t ref)
{
	struct sampled *s = self;
	(void)p, (void)ref;
	slot(s, c.index)->used_at = s->view->near->time;
}

static void on_evicted(void *self, tide_chunk c, const struct tide_evicted *what)
{
	struct sampled *s = self;
	(void)what;
	s->victims++;
	s->age += s->view->near->time - slot(s, c.index)->used_at;
	put(s, slot(s, c.index)->place, slot(s, --s->resident)->member);
}

/* The first valid chunk from a place on, round and round: the engine asks only if there is one. */
static uint32_t valid_from(const struct sampled *s, uint32_t place)
{
	while (!tide_valid(s->view, (tide_chunk){slot(s, place)->member}))
		place = place + 1 < s->resident ? place + 1 : 0;
	return slot(s, place)->member;
}

static tide_chunk pick_victim(void *self)
{
	struct sampled *s = self;
	tide_chunk best = TIDE_NO_CHUNK;
	for (uint64_t i = 0; i < s->samples; i++) {
		uint32_t place = (uint32_t)tide_random_below(s->view, s->resident);
		uint32_t at = valid_from(s, place);
		if (!i || slot(s, at)->used_at < slot(s, best.index)->used_at)
			best.index = at;
	}
	return best;
}

static void report(void *self, const struct tide_report *r)
{
	const struct sampled *s = self;
	r->number(r->to, "victims", s->victims);
	r->real(r->to, "mean_victim_age", s->victims ? (double)s->age / (double)s->victims : 0);
}

static const struct tide_param params[] = {
	{"samples", TIDE_PARAM_INT, "5", 1, 1000, "chunks drawn for each victim"},
	{0},
};

const struct tide_policy tide_policy = {
	.api = TIDE_POLICY_API,
	.size = sizeof(struct tide_policy),
	.name = "sampled-lru",
	.role = TIDE_EVICT,
	.summary = "the least recently used of a few chunks drawn at random",
	.paper = "example",
	.needs = TIDE_NEEDS_ACCESSES,
	.params = params,
	.state_bytes = sizeof(struct sampled),
	.chunk_bytes = sizeof(struct slot),
	.create = create,
	.on_migrated = on_migrated,
	.on_access = on_access,
	.on_evicted = on_evicted,
	.pick_victim = pick_victim,
	.report = report,
};
