/* Reads at random places: of elements that are all in near memory, and of 64 and 128 bytes where a
 * part of the data is in tier 2. */
#include "random.cuh"

#define PAGE ((uint64_t)65536)

static int time_raw(struct elements &x, struct tide_error *err)
{
	int rc = sum_median(nullptr, x.sum, RANDOM_TIMES, &x.raw_ns, err, shape{0, 256, 0},
			    random_raw, (const uint32_t *)x.raw.at, x.mask(), x.reads);
	struct td_gpu_row row = {"raw reads of 4 B", 0, x.reads, x.raw_ns, 0, nullptr};
	if (!rc)
		td_gpu_table_row(x.table, x.s, &row);
	return rc;
}

template <int BLOCKS> static int time_ways(struct elements &x, struct tide_error *err)
{
	int rc = time_tide<BY_GET, BLOCKS>(x, "tide_cursor::get, no pin", err);
	if (!rc)
		rc = time_tide<BY_READ, BLOCKS>(x, "tide_read, no pin", err);
	return rc ? rc : time_tide<BY_PINNED, BLOCKS>(x, "tide_read_pinned", err);
}

/* The largest power of two that fits. */
static int power(uint64_t wanted, uint64_t *bytes, struct tide_error *err)
{
	int rc = fitting(wanted, bytes, err);
	if (!rc)
		*bytes = (uint64_t)1 << (63 - __builtin_clzll(*bytes));
	return rc;
}

static int make_elements(struct elements &x, struct tide_error *err)
{
	double ns;
	int rc = power(x.s->quick ? TD_GPU_GIB : 8 * TD_GPU_GIB, &x.bytes, err);
	size_text near_bytes(x.bytes + 64 * TD_GPU_MIB), address(x.bytes);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.address = address;
	o.place = "bam";
	x.reads = x.s->quick ? 1 << 24 : 1 << 29;
	if (!rc)
		rc = x.sum.make(err);
	if (!rc)
		rc = x.raw.make(DEVICE, x.bytes, err);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				x.raw.as<unsigned char>(), x.bytes / PAGE, PAGE);
	if (!rc)
		rc = x.r.open(x.s, &o, err);
	if (!rc)
		rc = x.r.array(&x.a, x.bytes, err);
	if (!rc)
		rc = run_kernel(x.r.g, &ns, err, shape{0, 256, 1}, fill_tide, x.a, x.bytes / PAGE,
				PAGE);
	return rc;
}

int td_gpu_bench_random(const struct td_gpu_setup *s, struct td_gpu_table *table,
			struct tide_error *err)
{
	struct elements x;
	x.s = s;
	x.table = table;
	int rc = make_elements(x, err);
	if (!rc)
		rc = time_raw(x, err);
	if (!rc)
		rc = time_ways<4>(x, err);
	if (!rc)
		rc = time_ways<8>(x, err);
	if (!rc)
		rc = td_gpu_random_strict(&x, err);
	if (!rc)
		td_gpu_table_claim(table, s, "time of random reads with pins / raw", TD_GPU_AT_MOST,
				   1.6, x.pinned_ns / x.raw_ns);
	return rc ? rc : x.r.close(err);
}

/* ---- 64 and 128 bytes, four or eight lanes each; 80% of the pages near, the others in tier 2 ----
 */

template <bool IN_PLACE>
static __global__ void BOUNDED(6) blocks_tide(struct tide_span a, uint64_t groups, unsigned lanes,
					      uint64_t reads, unsigned *to)
{
	unsigned sum = 0;
	for (uint64_t first = warp_id() * 32; first < reads * lanes; first += warps_all() * 32) {
		uint64_t i = part(first + lane_id(), groups, lanes);
		sum += fold(IN_PLACE ? tide_peek<uint4>(a, i) : tide_read<uint4>(a, i));
	}
	add_up(sum, to);
}

struct cached {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	memory pinned;
	runtime r;
	struct tide_span a = {};
	uint64_t bytes = 0;
};

static int prepare(struct cached &x, struct tide_error *err)
{
	double ns;
	x.bytes = x.s->quick ? TD_GPU_GIB : 4 * TD_GPU_GIB;
	size_text near_bytes(x.bytes / 5 * 4 / PAGE * PAGE), host_bytes(x.bytes / 4);
	size_text address(x.bytes);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.host = host_bytes;
	o.address = address;
	o.place = "tier-order";
	int rc = x.pinned.make(PINNED, x.bytes, err);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				x.pinned.as<unsigned char>(), x.bytes / PAGE, PAGE);
	if (!rc)
		rc = x.r.open(x.s, &o, err);
	if (!rc)
		rc = x.r.array(&x.a, x.bytes, err);
	/* What is written first is in tier 2 in the end. */
	if (!rc)
		rc = run_kernel(x.r.g, &ns, err, shape{0, 256, 1}, fill_tide, x.a, x.bytes / PAGE,
				PAGE);
	return rc;
}

static int time_blocks(struct cached &x, unsigned lanes, struct tide_error *err)
{
	struct sum_word sum, few_sum;
	double far_ns = 0, ours_ns = 0, moved_ns = 0;
	char what[96];
	uint64_t groups = x.bytes / 16 / lanes, reads = x.s->quick ? 1 << 18 : 1 << 25;
	uint64_t few = reads >> 7; /* each fifth of these moves a page */
	int rc = sum.make(err);
	if (!rc)
		rc = few_sum.make(err);
	if (!rc)
		rc = sum_median(nullptr, sum, RANDOM_TIMES, &far_ns, err, shape{0, 256, 0},
				blocks_raw, (const uint4 *)x.pinned.at, groups, lanes, reads);
	if (!rc)
		rc = sum_median(x.r.g, sum, RANDOM_TIMES, &ours_ns, err, shape{0, 256, 1},
				blocks_tide<true>, x.a, groups, lanes, reads);
	if (!rc)
		rc = sum_median(x.r.g, few_sum, 1, &moved_ns, err, shape{0, 256, 1},
				blocks_tide<false>, x.a, groups, lanes, few);
	if (rc)
		return rc;
	snprintf(what, sizeof what, "zero-copy without caching, %u B", lanes * 16);
	struct td_gpu_row far_row = {what, 0, reads, far_ns, 0, nullptr};
	td_gpu_table_row(x.table, x.s, &far_row);
	snprintf(what, sizeof what, "80%% near, tide_peek, %u B", lanes * 16);
	struct td_gpu_row ours = {what, 0, reads, ours_ns, far_ns / ours_ns, "zero-copy"};
	td_gpu_table_row(x.table, x.s, &ours);
	snprintf(what, sizeof what, "80%% near, tide_read, a miss moves its page, %u B",
		 lanes * 16);
	double each = far_ns / (double)reads * (double)few;
	struct td_gpu_row moved = {what, 0, few, moved_ns, each / moved_ns, "zero-copy"};
	td_gpu_table_row(x.table, x.s, &moved);
	snprintf(what, sizeof what, "random reads of %u B, 80%% near / zero-copy", lanes * 16);
	td_gpu_table_claim(x.table, x.s, what, TD_GPU_AT_LEAST, 3, far_ns / ours_ns);
	return 0;
}

int td_gpu_bench_cached(const struct td_gpu_setup *s, struct td_gpu_table *table,
			struct tide_error *err)
{
	struct cached x;
	x.s = s;
	x.table = table;
	int rc = prepare(x, err);
	if (!rc)
		rc = time_blocks(x, 4, err);
	if (!rc)
		rc = time_blocks(x, 8, err);
	if (!rc)
		rc = tide_gpu_check(x.r.g, err);
	return rc ? rc : x.r.close(err);
}
