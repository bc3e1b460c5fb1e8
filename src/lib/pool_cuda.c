/* The GPU as device memory of the pool. */
#include <dlfcn.h>
#include <errno.h>

#include "cuda.h"
#include "tide/gpu.h"

int td_lib_pool_cuda(const struct td_pool_device **out, struct tide_error *err)
{
	struct tide_gpu_info info = {.size = sizeof info};
	struct tide_error why = {0, ""};
	int rc = tide_gpu_info(&info, 0, err); /* is there one? */
	void *library = rc ? NULL : td_lib_load_cuda(&why);
	const struct td_pool_module *m = library ? dlsym(library, TD_POOL_MODULE_SYMBOL) : NULL;

	if (rc)
		return rc;
	if (!m || m->api != TD_POOL_MODULE_API || m->size != sizeof *m->device)
		return tide_fail(err, -ENODEV,
				 "the libtide_cuda.so that was found has no device memory for this "
				 "version: install both anew");
	*out = m->device;
	return 0;
}
