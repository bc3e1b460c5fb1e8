/* The calls of tide/gpu.h. They load libtide_cuda.so when it is first needed, and pass on to it.
 * The library stays loaded. A handle that it opens knows the functions that it belongs to. */
#include "tide/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"
#include "mech/cuda/driver.h"
#include "sized.h"

#define LIBRARY "libtide_cuda.so"

/* ---- finding it ---- */

/* The folder of what this code is part of: libtide.so, a module, or a program with libtide.a. */
static void own_folder(char *path, size_t size)
{
	Dl_info info;

	*path = '\0';
	if (!dladdr((const void *)&tide_gpu_open, &info) || info.dli_fname[0] != '/')
		return;
	if (snprintf(path, size, "%s", info.dli_fname) < (int)size)
		*strrchr(path, '/') = '\0';
	else
		*path = '\0';
}

static void program_folder(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	path[n > 0 ? n : 0] = '\0';
	if (n > 0)
		*strrchr(path, '/') = '\0';
}

static void *open_library(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* NULL: the library is not there. Or, if err is set, it is there and cannot be loaded. */
static void *load_from(const char *folder, const char *below, struct tide_error *err)
{
	char path[PATH_MAX * 2];
	void *library;

	snprintf(path, sizeof path, "%s%s/" LIBRARY, folder, below);
	if (err->code || !*folder || access(path, F_OK))
		return NULL;
	library = open_library(path);
	if (!library)
		tide_fail(err, -ENODEV, "%s cannot be loaded: %s", path, dlerror());
	return library;
}

void *td_lib_load_cuda(struct tide_error *err)
{
	char own[PATH_MAX], program[PATH_MAX];
	const struct {
		const char *folder, *below;
	} places[] = {{own, ""},
		      {own, "/tide"},
		      {program, ""},
		      {program, "/" TD_LIB_MODULES_BELOW},
		      {TD_LIB_MODULES, ""}};
	void *library = NULL;

	own_folder(own, sizeof own);
	program_folder(program, sizeof program);
	for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++)
		library = load_from(places[i].folder, places[i].below, err);
	if (!library && !err->code)
		library = open_library(LIBRARY);
	if (!library && !err->code)
		tide_fail(err, -ENODEV,
			  "no " LIBRARY " beside %s nor in " TD_LIB_MODULES
			  ": build tide where there is an nvcc, and install it",
			  *own ? own : program);
	return library;
}

static int find_driver(const struct td_gpu_driver **out, struct tide_error *err)
{
	struct tide_error why = {0, ""};
	void *library = td_lib_load_cuda(&why);
	const struct td_gpu_driver *d = NULL;

	if (!library)
		return tide_fail(err, why.code, "%s", why.text);
	d = dlsym(library, TD_GPU_DRIVER_SYMBOL);
	if (!d)
		return tide_fail(err, -ENODEV,
				 "the " LIBRARY " that was found is not one of tide's: remove it");
	if (d->api != TD_GPU_DRIVER_API || d->size != sizeof *d)
		return tide_fail(err, -ENODEV,
				 "the " LIBRARY " that was found is of another version (%u, %u "
				 "bytes; %u, %zu bytes are needed): install both anew",
				 d->api, d->size, TD_GPU_DRIVER_API, sizeof *d);
	*out = d;
	return 0;
}

/* ---- the calls ---- */

static const char kind[] = "tide_gpu";

static int usable(const struct tide_gpu *g, struct tide_error *err)
{
	return td_handle_check(g, kind, err);
}

static const struct td_gpu_driver *driver_of(const struct tide_gpu *g)
{
	return ((const struct td_gpu_head *)(const void *)g)->driver;
}

int tide_gpu_open(struct tide_gpu **out, const struct tide_gpu_options *options,
		  struct tide_error *err)
{
	struct tide_gpu_options own = {0};
	const struct td_gpu_driver *d = NULL;
	int rc = td_lib_given(out, "out", err);

	if (!rc)
		rc = TD_LIB_TAKE(&own, options, tide_gpu_options, err);
	if (!rc)
		rc = find_driver(&d, err);
	if (!rc)
		rc = d->open(out, &own, err);
	if (!rc)
		((struct td_gpu_head *)(void *)*out)->handle.kind = kind;
	return rc;
}

int tide_gpu_info(struct tide_gpu_info *info, int device, struct tide_error *err)
{
	struct tide_gpu_info own = {0};
	const struct td_gpu_driver *d = NULL;
	int rc = find_driver(&d, err);

	if (!rc)
		rc = d->info(&own, device, err);
	return rc ? rc : TD_LIB_GIVE(info, &own, tide_gpu_info, err);
}

int tide_gpu_device(const struct tide_gpu *g, int *device, struct tide_error *err)
{
	int rc = usable(g, err);

	if (!rc)
		rc = td_lib_given(device, "device", err);
	if (!rc)
		*device = driver_of(g)->number(g);
	return rc;
}

int tide_gpu_array(struct tide_gpu *g, struct tide_span *out, uint64_t bytes,
		   const struct tide_gpu_array_options *how, struct tide_error *err)
{
	struct tide_gpu_array_options own = {0};
	int rc = usable(g, err);

	if (!rc)
		rc = td_lib_given(out, "out", err);
	if (!rc && how)
		rc = TD_LIB_TAKE(&own, how, tide_gpu_array_options, err);
	return rc ? rc : driver_of(g)->array(g, out, bytes, how ? &own : NULL, err);
}

int tide_gpu_kernels(struct tide_gpu *g, const struct tide_gpu_layout *kernels,
		     struct tide_error *err)
{
	struct tide_gpu_layout own = {0};
	int rc = usable(g, err);

	if (!rc)
		rc = td_lib_given(kernels, "kernels", err);
	if (!rc)
		rc = TD_LIB_TAKE(&own, kernels, tide_gpu_layout, err);
	return rc ? rc : driver_of(g)->kernels(g, &own, err);
}

int tide_gpu_begin(struct tide_gpu *g, uint64_t warps, unsigned pins, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->begin(g, warps, pins, err);
}

int tide_gpu_end(struct tide_gpu *g, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->end(g, err);
}

int tide_gpu_sync(struct tide_gpu *g, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->sync(g, err);
}

int tide_gpu_read(struct tide_gpu *g, struct tide_span array, uint64_t offset, void *to,
		  uint64_t bytes, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->read(g, array, offset, to, bytes, err);
}

int tide_gpu_write(struct tide_gpu *g, struct tide_span array, uint64_t offset, const void *from,
		   uint64_t bytes, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->write(g, array, offset, from, bytes, err);
}

int tide_gpu_demote(struct tide_gpu *g, struct tide_span array, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->demote(g, array, err);
}

int tide_gpu_reset(struct tide_gpu *g, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->reset(g, err);
}

int tide_gpu_stats(struct tide_gpu *g, struct tide_gpu_stats *stats, struct tide_error *err)
{
	struct tide_gpu_stats own = {0};
	int rc = usable(g, err);

	if (!rc)
		rc = driver_of(g)->stats(g, &own, err);
	own.counts.size = sizeof own.counts;
	return rc ? rc : TD_LIB_GIVE(stats, &own, tide_gpu_stats, err);
}

int tide_gpu_stats_json(struct tide_gpu *g, char **text, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->stats_json(g, text, err);
}

int tide_gpu_check(struct tide_gpu *g, struct tide_error *err)
{
	int rc = usable(g, err);

	return rc ? rc : driver_of(g)->check(g, err);
}

int tide_gpu_close(struct tide_gpu *g, struct tide_error *err)
{
	const struct td_gpu_driver *d = NULL;
	int rc = g ? usable(g, err) : 0;

	if (!g || rc)
		return rc;
	d = driver_of(g);
	((struct td_gpu_head *)(void *)g)->handle.kind = NULL;
	return d->close(g, err);
}
