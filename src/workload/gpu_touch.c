/* Which pages an instruction of a wave accesses.
 *
 * Not thread by thread: a row of threads of a strip of blocks is looked at only at its ends, and
 * where a page ends, wherever it leaves no page out. */
#include <errno.h>
#include <stdlib.h>

#include "gpu_set.h"
#include "gpu_touch.h"

#define NONE UINT32_MAX

/* Which blocks a page of an event was counted for already, where a warp has several rows. */
struct tally {
	uint64_t warp_row;
	int64_t bx0, bx1;
};

const size_t td_gpu_tally_bytes = sizeof(struct tally);

/* ---- a page that blocks of the strip access ---- */

/* Warps that access it: all of the blocks', unless a row above did so in the same warp. */
static int count(struct td_gpu_touching *d, uint32_t event, int64_t bx0, int64_t bx1,
		 uint64_t warps)
{
	struct td_vec *v = &d->s->wave.tallies;
	struct td_gpu_event *e = &d->s->ready.at[event];

	if (d->rows_each == 1) {
		e->count += (uint32_t)(warps * d->copies);
		return 0;
	}
	if (td_vec_reserve(v, (uint64_t)event + 1))
		return -ENOMEM;
	struct tally *t = (struct tally *)(void *)v->at + event;
	uint64_t warp_row = ((uint64_t)d->time << 44) + ((uint64_t)d->strip->first << 20) +
			    (uint64_t)(d->row / d->rows_each) + 1;
	if (e->count && t->warp_row == warp_row && bx0 <= t->bx1 && bx1 >= t->bx0) {
		e->count += (uint32_t)((uint64_t)((bx0 < t->bx0 ? t->bx0 - bx0 : 0) +
						  (bx1 > t->bx1 ? bx1 - t->bx1 : 0)) *
				       d->copies);
		t->bx0 = bx0 < t->bx0 ? bx0 : t->bx0;
		t->bx1 = bx1 > t->bx1 ? bx1 : t->bx1;
		return 0;
	}
	*t = (struct tally){warp_row, bx0, bx1};
	e->count += (uint32_t)((uint64_t)(bx1 - bx0) * d->copies);
	return 0;
}

/* A page that is new to the step: an event, unless the step before had it. */
static int enter(struct td_gpu_touching *d, struct td_gpu_slot **slot, uint64_t page)
{
	struct td_gpu_set *now = &d->step->now;
	struct td_gpu_ready *r = &d->s->ready;

	if (now->n * 2 >= now->room) {
		if (td_gpu_set_grow(now))
			return -ENOMEM;
		*slot = td_gpu_set_find(now, page);
	}
	**slot = (struct td_gpu_slot){page, now->stamp, NONE};
	now->n++;
	if (td_gpu_set_has(&d->step->before, page))
		return 0;
	if (td_gpu_room(r, r->n + 1))
		return -ENOMEM;
	(*slot)->event = r->n++;
	r->at[(*slot)->event] = (struct td_gpu_event){.page = page, .order = UINT64_MAX};
	return 0;
}

/* Blocks bx0 .. bx1 - 1 access the page with so many warps; first thread tx of block bx0. */
static int touch(struct td_gpu_touching *d, uint64_t page, int64_t bx0, int64_t bx1, int64_t tx,
		 uint64_t warps)
{
	struct td_gpu_slot *slot = d->last_slot;

	if (!slot || d->last_page != page) {
		slot = d->step->now.room ? td_gpu_set_find(&d->step->now, page) : NULL;
		if (!slot || slot->stamp != d->step->now.stamp) {
			int rc = enter(d, &slot, page);
			if (rc)
				return rc;
		}
		d->last_slot = slot;
		d->last_page = page;
	}
	if (slot->event == NONE)
		return 0;
	struct td_gpu_event *e = &d->s->ready.at[slot->event];
	uint64_t block = d->strip->first + (uint64_t)(bx0 - d->strip->bx0);
	uint64_t order =
		(uint64_t)d->time << 44 | block << 22 | (uint64_t)d->row << 11 | (uint64_t)tx;
	if (order < e->order) {
		e->order = order;
		if (slot->event && e[-1].order > order)
			d->in_order = false;
	}
	return count(d, slot->event, bx0, bx1, warps);
}

/* ---- rows of threads ---- */

/* First thread of a row is at d->row_at, for block 0 and thread 0. */
static uint64_t address_of(const struct td_gpu_touching *d, int64_t bx, int64_t tx)
{
	return d->row_at + (uint64_t)(bx * d->apart + tx * d->i->per_x);
}

/* The page of an address; and how far it may move within the page. */
static uint64_t page_of(struct td_gpu_touching *d, uint64_t address)
{
	uint64_t bytes = d->s->app->page_bytes, page = td_gpu_page(d->s, address);
	int64_t down = (int64_t)(address - page * bytes), up = (int64_t)bytes - 1 - down;

	d->down = down < d->down ? down : d->down;
	d->up = up < d->up ? up : d->up;
	return page;
}

static uint64_t warps_in(int64_t tx0, int64_t tx1)
{
	return (uint64_t)((tx1 - 1) / TD_GPU_LANES - tx0 / TD_GPU_LANES + 1);
}

/* Threads tx0 .. tx1 - 1 of blocks bx0 .. bx1 - 1, which all access the same; further apart than
 * pages. */
static int touch_spread(struct td_gpu_touching *d, int64_t bx0, int64_t bx1, int64_t tx0,
			int64_t tx1)
{
	int rc = 0;

	for (int64_t tx = tx0; tx < tx1 && !rc; tx++) {
		uint64_t address = address_of(d, bx0, tx);
		rc = touch(d, page_of(d, address), bx0, bx1, tx, (uint64_t)(bx1 - bx0));
	}
	return rc;
}

/* The same where the threads leave no page out. */
static int touch_same(struct td_gpu_touching *d, int64_t bx0, int64_t bx1, int64_t tx0, int64_t tx1)
{
	int64_t step = d->i->per_x, bytes = (int64_t)d->s->app->page_bytes, tx = tx0;
	uint64_t from = address_of(d, bx0, tx0), to = from + (uint64_t)(step * (tx1 - tx0 - 1));

	if (step > bytes || step < -bytes)
		return touch_spread(d, bx0, bx1, tx0, tx1);
	uint64_t page = page_of(d, from), last = page_of(d, to);
	if (page == last)
		return touch(d, page, bx0, bx1, tx0, (uint64_t)(bx1 - bx0) * warps_in(tx0, tx1));
	for (;; page += step < 0 ? UINT64_MAX : 1) {
		int64_t next = tx1; /* the first thread beyond the page */
		if (page != last && step > 0)
			next = tx0 +
			       ((int64_t)((page + 1) * (uint64_t)bytes - from) + step - 1) / step;
		else if (page != last)
			next = tx0 + (int64_t)(from - page * (uint64_t)bytes) / -step + 1;
		int rc = touch(d, page, bx0, bx1, tx, (uint64_t)(bx1 - bx0) * warps_in(tx, next));
		if (rc || page == last)
			return rc;
		tx = next;
	}
}

/* Blocks one after another in memory, whose threads leave no page out. */
struct train {
	uint64_t from;         /* address of the first thread */
	int64_t apart, length; /* from block to block; from first thread to last of a block */
	int64_t bx0, bx1, tx0, tx1;
};

/* The first thread of a block at or beyond an address. */
static int64_t thread_at(const struct td_gpu_touching *d, const struct train *t, int64_t bx,
			 uint64_t address)
{
	int64_t gap = (int64_t)(address - t->from) - (bx - t->bx0) * t->apart, step = d->i->per_x;

	return gap <= 0 ? t->tx0 : step ? t->tx0 + (gap + step - 1) / step : t->tx1;
}

/* Warps of blocks bx0 .. bx1 - 1 that access from address start to before end: those of blocks at
 * the ends in part, of the others wholly. */
static uint64_t warps_of(const struct td_gpu_touching *d, const struct train *t, int64_t bx0,
			 int64_t bx1, uint64_t start, uint64_t end)
{
	uint64_t warps = 0;

	if (d->s->launch.block_x <= TD_GPU_LANES)
		return (uint64_t)(bx1 - bx0);
	for (; bx0 < bx1; bx0++) {
		int64_t tx = thread_at(d, t, bx0, start), to = thread_at(d, t, bx0, end);
		if (tx == t->tx0 && to >= t->tx1)
			break;
		warps += warps_in(tx, to < t->tx1 ? to : t->tx1);
	}
	for (; bx0 < bx1; bx1--) {
		int64_t to = thread_at(d, t, bx1 - 1, end);
		if (to >= t->tx1)
			break;
		warps += warps_in(t->tx0, to);
	}
	return warps + (uint64_t)(bx1 - bx0) * warps_in(t->tx0, t->tx1);
}

static int touch_train(struct td_gpu_touching *d, const struct train *t)
{
	uint64_t bytes = d->s->app->page_bytes;
	uint64_t to = t->from + (uint64_t)((t->bx1 - t->bx0 - 1) * t->apart + t->length);
	uint64_t page = page_of(d, t->from), last = page_of(d, to);
	int rc = 0;

	if (page == last)
		return touch(d, page, t->bx0, t->bx1, t->tx0,
			     (uint64_t)(t->bx1 - t->bx0) * warps_in(t->tx0, t->tx1));
	for (; page <= last && !rc; page++) {
		uint64_t start = page * bytes, end = start + bytes;
		int64_t gap = (int64_t)(start - t->from) - t->length;
		int64_t bx0 = t->bx0 + (gap <= 0 ? 0 : (gap + t->apart - 1) / t->apart);
		int64_t bx1 = page == last ? t->bx1
					   : t->bx0 + (int64_t)(end - 1 - t->from) / t->apart + 1;
		bx1 = bx1 < t->bx1 ? bx1 : t->bx1;
		rc = touch(d, page, bx0, bx1, thread_at(d, t, bx0, start),
			   warps_of(d, t, bx0, bx1, start, end));
	}
	return rc;
}

/* Is the row of threads of a block cut off by the bounds of x? */
static bool is_cut(const struct td_gpu_touching *d, int64_t bx, int64_t *tx0, int64_t *tx1)
{
	const struct td_gpu_launch *l = &d->s->launch;
	const struct td_gpu_instr *i = d->i;
	int64_t x0 = l->x_first + bx * l->x_step + d->time * i->x_per_time;

	*tx0 = i->x_from == INT64_MIN || i->x_from - x0 < i->tx_from ? i->tx_from : i->x_from - x0;
	*tx1 = i->x_to == INT64_MAX || i->x_to - x0 > i->tx_to ? i->tx_to : i->x_to - x0;
	return *tx0 != i->tx_from || *tx1 != i->tx_to;
}

static int touch_if_any(struct td_gpu_touching *d, int64_t bx, int64_t tx0, int64_t tx1)
{
	return tx0 < tx1 ? touch_same(d, bx, bx + 1, tx0, tx1) : 0;
}

/* One row of threads of blocks that are not cut. */
static int touch_uncut(struct td_gpu_touching *d, int64_t bx0, int64_t bx1)
{
	const struct td_gpu_instr *i = d->i;
	int64_t apart = d->apart, tx0 = i->tx_from, tx1 = i->tx_to;
	int64_t bytes = (int64_t)d->s->app->page_bytes;
	int64_t length = (tx1 - tx0 - 1) * i->per_x;
	int rc = 0;

	if (tx0 >= tx1)
		return 0;
	if (apart == 0)
		return touch_same(d, bx0, bx1, tx0, tx1);
	if (apart > 0 && i->per_x >= 0 && i->per_x <= bytes && apart - length <= bytes)
		return touch_train(d, &(struct train){address_of(d, bx0, tx0), apart, length, bx0,
						      bx1, tx0, tx1});
	for (int64_t bx = bx0; bx < bx1 && !rc; bx++)
		rc = touch_same(d, bx, bx + 1, tx0, tx1);
	return rc;
}

/* One row of threads of the strip: blocks at its ends may be cut. */
static int touch_row(struct td_gpu_touching *d)
{
	int64_t bx0 = d->strip->bx0, bx1 = d->strip->bx1, end = bx1, tx0, tx1;
	int rc = 0;

	for (; bx0 < bx1 && !rc && is_cut(d, bx0, &tx0, &tx1); bx0++)
		rc = touch_if_any(d, bx0, tx0, tx1);
	while (bx0 < bx1 && is_cut(d, bx1 - 1, &tx0, &tx1))
		bx1--;
	if (bx0 < bx1 && !rc)
		rc = touch_uncut(d, bx0, bx1);
	for (; bx1 < end && !rc; bx1++) {
		is_cut(d, bx1, &tx0, &tx1);
		rc = touch_if_any(d, bx1, tx0, tx1);
	}
	return rc;
}

/* ---- strips ---- */

static int touch_strip(struct td_gpu_touching *d)
{
	const struct td_gpu_launch *l = &d->s->launch;
	const struct td_gpu_instr *i = d->i;
	int64_t y0 = l->y_first + d->strip->by * l->y_step + d->time * i->y_per_time;
	int64_t from = i->ty_from, to = i->ty_to;
	int rc = 0;

	if (i->y_from != INT64_MIN && i->y_from - y0 > from)
		from = i->y_from - y0;
	if (i->y_to != INT64_MAX && i->y_to - y0 < to)
		to = i->y_to - y0;
	if (!td_gpu_row_has(i, d->strip->by))
		return 0;
	d->copies = d->alike;
	if (!i->per_y && from < to) {                   /* all rows access the same */
		uint32_t each = (uint32_t)d->rows_each; /* short divisions are much faster */
		d->copies *= (uint32_t)(to - 1) / each - (uint32_t)from / each + 1;
		to = from + 1;
	}
	d->row_at =
		d->base + (uint64_t)(i->first + (l->x_first + d->time * i->x_per_time) * i->per_x +
				     (y0 + from) * i->per_y + d->strip->by * i->per_by);
	for (d->row = from; d->row < to && !rc; d->row++) {
		rc = touch_row(d);
		d->row_at += (uint64_t)i->per_y;
	}
	return rc;
}

/* Strips from this one on whose blocks access the same, one below the other. */
static uint32_t strips_alike(const struct td_gpu_touching *d, const struct td_gpu_strip *strip,
			     uint32_t most)
{
	const struct td_gpu_instr *i = d->i;
	uint32_t n = 1;

	if (d->s->launch.y_step * i->per_y + i->per_by || i->y_from != INT64_MIN ||
	    i->y_to != INT64_MAX || i->by_period)
		return 1;
	while (n < most && strip[n].bx0 == strip->bx0 && strip[n].bx1 == strip->bx1)
		n++;
	return n;
}

int td_gpu_touch(struct td_gpu_touching *d)
{
	struct td_gpu_wave *w = &d->s->wave;
	const struct td_gpu_strip *strips = (const struct td_gpu_strip *)(const void *)w->strips.at;
	int rc = 0;

	d->base = d->s->app->array[d->i->array].base;
	d->apart = d->s->launch.x_step * d->i->per_x + d->i->per_bx;
	d->time = 0;
	do {
		for (uint32_t k = 0; k < w->strips_n && !rc; k += d->alike) {
			d->strip = &strips[k];
			d->alike = strips_alike(d, d->strip, w->strips_n - k);
			rc = touch_strip(d);
		}
	} while (!rc && ++d->time < d->i->times);
	return rc;
}
