/* Reads numbers out of text, eight digits at a time. */
#ifndef TD_TRACE_NUMBER_H
#define TD_TRACE_NUMBER_H

#include <stddef.h>

#include "bytes.h"
#include "core/text.h"

/* How many of the 8 bytes at p are decimal digits, from the front, and their value. */
static inline size_t td_trace_digits(const unsigned char *p, uint64_t *value)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t d = load64(p) ^ UINT64_C(0x3030303030303030);
	/* A byte of 10 or more carries into its top bit. The sum may also spill into bytes
	 * after it, which no longer matter. */
	uint64_t others = ((d + UINT64_C(0x7676767676767676)) | d) & high;
	size_t n = others ? (size_t)__builtin_ctzll(others) / 8 : 8;

	if (!n)
		return 0;
	d <<= 64 - 8 * n; /* as if zeros came before */
	d = d * 10 + (d >> 8);
	d &= UINT64_C(0x00ff00ff00ff00ff);
	d = d * 100 + (d >> 16);
	d &= UINT64_C(0x0000ffff0000ffff);
	d = d * 10000 + (d >> 32);
	*value = d & UINT64_C(0xffffffff);
	return n;
}

/* The same for the 16 bytes at p. Gives 0 if all of them are digits. */
static inline size_t td_trace_long_digits(const unsigned char *p, uint64_t *value)
{
	static const uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	size_t n = td_trace_digits(p, value), more;
	uint64_t low = 0;

	if (n < 8)
		return n;
	more = td_trace_digits(p + 8, &low);
	if (more == 8)
		return 0;
	*value = *value * power[more] + low;
	return 8 + more;
}

/* A number of n characters; 16 bytes from p can be read. 0 or as td_core_u64. */
static inline int td_trace_number(const unsigned char *p, size_t n, uint64_t *value)
{
	if (n && td_trace_long_digits(p, value) == n)
		return 0;
	return td_core_u64((const char *)p, n, value);
}

#endif
