/* The matrix of SpMV. */
#ifndef TD_WORKLOAD_SPV_H
#define TD_WORKLOAD_SPV_H

#include "gpu.h"

enum { TD_SPV_LONGEST = 38 }; /* entries of a row at most */

/* Jagged diagonals: the rows sorted by length, the longest first; diagonal k holds the k-th entry
 * of every row that has one, row after row, from ptr[k] on. The rows of a warp are filled up to the
 * length of its first with entries that are 0. */
struct td_spv {
	struct td_gpu_app app;
	uint32_t side, rows;
	uint32_t ptr[TD_SPV_LONGEST + 1];
	uint32_t *perm;  /* which row is the r-th in this order */
	uint8_t *length; /* per warp of rows, in this order */
	uint32_t *index; /* columns of the entries */
	float *data, *x, *y;
};

/* Row `row` of the matrix for a mesh of side * side nodes: columns, ascending, and values; the
 * result is how many. */
unsigned td_spv_row(uint64_t seed, uint32_t side, uint32_t row, uint32_t column[TD_SPV_LONGEST],
		    float value[TD_SPV_LONGEST]);

#endif
