/* CPPE's leu, dwt, kmn, sad and nw against their formulas, and what the paper saw of them. */
#include "gpu_model.h"

static bool named(const struct model *m, unsigned array, const char *name)
{
	return strcmp(m->app->array[array].name, name) == 0;
}

/* ---- leu ---- */

/* Scale 1/4: 110 * 320 pixels, 9 cells, two frames of 3 iterations. */
static void model_leu(struct model *m)
{
	uint64_t pixels = 110 * 320, box = 41 * 81;

	assert_true(named(m, 2, "gicov") && named(m, 5, "V0") && named(m, 6, "I1"));
	for (uint64_t b = 0; b < 276; b++) {
		for (uint64_t t = 0; t < 66; t++) {
			lane(m, 2, ((b + 22) * 110 + t + 22) * 4);
			end_lane(m, 0, t, 66);
		}
	}
	for (uint64_t g = 0; g < pixels; g++) { /* 200 blocks of 176 */
		lane(m, 3, (g % 110 * 320 + g / 110) * 4);
		end_lane(m, 1, g % 176, 176);
	}
	for (uint64_t k = 0; k < 2 * 9 * 5 * box; k++) {
		uint64_t i = k % box, phase = k / box % 5, cell = k / box / 5 % 9;
		unsigned array = 4 + 2 * (unsigned)(k / box / 45);
		bool image = phase > 0 && phase < 4;
		lane(m, image ? array : array + 1, (cell * box + i) * 4);
		/* A warp has 32 of 320 in a row; the last, one. */
		end_lane(m, phase == 0 ? 2 : image ? 3 : 4, i, box);
	}
}

static void leu_is_its_formulas(void **state)
{
	(void)state;
	assert_like_model("leu:scale=0.25,frames=2,iters=3", model_leu);
}

/* ---- dwt ---- */

static void model_dwt_rows(struct model *m, unsigned c, uint64_t side, uint64_t x0, uint64_t width,
			   int64_t from, int64_t to)
{
	for (int64_t row = from; row < to; row++) {
		uint64_t y = (uint64_t)(row < 0 ? -row : row);
		int64_t edge[] = {(int64_t)(x0 + width), (int64_t)x0 - 2, (int64_t)x0 - 1};
		for (uint64_t x = x0; x < x0 + width && x < side; x++) {
			lane(m, 3 + c, (y * side + x) * 4);
			end_lane(m, 4, x - x0, width);
		}
		for (unsigned i = 0; i < 3; i++) {
			if (edge[i] >= 0 && edge[i] < (int64_t)side)
				lane(m, 3 + c, (y * side + (uint64_t)edge[i]) * 4);
		}
		end_warp(m, 4);
	}
}

static void model_dwt_level(struct model *m, unsigned c, uint64_t side, uint64_t width,
			    uint64_t height)
{
	uint64_t half = side / 2;

	for (uint64_t y0 = 0; y0 < side; y0 += height) {
		uint64_t end = y0 + height < side ? y0 + height : side;
		for (uint64_t x0 = 0; x0 < side; x0 += width)
			model_dwt_rows(m, c, side, x0, width, (int64_t)y0 - 3, (int64_t)end);
	}
	for (uint64_t k = 0; k < side * side; k++) {
		uint64_t y = k / side, x = k % side, band = y % 2 * 2 + x % 2;
		lane(m, c, (band * half * half + y / 2 * half + x / 2) * 4);
		end_lane(m, y % 2 ? 6 : 5, x, side);
	}
}

/* Scale 1/4: 512 * 512 pixels. */
static void model_dwt(struct model *m)
{
	assert_true(named(m, 0, "out_r") && named(m, 4, "c_g") && named(m, 6, "src"));
	for (uint64_t g = 0; g < 512 * 512 / 256 * 192; g++) {
		lane(m, 6, g / 192 * 768 + g % 192 * 4);
		end_lane(m, 0, g % 192, 192);
	}
	for (unsigned c = 0; c < 3; c++) {
		for (uint64_t g = 0; g < 512 * 512; g++) {
			lane(m, 3 + c, g * 4);
			end_lane(m, 1 + c, g, 512 * 512);
		}
		model_dwt_level(m, c, 512, 128, 40);
		model_dwt_level(m, c, 256, 64, 24);
		model_dwt_level(m, c, 128, 64, 16);
	}
}

static void dwt_is_its_formulas(void **state)
{
	(void)state;
	assert_like_model("dwt:scale=0.25", model_dwt);
}

/* The 15 strips of the largest level run together, 72 rows of one page apart: what they read first
 * is one page in each of 15 chunks. */
static void dwt_starts_one_page_per_chunk(void **state)
{
	struct td_trace_source *s = open_source("dwt", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint64_t first = td_gpu_of(s)->array[3].base / PAGE_BYTES;
	unsigned in_chunk[64] = {0}, pages = 0;
	bool seen[1024] = {false};

	(void)state;
	while (pages < 15 && next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n && pages < 15; i++) {
			uint64_t page = batch->page[i] - first;
			if (batch->gpu->kernel[i] != 1 || seen[page])
				continue;
			assert_int_equal(batch->ref[i], 5);
			seen[page] = true;
			pages++;
			assert_int_equal(++in_chunk[page / 16], 1);
		}
	}
	assert_int_equal(pages, 15);
	free_batch(batch);
	td_trace_close(s);
}

/* Its first warp comes to the barriers late, for it reads the columns at the edges too. */
static void dwt_goes_on_together_after_a_barrier(void **state)
{
	enum { BLOCKS = 64, WARPS = 4 };
	struct td_trace_source *s = open_source("dwt:scale=0.25", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint32_t written[BLOCKS][WARPS] = {0}, kernel = 0;

	(void)state;
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			uint32_t block = batch->gpu->block[i], warp = batch->gpu->warp[i];
			if (batch->gpu->kernel[i] == 0 || batch->ref[i] < 6)
				continue;
			if (batch->gpu->kernel[i] != kernel)
				memset(written, 0, sizeof written);
			kernel = batch->gpu->kernel[i];
			assert_true(block < BLOCKS && warp < WARPS);
			written[block][warp]++;
			assert_true(!warp || written[block][warp] <= written[block][warp - 1]);
		}
	}
	assert_int_equal(kernel, 9);
	free_batch(batch);
	td_trace_close(s);
}

/* ---- kmn ---- */

/* Scale 0.01: 4940 points. */
static void model_kmn(struct model *m)
{
	uint64_t n = 4940;

	for (uint64_t f = 0; f < 34; f++) {
		for (uint64_t p = 0; p < n; p++) {
			lane(m, 0, (34 * p + f) * 4);
			end_lane(m, 0, p, n);
		}
		for (uint64_t p = 0; p < n; p++) {
			lane(m, 1, (f * n + p) * 4);
			end_lane(m, 1, p, n);
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		for (uint64_t p = 0; p < n; p++) {
			lane(m, 2, p * 4);
			end_lane(m, 2, p, n);
		}
	}
}

static void model_kmn_tex(struct model *m)
{
	uint64_t n = 4940;

	model_kmn(m);
	for (uint64_t k = 0; k < 2 * 5 * 34; k++) {
		for (uint64_t p = 0; p < n; p++) {
			lane(m, 1, (k % 34 * n + p) * 4);
			end_lane(m, 3, p, n);
		}
	}
}

static void kmn_is_its_formulas(void **state)
{
	(void)state;
	assert_like_model("kmn:scale=0.01,iters=2", model_kmn);
	assert_like_model("kmn:scale=0.01,iters=2,tex=1", model_kmn_tex);
}

/* ---- sad ---- */

/* A vector of 545 words by one warp. */
static void model_words(struct model *m, unsigned pc, uint64_t vector)
{
	for (uint64_t s = 0; s < 545; s++) {
		lane(m, 1, vector * 1096 * 2 + s * 4);
		end_lane(m, pc, s, 545);
	}
}

static void model_sad_blocks(struct model *m, uint64_t wide, uint64_t mbs)
{
	for (uint64_t b = 0; b < mbs * 16; b++) {
		uint64_t bx = b % (4 * wide), by = b / (4 * wide);
		uint64_t vector = 25 * mbs + 16 * (by / 4 * wide + bx / 4) + 4 * (by % 4) + bx % 4;
		for (uint64_t p = 0; p < 18; p++) {
			for (uint64_t k = 0; k < 16 * 61; k++) {
				lane(m, 0,
				     ((by * 4 + k / 61 / 4) * wide * 16 + bx * 4 + k / 61 % 4) * 2);
				end_lane(m, 0, k % 61, 61);
			}
			for (uint64_t t = 0; t < 61; t++) {
				if (18 * t + p < 33 * 33)
					lane(m, 1, (vector * 1096 + 18 * t + p) * 2);
				end_lane(m, 1, t, 61);
			}
		}
	}
}

/* Scale 1/4: 6 * 5 macroblocks. */
static void model_sad(struct model *m)
{
	uint64_t wide = 6, mbs = 30;

	assert_int_equal(m->app->array[0].bytes, wide * 16 * 5 * 16 * 2);
	model_sad_blocks(m, wide, mbs);
	for (uint64_t k = 0; k < mbs * 4; k++) {
		uint64_t mb = k / 4, tx = k % 2, ty = k / 2 % 2;
		for (unsigned i = 0; i < 4; i++)
			model_words(m, 2 + i,
				    25 * mbs + 16 * mb + 8 * ty + 2 * tx + i % 2 + i / 2 * 4);
		for (unsigned i = 0; i < 2; i++) {
			model_words(m, 6 + i, 17 * mbs + 8 * mb + 4 * ty + 2 * tx + i);
			model_words(m, 8 + i, 9 * mbs + 8 * mb + 4 * ty + tx + 2 * i);
		}
		model_words(m, 10, 5 * mbs + 4 * mb + 2 * ty + tx);
	}
	for (uint64_t mb = 0; mb < mbs; mb++) {
		for (unsigned i = 0; i < 4; i++)
			model_words(m, 11 + i, 5 * mbs + 4 * mb + i);
		for (unsigned i = 0; i < 2; i++) {
			model_words(m, 15 + i, 3 * mbs + 2 * mb + i);
			model_words(m, 17 + i, mbs + 2 * mb + i);
			model_words(m, 19, mb);
		}
	}
}

static void sad_is_its_formulas(void **state)
{
	(void)state;
	assert_like_model("sad:scale=0.25", model_sad);
}

/* ---- nw ---- */

static void model_tile(struct model *m, uint64_t n, uint64_t corner)
{
	for (uint64_t t = 0; t < 16; t++) {
		if (t == 0) {
			lane(m, 1, corner * 4);
			end_warp(m, 0);
		}
		for (uint64_t k = 0; k < 16; k++)
			lane(m, 0, (corner + n + 2 + (n + 1) * t + k) * 4);
		end_warp(m, 1);
		for (uint64_t k = 0; k < 16; k++)
			lane(m, 1, (corner + n + 2 + (n + 1) * t + k) * 4);
		end_warp(m, 4);
	}
	for (uint64_t t = 0; t < 16; t++)
		lane(m, 1, (corner + n + 1 + (n + 1) * t) * 4);
	end_warp(m, 2);
	for (uint64_t t = 0; t < 16; t++)
		lane(m, 1, (corner + 1 + t) * 4);
	end_warp(m, 3);
}

/* Scale 1/64: 256. */
static void model_nw(struct model *m)
{
	for (uint64_t k = 0; k < 16 * 16; k++)
		model_tile(m, 256, 257 * 16 * (k / 16) + 16 * (k % 16));
}

static void nw_is_its_formulas(void **state)
{
	(void)state;
	assert_like_model("nw:scale=0.015625", model_nw);
}

/* No tile may be filled before those above and left of it. */
static void nw_keeps_the_order_of_tiles(void **state)
{
	struct td_trace_source *s = open_source("nw:scale=0.015625", PAGE_BYTES, 1);
	struct td_gpu_app *app = td_gpu_of(s);
	struct td_gpu_launch l;
	int64_t pitch = 257 * 4;
	unsigned filled[16][16] = {{0}};

	(void)state;
	for (uint64_t i = 0; app->launch(app, i, &l); i++) {
		for (int64_t b = 0; b < l.grid_x; b++) {
			int64_t corner = l.arg[0] + b * l.arg[1], y = corner / pitch / 16;
			int64_t x = corner % pitch / 64;
			assert_int_equal(corner, y * 16 * pitch + x * 64);
			assert_true(x == 0 || filled[y][x - 1]);
			assert_true(y == 0 || filled[y - 1][x]);
			filled[y][x]++;
		}
	}
	for (unsigned k = 0; k < 256; k++)
		assert_int_equal(filled[k / 16][k % 16], 1);
	td_trace_close(s);
}

/* Stride 2: a row is two pages and 4 bytes long, and the first 60 diagonals stay in its first half.
 * Touched bitmaps of the chunks of 16 pages that they reach down to. */
static void nw_touches_every_second_page(void **state)
{
	struct td_trace_source *s = open_source("nw", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint32_t touched[2][600] = {{0}};
	bool early = true;

	(void)state;
	while (early && next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n && early; i++) {
			unsigned array = batch->gpu->array[i];
			uint64_t page =
				batch->page[i] - td_gpu_of(s)->array[array].base / PAGE_BYTES;
			early = batch->gpu->kernel[i] < 60;
			if (early)
				touched[array][page / 16] |= 1u << page % 16;
		}
	}
	assert_false(early);
	/* The reference's first row is not used. */
	assert_int_equal(touched[0][0], 0x5554);
	for (unsigned chunk = 0; chunk < 2 * 60 * 16 / 16; chunk++) {
		assert_int_equal(touched[1][chunk], 0x5555);
		if (chunk)
			assert_int_equal(touched[0][chunk], 0x5555);
	}
	free_batch(batch);
	td_trace_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leu_is_its_formulas),
		cmocka_unit_test(dwt_is_its_formulas),
		cmocka_unit_test(dwt_starts_one_page_per_chunk),
		cmocka_unit_test(dwt_goes_on_together_after_a_barrier),
		cmocka_unit_test(kmn_is_its_formulas),
		cmocka_unit_test(sad_is_its_formulas),
		cmocka_unit_test(nw_is_its_formulas),
		cmocka_unit_test(nw_keeps_the_order_of_tiles),
		cmocka_unit_test(nw_touches_every_second_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
