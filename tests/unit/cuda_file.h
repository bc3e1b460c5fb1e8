/* A runtime with one file of PAGES pages, which the test defines, and how often each was written.
 */
#ifndef CUDA_FILE_H
#define CUDA_FILE_H

#include "cuda_help.h"

struct fixture {
	char path[64];
	struct tide_gpu *g;
	struct tide_span span;
	unsigned versions[PAGES];
};

static inline void set_up(struct fixture *f, const struct tide_gpu_options *o, bool writable)
{
	struct tide_error err;
	struct tide_gpu_array_options how = {
		.size = sizeof how, .path = f->path, .writable = writable};
	memset(f->versions, 0, sizeof f->versions);
	make_file(f->path, PAGES * PAGE);
	assert_ok(gpu->open(&f->g, o, &err), &err);
	assert_ok(gpu->array(f->g, &f->span, 0, &how, &err), &err);
	assert_int_equal(f->span.bytes, PAGES * PAGE);
}

static inline struct launch launch_of(struct fixture *f, unsigned accesses)
{
	return (struct launch){.g = f->g,
			       .span = f->span,
			       .warps = 4,
			       .accesses = accesses,
			       .seed = 7,
			       .versions = f->versions,
			       .body = body_random};
}

static inline void tear_down(struct fixture *f)
{
	struct tide_error err;
	if (f->g)
		assert_ok(gpu->close(f->g, &err), &err);
	unlink(f->path);
}

#endif
