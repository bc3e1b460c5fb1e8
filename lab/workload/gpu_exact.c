/* Exact mode: resident blocks in lock-step, one instruction per warp in turn.
 *
 *     resident block   0           1           ..
 *     warps            0 1 .. k    0 1 .. k            one turn each, round after round
 *
 * A warp at a barrier loses its turns until the others of its block are there. Where instructions
 * are given by formula, a warp spends a turn on one that it has no part in, so all walk in step;
 * and instructions that are merged into one event take their turns all the same. A block that has
 * ended is replaced by the next one of the grid in its place. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_run.h"

static int make_room(struct td_gpu_exact *e, uint32_t blocks, uint32_t block_warps)
{
	uint32_t warps = blocks * block_warps;

	e->blocks = blocks;
	e->block_warps = block_warps;
	if (warps <= e->warps_room)
		return 0;
	td_gpu_exact_free(e);
	e->warps = calloc(warps, sizeof *e->warps);
	e->held = calloc(warps, sizeof *e->held);
	e->has_held = calloc(warps, sizeof *e->has_held);
	e->delay = calloc(warps, sizeof *e->delay); /* a later launch has more, smaller blocks */
	e->blocks = blocks;
	e->block_warps = block_warps;
	if (!e->warps || !e->held || !e->has_held || !e->delay)
		return -ENOMEM;
	e->warps_room = warps;
	return 0;
}

void td_gpu_exact_free(struct td_gpu_exact *e)
{
	free(e->warps);
	free(e->held);
	free(e->has_held);
	free(e->delay);
	*e = (struct td_gpu_exact){0};
}

/* The next block of the grid starts at a place, if there is one. */
static void start_block(struct td_gpu_source *s, uint32_t place)
{
	struct td_gpu_exact *e = &s->exact;
	const struct td_gpu_launch *l = &s->launch;
	uint32_t threads = l->block_x * l->block_y;
	bool none = e->next_block == e->all_blocks;
	uint32_t block = none ? 0 : (uint32_t)e->next_block++, bx, by;

	td_gpu_place(l, block, &bx, &by);
	e->running += !none;
	e->changes++;
	for (uint32_t i = 0; i < e->block_warps; i++) {
		struct td_gpu_warp *w = &e->warps[place * e->block_warps + i];
		uint32_t lanes = threads - i * TD_GPU_LANES;
		*w = (struct td_gpu_warp){
			.launch = l,
			.block = block,
			.bx = bx,
			.by = by,
			.warp = (uint16_t)i,
			.lanes = (uint8_t)(lanes < TD_GPU_LANES ? lanes : TD_GPU_LANES),
			.ended = none,
		};
		e->has_held[place * e->block_warps + i] = false;
	}
}

int td_gpu_exact_begin(struct td_gpu_source *s)
{
	struct td_gpu_exact *e = &s->exact;
	const struct td_gpu_launch *l = &s->launch;
	uint64_t all = td_gpu_blocks(l), jitter = s->app->jitter;
	uint64_t together = td_gpu_together(s->app->machine, l);
	uint32_t blocks = (uint32_t)(all < together ? all : together);
	int rc = make_room(e, blocks, (l->block_x * l->block_y + TD_GPU_LANES - 1) / TD_GPU_LANES);

	if (rc)
		return rc;
	e->turn = e->next_block = e->running = 0;
	for (unsigned i = 0; i < TD_GPU_KNOWN; i++)
		e->known[i].n = UINT64_MAX;
	e->all_blocks = all;
	e->delayed = 0;
	for (uint32_t i = 0; i < blocks; i++) {
		/* Blocks go round the multiprocessors. */
		uint64_t sm = i % s->app->machine->sms;
		e->delay[i] = jitter ? tide_hash64(s->app->seed + sm) % (jitter + 1) : 0;
		e->delayed += e->delay[i] != 0;
		start_block(s, i);
	}
	return 0;
}

/* ---- an instruction of a warp, from the formula ---- */

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The part of an instruction that a warp does; no lanes: none. */
static struct td_gpu_access part_of(const struct td_gpu_warp *w, const struct td_gpu_instr *i)
{
	const struct td_gpu_launch *l = w->launch;
	int64_t row = l->block_x, thread = w->warp * TD_GPU_LANES;
	int64_t tx0 = thread % row, ty0 = thread / row;
	int64_t tx1 = least(row, tx0 + w->lanes), ty1 = ty0 + (w->lanes + row - 1) / row;
	int64_t x0 = l->x_first + w->bx * l->x_step + w->time * i->x_per_time;
	int64_t y0 = l->y_first + w->by * l->y_step + w->time * i->y_per_time;

	tx0 = most(most(tx0, i->tx_from), i->x_from == INT64_MIN ? INT64_MIN : i->x_from - x0);
	tx1 = least(least(tx1, i->tx_to), i->x_to == INT64_MAX ? INT64_MAX : i->x_to - x0);
	ty0 = most(most(ty0, i->ty_from), i->y_from == INT64_MIN ? INT64_MIN : i->y_from - y0);
	ty1 = least(least(ty1, i->ty_to), i->y_to == INT64_MAX ? INT64_MAX : i->y_to - y0);
	if (tx0 >= tx1 || ty0 >= ty1 || !td_gpu_row_has(i, w->by))
		return (struct td_gpu_access){0};
	return (struct td_gpu_access){
		.array = i->array,
		.pc = i->pc,
		.write = i->write,
		.lanes = (uint8_t)(tx1 - tx0),
		.rows = (uint8_t)(ty1 - ty0),
		.first = (uint64_t)(i->first + (x0 + tx0) * i->per_x + (y0 + ty0) * i->per_y +
				    (int64_t)w->bx * i->per_bx + (int64_t)w->by * i->per_by),
		.lane_bytes = i->per_x,
		.row_bytes = i->per_y,
	};
}

/* Rows of threads neither fill warps nor share them evenly: lanes are looked at one by one. */
static bool is_odd(const struct td_gpu_launch *l)
{
	return l->block_y > 1 && l->block_x % TD_GPU_LANES && TD_GPU_LANES % l->block_x;
}

static struct td_gpu_access lanes_of(struct td_gpu_warp *w, const struct td_gpu_instr *i)
{
	const struct td_gpu_launch *l = w->launch;
	int64_t row = l->block_x, tx = w->warp * TD_GPU_LANES % row,
		ty = w->warp * TD_GPU_LANES / row;
	int64_t x0 = l->x_first + w->bx * l->x_step + w->time * i->x_per_time;
	int64_t y0 = l->y_first + w->by * l->y_step + w->time * i->y_per_time;
	int64_t first = i->first + (int64_t)w->bx * i->per_bx + (int64_t)w->by * i->per_by;
	unsigned n = 0;

	for (unsigned lane = 0; lane < w->lanes && td_gpu_row_has(i, w->by); lane++) {
		int64_t x = x0 + tx, y = y0 + ty;
		if (tx >= i->tx_from && tx < i->tx_to && ty >= i->ty_from && ty < i->ty_to &&
		    x >= i->x_from && x < i->x_to && y >= i->y_from && y < i->y_to)
			w->gather[n++] = (uint64_t)(first + x * i->per_x + y * i->per_y);
		tx = tx + 1 == row ? 0 : tx + 1;
		ty += tx == 0;
	}
	return td_gpu_gather(i->pc, i->array, i->write, n);
}

static struct td_gpu_access share_of(struct td_gpu_warp *w, const struct td_gpu_instr *i)
{
	return is_odd(w->launch) ? lanes_of(w, i) : part_of(w, i);
}

static const struct td_gpu_instr *instr_at(struct td_gpu_source *s, uint64_t n)
{
	struct td_gpu_known *k = &s->exact.known[n % TD_GPU_KNOWN];

	if (k->n != n) {
		k->there = s->launch.instr(s->app, &s->launch, n, &k->instr);
		k->n = n;
	}
	return k->there ? &k->instr : NULL;
}

/* No lanes: the warp has no part in the instruction. */
static bool next_by_formula(struct td_gpu_source *s, struct td_gpu_warp *w,
			    struct td_gpu_access *out)
{
	const struct td_gpu_instr *instr = instr_at(s, w->n);

	if (!instr)
		return false;
	*out = instr->barrier ? td_gpu_barrier() : share_of(w, instr);
	while (instr->more) { /* the rest of the parts, none of them this warp's if it had one */
		instr = instr_at(s, ++w->n);
		if (!instr)
			return true;
		if (!out->lanes)
			*out = share_of(w, instr);
	}
	if (++w->time >= instr->times) {
		w->time = 0;
		w->n++;
	}
	return true;
}

static bool fetch(struct td_gpu_source *s, uint32_t i, struct td_gpu_access *out)
{
	struct td_gpu_exact *e = &s->exact;

	if (e->has_held[i]) {
		e->has_held[i] = false;
		*out = e->held[i];
		return true;
	}
	if (!s->launch.body)
		return next_by_formula(s, &e->warps[i], out);
	do {
		if (!s->launch.body(s->app, &e->warps[i], out))
			return false;
	} while (!out->barrier && (!out->lanes || !out->rows));
	return true;
}

/* ---- pages of an instruction ---- */

static uint32_t add_page(struct td_gpu_event *to, uint32_t n, uint64_t page)
{
	for (uint32_t i = 0; i < n; i++) {
		if (to[i].page == page)
			return n;
	}
	to[n].page = page;
	return n + 1;
}

/* Lanes no further apart than pages touch every page from the first to the last. */
static uint32_t add_row(const struct td_gpu_source *s, struct td_gpu_event *to, uint32_t n,
			uint64_t first, int64_t step, unsigned lanes)
{
	uint64_t last = first + (uint64_t)step * (lanes - 1);
	uint64_t from = td_gpu_page(s, first), end = td_gpu_page(s, last);

	if (from == end)
		return add_page(to, n, from);
	if ((uint64_t)(step < 0 ? -step : step) > s->app->page_bytes) {
		for (unsigned l = 0; l < lanes; l++)
			n = add_page(to, n, td_gpu_page(s, first + (uint64_t)step * l));
		return n;
	}
	for (uint64_t page = from;; page += step < 0 ? UINT64_MAX : 1) {
		n = add_page(to, n, page);
		if (page == end)
			return n;
	}
}

/* Distinct pages in the order of the lanes. */
static uint32_t pages_of(const struct td_gpu_source *s, const struct td_gpu_warp *w,
			 const struct td_gpu_access *a, struct td_gpu_event *to)
{
	uint64_t base = s->app->array[a->array].base;
	uint32_t n = 0;

	if (a->gather) {
		for (unsigned l = 0; l < a->lanes; l++)
			n = add_page(to, n, td_gpu_page(s, base + w->gather[l]));
		return n;
	}
	for (unsigned r = 0; r < a->rows; r++)
		n = add_row(s, to, n, base + a->first + (uint64_t)a->row_bytes * r, a->lane_bytes,
			    a->lanes);
	return n;
}

/* The same instruction on the page that it came to last, again and again, is one event: how many
 * were merged. One that goes on to other pages has these at its own turn. And the warp's end is
 * seen with its last instruction, so that blocks that began together end together. */
static uint32_t merge(struct td_gpu_source *s, uint32_t i, const struct td_gpu_access *a,
		      uint64_t page)
{
	struct td_gpu_exact *e = &s->exact;
	struct td_gpu_event pages[TD_GPU_LANES * 2];
	uint32_t merged = 0;

	while (fetch(s, i, &e->held[i])) {
		struct td_gpu_access *b = &e->held[i];
		bool idle = !b->barrier && !b->lanes;
		uint32_t n = 0;
		e->has_held[i] = true;
		if (!idle) {
			if (b->barrier || b->pc != a->pc || b->array != a->array ||
			    b->write != a->write)
				return merged;
			n = pages_of(s, &e->warps[i], b, pages);
			if (pages[0].page != page)
				return merged;
			merged += b->again + 1u;
		}
		if (n > 1) {
			b->joined = true;
			return merged;
		}
		e->has_held[i] = false;
		e->warps[i].rest += b->again + 1u;
	}
	e->warps[i].over = true;
	return merged;
}

static void look_ahead(struct td_gpu_source *s, uint32_t i)
{
	struct td_gpu_exact *e = &s->exact;

	e->has_held[i] = fetch(s, i, &e->held[i]);
	e->warps[i].over = !e->has_held[i];
}

/* ---- turns ---- */

/* What begins or goes on at a place does so together, in the next round. */
static void end_turns(struct td_gpu_exact *e, uint32_t place)
{
	e->turn = place + 1 == e->blocks ? 0 : (place + 1) * e->block_warps;
}

static void release_barrier(struct td_gpu_exact *e, uint32_t place)
{
	struct td_gpu_warp *w = &e->warps[place * e->block_warps];

	for (uint32_t i = 0; i < e->block_warps; i++) {
		if (!w[i].ended && !w[i].waiting)
			return;
	}
	for (uint32_t i = 0; i < e->block_warps; i++)
		w[i].waiting = false;
	e->changes++;
	end_turns(e, place);
}

static void end_block(struct td_gpu_source *s, uint32_t place)
{
	struct td_gpu_exact *e = &s->exact;

	for (uint32_t i = 0; i < e->block_warps; i++) {
		if (!e->warps[place * e->block_warps + i].ended)
			return;
	}
	e->running--;
	start_block(s, place);
	end_turns(e, place);
}

/* The warp ends if it has nothing more to do. */
static void end_warp(struct td_gpu_source *s, uint32_t i)
{
	struct td_gpu_warp *w = &s->exact.warps[i];

	if (!w->over || w->rest)
		return;
	w->ended = true;
	release_barrier(&s->exact, i / s->exact.block_warps);
	end_block(s, i / s->exact.block_warps);
}

bool td_gpu_exact_turn(struct td_gpu_source *s, uint32_t i)
{
	struct td_gpu_exact *e = &s->exact;
	struct td_gpu_warp *w = &e->warps[i];
	struct td_gpu_access a;

	if (w->rest) {
		w->rest--;
		end_warp(s, i);
		return false;
	}
	if (!fetch(s, i, &a)) {
		w->over = true;
		end_warp(s, i);
		return false;
	}
	if (a.barrier) {
		w->waiting = true;
		release_barrier(e, i / e->block_warps);
		return false;
	}
	if (!a.lanes) {
		look_ahead(s, i);
		end_warp(s, i);
		return false;
	}
	s->ready.n = pages_of(s, w, &a, s->ready.at);
	if (a.joined)
		memmove(s->ready.at, s->ready.at + 1, --s->ready.n * sizeof *s->ready.at);
	s->ready.array = a.array;
	s->ready.pc = a.pc;
	s->ready.write = a.write;
	uint32_t block = w->block;
	uint16_t warp = w->warp;
	w->rest = a.again;
	for (uint32_t k = 0; k < s->ready.n; k++) {
		s->ready.at[k].block = block;
		s->ready.at[k].warp = warp;
		s->ready.at[k].count = 1u + a.again;
	}
	struct td_gpu_event *last = &s->ready.at[s->ready.n - 1];
	last->count += merge(s, i, &a, last->page);
	end_warp(s, i);
	return true;
}

/* All blocks that are left are yet to start: rounds until one is about to are left out. */
static void skip_delays(struct td_gpu_exact *e)
{
	uint64_t rounds = UINT64_MAX;

	for (uint32_t i = 0; i < e->blocks; i++) {
		if (e->delay[i] && e->delay[i] - 1 < rounds)
			rounds = e->delay[i] - 1;
	}
	for (uint32_t i = 0; i < e->blocks; i++)
		e->delay[i] -= e->delay[i] ? rounds : 0;
}

/* The last warp of a block that is yet to start ends the round, so that all of them begin together.
 */
static void pass_round(struct td_gpu_exact *e, uint32_t warp)
{
	if ((warp + 1) % e->block_warps == 0 && --e->delay[warp / e->block_warps] == 0)
		e->delayed--;
}

int td_gpu_exact_next(struct td_gpu_source *s)
{
	struct td_gpu_exact *e = &s->exact;
	uint32_t warps = e->blocks * e->block_warps;

	if (td_gpu_room(&s->ready, TD_GPU_LANES * 2))
		return -ENOMEM;
	while (e->running) {
		uint32_t i = (uint32_t)e->turn;
		e->turn = i + 1 == warps ? 0 : i + 1;
		if (i == 0 && e->delayed == e->running)
			skip_delays(e);
		if (e->delay[i / e->block_warps]) {
			pass_round(e, i);
			continue;
		}
		if (!e->warps[i].ended && !e->warps[i].waiting && td_gpu_exact_turn(s, i))
			return 1;
	}
	return 0;
}
