/* The matrices of SpMM. */
#ifndef TD_WORKLOAD_SPM_H
#define TD_WORKLOAD_SPM_H

#include "gpu.h"

struct td_spm {
	struct td_gpu_app app;
	uint32_t rows;    /* of A, B and C; A has as many columns */
	uint32_t entries; /* of a row of A */
	uint32_t columns; /* of B and C */
	bool by_rows;     /* a warp makes all columns of its row, not one tile of them */
	double power;     /* column c of A is in use as often as 1 / c^power */
	/* Exact mode. A by rows, B and C by columns. */
	uint32_t *cols;
	float *vals, *b, *c;
	/* Wave mode: what the wave did to places of B. A place is a page, or a page of every column
	 * of a tile where columns are whole pages. */
	struct td_spm_place {
		uint64_t step;  /* the last step that was on it */
		uint64_t warp;  /* the last that was, from 1 on */
		uint32_t count; /* warps that were, in that step */
	} * place;
	uint64_t step;
	uint64_t now, before; /* places that this step was on, and the one before */
};

/* The column of an entry. */
uint32_t td_spm_column(const struct td_spm *s, uint32_t row, uint32_t entry);

#endif
