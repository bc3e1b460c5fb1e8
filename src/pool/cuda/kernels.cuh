/* The kernels, which move and sign blocks. */
#ifndef TD_POOL_CUDA_KERNELS_CUH
#define TD_POOL_CUDA_KERNELS_CUH

extern "C" {
#include "card.h"
}
#include "md5.h"
#include "xxh3.h"

/* ---- moves ---- */

#define THREADS 256
#define FEW 64 /* moves that go with the launch: no way over the bus to read them */

struct few {
	struct td_pool_move at[FEW];
};

/* A thread has 16 bytes: everything is under way at once. */
static __device__ __forceinline__ void move_word(const struct td_pool_move &m, uint64_t word)
{
	((uint4 *)m.to)[word] = ((const uint4 *)m.from)[word];
}

static __global__ void move_few(const __grid_constant__ struct few moves, uint64_t words,
				unsigned shift)
{
	uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
	if (i < words)
		move_word(moves.at[i >> shift], i & ((UINT64_C(1) << shift) - 1));
}

static __global__ void move_many(const struct td_pool_move *moves, uint64_t words, unsigned shift)
{
	uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
	if (i < words)
		move_word(moves[i >> shift], i & ((UINT64_C(1) << shift) - 1));
}

/* ---- XXH3: a warp has a block ---- */

#define DEPTH 8 /* stripes of 512 bytes under way in a warp: four rounds */

/* Over the eight lanes that have the same two sums. */
static __device__ __forceinline__ void add_up(uint64_t pair[2], int from, int to)
{
	for (int step = from; step < to; step *= 2)
		for (int i = 0; i < 2; i++)
			pair[i] += __shfl_xor_sync(0xffffffffu, (unsigned long long)pair[i], step);
}

static __device__ __forceinline__ void mix(const struct td_xxh3_lane &l, uint64_t added[2],
					   const uint4 &v, unsigned k, bool last)
{
	const uint64_t data[2] = {(uint64_t)v.y << 32 | v.x, (uint64_t)v.w << 32 | v.z};
	const uint64_t key[2] = {last ? l.last[0] : l.key[k][0], last ? l.last[1] : l.key[k][1]};
	td_xxh3_mix(added, data, key);
}

/* At most 4 KiB of a block. */
static __device__ __forceinline__ void run_rounds(struct td_xxh3_lane &l, const uint4 *at,
						  unsigned lane, unsigned words, bool final)
{
	uint4 v[DEPTH];
#pragma unroll
	for (unsigned i = 0; i < DEPTH; i++)
		if (i * 32 < words)
			v[i] = at[i * 32 + lane];
#pragma unroll
	for (unsigned i = 0; i < DEPTH; i += 2) {
		bool ends = final && (i + 2) * 32 >= words, second = (i + 1) * 32 < words;
		uint64_t added[2] = {0, 0};
		if (i * 32 >= words)
			break;
		mix(l, added, v[i], 0, ends && !second && lane >= 28);
		if (second)
			mix(l, added, v[i + 1], 1, ends && lane >= 28);
		add_up(added, 4, 32);
		td_xxh3_end_round(&l, added, ends);
	}
}

static __device__ __forceinline__ void sign_block(struct td_xxh3_lane &l, const void *from,
						  unsigned lane, uint32_t bytes, uint64_t out[2])
{
	const uint4 *at = (const uint4 *)from;
	unsigned words = bytes / 16;
	uint64_t part[2];
	td_xxh3_begin(&l, lane);
	for (unsigned i = 0; i < words; i += DEPTH * 32) {
		unsigned some = words - i < DEPTH * 32 ? words - i : DEPTH * 32;
		run_rounds(l, at + i, lane, some, i + some == words);
	}
	td_xxh3_merge(&l, lane, part);
	add_up(part, 1, 4);
	td_xxh3_end(part, bytes, out);
}

static __global__ void sign_xxh3(const struct td_pool_move *blocks, size_t n, uint32_t bytes,
				 struct td_pool_signature *to)
{
	unsigned lane = threadIdx.x % 32;
	size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	struct td_xxh3_lane l;
	uint64_t out[2];
	if (i >= n)
		return;
	td_xxh3_keys(&l, lane);
	sign_block(l, blocks[i].from, lane, bytes, out);
	if (lane < 2)
		to[i].at[lane] = lane ? out[1] : out[0];
}

/* ---- MD5: a thread has a block ----
 *
 * A warp reads 64 bytes of each of its 32 blocks, four lanes together, while it works on the 64
 * before; shared memory turns them round. A row has 80 bytes there, so that lanes that read 16 of
 * theirs at once are in different banks. */

#define ROW 5 /* of 16 bytes */

static __device__ __forceinline__ void load_chunks(uint4 v[4], const uint4 *first, unsigned lane,
						   unsigned rows, uint32_t pitch, uint32_t chunk)
{
#pragma unroll
	for (unsigned k = 0; k < 4; k++) {
		unsigned row = k * 8 + lane / 4;
		if (row < rows)
			v[k] = first[(size_t)row * pitch + chunk * 4 + lane % 4];
	}
}

static __device__ __forceinline__ void turn_round(uint4 *tile, const uint4 v[4], unsigned lane,
						  uint32_t words[TD_MD5_CHUNK_WORDS])
{
	__syncwarp();
#pragma unroll
	for (unsigned k = 0; k < 4; k++)
		tile[(k * 8 + lane / 4) * ROW + lane % 4] = v[k];
	__syncwarp();
#pragma unroll
	for (unsigned k = 0; k < 4; k++) {
		uint4 w = tile[lane * ROW + k];
		words[k * 4] = w.x;
		words[k * 4 + 1] = w.y;
		words[k * 4 + 2] = w.z;
		words[k * 4 + 3] = w.w;
	}
}

static __global__ void sign_md5(const unsigned char *blocks, size_t n, uint32_t bytes,
				struct td_pool_signature *to)
{
	__shared__ uint4 tile[32 * ROW];
	unsigned lane = threadIdx.x;
	size_t first = (size_t)blockIdx.x * 32;
	unsigned rows = n - first < 32 ? (unsigned)(n - first) : 32;
	const uint4 *at = (const uint4 *)(blocks + first * bytes);
	uint32_t state[4], words[TD_MD5_CHUNK_WORDS];
	uint4 v[4] = {};
	td_md5_begin(state);
	load_chunks(v, at, lane, rows, bytes / 16, 0);
	for (uint32_t chunk = 0; chunk < bytes / 64; chunk++) {
		turn_round(tile, v, lane, words);
		if (chunk + 1 < bytes / 64)
			load_chunks(v, at, lane, rows, bytes / 16, chunk + 1);
		td_md5_chunk(state, words);
	}
	td_md5_end(state, bytes);
	if (lane >= rows)
		return;
	to[first + lane].at[0] = (uint64_t)state[1] << 32 | state[0];
	to[first + lane].at[1] = (uint64_t)state[3] << 32 | state[2];
}

#endif
