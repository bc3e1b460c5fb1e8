/* CPPE's hyb, and what holds for whole runs of leu, dwt, kmn, sad, nw and hyb. */
#include <math.h>

#include "gpu_model.h"
#include "lab/workload/hyb.h"

/* ---- hyb ---- */

static int by_key(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static uint64_t sum_of(const struct tally *t, unsigned pc, const struct td_gpu_array *a)
{
	uint64_t n = 0;

	for (uint64_t page = a->base / PAGE_BYTES; page * PAGE_BYTES < a->base + a->bytes; page++)
		n += t->n[pc * t->pages + page];
	return n;
}

static void assert_sorts(const char *spec, uint64_t seed)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, seed);
	const struct td_hyb *h = (const struct td_hyb *)td_gpu_of(s);
	struct tally t = tally_of(s);
	float *keys = calloc(h->n, sizeof *keys);
	uint64_t random = seed;

	assert_non_null(keys);
	for (uint64_t i = 0; i < h->n; i++)
		keys[i] = td_hyb_key(tide_random_next(&random));
	qsort(keys, h->n, sizeof *keys, by_key);
	assert_memory_equal(h->keys[h->sorted], keys, h->n * sizeof *keys);
	for (unsigned sort = 0; sort < 2; sort++) {
		const struct td_gpu_array *a = &h->app.array[sort * TD_HYB_ARRAYS];
		uint64_t warps = h->n / 32, counts = (uint64_t)h->blocks * 32;
		assert_int_equal(sum_of(&t, 0, &a[TD_HYB_IN]), warps);
		assert_int_equal(sum_of(&t, 1, &a[TD_HYB_IN]), warps);
		assert_int_equal(sum_of(&t, 2, &a[TD_HYB_IND]), warps);
		for (unsigned pc = 3; pc <= 6; pc++)
			assert_int_equal(sum_of(&t, pc, &a[TD_HYB_PRE]), counts);
		assert_int_equal(sum_of(&t, 7, &a[TD_HYB_IN]), warps);
		assert_int_equal(sum_of(&t, 8, &a[TD_HYB_IND]), warps);
		assert_in_range(sum_of(&t, 9, &a[TD_HYB_OUT]), warps, h->n);
		assert_true(sum_of(&t, 10, &a[TD_HYB_IN]) >= h->first[TD_HYB_BUCKETS] / 128);
		assert_true(sum_of(&t, 13, &a[h->sorted]) >= warps);
		if (h->app.p[TD_HYB_TEX]) {
			assert_int_equal(sum_of(&t, 14, &a[TD_HYB_OUT]),
					 sum_of(&t, 10, &a[TD_HYB_IN]));
			/* The first merge is out of one array, the second out of the other. */
			assert_true(sum_of(&t, 15, &a[TD_HYB_IN]) > 0);
			assert_true(sum_of(&t, 15, &a[TD_HYB_OUT]) > 0);
			assert_true(sum_of(&t, 16, &a[TD_HYB_IN]) > 0);
			assert_true(sum_of(&t, 16, &a[TD_HYB_OUT]) > 0);
		}
	}
	free(keys);
	free(t.n);
	td_trace_close(s);
}

static void hyb_sorts(void **state)
{
	(void)state;
	assert_sorts("hyb:scale=0.001", 1); /* 4 keys to a bucket */
	assert_sorts("hyb:scale=0.01", 2);
	assert_sorts("hyb:scale=0.01,tex=1,jitter=64", 3);
	assert_sorts("hyb:scale=0.1", 4); /* 408 keys to a bucket */
}

/* A last merge's threads write a whole bucket each: lanes are that far apart. */
static void hyb_scatters_its_merges(void **state)
{
	struct td_trace_source *s = open_source("hyb:scale=1", PAGE_BYTES, 1);
	struct tide_batch *batch = new_batch();
	uint64_t most = 0, same = 0, stream = UINT64_MAX;

	(void)state;
	while (next_batch(s, batch) && batch->gpu->kernel[0] < 17) {
		const struct td_hyb *h = (const struct td_hyb *)td_gpu_of(s);
		for (uint32_t i = 0; i < batch->n; i++) {
			if (batch->gpu->kernel[i] != 4 + h->passes)
				continue;
			assert_int_equal(batch->ref[i], 12);
			same = batch->stream[i] == stream ? same + 1 : 1;
			stream = batch->stream[i];
			most = same > most ? same : most;
		}
	}
	assert_int_equal(most, 32);
	free_batch(batch);
	td_trace_close(s);
}

/* ---- all ---- */

static const char *const specs[] = {
	"leu:scale=0.1,frames=2", "leu:scale=0.05,frames=1,tex=1",
	"dwt:scale=0.0625",       "dwt:scale=0.0625,jitter=64",
	"kmn:scale=0.02",         "kmn:scale=0.02,mode=wave",
	"sad:scale=0.1",          "sad:scale=0.02,tex=1",
	"nw:scale=0.01",          "nw:scale=0.01,mode=wave",
	"hyb:scale=0.002",        "hyb:scale=0.002,tex=1",
};

/* A number for the whole stream. */
static uint64_t digest(struct td_trace_source *s, struct tide_batch *batch)
{
	uint64_t all = 0;

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			all = tide_hash64(all ^ batch->page[i]);
			all = tide_hash64(all ^ batch->ref[i] << 1 ^ batch->write[i]);
			all = tide_hash64(all ^ batch->stream[i] ^
					  (uint64_t)batch->gpu->count[i] << 32);
		}
	}
	return all;
}

static void rewinding_gives_the_same(void **state)
{
	struct tide_batch *batch = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct td_trace_source *s = open_source(specs[i], PAGE_BYTES, 5);
		uint64_t first = digest(s, batch);
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_true(next_batch(s, batch));
		assert_int_equal(s->ops->rewind(s, NULL), 0);
		assert_int_equal(digest(s, batch), first);
		td_trace_close(s);
	}
	free_batch(batch);
}

/* The pairs of pc and page, in the order in which they appear. */
static struct run first_touches(const char *spec)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct tally seen = new_tally(td_gpu_of(s));
	struct tide_batch *batch = new_batch();
	struct run run = {0, calloc(PCS * seen.pages, sizeof *run.events)};

	assert_non_null(run.events);
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			if (seen.n[(batch->ref[i] - 1) * seen.pages + batch->page[i]]++ == 0)
				run.events[run.n++] = (struct td_event){
					batch->page[i], batch->ref[i], 0, batch->write[i]};
		}
	}
	free(seen.n);
	free_batch(batch);
	td_trace_close(s);
	return run;
}

static void waves_keep_the_order(void **state)
{
	static const char *const pairs[][2] = {
		{"kmn:scale=0.02", "kmn:scale=0.02,mode=wave"},
		{"kmn:scale=0.02,tex=1", "kmn:scale=0.02,tex=1,mode=wave"},
		{"kmn:scale=0.2", "kmn:scale=0.2,mode=wave"},
		{"nw:scale=0.01", "nw:scale=0.01,mode=wave"},
		{"nw:scale=0.25", "nw:scale=0.25,mode=wave"},
		{"nw", "nw:mode=wave"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct run exact = first_touches(pairs[i][0]), wave = first_touches(pairs[i][1]);
		if (!same_run(&exact, &wave))
			fail_msg("%s: another order than in exact mode", pairs[i][1]);
		free(exact.events);
		free(wave.events);
	}
}

/* What the table says is what a run gives, and close to what was published. */
static void tables_are_true(void **state)
{
	static const char *const names[] = {"leu", "dwt", "kmn", "sad", "nw", "hyb"};
	struct tide_batch *batch = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct td_workload *w = td_workload_find(names[i]);
		assert_non_null(w);
		struct td_trace_source *s = open_source(names[i], PAGE_BYTES, 1);
		struct tally t = new_tally(td_gpu_of(s));
		uint64_t accesses = 0, pages = 0;
		while (next_batch(s, batch)) {
			accesses += batch->n;
			for (uint32_t k = 0; k < batch->n; k++)
				pages += t.n[batch->page[k]]++ == 0;
		}
		assert_int_equal(w->accesses, accesses);
		assert_int_equal(w->footprint_bytes, pages * PAGE_BYTES);
		assert_true(fabs((double)w->footprint_bytes / (double)w->published_bytes - 1) <
			    0.02);
		free(t.n);
		td_trace_close(s);
	}
	free_batch(batch);
}

/* Texture reads are of the arrays that they are said to be of. */
static void textures_add_their_pages(void **state)
{
	static const struct {
		const char *spec;
		unsigned pc;
		const char *array;
	} cases[] = {
		{"leu:scale=0.05,frames=1,tex=1", 5, "gradx"},
		{"leu:scale=0.05,frames=1,tex=1", 6, "grady"},
		{"sad:scale=0.02,tex=1", 20, "ref"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct td_trace_source *s = open_source(cases[i].spec, PAGE_BYTES, 1);
		const struct td_gpu_array *a = td_gpu_of(s)->array;
		struct tally t = tally_of(s);
		while (strcmp(a->name, cases[i].array) != 0)
			a++;
		for (uint64_t k = 0; k < t.pages; k++) {
			uint64_t n = t.n[cases[i].pc * t.pages + k];
			bool inside =
				k >= a->base / PAGE_BYTES && k * PAGE_BYTES < a->base + a->bytes;
			if (n && !inside)
				fail_msg("%s: page %ju is not of %s", cases[i].spec, k, a->name);
		}
		assert_true(sum_of(&t, cases[i].pc, a) > 0);
		free(t.n);
		td_trace_close(s);
	}
}

static void bad_ones_are_refused(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{"dwt:scale=0",
		 "workload dwt: scale=0 is out of range: give a number from 1e-06 to 1000000"},
		{"dwt:scale=0.001",
		 "workload dwt: scale=0.001 leaves less than one block: give a larger scale"},
		{"nw:scale=1e-6",
		 "workload nw: scale=1e-06 leaves less than one block: give a larger scale"},
		{"nw:mode=waves", "workload nw: mode=waves is none: give wave or exact"},
		{"sad:scale=0.001",
		 "workload sad: scale=0.001 leaves less than one block: give a larger scale"},
		{"hyb:scale=0.0001",
		 "workload hyb: scale=0.0001 leaves less than one block: give a larger scale"},
		{"hyb:scale=513",
		 "workload hyb: scale=513 makes more keys than 32 bits count: give at most 512"},
		{"leu:scale=0.04",
		 "workload leu: scale=0.04 makes an image 44 pixels high: give a scale from 0.05 "
		 "to 20"},
		{"leu:scale=1000",
		 "workload leu: scale=1000 makes an image 6925 pixels high: give a scale from 0.05 "
		 "to 20"},
		{"leu:frames=47",
		 "workload leu: frames=47 is out of range: give a whole number from 1 to 46"},
		{"kmn:tex=2",
		 "workload kmn: tex=2 is out of range: give a whole number from 0 to 1"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tide_error err = {0};
		struct td_trace_source *s;
		assert_int_equal(td_workload_open(&s, cases[i].spec, PAGE_BYTES, 1, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
	}
}

/* The largest that parameters allow opens at once, or says what is wrong. */
static void large_ones_open_at_once(void **state)
{
	static const char *const large[] = {"dwt:scale=1e6", "kmn:scale=1e6", "sad:scale=1e6",
					    "nw:scale=1e6", "leu:scale=20,frames=46"};
	struct tide_batch *batch = new_batch();

	(void)state;
	for (size_t i = 0; i < COUNT(large); i++) {
		struct td_trace_source *s = open_source(large[i], PAGE_BYTES, 1);
		assert_true(next_batch(s, batch));
		td_trace_close(s);
	}
	free_batch(batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hyb_sorts),
		cmocka_unit_test(hyb_scatters_its_merges),
		cmocka_unit_test(rewinding_gives_the_same),
		cmocka_unit_test(waves_keep_the_order),
		cmocka_unit_test(tables_are_true),
		cmocka_unit_test(textures_add_their_pages),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(large_ones_open_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
