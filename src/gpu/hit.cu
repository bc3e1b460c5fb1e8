/* The price of a hit: everything is in near memory, and raw kernels do the same on a plain array.
 */
#include "bench.h"
#include "kernels.cuh"

#define PAGE ((uint64_t)65536)
#define TIMES 7
#define MORE (128 * TD_GPU_MIB) /* with so much more near memory would not hold it all */

/* ---- element by element, in a grid-stride loop ---- */

template <class T, int BLOCKS>
static __global__ void BOUNDED(BLOCKS) stride_get(struct tide_span a, uint64_t n, unsigned *to)
{
	tide_cursor<T> cursor(a);
	unsigned sum = 0;
	uint64_t lane = lane_id(), step = warps_all() * 32;
	for (uint64_t i = warp_id() * 32 + lane; i - lane < n; i += step)
		sum += value_of<T>(cursor.get(i, i < n));
	add_up(sum, to);
}

template <class T, int BLOCKS>
static __global__ void BOUNDED(BLOCKS) stride_read(struct tide_span a, uint64_t n, unsigned *to)
{
	unsigned sum = 0;
	uint64_t lane = lane_id(), step = warps_all() * 32;
	for (uint64_t i = warp_id() * 32 + lane; i - lane < n; i += step)
		sum += value_of<T>(tide_read<T>(a, i, i < n));
	add_up(sum, to);
}

template <class T, int K, int BLOCKS>
static __global__ void BOUNDED(BLOCKS) stride_each(struct tide_span a, uint64_t n, unsigned *to)
{
	unsigned sum = 0;
	tide_each<T, K>(a, n, [&](uint64_t, T v) { sum += value_of<T>(v); });
	add_up(sum, to);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* ---- one array twice: plain, and of a runtime whose near memory holds all of it ---- */

struct resident {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	memory raw;
	runtime r;
	struct tide_span a = {};
	struct sum_word sum;
	uint64_t bytes = 0, pages = 0;

	int make(uint64_t wanted, struct tide_error *err)
	{
		double ns;
		int rc = fitting(wanted, &bytes, err);
		size_text near_bytes(bytes + 64 * TD_GPU_MIB), address(bytes + MORE);
		struct tide_gpu_options o = {};
		o.size = sizeof o;
		o.near_size = near_bytes;
		o.address = address;
		o.place = "bam";
		pages = bytes / PAGE;
		if (!rc)
			rc = raw.make(DEVICE, bytes, err);
		if (!rc)
			rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
					raw.as<unsigned char>(), pages, PAGE);
		if (!rc)
			rc = r.open(s, &o, err);
		if (!rc)
			rc = r.array(&a, bytes, err);
		if (!rc)
			rc = run_kernel(r.g, &ns, err, shape{0, 256, 1}, fill_tide, a, pages, PAGE);
		return rc ? rc : sum.make(err);
	}
	void row(const char *what, double ns, double ratio, const char *of)
	{
		struct td_gpu_row r1 = {what, bytes, 0, ns, ratio, of};
		td_gpu_table_row(table, s, &r1);
	}
};

/* ---- streams ---- */

static int stream_raw(struct resident &x, double *best_ns, struct tide_error *err)
{
	double by_page = 0, by_large_block = 0, by_grid = 0;
	int rc = sum_median(nullptr, x.sum, TIMES, &by_page, err, shape{0, 256, 0}, sum_raw,
			    x.raw.as<unsigned char>(), x.pages, PAGE);
	if (!rc)
		rc = sum_median(nullptr, x.sum, TIMES, &by_large_block, err, shape{0, 1024, 0},
				sum_raw, x.raw.as<unsigned char>(), x.pages, PAGE);
	if (!rc)
		rc = sum_median(nullptr, x.sum, TIMES, &by_grid, err, shape{0, 256, 0},
				stride_raw<uint4>, (const uint4 *)x.raw.at, x.bytes / 16);
	if (rc)
		return rc;
	x.row("raw, a warp per 64 KiB", by_page, 0, nullptr);
	x.row("raw, a warp per 64 KiB, blocks of 1024", by_large_block, 0, nullptr);
	x.row("raw, grid-stride by 16 B", by_grid, 0, nullptr);
	*best_ns = least(by_page, least(by_large_block, by_grid));
	return 0;
}

template <int BLOCKS>
static int stream_tide(struct resident &x, double raw_ns, double *best_ns, struct tide_error *err)
{
	double ns = 0;
	char what[96];
	int rc = sum_median(x.r.g, x.sum, TIMES, &ns, err, shape{0, 256, 1}, sum_tide<BLOCKS>, x.a,
			    x.pages, PAGE);
	snprintf(what, sizeof what, "cursor, a warp per page, %d warps per multiprocessor",
		 BLOCKS * 8);
	if (!rc)
		x.row(what, ns, raw_ns / ns, "the best raw stream");
	*best_ns = least(*best_ns, ns);
	return rc;
}

static int stream(struct resident &x, struct tide_error *err)
{
	double raw_ns = 0, best_ns = 1e18;
	int rc = stream_raw(x, &raw_ns, err);
	if (!rc)
		rc = stream_tide<2>(x, raw_ns, &best_ns, err);
	if (!rc)
		rc = stream_tide<4>(x, raw_ns, &best_ns, err);
	if (!rc)
		td_gpu_table_claim(x.table, x.s,
				   "page-wise stream with the cursor / best raw stream",
				   TD_GPU_AT_LEAST, 0.9, raw_ns / best_ns);
	return rc;
}

/* ---- loops over elements ---- */

template <class T, int BLOCKS>
static int stride_tide(struct resident &x, const char *size, const char *when, double raw_ns,
		       double *best_ns, struct tide_error *err)
{
	double get = 0, read = 0;
	char what[96];
	uint64_t n = x.bytes / sizeof(T);
	int rc = sum_median(x.r.g, x.sum, TIMES, &get, err, shape{0, 256, 1}, stride_get<T, BLOCKS>,
			    x.a, n);
	if (!rc)
		rc = sum_median(x.r.g, x.sum, TIMES, &read, err, shape{0, 256, 1},
				stride_read<T, BLOCKS>, x.a, n);
	if (rc)
		return rc;
	snprintf(what, sizeof what, "tide_cursor::get, %s, %d warps per multiprocessor%s", size,
		 BLOCKS * 8, when);
	x.row(what, get, raw_ns / get, "the raw loop");
	snprintf(what, sizeof what, "tide_read, %s, %d warps per multiprocessor%s", size,
		 BLOCKS * 8, when);
	x.row(what, read, raw_ns / read, "the raw loop");
	*best_ns = least(*best_ns, least(get, read));
	return 0;
}

template <class T, int K, int BLOCKS>
static int each_tide(struct resident &x, const char *size, const char *when, double raw_ns,
		     double *best_ns, struct tide_error *err)
{
	double ns = 0;
	char what[96];
	int rc = sum_median(x.r.g, x.sum, TIMES, &ns, err, shape{0, 256, 1},
			    stride_each<T, K, BLOCKS>, x.a, x.bytes / sizeof(T));
	snprintf(what, sizeof what, "tide_each, %s, %d at once, %d warps per multiprocessor%s",
		 size, K, BLOCKS * 8, when);
	if (!rc)
		x.row(what, ns, raw_ns / ns, "the raw loop");
	*best_ns = least(*best_ns, ns);
	return rc;
}

/* With fewer warps there are more registers for what is under way. */
template <class T>
static int each_tides(struct resident &x, const char *size, const char *when, double raw_ns,
		      double *best_ns, struct tide_error *err)
{
	int rc = each_tide<T, 4, 4>(x, size, when, raw_ns, best_ns, err);
	if (!rc)
		rc = each_tide<T, 4, 6>(x, size, when, raw_ns, best_ns, err);
	return rc ? rc : each_tide<T, 8, 4>(x, size, when, raw_ns, best_ns, err);
}

template <class T>
static int stride(struct resident &x, const char *size, double *raw, struct tide_error *err)
{
	double raw_ns = 0, best_ns = 1e18;
	char what[96];
	int rc = sum_median(nullptr, x.sum, TIMES, &raw_ns, err, shape{0, 256, 0}, stride_raw<T>,
			    (const T *)x.raw.at, x.bytes / sizeof(T));
	snprintf(what, sizeof what, "raw loop over elements of %s", size);
	if (!rc)
		x.row(what, raw_ns, 0, nullptr);
	if (!rc)
		rc = stride_tide<T, 4>(x, size, "", raw_ns, &best_ns, err);
	if (!rc)
		rc = stride_tide<T, 6>(x, size, "", raw_ns, &best_ns, err);
	if (!rc)
		rc = stride_tide<T, 8>(x, size, "", raw_ns, &best_ns, err);
	if (!rc)
		rc = each_tides<T>(x, size, "", raw_ns, &best_ns, err);
	snprintf(what, sizeof what, "time of a grid-stride loop over elements of %s / raw", size);
	if (!rc)
		td_gpu_table_claim(x.table, x.s, what, TD_GPU_AT_MOST, 1.8, best_ns / raw_ns);
	*raw = raw_ns;
	return rc;
}

/* The same data, but there is another array too: a page might leave, so that a read without a pin
 * looks again whether it did. */
static int stride_crowded(struct resident &x, double raw_ns, struct tide_error *err)
{
	struct tide_span more;
	double best_ns = 1e18;
	const char *when = ", pages might leave";
	int rc = x.r.array(&more, MORE, err);
	if (!rc)
		rc = stride_tide<uint32_t, 8>(x, "4 B", when, raw_ns, &best_ns, err);
	return rc ? rc : each_tides<uint32_t>(x, "4 B", when, raw_ns, &best_ns, err);
}

int td_gpu_bench_hit(const struct td_gpu_setup *s, struct td_gpu_table *table,
		     struct tide_error *err)
{
	struct resident x;
	x.s = s;
	x.table = table;
	double raw_ns = 0, large_ns = 0;
	int rc = x.make(s->quick ? TD_GPU_GIB : 8 * TD_GPU_GIB, err);
	if (!rc)
		rc = stream(x, err);
	if (!rc)
		rc = stride<uint32_t>(x, "4 B", &raw_ns, err);
	if (!rc)
		rc = stride<uint4>(x, "16 B", &large_ns, err);
	if (!rc)
		rc = stride_crowded(x, raw_ns, err);
	if (!rc)
		rc = tide_gpu_check(x.r.g, err);
	return rc ? rc : x.r.close(err);
}
