/* Tier 2: pages that left near memory and wait in host memory.
 *
 * A page is in only one of tiers 1 and 2. Tier 3 has a copy of every page, which may be stale. The
 * pages of tier 2 are a list in the order in which they came. Its links are in an array by chunk
 * index (here a chunk is a page).
 *
 * An inclusive tier 2 is a cache. Every page passes through it on its way up, and stays there: a
 * page from tier 3 enters it. A page that is found there, or comes back dirty, becomes its newest
 * entry. The dirty bit of an entry says only that tier 3 is stale. */
#include "ask.h"

enum { HERE = 1, DIRTY = 2 };

static struct tide_links links(const struct td_engine *e)
{
	return (struct tide_links){e->tiers.links.at, sizeof(struct tide_link)};
}

/* DIRTY is as it was when the page was last here. */
static uint8_t *flags(const struct td_engine *e, uint32_t index)
{
	return &e->tiers.flags.at[index];
}

static bool is_here(const struct td_engine *e, uint32_t index)
{
	return *flags(e, index) & HERE;
}

static bool is_dirty(const struct td_engine *e, uint32_t index)
{
	return *flags(e, index) & DIRTY;
}

static void leave(struct td_engine *e, uint32_t index)
{
	td_assert(is_here(e, index) && e->near.host_free_pages < e->near.host_pages);
	tide_list_remove(&e->tiers.queue, links(e), index);
	*flags(e, index) &= (uint8_t)~HERE;
	e->near.host_free_pages++;
}

static void write_down(struct td_engine *e, unsigned from)
{
	e->counts.tier3_writes++;
	e->tiers.moved[from][3]++;
}

/* As the newest; the oldest makes room. */
static void enter(struct td_engine *e, uint32_t index, bool dirty)
{
	if (!e->near.host_free_pages) {
		uint32_t oldest = e->tiers.queue.head;
		td_assert(oldest != TIDE_NIL);
		bool was_dirty = is_dirty(e, oldest);
		if (was_dirty)
			write_down(e, 2);
		if (e->carrier.spill)
			e->carrier.spill(e->carrier.arg, (tide_chunk){oldest}, was_dirty);
		leave(e, oldest);
	}
	td_assert(!is_here(e, index) && e->near.host_free_pages);
	tide_list_push_tail(&e->tiers.queue, links(e), index);
	*flags(e, index) = dirty ? HERE | DIRTY : HERE;
	e->near.host_free_pages--;
}

/* A page that is there already becomes the newest again. */
static void renew(struct td_engine *e, uint32_t index, bool dirty)
{
	bool here = is_here(e, index);
	dirty |= here && is_dirty(e, index);
	if (here)
		leave(e, index);
	enter(e, index, dirty);
}

static void fetch_through(struct td_engine *e, tide_chunk c)
{
	if (e->tiers.from.number == 3)
		e->tiers.moved[3][2]++;
	e->tiers.moved[2][1]++;
	renew(e, c.index, false);
}

bool td_tiers_fetch(struct td_engine *e, tide_chunk c)
{
	bool here = is_here(e, c.index);
	td_assert(e->near.chunk_pages == 1);
	bool through = e->tiers.inclusive && e->near.host_pages;
	e->tiers.from = (tide_tier){here ? 2 : 3};
	e->counts.tier2_hits += here;
	e->counts.tier2_misses += !here;
	e->counts.tier3_reads += !here;
	if (through) {
		fetch_through(e, c);
		return false;
	}
	e->tiers.moved[e->tiers.from.number][1]++;
	if (!here)
		return false;
	leave(e, c.index);
	return is_dirty(e, c.index);
}

/* Does one of the oldest make room for the victim? What does not becomes the newest. */
static bool find_room(struct td_engine *e, tide_chunk victim)
{
	for (unsigned i = 0; i < TIDE_YIELDS_MAX; i++) {
		uint32_t oldest = e->tiers.queue.head;
		if (td_ask_yields(e, (tide_chunk){oldest}, victim))
			return true;
		tide_list_remove(&e->tiers.queue, links(e), oldest);
		tide_list_push_tail(&e->tiers.queue, links(e), oldest);
	}
	return false;
}

int td_tiers_place(struct td_engine *e, tide_chunk victim, unsigned kept,
		   enum tide_placement *where, struct tide_error *err)
{
	int rc = td_ask_place(e, victim, kept, where, err);
	if (rc || *where != TIDE_TO_TIER2)
		return rc;
	bool asks = e->box[TD_BOX_PLACE].choice.policy->yields && e->near.host_pages &&
		    !e->near.host_free_pages;
	if (asks && !find_room(e, victim))
		*where = TIDE_TO_TIER3;
	return 0;
}

void td_tiers_put(struct td_engine *e, tide_chunk victim, bool dirty, enum tide_placement where)
{
	td_assert(where == TIDE_TO_TIER2 || where == TIDE_TO_TIER3);
	if (where == TIDE_TO_TIER3 || !e->near.host_pages) {
		if (dirty)
			write_down(e, 1);
		return;
	}
	renew(e, victim.index, dirty);
	e->tiers.moved[1][2]++;
}

void td_tiers_forget(struct td_engine *e, tide_chunk c)
{
	if (is_here(e, c.index))
		leave(e, c.index);
}

/* An inclusive tier 2 may have an old copy of a page that is near. */
static void flush(struct td_engine *e, uint32_t index)
{
	struct td_lanes l = load(e, index);
	bool stale = is_here(e, index) && is_dirty(e, index);
	if (!l.dirty && !stale)
		return;
	tide_tier from = {l.dirty ? 1 : 2};
	write_down(e, from.number);
	if (e->carrier.clean)
		e->carrier.clean(e->carrier.arg, (tide_chunk){index}, from);
	l.dirty = 0;
	store(e, index, l);
	*flags(e, index) = (uint8_t)(*flags(e, index) & ~DIRTY);
}

void td_engine_flush(struct td_engine *e)
{
	td_assert(e->tiers.on && e->near.chunk_pages == 1);
	for (uint32_t index = 0; index < e->near.chunks; index++)
		flush(e, index);
}

tide_tier td_engine_tier(const struct td_engine *e, tide_chunk c)
{
	td_assert(e->near.chunk_pages == 1 && c.index < e->near.chunks);
	if (tide_resident(&e->box[TD_BOX_EVICT].view, c))
		return (tide_tier){1};
	return (tide_tier){e->tiers.on && is_here(e, c.index) ? 2 : 3};
}
