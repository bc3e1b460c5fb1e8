/* The hit path. An access reads one byte of the resident bitmap and the same
 * byte of the touched bitmap. It makes a call only for a policy that needs
 * accesses. Pages are translated to chunk indices a batch ahead, so the loop
 * can prefetch memory. With random accesses over millions of chunks, memory
 * decides the speed, not the instructions. */
#include "functional.h"
#include "pages.h"

#define LOOK_AHEAD TD_ENGINE_LOOK_AHEAD

const struct td_mech td_mech_functional = {
	.name = "the functional simulator",
	.gives = TIDE_NEEDS_ACCESSES | TIDE_NEEDS_NOTICES | TIDE_NEEDS_REFS | TIDE_NEEDS_FUTURE |
		 TIDE_NEEDS_PAGES | TIDE_NEEDS_TOUCHED | TIDE_TAKES_SAMPLES | TIDE_NEEDS_REMOTE,
};

/* What the loops need at every access, out of the engine so that it stays in
 * registers. */
struct hot {
	uint64_t moves;
	unsigned char *bits;
	unsigned char *slots; /* of the eviction policy, to be asked for ahead */
	size_t slot_bytes;
	unsigned shift, lane_bytes;
	void (*on_access)(void *self, tide_chunk c, tide_page p, uint64_t ref);
	void *self;
	bool several; /* more than one policy sees accesses */
	uint32_t *next_use;
	const uint32_t *next_after;
};

static void load_hot(struct hot *h, struct td_engine *e)
{
	const struct td_engine_box *evict = &e->box[TD_BOX_EVICT];
	h->moves = e->moves;
	h->bits = e->bits.at;
	h->slots = evict->slots.at;
	h->slot_bytes = evict->slots.item_bytes;
	h->shift = e->near.record_shift;
	h->lane_bytes = e->near.lane_bytes;
	h->on_access = e->ears.on_access[0].fn;
	h->self = e->ears.on_access[0].self;
	h->several = e->ears.on_access[0].fn && e->ears.on_access[1].fn;
	h->next_use = e->wants_future ? (uint32_t *)(void *)e->next_use.at : NULL;
	h->next_after = (const uint32_t *)(void *)e->next_after.at;
}

/* Inlined at all costs, as tide_map_prefetch(). */
__attribute__((always_inline)) static inline void look_ahead(const struct hot *h, uint32_t index)
{
	__builtin_prefetch(h->bits + ((size_t)index << h->shift), 1);
	__builtin_prefetch(h->slots + index * h->slot_bytes, 1);
}

static void tell_others(struct td_engine *e, tide_chunk c, uint64_t page, uint64_t ref)
{
	for (unsigned i = 1; e->ears.on_access[i].fn; i++) {
		e->call = (uint16_t)(TD_CALL_on_access | i << 8);
		e->ears.on_access[i].fn(e->ears.on_access[i].self, c, (tide_page){page}, ref);
	}
	e->call = TD_CALL_NONE;
}

static inline void tell_access(const struct hot *h, struct td_engine *e, tide_chunk c,
			       uint64_t page, uint64_t ref)
{
	if (h->on_access)
		h->on_access(h->self, c, (tide_page){page}, ref);
	if (__builtin_expect(h->several, 0))
		tell_others(e, c, page, ref);
}

/* The time of an access, and for those who look into it, the future from then
 * on. */
static inline void tick(const struct hot *h, struct td_engine *e, uint32_t index)
{
	e->near.time++;
	if (h->next_use)
		h->next_use[index] = h->next_after[e->near.time];
}

/* Whatever is no plain hit: a notice, an access to a page mapped where it is,
 * or a fault. */
static int serve(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
		 const unsigned char *at, unsigned mask, struct tide_error *err)
{
	tide_chunk c = {e->index[i]};
	struct td_event event = {batch->page[i], batch->ref[i], batch->stream[i], batch->write[i]};
	if (*at & mask)
		return td_engine_notice(e, c, &event, err);
	if (at[3 * e->near.lane_bytes] & mask)
		return td_engine_remote(e, c, &event, err);
	return td_engine_fault(e, c, e->bit[i], &event, err);
}

/* Any chunks, accesses from *done to end: 0, and *done is how far they were
 * served whole or failed. Both loops are compiled several times, so that only
 * inputs with groups pay for groups, and only those who look into the future
 * pay for that. */
__attribute__((always_inline)) static inline int run_chunks(struct td_engine *e,
							    const struct tide_batch *batch,
							    bool grouped, uint32_t end,
							    uint32_t *done, struct tide_error *err)
{
	struct hot h;
	uint32_t i;
	int rc = 0;
	load_hot(&h, e);
	for (i = *done; i < end && !rc; i++) {
		uint32_t index = e->index[i];
		unsigned bit = e->bit[i], mask = 1u << bit % 8;
		unsigned char *at = h.bits + ((size_t)index << h.shift) + bit / 8;
		/* The scratch array goes on after the batch: looking past its end is
		 * harmless. */
		look_ahead(&h, e->index[i + LOOK_AHEAD]);
		tick(&h, e, index);
		if (grouped)
			td_sim_enter_group(e, batch->object->first[i]);
		if (*at & mask) {
			if (grouped)
				e->counts.prefix_hits += e->in_prefix;
			at[h.lane_bytes] |= (unsigned char)mask;
			at[2 * h.lane_bytes] |= (unsigned char)(batch->write[i] << bit % 8);
			tell_access(&h, e, (tide_chunk){index}, batch->page[i], batch->ref[i]);
			if (__builtin_expect(!(at[3 * h.lane_bytes] & mask), 1))
				continue;
		} else if (grouped) {
			e->in_prefix = false;
		}
		rc = serve(e, batch, i, at, mask, err);
		if (h.moves != e->moves)
			load_hot(&h, e);
	}
	*done = i;
	return rc;
}

__attribute__((noinline)) static int run_grouped(struct td_engine *e,
						 const struct tide_batch *batch, uint32_t end,
						 uint32_t *done, struct tide_error *err)
{
	return run_chunks(e, batch, true, end, done, err);
}

__attribute__((noinline)) static int run_plain(struct td_engine *e, const struct tide_batch *batch,
					       uint32_t end, uint32_t *done, struct tide_error *err)
{
	return run_chunks(e, batch, false, end, done, err);
}

static void hit_object(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
		       uint32_t index)
{
	e->counts.prefix_hits += e->in_prefix;
	td_engine_add(&e->counts.hit_bytes, e->near.objects[index].bytes);
	td_engine_add(&e->counts.hit_cost, e->near.objects[index].cost);
	((uint32_t *)(void *)e->bits.at)[index] |= (uint32_t)batch->write[i] << 16;
}

/* Objects with sizes. */
__attribute__((noinline)) static int run_objects(struct td_engine *e,
						 const struct tide_batch *batch, uint32_t *done,
						 struct tide_error *err)
{
	struct hot h;
	uint32_t i;
	int rc = 0;
	load_hot(&h, e);
	const uint32_t *records = (const uint32_t *)(void *)h.bits;
	for (i = 0; i < batch->n && !rc; i++) {
		uint32_t index = e->index[i];
		look_ahead(&h, e->index[i + LOOK_AHEAD]);
		e->near.time++;
		td_sim_enter_group(e, batch->object && batch->object->first[i]);
		if (records[index]) {
			hit_object(e, batch, i, index);
			tell_access(&h, e, (tide_chunk){index}, batch->page[i], batch->ref[i]);
			continue;
		}
		e->in_prefix = false;
		rc = td_engine_fault_object(e, batch, i, err);
	}
	*done = i;
	return rc;
}

static int run(struct td_engine *e, const struct tide_batch *batch, uint32_t *done,
	       struct tide_error *err)
{
	if (e->sized)
		return run_objects(e, batch, done, err);
	if (!e->single_pages)
		return (batch->object ? run_grouped : run_plain)(e, batch, batch->n, done, err);
	return td_sim_pages(e, batch, done, err);
}

static int run_part(struct td_engine *e, const struct tide_batch *batch, uint32_t end,
		    uint32_t *done, struct tide_error *err)
{
	int rc = td_engine_translate_part(e, batch, *done, end, err);
	return rc ? rc : (batch->object ? run_grouped : run_plain)(e, batch, end, done, err);
}

/* What is between two marks is run as one. */
__attribute__((noinline)) static int run_marked(struct td_engine *e, const struct tide_batch *batch,
						uint32_t *done, struct tide_error *err)
{
	int rc = 0;
	for (uint32_t i = 0; i < batch->marks_n && !rc; i++) {
		const struct tide_mark *mark = &batch->marks[i];
		if (mark->at > *done)
			rc = run_part(e, batch, mark->at, done, err);
		if (!rc)
			rc = td_engine_mark(e, mark, err);
	}
	return rc ? rc : run_part(e, batch, batch->n, done, err);
}

/* A batch that is translated, or that has marks between its parts. */
static int run_batch(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	uint64_t missed_before = e->counts.faults + e->remote_only;
	uint32_t done = 0;
	e->running = true;
	int rc = e->maps.on ? run_marked(e, batch, &done, err) : run(e, batch, &done, err);
	e->running = false;
	e->counts.accesses += done;
	e->counts.hits += done - (e->counts.faults + e->remote_only - missed_before);
	return rc;
}

int td_sim_batch(struct td_engine *e, const struct tide_batch *batch, struct tide_error *err)
{
	int rc = e->maps.on ? 0 : td_engine_translate(e, batch, err);
	if (!rc && e->wants_future && batch->n > e->near.length - e->near.time)
		rc = td_engine_changed(err);
	return rc ? rc : run_batch(e, batch, err);
}

int td_sim_batch_indexed(struct td_engine *e, const struct tide_batch *batch, const uint32_t *index,
			 struct tide_error *err)
{
	memcpy(e->index, index, batch->n * sizeof *index);
	return run_batch(e, batch, err);
}
