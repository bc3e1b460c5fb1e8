/* The GPU by CUDA: its memory, and the kernels. */
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <new>

#include <cuda_runtime.h>

#include "core/cuda_current.h"
#include "kernels.cuh"

#define GPU 0 /* CUDA_VISIBLE_DEVICES says which that is */

struct card {
	cudaStream_t stream;
	struct td_cuda_current thread; /* of a visit before; it knows the driver's functions */
};

/* ---- errors ---- */

static int code_of(cudaError_t e)
{
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError(); /* an error of one call is not also that of the next */
	return e == cudaErrorMemoryAllocation ? -ENOMEM : -EIO;
}

static int fail(cudaError_t e, const char *what, struct tide_error *err)
{
	int rc = code_of(e);
	return rc ? tide_fail(err, rc, "the GPU cannot %s: %s (%s)", what, cudaGetErrorString(e),
			      cudaGetErrorName(e))
		  : 0;
}

/* ---- life and memory ---- */

/* Any thread may come. Its GPU is ours while this lives, and is then what it was before. */
struct visit {
	struct td_cuda_current thread;
	int rc;

	explicit visit(const void *card)
	    : thread(card ? ((const struct card *)card)->thread : td_cuda_current())
	{
		td_cuda_current_get(&thread);
		rc = code_of(cudaSetDevice(GPU));
	}
	~visit()
	{
		td_cuda_current_set(&thread);
	}
};

static int card_open(void **out, struct tide_error *err)
{
	struct card *c = new (std::nothrow) card();
	if (!c)
		return tide_fail(err, -ENOMEM, "no memory for a device: free some");
	struct visit here(nullptr);
	c->thread = here.thread;
	cudaError_t e = cudaSetDevice(GPU);
	if (e == cudaSuccess)
		e = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
	int rc = fail(e, "be used", err);
	if (rc)
		delete c;
	else
		*out = c;
	return rc;
}

static void card_close(void *card)
{
	struct card *c = (struct card *)card;
	if (!c)
		return;
	struct visit here(card);
	code_of(cudaStreamDestroy(c->stream));
	delete c;
}

static int card_memory(void *card, void **out, uint64_t bytes, struct tide_error *err)
{
	struct visit here(card);
	size_t free_bytes = 0, all = 0;
	cudaError_t e = cudaMalloc(out, bytes);
	if (e != cudaErrorMemoryAllocation)
		return fail(e, "give memory", err);
	cudaGetLastError();
	code_of(cudaMemGetInfo(&free_bytes, &all));
	return tide_fail(err, -ENOMEM,
			 "the GPU has no %" PRIu64 " bytes for this, %zu are free: give less "
			 "device memory",
			 bytes, free_bytes);
}

static void card_memory_free(void *card, void *at)
{
	struct visit here(card);
	code_of(cudaFree(at));
}

static int card_pinned(void *card, void **out, uint64_t bytes, struct tide_error *err)
{
	struct visit here(card);
	cudaError_t e = cudaHostAlloc(out, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
	int rc = code_of(e);
	return rc ? tide_fail(err, rc,
			      "cannot pin %" PRIu64
			      " bytes of host memory: %s (%s): give a smaller "
			      "batch, or raise the limit of locked memory",
			      bytes, cudaGetErrorString(e), cudaGetErrorName(e))
		  : 0;
}

static void card_pinned_free(void *card, void *at)
{
	struct visit here(card);
	code_of(cudaFreeHost(at));
}

static bool card_pin(void *card, void *at, uint64_t bytes)
{
	struct visit here(card);
	void *there = nullptr;
	if (code_of(cudaHostRegister(at, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped)))
		return false;
	if (!code_of(cudaHostGetDevicePointer(&there, at, 0)) && there == at)
		return true;
	code_of(cudaHostUnregister(at));
	return false;
}

static void card_unpin(void *card, void *at)
{
	struct visit here(card);
	code_of(cudaHostUnregister(at));
}

static int card_wait(void *card)
{
	struct visit here(card);
	return code_of(cudaStreamSynchronize(((struct card *)card)->stream));
}

/* ---- work ---- */

static void launch_moves(cudaStream_t stream, const struct td_pool_move *moves, size_t n,
			 uint32_t bytes)
{
	uint64_t words = (uint64_t)n * bytes / 16;
	unsigned shift = (unsigned)__builtin_ctz(bytes / 16);
	unsigned blocks = (unsigned)((words + THREADS - 1) / THREADS);
	struct few few;
	if (n > FEW) {
		move_many<<<blocks, THREADS, 0, stream>>>(moves, words, shift);
		return;
	}
	for (size_t i = 0; i < n; i++)
		few.at[i] = moves[i];
	move_few<<<blocks, THREADS, 0, stream>>>(few, words, shift);
}

/* One block alone is faster by the copy engine: 7 us against 10. */
static int card_move(void *card, const struct td_pool_move *moves, size_t n, uint32_t bytes)
{
	struct card *c = (struct card *)card;
	struct visit here(card);
	int rc = here.rc;
	if (rc || !n)
		return rc;
	if (n == 1)
		return code_of(cudaMemcpyAsync(moves->to, moves->from, bytes, cudaMemcpyDefault,
					       c->stream));
	launch_moves(c->stream, moves, n, bytes);
	return code_of(cudaGetLastError());
}

static int card_sign(void *card, enum td_pool_hash hash, const struct td_pool_move *moves, size_t n,
		     uint32_t bytes, struct td_pool_signature *to)
{
	struct card *c = (struct card *)card;
	struct visit here(card);
	int rc = hash == TD_POOL_MD5 ? card_move(card, moves, n, bytes) : here.rc;
	if (rc || !n)
		return rc;
	if (hash == TD_POOL_MD5)
		sign_md5<<<(unsigned)((n + 31) / 32), 32, 0, c->stream>>>(
			(const unsigned char *)moves->to, n, bytes, to);
	else
		sign_xxh3<<<(unsigned)((n + 3) / 4), 128, 0, c->stream>>>(moves, n, bytes, to);
	return code_of(cudaGetLastError());
}

extern "C" {
extern const struct td_pool_card td_pool_card = {
	card_open, card_close, card_memory, card_memory_free, card_pinned, card_pinned_free,
	card_pin,  card_unpin, card_move,   card_sign,        card_wait,
};
}
