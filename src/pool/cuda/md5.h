/* MD5 (RFC 1321) of a block whose size is a multiple of 64 bytes, by one thread: on the GPU, and on
 * the processor in tests. */
#ifndef TD_POOL_CUDA_MD5_H
#define TD_POOL_CUDA_MD5_H

#include "tide/event.h"

#define TD_MD5_CHUNK_WORDS 16

/* On the GPU all four rounds in one piece, with every constant at its place. */
#ifdef __CUDA_ARCH__
#define TD_MD5_UNROLL _Pragma("unroll")
#else
#define TD_MD5_UNROLL
#endif

TIDE_DEVICE static inline void td_md5_begin(uint32_t state[4])
{
	state[0] = 0x67452301;
	state[1] = 0xefcdab89;
	state[2] = 0x98badcfe;
	state[3] = 0x10325476;
}

/* The whole part of 2^32 |sin(step + 1)|. */
TIDE_DEVICE static inline uint32_t td_md5_sine(unsigned step)
{
	const uint32_t sines[64] = {
		0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
		0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
		0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
		0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
		0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
		0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
		0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
		0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
		0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
		0xeb86d391,
	};
	return sines[step];
}

TIDE_DEVICE static inline unsigned td_md5_turn(unsigned step)
{
	const unsigned turns[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	return turns[step / 16][step % 4];
}

TIDE_DEVICE static inline unsigned td_md5_word(unsigned step)
{
	switch (step / 16) {
	case 0: return step;
	case 1: return (5 * step + 1) % 16;
	case 2: return (3 * step + 5) % 16;
	default: return 7 * step % 16;
	}
}

TIDE_DEVICE static inline uint32_t td_md5_choose(unsigned step, uint32_t b, uint32_t c, uint32_t d)
{
	switch (step / 16) {
	case 0: return (b & c) | (~b & d);
	case 1: return (d & b) | (~d & c);
	case 2: return b ^ c ^ d;
	default: return c ^ (b | ~d);
	}
}

TIDE_DEVICE static inline void td_md5_chunk(uint32_t state[4],
					    const uint32_t words[TD_MD5_CHUNK_WORDS])
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	TD_MD5_UNROLL
	for (unsigned step = 0; step < 64; step++) {
		unsigned turn = td_md5_turn(step);
		uint32_t x = a + td_md5_choose(step, b, c, d) + td_md5_sine(step) +
			     words[td_md5_word(step)];
		a = d;
		d = c;
		c = b;
		b += x << turn | x >> (32 - turn);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

/* What follows the block: a bit, and its length. */
TIDE_DEVICE static inline void td_md5_end(uint32_t state[4], uint64_t bytes)
{
	uint32_t words[TD_MD5_CHUNK_WORDS] = {0x80};
	words[14] = (uint32_t)(bytes << 3);
	words[15] = (uint32_t)(bytes >> 29);
	td_md5_chunk(state, words);
}

#endif
