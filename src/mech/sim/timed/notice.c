/* Notices: the GPU accessed a page that is watched in host memory. The access goes over the bus and
 * waits for nothing. The driver learns of it when it has nothing more urgent to do. Until then the
 * page stays where it is. What it does not learn of, more accesses to the chunk or one to a page
 * that left meanwhile, is a hit and no notice: the functional simulator has disarmed the chunk by
 * then. */
#include "state.h"

static bool is_armed(const struct td_timed *t, const struct td_timed_notice *n)
{
	const struct tide_view *v = &t->engine->box[TD_BOX_EVICT].view;
	tide_chunk c = {n->chunk};

	return (tide_resident(v, c) & tide_bits(v, c, TIDE_ARMED)) >> n->bit & 1;
}

static int serve(struct td_timed *t, const struct td_timed_notice *n)
{
	t->at = t->now;
	t->room_at = 0;
	int rc = td_engine_notice(t->engine, (tide_chunk){n->chunk}, &n->event, t->err);
	td_notice_end(t);
	return rc;
}

void td_notice_end(struct td_timed *t)
{
	uint64_t began = td_timed_later(t->now, t->driver_free);

	t->driver_free = td_timed_later(t->at, began) + td_timed_ps(t->model.notice_ns);
	t->figures.driver_ns += t->driver_free - began;
	if (t->driver == TD_DRIVER_STARTS)
		t->driver_at = td_timed_later(t->driver_at, t->driver_free);
}

int td_notice_give(struct td_timed *t, const struct td_timed_notice *n)
{
	for (uint32_t i = 0; i < t->notices_n; i++) {
		if (t->notices[i].chunk == n->chunk) /* the first notice of the chunk waits */
			return 0;
	}
	if (t->driver == TD_DRIVER_SLEEPS && t->driver_free <= t->now)
		return serve(t, n);
	if (t->notices_n < TD_OBSERVE_COUNTERS)
		t->notices[t->notices_n++] = *n;
	return 0;
}

uint64_t td_notice_at(const struct td_timed *t)
{
	if (!t->notices_n || t->driver != TD_DRIVER_SLEEPS)
		return TD_TIMED_NEVER;
	return td_timed_later(t->now, t->driver_free);
}

int td_notice_act(struct td_timed *t)
{
	struct td_timed_notice first = t->notices[0];

	t->notices_n--;
	for (uint32_t i = 0; i < t->notices_n; i++)
		t->notices[i] = t->notices[i + 1];
	return is_armed(t, &first) ? serve(t, &first) : 0;
}
