/* Figures; and the memory of the card that is not tide's, which counts against the budget too. */
#include <stdio.h>

#include "inside.h"

#define LEAST_SHARE 8  /* of the budget, which tide keeps whatever others use */
#define SPARE_SHARE 64 /* of the budget, for what others take until tide looks again */

static uint64_t spare_pages(const struct td_vmm *v)
{
	return v->near_pages / SPARE_SHARE + 1;
}

/* What tide may have of the card beside that. */
static uint64_t near_beside(const struct td_vmm *v, uint64_t unmanaged)
{
	uint64_t least = v->near_pages / LEAST_SHARE;
	uint64_t pages = (unmanaged + TD_VMM_PAGE - 1) / TD_VMM_PAGE + spare_pages(v);
	return v->near_pages > pages + least ? v->near_pages - pages : least;
}

static uint64_t used_pages(const struct td_vmm *v)
{
	return v->engine->near.capacity_pages - v->engine->near.free_pages;
}

/* Before work is followed, nothing may leave: nobody knows who uses it and whether it was written
 * to. */
static void keep_within(struct td_vmm *v, uint64_t near)
{
	if (!v->pressed && near < used_pages(v))
		near = used_pages(v);
	if (near == v->engine->near.capacity_pages)
		return;
	td_engine_resize(v->engine, &near, &v->error);
	v->card_limit = near;
}

static uint64_t look(struct td_vmm *v, size_t used)
{
	struct td_gpu_figures *f = &v->figures;
	uint64_t ours = v->others_bytes + v->card_pages * TD_VMM_PAGE;
	f->unmanaged_bytes = used > ours ? used - ours : 0;
	if (f->unmanaged_most_bytes < f->unmanaged_bytes)
		f->unmanaged_most_bytes = f->unmanaged_bytes;
	return near_beside(v, f->unmanaged_bytes);
}

void td_vmm_look(struct td_vmm *v)
{
	size_t free = 0, total = 0;
	struct td_vmm_inside was = td_vmm_step_in(v);
	pthread_mutex_lock(&v->lock);
	if (v->cuda->cuMemGetInfo_v2(&free, &total) == CU_OK) {
		uint64_t near = look(v, total - free);
		if (!v->pressed && near < used_pages(v)) {
			pthread_mutex_unlock(&v->lock);
			td_vmm_press(v);
			pthread_mutex_lock(&v->lock);
		}
		keep_within(v, near);
	}
	pthread_mutex_unlock(&v->lock);
	td_vmm_step_out(v, was);
}

void td_vmm_stats(struct td_vmm *v, struct td_gpu_figures *figures, struct tide_counts *counts,
		  char *ejected, size_t ejected_size)
{
	pthread_mutex_lock(&v->lock);
	td_engine_count_hits(v->engine);
	v->figures.near_bytes = v->card_pages * TD_VMM_PAGE;
	v->figures.host_bytes = v->host_pages * TD_VMM_PAGE;
	*figures = v->figures;
	*counts = v->engine->counts;
	snprintf(ejected, ejected_size, "%s", v->engine->ejected);
	pthread_mutex_unlock(&v->lock);
}
