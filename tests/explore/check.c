/* At rest: nothing is held or on its way, everything is where the tables say, nothing is lost. */
#include "explore.h"

#include <string.h>

#include "tide/device/entry.h"

enum place_of_slot { NOWHERE, IN_FREE, IN_HOST, IN_WRITING };

static enum place_of_slot where[SLOTS];

static const uint64_t *shadow_of(uint32_t page)
{
	return &world.shadow[page * WORDS];
}

static bool same(const uint64_t *a, const uint64_t *b)
{
	return memcmp(a, b, WORDS * sizeof *a) == 0;
}

/* ---- lists ---- */

static uint32_t walk(const struct td_dev_shard *s, uint32_t slot, enum place_of_slot in)
{
	uint32_t n = 0;
	for (; slot != TD_DEV_NONE; slot = world.slot_next[slot], n++) {
		if (slot < s->first_slot || slot >= s->first_slot + s->slots || where[slot]) {
			violate("slot %u is in two lists, or in another shard's", slot);
			return n;
		}
		where[slot] = in;
	}
	return n;
}

static void check_shard(uint32_t i)
{
	const struct td_dev_shard *s = &world.shard[i];
	walk(s, s->free_slots, IN_FREE);
	uint32_t reads = walk(s, s->free_reads, IN_FREE);
	uint32_t host = walk(s, s->oldest, IN_HOST);
	walk(s, s->writing_first, IN_WRITING);
	if (reads != s->read_slots && !world.c.failed)
		violate("shard %u has %u of %u slots for reads", i, reads, s->read_slots);
	if (s->lock)
		violate("shard %u is locked", i);
	if (host != s->host_used)
		violate("shard %u has %u pages of tier 2 and counts %u", i, host, s->host_used);
	if (host > s->host_pages && !world.c.failed)
		violate("shard %u has %u pages of tier 2 and room for %u", i, host, s->host_pages);
	if (s->leaving)
		violate("shard %u: %llu slots are still being left", i,
			(unsigned long long)s->leaving);
}

static void check_slots(void)
{
	memset(where, 0, sizeof where);
	for (uint32_t i = 0; i < scene->shards; i++)
		check_shard(i);
	/* A copy that failed may keep its slot until the launch ends. */
	for (uint32_t slot = 0; slot < world.c.slots && !world.c.failed; slot++)
		if (!where[slot])
			violate("slot %u is in no list", slot);
}

/* ---- pages ---- */

static void check_in_slot(uint32_t page, uint32_t slot, enum place_of_slot in)
{
	if (slot >= world.c.slots || where[slot] != in || world.slot_page[slot] != page)
		violate("page %u is not in slot %u as its entry says", page, slot);
	else if (!same(&world.host[slot * WORDS], shadow_of(page)))
		violate("page %u: slot %u has another version", page, slot);
}

static void check_in_frame(uint32_t page, uint32_t frame)
{
	if (frame >= scene->frames || world.owner[frame] != page)
		violate("page %u is not in frame %u as its entry says", page, frame);
	else if (!same(&world.near[frame * WORDS], shadow_of(page)))
		violate("page %u: frame %u has another version", page, frame);
}

static bool in_file(uint32_t page, uint64_t e)
{
	return e & TD_DEV_FRESH ? shadow_of(page)[0] == 0
				: same(&world.file[page * WORDS], shadow_of(page));
}

static void check_page(uint32_t page)
{
	uint64_t e = world.entries[page];
	bool written = false;
	if (td_dev_pins(e))
		violate("page %u has %u pins", page, td_dev_pins(e));
	switch (td_dev_state(e)) {
	case TD_DEV_TIER1: check_in_frame(page, td_dev_index(e)); break;
	case TD_DEV_TIER2: check_in_slot(page, td_dev_index(e), IN_HOST); break;
	case TD_DEV_WRITING:
		check_in_slot(page, td_dev_index(e), IN_WRITING);
		written = world.slot_status[td_dev_index(e)] == TD_DEV_DONE;
		break;
	case TD_DEV_ABSENT:
		if (td_dev_index(e) || e & TD_DEV_DIRTY)
			violate("page %u is absent and %llx", page, (unsigned long long)e);
		break;
	default: violate("page %u is still on its way: %llx", page, (unsigned long long)e);
	}
	if ((written || !(e & TD_DEV_DIRTY)) && !in_file(page, e))
		violate("page %u is clean, and its file has another version", page);
}

static void check_frames(void)
{
	for (uint32_t frame = 0; frame < scene->frames; frame++) {
		uint32_t page = world.owner[frame];
		if (page == TD_DEV_NONE)
			continue;
		uint64_t e = page < scene->pages ? world.entries[page] : 0;
		if (td_dev_state(e) != TD_DEV_TIER1 || td_dev_index(e) != frame)
			violate("frame %u belongs to page %u, which is elsewhere", frame, page);
	}
}

/* Host orchestration: a page is near, or at home. */
static void check_remote(uint32_t page)
{
	uint64_t e = world.entries[page], at = td_dev_index(e);
	bool near = td_dev_state(e) == TD_DEV_TIER1;
	const uint64_t *words = near ? &world.near[at * WORDS] : &world.host[page * WORDS];
	if (td_dev_pins(e) || (!near && (td_dev_state(e) != TD_DEV_TIER2 || at != page)))
		violate("page %u is neither near nor at home: %llx", page, (unsigned long long)e);
	else if (!same(words, shadow_of(page)))
		violate("page %u has another version", page);
	for (uint32_t p = 0; p < page && near; p++)
		if (((world.entries[p] ^ e) & (TD_DEV_STATE | TD_DEV_INDEX)) == 0)
			violate("pages %u and %u are in frame %llu", p, page,
				(unsigned long long)at);
	if (near && !(e & TD_DEV_DIRTY) && !same(&world.host[page * WORDS], shadow_of(page)))
		violate("page %u is clean, and its home has another version", page);
}

void check_rest(void)
{
	for (uint32_t page = 0; page < scene->pages && scene->remote; page++)
		check_remote(page);
	if (scene->remote)
		return;
	check_slots();
	check_frames();
	for (uint32_t page = 0; page < scene->pages; page++)
		check_page(page);
	if (world.c.failed && !scene->fails)
		violate("it failed, and nothing had");
}
