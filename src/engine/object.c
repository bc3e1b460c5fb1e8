/* A fault where objects have sizes: near memory is bytes, and a set is one object. Chunks have one
 * page, and a record is one word, as in page.c. */
#include "ask.h"

#define RESIDENT_TOUCHED 0x101u

static struct tide_object *object_at(const struct td_engine *e, tide_chunk c)
{
	return &((struct tide_object *)(void *)e->objects.at)[c.index];
}

/* What the input says of the object now, until it faults again. */
static struct tide_object *learn(struct td_engine *e, tide_chunk c,
				 const struct tide_batch_object *said, uint32_t i)
{
	struct tide_object *o = object_at(e, c);
	o->bytes = said && said->bytes[i] ? said->bytes[i] : e->near.page_bytes;
	o->cost = said && said->cost[i] ? said->cost[i] : 1;
	td_engine_add(&e->counts.fault_bytes, o->bytes);
	td_engine_add(&e->counts.fault_cost, o->cost);
	return o;
}

static int evict_one(struct td_engine *e, struct tide_error *err)
{
	uint32_t *records = (uint32_t *)(void *)e->bits.at;
	CALLING(e, pick_victim, 0);
	tide_chunk victim = e->pick_victim(e->evict_self);
	if (victim.index >= e->near.chunks || !records[victim.index])
		return td_ask_replace_victim(e, &victim, err);
	struct tide_evicted what = {1, 1, records[victim.index] >> 16, false, TIDE_OBSERVE};
	e->counts.evicted_chunks++;
	e->counts.evicted_pages++;
	e->counts.writeback_pages += what.dirty;
	TELL(e, on_evicted, victim, &what);
	records[victim.index] = 0;
	e->near.free_pages += object_at(e, victim)->bytes;
	e->near.resident_chunks--;
	return 0;
}

static int make_room(struct td_engine *e, uint64_t bytes, struct tide_error *err)
{
	int rc = 0;
	if (e->near.free_pages < bytes && !e->full) {
		e->full = true;
		TELL(e, on_full);
	}
	while (!rc && e->near.free_pages < bytes)
		rc = evict_one(e, err);
	return rc;
}

static int bring(struct td_engine *e, tide_chunk c, const struct tide_batch *batch, uint32_t i,
		 struct tide_error *err)
{
	uint64_t bytes = object_at(e, c)->bytes;
	e->near.fault_chunk = c;
	TELL(e, on_fault, c, (tide_page){batch->page[i]});
	int rc = make_room(e, bytes, err);
	if (rc)
		return rc;
	((uint32_t *)(void *)e->bits.at)[c.index] = RESIDENT_TOUCHED | (uint32_t)batch->write[i]
									       << 16;
	e->near.free_pages -= bytes;
	e->near.resident_chunks++;
	e->counts.migrated_pages++;
	TELL(e, on_migrated, c, 1);
	TELL(e, on_access, c, (tide_page){batch->page[i]}, batch->ref[i]);
	return 0;
}

/* Policies do not hear of an object that cannot come in. */
int td_engine_fault_object(struct td_engine *e, const struct tide_batch *batch, uint32_t i,
			   struct tide_error *err)
{
	tide_chunk c = {e->index[i]};
	td_assert(e->sized && c.index < e->near.chunks);
	e->counts.faults++;
	bool fits = learn(e, c, batch->object, i)->bytes <= e->near.capacity_pages;
	e->counts.bypassed += !fits;
	int rc = fits ? bring(e, c, batch, i, err) : 0;
	CALLED(e);
	e->near.fault_chunk = TIDE_NO_CHUNK;
	CHECK_SOMETIMES(e);
	return rc;
}
