/* Events in full, and runs of GPU workloads compared by them. */
#ifndef GPU_ENTRIES_H
#define GPU_ENTRIES_H

#include "gpu_data.h"
#include "lab/workload/gpu_run.h"
#include "tide/map.h"

#define REGION (2 << 20)

/* Machines whose waves are a few blocks. */
static const struct td_gpu_machine small_machine = {
	.sms = 3, .blocks_per_sm = 2, .threads_per_sm = 1536, .align_bytes = REGION};
static const struct td_gpu_machine tiny_machine = {
	.sms = 1, .blocks_per_sm = 1, .threads_per_sm = 1536, .align_bytes = REGION};

struct entry {
	uint64_t page;
	uint32_t kernel, block, warp, array, pc, count;
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

	return (struct entry){batch->page[i], gpu->kernel[i], gpu->block[i],
			      gpu->warp[i],   gpu->array[i],  (uint32_t)batch->ref[i] - 1,
			      gpu->count[i],  batch->write[i]};
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

static inline struct entries read_spec(const char *spec)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);
	struct entries all = read_entries(s);

	td_trace_close(s);
	return all;
}

static inline void free_all(struct entries *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(all[i].at);
}

static inline bool same_entry(const struct entry *a, const struct entry *b, bool counts)
{
	return a->page == b->page && a->kernel == b->kernel && a->block == b->block &&
	       a->warp == b->warp && a->array == b->array && a->pc == b->pc &&
	       a->write == b->write && (!counts || a->count == b->count);
}

static inline void assert_same(const char *what, const struct entries *a, const struct entries *b,
			       bool counts)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		const struct entry *x = &a->at[i], *y = &b->at[i];
		if (!same_entry(x, y, counts))
			fail_msg("%s: event %zu is kernel %u block %u warp %u pc %u%s page %ju "
				 "count %u, not kernel %u block %u warp %u pc %u%s page %ju count "
				 "%u",
				 what, i, x->kernel, x->block, x->warp, x->pc, x->write ? "w" : "r",
				 (uintmax_t)x->page, x->count, y->kernel, y->block, y->warp, y->pc,
				 y->write ? "w" : "r", (uintmax_t)y->page, y->count);
	}
	if (a->n != b->n)
		fail_msg("%s: %zu events, not %zu", what, a->n, b->n);
}

/* ---- first touches ---- */

/* Pages by a number that says how they were last seen. */
struct marks {
	struct tide_map map;
};

static inline uint64_t key_of(unsigned pc, bool write, uint64_t page)
{
	return page << 8 | pc << 1 | write;
}

/* Sets the mark of a key; what it was before, 0 if nothing. */
static inline uint32_t mark(struct marks *m, uint64_t key, uint32_t value)
{
	struct tide_map_entry *e = tide_map_find(&m->map, key);
	uint32_t before = e->value_plus_1 ? e->value_plus_1 - 1 : 0;

	if (e->value_plus_1)
		e->value_plus_1 = value + 1;
	else
		assert_int_equal(tide_map_put(&m->map, e, key, value), 0);
	return before;
}

/* What every wave does for the first time: an instruction's page. */
static inline struct entries first_of(struct td_gpu_app *app, const struct entries *all)
{
	struct entries first = {0};
	struct marks seen;
	uint32_t wave = 0, waves = 0, kernel = UINT32_MAX;
	uint64_t width = 1;

	assert_int_equal(tide_map_init(&seen.map, 1024), 0);
	for (size_t k = 0; k < all->n; k++) {
		struct entry *e = &all->at[k];
		if (e->kernel != kernel) {
			struct td_gpu_launch l;
			kernel = e->kernel;
			assert_true(app->launch(app, kernel, &l));
			waves = wave + 1; /* waves of earlier launches have lower numbers */
			width = td_gpu_together(app->machine, &l);
		}
		wave = waves + (uint32_t)(e->block / width);
		if (mark(&seen, key_of(e->pc, e->write, e->page), wave) != wave)
			keep(&first, *e);
	}
	tide_map_free(&seen.map);
	return first;
}

static inline struct entries first_touches(struct td_trace_source *s)
{
	assert_int_equal(s->ops->rewind(s, NULL), 0);
	struct entries all = read_entries(s), first = first_of(td_gpu_of(s), &all);

	free(all.at);
	return first;
}

#endif
