/* Cold reads of a file by misses, against a plain io_uring reader with as many reads under way. */
#include "bench.h"
#include "kernels.cuh"

struct cold {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	char path[TD_GPU_PATH] = "";
	uint64_t bytes, page;
	unsigned right; /* sum of these bytes of the file */

	void take(uint64_t first_bytes)
	{
		bytes = first_bytes;
		right = 0;
		for (uint64_t i = 0; i < bytes / 8; i++)
			right += (unsigned)td_gpu_word(i) + (unsigned)(td_gpu_word(i) >> 32);
	}

	~cold()
	{
		if (*path)
			unlink(path);
	}
};

static int plain(struct cold &x, unsigned depth, bool *direct, double *gbps, struct tide_error *err)
{
	struct td_gpu_reader r = {};
	r.path = x.path;
	r.bytes = x.bytes;
	r.block_bytes = x.page;
	r.depth = depth;
	int rc = td_gpu_disk_read(&r, err);
	if (rc)
		return rc;
	*direct = r.direct;
	*gbps = td_gpu_gbps(r.read_bytes, r.ns);
	return 0;
}

/* Near memory of half the file: the second half of the pass evicts, without writes. */
static int by_misses(struct cold &x, unsigned warps, const char *proxies, double *gbps,
		     struct tide_error *err)
{
	runtime r;
	struct tide_span a;
	struct sum_word sum;
	double ns = 0;
	size_text near_bytes(x.bytes / 2), page(x.page), address(x.bytes);
	struct tide_gpu_options o = {};
	o.size = sizeof o;
	o.near_size = near_bytes;
	o.page = page;
	o.address = address;
	o.place = "bam";
	o.proxies = proxies;
	o.staging = "256M";
	int rc = r.open(x.s, &o, err);
	if (!rc)
		rc = r.file(&a, x.path, false, x.bytes, err);
	if (!rc)
		rc = sum.make(err);
	if (!rc)
		rc = sum.clear(err);
	if (!rc)
		rc = run_kernel(r.g, &ns, err, shape{warps / 8, 256, 1}, sum_tide<4>, a,
				x.bytes / x.page, x.page, sum.word());
	sum.right = x.right;
	sum.known = true;
	if (!rc)
		rc = sum.judge(err);
	*gbps = td_gpu_gbps(x.bytes, ns);
	return rc ? rc : r.close(err);
}

/* By turns: disks, virtual ones above all, are faster at one time than at another. */
static int compare(struct cold &x, unsigned depth, const char *proxies, double *share,
		   struct tide_error *err)
{
	enum { ROUNDS = 5 };
	double reader[ROUNDS], ours[ROUNDS];
	bool direct = false;
	char what[96];
	int rc = 0;
	for (int i = 0; i < ROUNDS && !rc; i++) {
		rc = plain(x, depth, &direct, &reader[i], err);
		if (!rc)
			rc = by_misses(x, depth, proxies, &ours[i], err);
	}
	if (rc)
		return rc;
	double middle = td_gpu_median(reader, ROUNDS), our_middle = td_gpu_median(ours, ROUNDS);
	snprintf(what, sizeof what, "plain io_uring reader%s, blocks of %llu KiB, %u under way",
		 direct ? ", direct" : "", (unsigned long long)(x.page >> 10), depth);
	struct td_gpu_row row = {what, x.bytes, 0, (double)x.bytes / middle, 0, nullptr};
	td_gpu_table_row(x.table, x.s, &row);
	*share = our_middle / middle;
	snprintf(what, sizeof what, "misses, pages of %llu KiB, %u warps, %s proxies",
		 (unsigned long long)(x.page >> 10), depth, proxies);
	row = {what, x.bytes, 0, (double)x.bytes / our_middle, *share, "the plain reader"};
	td_gpu_table_row(x.table, x.s, &row);
	return 0;
}

int td_gpu_bench_storage(const struct td_gpu_setup *s, struct td_gpu_table *table,
			 struct tide_error *err)
{
	struct cold x;
	double share = 0, other = 0;
	x.s = s;
	x.table = table;
	x.page = 65536;
	x.take(s->quick ? 256 * TD_GPU_MIB : 3 * TD_GPU_GIB);
	int rc = td_gpu_path(x.path, s, "cold", err);
	if (!rc)
		rc = td_gpu_file_make(x.path, x.bytes, err);
	if (!rc)
		rc = compare(x, 64, "2", &share, err);
	if (!rc)
		rc = compare(x, 256, "4", &other, err);
	if (!rc)
		td_gpu_table_claim(table, s, "cold reads by misses of 64 KiB / plain reader",
				   TD_GPU_AT_LEAST, 0.9, share > other ? share : other);
	x.take(x.bytes / 4);
	for (unsigned kib = 4; kib <= 1024 && !rc && !s->quick; kib *= 16) {
		x.page = (uint64_t)kib << 10;
		if (kib != 64)
			rc = compare(x, 128, "4", &share, err);
	}
	return rc;
}
