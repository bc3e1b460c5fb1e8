/* Wave mode, of the regular applications of ObservUVM and of kernels at random. */
#include "gpu_waves.h"

/* Sizes of a few blocks, so that a thread by thread model is quick. */
static const char *const tiny[] = {
	"mm:scale=0.00004",                     /* n = 192 */
	"gmm:scale=0.00025",                    /* 512 */
	"gmm:scale=0.00025,tile=256,swizzle=3", /* a group is narrower */
	"gmm:scale=0.00025,along=n",            /* 512 */
	"gmm:scale=0.00025,along=n,swizzle=3",  /* a group is narrower */
	"srk:scale=0.00021",                    /* 512 */
	"srk:scale=0.00021,along=n",            /* 512 */
	"sr2:scale=0.0002",                     /* 384 */
	"sr2:scale=0.0002,along=n",             /* 384 */
	"hel:scale=0.00001",                    /* 80 */
	"observuvm-2dc:scale=0.00002,iters=2",  /* 224 */
	"gmv:scale=0.00005,iters=2",            /* 384 */
	"blk:scale=0.00002,iters=2",            /* 10752 */
	"lu:scale=0.00012,nb=128",              /* 440: tiles are cut off */
	"lu:scale=0.00004,nb=64",               /* 252 */
	"lu:scale=0.00001,nb=1024",             /* 128: one panel */
};
static const uint64_t page_sizes[] = {256, 1024, 4096, 10000, 65536, 2097152};
/* Few multiprocessors make waves that begin and end anywhere in the rows of a grid. */
static const struct td_gpu_machine machines[] = {
	{.sms = 3, .blocks_per_sm = 16, .threads_per_sm = 1536, .align_bytes = REGION},
	{.sms = 1, .blocks_per_sm = 1, .threads_per_sm = 1536, .align_bytes = REGION},
	{.sms = 7, .blocks_per_sm = 1, .threads_per_sm = 2048, .align_bytes = 65536},
};

static void wave_is_exact_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(tiny) * COUNT(page_sizes); i++) {
		const char *spec = tiny[i / COUNT(page_sizes)];
		struct td_trace_source *s = open_source(spec, page_sizes[i % COUNT(page_sizes)], 1);
		td_gpu_of(s)->machine = &machines[i % COUNT(machines)];
		compare_modes(spec, s, true);
		td_trace_close(s);
	}
}

/* The paper's machine, where one wave is the whole of a small grid or a part of a row. */
static void wave_is_exact_on_the_papers_machine(void **state)
{
	static const char *const specs[] = {"mm:scale=0.00012", "gmv:scale=0.0003,iters=1",
					    "srk:scale=0.001",
					    "observuvm-2dc:scale=0.0001,iters=1"};

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], 4096, 1);
		compare_modes(specs[i], s, true);
		td_trace_close(s);
	}
}

/* ---- kernels at random ---- */

enum { INSTRS = 6 };

struct random_app {
	struct td_gpu_app app;
	struct td_gpu_launch l;
	struct td_gpu_instr instr[INSTRS];
	unsigned instrs;
	uint64_t loops;
	int64_t moves[INSTRS];
};

static uint64_t draw(uint64_t *random, uint64_t below)
{
	return tide_random_next(random) % below;
}

static int64_t draw_one_of(uint64_t *random, const int64_t *from, size_t n)
{
	return from[draw(random, n)];
}

static bool random_instr(const struct td_gpu_app *app, const struct td_gpu_launch *l, uint64_t n,
			 struct td_gpu_instr *out)
{
	const struct random_app *r = (const struct random_app *)app;

	(void)l;
	*out = r->instr[n % r->instrs];
	out->first += (int64_t)(n / r->instrs) * r->moves[n % r->instrs];
	return n / r->instrs < r->loops;
}

static bool random_launch(struct td_gpu_app *app, uint64_t i, struct td_gpu_launch *out)
{
	*out = ((struct random_app *)app)->l;
	return i < 2;
}

/* Triangles of blocks, as well as rectangles. */
static uint64_t place_triangle(const struct td_gpu_launch *l, uint64_t block, uint32_t *bx,
			       uint32_t *by)
{
	(void)l;
	for (*by = 0; block > *by; (*by)++)
		block -= *by + 1;
	*bx = (uint32_t)block;
	return *by + 1 - *bx;
}

static void draw_launch(struct td_gpu_launch *l, uint64_t *random)
{
	static const uint32_t blocks[][2] = {{32, 8}, {16, 16}, {8, 32}, {128, 1}, {64, 2},
					     {32, 1}, {96, 1},  {4, 4},  {1, 64},  {256, 1}};
	const uint32_t *block = blocks[draw(random, COUNT(blocks))];

	*l = td_gpu_grid("random", 1 + draw(random, 12), 1 + draw(random, 6), block[0], block[1]);
	if (draw(random, 3) == 0)
		l->x_step = (int64_t)draw(random, 2 * block[0] + 1);
	if (draw(random, 3) == 0)
		l->y_step = (int64_t)draw(random, 2 * block[1] + 1);
	l->x_first = draw(random, 3) ? 0 : -(int64_t)draw(random, 9);
	if (draw(random, 2))
		td_gpu_clip(l, (int64_t)draw(random, l->grid_x * block[0] + 9),
			    (int64_t)draw(random, l->grid_y * block[1] + 9));
	l->per_sm = (uint32_t)draw(random, 4);
	if (draw(random, 4) == 0) {
		l->place = place_triangle;
		l->blocks = (uint64_t)l->grid_y * (l->grid_y + 1) / 2;
	}
	l->instr = random_instr;
}

static void draw_instr(struct random_app *r, unsigned k, uint64_t *random)
{
	static const int64_t xs[] = {0, 4, 4, 8, 16, -4, 100, 4096, 5000, -5000};
	static const int64_t ys[] = {0, 4, 128, 1000, 4096, 12000, -256};
	static const int64_t bs[] = {0, 0, 0, 4, -128, 5000, 512};
	static const int64_t moves[] = {0, 4, 128, 1000, 40000, -4, -300};
	struct td_gpu_launch *l = &r->l;
	int64_t per_x = draw_one_of(random, xs, COUNT(xs));
	int64_t per_y = draw_one_of(random, ys, COUNT(ys));
	struct td_gpu_instr *i = &r->instr[k];

	*i = td_gpu_instr(l, (unsigned)draw(random, INSTRS), (unsigned)draw(random, 2),
			  draw(random, 2), INT64_C(1) << 30, per_x, per_y);
	i->per_bx = draw(random, 4) ? draw_one_of(random, bs, COUNT(bs)) : -l->x_step * per_x;
	i->per_by = draw(random, 4) ? draw_one_of(random, bs, COUNT(bs)) : -l->y_step * per_y;
	if (draw(random, 4) == 0) {
		i->tx_from = (int64_t)draw(random, l->block_x);
		i->tx_to =
			i->tx_from + (int64_t)draw(random, l->block_x - (uint64_t)i->tx_from + 1);
	}
	if (draw(random, 4) == 0) {
		i->ty_from = (int64_t)draw(random, l->block_y);
		i->ty_to =
			i->ty_from + (int64_t)draw(random, l->block_y - (uint64_t)i->ty_from + 1);
	}
	if (draw(random, 4) == 0) {
		i->times = 1 + (int64_t)draw(random, 4);
		i->x_per_time = (int64_t)draw(random, l->block_x + 1);
		i->y_per_time = (int64_t)draw(random, l->block_y + 1);
	}
	r->moves[k] = draw_one_of(random, moves, COUNT(moves));
}

static int random_setup(struct td_gpu_app *app, const union tide_value *v, struct tide_error *err)
{
	struct random_app *r = (struct random_app *)app;
	uint64_t random = app->seed;

	(void)v;
	(void)err;
	draw_launch(&r->l, &random);
	r->instrs = 1 + (unsigned)draw(&random, INSTRS);
	r->loops = 1 + draw(&random, 20);
	for (unsigned k = 0; k < r->instrs; k++)
		draw_instr(r, k, &random);
	td_gpu_add(app, "one", UINT64_C(2) << 30);
	td_gpu_add(app, "two", UINT64_C(2) << 30);
	app->launch = random_launch;
	return 0;
}

static void random_kernels_too(void **state)
{
	static const struct tide_param none[] = {{0}};

	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		const struct td_gpu_workload w = {.head = {.name = "random", .params = none},
						  .machine = &machines[seed % COUNT(machines)],
						  .app_bytes = sizeof(struct random_app),
						  .setup = random_setup};
		struct td_trace_source *s = NULL;
		char what[32];

		snprintf(what, sizeof what, "random kernel %ju", (uintmax_t)seed);
		assert_int_equal(td_gpu_open(&s, &w.head, NULL,
					     page_sizes[seed % COUNT(page_sizes)], seed, NULL),
				 0);
		/* A warp of several rows may count twice, if blocks that share a page do not lie
		 * side by side. */
		compare_modes(what, s, ((struct random_app *)td_gpu_of(s))->l.block_x >= 32);
		td_trace_close(s);
	}
}

static void rewinding_gives_the_same(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(tiny); k++) {
		struct td_trace_source *s = open_source(tiny[k], 4096, 1);
		struct tide_batch *batch = calloc(1, sizeof *batch);
		struct entries first = read_entries(s), second;

		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		second = read_entries(s);
		assert_same(tiny[k], &second, &first, true);
		free(first.at);
		free(second.at);
		free(batch);
		td_trace_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wave_is_exact_in_order),
		cmocka_unit_test(wave_is_exact_on_the_papers_machine),
		cmocka_unit_test(random_kernels_too),
		cmocka_unit_test(rewinding_gives_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
