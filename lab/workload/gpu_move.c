/* From one step of an instruction to the next: which pages are new.
 *
 * Both steps are lists of leaves, and the set counts the leaves on every page. A page that comes
 * into the set is an event; only leaves that are on such pages are looked at more closely. Where
 * all leaves just move up by the same few bytes, most of them stay on their pages: they wait in two
 * queues, by the bytes that are left to the end of the page, one for their highest byte, which
 * enters the next page, and one for the lowest, which leaves the last one. */
#include <errno.h>
#include <stdlib.h>

#include "gpu_enter.h"

enum { SORT_LEAST = 48 }; /* leaves that are worth sorting */
enum { DIGIT_BITS = 11, AHEAD = 8 };

/* Pages first .. last. */
struct range {
	uint64_t first, last;
};

static struct range range_of(const struct td_gpu_source *s, const struct td_gpu_leaf *leaf,
			     int64_t moved)
{
	uint64_t low = leaf->low + (uint64_t)moved;

	return (struct range){td_gpu_page(s, low), td_gpu_page(s, low + leaf->span)};
}

/* ---- pages that come and go ---- */

/* 1 if the page is new to the step, 0, or -ENOMEM. */
static int enter(struct td_gpu_touching *d, uint64_t page)
{
	const struct td_gpu_slot *slot = td_gpu_enter(d, page);

	if (!slot)
		return -ENOMEM;
	if (slot->event - d->step->set.base >= d->s->ready.n)
		return 0;
	d->new_first = page < d->new_first ? page : d->new_first;
	d->new_last = page > d->new_last ? page : d->new_last;
	return 1;
}

/* The leaf leaves `from` for `to`. */
static int enter_range(struct td_gpu_touching *d, const struct range *from, const struct range *to)
{
	int is_new = 0;

	for (uint64_t page = to->first; page <= to->last; page++) {
		if (page >= from->first && page <= from->last) {
			page = from->last;
			continue;
		}
		int rc = enter(d, page);
		if (rc < 0)
			return rc;
		is_new |= rc;
	}
	return is_new;
}

static void leave_range(struct td_gpu_touching *d, const struct range *from, const struct range *to)
{
	for (uint64_t page = from->first; page <= from->last; page++) {
		if (page >= to->first && page <= to->last)
			page = to->last;
		else
			td_gpu_set_drop(&d->step->set, page);
	}
}

/* ---- all leaves ---- */

static const struct range nowhere = {1, 0};

static struct range nth(const struct td_gpu_source *s, const struct tide_vec *leaves, uint32_t n,
			uint32_t k)
{
	return k < n ? range_of(s, &td_gpu_leaves(leaves)[k], 0) : nowhere;
}

/* By how much all may move while leaf k stays on its pages: neither end leaves its own. */
static void bound(struct td_gpu_touching *d, uint32_t k, const struct range *at)
{
	struct td_gpu_step *step = d->step;
	int64_t bytes = (int64_t)d->s->app->page_bytes;
	const struct td_gpu_leaf *leaf = &td_gpu_leaves(&step->now)[k];
	int64_t low = (int64_t)(leaf->low - at->first * (uint64_t)bytes);
	int64_t high = (int64_t)(leaf->low + leaf->span - at->last * (uint64_t)bytes);
	int64_t down = low < high ? low : high, up = bytes - 1 - (low > high ? low : high);

	step->down = down < step->down ? down : step->down;
	step->up = up < step->up ? up : step->up;
}

static int remember(struct td_gpu_touching *d, uint32_t k, uint32_t *n)
{
	struct tide_vec *v = &d->s->wave.moving;

	if ((*n + UINT64_C(1)) * sizeof(uint32_t) > v->mapped_bytes &&
	    tide_vec_reserve(v, *n + UINT64_C(1)))
		return -ENOMEM;
	((uint32_t *)(void *)v->at)[(*n)++] = k;
	return 0;
}

/* Those that were remembered, `moved` further on. */
static int touch_moving(struct td_gpu_touching *d, uint32_t n, int64_t moved)
{
	const uint32_t *moving = (const uint32_t *)(const void *)d->s->wave.moving.at;
	const struct td_gpu_instr *parts =
		(const struct td_gpu_instr *)(const void *)d->s->wave.parts.at;
	uint32_t part = UINT32_MAX;
	int rc = 0;

	d->last_slot = NULL;
	for (uint32_t k = 0; k < n && !rc; k++) {
		struct td_gpu_leaf leaf = td_gpu_leaves(&d->step->now)[moving[k]];
		leaf.low += (uint64_t)moved;
		if (d->parts > 1 && leaf.part != part)
			td_gpu_aim(d, &parts[part = leaf.part]);
		rc = td_gpu_touch(d, &leaf);
	}
	return rc;
}

int td_gpu_move_all(struct td_gpu_touching *d)
{
	struct td_gpu_step *step = d->step;
	const struct td_gpu_source *s = d->s;
	uint32_t moving = 0, changed = 0;
	int rc = 0;

	step->down = step->up = INT64_MAX;
	for (uint32_t k = 0; k < step->now_n && rc >= 0; k++) {
		struct range to = nth(s, &step->now, step->now_n, k);
		struct range from = nth(s, &step->before, step->before_n, k);
		bound(d, k, &to);
		if (from.first == to.first && from.last == to.last)
			continue;
		changed++;
		rc = enter_range(d, &from, &to);
		if (rc > 0)
			rc = remember(d, k, &moving);
	}
	if (rc < 0 || (rc = touch_moving(d, moving, 0)) < 0)
		return rc;
	step->turn += changed || step->before_n > step->now_n;
	for (uint32_t k = 0; k < step->before_n && (changed || step->before_n > step->now_n); k++) {
		struct range to = nth(s, &step->now, step->now_n, k);
		struct range from = nth(s, &step->before, step->before_n, k);
		leave_range(d, &from, &to);
	}
	return 0;
}

int td_gpu_move_settle(struct td_gpu_touching *d)
{
	struct td_gpu_step *step = d->step;
	int rc = 0;

	td_gpu_set_empty(&step->set);
	step->down = step->up = INT64_MAX;
	for (uint32_t k = 0; k < step->now_n && rc >= 0; k++) {
		struct range at = nth(d->s, &step->now, step->now_n, k);
		bound(d, k, &at);
		rc = enter_range(d, &nowhere, &at);
	}
	step->set.base += d->s->ready.n;
	d->s->ready.n = 0;
	d->new_first = UINT64_MAX;
	d->new_last = 0;
	return rc < 0 ? rc : 0;
}

/* ---- queues ---- */

static struct td_gpu_turn *turns(const struct tide_vec *v)
{
	return (struct td_gpu_turn *)(void *)v->at;
}

/* By their bytes to the end of the page; equal ones stay in their order. */
static void sort_turns(struct td_gpu_turn *at, struct td_gpu_turn *other, uint32_t n, uint64_t most)
{
	struct td_gpu_turn *from = at, *to = other;

	for (unsigned shift = 0; most >> shift; shift += DIGIT_BITS) {
		uint32_t begin[(1 << DIGIT_BITS) + 1] = {0};
		uint32_t mask = (1 << DIGIT_BITS) - 1;
		for (uint32_t k = 0; k < n; k++)
			begin[(from[k].at >> shift & mask) + 1]++;
		for (uint32_t k = 0; k < mask; k++)
			begin[k + 1] += begin[k];
		for (uint32_t k = 0; k < n; k++)
			to[begin[from[k].at >> shift & mask]++] = from[k];
		struct td_gpu_turn *swap = from;
		from = to;
		to = swap;
	}
	for (uint32_t k = 0; from != at && k < n; k++)
		at[k] = from[k];
}

static int make_queue(struct td_gpu_touching *d, struct td_gpu_queue *q, bool top)
{
	struct td_gpu_step *step = d->step;
	struct tide_vec *scratch = &d->s->wave.scratch;
	uint64_t bytes = d->s->app->page_bytes;

	if (tide_vec_reserve(&q->order, step->now_n) || tide_vec_reserve(scratch, step->now_n))
		return -ENOMEM;
	for (uint32_t k = 0; k < step->now_n; k++) {
		const struct td_gpu_leaf *leaf = &td_gpu_leaves(&step->now)[k];
		uint64_t end = leaf->low + (top ? leaf->span : 0);
		uint64_t past = end - td_gpu_page(d->s, end) * bytes;
		turns(&q->order)[k] = (struct td_gpu_turn){(uint32_t)(bytes - 1 - past), k};
	}
	sort_turns(turns(&q->order), turns(scratch), step->now_n, bytes - 1);
	q->next = 0;
	q->lap = 0;
	return 0;
}

/* The next in the queue, and by how much all have to be moved for its turn. */
static const struct td_gpu_turn *front(const struct td_gpu_queue *q, int64_t *at)
{
	const struct td_gpu_turn *t = &turns(&q->order)[q->next];

	*at = q->lap + t->at + 1;
	return t;
}

static void go_on(struct td_gpu_touching *d, struct td_gpu_queue *q)
{
	uint32_t n = d->step->now_n;

	__builtin_prefetch(&td_gpu_leaves(&d->step->now)[turns(&q->order)[q->next].leaf]);
	if (++q->next == n) {
		q->next = 0;
		q->lap += (int64_t)d->s->app->page_bytes;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Those whose turn it is, in their order. */
static int take_turns(struct td_gpu_touching *d, struct td_gpu_queue *q, uint32_t *n)
{
	bool sorted = true;
	uint32_t last = 0;
	int64_t at;

	*n = 0;
	for (const struct td_gpu_turn *t; t = front(q, &at), at <= d->step->moved; go_on(d, q)) {
		sorted = sorted && t->leaf >= last;
		last = t->leaf;
		if (remember(d, t->leaf, n))
			return -ENOMEM;
	}
	if (!sorted)
		qsort(d->s->wave.moving.at, *n, sizeof(uint32_t), by_number);
	return 0;
}

/* The page that a leaf's end has come to, and a look ahead for one that will be asked for soon. */
static uint64_t page_now(const struct td_gpu_touching *d, const uint32_t *moving, uint32_t n,
			 uint32_t k, bool top)
{
	const struct td_gpu_step *step = d->step;
	const struct td_gpu_leaf *leaves = td_gpu_leaves(&step->now);
	uint32_t ahead = k + AHEAD < n ? moving[k + AHEAD] : moving[k];
	struct range soon = range_of(d->s, &leaves[ahead], step->moved);
	struct range now = range_of(d->s, &leaves[moving[k]], step->moved);

	td_gpu_set_expect(&step->set, top ? soon.last : soon.first - 1);
	return top ? now.last : now.first - 1;
}

/* Highest bytes enter the next page; leaves for which it is a new one are kept. */
static int enter_next(struct td_gpu_touching *d, uint32_t *n)
{
	uint32_t *moving = (uint32_t *)(void *)d->s->wave.moving.at, kept = 0;

	for (uint32_t k = 0; k < *n; k++) {
		int rc = enter(d, page_now(d, moving, *n, k, true));
		if (rc < 0)
			return rc;
		if (rc)
			moving[kept++] = moving[k];
	}
	*n = kept;
	return 0;
}

/* Lowest bytes leave the last one. */
static int leave_last(struct td_gpu_touching *d)
{
	const uint32_t *moving;
	uint32_t n;

	if (take_turns(d, &d->step->bottom, &n))
		return -ENOMEM;
	moving = (const uint32_t *)(const void *)d->s->wave.moving.at;
	for (uint32_t k = 0; k < n; k++)
		td_gpu_set_drop(&d->step->set, page_now(d, moving, n, k, false));
	return 0;
}

static int move_some(struct td_gpu_touching *d, int64_t bytes)
{
	struct td_gpu_step *step = d->step;
	int64_t top, bottom;
	uint32_t n;

	step->moved += bytes;
	step->turn++;
	int rc = take_turns(d, &step->top, &n);
	if (!rc)
		rc = enter_next(d, &n);
	if (!rc)
		rc = touch_moving(d, n, step->moved);
	if (!rc)
		rc = leave_last(d);
	if (rc)
		return rc;
	front(&step->top, &top);
	front(&step->bottom, &bottom);
	step->down = 0;
	step->up = (top < bottom ? top : bottom) - 1 - step->moved;
	return 0;
}

/* ---- moving ---- */

/* Leaves are where they are said to be again. */
static void unsort(struct td_gpu_step *step)
{
	for (uint32_t k = 0; step->sorted && k < step->now_n; k++)
		td_gpu_leaves(&step->now)[k].low += (uint64_t)step->moved;
	step->sorted = false;
}

void td_gpu_move_begin(struct td_gpu_step *step)
{
	struct tide_vec swap = step->now;

	unsort(step);
	step->now = step->before;
	step->before = swap;
	step->before_n = step->now_n;
	step->now_n = 0;
	step->whole = 0;
}

static int shift_all(struct td_gpu_touching *d, int64_t bytes)
{
	struct td_gpu_step *step = d->step;
	int64_t whole = step->whole;

	td_gpu_move_begin(step);
	if (step->before_n * sizeof(struct td_gpu_leaf) > step->now.mapped_bytes &&
	    tide_vec_reserve(&step->now, step->before_n))
		return -ENOMEM;
	step->whole = whole;
	step->now_n = step->before_n;
	struct td_gpu_leaf *next = td_gpu_leaves(&step->now);
	for (uint32_t k = 0; k < step->now_n; k++) {
		next[k] = td_gpu_leaves(&step->before)[k];
		next[k].low += (uint64_t)bytes;
	}
	return td_gpu_move_all(d);
}

int td_gpu_move_by(struct td_gpu_touching *d, int64_t bytes)
{
	struct td_gpu_step *step = d->step;
	bool few = bytes > 0 && (uint64_t)bytes < d->s->app->page_bytes &&
		   step->now_n >= SORT_LEAST && d->s->app->page_bytes <= UINT32_MAX;

	if (!few)
		return shift_all(d, bytes);
	if (!step->sorted) {
		if (make_queue(d, &step->top, true) || make_queue(d, &step->bottom, false))
			return -ENOMEM;
		step->sorted = true;
		step->moved = 0;
	}
	return move_some(d, bytes);
}
