/* Signatures of blocks: by the GPU, with the data on it and over the bus, and by the processor. */
#include "bench.h"
#include "core/clock.h"
#include "cuda.cuh"

#include "pool/cuda/kernels.cuh"

#define BLOCK 4096
#define MOST 65536 /* blocks in one call: 256 MiB; quick: a sixteenth */

struct world {
	const struct td_gpu_setup *s;
	struct td_gpu_table *table;
	size_t most;
	enum td_pool_hash hash;
	const char *name;
	unsigned char *bytes; /* pinned */
	const void **blocks;
	struct td_pool_signature *known, *found;
	void *device; /* the pool's */
	struct td_pool_hasher hasher;
	double bus_gbps, core_gbps;
};

static void row(struct world &w, const char *what, uint64_t n, uint64_t block_bytes, double ns,
		double of, const char *whose)
{
	char text[96];
	double gbps = td_gpu_gbps(n * block_bytes, ns);
	snprintf(text, sizeof text, "%s, %s", w.name, what);
	struct td_gpu_row r = {text, n * block_bytes, 0, ns, of > 0 ? gbps / of : 0, whose};
	td_gpu_table_row(w.table, w.s, &r);
}

static int compare(const struct world &w, size_t n, struct tide_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (w.known[i].at[0] != w.found[i].at[0] || w.known[i].at[1] != w.found[i].at[1])
			return tide_fail(err, -EBADMSG, "%s of block %zu is wrong", w.name, i);
	return 0;
}

/* ---- one core ---- */

static int time_core(struct world &w, size_t n, struct td_pool_signature *to, double *ns,
		     struct tide_error *err)
{
	uint64_t since = td_clock_ns();
	int rc = td_pool_hash_blocks(&w.hasher, w.hash, w.blocks, n, BLOCK, to);
	*ns = (double)(td_clock_ns() - since);
	return rc ? tide_fail(err, rc, "no libcrypto for md5: install libssl3") : 0;
}

static int measure_core(struct world &w, struct tide_error *err)
{
	double ns = 0;
	int rc = time_core(w, w.most, w.known, &ns, err);
	if (rc)
		return rc;
	w.core_gbps = td_gpu_gbps((uint64_t)w.most * BLOCK, ns);
	row(w, "one core", w.most, BLOCK, ns, w.bus_gbps, "the bus");
	return 0;
}

/* ---- the GPU, with the data on it ---- */

static void launch(const struct world &w, const unsigned char *data, struct td_pool_move *moves,
		   size_t n, uint32_t bytes, struct td_pool_signature *to)
{
	if (w.hash == TD_POOL_MD5)
		sign_md5<<<(unsigned)((n + 31) / 32), 32>>>(data, n, bytes, to);
	else
		sign_xxh3<<<(unsigned)((n + 3) / 4), 128>>>(moves, n, bytes, to);
}

static __global__ void list_blocks(struct td_pool_move *moves, const unsigned char *data, size_t n,
				   uint32_t bytes)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		moves[i].from = data + i * bytes;
}

static int time_kernel(const struct world &w, const memory &data, const memory &moves,
		       const memory &to, size_t n, uint32_t bytes, double *ns,
		       struct tide_error *err)
{
	stopwatch watch;
	int rc = watch.start(nullptr, err);
	if (rc)
		return rc;
	launch(w, data.as<unsigned char>(), moves.as<struct td_pool_move>(), n, bytes,
	       to.as<struct td_pool_signature>());
	rc = cuda(cudaGetLastError(), "the launch of a kernel", err);
	if (!rc)
		rc = watch.stop(nullptr, err);
	return rc ? rc : watch.read(ns, err);
}

/* Four times what one call takes, each quarter with the same content. */
static int measure_kernel(struct world &w, const memory &data, const memory &moves,
			  const memory &to, uint32_t bytes, struct tide_error *err)
{
	size_t n = 4 * (size_t)w.most * BLOCK / bytes;
	double ns = 0;
	char what[64];
	list_blocks<<<(unsigned)((n + 255) / 256), 256>>>(moves.as<struct td_pool_move>(),
							  data.as<unsigned char>(), n, bytes);
	int rc = median_of(5, &ns, err, [&](double *once, struct tide_error *e) {
		return time_kernel(w, data, moves, to, n, bytes, once, e);
	});
	if (rc)
		return rc;
	snprintf(what, sizeof what, "GPU, data on it, blocks of %u B", bytes);
	row(w, what, n, bytes, ns, bytes == BLOCK ? w.core_gbps : 0, "one core");
	if (bytes != BLOCK)
		return 0;
	rc = CUDA(cudaMemcpy(w.found, to.as<struct td_pool_signature>() + 3 * w.most,
			     w.most * sizeof *w.found, cudaMemcpyDefault));
	return rc ? rc : compare(w, w.most, err);
}

static int measure_kernels(struct world &w, struct tide_error *err)
{
	memory data, moves, to;
	size_t most = 4 * (size_t)w.most * BLOCK / 512;
	int rc = data.make(DEVICE, 4 * (uint64_t)w.most * BLOCK, err);
	if (!rc)
		rc = moves.make(DEVICE, most * sizeof(struct td_pool_move), err);
	if (!rc)
		rc = to.make(DEVICE, most * sizeof(struct td_pool_signature), err);
	for (size_t i = 0; i < 4 && !rc; i++)
		rc = CUDA(cudaMemcpy(data.as<unsigned char>() + i * w.most * BLOCK, w.bytes,
				     (size_t)w.most * BLOCK, cudaMemcpyDefault));
	for (uint32_t bytes = 512; bytes <= 32768 && !rc; bytes *= 8)
		rc = measure_kernel(w, data, moves, to, bytes, err);
	return rc;
}

/* ---- the GPU over the bus, as the pool asks for it ---- */

static int time_bus(struct world &w, size_t n, double *ns, struct tide_error *err)
{
	uint64_t since = td_clock_ns();
	int rc = td_pool_cuda_sign(w.device, w.hash, w.blocks, n, w.found);
	*ns = (double)(td_clock_ns() - since);
	return rc ? tide_fail(err, rc, "signatures by the GPU failed: %s", strerror(-rc)) : 0;
}

static int measure_bus(struct world &w, size_t n, struct tide_error *err)
{
	double ns = 0, core = 0;
	char what[64];
	int rc = median_of(9, &ns, err, [&](double *once, struct tide_error *e) {
		return time_bus(w, n, once, e);
	});
	if (!rc)
		rc = compare(w, n, err);
	if (!rc)
		rc = median_of(n < 4096 ? 9 : 1, &core, err,
			       [&](double *once, struct tide_error *e) {
				       return time_core(w, n, w.found, once, e);
			       });
	if (rc)
		return rc;
	snprintf(what, sizeof what, "GPU, over the bus, %zu at once", n);
	row(w, what, n, BLOCK, ns, n == w.most ? w.bus_gbps : td_gpu_gbps(n * BLOCK, core),
	    n == w.most ? "the bus" : "one core");
	return 0;
}

static int measure_hash(struct world &w, struct tide_error *err)
{
	int rc = measure_core(w, err);
	if (!rc)
		rc = measure_kernels(w, err);
	for (size_t n = 1; n <= w.most && !rc; n *= 4)
		rc = measure_bus(w, n, err);
	return rc;
}

/* ---- */

static int measure_copy(struct world &w, struct tide_error *err)
{
	memory there;
	double ns = 0;
	uint64_t bytes = (uint64_t)w.most * BLOCK;
	int rc = there.make(DEVICE, bytes, err);
	if (!rc)
		rc = median_of(5, &ns, err, [&](double *once, struct tide_error *e) {
			(void)e;
			uint64_t since = td_clock_ns();
			int code = cuda(cudaMemcpy(there.at, w.bytes, bytes, cudaMemcpyDefault),
					"a copy", e);
			*once = (double)(td_clock_ns() - since);
			return code;
		});
	if (rc)
		return rc;
	w.bus_gbps = td_gpu_gbps(bytes, ns);
	struct td_gpu_row r = {"the bus: one copy", bytes, 0, ns, 0, nullptr};
	td_gpu_table_row(w.table, w.s, &r);
	return 0;
}

static int prepare(struct world &w, struct tide_error *err)
{
	size_t bytes = (size_t)w.most * BLOCK;
	struct td_pool_want want = {0, BLOCK, (uint32_t)w.most, 0, nullptr};
	int rc = td_pool_device_cuda.alloc(&w.device, &want, err);
	if (!rc)
		rc = td_pool_device_cuda.pin(w.device, w.bytes, bytes, err);
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *)w.bytes)[i] = td_gpu_word(i);
	for (size_t i = 0; i < w.most; i++)
		w.blocks[i] = w.bytes + i * BLOCK;
	return rc;
}

int td_gpu_bench_signatures(const struct td_gpu_setup *s, struct td_gpu_table *table,
			    struct tide_error *err)
{
	struct world w = {};
	w.s = s;
	w.table = table;
	w.most = s->quick ? MOST / 16 : MOST;
	w.bytes = (unsigned char *)aligned_alloc(2 * TD_GPU_MIB, (size_t)w.most * BLOCK);
	w.blocks = new const void *[w.most];
	w.known = new struct td_pool_signature[w.most];
	w.found = new struct td_pool_signature[w.most];
	int rc = w.bytes ? prepare(w, err) : tide_fail(err, -ENOMEM, "no memory");
	if (!rc)
		rc = measure_copy(w, err);
	for (int i = 0; i < 2 && !rc; i++) {
		w.hash = i ? TD_POOL_MD5 : TD_POOL_XXH3;
		w.name = i ? "md5" : "xxh3";
		rc = measure_hash(w, err);
	}
	td_pool_device_cuda.free(w.device);
	free(w.bytes);
	delete[] w.blocks;
	delete[] w.known;
	delete[] w.found;
	return rc;
}
