/* The GPU runtime: arrays in a file, or in scratch space, larger than the memory of the GPU.
 *
 *     struct tide_gpu *g;
 *     struct tide_span data;
 *     struct tide_gpu_options o = {.size = sizeof o, .near_size = "4G", .host = "16G"};
 *     struct tide_gpu_array_options how = {.size = sizeof how, .path = "big.bin",
 *                                          .writable = true};
 *     if (tide_gpu_open(&g, &o, &err) == 0 && tide_gpu_array(g, &data, 0, &how, &err) == 0)
 *             tide_launch(g, &err, grid, block, 1, scale, data);       (tide/device.cuh)
 *     tide_gpu_sync(g, &err);
 *
 * Kernels get at the pages through tide/device.cuh. Three tiers: near memory on the GPU, pinned
 * memory of the host, and the file. Who serves a page that is not near is `orchestrate`: threads of
 * the GPU, or the engine on the processor with any policy of `tide policies`.
 *
 * This part of libtide is a door: behind it is libtide_cuda.so, which is loaded when the first call
 * needs it. Where that library, the driver or a GPU is missing, calls return -ENODEV and say which.
 *
 * Calls return 0 or a negative errno and then fill err (which may be NULL) with one sentence. One
 * thread at a time may use a handle, and no kernel may run but between tide_gpu_begin() and
 * tide_gpu_end(), which tide_launch() calls. */
#ifndef TIDE_GPU_H
#define TIDE_GPU_H

#include <stddef.h>

#include "device/span.h"
#include "error.h"
#include "event.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tide_gpu;

/* Everything not set is its default. Texts are written as on the command line. */
struct tide_gpu_options {
	size_t size;             /* sizeof(struct tide_gpu_options) */
	const char *near_size;   /* tier 1: "4G", "1024p"; required */
	const char *host;        /* tier 2, pinned memory: "16G"; none */
	const char *page;        /* "64K"; a power of two, 4K to 2M */
	const char *place;       /* "reuse"; "bam", "tier-order", "random:p=0.5" */
	const char *transfer;    /* between tiers 1 and 2: "zero-copy"; "dma", "hybrid" */
	const char *storage;     /* tier 3 of arrays without a file: made or overwritten */
	const char *address;     /* all arrays together, at most; 16 times near and host */
	const char *orchestrate; /* "gpu"; "host" */
	const char *evict;       /* host orchestration: "lrm" */
	const char *prefetch;    /* host orchestration: "tree" */
	const char *chunk;       /* host orchestration: "2M", or in pages "16p" */
	const char *shards;      /* of the clock: "64", fewer where near memory is small */
	const char *staging;     /* pinned memory for what is on its way to and from files: "96M" */
	const char *proxies;     /* threads that serve files: "2" */
	const char *timeout;     /* a wait of the GPU that takes longer is an error: "30s" */
	const char *seed;        /* "1" */
	const char *inject;      /* failures to inject, for tests: see docs/gpu.md */
	const char *log;         /* decisions of one warp, to compare with tide sim's; NULL: none */
	int device;              /* number of the GPU */
};

int tide_gpu_open(struct tide_gpu **out, const struct tide_gpu_options *options,
		  struct tide_error *err);

struct tide_gpu_array_options {
	size_t size;      /* sizeof(struct tide_gpu_array_options) */
	const char *path; /* NULL: no file, all zero at first; needs options.storage */
	uint64_t offset;  /* in the file: a multiple of the page size */
	bool writable;    /* without a file: always */
};

/* bytes 0: the whole file; more than it has is -EINVAL. */
int tide_gpu_array(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		   const struct tide_gpu_array_options *how, struct tide_error *err);

/* Around every launch; tide_launch() does it. warps: of the kernel that can be resident at once;
 * pins: pages that one of them holds at once, its cursors and what it waits for together. Too
 * little near memory for that is -ENOSPC. */
int tide_gpu_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err);
/* Waits for the kernel. What failed while it ran, once: the first of a failed read (the kernel saw
 * zeros), a failed write (the data is kept, tide_gpu_sync() tries again), a wait that took too
 * long. */
int tide_gpu_end(struct tide_gpu *g, struct tide_error *err);

/* Everything that kernels wrote to arrays of files is on storage when it returns. */
int tide_gpu_sync(struct tide_gpu *g, struct tide_error *err);

/* Bytes of an array, wherever they are now; between launches. */
int tide_gpu_read(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		  uint64_t bytes, struct tide_error *err);
int tide_gpu_write(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		   uint64_t bytes, struct tide_error *err);

/* Its pages will not be needed soon: they leave near memory for tier 2, as far as that has room;
 * between launches. */
int tide_gpu_demote(struct tide_gpu *g, struct tide_span array, struct tide_error *err);

/* Everything out of tiers 1 and 2 (written first where dirty), and the predictor as at the start,
 * so that runs can be compared; counts go back to zero. */
int tide_gpu_reset(struct tide_gpu *g, struct tide_error *err);

struct tide_gpu_stats {
	size_t size; /* sizeof(struct tide_gpu_stats) */
	struct tide_counts counts;
	double slope, intercept; /* of the line from accesses to reuse distance */
#define TIDE_FIGURE(name, help) uint64_t name;
#include "gpu_figures.def"
#undef TIDE_FIGURE
};

int tide_gpu_stats(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err);
/* The same as a JSON document, to be freed with free(). */
int tide_gpu_stats_json(struct tide_gpu *g, char **text, struct tide_error *err);

/* At rest: no pins, frames and pages one to one, no page in two tiers. -EUCLEAN: says what is not.
 */
int tide_gpu_check(struct tide_gpu *g, struct tide_error *err);

/* Syncs and frees everything. NULL is fine. */
int tide_gpu_close(struct tide_gpu *g, struct tide_error *err);

/* What there is. -ENODEV: no GPU can be used, and why. */
struct tide_gpu_info {
	size_t size; /* sizeof(struct tide_gpu_info) */
	char name[128];
	char driver[32], runtime[32]; /* versions: "13.0" */
	int device, devices, major, minor, multiprocessors;
	uint64_t memory_bytes, free_bytes, l2_bytes;
	unsigned warps; /* resident at once, at most */
};
int tide_gpu_info(struct tide_gpu_info *info, int device, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
