#include "app_pathfinder.h"

#include "plan.h"

/* Of a launch: the two results and eight rows of the wall. */
enum { LAUNCH_ROWS = TD_PATHFINDER_STEPS + 2 };

static void fill_row(const struct td_app_shape *s, unsigned array, uint64_t first, uint64_t n,
		     void *to)
{
	int32_t *cell = to;

	for (uint64_t i = 0; i < n; i++)
		cell[i] = (int32_t)(td_app_draw32(s, array, first + i) % 10);
}

static void fill_first(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_row(s, TD_PATHFINDER_RESULT0, first, n, to);
}

static void fill_wall(const struct td_app_shape *s, uint64_t first, uint64_t n, void *to)
{
	fill_row(s, TD_PATHFINDER_WALL, first, n, to);
}

/* A launch touches a twentieth more than the near memory holds, so that a result has just gone when
 * the next launch needs it. */
static int size(struct td_app_shape *s, struct tide_error *err)
{
	double wanted = (double)s->near_bytes * s->scale / (4 * LAUNCH_ROWS) * 21 / 20;
	uint64_t cols = td_app_round(wanted, TD_PATHFINDER_STRIP);
	uint64_t rows = td_app_round(td_app_bytes(s) / (4 * (double)cols), 1);
	uint64_t wall = rows > 3 ? rows - 2 : 1;
	unsigned last = td_pathfinder_launches(wall) % 2 ? TD_APP_RESULT : 0;

	(void)err;
	td_app_size(s, TD_PATHFINDER_COLS, "cols", cols);
	td_app_size(s, TD_PATHFINDER_ROWS, "rows", wall);
	td_app_add(s, "result0", cols, 4, TD_APP_WRITTEN | (last ^ TD_APP_RESULT), fill_first);
	td_app_add(s, "result1", cols, 4, TD_APP_WRITTEN | last, NULL);
	td_app_add(s, "wall", cols * wall, 4, 0, fill_wall);
	return 0;
}

static int32_t least(const int32_t *from, uint64_t cols, uint64_t x)
{
	int32_t best = from[x];

	if (x > 0 && from[x - 1] < best)
		best = from[x - 1];
	if (x + 1 < cols && from[x + 1] < best)
		best = from[x + 1];
	return best;
}

/* One row after another, the results in turn; a launch leaves its own in the other one of the two,
 * so after an even number of rows the last has to be put where its launch would leave it. */
static int reference(const struct td_app_shape *s, void *const *array, struct tide_error *err)
{
	uint64_t cols = s->size[TD_PATHFINDER_COLS], rows = s->size[TD_PATHFINDER_ROWS];
	int32_t *from = array[TD_PATHFINDER_RESULT0], *to = array[TD_PATHFINDER_RESULT1];
	const int32_t *wall = array[TD_PATHFINDER_WALL];

	(void)err;
	for (uint64_t y = 0; y < rows; y++) {
		int32_t *done = to;
		for (uint64_t x = 0; x < cols; x++)
			to[x] = wall[y * cols + x] + least(from, cols, x);
		to = from;
		from = done;
	}
	if ((td_pathfinder_launches(rows) - rows) % 2) {
		for (uint64_t x = 0; x < cols; x++)
			to[x] = from[x];
	}
	return 0;
}

const struct td_app_plan td_app_plan_pathfinder = {
	.name = "pathfinder",
	.summary = "dynamic programming over rows, eight per launch",
	.size = size,
	.reference = reference,
};
