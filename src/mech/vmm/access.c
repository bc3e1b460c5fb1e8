/* A launch as accesses of the engine: one to each chunk of what it names, in order, with the
 * function as ref. What most launches name (temporaries, activations) is held on the card. */
#include <inttypes.h>

#include "inside.h"

#define WINDOW 256 /* launches, after which it is judged what most of them name */
#define HOT (WINDOW / 8)
#define COLD (WINDOW / 32)

void td_vmm_hold(struct td_vmm *v, uint32_t chunk)
{
	if (v->chunk[chunk].holds++ == 0)
		td_engine_hold(v->engine, (tide_chunk){chunk});
}

void td_vmm_release(struct td_vmm *v, uint32_t chunk)
{
	td_assert(v->chunk[chunk].holds);
	if (--v->chunk[chunk].holds == 0)
		td_engine_release(v->engine, (tide_chunk){chunk});
}

bool td_vmm_is_near(const struct td_vmm *v, uint32_t chunk)
{
	return tide_resident(&v->engine->box[TD_BOX_EVICT].view, (tide_chunk){chunk}) != 0;
}

/* ---- what most launches name ---- */

void td_vmm_cool(struct td_vmm *v, uint32_t first)
{
	struct td_vmm_allocation *a = &v->allocation[first];
	for (uint32_t i = first; i < first + a->chunks; i++) {
		if (v->chunk[i].kept)
			td_vmm_release(v, i);
		v->chunk[i].kept = false;
	}
	if (a->hot)
		v->hot_pages -= (a->bytes + TD_VMM_PAGE - 1) / TD_VMM_PAGE;
	a->hot = false;
}

static void judge(struct td_vmm *v, uint32_t first)
{
	struct td_vmm_allocation *a = &v->allocation[first];
	uint64_t pages = (a->bytes + TD_VMM_PAGE - 1) / TD_VMM_PAGE;
	if (a->hot && a->named < COLD && !a->pinned)
		td_vmm_cool(v, first);
	if (!a->hot && a->named >= HOT &&
	    v->hot_pages + pages <= v->engine->near.capacity_pages / 2) {
		a->hot = true;
		v->hot_pages += pages;
	}
	a->named = 0;
}

void td_vmm_count_launch(struct td_vmm *v)
{
	if (++v->launches < WINDOW)
		return;
	v->launches = 0;
	for (uint32_t i = 0; i < v->chunks_n; i++) {
		if (v->chunk[i].allocation == i)
			judge(v, i);
	}
}

static void note_named(struct td_vmm *v, uint32_t chunk)
{
	struct td_vmm_allocation *a = &v->allocation[v->chunk[chunk].allocation];
	if (a->seen != v->serial)
		a->named++;
	a->seen = v->serial;
	if (a->hot && !v->chunk[chunk].kept) {
		v->chunk[chunk].kept = true;
		td_vmm_hold(v, chunk);
	}
}

/* ---- accesses ---- */

static int fault(struct td_vmm *v, tide_chunk c, const struct td_event *event)
{
	td_engine_tick(v->engine, c);
	return td_engine_fault(v->engine, c, 0, event, &v->error);
}

/* Pages of the work that are not near. */
static uint64_t missing_pages(const struct td_vmm *v, const struct td_vmm_work *w)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < w->named_n; i++)
		n += td_vmm_is_near(v, w->chunks[i]) ? 0 : v->chunk[w->chunks[i]].pages;
	return n;
}

/* Work that names more than there is room for uses what is near, and the rest where it is: if each
 * of its chunks pushed another one out, none would be there in time. */
static bool is_too_large(const struct td_vmm *v, const struct td_vmm_work *w)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < w->named_n; i++)
		n += v->chunk[w->chunks[i]].kept ? 0 : v->chunk[w->chunks[i]].pages;
	return n + v->hot_pages > v->engine->near.capacity_pages;
}

static bool may_come(const struct td_vmm *v, uint32_t chunk)
{
	const struct td_vmm_chunk *c = &v->chunk[chunk];
	return !v->allocation[c->allocation].pinned && td_engine_has_room(v->engine, c->pages);
}

/* The chunk is near now, or stays in host memory. */
static bool access_chunk(struct td_vmm *v, uint32_t chunk, uint64_t ref, bool may)
{
	tide_chunk c = {chunk};
	struct td_event event = {.page = (uint64_t)chunk * v->chunk_pages, .ref = ref};
	enum td_engine_touched what;
	if (td_engine_touch(v->engine, c, 0, &event, &what, &v->error))
		return false;
	if (what == TD_NOTICE)
		td_engine_notice(v->engine, c, &event, &v->error);
	else if (what == TD_ABSENT && may && may_come(v, chunk))
		fault(v, c, &event);
	if (!td_vmm_is_near(v, chunk))
		return false;
	td_engine_touch_whole(v->engine, c);
	td_vmm_hold(v, chunk);
	note_named(v, chunk);
	return true;
}

static void record(struct td_vmm *v, const struct td_vmm_work *w)
{
	for (uint32_t i = 0; i < w->named_n; i++)
		fprintf(v->record, "%" PRIu32 " r %" PRIu64 "\n", w->chunks[i], w->ref);
}

bool td_vmm_access(struct td_vmm *v, struct td_vmm_work *w)
{
	if (v->record)
		record(v, w);
	bool may = !missing_pages(v, w) || !is_too_large(v, w), all = true;
	uint32_t held = 0;
	for (uint32_t i = 0; i < w->named_n; i++) {
		uint32_t chunk = w->chunks[i];
		if (access_chunk(v, chunk, w->ref, may)) {
			w->chunks[i] = w->chunks[held];
			w->chunks[held++] = chunk;
		} else {
			all = false;
		}
	}
	w->held_n = held;
	return all;
}

/* May the work go to the driver without anything moving before? */
bool td_vmm_is_ready(struct td_vmm *v, const struct td_vmm_work *w)
{
	bool may = missing_pages(v, w) && !is_too_large(v, w);
	for (uint32_t i = 0; i < w->named_n; i++) {
		const struct td_vmm_chunk *c = &v->chunk[w->chunks[i]];
		if (td_vmm_is_near(v, w->chunks[i]) ? c->jobs : may && may_come(v, w->chunks[i]))
			return false;
	}
	return true;
}

/* ---- decisions ---- */

static void leave(void *arg, tide_chunk c, const struct td_lanes *was, tide_tier to)
{
	(void)was, (void)to;
	td_vmm_decide(arg, c.index, false);
}

static void come(void *arg, tide_chunk c, uint64_t pages, uint64_t fault_bit, tide_tier from)
{
	struct td_vmm *v = arg;
	(void)pages, (void)fault_bit, (void)from;
	if (!v->placing)
		td_vmm_decide(v, c.index, true);
}

static void spill(void *arg, tide_chunk c, bool dirty)
{
	(void)arg, (void)c, (void)dirty;
}

/* Every access is seen: nothing moves to be watched. */
static void watch(void *arg, tide_chunk c, uint64_t pages, bool armed)
{
	(void)arg, (void)c, (void)pages, (void)armed;
}

struct td_engine_carrier td_vmm_carrier(struct td_vmm *v)
{
	return (struct td_engine_carrier){
		.arg = v, .leave = leave, .come = come, .spill = spill, .watch = watch};
}
