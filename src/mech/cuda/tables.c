/* The tables of the GPU at rest, as a copy that the processor looks at and changes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "runtime.h"
#include "tide/device/slots.h"

void td_cuda_tables_free(struct td_cuda_tables *t)
{
	free(t->entries);
	free(t->shard);
	free(t->owner);
	free(t->slot_page);
	free(t->slot_next);
	free(t->slot_prev);
	*t = (struct td_cuda_tables){0};
}

/* One of the tables: where it is here, where on the GPU, and its size. */
struct table {
	void *here, *there;
	uint64_t bytes;
};

#define TABLES 6

static void list(const struct tide_gpu *g, const struct td_cuda_tables *t, struct table *out)
{
	const struct td_dev_control *k = &g->control;
	uint64_t slots = k->slots * sizeof(uint32_t);
	out[0] = (struct table){t->entries, k->entries, g->pages_used * sizeof *k->entries};
	out[1] = (struct table){t->shard, k->shard, k->shards * sizeof *k->shard};
	out[2] = (struct table){t->owner, k->owner, k->frames * sizeof *k->owner};
	out[3] = (struct table){t->slot_page, k->slot_page, slots};
	out[4] = (struct table){t->slot_next, k->slot_next, slots};
	out[5] = (struct table){t->slot_prev, k->slot_prev, slots};
}

static bool take(const struct tide_gpu *g, struct td_cuda_tables *t)
{
	const struct td_dev_control *k = &g->control;
	*t = (struct td_cuda_tables){
		.entries = calloc(g->pages_used + 1, sizeof *t->entries),
		.shard = calloc(k->shards, sizeof *t->shard),
		.owner = calloc(k->frames, sizeof *t->owner),
		.slot_page = calloc(k->slots, sizeof *t->slot_page),
		.slot_next = calloc(k->slots, sizeof *t->slot_next),
		.slot_prev = calloc(k->slots, sizeof *t->slot_prev),
	};
	return t->entries && t->shard && t->owner && t->slot_page && t->slot_next && t->slot_prev;
}

int td_cuda_tables_load(struct tide_gpu *g, struct td_cuda_tables *t, struct tide_error *err)
{
	struct table tables[TABLES];
	int rc = take(g, t) ? 0 : tide_fail(err, -ENOMEM, "out of memory");
	list(g, t, tables);
	for (unsigned i = 0; i < TABLES && !rc; i++)
		rc = td_cuda_device.copy(tables[i].here, tables[i].there, tables[i].bytes, err);
	if (rc)
		td_cuda_tables_free(t);
	return rc;
}

int td_cuda_tables_store(struct tide_gpu *g, const struct td_cuda_tables *t, struct tide_error *err)
{
	struct table tables[TABLES];
	int rc = 0;
	list(g, t, tables);
	for (unsigned i = 0; i < TABLES && !rc; i++)
		rc = td_cuda_device.copy(tables[i].there, tables[i].here, tables[i].bytes, err);
	return rc;
}

struct td_dev_control td_cuda_tables_view(const struct tide_gpu *g, const struct td_cuda_tables *t)
{
	struct td_dev_control k = g->control;
	k.entries = t->entries;
	k.shard = t->shard;
	k.owner = t->owner;
	k.slot_page = t->slot_page;
	k.slot_next = t->slot_next;
	k.slot_prev = t->slot_prev;
	return k;
}

/* ---- settling: slots ---- */

/* The state of the page that the slot belongs to, if its entry says the same. */
static enum td_dev_state state_in(const struct tide_gpu *g, const struct td_cuda_tables *t,
				  uint32_t slot)
{
	uint32_t page = t->slot_page[slot];
	if (page >= g->pages_used || td_dev_index(t->entries[page]) != slot)
		return TD_DEV_ABSENT;
	return td_dev_state(t->entries[page]);
}

/* Slots of a list whose pages are in that state, in its order, at most n. */
static uint32_t collect(const struct tide_gpu *g, const struct td_cuda_tables *t, uint32_t first,
			enum td_dev_state state, uint32_t *out, bool *kept)
{
	uint32_t n = 0, looked = 0;
	for (uint32_t slot = first; slot < g->control.slots && looked++ < g->control.shard_slots;
	     slot = t->slot_next[slot]) {
		if (state_in(g, t, slot) == state && !kept[slot]) {
			out[n++] = slot;
			kept[slot] = true;
		}
	}
	return n;
}

/* Those that a kernel which failed left in no list. */
static uint32_t collect_lost(const struct tide_gpu *g, const struct td_cuda_tables *t,
			     const struct td_dev_shard *s, enum td_dev_state state, uint32_t *out,
			     bool *kept)
{
	uint32_t n = 0;
	for (uint32_t slot = s->first_slot; slot < s->first_slot + s->slots; slot++) {
		if (!kept[slot] && state_in(g, t, slot) == state) {
			out[n++] = slot;
			kept[slot] = true;
		}
	}
	return n;
}

static void settle_shard(const struct tide_gpu *g, struct td_cuda_tables *t, struct td_dev_shard *s,
			 uint32_t *slots, bool *kept)
{
	struct td_dev_control view = td_cuda_tables_view(g, t);
	uint32_t *host = slots, *writing = slots + s->slots;
	uint32_t host_n = collect(g, t, s->oldest, TD_DEV_TIER2, host, kept);
	uint32_t writing_n = collect(g, t, s->writing_first, TD_DEV_WRITING, writing, kept);
	host_n += collect_lost(g, t, s, TD_DEV_TIER2, host + host_n, kept);
	writing_n += collect_lost(g, t, s, TD_DEV_WRITING, writing + writing_n, kept);
	td_assert(host_n + writing_n <= s->slots);
	s->lock = s->host_used = s->barren = 0;
	s->leaving = 0;
	s->free_slots = s->free_reads = TD_DEV_NONE;
	s->oldest = s->newest = s->writing_first = s->writing_last = TD_DEV_NONE;
	for (uint32_t i = 0; i < host_n; i++)
		td_dev_host_add(&view, s, host[i]);
	for (uint32_t i = 0; i < writing_n; i++)
		td_dev_writing_add(&view, s, writing[i]);
	for (uint32_t slot = s->first_slot + s->slots; slot-- > s->first_slot;)
		if (!kept[slot])
			td_dev_slot_free(&view, s, slot);
}

/* ---- settling: pages and frames ---- */

/* A page whose write has ended well is in its file and nowhere else. */
static void settle_pages(const struct tide_gpu *g, struct td_cuda_tables *t)
{
	for (uint64_t page = 0; page < g->pages_used; page++) {
		uint64_t *at = &t->entries[page];
		if (td_dev_state(*at) == TD_DEV_WRITING &&
		    td_dev_status(&g->control, td_dev_index(*at)) == TD_DEV_DONE)
			*at = (*at & TD_DEV_GENERATION) | td_dev_entry(TD_DEV_ABSENT, 0);
	}
}

static void settle_frames(const struct tide_gpu *g, struct td_cuda_tables *t)
{
	for (uint32_t frame = 0; frame < g->control.frames; frame++) {
		uint32_t page = t->owner[frame];
		uint64_t e = page < g->pages_used ? t->entries[page] : 0;
		if (td_dev_state(e) != TD_DEV_TIER1 || td_dev_index(e) != frame)
			t->owner[frame] = TD_DEV_NONE;
	}
}

int td_cuda_tables_settle(const struct tide_gpu *g, struct td_cuda_tables *t,
			  struct tide_error *err)
{
	uint32_t *slots = calloc(2 * (size_t)g->control.shard_slots, sizeof *slots);
	bool *kept = calloc(g->control.slots, sizeof *kept);
	int rc = slots && kept ? 0 : tide_fail(err, -ENOMEM, "out of memory");
	if (!rc) {
		settle_pages(g, t);
		settle_frames(g, t);
	}
	for (uint32_t i = 0; i < g->control.shards && !rc; i++)
		settle_shard(g, t, &t->shard[i], slots, kept);
	free(slots);
	free(kept);
	return rc;
}

int td_cuda_tables_load_settled(struct tide_gpu *g, struct td_cuda_tables *t,
				struct tide_error *err)
{
	int rc = td_cuda_tables_load(g, t, err);
	if (rc)
		return rc;
	rc = td_cuda_tables_settle(g, t, err);
	if (rc)
		td_cuda_tables_free(t);
	return rc;
}

int td_cuda_settle(struct tide_gpu *g, struct tide_error *err)
{
	struct td_cuda_tables t;
	int rc = td_cuda_tables_load_settled(g, &t, err);
	if (rc)
		return rc;
	rc = td_cuda_tables_store(g, &t, err);
	td_cuda_tables_free(&t);
	return rc;
}
