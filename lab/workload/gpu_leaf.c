/* An instruction of a wave as leaves: sets of threads whose accesses leave no page out, so that the
 * lowest and the highest byte say which pages they are on. The fewer the better: a whole strip of
 * blocks at all times, else rows of its threads, else rows of single blocks. */
#include <errno.h>

#include "gpu_leaf.h"

int64_t td_gpu_leaf_threads(const struct td_gpu_touching *d)
{
	return d->i->tx_to * (d->fold ? d->i->times : 1);
}

/* x of thread 0 of a block. */
static int64_t x_of(const struct td_gpu_touching *d, int64_t bx)
{
	const struct td_gpu_launch *l = &d->s->launch;

	return l->x_first + bx * l->x_step + d->time * d->i->x_per_time;
}

void td_gpu_leaf_cut(const struct td_gpu_touching *d, int64_t bx, int64_t *tx0, int64_t *tx1)
{
	const struct td_gpu_instr *i = d->i;
	int64_t x = x_of(d, bx), end = td_gpu_leaf_threads(d);

	*tx0 = i->x_from == INT64_MIN || i->x_from - x < i->tx_from ? i->tx_from : i->x_from - x;
	*tx1 = i->x_to == INT64_MAX || i->x_to - x > end ? end : i->x_to - x;
}

/* Where the bounds of x fall into the strip. */
void td_gpu_leaf_cuts(const struct td_gpu_touching *d, struct td_gpu_cuts *c)
{
	const struct td_gpu_instr *i = d->i;
	int64_t bx0 = d->strip->bx0, bx1 = d->strip->bx1, step = d->s->launch.x_step;
	int64_t x = x_of(d, 0), end = td_gpu_leaf_threads(d);

	*c = (struct td_gpu_cuts){bx0, bx0, bx1, bx1, i->tx_from, end};
	if ((i->x_from == INT64_MIN || x + bx0 * step + i->tx_from >= i->x_from) &&
	    (i->x_to == INT64_MAX || x + (bx1 - 1) * step + end <= i->x_to) && step >= 0)
		return;
	if (step == 0) { /* all alike */
		td_gpu_leaf_cut(d, 0, &c->tx0, &c->tx1);
		return;
	}
	if (step < 0) {
		c->whole0 = c->whole1 = bx1;
		return;
	}
	if (i->x_from != INT64_MIN) {
		c->any0 = td_gpu_between(td_gpu_floor(i->x_from - end - x, step) + 1, bx0, bx1);
		c->whole0 = td_gpu_between(
			td_gpu_floor(i->x_from - i->tx_from - x + step - 1, step), bx0, bx1);
	}
	if (i->x_to != INT64_MAX) {
		c->any1 = td_gpu_between(td_gpu_floor(i->x_to - i->tx_from - x + step - 1, step),
					 bx0, bx1);
		c->whole1 = td_gpu_between(td_gpu_floor(i->x_to - end - x, step) + 1, bx0, bx1);
	}
	if (c->whole0 >= c->whole1)
		c->whole0 = c->whole1 = c->any1;
}

void td_gpu_leaf_rows(const struct td_gpu_touching *d, uint32_t alike, struct td_gpu_taking *r)
{
	const struct td_gpu_launch *l = &d->s->launch;
	const struct td_gpu_instr *i = d->i;
	int64_t y0 = l->y_first + d->strip->by * l->y_step + d->time * i->y_per_time;

	r->from = i->ty_from;
	r->to = i->ty_to;
	r->copies = alike;
	if (i->y_from != INT64_MIN && i->y_from - y0 > r->from)
		r->from = i->y_from - y0;
	if (i->y_to != INT64_MAX && i->y_to - y0 < r->to)
		r->to = i->y_to - y0;
	if (!i->per_y && r->from < r->to) {             /* all rows access the same */
		uint32_t each = (uint32_t)d->rows_each; /* short divisions are much faster */
		r->copies *= (uint32_t)(r->to - 1) / each - (uint32_t)r->from / each + 1;
		r->to = r->from + 1;
	}
}

/* Address of a row's first thread, were it in block 0. */
uint64_t td_gpu_leaf_at(const struct td_gpu_touching *d, int64_t row)
{
	const struct td_gpu_launch *l = &d->s->launch;
	const struct td_gpu_instr *i = d->i;
	int64_t y = l->y_first + d->strip->by * l->y_step + d->time * i->y_per_time + row;

	return d->base + (uint64_t)(i->first + (l->x_first + d->time * i->x_per_time) * i->per_x +
				    y * i->per_y + d->strip->by * i->per_by);
}

/* ---- leaves ---- */

int td_gpu_leaf_put(struct td_gpu_touching *d, const struct td_gpu_leaf *leaf)
{
	struct td_gpu_step *step = d->step;

	if (d->direct)
		return td_gpu_touch(d, leaf);
	if ((step->now_n + 1) * sizeof *leaf > step->now.mapped_bytes &&
	    tide_vec_reserve(&step->now, (uint64_t)step->now_n + 1))
		return -ENOMEM;
	td_gpu_leaves(&step->now)[step->now_n++] = *leaf;
	return 0;
}

/* Threads tx0 .. tx1 - 1 of a row that begins at `at`; blocks bx0 .. bx1 - 1 access the same. */
static int add_same(struct td_gpu_touching *d, struct td_gpu_leaf *leaf, uint64_t at)
{
	int64_t step = d->i->per_x, length = (leaf->tx1 - leaf->tx0 - 1) * step, end = leaf->tx1;
	int rc = 0;

	leaf->kind = TD_GPU_LEAF_SAME;
	at += (uint64_t)((int64_t)leaf->bx0 * d->apart + leaf->tx0 * step);
	if (step <= (int64_t)d->s->app->page_bytes && -step <= (int64_t)d->s->app->page_bytes) {
		leaf->low = at + (uint64_t)(length < 0 ? length : 0);
		leaf->span = (uint64_t)(length < 0 ? -length : length);
		return td_gpu_leaf_put(d, leaf);
	}
	leaf->span = 0;
	for (int64_t tx = leaf->tx0; tx < end && !rc; tx++, at += (uint64_t)step) {
		leaf->tx0 = (int32_t)tx;
		leaf->tx1 = (int32_t)tx + 1;
		leaf->low = at;
		rc = td_gpu_leaf_put(d, leaf);
	}
	return rc;
}

static int add_train(struct td_gpu_touching *d, struct td_gpu_leaf *leaf, uint64_t at)
{
	leaf->kind = TD_GPU_LEAF_TRAIN;
	leaf->low = at + (uint64_t)((int64_t)leaf->bx0 * d->apart + leaf->tx0 * d->i->per_x);
	leaf->span = (uint64_t)((int64_t)(leaf->bx1 - leaf->bx0 - 1) * d->apart +
				(leaf->tx1 - leaf->tx0 - 1) * d->i->per_x);
	return td_gpu_leaf_put(d, leaf);
}

/* Do whole blocks leave no page out? */
static bool is_train(const struct td_gpu_touching *d, const struct td_gpu_cuts *c)
{
	int64_t length = (c->tx1 - c->tx0 - 1) * d->i->per_x;

	return d->apart > 0 && d->i->per_x >= 0 && d->i->per_x <= (int64_t)d->s->app->page_bytes &&
	       d->apart - length <= (int64_t)d->s->app->page_bytes;
}

static int add_cut(struct td_gpu_touching *d, struct td_gpu_leaf leaf, uint64_t at, int64_t bx0,
		   int64_t bx1)
{
	int rc = 0;

	for (int64_t bx = bx0; bx < bx1 && !rc; bx++) {
		int64_t tx0, tx1;
		td_gpu_leaf_cut(d, bx, &tx0, &tx1);
		if (tx0 >= tx1)
			continue;
		leaf.bx0 = (uint32_t)bx;
		leaf.bx1 = (uint32_t)bx + 1;
		leaf.tx0 = (int32_t)tx0;
		leaf.tx1 = (int32_t)tx1;
		rc = add_same(d, &leaf, at);
	}
	return rc;
}

/* Row by row. */
static int add_rows(struct td_gpu_touching *d, struct td_gpu_leaf leaf,
		    const struct td_gpu_taking *r, const struct td_gpu_cuts *c)
{
	uint64_t at = td_gpu_leaf_at(d, r->from);
	int rc = 0;

	for (int64_t row = r->from; row < r->to && !rc; row++, at += (uint64_t)d->i->per_y) {
		leaf.row = (uint16_t)row;
		rc = add_cut(d, leaf, at, c->any0, c->whole0);
		leaf.bx0 = (uint32_t)c->whole0;
		leaf.bx1 = (uint32_t)c->whole1;
		leaf.tx0 = (int32_t)c->tx0;
		leaf.tx1 = (int32_t)c->tx1;
		if (!rc && c->whole0 < c->whole1)
			rc = d->apart ? add_train(d, &leaf, at) : add_same(d, &leaf, at);
		if (!rc)
			rc = add_cut(d, leaf, at, c->whole1, c->any1);
	}
	return rc;
}

/* Blocks are far apart: block by block, which is the order of their threads. */
static int add_blocks(struct td_gpu_touching *d, struct td_gpu_leaf leaf,
		      const struct td_gpu_taking *r, const struct td_gpu_cuts *c)
{
	int rc = 0;

	for (int64_t bx = c->any0; bx < c->any1 && !rc; bx++) {
		uint64_t at = td_gpu_leaf_at(d, r->from);
		int64_t tx0 = c->tx0, tx1 = c->tx1;
		if (bx < c->whole0 || bx >= c->whole1)
			td_gpu_leaf_cut(d, bx, &tx0, &tx1);
		if (tx0 >= tx1)
			continue;
		leaf.bx0 = (uint32_t)bx;
		leaf.bx1 = (uint32_t)bx + 1;
		for (int64_t row = r->from; row < r->to && !rc; row++) {
			leaf.row = (uint16_t)row;
			leaf.tx0 = (int32_t)tx0;
			leaf.tx1 = (int32_t)tx1;
			rc = add_same(d, &leaf, at);
			at += (uint64_t)d->i->per_y;
		}
	}
	return rc;
}

/* ---- strips ---- */

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

/* Do threads go on where they ended the time before, so that all times are one long row? Where
 * rows share a warp they must share no page, or warps would be counted twice. */
static bool is_folded(struct td_gpu_touching *d)
{
	const struct td_gpu_instr *i = d->i;
	int64_t block_x = d->s->launch.block_x, bytes = (int64_t)d->s->app->page_bytes;

	if (i->times == 1 || i->y_per_time || i->x_per_time != block_x || i->tx_from ||
	    i->tx_to != block_x || i->times > INT32_MAX / block_x ||
	    (block_x > TD_GPU_LANES && block_x % TD_GPU_LANES) || d->apart < 0 || i->per_x < 0)
		return false;
	int64_t down = i->per_y < 0 ? -i->per_y : i->per_y;
	int64_t span = (d->strip->bx1 - d->strip->bx0 - 1) * d->apart +
		       (i->times * block_x - 1) * i->per_x;
	if (d->rows_each == 1 || !down || i->ty_to - i->ty_from == 1 || down - span >= bytes)
		return true;
	if (down % bytes)
		return false;
	d->time = 0;
	uint64_t at = td_gpu_leaf_at(d, i->ty_from) + (uint64_t)(d->strip->bx0 * d->apart);
	d->step->whole = bytes;
	return at % (uint64_t)bytes + (uint64_t)span < (uint64_t)down;
}

/* What the strip does at a time, in rows or blocks. */
static int add_time(struct td_gpu_touching *d, struct td_gpu_leaf leaf, uint32_t alike)
{
	struct td_gpu_taking r;
	struct td_gpu_cuts c;

	td_gpu_leaf_rows(d, alike, &r);
	td_gpu_leaf_cuts(d, &c);
	leaf.time = (uint32_t)d->time;
	leaf.copies = (uint32_t)r.copies;
	if (c.tx0 >= c.tx1)
		return 0;
	if (d->apart && c.whole0 < c.whole1 && !is_train(d, &c))
		return add_blocks(d, leaf, &r, &c);
	return add_rows(d, leaf, &r, &c);
}

/* Strips that can be leaves as they are; the others are marked. */
static int add_whole(struct td_gpu_touching *d, struct td_gpu_leaf leaf, struct td_gpu_strip *strip,
		     uint32_t alike)
{
	d->strip = strip;
	strip->rest = false;
	if (!td_gpu_row_has(d->i, strip->by))
		return 0;
	leaf.fold = strip->fold = d->fold = is_folded(d);
	int rc = td_gpu_leaf_strip(d, leaf, alike);
	strip->rest = rc == 0;
	return rc < 0 ? rc : 0;
}

int td_gpu_leaf_add(struct td_gpu_touching *d, uint16_t part)
{
	struct td_gpu_wave *w = &d->s->wave;
	struct td_gpu_strip *strips = (struct td_gpu_strip *)(void *)w->strips.at;
	struct td_gpu_leaf leaf = {.part = part, .rows = 1, .times = 1};
	int64_t times = 0;
	int rc = 0;

	if (d->i->tx_from >= d->i->tx_to)
		return 0;
	for (uint32_t k = 0, alike; k < w->strips_n && !rc; k += alike) {
		alike = strips_alike(d, &strips[k], w->strips_n - k);
		leaf.strip = k;
		rc = add_whole(d, leaf, &strips[k], alike);
		strips[k].alike = alike;
		if (strips[k].rest && times < (strips[k].fold ? 1 : d->i->times))
			times = strips[k].fold ? 1 : d->i->times;
	}
	for (int64_t time = 0; time < times && !rc; time++) {
		for (uint32_t k = 0; k < w->strips_n && !rc; k += strips[k].alike) {
			if (!strips[k].rest || (strips[k].fold && time))
				continue;
			d->strip = &strips[k];
			d->time = time;
			leaf.strip = k;
			leaf.fold = d->fold = strips[k].fold;
			rc = add_time(d, leaf, strips[k].alike);
		}
	}
	return rc;
}
