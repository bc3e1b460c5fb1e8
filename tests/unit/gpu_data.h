/* Runs of workloads that compute something. */
#ifndef GPU_DATA_H
#define GPU_DATA_H

#include "gpu_model.h"

#define LANES 32

/* Runs a source to its end: a hash of all events. */
static inline uint64_t run_through(struct td_trace_source *s)
{
	struct tide_batch *batch = new_batch();
	uint64_t hash = 0;

	while (next_batch(s, batch)) {
		for (uint32_t i = 0; i < batch->n; i++) {
			hash = tide_hash64(hash + batch->page[i]);
			hash = tide_hash64(hash + batch->ref[i] * 2 + batch->write[i]);
			hash = tide_hash64(hash + batch->stream[i] + batch->gpu->count[i]);
		}
	}
	free_batch(batch);
	return hash;
}

/* A source that has run to its end. */
static inline struct td_trace_source *done(const char *spec)
{
	struct td_trace_source *s = open_source(spec, PAGE_BYTES, 1);

	run_through(s);
	return s;
}

#endif
