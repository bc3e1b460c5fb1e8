/* Many rows of threads that follow one another: most of them do on a page what the row above did.
 * So rows are looked at only where that changes. */
#include "gpu_touch.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Bytes by which a value of ceil(gap / step) or more, at least 1, can have its gap shrink. */
static int64_t slack_of(int64_t gap, int64_t step, int64_t value)
{
	return gap - (value - 1) * step - 1;
}

/* Bytes that a row can move up by while the page that begins at `start` is accessed by the same
 * blocks, and by as many of their warps. */
static int64_t room_of(const struct td_gpu_touching *d, const struct td_gpu_row *r,
		       const struct td_gpu_by *by, uint64_t start)
{
	int64_t bytes = (int64_t)d->s->app->page_bytes, step = d->i->per_x;
	int64_t gap = (int64_t)(start - r->from), end = gap + bytes, room;

	room = slack_of(end, r->apart, by->bx1 - r->bx0);
	if (gap > r->length)
		room = least(room, slack_of(gap - r->length, r->apart, by->bx0 - r->bx0));
	if (d->fold)
		return 0;
	if (d->s->launch.block_x <= TD_GPU_LANES)
		return room;
	/* The first and the last block are cut by the page's ends. */
	if (r->apart <= r->length || step == 0)
		return 0;
	gap -= (by->bx0 - r->bx0) * r->apart;
	end -= (by->bx1 - 1 - r->bx0) * r->apart;
	if (gap > 0)
		room = least(room, slack_of(gap, step, (gap + step - 1) / step));
	return least(room, slack_of(end, step, least((end + step - 1) / step, r->tx1 - r->tx0)));
}

/* Which blocks of a row access the page that begins at `start`; some do. */
static void find_blocks(const struct td_gpu_touching *d, const struct td_gpu_row *r, uint64_t start,
			struct td_gpu_by *by)
{
	uint64_t next = start + d->s->app->page_bytes;
	int64_t gap = (int64_t)(start - r->from) - r->length;

	by->bx0 = r->bx0 + (gap > 0 ? (gap + r->apart - 1) / r->apart : 0);
	by->bx1 = least(r->bx1, r->bx0 + (int64_t)(next - 1 - r->from) / r->apart + 1);
	by->warps = td_gpu_row_warps(d, r, by->bx0, by->bx1, start, next);
	td_gpu_row_first(d, r, start, by);
}

/* What the rows do on a page. */
static int on_page(struct td_gpu_touching *d, struct td_gpu_row r, const struct td_gpu_rows *rows,
		   uint64_t page)
{
	uint64_t start = page * d->s->app->page_bytes;
	int64_t span = (r.bx1 - r.bx0 - 1) * r.apart + r.length, run, time = d->time, row = d->row;
	int rc = 0;

	for (int64_t k = 0; k < rows->n && !rc; k += run, r.from += (uint64_t)(run * rows->shift)) {
		int64_t before = (int64_t)(start - r.from) - span;
		struct td_gpu_by by = {.rows = 1, .times = 1};
		run = (before + rows->shift - 1) / rows->shift;
		if (before > 0)
			continue;
		if (r.from >= start + d->s->app->page_bytes)
			break;
		find_blocks(d, &r, start, &by);
		run = least(rows->n - k, room_of(d, &r, &by, start) / rows->shift + 1);
		d->time = time + (rows->are_times ? k : 0);
		d->row = row + (rows->are_times ? 0 : k);
		*(rows->are_times ? &by.times : &by.rows) = (uint32_t)run;
		rc = td_gpu_touch_page(d, page, &by);
	}
	d->time = time;
	d->row = row;
	return rc;
}

int td_gpu_touch_rows(struct td_gpu_touching *d, const struct td_gpu_row *r,
		      const struct td_gpu_rows *rows)
{
	uint64_t high = r->from + (uint64_t)((r->bx1 - r->bx0 - 1) * r->apart + r->length +
					     (rows->n - 1) * rows->shift);
	uint64_t page = td_gpu_page(d->s, r->from), last = td_gpu_page(d->s, high);
	int rc = 0;

	page = page < d->new_first ? d->new_first : page;
	last = last > d->new_last ? d->new_last : last;
	for (; page <= last && !rc; page++)
		rc = on_page(d, *r, rows, page);
	return rc;
}
