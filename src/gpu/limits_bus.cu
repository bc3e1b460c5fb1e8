/* What the bus gives: the copy engine, flags, and loads and stores of the GPU to pinned memory. */
#include "bench.h"
#include "core/clock.h"
#include "kernels.cuh"

#define PAGE ((uint64_t)65536)
#define BULK (64 * TD_GPU_MIB)

static void rate(struct td_gpu_table *table, const struct td_gpu_setup *s, const char *what,
		 uint64_t bytes, double ns)
{
	struct td_gpu_row row = {what, bytes, 0, ns, 0, nullptr};
	td_gpu_table_row(table, s, &row);
}

/* ---- the copy engine ---- */

struct streams {
	cudaStream_t one = nullptr, two = nullptr;

	~streams()
	{
		if (one)
			cudaStreamDestroy(one);
		if (two)
			cudaStreamDestroy(two);
	}
	int make(struct tide_error *err)
	{
		int rc = CUDA(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
		return rc ? rc : CUDA(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	}
};

struct bus {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	memory pinned, device; /* 4 times BULK each */
	struct streams streams;
};

/* Copies of so many bytes each, both ways where wanted, each way on its stream. */
static int copies(struct bus &x, uint64_t each, bool in, bool out, double *ns,
		  struct tide_error *err)
{
	uint64_t n = 2 * BULK / each, since;
	char *p = x.pinned.as<char>(), *d = x.device.as<char>();
	int rc = CUDA(cudaDeviceSynchronize());
	n = n < 2000 ? n : 2000;
	since = td_clock_ns();
	for (uint64_t i = 0; i < n && !rc; i++) {
		if (in)
			rc = CUDA(cudaMemcpyAsync(d + i * each, p + i * each, each,
						  cudaMemcpyHostToDevice, x.streams.one));
		if (!rc && out)
			rc = CUDA(cudaMemcpyAsync(p + 2 * BULK + i * each, d + 2 * BULK + i * each,
						  each, cudaMemcpyDeviceToHost, x.streams.two));
	}
	if (!rc)
		rc = CUDA(cudaDeviceSynchronize());
	*ns = (double)(td_clock_ns() - since) / (double)n;
	return rc;
}

static int time_copies(struct bus &x, const char *what, uint64_t each, bool in, bool out,
		       struct tide_error *err)
{
	double ns = 0;
	int rc = median_of(5, &ns, err, [&](double *once, struct tide_error *e) {
		return copies(x, each, in, out, once, e);
	});
	if (!rc)
		rate(x.table, x.s, what, each * (in && out ? 2 : 1), ns);
	return rc;
}

/* ---- flags ---- */

static __global__ void ping(volatile uint32_t *flags, uint32_t n, uint64_t limit_ns)
{
	uint64_t since, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(since));
	for (uint32_t i = 1; i <= n; i++) {
		flags[0] = i;
		__threadfence_system();
		while (flags[32] != i) {
			asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
			if (now - since > limit_ns)
				return;
		}
	}
}

/* The processor answers each number until all are said, or for two seconds. */
static void pong(volatile uint32_t *flags, uint32_t n)
{
	uint64_t since = td_clock_ns();
	for (uint32_t seen = 0; seen < n;) {
		uint32_t now = flags[0];
		if (now != seen) {
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			flags[32] = seen = now;
		} else if (td_clock_ns() - since > 2000000000) {
			return;
		}
	}
}

static int round_trip(struct bus &x, double *ns, struct tide_error *err)
{
	const uint32_t n = 2000;
	volatile uint32_t *flags = x.pinned.as<volatile uint32_t>();
	flags[0] = flags[32] = 0;
	uint64_t since = td_clock_ns();
	ping<<<1, 1>>>(flags, n, 2000000000);
	int rc = cuda(cudaGetLastError(), "the launch of a kernel", err);
	if (!rc)
		pong(flags, n);
	uint64_t spent = td_clock_ns() - since;
	if (!rc)
		rc = CUDA(cudaDeviceSynchronize());
	if (!rc && flags[0] != n)
		rc = tide_fail(err, -ETIMEDOUT, "a flag took longer than two seconds");
	*ns = (double)spent / n;
	return rc;
}

int td_gpu_limits_bus(const struct td_gpu_setup *s, struct td_gpu_table *table,
		      struct tide_error *err)
{
	struct bus x;
	double ns = 0;
	x.s = s;
	x.table = table;
	int rc = x.pinned.make(PINNED, 4 * BULK, err);
	if (!rc)
		rc = x.device.make(DEVICE, 4 * BULK, err);
	if (!rc)
		rc = x.streams.make(err);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				x.pinned.as<unsigned char>(), 4 * BULK / PAGE, PAGE);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				x.device.as<unsigned char>(), 4 * BULK / PAGE, PAGE);
	if (!rc)
		rc = time_copies(x, "pinned copy to the GPU, 64 MiB", BULK, true, false, err);
	if (!rc)
		rc = time_copies(x, "pinned copy to the host, 64 MiB", BULK, false, true, err);
	if (!rc)
		rc = time_copies(x, "both at once, 64 MiB each", BULK, true, true, err);
	if (!rc)
		rc = time_copies(x, "cudaMemcpyAsync of 2 MiB to the GPU", 2 << 20, true, false,
				 err);
	if (!rc)
		rc = time_copies(x, "cudaMemcpyAsync of 64 KiB to the GPU", PAGE, true, false, err);
	if (!rc)
		rc = time_copies(x, "cudaMemcpyAsync of 4 KiB to the GPU", 4096, true, false, err);
	if (!rc)
		rc = median_of(5, &ns, err, [&](double *once, struct tide_error *e) {
			return round_trip(x, once, e);
		});
	if (rc)
		return rc;
	struct td_gpu_row row = {"flag to the host and back", 0, 1, ns, 0, nullptr};
	td_gpu_table_row(table, s, &row);
	return 0;
}

/* ---- loads and stores of warps ---- */

/* Pages to the GPU by the warps of the first `in` blocks, to the host by the others. */
static __global__ void carry(unsigned char *device, unsigned char *pinned, uint64_t pages,
			     unsigned in)
{
	struct td_dev_lanes g = td_dev_warp();
	bool up = blockIdx.x < in;
	uint64_t per_block = blockDim.x / 32, blocks = up ? in : gridDim.x - in;
	uint64_t first = (blockIdx.x - (up ? 0 : in)) * per_block + threadIdx.x / 32;
	for (uint64_t p = first; p < pages; p += blocks * per_block) {
		uint64_t at = p * PAGE;
		if (up)
			td_dev_copy(g, device + at, pinned + at, PAGE);
		else
			td_dev_copy(g, pinned + pages * PAGE + at, device + pages * PAGE + at,
				    PAGE);
	}
}

struct carried {
	const char *what;
	unsigned blocks, in; /* of these, to the GPU */
};

static int time_carry(const struct td_gpu_setup *s, struct td_gpu_table *table,
		      const memory &device, const memory &pinned, const struct carried *c,
		      struct tide_error *err)
{
	double ns = 0;
	uint64_t pages = 4 * BULK / PAGE;
	bool both = c->in && c->in < c->blocks;
	int rc = median_of(5, &ns, err, [&](double *once, struct tide_error *e) {
		return run_kernel(nullptr, once, e, shape{c->blocks, 256, 0}, carry,
				  device.as<unsigned char>(), pinned.as<unsigned char>(), pages,
				  c->in);
	});
	if (!rc)
		rate(table, s, c->what, pages * PAGE * (both ? 2 : 1), ns);
	return rc;
}

int td_gpu_limits_zero_copy(const struct td_gpu_setup *s, struct td_gpu_table *table,
			    struct tide_error *err)
{
	static const struct carried ways[] = {
		{"a warp per 64 KiB to the GPU, 1 block", 1, 1},
		{"a warp per 64 KiB to the GPU, 8 blocks", 8, 8},
		{"a warp per 64 KiB to the GPU, 64 blocks", 64, 64},
		{"a warp per 64 KiB to the host, 1 block", 1, 0},
		{"a warp per 64 KiB to the host, 8 blocks", 8, 0},
		{"a warp per 64 KiB to the host, 64 blocks", 64, 0},
		{"a warp per 64 KiB, both at once, 16 blocks", 16, 8},
		{"a warp per 64 KiB, both at once, 128 blocks", 128, 64},
	};
	memory device, pinned;
	struct sum_word sum;
	double ns = 0;
	uint64_t bytes = 4 * TD_GPU_GIB;
	int rc = pinned.make(PINNED, bytes, err);
	if (!rc)
		rc = device.make(DEVICE, 8 * BULK, err);
	if (!rc)
		rc = sum.make(err);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				pinned.as<unsigned char>(), bytes / PAGE, PAGE);
	if (!rc)
		rc = run_kernel(nullptr, &ns, err, shape{0, 256, 0}, fill_raw,
				device.as<unsigned char>(), 8 * BULK / PAGE, PAGE);
	for (unsigned lanes = 1; lanes <= 32 && !rc; lanes *= 2) {
		char what[64];
		uint64_t reads = 1 << 22;
		if (lanes == 2 || lanes == 16)
			continue;
		sum.known = false;
		rc = sum_median(nullptr, sum, 3, &ns, err, shape{0, 256, 0}, blocks_raw,
				(const uint4 *)pinned.at, bytes / 16 / lanes, lanes, reads);
		snprintf(what, sizeof what, "random reads of pinned memory, %u B", lanes * 16);
		struct td_gpu_row row = {what, 0, reads, ns, 0, nullptr};
		if (!rc)
			td_gpu_table_row(table, s, &row);
	}
	for (size_t i = 0; i < sizeof ways / sizeof *ways && !rc; i++)
		rc = time_carry(s, table, device, pinned, &ways[i], err);
	return rc;
}
