/* The applications of ObservUVM that are regular, and with them wave mode. */
#include <stdio.h>

#include "core/map.h"
#include "test_workload.h"
#include "workload/gpu_run.h"

#define MIB (UINT64_C(1) << 20)
#define REGION (2 * MIB)

/* One event, in full. */
struct entry {
	uint64_t page;
	uint32_t kernel, block, count;
	uint16_t warp, array;
	uint8_t pc, write;
};

struct entries {
	size_t n, room;
	struct entry *at;
};

static void keep(struct entries *all, struct entry e)
{
	if (all->n == all->room) {
		all->room = all->room ? all->room * 2 : 4096;
		all->at = realloc(all->at, all->room * sizeof *all->at);
		assert_non_null(all->at);
	}
	all->at[all->n++] = e;
}

static struct entries read_entries(struct td_trace_source *s)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct tide_batch_gpu *gpu = calloc(1, sizeof *gpu);
	struct entries all = {0};

	assert_true(batch && gpu);
	batch->gpu = gpu;
	do {
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		for (uint32_t i = 0; i < batch->n; i++)
			keep(&all, (struct entry){batch->page[i], gpu->kernel[i], gpu->block[i],
						  gpu->count[i], gpu->warp[i], gpu->array[i],
						  (uint8_t)(batch->ref[i] - 1), batch->write[i]});
	} while (batch->n);
	free(gpu);
	free(batch);
	return all;
}

/* ---- wave mode as its definition says, thread by thread ---- */

/* Pages by a number that says how they were last seen. */
struct marks {
	struct td_map map;
};

static uint64_t key_of(unsigned pc, bool write, uint64_t page)
{
	return page << 8 | pc << 1 | write;
}

/* Sets the mark of a key; what it was before, 0 if nothing. */
static uint32_t mark(struct marks *m, uint64_t key, uint32_t value)
{
	struct td_map_entry *e = td_map_find(&m->map, key);
	uint32_t before = e->value_plus_1 ? e->value_plus_1 - 1 : 0;

	if (e->value_plus_1)
		e->value_plus_1 = value + 1;
	else
		assert_int_equal(td_map_put(&m->map, e, key, value), 0);
	return before;
}

static bool takes_part(const struct td_gpu_instr *i, int64_t tx, int64_t ty, int64_t x, int64_t y)
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

static void naive_thread(struct naive *v, const struct td_gpu_instr *i, uint64_t block,
			 uint32_t thread, uint64_t page, size_t from)
{
	uint32_t step = v->step[i->pc][i->write];
	uint64_t key = key_of(i->pc, i->write, page);
	uint32_t before = mark(&v->seen, key, step);

	if (before != step && (before != step - 1 || before == 0))
		keep(&v->all, (struct entry){page, v->kernel, (uint32_t)block, 0,
					     (uint16_t)(thread / 32), i->array, i->pc, i->write});
	if (mark(&v->counted, key, v->warps) == v->warps)
		return;
	for (size_t k = v->all.n; k > from; k--) {
		if (v->all.at[k - 1].page == page) {
			v->all.at[k - 1].count++;
			break;
		}
	}
}

static void naive_block(struct naive *v, const struct td_gpu_instr *i, int64_t time, uint64_t block,
			size_t from)
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

static void naive_launch(struct naive *v)
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

static struct entries naive_entries(struct td_gpu_app *app)
{
	struct naive v = {.app = app};
	struct td_gpu_launch l;

	assert_int_equal(td_map_init(&v.seen.map, 1024), 0);
	assert_int_equal(td_map_init(&v.counted.map, 1024), 0);
	for (; app->launch(app, v.kernel, &l); v.kernel++) {
		v.l = &l;
		naive_launch(&v);
	}
	td_map_free(&v.seen.map);
	td_map_free(&v.counted.map);
	return v.all;
}

/* ---- comparing ---- */

static bool same_entry(const struct entry *a, const struct entry *b, bool counts)
{
	return a->page == b->page && a->kernel == b->kernel && a->block == b->block &&
	       a->warp == b->warp && a->array == b->array && a->pc == b->pc &&
	       a->write == b->write && (!counts || a->count == b->count);
}

static void assert_same(const char *what, uint64_t page_bytes, const struct entries *a,
			const struct entries *b, bool counts)
{
	for (size_t k = 0; k < a->n && k < b->n; k++) {
		const struct entry *x = &a->at[k], *y = &b->at[k];
		if (!same_entry(x, y, counts))
			fail_msg(
				"%s, pages of %ju: event %zu is kernel %u block %u warp %u pc %u%s "
				"page %ju count %u, not kernel %u block %u warp %u pc %u%s page "
				"%ju count %u",
				what, page_bytes, k, x->kernel, x->block, x->warp, x->pc,
				x->write ? "w" : "r", x->page, x->count, y->kernel, y->block,
				y->warp, y->pc, y->write ? "w" : "r", y->page, y->count);
	}
	if (a->n != b->n)
		fail_msg("%s, pages of %ju: %zu events, not %zu", what, page_bytes, a->n, b->n);
}

/* What every wave does for the first time: an instruction's page. */
static struct entries first_touches(struct td_gpu_app *app, const struct entries *all)
{
	struct entries first = {0};
	struct marks seen;
	uint32_t wave = 0, waves = 0, kernel = UINT32_MAX;
	uint64_t width = 1;

	assert_int_equal(td_map_init(&seen.map, 1024), 0);
	for (size_t k = 0; k < all->n; k++) {
		struct entry *e = &all->at[k];
		if (e->kernel != kernel) {
			struct td_gpu_launch l;
			kernel = e->kernel;
			assert_true(app->launch(app, kernel, &l));
			waves = wave + 1; /* waves of earlier launches have lower numbers */
			width = td_gpu_together(app->machine, &l);
		}
		wave = waves + (uint32_t)(e->block / width);
		if (mark(&seen, key_of(e->pc, e->write, e->page), wave) != wave)
			keep(&first, *e);
	}
	td_map_free(&seen.map);
	return first;
}

static void compare_modes(const char *what, struct td_trace_source *s, bool counts)
{
	struct td_gpu_app *app = td_gpu_of(s);
	struct entries naive = naive_entries(app), got[2], first[2];

	for (int wave = 0; wave < 2; wave++) {
		app->wave = wave;
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		got[wave] = read_entries(s);
		first[wave] = first_touches(app, &got[wave]);
	}
	assert_same(what, app->page_bytes, &got[1], &naive, counts);
	assert_same(what, app->page_bytes, &first[1], &first[0], false);
	for (int wave = 0; wave < 2; wave++) {
		free(got[wave].at);
		free(first[wave].at);
	}
	free(naive.at);
}

/* Sizes of a few blocks, so that a thread by thread model is quick. */
static const char *const tiny[] = {
	"mm:scale=0.00004",                     /* n = 192 */
	"gmm:scale=0.00025",                    /* 512 */
	"gmm:scale=0.00025,tile=256,swizzle=3", /* a group is narrower */
	"srk:scale=0.00021",                    /* 512 */
	"sr2:scale=0.0002",                     /* 384 */
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
	{"three", 3, 16, 1536, REGION},
	{"one", 1, 1, 1536, REGION},
	{"seven", 7, 1, 2048, 65536},
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
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct td_trace_source *s = NULL;
		char what[32];

		snprintf(what, sizeof what, "random kernel %ju", (uintmax_t)seed);
		assert_int_equal(td_gpu_open(&s, "random", &machines[seed % COUNT(machines)],
					     sizeof(struct random_app), random_setup, NULL,
					     page_sizes[seed % COUNT(page_sizes)], seed, NULL),
				 0);
		/* A warp of several rows may count twice, if blocks that share a page do not lie
		 * side by side. */
		compare_modes(what, s, ((struct random_app *)td_gpu_of(s))->l.block_x >= 32);
		td_trace_close(s);
	}
}

/* ---- the applications ---- */

/* Distinct pages of a run, and its events. */
struct size {
	uint64_t pages, events;
};

static struct size size_of(struct td_trace_source *s)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct size size = {0};
	struct marks seen;

	assert_non_null(batch);
	assert_int_equal(td_map_init(&seen.map, 1024), 0);
	do {
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		size.events += batch->n;
		for (uint32_t i = 0; i < batch->n; i++)
			size.pages += !mark(&seen, batch->page[i], 1);
	} while (batch->n);
	td_map_free(&seen.map);
	free(batch);
	return size;
}

static struct size size_of_spec(const char *spec, uint64_t page_bytes)
{
	struct td_trace_source *s = open_source(spec, page_bytes, 1);
	struct size size = size_of(s);

	td_trace_close(s);
	return size;
}

static const char *const names[] = {"blk", "gmm", "gmv",           "hel", "lu",
				    "mm",  "sr2", "observuvm-2dc", "srk"};

static const struct td_workload *workload_of(const char *name)
{
	const struct td_workload *const *w = td_workload_table;

	while (*w && strcmp((*w)->name, name) != 0)
		w++;
	assert_non_null(*w);
	return *w;
}

static void arrays_are_as_large_as_published(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(names); k++) {
		const struct td_workload *w = workload_of(names[k]);
		struct td_trace_source *s = open_source(names[k], w->page_bytes, 1);
		struct td_gpu_app *app = td_gpu_of(s);
		double bytes = 0;

		assert_string_equal(w->paper, "ObservUVM");
		assert_true(app->wave);
		for (unsigned i = 0; i < app->arrays; i++) {
			bytes += (double)app->array[i].bytes;
			assert_int_equal(app->array[i].base % REGION, 0);
		}
		if (bytes < 0.98 * (double)w->published_bytes ||
		    bytes > 1.02 * (double)w->published_bytes)
			fail_msg("%s: arrays of %.0f bytes", names[k], bytes);
		td_trace_close(s);
	}
}

/* The two that are quick at the paper's size, and what the table says of them. */
static void the_papers_sizes(void **state)
{
	static const char *const quick[] = {"blk", "gmv"};

	(void)state;
	for (size_t k = 0; k < COUNT(quick); k++) {
		const struct td_workload *w = workload_of(quick[k]);
		struct size size = size_of_spec(quick[k], w->page_bytes);
		assert_int_equal(size.pages * w->page_bytes, w->footprint_bytes);
		assert_int_equal(size.events, w->accesses);
	}
}

/* Every byte is accessed, but for half of C in SYRK, the border of B in 2DC. */
static void footprints_at_small_sizes(void **state)
{
	static const struct {
		const char *spec;
		uint64_t pages;
	} cases[] = {
		{"mm:scale=0.00116", 3 * 1024},                         /* n = 1024: 4 MiB each */
		{"gmm:scale=0.000977", 3 * 1024},                       /* 1024 */
		{"hel:scale=0.00148", 3 * 1024},                        /* 1024 */
		{"gmv:scale=0.00033,iters=1", 2048 + 2 + 2},            /* 1024, doubles */
		{"blk:scale=0.001953125,iters=1", 5 * 1024},            /* 2^20 */
		{"lu:scale=0.0026,nb=512", 8192},                       /* 2048, doubles */
		{"observuvm-2dc:scale=0.000434,iters=1", 2 * 1024 - 2}, /* 1024; first, last row */
		/* 2048, a column is two pages: A, and of C all first and half of the second. */
		{"srk:scale=0.003265", 4096 + 2048 + 1024},
		{"sr2:scale=0.005643", 2 * 4096 + 2048 + 1024},
	};

	(void)state;
	for (size_t k = 0; k < COUNT(cases); k++) {
		struct size wave = size_of_spec(cases[k].spec, 4096);
		if (wave.pages != cases[k].pages)
			fail_msg("%s: %ju pages", cases[k].spec, wave.pages);
	}
}

/* Events are those of new pages only, while a wave goes along rows and columns. */
static void waves_give_a_page_once(void **state)
{
	/* Columns of one page, all tiles in one wave: a step reads 32 new columns of A, and stays
	 * on the columns of B. */
	struct size gmm = size_of_spec("gmm:scale=0.000977", 4096);
	/* Rows of one page; 64 * 64 blocks in 9 waves, of which 8 begin within a row of blocks:
	 * each reads all rows of b, and those of a and c that it has blocks of. */
	struct size hel = size_of_spec("hel:scale=0.00148", 4096);
	/* Waves of 984 blocks, of 1 KiB of each array: 15 3/8 pages, of 64 in all. */
	struct size blk = size_of_spec("blk:scale=0.001953125,iters=3", 65536);

	(void)state;
	assert_int_equal(gmm.events, 3 * 1024);
	assert_int_equal(hel.events, 9 * 1024 + 2 * 16 * (64 + 8));
	assert_int_equal(blk.events, 3 * 5 * (64 + 4));
}

static void wave_mode_has_a_hundredth_of_the_events(void **state)
{
	static const char *const specs[] = {
		"mm:scale=0.002",          "gmm:scale=0.005",
		"srk:scale=0.005",         "sr2:scale=0.005",
		"hel:scale=0.0002",        "observuvm-2dc:scale=0.005,iters=1",
		"gmv:scale=0.005,iters=1", "blk:scale=0.005,iters=1",
		"lu:scale=0.003,nb=512",
	};

	(void)state;
	for (size_t k = 0; k < COUNT(specs); k++) {
		struct td_trace_source *s = open_source(specs[k], 65536, 1);
		struct size wave = size_of(s), exact;

		td_gpu_of(s)->wave = false;
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		exact = size_of(s);
		assert_int_equal(wave.pages, exact.pages);
		if (exact.events < 100 * wave.events)
			fail_msg("%s: %ju events, %ju in exact mode", specs[k], wave.events,
				 exact.events);
		td_trace_close(s);
	}
}

/* Of A' A, the low columns are read by all later ones. */
static void srk_reads_low_columns_most(void **state)
{
	static const struct td_gpu_machine eight = {"eight", 8, 16, 1536, REGION};
	struct td_trace_source *s = open_source("srk:scale=0.003265", 4096, 1);
	uint64_t reads[16] = {0};

	(void)state;
	td_gpu_of(s)->machine = &eight; /* waves of 16 tiles */
	struct entries all = read_entries(s);
	for (size_t k = 0; k < all.n; k++) {
		if (all.at[k].array == 0)
			reads[all.at[k].page / (2 * 128)]++;
	}
	/* 128 columns of two pages. Tiles (0, j) are in all waves but the ninth, which has the last
	 * 8 tiles; tiles (i, 15) are in the last two. */
	assert_int_equal(reads[0], 2 * 128 * (8 + 1));
	assert_int_equal(reads[15], 2 * 128 * (1 + 2));
	free(all.at);
	td_trace_close(s);
}

/* Launches that access a page, as bits. */
static uint64_t kernels_of(const struct entries *all, uint64_t page)
{
	uint64_t kernels = 0;

	for (size_t k = 0; k < all->n; k++) {
		if (all->at[k].page == page)
			kernels |= UINT64_C(1) << all->at[k].kernel;
	}
	return kernels;
}

static void lu_comes_back_to_the_last_corner(void **state)
{
	struct td_trace_source *s = open_source("lu:scale=0.0026,nb=512", 4096, 1);
	struct entries all = read_entries(s);

	(void)state;
	/* Four steps of 8 sweeps, a row and an update; the last has its sweeps alone. */
	assert_int_equal(all.at[all.n - 1].kernel, 3 * 10 + 8 - 1);
	assert_int_equal(kernels_of(&all, 0), 0x1ff);
	assert_int_equal(kernels_of(&all, 8191), 1 << 9 | 1 << 19 | 1 << 29 | UINT64_C(0xff) << 30);
	/* The last column's beginning is U, the first one's end is L. */
	assert_int_equal(kernels_of(&all, 8188), 0x300);
	assert_int_equal(kernels_of(&all, 3), 0x2ff);
	free(all.at);
	td_trace_close(s);
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
		assert_same(tiny[k], 4096, &second, &first, true);
		free(first.at);
		free(second.at);
		free(batch);
		td_trace_close(s);
	}
}

static void bad_ones_are_refused(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{"mm:scale=0", "workload mm: scale=0 is out of range: "},
		{"srk:scale=0.000001", "workload srk: scale=1e-06 leaves less than one block: "},
		{"gmm:scale=0.00001", "workload gmm: scale=1e-05 leaves less than one block: "},
		{"hel:scale=1000000", "workload hel: 2.7689e+12 blocks in a launch are too many: "},
		{"blk:scale=1000000",
		 "workload blk: 2.09715e+12 blocks in a launch are too many: "},
		{"lu:scale=1000000", "workload lu: 9.83018e+10 blocks in a launch are too many: "},
		{"srk:scale=1000000", "workload srk: 3.92e+10 blocks in a launch are too many: "},
		{"sr2:mode=fast", "workload sr2: mode=fast is none: give wave or exact"},
		{"gmm:tile=200", "workload gmm: tile=200 is none: give 128 or 256"},
		{"gmm:swizzle=0", "workload gmm: swizzle=0 is out of range: "},
		{"lu:nb=100", "workload lu: nb=100 is no multiple of 64: give one that is"},
		{"gmv:iters=0", "workload gmv: iters=0 is out of range: "},
		{"observuvm-2dc:iters=-1", "workload observuvm-2dc: iters=-1 is out of range: "},
		{"mm:jitter=64", "workload mm: in wave mode all blocks walk in step: give "
				 "mode=exact for jitter"},
	};

	(void)state;
	for (size_t k = 0; k < COUNT(cases); k++) {
		struct tide_error err = {0};
		struct td_trace_source *s = NULL;
		int rc = td_workload_open(&s, cases[k].spec, 65536, 1, &err);
		if (rc != -EINVAL || strncmp(err.text, cases[k].text, strlen(cases[k].text)) != 0)
			fail_msg("%s: %d, %s", cases[k].spec, rc, err.text);
	}
}

/* Jitter moves events, but neither adds nor drops any. */
static void jitter_keeps_the_pages(void **state)
{
	struct size plain = size_of_spec("mm:scale=0.00004,mode=exact", 4096);
	struct size apart = size_of_spec("mm:scale=0.00004,mode=exact,jitter=64", 4096);

	(void)state;
	assert_int_equal(plain.pages, apart.pages);
	assert_int_equal(plain.events, apart.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wave_is_exact_in_order),
		cmocka_unit_test(wave_is_exact_on_the_papers_machine),
		cmocka_unit_test(random_kernels_too),
		cmocka_unit_test(arrays_are_as_large_as_published),
		cmocka_unit_test(the_papers_sizes),
		cmocka_unit_test(footprints_at_small_sizes),
		cmocka_unit_test(waves_give_a_page_once),
		cmocka_unit_test(wave_mode_has_a_hundredth_of_the_events),
		cmocka_unit_test(srk_reads_low_columns_most),
		cmocka_unit_test(lu_comes_back_to_the_last_corner),
		cmocka_unit_test(rewinding_gives_the_same),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(jitter_keeps_the_pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
