/* Pages drawn by Zipf's law under each transfer (figure 6 of GMT, its second curve), and how many
 * pages a warp asks for at once. */
#include "bench.h"
#include "gather.cuh"

#define PAGE ((uint64_t)65536)
#define PAGES 16384u
#define NEAR_PAGES 4096u
#define WARPS 384u

struct skewed {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	runtime r;
	struct tide_span a = {};
	uint32_t pages = PAGES;
};

static int open_runtime(struct skewed &x, const char *transfer, struct tide_error *err)
{
	double ns;
	size_text near_bytes(NEAR_PAGES * PAGE), host_bytes(x.pages * PAGE);
	size_text address(x.pages * PAGE);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.host = host_bytes;
	o.address = address;
	o.place = "tier-order";
	o.transfer = transfer;
	int rc = x.r.open(x.s, &o, err);
	if (!rc)
		rc = x.r.array(&x.a, x.pages * PAGE, err);
	if (!rc)
		rc = run_kernel(x.r.g, &ns, err, shape{64, 256, 1}, fill_tide, x.a,
				(uint64_t)x.pages, PAGE);
	return rc;
}

struct gathered {
	double ns;
	uint64_t moved_bytes;
};

static int gather(struct skewed &x, const struct draws &d, struct sum_word &sum, struct shape shape,
		  struct gathered *out, struct tide_error *err)
{
	struct tide_gpu_stats before = {}, after = {};
	before.size = sizeof before;
	after.size = sizeof after;
	int rc = tide_gpu_stats(x.r.g, &before, err);
	if (!rc)
		rc = sum_median(x.r.g, sum, 3, &out->ns, err, shape, gather_pages, x.a,
				(const uint32_t *)d.list.at, d.n, PAGE / 4);
	if (!rc)
		rc = tide_gpu_stats(x.r.g, &after, err);
	if (rc)
		return rc;
	/* of four equal launches */
	out->moved_bytes = (after.from_tier2_bytes - before.from_tier2_bytes +
			    after.to_tier2_bytes - before.to_tier2_bytes) /
			   4;
	return 0;
}

static void row(struct skewed &x, const char *what, const struct gathered &g, double ratio,
		const char *of)
{
	struct td_gpu_row r = {what, g.moved_bytes, 0, g.ns, ratio, of};
	if (!r.bytes)
		r.count = 1;
	td_gpu_table_row(x.table, x.s, &r);
}

int td_gpu_bench_skew(const struct td_gpu_setup *s, struct td_gpu_table *table,
		      struct tide_error *err)
{
	static const char *const transfers[] = {"zero-copy", "dma", "hybrid"};
	static const double skews[] = {0, 0.25, 0.5, 0.75, 1};
	struct skewed x;
	struct draws d[5];
	struct sum_word sum[5];
	double zero_copy_ns[5] = {0};
	x.s = s;
	x.table = table;
	int rc = 0;
	for (int i = 0; i < 5 && !rc; i++) {
		rc = sum[i].make(err);
		if (!rc)
			rc = d[i].make(s->quick ? 1 << 13 : 1 << 17, x.pages, skews[i],
				       td_gpu_seed(s), err);
	}
	for (int t = 0; t < 3 && !rc; t++) {
		rc = open_runtime(x, transfers[t], err);
		for (int i = 0; i < 5 && !rc; i++) {
			struct gathered g = {};
			char what[96];
			rc = gather(x, d[i], sum[i], shape{WARPS / 8, 256, 1}, &g, err);
			zero_copy_ns[i] = t ? zero_copy_ns[i] : g.ns;
			snprintf(what, sizeof what, "%s, skew %.2f", transfers[t], skews[i]);
			if (!rc)
				row(x, what, g, t ? zero_copy_ns[i] / g.ns : 0, "zero-copy");
		}
	}
	return rc ? rc : x.r.close(err);
}

/* ---- how many pages at once ----
 *
 * What the warps do not hold as pins they may use to ask for more pages at a time: of NEAR_PAGES
 * pages 128 warps get 8, 4, 2 or 1 beside these pins. */

int td_gpu_bench_batch(const struct td_gpu_setup *s, struct td_gpu_table *table,
		       struct tide_error *err)
{
	static const unsigned pins[] = {31, 30, 28, 24};
	struct skewed x;
	struct draws d;
	struct sum_word sum;
	double single_ns = 0;
	x.s = s;
	x.table = table;
	int rc = sum.make(err);
	if (!rc)
		rc = d.make(s->quick ? 1 << 13 : 1 << 17, x.pages, 0, td_gpu_seed(s), err);
	if (!rc)
		rc = open_runtime(x, "zero-copy", err);
	for (int i = 0; i < 4 && !rc; i++) {
		struct gathered g = {};
		char what[96];
		rc = gather(x, d, sum, shape{16, 256, pins[i]}, &g, err);
		single_ns = i ? single_ns : g.ns;
		snprintf(what, sizeof what, "a warp asks for %d pages at once, 128 warps", 1 << i);
		if (!rc)
			row(x, what, g, i ? single_ns / g.ns : 0, "one page at a time");
	}
	return rc ? rc : x.r.close(err);
}
