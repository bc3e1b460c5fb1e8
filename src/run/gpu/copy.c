/* Copies and sets of memory go where the memory is. */
#include "preload.h"

/* Bytes from the first of a box of rows to its last. One row needs no pitch. */
static uint64_t rows(size_t pitch, size_t width, size_t height)
{
	return height ? pitch * (height - 1) + width : 0;
}

static bool is_device(int type)
{
	return type == CU_MEMORY_DEVICE || type == CU_MEMORY_UNIFIED;
}

static void name_2d(struct td_vmm_work *w, const struct cu_copy_2d *c)
{
	size_t width = c->width;
	if (is_device(c->src_type) && width && c->height)
		td_vmm_name(w, c->src_device + c->src_y * c->src_pitch + c->src_x,
			    rows(c->src_pitch, width, c->height), false);
	if (is_device(c->dst_type) && width && c->height)
		td_vmm_name(w, c->dst_device + c->dst_y * c->dst_pitch + c->dst_x,
			    rows(c->dst_pitch, width, c->height), true);
}

/* From the first byte of the box's memory on: more than the box, and simple. */
static void name_3d(struct td_vmm_work *w, const struct cu_copy_3d *c)
{
	size_t end = c->width && c->height && c->depth, from, to;
	from = end * (c->src_x + c->width + c->src_pitch * (c->src_y + c->height +
							    c->src_height * (c->src_z + c->depth)));
	to = end * (c->dst_x + c->width + c->dst_pitch * (c->dst_y + c->height +
							  c->dst_height * (c->dst_z + c->depth)));
	if (is_device(c->src_type) && end)
		td_vmm_name(w, c->src_device, from, false);
	if (is_device(c->dst_type) && end)
		td_vmm_name(w, c->dst_device, to, true);
}

#define ROWS rows
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

#define TD_COPY(name, suffix, base, version, per_thread, stream_, parameters, arguments, said) \
	TD_EXPORT cu_result name##suffix parameters; \
	cu_result name##suffix parameters \
	{ \
		struct td_gpu_passage p; \
		if (!td_gpu_find_driver() || !td_gpu_next.name##suffix) \
			return CU_NOT_SUPPORTED; \
		td_gpu_begin(&p, TD_VMM_COPY, stream_); \
		if (p.vmm) { \
			said \
		} \
		cu_result rc = td_gpu_enter(&p); \
		if (!rc) \
			rc = td_gpu_next.name##suffix arguments; \
		td_gpu_leave(&p); \
		return rc; \
	}
#include "copies.def"
