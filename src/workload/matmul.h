/* C = A * B, page by page: what app_matmul.c and app_matmul_tiled.c share. */
#ifndef TD_WORKLOAD_MATMUL_H
#define TD_WORKLOAD_MATMUL_H

#include "generator.h"

/* Keeps n^3 events within 64 bits. */
#define TD_WORKLOAD_MATMUL_MOST 0x1p20

/* n x n matrices of f64, each from a page's beginning, in tiles of that many rows and columns;
 * tile = n is the naive loop. name is for errors. */
int td_workload_matmul_open(struct td_trace_source **out, const char *name, uint64_t n,
			    uint64_t tile, uint64_t page_bytes, struct tide_error *err);

#endif
