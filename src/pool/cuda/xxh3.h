/* XXH3 with 128 bits and seed 0, computed by 32 lanes together: on the GPU, and on the processor in
 * tests. The size of a block is a power of two, at least 512 bytes.
 *
 * A block is read in stripes of 64 bytes. Each stripe is mixed into eight sums of 64 bits, with a
 * secret that begins 8 bytes further for each stripe. After 16 stripes (a round) the sums are
 * scrambled. Within a round stripes only add, so they can be mixed in any order:
 *
 *     stripe 0   | lane 0 | lane 1 | lane 2 | lane 3 |     16 bytes of the stripe each: two sums
 *     stripe 1   | lane 4 | lane 5 | ...
 *     ...
 *     stripe 7   | ...             | lane 30| lane 31|     and again for stripes 8 to 15
 *
 * At the end of a round, the sums of lanes with the same number modulo 4 are added up. The last
 * stripe of all has a part of the secret of its own. */
#ifndef TD_POOL_CUDA_XXH3_H
#define TD_POOL_CUDA_XXH3_H

#include "tide/event.h"

#define TD_XXH3_LANES 32
#define TD_XXH3_ROUND_BYTES 1024
#define TD_XXH3_STRIPES 8 /* that 32 lanes read at once */
#define TD_XXH3_SECRET_BYTES 192

#define TD_XXH3_PRIME32_1 UINT64_C(0x9e3779b1)
#define TD_XXH3_PRIME32_2 UINT64_C(0x85ebca77)
#define TD_XXH3_PRIME32_3 UINT64_C(0xc2b2ae3d)
#define TD_XXH3_PRIME64_1 UINT64_C(0x9e3779b185ebca87)
#define TD_XXH3_PRIME64_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define TD_XXH3_PRIME64_3 UINT64_C(0x165667b19e3779f9)
#define TD_XXH3_PRIME64_4 UINT64_C(0x85ebca77c2b2ae63)
#define TD_XXH3_PRIME64_5 UINT64_C(0x27d4eb2f165667c5)

/* Eight bytes of the secret, from any byte on. */
TIDE_DEVICE static inline uint64_t td_xxh3_secret(unsigned byte)
{
	static const uint64_t words[TD_XXH3_SECRET_BYTES / 8] = {
		UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c),
		UINT64_C(0xdb979083e96dd4de), UINT64_C(0x1f67b3b7a4a44072),
		UINT64_C(0x78e5c0cc4ee679cb), UINT64_C(0x2172ffcc7dd05a82),
		UINT64_C(0x8e2443f7744608b8), UINT64_C(0x4c263a81e69035e0),
		UINT64_C(0xcb00c391bb52283c), UINT64_C(0xa32e531b8b65d088),
		UINT64_C(0x4ef90da297486471), UINT64_C(0xd8acdea946ef1938),
		UINT64_C(0x3f349ce33f76faa8), UINT64_C(0x1d4f0bc7c7bbdcf9),
		UINT64_C(0x3159b4cd4be0518a), UINT64_C(0x647378d9c97e9fc8),
		UINT64_C(0xc3ebd33483acc5ea), UINT64_C(0xeb6313faffa081c5),
		UINT64_C(0x49daf0b751dd0d17), UINT64_C(0x9e68d429265516d3),
		UINT64_C(0xfca1477d58be162b), UINT64_C(0xce31d07ad1b8f88f),
		UINT64_C(0x280416958f3acb45), UINT64_C(0x7e404bbbcafbd7af),
	};
	unsigned shift = byte % 8 * 8;
	uint64_t low = words[byte / 8] >> shift;
	return shift ? low | words[byte / 8 + 1] << (64 - shift) : low;
}

/* What a lane keeps: its two sums, and what of the secret it needs. */
struct td_xxh3_lane {
	uint64_t sum[2];
	uint64_t key[2][2]; /* of the first and the second stripe of a round */
	uint64_t last[2];   /* of the last stripe of all */
	uint64_t scramble[2];
};

TIDE_DEVICE static inline void td_xxh3_pair(uint64_t pair[2], unsigned byte)
{
	pair[0] = td_xxh3_secret(byte);
	pair[1] = td_xxh3_secret(byte + 8);
}

TIDE_DEVICE static inline uint64_t td_xxh3_start(unsigned sum)
{
	switch (sum) {
	case 0: return TD_XXH3_PRIME32_3;
	case 1: return TD_XXH3_PRIME64_1;
	case 2: return TD_XXH3_PRIME64_2;
	case 3: return TD_XXH3_PRIME64_3;
	case 4: return TD_XXH3_PRIME64_4;
	case 5: return TD_XXH3_PRIME32_2;
	case 6: return TD_XXH3_PRIME64_5;
	default: return TD_XXH3_PRIME32_1;
	}
}

/* The keys serve for any number of blocks. */
TIDE_DEVICE static inline void td_xxh3_keys(struct td_xxh3_lane *l, unsigned lane)
{
	unsigned stripe = lane / 4, place = lane % 4 * 16;
	td_xxh3_pair(l->key[0], stripe * 8 + place);
	td_xxh3_pair(l->key[1], (stripe + TD_XXH3_STRIPES) * 8 + place);
	td_xxh3_pair(l->last, TD_XXH3_SECRET_BYTES - 64 - 7 + place);
	td_xxh3_pair(l->scramble, TD_XXH3_SECRET_BYTES - 64 + place);
}

TIDE_DEVICE static inline void td_xxh3_begin(struct td_xxh3_lane *l, unsigned lane)
{
	l->sum[0] = td_xxh3_start(lane % 4 * 2);
	l->sum[1] = td_xxh3_start(lane % 4 * 2 + 1);
}

/* 16 bytes of a stripe, into what this lane adds in this round. */
TIDE_DEVICE static inline void td_xxh3_mix(uint64_t added[2], const uint64_t data[2],
					   const uint64_t key[2])
{
	uint64_t a = data[0] ^ key[0], b = data[1] ^ key[1];
	added[0] += data[1] + (a & UINT32_MAX) * (a >> 32);
	added[1] += data[0] + (b & UINT32_MAX) * (b >> 32);
}

/* The end of a round, with what all lanes added to these two sums. */
TIDE_DEVICE static inline void td_xxh3_end_round(struct td_xxh3_lane *l, const uint64_t added[2],
						 bool last)
{
	for (int i = 0; i < 2; i++) {
		uint64_t sum = l->sum[i] + added[i];
		l->sum[i] = last ? sum : (sum ^ sum >> 47 ^ l->scramble[i]) * TD_XXH3_PRIME32_1;
	}
}

TIDE_DEVICE static inline uint64_t td_xxh3_fold(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return a * b ^ __umul64hi(a, b);
#else
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
#endif
}

/* This lane's part of each half; the parts of four lanes are added up. */
TIDE_DEVICE static inline void td_xxh3_merge(const struct td_xxh3_lane *l, unsigned lane,
					     uint64_t part[2])
{
	const unsigned from[2] = {11, TD_XXH3_SECRET_BYTES - 64 - 11};
	for (int i = 0; i < 2; i++) {
		unsigned byte = from[i] + lane % 4 * 16;
		part[i] = td_xxh3_fold(l->sum[0] ^ td_xxh3_secret(byte),
				       l->sum[1] ^ td_xxh3_secret(byte + 8));
	}
}

TIDE_DEVICE static inline uint64_t td_xxh3_avalanche(uint64_t h)
{
	h = (h ^ h >> 37) * UINT64_C(0x165667919e3779f9);
	return h ^ h >> 32;
}

/* The two halves, from the sums of the parts. */
TIDE_DEVICE static inline void td_xxh3_end(const uint64_t merged[2], uint64_t bytes,
					   uint64_t out[2])
{
	out[0] = td_xxh3_avalanche(merged[0] + bytes * TD_XXH3_PRIME64_1);
	out[1] = td_xxh3_avalanche(merged[1] + ~(bytes * TD_XXH3_PRIME64_2));
}

#endif
