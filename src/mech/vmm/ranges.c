/* Where allocations lie: chunk numbers of the one large range. A range is free if no allocation
 * covers it. Programs take memory far less often than they use it, so the search is a walk. */
#include "inside.h"

static bool is_free(const struct td_vmm *v, uint32_t first, uint32_t n, uint32_t *next)
{
	for (uint32_t i = first; i < first + n; i++) {
		if (v->chunk[i].allocation != TD_VMM_NONE) {
			const struct td_vmm_allocation *a = &v->allocation[v->chunk[i].allocation];
			*next = v->chunk[i].allocation + a->chunks;
			return false;
		}
	}
	return true;
}

uint32_t td_vmm_take_range(struct td_vmm *v, uint32_t chunks)
{
	uint32_t at = 0;
	while (chunks <= v->chunks_max && at <= v->chunks_max - chunks) {
		uint32_t beyond = at + chunks;
		uint32_t known = beyond < v->chunks_n ? beyond : v->chunks_n;
		if (at >= known || is_free(v, at, known - at, &at)) {
			for (uint32_t i = v->chunks_n; i < beyond; i++)
				v->chunk[i].allocation = TD_VMM_NONE;
			v->chunks_n = beyond > v->chunks_n ? beyond : v->chunks_n;
			for (uint32_t i = at; i < beyond; i++)
				v->chunk[i] = (struct td_vmm_chunk){.allocation = at};
			v->allocation[at] = (struct td_vmm_allocation){.chunks = chunks};
			return at;
		}
	}
	return TD_VMM_NONE;
}

void td_vmm_give_range(struct td_vmm *v, uint32_t first)
{
	uint32_t n = v->allocation[first].chunks;
	for (uint32_t i = first; i < first + n; i++)
		v->chunk[i].allocation = TD_VMM_NONE;
	v->allocation[first].chunks = 0;
}
