/* The GPU to use; what its own memory gives, and the disk. */
#include "bench.h"
#include "kernels.cuh"

#define PAGE ((uint64_t)65536)

int td_gpu_choose(const struct td_gpu_setup *s, struct tide_error *err)
{
	return CUDA(cudaSetDevice(s->device));
}

int td_gpu_limits_device(const struct td_gpu_setup *s, struct td_gpu_table *table,
			 struct tide_error *err)
{
	memory a;
	struct sum_word sum, random_sum;
	double by_page = 0, by_grid = 0, random = 0;
	uint64_t bytes = 0, reads = 1 << 28;
	int rc = fitting(8 * TD_GPU_GIB, &bytes, err);
	if (!rc)
		rc = a.make(DEVICE, bytes, err);
	if (!rc)
		rc = run_kernel(nullptr, &by_page, err, shape{0, 256, 0}, fill_raw,
				a.as<unsigned char>(), bytes / PAGE, PAGE);
	if (!rc)
		rc = sum.make(err);
	if (!rc)
		rc = random_sum.make(err);
	if (!rc)
		rc = sum_median(nullptr, sum, 5, &by_page, err, shape{0, 256, 0}, sum_raw,
				a.as<unsigned char>(), bytes / PAGE, PAGE);
	if (!rc)
		rc = sum_median(nullptr, sum, 5, &by_grid, err, shape{0, 256, 0},
				stride_raw<uint32_t>, (const uint32_t *)a.at, bytes / 4);
	uint64_t mask = ((uint64_t)1 << (63 - __builtin_clzll(bytes | 1))) / 4 - 1;
	if (!rc)
		rc = sum_median(nullptr, random_sum, 5, &random, err, shape{0, 256, 0}, random_raw,
				(const uint32_t *)a.at, mask, reads);
	if (rc)
		return rc;
	struct td_gpu_row pages = {"GPU memory, a warp per 64 KiB", bytes, 0, by_page, 0, nullptr};
	struct td_gpu_row grid = {"GPU memory, grid-stride by 4 B", bytes, 0, by_grid, 0, nullptr};
	struct td_gpu_row at_random = {
		"GPU memory, random reads of 4 B", 0, reads, random, 0, nullptr};
	td_gpu_table_row(table, s, &pages);
	td_gpu_table_row(table, s, &grid);
	td_gpu_table_row(table, s, &at_random);
	return 0;
}

int td_gpu_limits_disk(const struct td_gpu_setup *s, struct td_gpu_table *table,
		       struct tide_error *err)
{
	static const struct {
		const char *what;
		uint64_t block_bytes;
		unsigned depth;
		bool shuffled;
	} ways[] = {
		{"disk, 4 MiB, 4 under way", 4 << 20, 4, false},
		{"disk, 64 KiB, 1 under way", 65536, 1, false},
		{"disk, 64 KiB, 64 under way", 65536, 64, false},
		{"disk, 64 KiB at random, 64 under way", 65536, 64, true},
		{"disk, 4 KiB at random, 64 under way", 4096, 64, true},
	};
	char path[TD_GPU_PATH];
	uint64_t bytes = TD_GPU_GIB;
	int rc = td_gpu_path(path, s, "disk", err);
	if (rc)
		return rc;
	rc = td_gpu_file_make(path, bytes, err);
	for (size_t i = 0; i < sizeof ways / sizeof *ways && !rc; i++) {
		struct td_gpu_reader r = {};
		char what[96];
		r.path = path;
		r.bytes = bytes;
		r.block_bytes = ways[i].block_bytes;
		r.depth = ways[i].depth;
		r.shuffled = ways[i].shuffled;
		r.time_limit_ns = 1000000000;
		rc = td_gpu_disk_read(&r, err);
		snprintf(what, sizeof what, "%s%s", ways[i].what, r.direct ? ", direct" : "");
		struct td_gpu_row row = {what, r.read_bytes, 0, r.ns, 0, nullptr};
		if (!rc)
			td_gpu_table_row(table, s, &row);
	}
	unlink(path);
	return rc;
}
