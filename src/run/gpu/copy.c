/* Copies and sets of memory go where the memory is. */
#include "preload.h"

static void name_2d(struct td_vmm_work *w, const struct cu_copy_2d *c)
{
	if (c->src_type == CU_MEMORY_DEVICE || c->src_type == CU_MEMORY_UNIFIED)
		td_vmm_name(w, c->src_device + c->src_y * c->src_pitch,
			    (c->src_pitch ? c->src_pitch : c->src_x + c->width) * c->height, false);
	if (c->dst_type == CU_MEMORY_DEVICE || c->dst_type == CU_MEMORY_UNIFIED)
		td_vmm_name(w, c->dst_device + c->dst_y * c->dst_pitch,
			    (c->dst_pitch ? c->dst_pitch : c->dst_x + c->width) * c->height, true);
}

static uint64_t span(size_t pitch, size_t rows, size_t y, size_t height, size_t z, size_t depth)
{
	size_t slice = rows ? rows : y + height;
	return pitch * slice * (z + depth);
}

/* From the first byte of the box's memory on: more than the box, and simple. */
static void name_3d(struct td_vmm_work *w, const struct cu_copy_3d *c)
{
	if (c->src_type == CU_MEMORY_DEVICE || c->src_type == CU_MEMORY_UNIFIED)
		td_vmm_name(w, c->src_device,
			    span(c->src_pitch ? c->src_pitch : c->src_x + c->width, c->src_height,
				 c->src_y, c->height, c->src_z, c->depth),
			    false);
	if (c->dst_type == CU_MEMORY_DEVICE || c->dst_type == CU_MEMORY_UNIFIED)
		td_vmm_name(w, c->dst_device,
			    span(c->dst_pitch ? c->dst_pitch : c->dst_x + c->width, c->dst_height,
				 c->dst_y, c->height, c->dst_z, c->depth),
			    true);
}

#define LEGACY td_gpu_legacy
#define PER_THREAD td_gpu_per_thread
#define NAME(at, n, written) \
	if ((n) != 0) \
		td_vmm_name(&p.work, at, n, written);
#define TO(at, n) NAME(at, n, true)
#define FROM(at, n) NAME(at, n, false)
#define HOST(from, to, n) td_gpu_note_words(from, to, n);
#define COPY_2D(copy) name_2d(&p.work, copy);
#define COPY_3D(copy) name_3d(&p.work, copy);
#define ALL() p.work.everything = true;

#define TD_COPY(name, suffix, base, version, per_thread, stream_, done, parameters, arguments, said) \
	TD_EXPORT cu_result name##suffix parameters; \
	cu_result name##suffix parameters \
	{ \
		struct td_gpu_passage p; \
		if (!td_gpu_find_driver() || !td_gpu_next.name##suffix) \
			return CU_NOT_SUPPORTED; \
		td_gpu_begin(&p, TD_VMM_COPY, stream_, done); \
		if (p.vmm) { \
			said \
		} \
		td_gpu_enter(&p); \
		cu_result rc = td_gpu_next.name##suffix arguments; \
		td_gpu_leave(&p); \
		return rc; \
	}
#include "copies.def"
