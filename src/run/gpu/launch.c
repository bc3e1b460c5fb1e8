/* Kernels. */
#include "preload.h"

static cu_result begin(struct td_gpu_passage *p, cu_function function, cu_stream stream,
		       void **params, void **extra)
{
	td_gpu_begin(p, TD_VMM_LAUNCH, stream);
	if (!td_gpu_follows(p))
		return CU_OK;
	p->kernel = td_gpu_kernel(function);
	td_gpu_name_params(&p->work, p->kernel, params, extra);
	return td_gpu_enter(p);
}

#define LAUNCH(name, default_stream) \
	cu_result name(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
		       unsigned block_x, unsigned block_y, unsigned block_z, \
		       unsigned shared_bytes, cu_stream stream, void **params, void **extra) \
	{ \
		struct td_gpu_passage p; \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		cu_result rc = begin(&p, function, default_stream(stream), params, extra); \
		if (!rc) \
			rc = td_gpu_next.name(function, grid_x, grid_y, grid_z, block_x, block_y, \
					      block_z, shared_bytes, stream, params, extra); \
		td_gpu_leave(&p); \
		return rc; \
	}

#define LAUNCH_EX(name, default_stream) \
	cu_result name(const struct cu_launch *how, cu_function function, void **params, \
		       void **extra) \
	{ \
		struct td_gpu_passage p; \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		if (!how) \
			return CU_INVALID_VALUE; \
		cu_result rc = begin(&p, function, default_stream(how->stream), params, extra); \
		if (!rc) \
			rc = td_gpu_next.name(how, function, params, extra); \
		td_gpu_leave(&p); \
		return rc; \
	}

#define LAUNCH_COOPERATIVE(name, default_stream) \
	cu_result name(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
		       unsigned block_x, unsigned block_y, unsigned block_z, \
		       unsigned shared_bytes, cu_stream stream, void **params) \
	{ \
		struct td_gpu_passage p; \
		if (!td_gpu_find_driver() || !td_gpu_next.name) \
			return CU_NOT_SUPPORTED; \
		cu_result rc = begin(&p, function, default_stream(stream), params, NULL); \
		if (!rc) \
			rc = td_gpu_next.name(function, grid_x, grid_y, grid_z, block_x, block_y, \
					      block_z, shared_bytes, stream, params); \
		td_gpu_leave(&p); \
		return rc; \
	}

#define TD_WRAP(name, base, version, per_thread, parameters) \
	TD_EXPORT cu_result name parameters;
#include "wrapped.def"
#undef TD_WRAP

LAUNCH(cuLaunchKernel, td_gpu_legacy)
LAUNCH(cuLaunchKernel_ptsz, td_gpu_per_thread)
LAUNCH_EX(cuLaunchKernelEx, td_gpu_legacy)
LAUNCH_EX(cuLaunchKernelEx_ptsz, td_gpu_per_thread)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, td_gpu_legacy)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, td_gpu_per_thread)

cu_result cuModuleUnload(cu_module module)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuModuleUnload)
		return CU_NOT_SUPPORTED;
	cu_result rc = td_gpu_next.cuModuleUnload(module);
	td_gpu_forget_kernels();
	return rc;
}

cu_result cuLibraryUnload(void *library)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuLibraryUnload)
		return CU_NOT_SUPPORTED;
	cu_result rc = td_gpu_next.cuLibraryUnload(library);
	td_gpu_forget_kernels();
	return rc;
}

cu_result cuStreamDestroy_v2(cu_stream stream)
{
	if (!td_gpu_find_driver() || !td_gpu_next.cuStreamDestroy_v2)
		return CU_NOT_SUPPORTED;
	if (td_gpu.vmm)
		td_vmm_forget_stream(td_gpu.vmm, stream);
	return td_gpu_next.cuStreamDestroy_v2(stream);
}
