/* The applications of ObservUVM that are regular: sizes, events, order. */
#include "gpu_entries.h"

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
	assert_int_equal(tide_map_init(&seen.map, 1024), 0);
	do {
		assert_int_equal(td_trace_next(s, batch, NULL), 0);
		size.events += batch->n;
		for (uint32_t i = 0; i < batch->n; i++)
			size.pages += !mark(&seen, batch->page[i], 1);
	} while (batch->n);
	tide_map_free(&seen.map);
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

static const char *const names[] = {"blk", "gmm",           "gmv", "hel", "lu", "mm",
				    "sr2", "observuvm-2dc", "srk", "an",  "sn"};

static const struct td_workload *workload_of(const char *name)
{
	const struct td_workload *w = td_workload_find(name);

	assert_non_null(w);
	return w;
}

/* The footprint that the table says is that of the arrays, in whole pages. */
static void arrays_are_as_large_as_published(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(names); k++) {
		const struct td_workload *w = workload_of(names[k]);
		uint64_t page_bytes = td_workload_page_bytes(w), bytes = 0;
		struct td_trace_source *s = open_source(names[k], page_bytes, 1);
		struct td_gpu_app *app = td_gpu_of(s);

		assert_string_equal(w->paper, "ObservUVM");
		assert_true(app->wave);
		for (unsigned i = 0; i < app->arrays; i++) {
			bytes += (app->array[i].bytes + page_bytes - 1) / page_bytes * page_bytes;
			assert_int_equal(app->array[i].base % REGION, 0);
		}
		if (bytes != w->footprint_bytes)
			fail_msg("%s: arrays of %ju bytes", names[k], (uintmax_t)bytes);
		assert_in_range(bytes * 1000 / w->published_bytes, 980, 1020);
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
		struct size size = size_of_spec(quick[k], td_workload_page_bytes(w));
		assert_int_equal(size.pages * td_workload_page_bytes(w), w->footprint_bytes);
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
	static const struct td_gpu_machine eight = {
		.sms = 8, .blocks_per_sm = 16, .threads_per_sm = 1536, .align_bytes = REGION};
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
		{"gmm:along=k", "workload gmm: along=k is none: give m or n"},
		{"spm:columns=33", "workload spm: columns=33 is no multiple of 32: give one"},
		{"spm:entries=33",
		 "workload spm: entries=33 is no multiple of 32: give one, or fewer"},
		{"spm:layout=any", "workload spm: layout=any is none: give columns or rows"},
		{"spm:layout=rows,columns=96", "workload spm: columns=96 is no multiple of 128: "},
		{"sr2:along=k", "workload sr2: along=k is none: give m or n"},
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
		cmocka_unit_test(arrays_are_as_large_as_published),
		cmocka_unit_test(the_papers_sizes),
		cmocka_unit_test(footprints_at_small_sizes),
		cmocka_unit_test(waves_give_a_page_once),
		cmocka_unit_test(wave_mode_has_a_hundredth_of_the_events),
		cmocka_unit_test(srk_reads_low_columns_most),
		cmocka_unit_test(lu_comes_back_to_the_last_corner),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(jitter_keeps_the_pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
