/* CPPE's regular applications at the paper's size: footprints, strides, types. */
#include <stdio.h>

#include "gpu_entries.h"

static const char *const names[] = {"hot", "2dc", "3dc", "bkp", "pat", "mvt",
				    "bic", "srd", "hsd", "mrq", "stn", "sgm"};

static const struct td_workload *workload(const char *name)
{
	const struct td_workload *w = td_workload_find(name);

	assert_non_null(w);
	return w;
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
	size_t touched = 0;

	for (size_t i = 0; i < batches && next_batch(s, batch); i++) {
		for (uint32_t k = 0; k < batch->n; k++) {
			if (batch->ref[k] == ref)
				chunk[batch->page[k] / 16] |= 1U << batch->page[k] % 16;
		}
	}
	for (size_t i = 0; i < 4096; i++) {
		if (chunk[i])
			assert_int_equal(chunk[i], want);
		touched += chunk[i] != 0;
	}
	assert_true(touched > 8);
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
static uint64_t lru_misses(const struct entries *s, size_t room)
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

static uint64_t pages_in(const struct entries *s)
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
		struct entries s = read_spec(spec);
		uint64_t pages = pages_in(&s), misses = lru_misses(&s, pages / 10);
		if (misses * 10 > pages * 11)
			fail_msg("%s: %ju misses of %ju pages", spec, misses, pages);
		free(s.at);
	}
	for (size_t i = 0; i < COUNT(thrashing); i++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s,mode=wave", thrashing[i].spec);
		struct entries s = read_spec(spec);
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
		{"hot:scale=1e6", "workload hot: 7.28189e+09 blocks in a launch are too many: "},
		{"2dc:scale=1e6", "workload 2dc: 6.5536e+10 blocks in a launch are too many: "},
		{"srd:scale=1e6", "workload srd: 1.6384e+10 blocks in a launch are too many: "},
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
			 strcmp(names[i], "stn") == 0 ? "500" : "5e4");
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
		cmocka_unit_test(footprints_are_the_papers),
		cmocka_unit_test(strides_are_the_papers),
		cmocka_unit_test(types_are_the_papers),
		cmocka_unit_test(bad_parameters_are_refused),
		cmocka_unit_test(huge_scales_open_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
