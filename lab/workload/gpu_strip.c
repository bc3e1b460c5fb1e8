/* A strip of blocks, at all times, as one leaf: where the bounds of x and y leave it a box, and its
 * rows, blocks and times, the closest first, close all gaps of a page or more. */
#include "gpu_leaf.h"

static bool is_whole(const struct td_gpu_touching *d)
{
	int64_t tx0, tx1, end = td_gpu_leaf_threads(d);

	td_gpu_leaf_cut(d, d->strip->bx0, &tx0, &tx1);
	if (tx0 != d->i->tx_from || tx1 != end)
		return false;
	td_gpu_leaf_cut(d, d->strip->bx1 - 1, &tx0, &tx1);
	return tx0 == d->i->tx_from && tx1 == end;
}

/* Times at which a single row of threads is within the bounds of y, or all if all rows always are:
 * else false. */
static bool find_times(struct td_gpu_touching *d, int64_t *from, int64_t *to)
{
	const struct td_gpu_launch *l = &d->s->launch;
	const struct td_gpu_instr *i = d->i;
	int64_t y = l->y_first + d->strip->by * l->y_step, step = i->y_per_time;

	*from = 0;
	*to = d->fold ? 1 : i->times;
	if (*to == 1 || step == 0 || (i->y_from == INT64_MIN && i->y_to == INT64_MAX))
		return true;
	if (step < 0 || i->ty_to - i->ty_from != 1)
		return false;
	y += i->ty_from;
	if (i->y_from != INT64_MIN)
		*from = td_gpu_between(td_gpu_floor(i->y_from - y + step - 1, step), 0, *to);
	if (i->y_to != INT64_MAX)
		*to = td_gpu_between(td_gpu_floor(i->y_to - y + step - 1, step), *from, *to);
	return true;
}

struct dimension {
	int64_t step, n;
};

static void put_in(struct dimension *dims, int n, int64_t step, int64_t count)
{
	int64_t size = step < 0 ? -step : step;

	for (; n && dims[n - 1].step > size; n--)
		dims[n] = dims[n - 1];
	dims[n] = (struct dimension){size, count};
}

/* The bytes from the lowest access to the highest, where no page between is left out; else -1. */
static int64_t span_of(const struct td_gpu_touching *d, const struct td_gpu_leaf *leaf)
{
	const struct td_gpu_instr *i = d->i;
	struct dimension dims[4];
	int64_t span = 0;

	put_in(dims, 0, i->per_x, leaf->tx1 - leaf->tx0);
	put_in(dims, 1, i->per_y, leaf->rows);
	put_in(dims, 2, d->apart, leaf->bx1 - leaf->bx0);
	put_in(dims, 3, i->x_per_time * i->per_x + i->y_per_time * i->per_y, leaf->times);
	for (int k = 0; k < 4; k++) {
		if (dims[k].n > 1 && dims[k].step - span > (int64_t)d->s->app->page_bytes)
			return -1;
		span += (dims[k].n - 1) * dims[k].step;
	}
	return span;
}

static int64_t below(int64_t step, int64_t n)
{
	return step < 0 ? step * (n - 1) : 0;
}

int td_gpu_leaf_strip(struct td_gpu_touching *d, struct td_gpu_leaf leaf, uint32_t alike)
{
	const struct td_gpu_instr *i = d->i;
	int64_t from, to;
	struct td_gpu_taking r;
	struct td_gpu_cuts c;

	d->time = 0;
	if (!find_times(d, &from, &to))
		return 0;
	d->time = to - 1;
	if (to > from + 1 && i->x_per_time && !is_whole(d))
		return 0;
	d->time = from;
	if (to > from + 1 && i->x_per_time && !is_whole(d))
		return 0;
	td_gpu_leaf_rows(d, alike, &r);
	td_gpu_leaf_cuts(d, &c);
	if (from >= to || r.from >= r.to || c.any0 >= c.any1 || c.tx0 >= c.tx1)
		return 1;
	if (c.any0 != c.whole0 || c.any1 != c.whole1 || (to - from) * (r.to - r.from) == 1)
		return 0;
	leaf.kind = TD_GPU_LEAF_STRIP;
	leaf.copies = (uint32_t)r.copies;
	leaf.bx0 = (uint32_t)c.any0;
	leaf.bx1 = (uint32_t)c.any1;
	leaf.tx0 = (int32_t)c.tx0;
	leaf.tx1 = (int32_t)c.tx1;
	leaf.time = (uint32_t)from;
	leaf.times = (uint32_t)(to - from);
	leaf.row = (uint16_t)r.from;
	leaf.rows = (uint16_t)(r.to - r.from);
	int64_t span = span_of(d, &leaf);
	if (span < 0)
		return 0;
	int64_t by_time = i->x_per_time * i->per_x + i->y_per_time * i->per_y;
	int64_t low = (int64_t)leaf.bx0 * d->apart + leaf.tx0 * i->per_x +
		      below(i->per_x, c.tx1 - c.tx0) + below(i->per_y, leaf.rows) +
		      below(d->apart, c.any1 - c.any0) + below(by_time, leaf.times);
	leaf.low = td_gpu_leaf_at(d, r.from) + (uint64_t)low;
	leaf.span = (uint64_t)span;
	int rc = td_gpu_leaf_put(d, &leaf);
	return rc ? rc : 1;
}
