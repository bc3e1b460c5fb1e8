/* Pages that will not be needed soon go from near memory to tier 2. */
#include <errno.h>

#include "core/assert.h"
#include "runtime.h"
#include "tide/device/slots.h"

/* A slot of tier 2, of the page's own shard if it has one; TD_DEV_NONE: tier 2 is full. */
static uint32_t take_slot(struct td_dev_control *k, uint32_t page)
{
	uint32_t home = (uint32_t)tide_hash64(page);
	for (uint32_t i = 0; i < k->shards; i++) {
		struct td_dev_shard *s = &k->shard[(home + i) & (k->shards - 1)];
		if (s->host_used == s->host_pages || s->free_slots == TD_DEV_NONE)
			continue;
		uint32_t slot = td_dev_slot_take(k, s, page);
		td_dev_host_add(k, s, slot);
		return slot;
	}
	return TD_DEV_NONE;
}

static int move_page(struct td_dev_control *k, uint32_t page, uint32_t slot, struct tide_error *err)
{
	uint64_t e = k->entries[page];
	uint32_t frame = td_dev_index(e);
	td_assert(td_dev_state(e) == TD_DEV_TIER1 && k->owner[frame] == page);
	int rc = td_cuda_device.copy(td_dev_slot_memory(k, slot), td_dev_frame_memory(k, frame),
				     (uint64_t)1 << k->page_shift, err);
	if (rc)
		return rc;
	k->owner[frame] = TD_DEV_NONE;
	k->entries[page] = (e & TD_DEV_DIRTY) | td_dev_entry(TD_DEV_TIER2, slot) |
			   ((e + TD_DEV_GENERATION_ONE) & TD_DEV_GENERATION);
	return 0;
}

static int move_pages(struct tide_gpu *g, const struct td_cuda_array *a, struct td_cuda_tables *t,
		      struct tide_error *err)
{
	struct td_dev_control k = td_cuda_tables_view(g, t);
	uint32_t slot = 0;
	int rc = 0;
	for (uint32_t i = 0; i < a->pages && slot != TD_DEV_NONE && !rc; i++) {
		uint32_t page = a->first_page + i;
		if (td_dev_state(k.entries[page]) != TD_DEV_TIER1)
			continue;
		slot = take_slot(&k, page);
		if (slot != TD_DEV_NONE)
			rc = move_page(&k, page, slot, err);
	}
	return rc;
}

int td_cuda_demote(struct tide_gpu *g, struct tide_span array, struct tide_error *err)
{
	struct td_cuda_tables t;
	struct td_cuda_array *a = td_cuda_array_of(g, array.first_page);
	int rc = td_cuda_ready(g, err);
	if (rc)
		return rc;
	if (!a || array.control != g->on_gpu)
		return tide_fail(err, -EINVAL,
				 "this is no array of this runtime: give one that "
				 "tide_gpu_array() made");
	if (g->orchestrator)
		return tide_fail(
			err, -EOPNOTSUPP,
			"with orchestrate=host the eviction policy chooses: no page can be "
			"sent to tier 2 by hand");
	rc = td_cuda_tables_load_settled(g, &t, err);
	if (rc)
		return rc;
	rc = move_pages(g, a, &t, err);
	/* What was moved before one failed has moved. */
	int settled = td_cuda_tables_settle(g, &t, rc ? NULL : err);
	int stored = settled ? settled : td_cuda_tables_store(g, &t, rc ? NULL : err);
	td_cuda_tables_free(&t);
	td_checked(td_cuda_check_rest(g));
	return rc ? rc : stored;
}
