/* The loops, of which the first three run over tiles:
 *
 *	for ii, jj, kk; for i, j: for k: sum += A[i][k] * B[k][j]; then C[i][j] += sum
 *
 * An event is an access to a page: of the accesses of one inner loop to an array, those that follow
 * each other in the same page are one event. */
#include "matmul.h"

#include <errno.h>
#include <inttypes.h>

#define CELL_BYTES 8

enum { REF_A = 1, REF_B, REF_C };

/* A byte of an array, by its page; also the way from one to another. */
struct spot {
	uint64_t page, rest;
};

/* A walk along one array: where it is, and in how many steps it comes to another page, so that the
 * steps before are not taken one by one (a page may be larger than a matrix). */
struct walk {
	struct spot at, step;
	uint64_t left;
};

struct matmul {
	struct td_workload_generator g;
	uint64_t n, tile, page_bytes;
	uint64_t array_pages;    /* of one matrix */
	uint64_t ii, jj, kk;     /* the tile */
	uint64_t i, j, k, k_end; /* k_end: of the tile */
	struct walk a, b;        /* A[i][k], B[k][j], over k */
	bool new_a, new_b;       /* they are on a page for which there was no event yet */
};

static struct spot spot_of(const struct matmul *m, uint64_t row, uint64_t column)
{
	uint64_t bytes = (row * m->n + column) * CELL_BYTES;

	return (struct spot){bytes / m->page_bytes, bytes % m->page_bytes};
}

static void look_ahead(const struct matmul *m, struct walk *w)
{
	w->left = w->step.page ? 1 : (m->page_bytes - w->at.rest - 1) / w->step.rest + 1;
}

static void begin_walk(const struct matmul *m, struct walk *w, uint64_t row, uint64_t column)
{
	w->at = spot_of(m, row, column);
	look_ahead(m, w);
}

/* Moves on by at most w->left steps, and says whether to another page. */
static bool move(const struct matmul *m, struct walk *w, uint64_t steps)
{
	w->at.page += steps * w->step.page;
	w->at.rest += steps * w->step.rest;
	w->left -= steps;
	if (w->left)
		return false;
	if (w->at.rest >= m->page_bytes) {
		w->at.rest -= m->page_bytes;
		w->at.page++;
	}
	look_ahead(m, w);
	return true;
}

static uint64_t tile_end(const struct matmul *m, uint64_t first)
{
	return m->n - first < m->tile ? m->n : first + m->tile;
}

static void begin_inner(struct matmul *m)
{
	m->k = m->kk;
	m->k_end = tile_end(m, m->kk);
	begin_walk(m, &m->a, m->i, m->k);
	begin_walk(m, &m->b, m->k, m->j);
	m->new_a = true;
	m->new_b = true;
}

/* One of the tile loops a step further; true: it is through, and at its beginning again. */
static bool next_tile(const struct matmul *m, uint64_t *first)
{
	*first = tile_end(m, *first);
	if (*first < m->n)
		return false;
	*first = 0;
	return true;
}

static void next_cell(struct matmul *m)
{
	if (++m->j == tile_end(m, m->jj)) {
		if (++m->i == tile_end(m, m->ii)) {
			if (next_tile(m, &m->kk) && next_tile(m, &m->jj))
				next_tile(m, &m->ii);
			m->i = m->ii;
		}
		m->j = m->jj;
	}
	begin_inner(m);
}

static void start(struct td_workload_generator *g)
{
	struct matmul *m = (struct matmul *)g;

	m->ii = m->jj = m->kk = m->i = m->j = 0;
	begin_inner(m);
}

static void put(struct tide_batch *batch, uint32_t at, uint64_t page, uint64_t ref)
{
	batch->page[at] = page;
	batch->ref[at] = ref;
	batch->write[at] = ref == REF_C;
}

/* To the next k that is on another page of A or B; false: the inner loop has none. */
static bool next_page(struct matmul *m)
{
	uint64_t steps = m->a.left < m->b.left ? m->a.left : m->b.left;

	if (steps >= m->k_end - m->k)
		return false;
	m->k += steps;
	m->new_a = move(m, &m->a, steps);
	m->new_b = move(m, &m->b, steps);
	return true;
}

static void fill(struct td_workload_generator *g, struct tide_batch *batch)
{
	struct matmul *m = (struct matmul *)g;
	uint32_t n = 0;

	while (n < batch->n) {
		if (m->new_a) {
			put(batch, n++, m->a.at.page, REF_A);
			m->new_a = false;
		} else if (m->new_b) {
			put(batch, n++, m->array_pages + m->b.at.page, REF_B);
			m->new_b = false;
		} else if (!next_page(m)) {
			put(batch, n++, 2 * m->array_pages + spot_of(m, m->i, m->j).page, REF_C);
			next_cell(m);
		}
	}
}

/* Sum of (step * x + first) / by for x from 0 to n - 1, rounded down each: points under a line,
 * counted by columns and rows in turn as Euclid would. */
static uint64_t sum_quotients(uint64_t n, uint64_t step, uint64_t first, uint64_t by)
{
	uint64_t sum = 0;

	for (;;) {
		uint64_t top, old_by = by;

		sum += n * (n - 1) / 2 * (step / by) + n * (first / by);
		step %= by;
		top = step * n + first % by;
		if (top < by)
			return sum;
		n = top / by;
		first = top % by;
		by = step;
		step = old_by;
	}
}

/* Pages that A's inner loops enter in one tile's columns, over all rows i; the same for B over all
 * columns j where its rows are shorter than a page (no page is passed over then). */
static uint64_t pages_entered(const struct matmul *m, uint64_t k, uint64_t k_end, uint64_t along,
			      uint64_t across)
{
	return sum_quotients(m->n, across, (k_end - 1) * along, m->page_bytes) -
	       sum_quotients(m->n, across, k * along, m->page_bytes) + m->n;
}

static uint64_t count_events(const struct matmul *m)
{
	uint64_t row_bytes = m->n * CELL_BYTES, a = 0, b = 0, c = 0;

	for (uint64_t k = 0, k_end; k < m->n; k = k_end) {
		k_end = tile_end(m, k);
		a += pages_entered(m, k, k_end, CELL_BYTES, row_bytes);
		b += row_bytes < m->page_bytes ? pages_entered(m, k, k_end, row_bytes, CELL_BYTES)
					       : m->n * (k_end - k);
		c += m->n;
	}
	/* A's columns are walked for every j, B's rows for every i, C for every i. */
	return (a + b + c) * m->n;
}

int td_workload_matmul_open(struct td_trace_source **out, const char *name, uint64_t n,
			    uint64_t tile, uint64_t page_bytes, struct tide_error *err)
{
	struct matmul shape = {.n = n, .tile = tile, .page_bytes = page_bytes}, *m;
	struct td_workload_plan plan = {.name = name, .page_bytes = page_bytes};
	void *made;
	int rc;

	if (page_bytes % CELL_BYTES != 0)
		return tide_fail(err, -EINVAL,
				 "workload %s: %" PRIu64 " bytes a page do not hold whole "
				 "8-byte numbers: give a page size that is a multiple of 8",
				 name, page_bytes);
	shape.array_pages = (n * n * CELL_BYTES - 1) / page_bytes + 1;
	shape.a.step = spot_of(&shape, 0, 1);
	shape.b.step = spot_of(&shape, 1, 0);
	plan.accesses = count_events(&shape);
	plan.pages = 3 * shape.array_pages;
	plan.last_page = plan.pages - 1;
	plan.range = plan.pages;
	rc = td_workload_new(&made, sizeof *m, &plan, err);
	if (rc)
		return rc;
	m = made;
	shape.g = m->g;
	*m = shape;
	m->g.head.facts.refs = 1;
	m->g.own_writes = true;
	m->g.fill = fill;
	m->g.start = start;
	return td_workload_ready(out, &m->g);
}
