/* The CUDA driver as the programs of this folder see it, and the kernels that the fake one runs. */
#ifndef GPU_RUN_DRIVER_H
#define GPU_RUN_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "mech/vmm/cuda.h"

/* What cuGraphExecUpdate says. */
struct driver_update {
	int result;
	cu_node failed, from;
};

/* An image for cuModuleLoadData() is a table of C functions. `params` is the parameter buffer, with
 * the parameters at their offsets. A kernel runs once for its whole grid. */
struct fake_grid {
	unsigned grid[3], block[3];
	void *const *globals; /* the addresses of the image's variables */
};

struct fake_param {
	size_t offset, bytes;
};

struct fake_kernel {
	const char *name;
	void (*run)(const struct fake_grid *grid, const void *params);
	size_t params_n;
	const struct fake_param *params;
};

struct fake_global {
	const char *name;
	size_t bytes;
};

#define FAKE_IMAGE "fake cuda image"

struct fake_image {
	char magic[16]; /* FAKE_IMAGE */
	size_t kernels_n;
	const struct fake_kernel *kernels;
	size_t globals_n;
	const struct fake_global *globals;
};

/* The driver's functions: linked in (driver_linked.c), or loaded by name (driver_loaded.c). */
struct driver {
#define CALL(name, base, since, arguments) cu_result(*name) arguments;
#include "driver.def"
#undef CALL
	uint64_t (*fake_cuda_peak)(void);
	uint64_t (*fake_cuda_device_bytes)(void);
};

/* It ends the program where the driver cannot be had. */
const struct driver *driver(void);

#endif
