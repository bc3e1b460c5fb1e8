/* Runs of GPU workloads, and plain models of them: how often an instruction accesses a page. */
#ifndef GPU_MODEL_H
#define GPU_MODEL_H

#include "lab/workload/gpu.h"
#include "test_workload.h"

#ifndef PCS
#define PCS 32
#endif

struct tally {
	uint64_t pages;
	uint64_t *n; /* [pc][page] */
};

static inline struct tally new_tally(const struct td_gpu_app *app)
{
	const struct td_gpu_array *last = &app->array[app->arrays - 1];
	struct tally t = {(last->base + last->bytes) / PAGE_BYTES + 1, NULL};

	t.n = calloc(t.pages * PCS, sizeof *t.n);
	assert_non_null(t.n);
	return t;
}

static inline bool next_batch(struct td_trace_source *s, struct tide_batch *batch)
{
	assert_int_equal(td_trace_next(s, batch, NULL), 0);
	return batch->n != 0;
}

static inline struct tide_batch *new_batch(void)
{
	struct tide_batch *batch = calloc(1, sizeof *batch);

	assert_non_null(batch);
	batch->gpu = calloc(1, sizeof *batch->gpu);
	assert_non_null(batch->gpu);
	return batch;
}

static inline void free_batch(struct tide_batch *batch)
{
	free(batch->gpu);
	free(batch);
}

static inline struct tally tally_of(struct td_trace_source *s)
{
	struct tally t = new_tally(td_gpu_of(s));
	struct tide_batch *batch = new_batch();

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			assert_in_range(batch->ref[i], 1, PCS);
			assert_true(batch->page[i] < t.pages);
			t.n[(batch->ref[i] - 1) * t.pages + batch->page[i]] += batch->gpu->count[i];
		}
	}
	free_batch(batch);
	return t;
}

/* An instruction of a warp in the model: lanes one after another, then end_warp(). */
struct model {
	const struct td_gpu_app *app;
	struct tally t;
	uint64_t page[64];
	unsigned n;
};

static inline void lane(struct model *m, unsigned array, uint64_t byte)
{
	uint64_t page = (m->app->array[array].base + byte) / PAGE_BYTES;

	assert_true(byte < m->app->array[array].bytes);
	for (unsigned i = 0; i < m->n; i++) {
		if (m->page[i] == page)
			return;
	}
	m->page[m->n++] = page;
}

static inline void end_warp(struct model *m, unsigned pc)
{
	for (unsigned i = 0; i < m->n; i++)
		m->t.n[pc * m->t.pages + m->page[i]]++;
	m->n = 0;
}

/* Warps end every 32 threads, and with the block. */
static inline void end_lane(struct model *m, unsigned pc, uint64_t thread, uint64_t threads)
{
	if (thread % 32 == 31 || thread + 1 == threads)
		end_warp(m, pc);
}

static inline void assert_like_model(const char *spec, void (*model)(struct model *m))
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct model m = {.app = td_gpu_of(s), .t = new_tally(td_gpu_of(s))};
	struct tally t = tally_of(s);

	model(&m);
	for (uint64_t i = 0; i < PCS * t.pages; i++) {
		if (t.n[i] != m.t.n[i])
			fail_msg("%s: pc %ju page %ju accessed %ju times instead of %ju", spec,
				 i / t.pages, i % t.pages, t.n[i], m.t.n[i]);
	}
	free(t.n);
	free(m.t.n);
	td_trace_close(s);
}

#endif
