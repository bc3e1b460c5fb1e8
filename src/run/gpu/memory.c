/* Allocations of the program, and its questions about addresses. Small allocations stay with the
 * driver: they are on the card, and count against the budget. */
#include "preload.h"

#define LOOK_BYTES ((uint64_t)1 << 20) /* of small allocations, after which tide looks at the card */
#define PITCH 512 /* bytes; what the driver gives, too */

#define TD_WRAP(name, base, version, per_thread, parameters) \
	TD_EXPORT cu_result name parameters;
#include "wrapped.def"
#undef TD_WRAP

#define HAS(name) (td_gpu_find_driver() && td_gpu_next.name)

/* ---- taking ---- */

static bool wants(size_t bytes)
{
	return td_gpu.on && !td_gpu_inside && bytes >= td_gpu.threshold_bytes;
}

static bool is_captured(cu_stream stream)
{
	int capturing = 0;
	cu_result rc = td_gpu_cuda.cuStreamIsCapturing(stream, &capturing);
	return rc ? rc == CU_STREAM_CAPTURE_IMPLICIT : capturing;
}

/* False: the allocation passes. */
static bool take(cu_ptr *at, size_t bytes, cu_result *rc)
{
	if (!at || !wants(bytes) || !td_gpu_open())
		return false;
	td_gpu_inside++;
	*rc = td_vmm_alloc(td_gpu.vmm, bytes, at);
	td_gpu_inside--;
	if (*rc == CU_OUT_OF_MEMORY)
		td_gpu_say("the program asked for %zu MiB more than card and host have room for: "
			   "give more by --gpu-near or --gpu-host",
			   bytes >> 20);
	return true;
}

/* The driver takes memory at once, which a capture may forbid. */
static bool take_now(cu_ptr *at, size_t bytes, cu_result *rc)
{
	if (at && wants(bytes) && td_gpu.vmm && (*rc = td_vmm_forbidden(td_gpu.vmm)))
		return true;
	return take(at, bytes, rc);
}

static void count_passed(size_t bytes)
{
	static _Atomic uint64_t since;
	since += bytes;
	if (td_gpu.vmm && !td_gpu_inside && since >= LOOK_BYTES) {
		since = 0;
		td_vmm_look(td_gpu.vmm);
	}
}

static cu_result passed(cu_result rc, const cu_ptr *at, size_t bytes)
{
	if (!rc && at && td_gpu.on) {
		td_gpu.passed_allocations++;
		td_gpu_note_small(*at, bytes);
		count_passed(bytes);
	}
	return rc;
}

cu_result cuMemAlloc_v2(cu_ptr *at, size_t bytes)
{
	cu_result rc;
	if (!HAS(cuMemAlloc_v2))
		return CU_NOT_SUPPORTED;
	if (take_now(at, bytes, &rc))
		return rc;
	return passed(td_gpu_next.cuMemAlloc_v2(at, bytes), at, bytes);
}

cu_result cuMemAllocPitch_v2(cu_ptr *at, size_t *pitch, size_t width, size_t height, unsigned element)
{
	size_t row = (width + PITCH - 1) / PITCH * PITCH, bytes;
	cu_result rc;
	if (!HAS(cuMemAllocPitch_v2))
		return CU_NOT_SUPPORTED;
	if (pitch && width && !__builtin_mul_overflow(row, height, &bytes) &&
	    take_now(at, bytes, &rc)) {
		*pitch = row;
		return rc;
	}
	rc = td_gpu_next.cuMemAllocPitch_v2(at, pitch, width, height, element);
	return passed(rc, at, rc ? 0 : *pitch * height);
}

#define ALLOC_ASYNC(name, parameters, arguments, default_stream) \
	cu_result name parameters \
	{ \
		cu_result rc; \
		if (!HAS(name)) \
			return CU_NOT_SUPPORTED; \
		if (wants(bytes) && !is_captured(default_stream(stream)) && take(at, bytes, &rc)) \
			return rc; \
		return passed(td_gpu_next.name arguments, at, bytes); \
	}
ALLOC_ASYNC(cuMemAllocAsync, (cu_ptr *at, size_t bytes, cu_stream stream), (at, bytes, stream),
	    td_gpu_legacy)
ALLOC_ASYNC(cuMemAllocAsync_ptsz, (cu_ptr *at, size_t bytes, cu_stream stream), (at, bytes, stream),
	    td_gpu_per_thread)
ALLOC_ASYNC(cuMemAllocFromPoolAsync, (cu_ptr *at, size_t bytes, cu_pool pool, cu_stream stream),
	    (at, bytes, pool, stream), td_gpu_legacy)
ALLOC_ASYNC(cuMemAllocFromPoolAsync_ptsz, (cu_ptr *at, size_t bytes, cu_pool pool, cu_stream stream),
	    (at, bytes, pool, stream), td_gpu_per_thread)

/* ---- giving back ---- */

static bool is_ours(cu_ptr at)
{
	return td_gpu.on && td_gpu.vmm && td_vmm_in(td_vmm_arena(td_gpu.vmm), at);
}

static void forget_words(cu_ptr at)
{
	struct td_vmm_range range;
	if (td_vmm_find(td_gpu.vmm, at, &range))
		td_gpu_forget_words(range.base, range.end - range.base);
}

cu_result cuMemFree_v2(cu_ptr at)
{
	if (!HAS(cuMemFree_v2))
		return CU_NOT_SUPPORTED;
	if (!is_ours(at)) {
		if (td_gpu.on)
			td_gpu_forget_small(at);
		return td_gpu_next.cuMemFree_v2(at);
	}
	cu_result rc = td_vmm_forbidden(td_gpu.vmm);
	if (rc)
		return rc;
	forget_words(at);
	return td_vmm_free(td_gpu.vmm, at);
}

#define FREE_ASYNC(name, default_stream) \
	cu_result name(cu_ptr at, cu_stream stream) \
	{ \
		if (!HAS(name)) \
			return CU_NOT_SUPPORTED; \
		if (is_ours(at)) { \
			forget_words(at); \
			return td_vmm_free_after(td_gpu.vmm, at, default_stream(stream)); \
		} \
		if (td_gpu.on) \
			td_gpu_forget_small(at); \
		return td_gpu_next.name(at, stream); \
	}
FREE_ASYNC(cuMemFreeAsync, td_gpu_legacy)
FREE_ASYNC(cuMemFreeAsync_ptsz, td_gpu_per_thread)

/* ---- questions ---- */

cu_result cuMemGetInfo_v2(size_t *free, size_t *total)
{
	if (!HAS(cuMemGetInfo_v2))
		return CU_NOT_SUPPORTED;
	if (!free || !total || !td_gpu.on || td_gpu_inside || !td_gpu_open())
		return td_gpu_next.cuMemGetInfo_v2(free, total);
	td_vmm_room(td_gpu.vmm, free, total);
	return CU_OK;
}

cu_result cuMemGetAddressRange_v2(cu_ptr *base, size_t *bytes, cu_ptr at)
{
	struct td_vmm_range range;
	if (!HAS(cuMemGetAddressRange_v2))
		return CU_NOT_SUPPORTED;
	if (!is_ours(at) || !td_vmm_find(td_gpu.vmm, at, &range))
		return td_gpu_next.cuMemGetAddressRange_v2(base, bytes, at);
	if (base)
		*base = range.base;
	if (bytes)
		*bytes = range.end - range.base;
	return CU_OK;
}

/* Managed memory is the program's device memory, wherever it is just now. */
static void correct(void *value, int attribute, cu_ptr at, const struct td_vmm_range *range)
{
	if (attribute == CU_POINTER_CONTEXT)
		*(cu_context *)value = td_gpu.context;
	else if (attribute == CU_POINTER_DEVICE_ADDRESS)
		*(cu_ptr *)value = at;
	else if (attribute == CU_POINTER_BUFFER || attribute == CU_POINTER_RANGE_START)
		*(cu_ptr *)value = range->base;
	else if (attribute == CU_POINTER_RANGE_SIZE)
		*(size_t *)value = range->end - range->base;
}

cu_result cuPointerGetAttribute(void *value, int attribute, cu_ptr at)
{
	struct td_vmm_range range;
	if (!HAS(cuPointerGetAttribute))
		return CU_NOT_SUPPORTED;
	if (!is_ours(at) || !td_vmm_find(td_gpu.vmm, at, &range))
		return td_gpu_next.cuPointerGetAttribute(value, attribute, at);
	cu_result rc =
		td_gpu_next.cuPointerGetAttribute(value, attribute, td_vmm_page(td_gpu.vmm));
	if (!rc)
		correct(value, attribute, at, &range);
	return rc;
}

cu_result cuPointerGetAttributes(unsigned n, int *attributes, void **values, cu_ptr at)
{
	struct td_vmm_range range;
	if (!HAS(cuPointerGetAttributes))
		return CU_NOT_SUPPORTED;
	if (!is_ours(at) || !td_vmm_find(td_gpu.vmm, at, &range))
		return td_gpu_next.cuPointerGetAttributes(n, attributes, values, at);
	cu_result rc = td_gpu_next.cuPointerGetAttributes(n, attributes, values,
							  td_vmm_page(td_gpu.vmm));
	for (unsigned i = 0; !rc && i < n; i++)
		correct(values[i], attributes[i], at, &range);
	return rc;
}

/* A texture of linear memory: kernels get its handle, and not the address. Resource type 2 and 3
 * have the address behind the type. */
cu_result cuTexObjectCreate(uint64_t *object, const void *resource, const void *texture,
			    const void *view)
{
	struct {
		int type;
		cu_ptr at;
	} const *linear = resource;
	if (!HAS(cuTexObjectCreate))
		return CU_NOT_SUPPORTED;
	if (linear && (linear->type == 2 || linear->type == 3) && is_ours(linear->at))
		td_vmm_pin(td_gpu.vmm, linear->at);
	return td_gpu_next.cuTexObjectCreate(object, resource, texture, view);
}
