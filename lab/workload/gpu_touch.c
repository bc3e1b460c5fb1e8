/* Which warps of a leaf access pages that are new to the step, and who comes first.
 *
 * Not thread by thread: a row of threads is looked at only at its ends, and where a page ends. */
#include <errno.h>

#include "gpu_enter.h"

/* Which blocks a page of an event was counted for already, where a warp has several rows. */
struct tally {
	uint64_t warp_row;
	int64_t bx0, bx1;
};

const size_t td_gpu_tally_bytes = sizeof(struct tally);

/* ---- a page that blocks of the strip access ---- */

/* Warps that access it: all of the blocks', unless a row above did so in the same warp. */
static uint64_t warps_more(struct tally *t, const struct td_gpu_by *by, uint64_t warp_row, bool has)
{
	uint64_t more = (uint64_t)(by->bx1 - by->bx0);

	if (has && t->warp_row == warp_row && by->bx0 <= t->bx1 && by->bx1 >= t->bx0) {
		more = (uint64_t)((by->bx0 < t->bx0 ? t->bx0 - by->bx0 : 0) +
				  (by->bx1 > t->bx1 ? by->bx1 - t->bx1 : 0));
		t->bx0 = by->bx0 < t->bx0 ? by->bx0 : t->bx0;
		t->bx1 = by->bx1 > t->bx1 ? by->bx1 : t->bx1;
		return more;
	}
	*t = (struct tally){warp_row, by->bx0, by->bx1};
	return more;
}

static int count(struct td_gpu_touching *d, uint32_t event, const struct td_gpu_by *by)
{
	struct tide_vec *v = &d->s->wave.tallies;
	struct td_gpu_event *e = &d->s->ready.at[event];
	uint32_t rows = by->rows ? by->rows : 1, times = by->times ? by->times : 1;

	if (d->rows_each == 1) {
		e->count += (uint32_t)(by->warps * d->copies * rows * times);
		return 0;
	}
	if (((uint64_t)event + 1) * sizeof(struct tally) > v->mapped_bytes &&
	    tide_vec_reserve(v, (uint64_t)event + 1))
		return -ENOMEM;
	struct tally *t = (struct tally *)(void *)v->at + event;
	uint32_t each = (uint32_t)d->rows_each, group = (uint32_t)d->row / each;
	uint32_t groups = ((uint32_t)d->row + rows - 1) / each - group;
	uint64_t warp_row =
		((uint64_t)d->time << 44) + ((uint64_t)d->strip->first << 20) + group + 1;
	if (d->fold || times > 1) { /* no other rows of a warp are on the page */
		*t = (struct tally){0};
		e->count += (uint32_t)((d->fold ? by->warps : (uint64_t)(by->bx1 - by->bx0)) *
				       d->copies * times);
		return 0;
	}
	uint64_t warps = warps_more(t, by, warp_row, e->count != 0);
	if (groups) { /* the rows go on into warps below */
		*t = (struct tally){warp_row + groups, by->bx0, by->bx1};
		warps += (uint64_t)(by->bx1 - by->bx0) * groups;
	}
	e->count += (uint32_t)(warps * d->copies);
	return 0;
}

static uint64_t order_of(const struct td_gpu_touching *d, const struct td_gpu_by *by)
{
	uint64_t block = d->strip->first + (uint64_t)(by->bx - d->strip->bx0);
	uint64_t time = (uint64_t)d->time, tx = (uint64_t)by->tx;

	if (d->fold) {
		time = (uint32_t)tx / d->s->launch.block_x;
		tx -= time * d->s->launch.block_x;
	}
	return time << TD_GPU_ORDER_TIME | block << TD_GPU_ORDER_BLOCK |
	       (uint64_t)d->row << TD_GPU_ORDER_ROW | tx;
}

int td_gpu_touch_page(struct td_gpu_touching *d, uint64_t page, const struct td_gpu_by *by)
{
	if (!d->last_slot || d->last_page != page) {
		d->last_slot =
			d->direct ? td_gpu_enter(d, page) : td_gpu_set_find(&d->step->set, page);
		d->last_page = page;
		if (!d->last_slot)
			return -ENOMEM;
	}
	uint32_t event = d->last_slot->event - d->step->set.base;
	if (event >= d->s->ready.n)
		return 0;
	struct td_gpu_event *e = &d->s->ready.at[event];
	uint64_t order = order_of(d, by);
	if (order < e->order) {
		e->order = order;
		if (event && e[-1].order > order)
			d->in_order = false;
	}
	return count(d, event, by);
}

/* ---- rows of threads ---- */

/* Warps of threads tx0 .. tx1 - 1 of a block; those of a folded row once for each time. */
static uint64_t warps_in(const struct td_gpu_touching *d, int64_t tx0, int64_t tx1)
{
	uint32_t block_x = d->s->launch.block_x, first = (uint32_t)tx0, last = (uint32_t)tx1 - 1;

	if (d->fold && block_x < TD_GPU_LANES)
		return last / block_x - first / block_x + 1;
	return last / TD_GPU_LANES - first / TD_GPU_LANES + 1;
}

/* Threads further apart than pages. */
static int touch_spread(struct td_gpu_touching *d, const struct td_gpu_row *r)
{
	uint64_t at = r->from;
	int rc = 0;

	for (int64_t tx = r->tx0; tx < r->tx1 && !rc; tx++, at += (uint64_t)d->i->per_x)
		rc = td_gpu_touch_page(d, td_gpu_page(d->s, at),
				       &(struct td_gpu_by){r->bx0, r->bx1,
							   (uint64_t)(r->bx1 - r->bx0), r->bx0, tx,
							   1, 1});
	return rc;
}

/* All blocks access the same. */
static int touch_same(struct td_gpu_touching *d, const struct td_gpu_row *r)
{
	int64_t step = d->i->per_x, bytes = (int64_t)d->s->app->page_bytes, tx = r->tx0;
	uint64_t page = td_gpu_page(d->s, r->from);
	uint64_t last = td_gpu_page(d->s, r->from + (uint64_t)r->length);

	if (step > bytes || step < -bytes)
		return touch_spread(d, r);
	for (;; page += step < 0 ? UINT64_MAX : 1) {
		int64_t next = r->tx1; /* the first thread beyond the page */
		if (page != last && step > 0)
			next = r->tx0 + ((int64_t)((page + 1) * (uint64_t)bytes - r->from) + step -
					 1) / step;
		else if (page != last)
			next = r->tx0 + (int64_t)(r->from - page * (uint64_t)bytes) / -step + 1;
		int rc = page < d->new_first || page > d->new_last
				 ? 0
				 : td_gpu_touch_page(
					   d, page,
					   &(struct td_gpu_by){r->bx0, r->bx1,
							       (uint64_t)(r->bx1 - r->bx0) *
								       warps_in(d, tx, next),
							       r->bx0, tx, 1, 1});
		if (rc || page == last)
			return rc;
		tx = next;
	}
}

/* The first thread of a block at or beyond an address. */
static int64_t thread_at(const struct td_gpu_touching *d, const struct td_gpu_row *t, int64_t bx,
			 uint64_t address)
{
	int64_t gap = (int64_t)(address - t->from) - (bx - t->bx0) * t->apart, step = d->i->per_x;

	return gap <= 0 ? t->tx0 : step ? t->tx0 + (gap + step - 1) / step : t->tx1;
}

/* Warps of blocks bx0 .. bx1 - 1 that access from address start to before end: those of blocks at
 * the ends in part, of the others wholly. */
uint64_t td_gpu_row_warps(const struct td_gpu_touching *d, const struct td_gpu_row *t, int64_t bx0,
			  int64_t bx1, uint64_t start, uint64_t end)
{
	uint64_t warps = 0;

	if (!d->fold && d->s->launch.block_x <= TD_GPU_LANES)
		return (uint64_t)(bx1 - bx0);
	for (; bx0 < bx1; bx0++) {
		int64_t tx = thread_at(d, t, bx0, start), to = thread_at(d, t, bx0, end);
		if (tx == t->tx0 && to >= t->tx1)
			break;
		warps += warps_in(d, tx, to < t->tx1 ? to : t->tx1);
	}
	for (; bx0 < bx1; bx1--) {
		int64_t to = thread_at(d, t, bx1 - 1, end);
		if (to >= t->tx1)
			break;
		warps += warps_in(d, t->tx0, to);
	}
	return warps + (uint64_t)(bx1 - bx0) * warps_in(d, t->tx0, t->tx1);
}

/* The first to access the page that begins at `start`: in a folded row a later block may do so at
 * an earlier time. */
void td_gpu_row_first(const struct td_gpu_touching *d, const struct td_gpu_row *t, uint64_t start,
		      struct td_gpu_by *by)
{
	uint32_t block_x = d->s->launch.block_x;

	by->bx = by->bx0;
	by->tx = thread_at(d, t, by->bx, start);
	for (int64_t bx = by->bx0 + 1; d->fold && by->tx >= block_x && bx < by->bx1; bx++) {
		int64_t tx = thread_at(d, t, bx, start);
		if (tx / block_x < by->tx / block_x) {
			by->bx = bx;
			by->tx = tx;
		}
	}
}

static int touch_train(struct td_gpu_touching *d, const struct td_gpu_row *t)
{
	uint64_t bytes = d->s->app->page_bytes;
	uint64_t to = t->from + (uint64_t)((t->bx1 - t->bx0 - 1) * t->apart + t->length);
	uint64_t page = td_gpu_page(d->s, t->from), last = td_gpu_page(d->s, to), end = last;
	int rc = 0;

	if (page == last)
		return td_gpu_touch_page(d, page,
					 &(struct td_gpu_by){t->bx0, t->bx1,
							     (uint64_t)(t->bx1 - t->bx0) *
								     warps_in(d, t->tx0, t->tx1),
							     t->bx0, t->tx0, 1, 1});
	page = page < d->new_first ? d->new_first : page;
	end = end > d->new_last ? d->new_last : end;
	for (; page <= end && !rc; page++) {
		uint64_t start = page * bytes, next = start + bytes;
		int64_t gap = (int64_t)(start - t->from) - t->length;
		struct td_gpu_by by = {.bx0 = t->bx0, .bx1 = t->bx1};
		if (gap > 0)
			by.bx0 += (gap + t->apart - 1) / t->apart;
		if (page != last)
			by.bx1 = t->bx0 + (int64_t)(next - 1 - t->from) / t->apart + 1;
		by.bx1 = by.bx1 < t->bx1 ? by.bx1 : t->bx1;
		by.warps = td_gpu_row_warps(d, t, by.bx0, by.bx1, start, next);
		td_gpu_row_first(d, t, start, &by);
		rc = td_gpu_touch_page(d, page, &by);
	}
	return rc;
}

/* ---- leaves ---- */

static bool is_new(const struct td_gpu_touching *d, uint64_t low, uint64_t high)
{
	return td_gpu_page(d->s, low) <= d->new_last && td_gpu_page(d->s, high) >= d->new_first;
}

/* Single blocks, if they are far apart. */
static int touch_blocks(struct td_gpu_touching *d, struct td_gpu_row r)
{
	int64_t end = r.bx1;
	int rc = 0;

	for (; r.bx0 < end && !rc; r.bx0++, r.from += (uint64_t)r.apart) {
		r.bx1 = r.bx0 + 1;
		rc = touch_same(d, &r);
	}
	return rc;
}

/* Do blocks of a row follow one another without leaving a page out? */
static bool is_train(const struct td_gpu_touching *d, const struct td_gpu_row *r)
{
	int64_t bytes = (int64_t)d->s->app->page_bytes;

	return r->apart > 0 && r->length >= 0 && r->apart - r->length <= bytes &&
	       d->i->per_x <= bytes;
}

static int touch_row(struct td_gpu_touching *d, const struct td_gpu_row *r)
{
	if (r->apart == 0)
		return touch_same(d, r);
	if (!is_train(d, r))
		return touch_blocks(d, *r);
	uint64_t high = r->from + (uint64_t)((r->bx1 - r->bx0 - 1) * r->apart + r->length);
	return is_new(d, r->from, high) ? touch_train(d, r) : 0;
}

static int touch_strip(struct td_gpu_touching *d, const struct td_gpu_leaf *leaf,
		       struct td_gpu_row r)
{
	const struct td_gpu_instr *i = d->i;
	int64_t by_time = i->x_per_time * i->per_x + i->y_per_time * i->per_y;
	int64_t down = i->per_y, blocks = r.bx1 - r.bx0 - 1;
	int rc = 0;

	/* The leaf says where the lowest access is, not the first. */
	r.from = leaf->low + (uint64_t)(by_time < 0 ? -by_time * (leaf->times - 1) : 0) +
		 (uint64_t)(down < 0 ? -down * (leaf->rows - 1) : 0) +
		 (uint64_t)(r.apart < 0 ? -r.apart * blocks : 0) +
		 (uint64_t)(r.length < 0 ? -r.length : 0);
	if (is_train(d, &r) && leaf->rows == 1 && by_time > 0)
		return td_gpu_touch_rows(d, &r, &(struct td_gpu_rows){leaf->times, by_time, true});
	for (uint32_t time = 0; time < leaf->times && !rc; time++) {
		d->time = leaf->time + time;
		struct td_gpu_row now = r;
		r.from += (uint64_t)by_time;
		d->row = leaf->row;
		if (is_train(d, &r) && down > 0) {
			rc = td_gpu_touch_rows(d, &now,
					       &(struct td_gpu_rows){leaf->rows, down, false});
			continue;
		}
		for (uint32_t row = 0; row < leaf->rows && !rc; row++) {
			d->row = leaf->row + row;
			rc = touch_row(d, &now);
			now.from += (uint64_t)down;
		}
	}
	return rc;
}

int td_gpu_touch(struct td_gpu_touching *d, const struct td_gpu_leaf *leaf)
{
	const struct td_gpu_wave *w = &d->s->wave;
	int64_t length = (leaf->tx1 - leaf->tx0 - 1) * d->i->per_x;
	struct td_gpu_row r = {leaf->low, d->apart,  length,   leaf->bx0,
			       leaf->bx1, leaf->tx0, leaf->tx1};

	d->strip = (const struct td_gpu_strip *)(const void *)w->strips.at + leaf->strip;
	d->copies = leaf->copies;
	d->time = leaf->time;
	d->row = leaf->row;
	d->fold = leaf->fold;
	switch ((enum td_gpu_leaf_kind)leaf->kind) {
	case TD_GPU_LEAF_TRAIN: return touch_train(d, &r);
	case TD_GPU_LEAF_STRIP: return touch_strip(d, leaf, r);
	case TD_GPU_LEAF_SAME: break;
	}
	r.from += (uint64_t)(length < 0 ? -length : 0);
	return touch_same(d, &r);
}
