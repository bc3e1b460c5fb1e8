/* Columns of 64-bit numbers, coded so that they decode without branches. */
#ifndef TD_TRACE_COLUMN_H
#define TD_TRACE_COLUMN_H

#include <stddef.h>
#include <stdint.h>

enum td_trace_column_kind {
	TD_TRACE_PACKED = 1, /* number - smallest, in equally many bits each */
	TD_TRACE_DELTA = 2,  /* zigzag differences in one of four byte lengths each */
};

#define TD_TRACE_COLUMN_MOST(n) ((size_t)(n)*8 + ((size_t)(n) + 3) / 4 + 16)
#define TD_TRACE_COLUMN_SLACK 8 /* bytes after a column that decoding may read */

struct td_trace_column {
	enum td_trace_column_kind kind;
	uint32_t i;       /* numbers read */
	uint64_t base;    /* packed: the smallest; delta: the last one read */
	unsigned width;   /* packed: bits */
	uint32_t lengths; /* delta: four bytes */
	uint64_t masks[4];
	const unsigned char *control, *data; /* delta: data moves on */
};

/* Returns the bytes put at `to`, which has room for TD_TRACE_COLUMN_MOST(n). n > 0. */
size_t td_trace_column_encode(unsigned char *to, enum td_trace_column_kind kind,
			      const uint64_t *from, uint32_t n);

/* Checks the column of n numbers at *at and moves *at past it: 0 or -EBADMSG. */
int td_trace_column_open(struct td_trace_column *c, const unsigned char **at,
			 const unsigned char *end, uint32_t n);
void td_trace_column_read(struct td_trace_column *c, uint64_t *to, uint32_t n);

/* Bits from .. from + n - 1 of a bitmap, each to a byte of its own. */
void td_trace_column_bits(uint8_t *to, const unsigned char *bits, uint32_t from, uint32_t n);

#endif
