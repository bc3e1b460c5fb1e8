/* Warps of a trace or of a plain pattern: one warp, which takes its accesses from batches. */
#include "warps.h"

#include <errno.h>
#include <stdlib.h>

struct plain {
	struct td_warps head;
	struct td_trace_source *source;
	uint32_t taken; /* of the batch */
	bool running, ended;
	struct td_gpu_event one;
	struct tide_batch batch;
};

static void close_plain(struct td_warps *w)
{
	free(w);
}

static int launch_plain(struct td_warps *w, struct td_warps_launch *out, struct tide_error *err)
{
	struct plain *p = (struct plain *)w;

	(void)err;
	if (p->ended)
		return 0;
	p->running = true;
	*out = (struct td_warps_launch){.places = 1, .place_warps = 1, .stands_for = 1};
	return 1;
}

static bool running_plain(const struct td_warps *w)
{
	return ((const struct plain *)w)->running;
}

static uint64_t delay_plain(const struct td_warps *w, uint32_t place)
{
	(void)w;
	(void)place;
	return 0;
}

static enum td_warps_state state_plain(const struct td_warps *w, uint32_t warp)
{
	(void)warp;
	return running_plain(w) ? TD_WARPS_READY : TD_WARPS_ENDED;
}

static int turn_plain(struct td_warps *w, uint32_t warp, struct td_warps_turn *out,
		      struct tide_error *err)
{
	struct plain *p = (struct plain *)w;
	struct tide_batch *b = &p->batch;

	(void)warp;
	if (p->taken == b->n) {
		int rc = p->source->ops->next(p->source, b, err);
		if (rc)
			return rc;
		p->taken = 0;
	}
	if (!b->n) {
		p->running = false;
		p->ended = true;
		out->changed = true;
		return 0;
	}
	uint32_t i = p->taken++;
	p->one = (struct td_gpu_event){.page = b->page[i], .count = 1};
	out->at = &p->one;
	out->n = 1;
	out->write = b->write[i];
	out->ref = b->ref[i];
	out->stream = b->stream[i];
	return 0;
}

static const struct td_warps_ops plain_ops;

static int open_plain(struct td_warps **out, struct td_trace_source *source,
		      const struct td_warps_machine *machine, struct tide_error *err)
{
	struct plain *p = calloc(1, sizeof *p);

	(void)machine;
	if (!p)
		return tide_fail(err, -ENOMEM, "out of memory to generate the workload");
	p->head.ops = &plain_ops;
	p->source = source;
	*out = &p->head;
	return 0;
}

static const struct td_warps_ops plain_ops = {
	.open = open_plain,
	.close = close_plain,
	.launch = launch_plain,
	.running = running_plain,
	.delay = delay_plain,
	.state = state_plain,
	.turn = turn_plain,
};

int td_warps_open(struct td_warps **out, struct td_trace_source *source,
		  const struct td_warps_machine *machine, struct tide_error *err)
{
	const struct td_warps_ops *ops = source->ops->warps ? source->ops->warps : &plain_ops;

	return ops->open(out, source, machine, err);
}

void td_warps_close(struct td_warps *w)
{
	if (w)
		w->ops->close(w);
}
