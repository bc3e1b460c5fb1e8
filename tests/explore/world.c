/* The memory of a small page cache, as the runtime leaves it before a launch. */
#include "explore.h"

#include "../unit/device_placing.h"
#include "tide/device/access.h"

#include <string.h>

struct world world;
struct tide_decisions decisions[SHARDS];
const struct scenario *scene;
enum mutant mutant;

uint64_t word_of(uint32_t page, uint32_t word, uint64_t version)
{
	return (uint64_t)(page + 1) << 48 | (uint64_t)word << 40 | version;
}

static void fill_pages(struct world *w)
{
	for (uint32_t p = 0; p < scene->pages; p++) {
		w->entries[p] = scene->fresh ? TD_DEV_FRESH : 0;
		for (uint32_t i = 0; i < WORDS && !scene->fresh; i++)
			w->file[p * WORDS + i] = word_of(p, i, 1);
	}
	memcpy(w->shadow, w->file, sizeof w->shadow);
}

static void fill_shard(struct world *w, uint32_t i, uint32_t slots)
{
	struct td_dev_shard *s = &w->shard[i];
	s->frames = scene->frames / scene->shards;
	s->first_frame = i * s->frames;
	s->slots = slots;
	s->first_slot = s->free_slots = i * slots;
	s->read_slots = scene->reads;
	s->free_reads = s->read_slots ? s->first_slot + slots - s->read_slots : TD_DEV_NONE;
	s->host_pages = scene->host;
	s->oldest = s->newest = s->writing_first = s->writing_last = TD_DEV_NONE;
	s->random = i;
	for (uint32_t k = 0; k < slots; k++)
		w->slot_next[s->first_slot + k] = k + 1 < slots && k + 1 != slots - s->read_slots
							  ? s->first_slot + k + 1
							  : TD_DEV_NONE;
	decisions[i] = (struct tide_decisions){.window = 4};
}

static void fill_queues(struct world *w)
{
	for (unsigned i = 0; i < 3; i++) {
		w->queue[i].ring = w->ring[i];
		w->queue[i].entries = RING;
		for (unsigned k = 0; k < RING; k++)
			w->ring[i][k].sequence = k;
	}
}

/* Host orchestration: every page is at home in the slot of its number. */
static void fill_remote(struct world *w)
{
	static struct td_dev_remote remote;
	for (uint32_t p = 0; p < scene->pages; p++)
		w->entries[p] = td_dev_entry(TD_DEV_TIER2, p);
	memcpy(w->host, w->shadow, sizeof w->shadow);
	remote = (struct td_dev_remote){
		.commands = w->commands, .posted = &w->posted, .entries = COMMANDS};
	w->c.remote = &remote;
	w->c.host_orchestrated = 1;
}

static void point_at_all(struct world *w)
{
	struct td_dev_control *c = &w->c;
	c->entries = w->entries;
	c->own = w->own;
	c->owner = w->owner;
	c->near_memory = (unsigned char *)w->near;
	c->host_memory = (unsigned char *)w->host;
	c->slot_page = w->slot_page;
	c->slot_next = w->slot_next;
	c->slot_prev = w->slot_prev;
	c->slot_status = w->slot_status;
	c->slot_own = w->slot_own;
	c->shard = w->shard;
	c->queue = w->queue;
	c->samples = w->samples;
	c->told = &w->told;
	c->failure = &w->failure;
	c->sink = (unsigned char *)w->sink;
	c->decisions = decisions;
}

void world_reset(void)
{
	struct world *w = &world;
	uint32_t slots = scene->remote ? scene->pages : scene->host + scene->staging;
	memset(w, 0, sizeof *w);
	memset(w->owner, 0xff, sizeof w->owner);
	memset(w->slot_page, 0xff, sizeof w->slot_page);
	memset(w->slot_prev, 0xff, sizeof w->slot_prev);
	point_at_all(w);
	fill_pages(w);
	for (uint32_t i = 0; i < scene->shards; i++)
		fill_shard(w, i, slots);
	fill_queues(w);
	if (scene->remote)
		fill_remote(w);
	double slope = w->told.line.m = 1;
	memcpy(&w->c.line_m, &slope, sizeof slope);
	w->c.pages = scene->pages;
	w->c.frames = scene->frames;
	w->c.timeout_ns = UINT64_MAX;
	w->c.page_shift = PAGE_SHIFT;
	w->c.slots = slots * scene->shards;
	w->c.shard_slots = slots;
	w->c.shards = scene->shards;
	w->c.proxies = 1;
	w->c.samples_entries = 2;
	w->c.place = scene->place;
	w->c.placing = device_placing(scene->place);
	w->c.placing.near_pages = scene->frames;
	w->c.placing.host_pages = (uint64_t)scene->host * scene->shards;
	w->c.transfer = scene->transfer;
	w->c.window = 2;
}
