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
 * Kernels access pages through tide/device.cuh. The three tiers are near memory on the GPU, pinned
 * host memory, and the file. `orchestrate` says what serves a fault: threads of the GPU, or the
 * engine on the processor with any policy of `tide policies`.
 *
 * The first call that needs libtide_cuda.so loads it. If that library, the driver or a GPU is
 * missing, calls return -ENODEV and err says what is missing.
 *
 * Calls return 0, or a negative errno and one sentence in err (which may be NULL). One thread at a
 * time may use a handle. Kernels may run only between tide_gpu_begin() and tide_gpu_end(), which
 * tide_launch() calls. Calls leave the thread's current GPU as they found it. */
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

/* Members that are not set have their defaults, which are given first. Texts are written as on the
 * command line. */
struct tide_gpu_options {
	size_t size;             /* sizeof(struct tide_gpu_options) */
	const char *near_size;   /* tier 1: "4G", "1024p"; required */
	const char *host;        /* tier 2, pinned memory, such as "16G"; NULL: none */
	const char *page;        /* "64K"; a power of two, 4K to 2M */
	const char *place;       /* "worth"; "reuse", "bam", "tier-order", "random:p=0.5" */
	const char *transfer;    /* between tiers 1 and 2: "zero-copy"; "dma", "hybrid" */
	const char *storage;     /* a file for arrays without a file: created or overwritten */
	const char *address;     /* limit of all arrays together; 16 times near and host */
	const char *orchestrate; /* "gpu"; "host" */
	const char *evict;       /* host orchestration: "lrm" */
	const char *prefetch;    /* host orchestration: "tree" */
	const char *chunk;       /* host orchestration: "2M", or in pages "16p" */
	const char *shards;      /* parts of the clock: "64", fewer if near memory is small */
	const char *staging;     /* pinned memory for pages on their way to and from files: "96M" */
	const char *proxies;     /* threads that serve files: "2" */
	const char *timeout;     /* a longer wait, of the GPU or for a policy, is an error: "30s" */
	const char *seed;        /* "1" */
	const char *inject;      /* failures to inject, for tests: see docs/gpu.md */
	const char *log;         /* decisions of one warp, to compare with tide sim's; NULL: none */
	int device;              /* number of the GPU */
	const char *watch;       /* a kernel that runs longer is given up: "10s"; NULL: none is.
				    tide_gpu_end() */
};

int tide_gpu_open(struct tide_gpu **out, const struct tide_gpu_options *options,
		  struct tide_error *err);

/* The number of the handle's GPU. A program that launches kernels by itself makes it the current
 * one (cudaSetDevice) first; tide_launch() does so, and goes back afterwards. */
int tide_gpu_device(const struct tide_gpu *g, int *device, struct tide_error *err);

struct tide_gpu_array_options {
	size_t size;      /* sizeof(struct tide_gpu_array_options) */
	const char *path; /* NULL: no file, zero at first; needs options.storage */
	uint64_t offset;  /* in the file: a multiple of the page size */
	bool writable;    /* without a file: always */
};

/* bytes 0: the whole file; -EINVAL beyond its end. */
int tide_gpu_array(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		   const struct tide_gpu_array_options *how, struct tide_error *err);

/* The layout of the runtime's tables (tide/device/) is compiled into kernels. This call tells the
 * runtime the layout of the kernels, which td_dev_layout() of device/layout.h gives. Make it before
 * tide_gpu_begin(); tide_launch() does so. -EPROTO: the kernels were compiled with the headers of
 * another tide, and must not run. */
struct tide_gpu_layout {
	size_t size;         /* sizeof(struct tide_gpu_layout) */
	uint32_t version;    /* TD_DEV_LAYOUT */
	uint32_t bytes;      /* of the control block */
	uint32_t placements; /* a checksum of their names */
};
int tide_gpu_kernels(struct tide_gpu *g, const struct tide_gpu_layout *kernels,
		     struct tide_error *err);

/* Call it before every launch; tide_launch() does so. warps: how many warps of the kernel can run
 * at once. pins: how many pages one warp holds at once, including the pages that it waits for.
 * -ENOSPC: near memory is too small for so many pins. -EINVAL: there are more than 65,535 pins of
 * all warps, the most that can be counted on one page. */
int tide_gpu_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err);
/* Waits for the kernel. Reports the first failure: a failed read (the kernel saw zeros), a failed
 * write (the data is kept, and tide_gpu_sync() tries again), a wait that took too long, or misuse
 * that a kernel with checks found (device/check.cuh).
 *
 * A kernel that runs longer than options.watch is told that nothing is to wait any more. If it ends
 * then, or within another 10 s, the call returns -ETIMEDOUT, and the handle can be used on. If not,
 * a warp is stuck where tide cannot reach it, say in a collective that some of its lanes do not
 * call. CUDA ends a kernel only with the process. So the call returns -ETIMEDOUT, all later calls
 * fail, and the handle's memory is not freed. */
int tide_gpu_end(struct tide_gpu *g, struct tide_error *err);

/* Puts everything that kernels wrote to file arrays on storage. */
int tide_gpu_sync(struct tide_gpu *g, struct tide_error *err);

/* Copy bytes of an array, in whatever tier they are. Call them between launches. */
int tide_gpu_read(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		  uint64_t bytes, struct tide_error *err);
int tide_gpu_write(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		   uint64_t bytes, struct tide_error *err);

/* Moves the array's pages to tier 2, as far as tier 2 has room. Call it between launches, for an
 * array that will not be needed soon. */
int tide_gpu_demote(struct tide_gpu *g, struct tide_span array, struct tide_error *err);

/* Writes dirty pages, empties tiers 1 and 2, and resets the predictor and all counts, so that runs
 * can be compared. */
int tide_gpu_reset(struct tide_gpu *g, struct tide_error *err);

struct tide_gpu_stats {
	size_t size; /* sizeof(struct tide_gpu_stats) */
	struct tide_counts counts;
	double slope, intercept; /* of the line from accesses to reuse distance */
#define TIDE_FIGURE(name, help) uint64_t name;
#define TIDE_FIGURE_TEXT(name, bytes) char name[bytes];
#include "gpu_figures.def"
#undef TIDE_FIGURE
};

int tide_gpu_stats(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err);
/* The same as a JSON document; free it with free(). */
int tide_gpu_stats_json(struct tide_gpu *g, char **text, struct tide_error *err);

/* Checks that there are no pins, that frames and pages match one to one, and that no page is in two
 * tiers. Call it between launches. -EUCLEAN: err says what is wrong. */
int tide_gpu_check(struct tide_gpu *g, struct tide_error *err);

/* Syncs and frees everything. NULL is allowed. */
int tide_gpu_close(struct tide_gpu *g, struct tide_error *err);

/* Describes the GPU. -ENODEV: no GPU can be used; err says why. */
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
