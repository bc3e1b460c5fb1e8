/* What misses cost: pages between tier 2 and near memory, against stock unified memory. */
#include "bench.h"
#include "kernels.cuh"

/* ---- kernels ---- */

/* Reads every page and writes a word of it: what leaves is dirty. Word 0 stays as it was. */
static __global__ void BOUNDED(4)
	soil_tide(struct tide_span a, uint64_t n, uint64_t bytes, unsigned *to)
{
	tide_pages pages(a, bytes);
	unsigned sum = 0;
	for (uint64_t page = warp_id(); page < n; page += warps_all()) {
		unsigned char *at = pages.write(page);
		sum += sum_page(at, bytes);
		__syncwarp();
		if (lane_id() == 0)
			*(volatile uint64_t *)at = td_gpu_word(page * (bytes / 8));
	}
	add_up(sum, to);
}

/* Blocks of 256 threads, or fewer threads where a few warps are wanted. */
static struct shape with_warps(unsigned warps)
{
	return warps >= 8 ? shape{warps / 8, 256, 1} : shape{1, warps * 32, 1};
}

/* ---- a runtime with an array in tier 2 ---- */

struct misses {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	runtime r;
	struct tide_span a = {};
	struct sum_word sum;
	uint64_t bytes, page, near_pages = 0;

	uint64_t pages() const
	{
		return bytes / page;
	}
	/* As many warps as the GPU runs at once, or as near memory has pages for. */
	struct shape full() const
	{
		uint64_t blocks = near_pages > 256 ? (near_pages - 128) / 8 : 1;
		return blocks < 1056 ? shape{(unsigned)blocks, 256, 1} : shape{0, 256, 1};
	}
	int open(uint64_t near_bytes, uint64_t host_bytes, const char *transfer,
		 struct tide_error *err)
	{
		double ns;
		size_text near_text(near_bytes), host_text(host_bytes), page_text(page);
		size_text address(bytes);
		struct tide_gpu_options o = {};
		o.size = sizeof o;
		o.near_size = near_text;
		o.host = host_text;
		o.page = page_text;
		o.address = address;
		o.place = "tier-order";
		o.transfer = transfer;
		near_pages = near_bytes / page;
		int rc = r.open(s, &o, err);
		if (!rc)
			rc = r.array(&a, bytes, err);
		if (!rc)
			rc = run_kernel(r.g, &ns, err, with_warps(near_pages < 1024 ? 32 : 512),
					fill_tide, a, pages(), page);
		if (!rc)
			rc = sum.make(err);
		sum.known = false;
		return rc;
	}
};

struct moved {
	uint64_t in_bytes, out_bytes;
	double ns;
};

/* One pass over the array; what moved is what the runtime counted. */
static int pass(struct misses &x, struct shape shape, bool soil, struct moved *m,
		struct tide_error *err)
{
	struct tide_gpu_stats before = {}, after = {};
	before.size = sizeof before;
	after.size = sizeof after;
	int rc = tide_gpu_stats(x.r.g, &before, err);
	if (!rc)
		rc = x.sum.clear(err);
	if (!rc)
		rc = run_kernel(x.r.g, &m->ns, err, shape, soil ? soil_tide : sum_tide<4>, x.a,
				x.pages(), x.page, x.sum.word());
	if (!rc)
		rc = x.sum.judge(err);
	if (!rc)
		rc = tide_gpu_stats(x.r.g, &after, err);
	if (rc)
		return rc;
	m->in_bytes = after.from_tier2_bytes - before.from_tier2_bytes;
	m->out_bytes = after.to_tier2_bytes - before.to_tier2_bytes;
	return 0;
}

static double rate_in(const struct moved &m)
{
	return td_gpu_gbps(m.in_bytes, m.ns);
}

static double rate_both(const struct moved &m)
{
	return td_gpu_gbps(m.in_bytes + m.out_bytes, m.ns);
}

/* The median, by the rate of what moved, of an odd number of passes; the first does not count. */
static int median_pass(struct misses &x, struct shape shape, bool soil, unsigned times,
		       struct moved *out, struct tide_error *err)
{
	struct moved all[8];
	double rates[8] = {0};
	int rc = 0;
	for (unsigned i = 0; i <= times && !rc; i++) {
		rc = soil ? 0 : tide_gpu_demote(x.r.g, x.a, err);
		if (!rc)
			rc = pass(x, shape, soil, &all[i ? i - 1 : 0], err);
	}
	for (unsigned i = 0; i < times && !rc; i++)
		rates[i] = rate_both(all[i]);
	double middle = td_gpu_median(rates, times);
	for (unsigned i = 0; i < times && !rc; i++) {
		if (rate_both(all[i]) == middle)
			*out = all[i];
	}
	return rc;
}

/* ---- stock unified memory, first touch ---- */

static int time_unified(const struct td_gpu_setup *s, struct td_gpu_table *table, uint64_t bytes,
			double *gbps, struct tide_error *err)
{
	memory managed;
	struct sum_word sum;
	double ns = 0;
	int rc = managed.make(MANAGED, bytes, err);
	if (!rc)
		rc = sum.make(err);
	for (uint64_t i = 0; i < bytes / 8 && !rc; i++)
		managed.as<uint64_t>()[i] = i * 0x9e3779b97f4a7c15u;
	if (!rc)
		rc = sum.clear(err);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, sum_raw,
				managed.as<unsigned char>(), bytes / 65536, (uint64_t)65536,
				sum.word());
	if (!rc)
		rc = sum.judge(err);
	if (rc)
		return rc;
	struct td_gpu_row row = {"stock unified memory, first touch", bytes, 0, ns, 0, nullptr};
	td_gpu_table_row(table, s, &row);
	*gbps = td_gpu_gbps(bytes, ns);
	return 0;
}

/* ---- 64 KiB pages ---- */

static int time_clean(struct misses &x, double unified_gbps, struct tide_error *err)
{
	struct moved m = {};
	int rc = x.open(x.bytes + 256 * TD_GPU_MIB, x.bytes + 64 * TD_GPU_MIB, "zero-copy", err);
	if (!rc)
		rc = median_pass(x, x.full(), false, 5, &m, err);
	if (rc)
		return rc;
	struct td_gpu_row row = {"tier 2 to near memory, 64 KiB pages, zero-copy",
				 m.in_bytes,
				 0,
				 m.ns,
				 rate_in(m) / unified_gbps,
				 "unified memory"};
	td_gpu_table_row(x.table, x.s, &row);
	td_gpu_table_claim(x.table, x.s, "tier 2 to near memory, GB/s", TD_GPU_AT_LEAST, 45,
			   rate_in(m));
	td_gpu_table_claim(x.table, x.s, "tier 2 to near memory / unified memory", TD_GPU_AT_LEAST,
			   6, rate_in(m) / unified_gbps);
	return x.r.close(err);
}

static int time_dirty(struct misses &x, struct tide_error *err)
{
	struct moved m = {};
	int rc = x.open(x.bytes / 4, x.bytes, "zero-copy", err);
	if (!rc)
		rc = median_pass(x, x.full(), true, 5, &m, err);
	if (rc)
		return rc;
	struct td_gpu_row row = {"both ways, every victim dirty, 64 KiB pages",
				 m.in_bytes + m.out_bytes,
				 0,
				 m.ns,
				 0,
				 nullptr};
	td_gpu_table_row(x.table, x.s, &row);
	td_gpu_table_claim(x.table, x.s, "both ways under eviction of dirty pages, GB/s",
			   TD_GPU_AT_LEAST, 70, rate_both(m));
	rc = tide_gpu_check(x.r.g, err);
	return rc ? rc : x.r.close(err);
}

int td_gpu_bench_miss(const struct td_gpu_setup *s, struct td_gpu_table *table,
		      struct tide_error *err)
{
	struct misses x;
	double unified_gbps = 0;
	x.s = s;
	x.table = table;
	x.page = 65536;
	int rc = fitting(s->quick ? 512 * TD_GPU_MIB : 4 * TD_GPU_GIB, &x.bytes, err);
	if (!rc)
		rc = time_unified(s, table, x.bytes, &unified_gbps, err);
	if (!rc)
		rc = time_clean(x, unified_gbps, err);
	return rc ? rc : time_dirty(x, err);
}

/* ---- page sizes, transfers, numbers of warps ---- */

static int time_one(struct misses &x, const char *transfer, unsigned warps, struct tide_error *err)
{
	struct moved m = {};
	char what[96], how_many[16] = "all";
	if (warps)
		snprintf(how_many, sizeof how_many, "%u", warps);
	snprintf(what, sizeof what, "%s, pages of %llu KiB, %s warps, both ways", transfer,
		 (unsigned long long)(x.page >> 10), how_many);
	int rc = median_pass(x, warps ? with_warps(warps) : x.full(), true, 3, &m, err);
	if (rc)
		return rc;
	struct td_gpu_row row = {what, m.in_bytes + m.out_bytes, 0, m.ns, 0, nullptr};
	td_gpu_table_row(x.table, x.s, &row);
	return 0;
}

/* Data and warps by the size of pages: few large ones, and not so many small ones that a slow copy
 * engine takes for ever. */
static const struct {
	unsigned kib, mib, warps;
} sizes[] = {
	{4, 128, 1024}, {16, 256, 1024}, {64, 1024, 1024}, {256, 1024, 512}, {2048, 2048, 128}};

static int sweep_pages(struct misses &x, struct tide_error *err)
{
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid"};
	int rc = 0;
	for (unsigned i = 0; i < 3 * 5 && !rc; i++) {
		x.page = (uint64_t)sizes[i / 3].kib << 10;
		x.bytes = sizes[i / 3].mib * TD_GPU_MIB;
		rc = x.open(x.bytes / 4, x.bytes, transfers[i % 3], err);
		if (!rc)
			rc = time_one(x, transfers[i % 3], sizes[i / 3].warps, err);
		if (!rc)
			rc = x.r.close(err);
	}
	return rc;
}

static int sweep_warps(struct misses &x, struct tide_error *err)
{
	static const unsigned warps[] = {1, 4, 16, 64, 256, 1024, 0};
	x.page = 65536;
	x.bytes = TD_GPU_GIB;
	int rc = x.open(9216 * x.page, x.bytes, "zero-copy", err);
	for (unsigned i = x.s->quick ? 3 : 0; i < sizeof warps / sizeof *warps && !rc; i++)
		rc = time_one(x, "zero-copy", warps[i], err);
	return rc ? rc : x.r.close(err);
}

int td_gpu_bench_sweep(const struct td_gpu_setup *s, struct td_gpu_table *table,
		       struct tide_error *err)
{
	struct misses x;
	x.s = s;
	x.table = table;
	int rc = sweep_pages(x, err);
	return rc ? rc : sweep_warps(x, err);
}
