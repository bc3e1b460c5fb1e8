/* Wave mode as its definition says, thread by thread, and both modes held against it. */
#ifndef GPU_WAVES_H
#define GPU_WAVES_H

#include <stdio.h>

#include "gpu_entries.h"

static inline bool takes_part(const struct td_gpu_instr *i, int64_t tx, int64_t ty, int64_t x,
			      int64_t y)
{
	return tx >= i->tx_from && tx < i->tx_to && ty >= i->ty_from && ty < i->ty_to &&
	       x >= i->x_from && x < i->x_to && y >= i->y_from && y < i->y_to;
}

/* The events of a launch, as wave mode has to give them. */
struct naive {
	struct td_gpu_app *app;
	const struct td_gpu_launch *l;
	uint32_t kernel;
	struct entries all;
	struct marks seen;    /* page of an instruction -> its last step */
	struct marks counted; /* page -> the warp that was counted last */
	uint32_t step[TD_GPU_PCS][2];
	uint32_t warps; /* so far, with page accesses or not */
};

static inline void naive_thread(struct naive *v, const struct td_gpu_instr *i, uint64_t block,
				uint32_t thread, uint64_t page, size_t from)
{
	uint32_t step = v->step[i->pc][i->write];
	uint64_t key = key_of(i->pc, i->write, page);
	uint32_t before = mark(&v->seen, key, step);

	if (before != step && (before != step - 1 || before == 0))
		keep(&v->all, (struct entry){.page = page,
					     .kernel = v->kernel,
					     .block = (uint32_t)block,
					     .warp = thread / LANES,
					     .array = i->array,
					     .pc = i->pc,
					     .write = i->write});
	if (mark(&v->counted, key, v->warps) == v->warps)
		return;
	for (size_t k = v->all.n; k > from; k--) {
		if (v->all.at[k - 1].page == page) {
			v->all.at[k - 1].count++;
			break;
		}
	}
}

static inline void naive_block(struct naive *v, const struct td_gpu_instr *i, int64_t time,
			       uint64_t block, size_t from)
{
	const struct td_gpu_launch *l = v->l;
	uint32_t bx, by;

	td_gpu_place(l, block, &bx, &by);
	for (uint32_t t = 0; t < l->block_x * l->block_y; t++) {
		int64_t tx = t % l->block_x, ty = t / l->block_x;
		int64_t x = l->x_first + bx * l->x_step + tx + time * i->x_per_time;
		int64_t y = l->y_first + by * l->y_step + ty + time * i->y_per_time;
		v->warps += t % 32 == 0;
		if (takes_part(i, tx, ty, x, y))
			naive_thread(v, i, block, t,
				     (v->app->array[i->array].base +
				      (uint64_t)(i->first + x * i->per_x + y * i->per_y +
						 bx * i->per_bx + by * i->per_by)) /
					     v->app->page_bytes,
				     from);
	}
}

static inline void naive_launch(struct naive *v)
{
	uint64_t all = td_gpu_blocks(v->l), width = td_gpu_together(v->app->machine, v->l);
	struct td_gpu_instr i;

	for (uint64_t first = 0; first < all; first += width) {
		for (unsigned k = 0; k < TD_GPU_PCS * 2; k++)
			v->step[k / 2][k % 2] += 2; /* nothing stays from wave to wave */
		bool more = false;
		size_t from = 0;
		for (uint64_t n = 0; v->l->instr(v->app, v->l, n, &i); n++) {
			if (i.barrier)
				continue;
			if (!more) {
				v->step[i.pc][i.write]++;
				from = v->all.n;
			}
			more = i.more;
			for (int64_t time = 0; time == 0 || time < i.times; time++) {
				for (uint64_t b = first; b < first + width && b < all; b++)
					naive_block(v, &i, time, b, from);
			}
		}
	}
}

static inline struct entries naive_entries(struct td_gpu_app *app)
{
	struct naive v = {.app = app};
	struct td_gpu_launch l;

	assert_int_equal(tide_map_init(&v.seen.map, 1024), 0);
	assert_int_equal(tide_map_init(&v.counted.map, 1024), 0);
	for (; app->launch(app, v.kernel, &l); v.kernel++) {
		v.l = &l;
		naive_launch(&v);
	}
	tide_map_free(&v.seen.map);
	tide_map_free(&v.counted.map);
	return v.all;
}

/* Wave mode is the definition, and touches pages in the order of exact mode. */
static inline void compare_modes(const char *what, struct td_trace_source *s, bool counts)
{
	struct td_gpu_app *app = td_gpu_of(s);
	struct entries naive = naive_entries(app), got[2], first[2];
	char where[96];

	snprintf(where, sizeof where, "%s, pages of %ju", what, (uintmax_t)app->page_bytes);
	for (int wave = 0; wave < 2; wave++) {
		app->wave = wave;
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		got[wave] = read_entries(s);
		first[wave] = first_of(app, &got[wave]);
	}
	assert_same(where, &got[1], &naive, counts);
	assert_same(where, &first[1], &first[0], false);
	free_all(got, COUNT(got));
	free_all(first, COUNT(first));
	free(naive.at);
}

#endif
