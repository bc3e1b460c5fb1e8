/* Random traces, and curves of them. */
#ifndef MRC_HELP_H
#define MRC_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mrc/mrc.h"

struct trace {
	uint32_t n, pages; /* pages: more than any page number */
	uint32_t page[8192];
	uint32_t ref[8192];
};

/* Hot pages, turns around all of them, there and back again, and chance, mixed by the seed. */
static inline void make_trace(struct trace *t, uint64_t seed, uint32_t n, uint32_t pages)
{
	*t = (struct trace){.n = n, .pages = pages};
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = tide_random_next(&seed);
		uint32_t kind = (uint32_t)(x >> 32) % 8, any = (uint32_t)x;
		uint32_t turn = i % (2 * pages), back = turn < pages ? turn : 2 * pages - 1 - turn;
		t->page[i] = kind < 3   ? any % (pages / 5 + 1)
			     : kind < 5 ? i % pages
			     : kind < 6 ? back
					: any % pages;
		t->ref[i] = kind / 2 + 1;
	}
}

static inline void fill_batch(struct tide_batch *batch, const struct trace *t, uint32_t from,
			      uint32_t most)
{
	batch->n = t->n - from < most ? t->n - from : most;
	for (uint32_t i = 0; i < batch->n; i++) {
		batch->page[i] = t->page[from + i];
		batch->ref[i] = t->ref[from + i];
	}
}

/* The curve at sizes 1 to n. */
static inline void make_curve(const struct td_mrc_method *method, const void *config, double rate,
			      const struct trace *t, struct td_mrc_point *at, size_t n,
			      double *doubt)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);
	struct td_mrc *m;
	assert_int_equal(td_mrc_open(&m, method, config, rate, NULL), 0);
	for (uint32_t from = 0; from < t->n; from += batch->n) {
		fill_batch(batch, t, from, 1000); /* no divisor of anything */
		assert_int_equal(td_mrc_batch(m, batch, NULL), 0);
	}
	assert_int_equal(td_mrc_accesses(m), t->n);
	for (size_t i = 0; i < n; i++)
		at[i].pages = (double)(i + 1);
	assert_int_equal(td_mrc_measure(m, at, n, doubt, NULL), 0);
	td_mrc_close(m);
	free(batch);
}

#endif
