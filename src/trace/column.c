#include "column.h"

#include <errno.h>
#include <string.h>

#include "bytes.h"

/* packed: kind, width, base, bits.  delta: kind, four lengths, base, codes, bytes. */
enum { PACKED_BASE = 2, PACKED_BYTES = 10, DELTA_BASE = 5, DELTA_BYTES = 13 };

/* A number of more bits than this would not come out of one 8-byte load. */
#define WIDEST 56

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static size_t packed_bytes(unsigned width, uint32_t n)
{
	return ((size_t)n * width + 7) / 8;
}

static size_t encode_packed(unsigned char *to, const uint64_t *from, uint32_t n)
{
	uint64_t low = from[0], high = from[0], waiting = 0;
	unsigned width, used = 0;
	unsigned char *p = to + PACKED_BYTES;

	for (uint32_t i = 1; i < n; i++) {
		low = from[i] < low ? from[i] : low;
		high = from[i] > high ? from[i] : high;
	}
	width = bits_of(high - low);
	if (width > WIDEST)
		width = 64;
	to[0] = TD_TRACE_PACKED;
	to[1] = (unsigned char)width;
	store64(to + PACKED_BASE, low);
	for (uint32_t i = 0; i < n; i++) {
		if (width == 64) {
			store64(p, from[i] - low);
			p += 8;
			continue;
		}
		waiting |= (from[i] - low) << used;
		used += width;
		for (; used >= 8; used -= 8, waiting >>= 8)
			*p++ = (unsigned char)waiting;
	}
	if (used)
		*p++ = (unsigned char)waiting;
	return (size_t)(p - to);
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

/* Bytes that the differences take when each has the shortest of these lengths that holds it. */
static uint64_t cost(const uint32_t *count, const unsigned char *lengths)
{
	uint64_t sum = 0;
	unsigned k = 0;

	for (unsigned bytes = 0; bytes <= lengths[3]; bytes++) {
		while (lengths[k] < bytes)
			k++;
		sum += (uint64_t)count[bytes] * lengths[k];
	}
	return sum;
}

/* The four lengths that make the column smallest; the last holds the largest difference.
 * count[b]: how many differences need b bytes. */
static void choose_lengths(const uint32_t *count, unsigned char *best)
{
	uint64_t least = UINT64_MAX;
	unsigned char l[4] = {0, 0, 0, 8};

	while (l[3] && !count[l[3]])
		l[3]--;
	for (l[0] = 0; l[0] <= l[3]; l[0]++)
		for (l[1] = l[0]; l[1] <= l[3]; l[1]++)
			for (l[2] = l[1]; l[2] <= l[3]; l[2]++)
				if (cost(count, l) < least) {
					least = cost(count, l);
					memcpy(best, l, 4);
				}
}

static unsigned bytes_of(uint64_t v)
{
	return (bits_of(v) + 7) / 8;
}

static size_t encode_delta(unsigned char *to, const uint64_t *from, uint32_t n)
{
	unsigned char *lengths = to + 1, *control = to + DELTA_BYTES;
	unsigned char *p = control + (n + 3) / 4;
	uint32_t count[9] = {1}; /* the first difference is 0 */
	unsigned char code_of[9];
	uint64_t last = from[0];

	for (uint32_t i = 1; i < n; i++)
		count[bytes_of(zigzag(from[i] - from[i - 1]))]++;
	to[0] = TD_TRACE_DELTA;
	choose_lengths(count, lengths);
	for (unsigned b = 0, k = 0; b <= lengths[3]; b++) {
		while (lengths[k] < b)
			k++;
		code_of[b] = (unsigned char)k;
	}
	store64(to + DELTA_BASE, from[0]);
	memset(control, 0, (n + 3) / 4);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t z = zigzag(from[i] - last);
		unsigned char code = code_of[bytes_of(z)], whole[8];

		control[i / 4] |= (unsigned char)(code << i % 4 * 2);
		store64(whole, z);
		memcpy(p, whole, lengths[code]);
		p += lengths[code];
		last = from[i];
	}
	return (size_t)(p - to);
}

size_t td_trace_column_encode(unsigned char *to, enum td_trace_column_kind kind,
			      const uint64_t *from, uint32_t n)
{
	return kind == TD_TRACE_PACKED ? encode_packed(to, from, n) : encode_delta(to, from, n);
}

static uint64_t mask_of(unsigned bits)
{
	return bits ? UINT64_MAX >> (64 - bits) : 0;
}

static int open_packed(struct td_trace_column *c, const unsigned char **at,
		       const unsigned char *end, uint32_t n)
{
	const unsigned char *p = *at;

	if (end - p < PACKED_BYTES || (p[1] > WIDEST && p[1] != 64) ||
	    (size_t)(end - p) - PACKED_BYTES < packed_bytes(p[1], n))
		return -EBADMSG;
	c->width = p[1];
	c->base = load64(p + PACKED_BASE);
	c->data = p + PACKED_BYTES;
	*at = c->data + packed_bytes(c->width, n);
	return 0;
}

/* Bytes of the n numbers whose codes these are. */
static size_t data_bytes(const unsigned char *control, const unsigned char *lengths, uint32_t n)
{
	uint16_t sums[256];
	size_t sum = 0;

	for (unsigned b = 0; b < 256; b++)
		sums[b] = (uint16_t)(lengths[b & 3] + lengths[b >> 2 & 3] + lengths[b >> 4 & 3] +
				     lengths[b >> 6]);
	for (uint32_t i = 0; i < n / 4; i++)
		sum += sums[control[i]];
	for (uint32_t i = n / 4 * 4; i < n; i++)
		sum += lengths[control[i / 4] >> i % 4 * 2 & 3];
	return sum;
}

static int open_delta(struct td_trace_column *c, const unsigned char **at, const unsigned char *end,
		      uint32_t n)
{
	const unsigned char *p = *at, *lengths = p + 1;
	size_t codes = (n + 3) / 4, bytes;

	if (end - p < DELTA_BYTES || (size_t)(end - p) - DELTA_BYTES < codes)
		return -EBADMSG;
	for (int k = 0; k < 4; k++) {
		if (lengths[k] > 8)
			return -EBADMSG;
		c->masks[k] = mask_of(lengths[k] * 8u);
	}
	c->lengths = load32(lengths);
	c->base = load64(p + DELTA_BASE);
	c->control = p + DELTA_BYTES;
	c->data = c->control + codes;
	bytes = data_bytes(c->control, lengths, n);
	if ((size_t)(end - c->data) < bytes)
		return -EBADMSG;
	*at = c->data + bytes;
	return 0;
}

int td_trace_column_open(struct td_trace_column *c, const unsigned char **at,
			 const unsigned char *end, uint32_t n)
{
	c->i = 0;
	if (*at == end)
		return -EBADMSG;
	c->kind = **at;
	if (c->kind == TD_TRACE_PACKED)
		return open_packed(c, at, end, n);
	return c->kind == TD_TRACE_DELTA ? open_delta(c, at, end, n) : -EBADMSG;
}

static void read_packed(struct td_trace_column *c, uint64_t *to, uint32_t n)
{
	uint64_t mask = mask_of(c->width), base = c->base;
	size_t width = c->width, bit = c->i * width;

	for (uint32_t i = 0; i < n; i++, bit += width)
		to[i] = base + (load64(c->data + bit / 8) >> bit % 8 & mask);
}

/* Codes and lengths hang on nothing that was just computed: only two additions do. */
static void read_delta(struct td_trace_column *c, uint64_t *to, uint32_t n)
{
	const unsigned char *p = c->data;
	uint64_t value = c->base;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = c->i + k, code = c->control[i / 4] >> i % 4 * 2 & 3;

		value += unzigzag(load64(p) & c->masks[code]);
		p += c->lengths >> code * 8 & 0xff;
		to[k] = value;
	}
	c->data = p;
	c->base = value;
}

void td_trace_column_read(struct td_trace_column *c, uint64_t *to, uint32_t n)
{
	if (c->kind == TD_TRACE_PACKED)
		read_packed(c, to, n);
	else
		read_delta(c, to, n);
	c->i += n;
}

void td_trace_column_bits(uint8_t *to, const unsigned char *bits, uint32_t from, uint32_t n)
{
	uint32_t k = 0;

	/* A byte of bits at a time: copied to eight bytes, of which each keeps its own bit. */
	for (; from % 8 == 0 && k + 8 <= n; k += 8, from += 8) {
		uint64_t each = bits[from / 8] * UINT64_C(0x0101010101010101);

		each &= UINT64_C(0x8040201008040201);
		each = ((each + UINT64_C(0x7f7f7f7f7f7f7f7f)) | each) >> 7;
		store64(to + k, each & UINT64_C(0x0101010101010101));
	}
	for (; k < n; k++, from++)
		to[k] = bits[from / 8] >> from % 8 & 1;
}
