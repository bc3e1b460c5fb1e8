/* Wave mode: the blocks that run together walk in step, and a page of an instruction is given once
 * for all of them, in the order in which exact mode would come to it: time by time, block by block,
 * thread by thread. While an instruction stays on a page from one step to the next, the page is not
 * given again. A step is one occurrence of an instruction: its pages are a set, compared with the
 * set before, and not even looked at while no address leaves its page. */
#include <errno.h>
#include <stdlib.h>

#include "gpu_set.h"
#include "gpu_touch.h"

static int by_order(const void *a, const void *b)
{
	const struct td_gpu_event *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Few events, or nearly sorted ones, are the rule. */
static void sort(struct td_gpu_event *at, uint32_t n)
{
	if (n > 128) {
		qsort(at, n, sizeof *at, by_order);
		return;
	}
	for (uint32_t k = 1; k < n; k++) {
		struct td_gpu_event e = at[k];
		uint32_t to = k;
		for (; to && at[to - 1].order > e.order; to--)
			at[to] = at[to - 1];
		at[to] = e;
	}
}

/* The step's new pages as events. */
static void give(struct td_gpu_touching *d)
{
	struct td_gpu_ready *r = &d->s->ready;
	uint32_t block_x = d->s->launch.block_x;

	if (!d->in_order)
		sort(r->at, r->n);
	for (uint32_t k = 0; k < r->n; k++) {
		struct td_gpu_event *e = &r->at[k];
		uint64_t block = e->order >> TD_GPU_ORDER_BLOCK &
				 ((1U << (TD_GPU_ORDER_TIME - TD_GPU_ORDER_BLOCK)) - 1);
		uint64_t row = e->order >> TD_GPU_ORDER_ROW & ((1U << TD_GPU_ORDER_ROW) - 1);
		uint64_t tx = e->order & ((1U << TD_GPU_ORDER_ROW) - 1);
		e->block = (uint32_t)(d->s->wave.first + block);
		e->warp = (uint16_t)((row * block_x + tx) / TD_GPU_LANES);
	}
	r->array = d->i->array;
	r->pc = d->i->pc;
	r->write = d->i->write;
}

/* Threads and bytes are as in the last step, but for where they begin. (Field by field: the struct
 * was just written so, and wider loads would wait for these stores.) */
static bool same_shape(const struct td_gpu_instr *a, const struct td_gpu_instr *b)
{
	return a->array == b->array && a->per_x == b->per_x && a->per_y == b->per_y &&
	       a->per_bx == b->per_bx && a->per_by == b->per_by && a->tx_from == b->tx_from &&
	       a->tx_to == b->tx_to && a->ty_from == b->ty_from && a->ty_to == b->ty_to &&
	       a->x_from == b->x_from && a->x_to == b->x_to && a->y_from == b->y_from &&
	       a->y_to == b->y_to && a->times == b->times && a->x_per_time == b->x_per_time &&
	       a->y_per_time == b->y_per_time && a->by_period == b->by_period &&
	       a->by_from == b->by_from && a->by_to == b->by_to;
}

static bool stays(const struct td_gpu_step *step, const struct td_gpu_instr *i)
{
	int64_t moved = i->first - step->last.first;

	return step->known && !i->more && moved <= step->up && -moved <= step->down &&
	       same_shape(i, &step->last);
}

static void next_step(struct td_gpu_step *step)
{
	struct td_gpu_set before = step->before;

	step->before = step->now;
	step->now = before;
	td_gpu_set_empty(&step->now);
}

static int do_step(struct td_gpu_touching *d, struct td_gpu_instr *instr)
{
	struct td_gpu_source *s = d->s;
	bool alone = !instr->more;
	int rc = td_gpu_touch(d);

	while (!rc && instr->more && s->launch.instr(s->app, &s->launch, s->wave.n, instr)) {
		s->wave.n++;
		rc = td_gpu_touch(d);
	}
	if (rc)
		return rc;
	d->step->known = alone;
	d->step->last = *instr;
	d->step->down = d->down;
	d->step->up = d->up;
	give(d);
	return 0;
}

/* The next instruction of the wave: 1, 0 if there is none, or an error. */
static int do_instr(struct td_gpu_source *s)
{
	struct td_gpu_instr instr;
	uint32_t block_x = s->launch.block_x;
	int gathered = s->launch.gathered
			       ? s->launch.gathered(s->app, &s->launch, s->wave.n, s->wave.first,
						    s->wave.end, &s->ready)
			       : 0;

	if (gathered) {
		s->wave.n++;
		return gathered;
	}
	if (!s->launch.instr(s->app, &s->launch, s->wave.n, &instr))
		return 0;
	s->wave.n++;
	if (instr.barrier)
		return 1;
	struct td_gpu_step *step = &s->wave.step[instr.pc % TD_GPU_PCS * 2 + instr.write];
	if (stays(step, &instr))
		return 1;
	next_step(step);
	struct td_gpu_touching d = {
		.s = s,
		.step = step,
		.i = &instr,
		.rows_each = block_x < TD_GPU_LANES ? TD_GPU_LANES / block_x : 1,
		.down = INT64_MAX,
		.up = INT64_MAX,
		.in_order = true,
	};
	int rc = do_step(&d, &instr);
	return rc ? rc : 1;
}

/* ---- waves ---- */

/* The wave from block `first` on. Pages seen by the one before are new to it. */
static int begin_wave(struct td_gpu_source *s, uint64_t first)
{
	struct td_gpu_wave *w = &s->wave;

	w->n = w->strips_n = 0;
	w->first = first;
	w->end = first + w->width < w->all_blocks ? first + w->width : w->all_blocks;
	for (unsigned i = 0; i < TD_GPU_PCS * 2; i++) {
		w->step[i].known = false;
		td_gpu_set_empty(&w->step[i].now);
		td_gpu_set_empty(&w->step[i].before);
	}
	for (uint64_t block = w->first; block < w->end;) {
		uint32_t bx, by;
		uint64_t n = td_gpu_place(&s->launch, block, &bx, &by);
		n = n < w->end - block ? n : w->end - block;
		if (td_vec_reserve(&w->strips, w->strips_n + 1))
			return -ENOMEM;
		((struct td_gpu_strip *)(void *)w->strips.at)[w->strips_n++] =
			(struct td_gpu_strip){bx, bx + (int64_t)n, by,
					      (uint32_t)(block - w->first)};
		block += n;
	}
	return 0;
}

int td_gpu_wave_begin(struct td_gpu_source *s)
{
	struct td_gpu_wave *w = &s->wave;

	w->all_blocks = td_gpu_blocks(&s->launch);
	w->width = td_gpu_together(s->app->machine, &s->launch);
	if (!w->strips.item_bytes) {
		td_vec_init(&w->strips, sizeof(struct td_gpu_strip));
		td_vec_init(&w->tallies, td_gpu_tally_bytes);
	}
	return begin_wave(s, 0);
}

int td_gpu_wave_next(struct td_gpu_source *s)
{
	struct td_gpu_wave *w = &s->wave;

	while (w->first < w->all_blocks) {
		int rc = do_instr(s);
		if (!rc)
			rc = begin_wave(s, w->end);
		if (rc < 0)
			return rc;
		if (s->ready.n)
			return 1;
	}
	return 0;
}

void td_gpu_wave_free(struct td_gpu_wave *w)
{
	for (unsigned i = 0; i < TD_GPU_PCS * 2; i++) {
		free(w->step[i].now.slots);
		free(w->step[i].before.slots);
	}
	td_vec_free(&w->strips);
	td_vec_free(&w->tallies);
	*w = (struct td_gpu_wave){0};
}
