/* Zipf's law: rank r of n (from 1) is drawn with a probability proportional to 1 / r^skew. */
#ifndef TD_WORKLOAD_ZIPF_H
#define TD_WORKLOAD_ZIPF_H

#include <stddef.h>
#include <stdint.h>

/* 32 single ranks, then cells that grow by 1/32 up to 2^48 ranks: 1,019 at most. */
#define TD_WORKLOAD_CELLS 1024

/* A run of ranks with nearly the same probability. */
struct td_workload_cell {
	uint64_t first, count; /* ranks, from 0 */
	uint64_t keep;         /* of 2^64 draws of this place, those that stay; the rest go to */
	uint64_t sure;         /* of 2^64: every rank of the cell is accepted below it */
	uint32_t other;        /* this cell */
};

struct td_workload_zipf {
	double skew;
	uint32_t n_cells;
	struct td_workload_cell cells[TD_WORKLOAD_CELLS];
};

/* n from 1 to 2^48, skew 0 or more. */
void td_workload_zipf_make(struct td_workload_zipf *z, uint64_t n, double skew);

/* count ranks, from 0, drawn from *random. */
void td_workload_zipf_draw(const struct td_workload_zipf *z, uint64_t *random, uint64_t *ranks,
			   size_t count);

/* A seeded permutation of 0 .. n - 1 that needs no memory. */
struct td_workload_scatter {
	uint64_t n, mask, add, multiply[2], turn;
	unsigned shift;
};

void td_workload_scatter_make(struct td_workload_scatter *s, uint64_t n, uint64_t seed);

/* Turns the permutation, so that it takes from to to. */
void td_workload_scatter_pin(struct td_workload_scatter *s, uint64_t from, uint64_t to);

/* Each number replaced by base + where the permutation takes it. */
void td_workload_scatter_map(const struct td_workload_scatter *s, uint64_t base, uint64_t *numbers,
			     size_t count);

#endif
