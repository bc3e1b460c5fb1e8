/* Ways to move pages that do not lie side by side from host memory to the GPU: figure 6 of GMT. */
#include "bench.h"
#include "core/clock.h"
#include "kernels.cuh"

#define PAGE ((uint64_t)65536)
#define PAGES_MAX 1024
#define FROM_PAGES 4096 /* to choose from */

/* A warp per page, of which so many lanes copy. */
static __global__ void copy_pages(uint4 *to, const uint4 *from, const uint32_t *which, uint32_t n,
				  unsigned lanes)
{
	uint64_t each = PAGE / 16;
	for (uint64_t k = warp_id(); k < n; k += warps_all()) {
		const uint4 *s = from + which[k] * each;
		uint4 *d = to + k * each;
		for (uint64_t i = lane_id(); lane_id() < lanes && i < each; i += 8 * lanes) {
			uint4 v[8];
#pragma unroll
			for (int j = 0; j < 8; j++)
				v[j] = __ldcg(&s[i + j * lanes]);
#pragma unroll
			for (int j = 0; j < 8; j++)
				__stcg(&d[i + j * lanes], v[j]);
		}
	}
}

struct methods {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	memory from, to, which;
	uint32_t order[PAGES_MAX];
};

static int make(struct methods &x, struct tide_error *err)
{
	uint64_t state = td_gpu_seed(x.s);
	double ns;
	for (unsigned k = 0; k < PAGES_MAX; k++)
		x.order[k] =
			(uint32_t)(4 * k + tide_random_next(&state) % 3); /* never neighbours */
	int rc = x.from.make(PINNED, FROM_PAGES * PAGE, err);
	if (!rc)
		rc = x.to.make(DEVICE, PAGES_MAX * PAGE, err);
	if (!rc)
		rc = x.which.make(DEVICE, sizeof x.order, err);
	if (!rc)
		rc = CUDA(cudaMemcpy(x.which.at, x.order, sizeof x.order, cudaMemcpyHostToDevice));
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				x.from.as<unsigned char>(), (uint64_t)FROM_PAGES, PAGE);
	return rc;
}

/* From the first request to the last byte, as the host sees it. */
static int by_engine(struct methods &x, unsigned n, double *ns, struct tide_error *err)
{
	uint64_t since = td_clock_ns();
	int rc = 0;
	for (unsigned k = 0; k < n && !rc; k++)
		rc = CUDA(cudaMemcpyAsync(x.to.as<char>() + k * PAGE,
					  x.from.as<char>() + x.order[k] * PAGE, PAGE,
					  cudaMemcpyHostToDevice, nullptr));
	if (!rc)
		rc = CUDA(cudaStreamSynchronize(nullptr));
	*ns = (double)(td_clock_ns() - since);
	return rc;
}

static int by_lanes(struct methods &x, unsigned n, unsigned lanes, double *ns,
		    struct tide_error *err)
{
	unsigned blocks = (n + 7) / 8, threads = n < 8 ? n * 32 : 256;
	uint64_t since = td_clock_ns();
	copy_pages<<<blocks, threads>>>(x.to.as<uint4>(), x.from.as<const uint4>(),
					x.which.as<const uint32_t>(), n, lanes);
	int rc = cuda(cudaGetLastError(), "the launch of a copy", err);
	if (!rc)
		rc = CUDA(cudaStreamSynchronize(nullptr));
	*ns = (double)(td_clock_ns() - since);
	return rc;
}

/* Every 16 KiB one word: is it the right page? */
static int judge(struct methods &x, unsigned n, struct tide_error *err)
{
	uint64_t word = 0;
	for (unsigned k = 0; k < n; k++) {
		uint64_t at = (k * 37 % 4) * 2048 + 2047;
		int rc = CUDA(cudaMemcpy(&word, x.to.as<uint64_t>() + k * (PAGE / 8) + at, 8,
					 cudaMemcpyDeviceToHost));
		if (rc)
			return rc;
		if (word != td_gpu_word(x.order[k] * (PAGE / 8) + at))
			return tide_fail(err, -EILSEQ, "page %u of %u did not arrive", k, n);
	}
	return 0;
}

static int time_method(struct methods &x, unsigned n, unsigned lanes, double *ns,
		       struct tide_error *err)
{
	char what[96];
	int rc = CUDA(cudaMemset(x.to.at, 0, PAGES_MAX * PAGE));
	if (!rc)
		rc = CUDA(cudaDeviceSynchronize());
	if (!rc)
		rc = median_of(9, ns, err, [&](double *once, struct tide_error *e) {
			return lanes ? by_lanes(x, n, lanes, once, e) : by_engine(x, n, once, e);
		});
	if (!rc && n <= 64)
		rc = judge(x, n, err);
	if (rc)
		return rc;
	if (lanes)
		snprintf(what, sizeof what, "%u pages, zero-copy, %u threads of a warp", n, lanes);
	else
		snprintf(what, sizeof what, "%u pages, copy engine, page by page", n);
	struct td_gpu_row row = {what, n * PAGE, 0, *ns, 0, nullptr};
	td_gpu_table_row(x.table, x.s, &row);
	return 0;
}

/* The hybrid rule picks the copy engine below eight pages. */
int td_gpu_bench_methods(const struct td_gpu_setup *s, struct td_gpu_table *table,
			 struct tide_error *err)
{
	static const unsigned lanes[] = {1, 4, 8, 16, 32};
	struct methods x;
	unsigned cross = 0;
	x.s = s;
	x.table = table;
	int rc = make(x, err);
	for (unsigned n = 1; n <= PAGES_MAX && !rc; n *= 2) {
		double engine = 0, warp = 0;
		rc = time_method(x, n, 0, &engine, err);
		for (unsigned i = 0; i < 5 && !rc; i++)
			rc = time_method(x, n, lanes[i], &warp, err);
		if (rc)
			break;
		if (!cross && warp < engine)
			cross = n;
		char what[96];
		double hybrid = n < 8 ? engine : warp, best = engine < warp ? engine : warp;
		snprintf(what, sizeof what, "%u pages, hybrid", n);
		struct td_gpu_row row = {what,   n * PAGE,      0,
					 hybrid, best / hybrid, "the better one"};
		td_gpu_table_row(table, s, &row);
	}
	struct td_gpu_measure better = {};
	snprintf(better.what, sizeof better.what, "pages from which a warp beats the copy engine");
	better.count = cross;
	td_gpu_table_measure(table, &better);
	return rc;
}
