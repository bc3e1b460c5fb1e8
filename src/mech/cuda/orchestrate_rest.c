/* The tables of the GPU at rest: what a launch begins with, and what it leaves.
 *
 * While a kernel runs, an entry is dirty where near memory is newer than the page's home, and here
 * is remembered whether the home is newer than the file. At rest an entry is dirty where its file
 * is older, as the rest of the runtime expects, and slots are what their entries say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator.h"

/* ---- before a launch ---- */

static void set_bit(struct td_orch_page *p, uint8_t bit, bool on)
{
	p->bits = (uint8_t)(on ? p->bits | bit : p->bits & ~bit);
}

/* What is clean was never written, or was written to its file by way of its home. */
static void look_near(struct td_cuda_orchestrator *o, struct td_orch_page *p, uint64_t e)
{
	uint32_t frame = td_dev_index(e);
	p->state = TD_ORCH_NEAR;
	p->frame = frame;
	o->free[frame / 64] &= ~(UINT64_C(1) << frame % 64);
	o->free_n--;
	if (e & TD_DEV_DIRTY)
		return;
	set_bit(p, TD_ORCH_UNSAVED, false);
	set_bit(p, TD_ORCH_HOMED, true);
}

static void look_page(struct td_cuda_orchestrator *o, uint32_t page, uint64_t *e)
{
	struct td_orch_page *p = &o->pages[page];
	enum td_dev_state state = td_dev_state(*e);
	p->state = TD_ORCH_AWAY;
	p->frame = TD_DEV_NONE;
	p->bits &= TD_ORCH_HOMED | TD_ORCH_UNSAVED;
	if (state == TD_DEV_TIER1) {
		look_near(o, p, *e);
		return;
	}
	set_bit(p, TD_ORCH_HOMED, state == TD_DEV_TIER2);
	set_bit(p, TD_ORCH_FRESH, state == TD_DEV_ABSENT && *e & TD_DEV_FRESH);
	set_bit(p, TD_ORCH_UNSAVED, state == TD_DEV_TIER2 && *e & TD_DEV_DIRTY);
	*e &= ~TD_DEV_DIRTY;
}

static void free_all_frames(struct td_cuda_orchestrator *o)
{
	uint32_t frames = o->g->control.frames;
	memset(o->free, 0, (frames + 63) / 64 * sizeof *o->free);
	o->free_n = o->hand = 0;
	for (uint32_t frame = 0; frame < frames; frame++)
		td_orch_frame_free(o, frame);
}

int td_orch_look(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	struct tide_gpu *g = o->g;
	uint64_t n = g->pages_used, bytes = n * sizeof(uint64_t);
	uint64_t *entries = malloc(bytes + 1);
	if (!entries)
		return tide_fail(err, -ENOMEM, "out of memory");
	int rc = td_cuda_device.copy(entries, g->control.entries, bytes, err);
	free_all_frames(o);
	for (uint64_t page = 0; page < n && !rc; page++)
		look_page(o, (uint32_t)page, &entries[page]);
	if (!rc)
		rc = td_cuda_device.copy(g->control.entries, entries, bytes, err);
	free(entries);
	return rc;
}

/* ---- after it ---- */

/* What was under way when the kernel ended, or when something failed. */
static uint64_t settled(const struct td_orch_page *p, uint32_t page, uint64_t e)
{
	uint64_t rest = e & ~(TD_DEV_STATE | TD_DEV_INDEX);
	switch (td_dev_state(e)) {
	case TD_DEV_LOADING: return rest | td_dev_entry(TD_DEV_ABSENT, 0);
	case TD_DEV_PROMOTING: return rest | td_dev_entry(TD_DEV_TIER2, page);
	case TD_DEV_EVICTING:
		if (p->frame == TD_DEV_NONE) /* copied, and nobody was there to say so */
			return (rest & ~TD_DEV_DIRTY) | td_dev_entry(TD_DEV_TIER2, page);
		return rest | td_dev_entry(TD_DEV_TIER1, td_dev_index(e));
	default: return e;
	}
}

static void tidy_page(struct td_cuda_orchestrator *o, struct td_cuda_tables *t, uint32_t page,
		      bool failed)
{
	struct td_orch_page *p = &o->pages[page];
	uint64_t *e = &t->entries[page];
	*e = settled(p, page, *e);
	if (failed) /* whoever was to have it did not wait */
		*e &= TD_DEV_PIN - 1;
	enum td_dev_state state = td_dev_state(*e);
	if (state != TD_DEV_ABSENT && p->bits & TD_ORCH_UNSAVED)
		*e |= TD_DEV_DIRTY;
	if (state == TD_DEV_TIER1)
		t->owner[td_dev_index(*e)] = page;
	if (state == TD_DEV_TIER2)
		t->slot_page[page] = page;
}

int td_orch_tidy(struct td_cuda_orchestrator *o, struct tide_error *err)
{
	struct tide_gpu *g = o->g;
	struct td_cuda_tables t;
	uint32_t failed = 0;
	int rc = td_cuda_device.copy(&failed, &g->on_gpu->failed, sizeof failed, err);
	if (!rc)
		rc = td_cuda_tables_load(g, &t, err);
	if (rc)
		return rc;
	memset(t.owner, 0xff, g->control.frames * sizeof *t.owner);
	memset(t.slot_page, 0xff, g->control.slots * sizeof *t.slot_page);
	for (uint64_t page = 0; page < g->pages_used; page++)
		tidy_page(o, &t, (uint32_t)page, failed != 0);
	rc = td_cuda_tables_settle(g, &t, err);
	if (!rc)
		rc = td_cuda_tables_store(g, &t, err);
	td_cuda_tables_free(&t);
	return rc;
}
