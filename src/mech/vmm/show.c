/* Which memory the program's address leads to: the card's, the host's, or none.
 *
 * To map 32 MiB of host memory takes the driver as long as to copy them, and to map memory of the
 * card a tenth of that. So a chunk that leaves the card is not mapped to the host at once. With
 * trust, it is when work names it that uses it on the host. Without, all work may touch all memory:
 * all is mapped before work goes on, while the copies to the card are under way. */
#include "inside.h"

cu_result td_vmm_show(struct td_vmm *v, cu_ptr at, uint64_t bytes, cu_piece piece)
{
	struct cu_access who = {{CU_LOCATION_DEVICE, v->device}, CU_ACCESS_READ_WRITE};
	cu_result rc = v->cuda->cuMemMap(at, bytes, 0, piece, 0);
	if (rc)
		return rc;
	rc = v->cuda->cuMemSetAccess(at, bytes, &who, 1);
	if (rc)
		v->cuda->cuMemUnmap(at, bytes);
	return rc;
}

/* What a call that failed has left there goes first. */
static cu_result show_again(struct td_vmm *v, cu_ptr at, uint64_t bytes, cu_piece piece)
{
	cu_result rc = td_vmm_show(v, at, bytes, piece);
	if (!rc)
		return rc;
	v->cuda->cuMemUnmap(at, bytes);
	return td_vmm_show(v, at, bytes, piece);
}

bool td_vmm_lead(struct td_vmm *v, uint32_t chunk, cu_piece piece)
{
	struct td_vmm_chunk *c = &v->chunk[chunk];
	cu_ptr at = td_vmm_address(v, chunk);
	uint64_t bytes = td_vmm_bytes(c);
	cu_piece was = c->shown;
	if (was == piece)
		return true;
	if (was && v->cuda->cuMemUnmap(at, bytes))
		return false;
	c->shown = piece;
	cu_result rc = piece ? show_again(v, at, bytes, piece) : CU_OK;
	if (!rc)
		return true;
	c->shown = was && show_again(v, at, bytes, was) == CU_OK ? was : 0;
	if (!c->shown)
		v->lost = rc;
	return false;
}

static bool are_shown(const struct td_vmm *v, const uint32_t *chunks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!v->chunk[chunks[i]].shown)
			return false;
	}
	return true;
}

static bool lead_home(struct td_vmm *v, uint32_t chunk)
{
	const struct td_vmm_chunk *c = &v->chunk[chunk];
	return c->shown ||
	       td_vmm_lead(v, chunk, c->place == TD_VMM_ON_CARD ? c->card.id : c->host.id);
}

bool td_vmm_lead_all(struct td_vmm *v, const uint32_t *chunks, uint32_t n)
{
	bool all = true;
	if (are_shown(v, chunks, n))
		return true;
	struct td_vmm_inside was = td_vmm_step_in(v);
	for (uint32_t i = 0; i < n; i++)
		all &= lead_home(v, chunks[i]);
	td_vmm_step_out(v, was);
	return all;
}

void td_vmm_lead_hidden(struct td_vmm *v)
{
	bool all = true;
	for (uint32_t i = 0; i < v->chunks_n; i++) {
		uint32_t first = v->chunk[i].allocation;
		if (first != TD_VMM_NONE && !v->allocation[first].dying)
			all &= td_vmm_lead_all(v, &i, 1);
	}
	if (all)
		v->lost = CU_OK;
}

void td_vmm_find_lost(struct td_vmm *v)
{
	if (v->lost)
		td_vmm_lead_hidden(v);
}
