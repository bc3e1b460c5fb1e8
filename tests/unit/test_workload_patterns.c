/* The plain patterns, access by access. */
#include "test_workload.h"

static void assert_pages(const char *spec, const uint64_t *pages, size_t n)
{
	struct run run = run_spec(spec, PAGE_BYTES, 1);

	assert_int_equal(run.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(run.events[i].page, pages[i]);
	free(run.events);
}

static void cyclic_goes_round(void **state)
{
	static const uint64_t plain[] = {0, 1, 2, 3, 0, 1, 2, 3};
	static const uint64_t wide[] = {0, 5, 10, 0, 5, 10, 0};

	(void)state;
	assert_pages("cyclic:pages=4,rounds=2", plain, COUNT(plain));
	assert_pages("cyclic:pages=3,stride=5,accesses=7", wide, COUNT(wide));
}

static void stride_goes_by_offsets(void **state)
{
	static const uint64_t pages[] = {0, 3, 6, 1, 4, 7, 2, 5, 0, 3, 6, 1, 4, 7, 2, 5};
	static const uint64_t whole[] = {0, 1, 2, 0};

	(void)state;
	assert_pages("stride:pages=8,step=3,rounds=2", pages, COUNT(pages));
	assert_pages("stride:pages=3,step=3,accesses=4", whole, COUNT(whole));
}

static void unshuffled_zipf_has_rank_as_page(void **state)
{
	struct run run = run_spec("zipf:pages=50,accesses=100000,skew=1,shuffle=0", PAGE_BYTES, 1);
	uint64_t seen[50] = {0};

	(void)state;
	for (size_t i = 0; i < run.n; i++)
		seen[run.events[i].page]++;
	/* 100000 / (1 + 1/2 + .. + 1/50) = 22226 of rank 1, standard deviation 132. */
	assert_in_range(seen[0], 21700, 22750);
	assert_in_range(seen[1], 10700, 11520);
	assert_in_range(seen[9], 2030, 2420);
	free(run.events);
}

static void scanhot_mixes_evenly(void **state)
{
	struct run run = run_spec("scanhot:pages=3,hot=10,share=0.25,accesses=16", PAGE_BYTES, 1);
	uint64_t scan = 0;

	(void)state;
	for (size_t i = 0; i < run.n; i++) {
		const struct td_event *e = &run.events[i];
		assert_int_equal(e->ref, i % 4 == 3 ? 2 : 1);
		if (e->ref == 2)
			assert_in_range(e->page, 0, 9);
		else
			assert_int_equal(e->page, 10 + scan++ % 3);
	}
	free(run.events);
}

static void phases_stay_in_their_region(void **state)
{
	struct run run =
		run_spec("phases:hot=100,phases=4,shift=60,rounds=2,accesses=8000", PAGE_BYTES, 1);

	(void)state;
	for (size_t i = 0; i < run.n; i++) {
		uint64_t base = i / 1000 % 4 * 60;
		assert_in_range(run.events[i].page, base, base + 99);
	}
	free(run.events);
}

/* C[i][j] += A[i][first .. end - 1] * B[first .. end - 1][j], merged as the definition says. */
static void multiply_cell(struct run *run, uint64_t n, uint64_t page_bytes, uint64_t i, uint64_t j,
			  uint64_t first, uint64_t end)
{
	uint64_t pages = (n * n * 8 + page_bytes - 1) / page_bytes;
	uint64_t last_a = UINT64_MAX, last_b = UINT64_MAX;

	for (uint64_t k = first; k < end; k++) {
		uint64_t a = (i * n + k) * 8 / page_bytes;
		uint64_t b = pages + (k * n + j) * 8 / page_bytes;

		if (a != last_a)
			run->events[run->n++] = (struct td_event){a, 1, 0, false};
		if (b != last_b)
			run->events[run->n++] = (struct td_event){b, 2, 0, false};
		last_a = a;
		last_b = b;
	}
	run->events[run->n++] =
		(struct td_event){2 * pages + (i * n + j) * 8 / page_bytes, 3, 0, true};
}

static struct run multiply(uint64_t n, uint64_t tile, uint64_t page_bytes)
{
	struct run run = {0, malloc(3 * n * n * n * sizeof *run.events)};

	assert_non_null(run.events);
	for (uint64_t ii = 0; ii < n; ii += tile)
		for (uint64_t jj = 0; jj < n; jj += tile)
			for (uint64_t kk = 0; kk < n; kk += tile)
				for (uint64_t i = ii; i < n && i < ii + tile; i++)
					for (uint64_t j = jj; j < n && j < jj + tile; j++)
						multiply_cell(&run, n, page_bytes, i, j, kk,
							      kk + tile < n ? kk + tile : n);
	return run;
}

static void matmul_is_the_loop(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 5, 8, 16, 31, 40};
	static const uint64_t page_bytes[] = {8, 16, 24, 64, 104, 256, 4096};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t j = 0; j < COUNT(page_bytes); j++)
			for (uint64_t tile = 1; tile <= sizes[i]; tile += 1 + tile / 2) {
				struct run expected = multiply(sizes[i], tile, page_bytes[j]), run;
				char spec[64];

				snprintf(spec, sizeof spec, "matmul-tiled:n=%d,tile=%d",
					 (int)sizes[i], (int)tile);
				run = run_spec(spec, page_bytes[j], 1);
				assert_true(same_run(&run, &expected));
				free(run.events);
				free(expected.events);
			}
}

static void matmul_is_one_tile(void **state)
{
	struct run naive = run_spec("matmul:n=30", 512, 1);
	struct run tiled = run_spec("matmul-tiled:n=30,tile=30", 512, 1);

	(void)state;
	assert_true(same_run(&naive, &tiled));
	free(naive.events);
	free(tiled.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cyclic_goes_round),
		cmocka_unit_test(stride_goes_by_offsets),
		cmocka_unit_test(unshuffled_zipf_has_rank_as_page),
		cmocka_unit_test(scanhot_mixes_evenly),
		cmocka_unit_test(phases_stay_in_their_region),
		cmocka_unit_test(matmul_is_the_loop),
		cmocka_unit_test(matmul_is_one_tile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
