/* The matrices of SpMM. */
#ifndef TD_WORKLOAD_SPM_H
#define TD_WORKLOAD_SPM_H

#include "gpu.h"

struct td_spm {
	struct td_gpu_app app;
	uint32_t rows;    /* of A, B and C; A has as many columns */
	uint32_t entries; /* of a row of A */
	uint32_t columns; /* of B and C */
	uint32_t warps;   /* of a block */
	bool by_rows;     /* B and C are row-major */
	double power;     /* column c of A is in use as often as 1 / c^power */
	/* Exact mode where B and C are column-major: the product. A by rows. */
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

/* Entries of its row that are loaded by two instructions before they are gone through. */
static inline uint32_t td_spm_chunk(const struct td_spm *s)
{
	return s->entries < TD_GPU_LANES ? s->entries : TD_GPU_LANES;
}

/* The column of an entry. */
uint32_t td_spm_column(const struct td_spm *s, uint32_t row, uint32_t entry);

/* Wave mode: the wave's next step, its first or not; a warp of the grid is on a place: of that
 * page, and of one in each of so many columns; the new pages as events. */
void td_spm_next_step(struct td_spm *s, bool is_first);
int td_spm_be_on(struct td_spm *s, uint64_t warp, uint64_t place, uint64_t page, unsigned columns,
		 struct td_gpu_ready *out);
int td_spm_done(const struct td_spm *s, struct td_gpu_ready *out);

/* The kernels where B and C are row-major. */
int td_spm_rows(struct td_spm *s, struct tide_error *err);

#endif
