/* Events in full, and runs of GPU workloads compared by them. */
#ifndef GPU_ENTRIES_H
#define GPU_ENTRIES_H

#include "gpu_data.h"
#include "workload/gpu_run.h"

#define REGION (2 << 20)

/* Machines whose waves are a few blocks. */
static const struct td_gpu_machine small_machine = {"small", 3, 2, 1536, REGION};
static const struct td_gpu_machine tiny_machine = {"tiny", 1, 1, 1536, REGION};

struct entry {
	uint64_t page;
	uint32_t kernel, block, warp, pc, count;
	bool write;
};

struct entries {
	size_t n, room;
	struct entry *at;
};

static inline struct entry *keep(struct entries *all, struct entry e)
{
	if (all->n == all->room) {
		all->room = all->room * 2 + 4096;
		all->at = realloc(all->at, all->room * sizeof *all->at);
		assert_non_null(all->at);
	}
	all->at[all->n] = e;
	return &all->at[all->n++];
}

static inline struct entry entry_of(const struct tide_batch *batch, uint32_t i)
{
	const struct tide_batch_gpu *gpu = batch->gpu;

	return (struct entry){batch->page[i],
			      gpu->kernel[i],
			      gpu->block[i],
			      gpu->warp[i],
			      (uint32_t)batch->ref[i] - 1,
			      gpu->count[i],
			      batch->write[i]};
}

static inline struct entries read_entries(struct td_trace_source *s)
{
	struct tide_batch *batch = new_batch();
	struct entries all = {0};

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++)
			keep(&all, entry_of(batch, i));
	}
	free_batch(batch);
	return all;
}

static inline void assert_same(const char *what, const struct entries *a, const struct entries *b,
			       bool counts)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		const struct entry *x = &a->at[i], *y = &b->at[i];
		if (x->page != y->page || x->kernel != y->kernel || x->block != y->block ||
		    x->warp != y->warp || x->pc != y->pc || x->write != y->write ||
		    (counts && x->count != y->count))
			fail_msg("%s: event %zu is kernel %u block %u warp %u pc %u page %ju count "
				 "%u, not kernel %u block %u warp %u pc %u page %ju count %u",
				 what, i, x->kernel, x->block, x->warp, x->pc, (uintmax_t)x->page,
				 x->count, y->kernel, y->block, y->warp, y->pc, (uintmax_t)y->page,
				 y->count);
	}
	if (a->n != b->n)
		fail_msg("%s: %zu events, not %zu", what, a->n, b->n);
}

/* The first events of every page and pc in each wave. */
static inline struct entries first_touches(struct td_trace_source *s)
{
	struct td_gpu_app *app = td_gpu_of(s);
	const struct td_gpu_array *last = &app->array[app->arrays - 1];
	uint64_t pages = (last->base + last->bytes) / app->page_bytes + 1, width = 1, waves = 0;
	uint64_t *seen = calloc(pages * 256, sizeof *seen);
	struct tide_batch *batch = new_batch();
	uint32_t kernel = UINT32_MAX;
	struct entries first = {0};

	assert_non_null(seen);
	assert_int_equal(s->ops->rewind(s, NULL), 0);
	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			struct entry e = entry_of(batch, i);
			if (e.kernel != kernel) {
				struct td_gpu_launch l;
				kernel = e.kernel;
				assert_true(app->launch(app, kernel, &l));
				width = td_gpu_together(app->machine, &l);
				waves += 1000000;
			}
			uint64_t wave = waves + e.block / width, *was = &seen[e.page * 256 + e.pc];
			if (*was != wave)
				keep(&first, e);
			*was = wave;
		}
	}
	free_batch(batch);
	free(seen);
	return first;
}

static inline void free_all(struct entries *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(all[i].at);
}

#endif
