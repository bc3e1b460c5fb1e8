/* Checks that what the engine says of near memory agrees with its records. */
#include <errno.h>

#include "steps.h"

struct tally {
	uint64_t pages, chunks, observed;
	bool wrong;
};

static void count_chunk(const struct td_engine *e, uint32_t index, struct tally *t)
{
	const unsigned char *record = e->bits.at + ((size_t)index << e->near.record_shift);
	struct td_lanes l = td_lanes_load(record, e->near.lane_bytes);
	uint64_t whole = UINT64_MAX >> (64 - e->near.chunk_pages);
	t->wrong |= ((l.resident | l.armed) & ~whole) != 0;
	t->wrong |= ((l.touched | l.dirty) & ~l.resident) != 0;
	t->pages +=
		e->sized && l.resident ? e->near.objects[index].bytes : td_lanes_count(l.resident);
	t->chunks += l.resident != 0;
	t->observed += (l.armed & l.resident) != 0;
}

static bool near_agrees(const struct td_engine *e, const struct tally *t)
{
	return !t->wrong && e->near.free_pages <= e->near.capacity_pages &&
	       e->near.capacity_pages - e->near.free_pages == t->pages &&
	       e->near.resident_chunks == t->chunks;
}

/* As many chunks have armed pages as the table names, and no purpose has more than its share. */
static bool observe_agrees(const struct td_engine *e, const struct tally *t)
{
	const struct td_observe *o = &e->observe;
	uint64_t n = 0;
	for (unsigned i = 0; i < TD_OBSERVE_PURPOSES; i++) {
		if (o->n[i] > o->budget[i])
			return false;
		n += o->n[i];
	}
	return n == t->observed;
}

/* The queue has every slot that is not free, and links that lead to its end. */
static bool tiers_agree(const struct td_engine *e)
{
	const struct tide_links links = {e->tiers.links.at, sizeof(struct tide_link)};
	uint64_t n = 0;
	uint32_t at = e->tiers.queue.head;
	for (; at != TIDE_NIL && n <= e->tiers.queue.n; at = tide_link_at(links, at)->next)
		n++;
	return at == TIDE_NIL && n == e->tiers.queue.n &&
	       n == e->near.host_pages - e->near.host_free_pages;
}

int td_engine_check(const struct td_engine *e)
{
	struct tally t = {0};
	for (uint32_t i = 0; i < e->near.chunks; i++)
		count_chunk(e, i, &t);
	bool agrees = near_agrees(e, &t) && (!e->observing || observe_agrees(e, &t)) &&
		      (!e->tiers.on || tiers_agree(e));
	return agrees ? 0 : -EUCLEAN;
}
