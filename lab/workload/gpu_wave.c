/* Wave mode: the blocks that run together walk in step, and a page of an instruction is given once
 * for all of them, in the order in which exact mode would come to it: time by time, block by block,
 * thread by thread. While an instruction stays on a page from one step to the next, the page is not
 * given again. A step is one occurrence of an instruction: its pages are a set, compared with the
 * set before, and not even looked at while no address leaves its page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_set.h"
#include "gpu_touch.h"

/* The step's new pages as events. */
static void give(struct td_gpu_touching *d)
{
	struct td_gpu_ready *r = &d->s->ready;
	uint32_t block_x = d->s->launch.block_x;

	if (!d->in_order)
		td_gpu_sort(r->at, r->n);
	for (uint32_t k = 0; k < r->n; k++) {
		struct td_gpu_event *e = &r->at[k];
		uint64_t block = e->order >> TD_GPU_ORDER_BLOCK &
				 ((1U << (TD_GPU_ORDER_TIME - TD_GPU_ORDER_BLOCK)) - 1);
		uint64_t row = e->order >> TD_GPU_ORDER_ROW & ((1U << TD_GPU_ORDER_ROW) - 1);
		uint64_t tx = e->order & ((1U << TD_GPU_ORDER_ROW) - 1);
		e->block = (uint32_t)(d->s->wave.first + block);
		e->warp = (uint16_t)((row * block_x + tx) / TD_GPU_LANES);
	}
	d->step->set.base += r->n;
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

/* The leaves of a step anew, of all parts of the instruction. */
static int make_leaves(struct td_gpu_touching *d, struct td_gpu_instr *instr)
{
	struct td_gpu_source *s = d->s;
	struct td_gpu_wave *w = &s->wave;
	bool more = instr->more;
	int rc;

	td_gpu_move_begin(d->step);
	do {
		if (more && tide_vec_reserve(&w->parts, d->parts + UINT64_C(1)))
			return -ENOMEM;
		if (more)
			((struct td_gpu_instr *)(void *)w->parts.at)[d->parts] = *instr;
		td_gpu_aim(d, instr);
		rc = td_gpu_leaf_add(d, d->parts++);
	} while (!rc && instr->more && s->launch.instr(s->app, &s->launch, w->n, instr) && ++w->n);
	d->step->known = !more;
	return rc ? rc : td_gpu_move_all(d);
}

/* The wave's first step of an instruction: everything is new. */
static int do_first(struct td_gpu_touching *d, struct td_gpu_instr *instr)
{
	struct td_gpu_step *step = d->step;

	td_gpu_aim(d, instr);
	d->direct = true;
	d->new_first = 0;
	d->new_last = UINT64_MAX;
	step->known = step->unmade = true;
	step->last = *instr;
	int rc = td_gpu_leaf_add(d, 0);
	if (!rc)
		give(d);
	return rc;
}

static int settle(struct td_gpu_touching *d)
{
	struct td_gpu_step *step = d->step;

	step->unmade = false;
	step->whole = 0;
	td_gpu_aim(d, &step->last);
	int rc = td_gpu_leaf_add(d, 0);
	return rc ? rc : td_gpu_move_settle(d);
}

static int do_step(struct td_gpu_touching *d, struct td_gpu_instr *instr, bool alike)
{
	struct td_gpu_step *step = d->step;
	int64_t moved = instr->first - step->last.first;
	int rc;

	if (alike && moved <= step->up && -moved <= step->down) /* settled just now */
		return 0;
	if (alike && (!step->whole || moved % step->whole == 0)) {
		td_gpu_aim(d, instr);
		rc = td_gpu_move_by(d, moved);
		step->last.first = instr->first;
	} else {
		rc = make_leaves(d, instr);
		step->last = *instr;
	}
	if (!rc)
		give(d);
	return rc;
}

/* An instruction that the wave has not done yet: all pages are new to it. */
static void begin_step(struct td_gpu_step *step)
{
	if (!step->now.item_bytes) {
		tide_vec_init(&step->now, sizeof(struct td_gpu_leaf));
		tide_vec_init(&step->before, sizeof(struct td_gpu_leaf));
		tide_vec_init(&step->top.order, sizeof(struct td_gpu_turn));
		tide_vec_init(&step->bottom.order, sizeof(struct td_gpu_turn));
	}
	td_gpu_set_empty(&step->set);
	step->now_n = step->before_n = 0;
	step->known = step->sorted = step->unmade = false;
	step->body = NULL;
	step->once = step->steps <= 1;
	step->steps = 0;
	step->turn++;
}

/* The step that an instruction is one of. */
static struct td_gpu_step *step_of(struct td_gpu_wave *w, const struct td_gpu_instr *instr)
{
	unsigned number = instr->pc % TD_GPU_PCS * 2U + instr->write;
	struct td_gpu_step *step = &w->step[number];

	if (!w->used[number]) {
		w->used[number] = true;
		begin_step(step);
	}
	return step;
}

/* The instruction moves, or nobody knows whether it does. */
static int move(struct td_gpu_source *s, struct td_gpu_step *step, struct td_gpu_instr *instr,
		bool alike)
{
	uint32_t block_x = s->launch.block_x;
	struct td_gpu_touching d = {
		.s = s,
		.step = step,
		.rows_each = block_x < TD_GPU_LANES ? TD_GPU_LANES / block_x : 1,
		.new_first = UINT64_MAX,
		.in_order = true,
	};
	int rc = 0;

	if (step->steps++ == 0 && step->once && !instr->more)
		return do_first(&d, instr);
	if (step->unmade)
		rc = settle(&d);
	return rc ? rc : do_step(&d, instr, alike);
}

/* An instruction of a loop, where `first` is within bounds and the step is still at the same turn,
 * is on the pages that the step is on. */
static int do_body(struct td_gpu_source *s, struct td_gpu_body *b)
{
	struct td_gpu_step *step = step_of(&s->wave, &b->instr);
	int64_t first = b->instr.first;

	if (b->turn == step->turn && first >= b->from && first <= b->to) {
		td_gpu_loop_quiet(s);
		return 1;
	}
	s->wave.loop.quiet = 0;
	bool same = step->body == b && s->wave.loop.round; /* round 0 may be of another loop */
	bool alike = step->known && (same || same_shape(&b->instr, &step->last));
	int rc = move(s, step, &b->instr, alike);
	step->body = b;
	b->turn = step->unmade ? 0 : step->turn;
	b->from = step->down < INT64_MAX / 2 ? step->last.first - step->down : INT64_MIN;
	b->to = step->up < INT64_MAX / 2 ? step->last.first + step->up : INT64_MAX;
	return rc ? rc : 1;
}

/* The next instruction of the wave: 1, 0 if there is none, or an error. */
static int do_instr(struct td_gpu_source *s)
{
	struct td_gpu_instr local, *instr;
	struct td_gpu_body *body;
	int gathered = s->launch.gathered
			       ? s->launch.gathered(s->app, &s->launch, s->wave.n, s->wave.first,
						    s->wave.end, &s->ready)
			       : 0;

	if (gathered) {
		s->wave.n++;
		s->wave.work++;
		return gathered;
	}
	instr = td_gpu_loop_next(s, &local, &body);
	if (!instr)
		return 0;
	s->wave.n++;
	if (instr->barrier)
		return 1;
	s->wave.work += (uint64_t)instr->times;
	if (body)
		return do_body(s, body);
	struct td_gpu_step *step = step_of(&s->wave, instr);
	bool alike = step->known && !instr->more && same_shape(instr, &step->last);
	int64_t moved = instr->first - step->last.first;
	if (alike && !step->unmade && moved <= step->up && -moved <= step->down)
		return 1;
	int rc = move(s, step, instr, alike);
	step->body = NULL;
	return rc ? rc : 1;
}

/* ---- waves ---- */

/* The wave from block `first` on. Pages seen by the one before are new to it. */
static int begin_wave(struct td_gpu_source *s, uint64_t first)
{
	struct td_gpu_wave *w = &s->wave;

	w->n = w->work = w->strips_n = 0;
	w->first = first;
	w->end = first + w->width < w->all_blocks ? first + w->width : w->all_blocks;
	memset(w->used, 0, sizeof w->used);
	for (uint64_t block = w->first; block < w->end;) {
		uint32_t bx, by;
		uint64_t n = td_gpu_place(&s->launch, block, &bx, &by);
		n = n < w->end - block ? n : w->end - block;
		if (tide_vec_reserve(&w->strips, w->strips_n + 1))
			return -ENOMEM;
		((struct td_gpu_strip *)(void *)w->strips.at)[w->strips_n++] =
			(struct td_gpu_strip){.bx0 = bx,
					      .bx1 = bx + (int64_t)n,
					      .by = by,
					      .first = (uint32_t)(block - w->first)};
		block += n;
	}
	return 0;
}

int td_gpu_wave_begin(struct td_gpu_source *s)
{
	struct td_gpu_wave *w = &s->wave;

	w->rounds = 0;
	w->all_blocks = td_gpu_blocks(&s->launch);
	w->width = td_gpu_together(s->app->machine, &s->launch);
	if (!w->strips.item_bytes) {
		tide_vec_init(&w->strips, sizeof(struct td_gpu_strip));
		tide_vec_init(&w->tallies, td_gpu_tally_bytes);
		tide_vec_init(&w->parts, sizeof(struct td_gpu_instr));
		tide_vec_init(&w->moving, sizeof(uint32_t));
		tide_vec_init(&w->scratch, sizeof(struct td_gpu_turn));
	}
	return begin_wave(s, 0);
}

/* Warps of the wave's blocks. */
static uint64_t warps_of(const struct td_gpu_source *s)
{
	const struct td_gpu_launch *l = &s->launch;
	uint64_t threads = (uint64_t)l->block_x * l->block_y;

	return (s->wave.end - s->wave.first) * ((threads + TD_GPU_LANES - 1) / TD_GPU_LANES);
}

int td_gpu_wave_next(struct td_gpu_source *s)
{
	struct td_gpu_wave *w = &s->wave;

	while (w->first < w->all_blocks) {
		uint64_t n = w->n;
		int rc = do_instr(s);
		w->rounds += w->n - n;
		if (!rc)
			w->instructions += w->work * warps_of(s);
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
		struct td_gpu_step *step = &w->step[i];
		free(step->set.slots);
		tide_vec_free(&step->now);
		tide_vec_free(&step->before);
		tide_vec_free(&step->top.order);
		tide_vec_free(&step->bottom.order);
	}
	tide_vec_free(&w->strips);
	tide_vec_free(&w->tallies);
	tide_vec_free(&w->parts);
	tide_vec_free(&w->moving);
	tide_vec_free(&w->scratch);
	*w = (struct td_gpu_wave){0};
}
