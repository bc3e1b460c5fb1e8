/* CPPE's regular applications: every access of every warp against the kernel written out thread by
 * thread. */
#include "test_workload.h"

#include "workload/gpu.h"

#define LANES 32

static const char *const names[] = {"hot", "2dc", "3dc", "bkp", "pat", "mvt",
				    "bic", "srd", "hsd", "mrq", "stn", "sgm"};

/* ---- what a run gave ---- */

struct seen {
	uint32_t kernel, block, warp, array, count;
	uint64_t page, ref;
	bool write;
};

struct seens {
	size_t n, room;
	struct seen *at;
};

static void add_seen(struct seens *s, struct seen e)
{
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 1024;
		s->at = realloc(s->at, s->room * sizeof *s->at);
		assert_non_null(s->at);
	}
	s->at[s->n++] = e;
}

static struct tide_batch *new_batch(void)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);

	assert_non_null(batch);
	batch->gpu = calloc(1, sizeof *batch->gpu);
	assert_non_null(batch->gpu);
	return batch;
}

static void free_batch(struct tide_batch *batch)
{
	free(batch->gpu);
	free(batch);
}

static bool see_batch(struct td_trace_source *s, struct tide_batch *b, struct seens *all)
{
	assert_int_equal(td_trace_next(s, b, NULL), 0);
	for (uint32_t i = 0; i < b->n; i++)
		add_seen(all, (struct seen){b->gpu->kernel[i], b->gpu->block[i], b->gpu->warp[i],
					    b->gpu->array[i], b->gpu->count[i], b->page[i],
					    b->ref[i], b->write[i]});
	return b->n != 0;
}

static struct seens see(struct td_trace_source *s)
{
	struct tide_batch *batch = new_batch();
	struct seens all = {0};

	while (see_batch(s, batch, &all))
		;
	free_batch(batch);
	return all;
}

static struct seens see_spec(const char *spec)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct seens all = see(s);

	td_trace_close(s);
	return all;
}

/* ---- the plain kernels ---- */

/* A thread of the launch that is being run. */
struct thread {
	int64_t bx, by, tx, ty;
};

struct plain {
	struct td_gpu_app *app; /* for the arrays' addresses alone */
	struct seens *to;
	int64_t n, grid_x, grid_y; /* n: the side, as the kernels need it */
	int64_t arg, from, into;   /* of the launch */
	uint32_t kernel, block, warp;
	/* The warp's instruction that its lanes do. */
	unsigned pc;
	size_t first; /* its first event */
};

/* The thread takes part: element `index` of the array. */
static void touch(struct plain *p, unsigned array, bool write, int64_t index)
{
	const struct td_gpu_array *a = &p->app->array[array];

	assert_in_range(index, 0, a->bytes / 4 - 1);
	struct seen e = {.kernel = p->kernel,
			 .block = p->block,
			 .warp = p->warp,
			 .array = array,
			 .page = (a->base + (uint64_t)index * 4) / PAGE_BYTES,
			 .ref = p->pc + 1,
			 .write = write};
	for (size_t i = p->first; i < p->to->n; i++) {
		if (p->to->at[i].page == e.page)
			return;
	}
	add_seen(p->to, e);
}

/* One thread's k-th instruction; false: there are no more. */
typedef bool kernel_fn(struct plain *p, struct thread t, int64_t k);

static void run_warp(struct plain *p, kernel_fn *fn, int64_t bx, int64_t by, int64_t block_x,
		     int64_t threads)
{
	bool more = true;

	for (int64_t k = 0; more; k++) {
		p->first = p->to->n;
		for (int64_t l = p->warp * LANES; l < threads && l < (p->warp + 1) * LANES; l++)
			more = fn(p, (struct thread){bx, by, l % block_x, l / block_x}, k);
	}
}

static void run_launch(struct plain *p, kernel_fn *fn, int64_t grid_x, int64_t grid_y,
		       int64_t block_x, int64_t block_y)
{
	p->grid_x = grid_x;
	p->grid_y = grid_y;
	p->block = 0;
	for (int64_t by = 0; by < grid_y; by++) {
		for (int64_t bx = 0; bx < grid_x; bx++, p->block++) {
			for (p->warp = 0; p->warp * LANES < block_x * block_y; p->warp++)
				run_warp(p, fn, bx, by, block_x, block_x * block_y);
		}
	}
	p->kernel++;
}

static int64_t up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t clamp(int64_t v, int64_t n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static bool hot_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned array[] = {1, 0, 2};
	int64_t y = 12 * t.by - 2 + t.ty, x = 12 * t.bx - 2 + t.tx;
	bool middle = t.tx >= 2 && t.ty >= 2 && t.tx <= 13 && t.ty <= 13;

	p->pc = (unsigned)k;
	if (k < 3 && y >= 0 && x >= 0 && y < p->n && x < p->n && (k < 2 || middle))
		touch(p, array[k], k == 2, y * p->n + x);
	return k < 3;
}

static void hot(struct plain *p)
{
	run_launch(p, hot_kernel, up(p->n, 12), up(p->n, 12), 16, 16);
}

static bool conv2_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t j = 32 * t.bx + t.tx, i = 8 * t.by + t.ty, n = p->n;

	p->pc = (unsigned)k;
	if (k > 9)
		return false;
	if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
		touch(p, k == 9, k == 9, k == 9 ? i * n + j : (i + k / 3 - 1) * n + j + k % 3 - 1);
	return true;
}

static void conv2(struct plain *p)
{
	run_launch(p, conv2_kernel, p->n / 32, p->n / 8, 32, 8);
}

static bool conv3_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const int64_t bc[][2] = {{-1, -1}, {-1, 1}, {0, 1}, {1, 1}};
	int64_t x = 32 * t.bx + t.tx, j = 8 * t.by + t.ty, n = p->n, i = p->arg;

	p->pc = (unsigned)k;
	if (x < 1 || j < 1 || x >= n - 1 || j >= n - 1)
		return k < 12;
	if (k < 8) {
		int64_t plane = i + (k % 2 ? 1 : -1);
		touch(p, 0, false, (plane * n + j + bc[k / 2][0]) * n + x + bc[k / 2][1]);
	} else if (k < 11)
		touch(p, 0, false, (i * n + j + k - 9) * n + x);
	else if (k == 11)
		touch(p, 1, true, (i * n + j) * n + x);
	return k < 12;
}

static void conv3(struct plain *p)
{
	for (p->arg = 1; p->arg < p->n - 1; p->arg++)
		run_launch(p, conv3_kernel, up(p->n, 32), up(p->n, 8), 32, 8);
}

static bool bkp_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t y = 16 * t.by + t.ty, idx = 17 * (y + 1) + t.tx + 1;

	p->pc = (unsigned)(k + p->arg);
	switch (p->pc) {
	case 0:
		if (t.tx == 0)
			touch(p, 0, false, y + 1);
		return true;
	case 1: touch(p, 1, false, idx); return true;
	case 2: touch(p, 1, true, idx); return true;
	case 3: touch(p, 2, true, y); return true;
	case 4:
		if (p->arg)
			touch(p, 3, false, t.tx + 1);
		return p->arg;
	case 5: touch(p, 0, false, y + 1); return true;
	case 6: touch(p, 4, false, idx); return true;
	case 7: touch(p, 1, false, idx); return true;
	case 8: touch(p, 1, true, idx); return true;
	case 9: touch(p, 4, true, idx); return true;
	default: return false;
	}
}

static void bkp(struct plain *p)
{
	for (p->arg = 0; p->arg <= 4; p->arg += 4)
		run_launch(p, bkp_kernel, 1, p->n / 16, 16, 16);
}

static bool pat_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t x = 216 * t.bx - 20 + t.tx, steps = p->arg == 80 ? 19 : 20, i = k - 1;
	bool inside = x >= 0 && x < p->n;

	p->pc = k == 0 ? 0 : k <= steps ? 1 : 2;
	if (k > steps + 1 || !inside)
		return k <= steps + 1;
	if (k == 0)
		touch(p, (unsigned)p->from, false, x);
	else if (k > steps && t.tx >= 20 && t.tx < 236)
		touch(p, (unsigned)p->into, true, x);
	else if (k <= steps && i < t.tx && t.tx < 255 - i)
		touch(p, 2, false, (p->arg + i) * p->n + x);
	return true;
}

static void pat(struct plain *p)
{
	for (p->arg = 0; p->arg < 99; p->arg += 20) {
		p->from = p->arg / 20 % 2;
		p->into = !p->from;
		run_launch(p, pat_kernel, up(p->n, 216), 1, 256, 1);
	}
}

static bool mvt_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t i = 256 * t.bx + t.tx, j = k / 4, second = p->arg;

	p->pc = (unsigned)(k % 4 + 4 * second);
	if (j == p->n)
		return false;
	switch (k % 4) {
	case 0: touch(p, second ? 2 : 1, false, i); break;
	case 1: touch(p, 0, false, second ? j * p->n + i : i * p->n + j); break;
	case 2: touch(p, second ? 4 : 3, false, j); break;
	default: touch(p, second ? 2 : 1, true, i); break;
	}
	return true;
}

static void mvt(struct plain *p)
{
	for (p->arg = 0; p->arg < 2; p->arg++)
		run_launch(p, mvt_kernel, p->n / 256, 1, 256, 1);
}

static bool bic_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t g = 256 * t.bx + t.tx, j = (k - 1) / 3, second = p->arg;
	unsigned sum = second ? 4 : 2;

	p->pc = (unsigned)((k ? 1 + (k - 1) % 3 : 0) + 4 * second);
	if (k && j == p->n)
		return false;
	switch (p->pc) {
	case 1: touch(p, 1, false, j); break;
	case 2: touch(p, 0, false, j * p->n + g); break;
	case 5: touch(p, 0, false, g * p->n + j); break;
	case 6: touch(p, 3, false, j); break;
	default: touch(p, sum, true, g); break;
	}
	return true;
}

static void bic(struct plain *p)
{
	for (p->arg = 0; p->arg < 2; p->arg++)
		run_launch(p, bic_kernel, p->n / 256, 1, 256, 1);
}

enum { J, C, E, W, S, N };

static bool srd_1(struct plain *p, struct thread t, int64_t k)
{
	int64_t n = p->n, y = 16 * t.by + t.ty, x = 16 * t.bx + t.tx;

	p->pc = (unsigned)k;
	switch (k) {
	case 0: touch(p, J, false, clamp(16 * t.by - 1, n) * n + x); return true;
	case 1: touch(p, J, false, clamp(16 * t.by + 16, n) * n + x); return true;
	case 2: touch(p, J, false, y * n + clamp(16 * t.bx - 1, n)); return true;
	case 3: touch(p, J, false, y * n + clamp(16 * t.bx + 16, n)); return true;
	case 4: touch(p, J, false, y * n + x); return true;
	case 5: touch(p, C, true, y * n + x); return true;
	case 6: touch(p, E, true, y * n + x); return true;
	case 7: touch(p, W, true, y * n + x); return true;
	case 8: touch(p, S, true, y * n + x); return true;
	case 9: touch(p, N, true, y * n + x); return true;
	default: return false;
	}
}

static bool srd_2(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned pixel[] = {J, 0, 0, C, N, S, W, E, J};
	int64_t n = p->n, y = 16 * t.by + t.ty, x = 16 * t.bx + t.tx;

	p->pc = (unsigned)k + 10;
	if (k == 1)
		touch(p, C, false, clamp(16 * t.by + 16, n) * n + x);
	else if (k == 2)
		touch(p, C, false, y * n + clamp(16 * t.bx + 16, n));
	else if (k < 9)
		touch(p, pixel[k], k == 8, y * n + x);
	return k < 9;
}

static void srd(struct plain *p)
{
	for (int i = 0; i < 4; i++)
		run_launch(p, i % 2 ? srd_2 : srd_1, p->n / 16, p->n / 16, 16, 16);
}

static bool hsd_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t n = p->n, x = 64 * t.bx + t.tx, y = 4 * t.by + t.ty, z = k / 7;
	int64_t row = (z * n + y) * n;
	unsigned in = (unsigned)p->from;

	p->pc = (unsigned)(k % 7);
	if (z == 8)
		return false;
	switch (p->pc) {
	case 0:
		if (z < 7)
			touch(p, in, false, row + x + n * n);
		break;
	case 1: touch(p, in, false, row + clamp(x - 1, n)); break;
	case 2: touch(p, in, false, row + clamp(x + 1, n)); break;
	case 3: touch(p, in, false, (z * n + clamp(y + 1, n)) * n + x); break;
	case 4: touch(p, in, false, (z * n + clamp(y - 1, n)) * n + x); break;
	case 5: touch(p, 0, false, row + x); break;
	default: touch(p, (unsigned)p->into, true, row + x); break;
	}
	return true;
}

static void hsd(struct plain *p)
{
	for (int i = 0; i < 3; i++) {
		p->from = 1 + i % 2;
		p->into = 2 - i % 2;
		run_launch(p, hsd_kernel, p->n / 64, p->n / 4, 64, 4);
	}
}

static bool mrq_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const unsigned array[] = {3, 4, 5, 6, 7, 6, 7, 0, 1, 2};
	int64_t g = (p->arg ? 256 : 512) * t.bx + t.tx;

	p->pc = (unsigned)(p->arg ? k : k + 7);
	if (p->arg ? k == 7 : k == 3)
		return false;
	touch(p, array[p->pc], p->pc == 5 || p->pc == 6 || p->pc == 9, g);
	return true;
}

static void mrq(struct plain *p)
{
	for (p->arg = 0; p->arg <= 2; p->arg++)
		run_launch(p, mrq_kernel, p->arg ? p->n / 256 : 4, 1, p->arg ? 256 : 512, 1);
}

/* nx = ny = n, nz = n / 4. */
static bool stn_kernel(struct plain *p, struct thread t, int64_t k)
{
	static const int64_t away[][3] = {{0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0, -1, 0},
					  {1, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
	int64_t n = p->n, i = t.tx, j = t.bx + 1, z = t.by + 1;

	p->pc = (unsigned)k;
	if (k == 8)
		return false;
	i += i ? away[k][0] : 0;
	if (t.tx)
		touch(p, (unsigned)(k == 7 ? p->into : p->from), k == 7,
		      i + n * (j + away[k][1] + n * (z + away[k][2])));
	return true;
}

static void stn(struct plain *p)
{
	for (int i = 0; i < 3; i++) {
		p->from = i % 2;
		p->into = !p->from;
		run_launch(p, stn_kernel, p->n - 2, p->n / 4 - 2, p->n - 1, 1);
	}
}

/* m and n are p->n, k is p->arg. */
static bool sgm_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t m = 16 * t.bx + t.tx, n = 16 * t.by + t.ty, i = k / 2;

	p->pc = (unsigned)(k % 2 + 2 * (i == p->arg));
	if (i > p->arg)
		return false;
	if (i == p->arg)
		touch(p, 2, k % 2, m + p->n * n);
	else
		touch(p, k % 2 ? 1 : 0, false, (k % 2 ? n : m) + p->n * i);
	return true;
}

static void sgm(struct plain *p)
{
	p->arg = 240;
	run_launch(p, sgm_kernel, p->n / 16, p->n / 16, 16, 16);
}

static bool sgm_tiled_kernel(struct plain *p, struct thread t, int64_t k)
{
	int64_t mid = t.ty * 16 + t.tx, m = 128 * t.bx + mid, end = p->arg / 8 * 9;
	int64_t i = k / 9 * 8, c = k - end;

	if (c >= 32)
		return false;
	p->pc = k >= end ? 2 + (unsigned)(c % 2) : (unsigned)(k % 9 == 0);
	if (k >= end)
		touch(p, 2, c % 2, m + p->n * (16 * t.by + c / 2));
	else if (k % 9 == 0)
		touch(p, 1, false, 16 * t.by + t.tx + p->n * (i + t.ty));
	else
		touch(p, 0, false, m + p->n * (i + k % 9 - 1));
	return true;
}

static void sgm_tiled(struct plain *p)
{
	p->arg = 240;
	run_launch(p, sgm_tiled_kernel, p->n / 128, p->n / 16, 16, 8);
}

/* ---- exact mode is the plain kernel ---- */

static const struct {
	const char *spec;
	int64_t n;
	void (*run)(struct plain *p);
} plains[] = {
	{"hot:scale=0.0625", 256, hot},
	{"hot:scale=0.02", 144, hot},
	{"2dc:scale=0.00390625", 256, conv2},
	{"3dc:scale=0.03", 80, conv3},
	{"bkp:scale=0.05", 3280, bkp},
	{"pat:scale=0.04", 4000, pat},
	{"mvt:scale=0.015625", 512, mvt},
	{"bic:scale=0.015625", 512, bic},
	{"srd:scale=0.02", 288, srd},
	{"srd:scale=0.00006103515625", 16, srd},
	{"hsd:scale=0.0625,iters=3", 128, hsd},
	{"mrq:scale=0.1", 26112, mrq},
	{"stn:scale=0.125,iters=3", 64, stn},
	{"sgm:scale=0.06", 256, sgm},
	{"sgm:scale=0.06,tiled=1", 256, sgm_tiled},
};

static int by_warp(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->warp < y->warp ? -1 : x->warp > y->warp;
}

/* Stable, as a warp's order is what counts: merge sort by hand, for qsort() need not be. */
static void sort_by_warp(struct seen *at, size_t n, struct seen *spare)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	sort_by_warp(at, half, spare);
	sort_by_warp(at + half, n - half, spare);
	while (i < half && j < n)
		spare[k++] = by_warp(&at[i], &at[j]) <= 0 ? at[i++] : at[j++];
	memcpy(spare + k, at + i, (half - i) * sizeof *at);
	memcpy(at, spare, (k + half - i) * sizeof *at);
}

/* The next event of a warp, its successors on the same page by the same instruction being one. */
static size_t skip_merged(const struct seens *s, size_t i)
{
	const struct seen *e = &s->at[i];
	size_t k = i + 1;

	while (k < s->n && by_warp(e, &s->at[k]) == 0 && e->ref == s->at[k].ref &&
	       e->page == s->at[k].page)
		k++;
	return k;
}

static void compare_plain(const char *spec, const struct seens *want, struct seens *got)
{
	struct seen *spare = malloc((got->n + 1) * sizeof *spare);
	size_t w = 0, g = 0;

	sort_by_warp(got->at, got->n, spare);
	for (; w < want->n && g < got->n; w = skip_merged(want, w), g++) {
		const struct seen *a = &want->at[w], *b = &got->at[g];
		if (by_warp(a, b) || a->page != b->page || a->ref != b->ref ||
		    a->write != b->write || a->array != b->array)
			fail_msg("%s event %zu: kernel %u block %u warp %u pc %ju page %ju, should "
				 "be %u %u %u %ju %ju",
				 spec, g, b->kernel, b->block, b->warp, b->ref - 1, b->page,
				 a->kernel, a->block, a->warp, a->ref - 1, a->page);
	}
	if (w < want->n || g < got->n)
		fail_msg("%s: %zu events, should be more or fewer", spec, got->n);
	free(spare);
}

static void warps_do_what_the_kernels_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plains); i++) {
		struct td_trace_source *s = open_source(plains[i].spec, PAGE_BYTES, 1);
		struct seens want = {0}, got = see(s);
		struct plain p = {.app = td_gpu_of(s), .to = &want, .n = plains[i].n};

		plains[i].run(&p);
		compare_plain(plains[i].spec, &want, &got);
		free(want.at);
		free(got.at);
		td_trace_close(s);
	}
}

/* ---- wave mode ---- */

/* First touches: what is left of the events when those whose launch, instruction and page came
 * before are taken out. */
static void keep_first_touches(struct seens *s)
{
	uint64_t pages = 0, refs = 32, kernel = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		pages = s->at[i].page >= pages ? s->at[i].page + 1 : pages;
	bool *known = calloc(pages * refs, sizeof *known);
	assert_non_null(known);
	for (size_t i = 0; i < s->n; i++) {
		struct seen e = s->at[i];
		if (e.kernel != kernel)
			memset(known, 0, pages * refs * sizeof *known);
		kernel = e.kernel;
		assert_in_range(e.ref, 1, refs - 1);
		if (!known[e.page * refs + e.ref])
			s->at[kept++] = e;
		known[e.page * refs + e.ref] = true;
	}
	s->n = kept;
	free(known);
}

static void waves_keep_the_order_of_pages(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plains); i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=wave", plains[i].spec);
		struct seens exact = see_spec(plains[i].spec), wave = see_spec(spec);
		size_t all = exact.n;

		if (wave.n >= all)
			fail_msg("%s: %zu events, exactly %zu", spec, wave.n, all);
		keep_first_touches(&exact);
		keep_first_touches(&wave);
		for (size_t k = 0; k < exact.n && k < wave.n; k++) {
			struct seen *a = &exact.at[k], *b = &wave.at[k];
			if (a->kernel != b->kernel || a->ref != b->ref || a->page != b->page ||
			    a->write != b->write)
				fail_msg("%s first touch %zu of %zu: kernel %u pc %ju page %ju, "
					 "exactly %u %ju %ju",
					 spec, k, exact.n, b->kernel, b->ref - 1, b->page,
					 a->kernel, a->ref - 1, a->page);
		}
		assert_int_equal(exact.n, wave.n);
		free(exact.at);
		free(wave.at);
	}
}

static void rewinding_gives_the_same_again(void **state)
{
	struct tide_batch *batch = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(plains) * 2; i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=%s", plains[i / 2].spec,
			 i % 2 ? "wave" : "exact,jitter=20");
		struct td_trace_source *s = open_source(spec, PAGE_BYTES, 3);
		struct seens first = see(s), second;

		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		second = see(s);
		assert_int_equal(first.n, second.n);
		for (size_t k = 0; k < first.n; k++) {
			assert_int_equal(first.at[k].page, second.at[k].page);
			assert_int_equal(first.at[k].ref, second.at[k].ref);
			assert_int_equal(first.at[k].block, second.at[k].block);
		}
		free(first.at);
		free(second.at);
		td_trace_close(s);
	}
	free_batch(batch);
}

/* ---- at the papers' size ---- */

static const struct td_workload *workload(const char *name)
{
	for (size_t i = 0; td_workload_table[i]; i++) {
		if (strcmp(td_workload_table[i]->name, name) == 0)
			return td_workload_table[i];
	}
	fail_msg("no workload %s", name);
	return NULL;
}

/* Pages touched and events. */
static void measure(const char *spec, uint64_t *pages, uint64_t *events)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct tide_batch *batch = calloc(1, sizeof *batch);
	bool *known = calloc(1 << 16, sizeof *known);

	*pages = *events = 0;
	do {
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		for (uint32_t i = 0; i < batch->n; i++) {
			assert_in_range(batch->page[i], 0, (1 << 16) - 1);
			*pages += !known[batch->page[i]];
			known[batch->page[i]] = true;
		}
		*events += batch->n;
	} while (batch->n);
	free(known);
	free(batch);
	td_trace_close(s);
}

static void footprints_are_the_papers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct td_workload *w = workload(names[i]);
		char spec[96];
		uint64_t pages, events;

		snprintf(spec, sizeof spec, "%s:mode=wave", w->name);
		measure(spec, &pages, &events);
		assert_string_equal(w->paper, "CPPE");
		assert_int_equal(pages * PAGE_BYTES, w->footprint_bytes);
		assert_in_range(w->footprint_bytes * 1000 / w->published_bytes, 980, 1020);
		/* Exact mode touches the same, with its own number of events. */
		if (w->accesses > 8000000)
			continue;
		measure(w->name, &pages, &events);
		assert_int_equal(pages * PAGE_BYTES, w->footprint_bytes);
		assert_int_equal(events, w->accesses);
	}
}

/* Which pages of each chunk of 16 of array 0 an instruction touches in the first events. */
static void assert_chunks(const char *spec, uint64_t ref, size_t batches, uint32_t want)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint32_t *chunk = calloc(4096, sizeof *chunk);
	struct seens all = {0};
	size_t touched = 0;

	for (size_t i = 0; i < batches; i++)
		see_batch(s, batch, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (all.at[i].ref == ref)
			chunk[all.at[i].page / 16] |= 1U << all.at[i].page % 16;
	}
	for (size_t i = 0; i < 4096; i++) {
		if (chunk[i])
			assert_int_equal(chunk[i], want);
		touched += chunk[i] != 0;
	}
	assert_true(touched > 8);
	free(all.at);
	free(chunk);
	free_batch(batch);
	td_trace_close(s);
}

static void strides_are_the_papers(void **state)
{
	(void)state;
	/* Rows of 4 pages, one warp per 32 of them; BICG goes down columns first. */
	assert_chunks("mvt", 2, 20, 0x1111);
	assert_chunks("mvt:scale=0.25", 2, 20, 0x5555);
	assert_chunks("mvt:scale=0.0625", 2, 20, 0xffff);
	assert_chunks("bic", 3, 60, 0xffff);
}

/* Misses of an LRU memory of so many pages. */
static uint64_t lru_misses(const struct seens *s, size_t room)
{
	uint64_t *page = calloc(room, sizeof *page), misses = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t at = 0;
		while (at < n && page[at] != s->at[i].page)
			at++;
		if (at == n) {
			misses++;
			n += n < room;
			at = n - 1;
		}
		memmove(page + 1, page, at * sizeof *page);
		page[0] = s->at[i].page;
	}
	free(page);
	return misses;
}

static uint64_t pages_in(const struct seens *s)
{
	return lru_misses(s, s->n < 4096 ? s->n : 4096);
}

/* Streaming: a tenth of the pages is memory enough. Thrashing: nine tenths are not, and every pass
 * misses nearly everything again. */
static void types_are_the_papers(void **state)
{
	static const char *const streaming[] = {"hot:scale=0.25", "2dc:scale=0.0625",
						"3dc:scale=0.0156"};
	static const struct {
		const char *spec;
		uint64_t passes;
	} thrashing[] = {
		{"srd:scale=0.0625,iters=4", 8},
		{"hsd:scale=0.25,iters=6", 6},
		{"mrq:launches=6", 6},
		{"stn:iters=6", 6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(streaming); i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=wave", streaming[i]);
		struct seens s = see_spec(spec);
		uint64_t pages = pages_in(&s), misses = lru_misses(&s, pages / 10);
		if (misses * 10 > pages * 11)
			fail_msg("%s: %ju misses of %ju pages", spec, misses, pages);
		free(s.at);
	}
	for (size_t i = 0; i < COUNT(thrashing); i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=wave", thrashing[i].spec);
		struct seens s = see_spec(spec);
		uint64_t pages = pages_in(&s), misses = lru_misses(&s, pages * 9 / 10);
		if (misses * 4 < thrashing[i].passes * pages * 3)
			fail_msg("%s: %ju misses of %ju pages", spec, misses, pages);
		free(s.at);
	}
}

static void bad_parameters_are_refused(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{"hot:scale=0", "scale"},
		{"hot:scale=1e-6", "workload hot: scale=1e-06 leaves less than one block: give a "
				   "larger scale"},
		{"stn:scale=1e-5", "leaves less than one block"},
		{"mvt:scale=0.0001", "leaves less than one block"},
		{"stn:scale=1000", "makes a block of more than 1024 threads: give a smaller scale"},
		{"srd:iters=0", "iters"},
		{"pat:rows=1", "rows"},
		{"hsd:layers=1", "layers"},
		{"mrq:launches=0", "launches"},
		{"sgm:tiled=2", "tiled"},
		{"2dc:mode=fast", "workload 2dc: mode=fast is none: give wave or exact"},
		{"bkp:iters=2", "iters"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tide_error err = {0};
		struct td_trace_source *s = NULL;
		assert_int_equal(td_workload_open(&s, cases[i].spec, PAGE_BYTES, 1, &err), -EINVAL);
		if (!strstr(err.text, cases[i].text))
			fail_msg("%s: %s", cases[i].spec, err.text);
	}
}

static void huge_scales_open_at_once(void **state)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s:scale=%s", names[i],
			 strcmp(names[i], "stn") == 0 ? "500" : "1e6");
		struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		assert_int_equal(batch->n, TIDE_BATCH);
		td_trace_close(s);
	}
	free(batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warps_do_what_the_kernels_say),
		cmocka_unit_test(waves_keep_the_order_of_pages),
		cmocka_unit_test(rewinding_gives_the_same_again),
		cmocka_unit_test(footprints_are_the_papers),
		cmocka_unit_test(strides_are_the_papers),
		cmocka_unit_test(types_are_the_papers),
		cmocka_unit_test(bad_parameters_are_refused),
		cmocka_unit_test(huge_scales_open_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
