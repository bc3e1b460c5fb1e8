/* Failures, bounded waits, and requests to the processor. */
#ifndef TIDE_DEVICE_QUEUE_H
#define TIDE_DEVICE_QUEUE_H

#include <errno.h>

#include "control.h"
#include "entry.h"

/* What a warp waits for, besides the requests of enum td_dev_op. */
enum td_dev_waits { TD_DEV_WAITS_FRAME = 100, TD_DEV_WAITS_SLOT, TD_DEV_WAITS_PAGE };

/* Called by one lane: tells the processor the first failure. From then on nothing waits for long.
 * */
TD_DEV_SLOW void td_dev_fail(struct td_dev_control *c, int error, uint32_t page, uint32_t op)
{
	if (td_dev_cas32(&c->failed, 0, 1) != 0)
		return;
	struct td_dev_failure *f = c->failure;
	f->error = error;
	f->page = page;
	f->op = op;
	f->entry = td_dev_peek(&c->entries[page]);
	td_dev_fence_far();
	td_dev_store_far32(&f->said, 1);
}

TD_DEV bool td_dev_failed(struct td_dev_control *c)
{
	return td_dev_peek32(&c->failed) != 0;
}

/* A wait of one lane, in steps that grow up to a limit. */
struct td_dev_wait {
	uint64_t since_ns;
	uint32_t step_ns;
};

/* Waits one step. False: the wait took too long, which is told, or something else failed. */
TD_DEV bool td_dev_waits(struct td_dev_control *c, struct td_dev_wait *w, uint32_t page,
			 uint32_t op)
{
	uint64_t now = td_dev_now_ns();
	if (!w->since_ns) {
		w->since_ns = now;
		w->step_ns = 64;
	}
	if (now - w->since_ns > c->timeout_ns)
		td_dev_fail(c, -ETIMEDOUT, page, op);
	if (td_dev_failed(c))
		return false;
	td_dev_pause(w->step_ns);
	if (w->step_ns < 2048)
		w->step_ns *= 2;
	return true;
}

/* Called by one lane: puts a request into a ring. The ring always has room for requests with a
 * slot, because it has more entries than there are slots. Others wait for their turn. */
TD_DEV bool td_dev_post(struct td_dev_control *c, uint32_t queue, enum td_dev_op op, uint32_t page,
			uint32_t slot, uint32_t frame)
{
	struct td_dev_queue *q = &c->queue[queue];
	struct td_dev_wait w = {0, 0};
	uint64_t ticket = td_dev_add(&q->tail, 1);
	struct td_dev_request *r = &q->ring[ticket & (q->entries - 1)];
	while (td_dev_load_far(&r->sequence) != ticket) {
		if (!td_dev_waits(c, &w, page, (uint32_t)op))
			return false;
	}
	r->op = (uint32_t)op;
	r->page = page;
	r->slot = slot;
	r->frame = frame;
	r->sm = td_dev_part();
	td_dev_fence_far();
	td_dev_store_far(&r->sequence, ticket + 1);
	return true;
}

/* The queue of a page's file requests: always the same one. */
TD_DEV uint32_t td_dev_proxy(const struct td_dev_control *c, uint32_t page)
{
	return (uint32_t)(tide_hash64(page) >> 40) % c->proxies;
}

TD_DEV int32_t td_dev_status(const struct td_dev_control *c, uint32_t slot)
{
	return (int32_t)td_dev_load_far32((const uint32_t *)&c->slot_status[slot]);
}

/* One lane, before a request with this slot. */
TD_DEV void td_dev_pending(struct td_dev_control *c, uint32_t slot)
{
	td_dev_store_far32((uint32_t *)&c->slot_status[slot], TD_DEV_PENDING);
}

/* Called by one lane: waits for the outcome of a request, TD_DEV_DONE or an error. The processor
 * always answers, and the slot is in use until then. So a failure elsewhere does not end this
 * wait; only the timeout does. */
TD_DEV int td_dev_await(struct td_dev_control *c, uint32_t slot, uint32_t page, enum td_dev_op op)
{
	uint64_t since_ns = td_dev_now_ns();
	uint32_t step_ns = 1000;
	for (;;) {
		int32_t status = td_dev_status(c, slot);
		if (status != TD_DEV_PENDING)
			return status;
		if (td_dev_now_ns() - since_ns > c->timeout_ns) {
			td_dev_fail(c, -ETIMEDOUT, page, (uint32_t)op);
			return -ETIMEDOUT;
		}
		/* Each look takes time on the bus, which others need, so a long wait looks seldom.
		 * */
		td_dev_pause(step_ns);
		if (step_ns < 128000)
			step_ns += step_ns / 4;
	}
}

#endif
