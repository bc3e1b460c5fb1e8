/* The GPU as the runtime needs it: memory, copies, and waiting. device_cuda.c has one;
 * device_host.c plays one with plain memory, so that tests run everything else where there is no
 * GPU. A program links one of the two.
 *
 * Addresses of the three kinds are the same for the processor and the GPU; but what memory() gives
 * may be touched by the GPU and by copies alone. */
#ifndef TD_MECH_CUDA_DEVICE_H
#define TD_MECH_CUDA_DEVICE_H

#include "core/cuda_current.h"
#include "tide/gpu.h"

/* Makes copies one after another, while kernels run. */
struct td_cuda_stream;

struct td_cuda_device {
	const char *name; /* of the kind: "cuda", "host" */
	/* After enter(). */
	int (*info)(struct tide_gpu_info *info, int device, struct tide_error *err);
	/* Every thread of the runtime calls this first: it works with this GPU from then on. */
	int (*choose)(int device, struct tide_error *err);
	/* A thread of the caller works with the GPU until leave(). Then its own GPU is current
	 * again. */
	int (*enter)(struct td_cuda_current *thread, int device, struct tide_error *err);
	void (*leave)(const struct td_cuda_current *thread);

	int (*memory)(void **out, uint64_t bytes, struct tide_error *err); /* of the GPU */
	void (*memory_free)(void *at, uint64_t bytes);
	/* Pinned memory of the host, all zero. It begins at a page, so that direct I/O works. */
	int (*pinned)(void **out, uint64_t bytes, struct tide_error *err);
	void (*pinned_free)(void *at, uint64_t bytes);

	/* Copies between any two places, and returns when the copy is done. It waits for kernels,
	 * so do not call it while one runs. */
	int (*copy)(void *to, const void *from, uint64_t bytes, struct tide_error *err);
	int (*fill)(void *at, int byte, uint64_t bytes, struct tide_error *err);
	/* Waits until no kernel runs, and gives what went wrong in them. limit_ns: waits no
	 * longer, unless it is 0; -ETIMEDOUT: a kernel still runs. */
	int (*synchronize)(uint64_t limit_ns, struct tide_error *err);

	/* A stream belongs to one thread at a time. Calls that threads of the runtime make return
	 * a negative errno without a sentence, because these threads have no caller to tell. */
	int (*stream_open)(struct td_cuda_stream **out, struct tide_error *err);
	void (*stream_close)(struct td_cuda_stream *s);
	int (*stream_copy)(struct td_cuda_stream *s, void *to, const void *from, uint64_t bytes);
	/* Ends a batch: the copies since the last mark. At most TD_CUDA_MARKS may be open. */
	int (*stream_mark)(struct td_cuda_stream *s);
	/* How many marks have been reached since the stream was opened. Does not wait. */
	int (*stream_reached)(struct td_cuda_stream *s, uint64_t *marks);
	int (*stream_wait)(struct td_cuda_stream *s); /* for all copies */
};

#define TD_CUDA_MARKS 64

extern const struct td_cuda_device td_cuda_device;

#endif
