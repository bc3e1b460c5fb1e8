/* A page cache of the GPU runtime in plain memory, where a thread is a warp of one lane: what tests
 * of include/tide/device share. Include the headers of the protocol first. */
#ifndef TIDE_TEST_DEVICE_WORLD_H
#define TIDE_TEST_DEVICE_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "device_placing.h"

struct device_setup {
	uint32_t frames, pages, shards;
	uint32_t host, staging; /* slots: pages of tier 2, and besides; multiples of shards */
	uint32_t reads;         /* of those besides, for reads alone */
	uint32_t page_shift, proxies;
	uint32_t place; /* enum tide_places, and as it was settled */
	struct tide_placing placing;
	enum td_dev_transfer transfer;
};

enum { DEVICE_RING = 1024, DEVICE_SAMPLES = 16 };

struct device_world {
	struct td_dev_control *c;
	struct td_dev_told told;
	struct td_dev_failure failure;
	unsigned char *file;
	void *memory[32];
	unsigned memory_n;
};

static inline void *device_take(struct device_world *w, size_t n, size_t bytes)
{
	size_t all = (n * bytes + 63) / 64 * 64;
	void *at = aligned_alloc(64, all ? all : 64);
	if (!at)
		abort();
	memset(at, 0, all ? all : 64);
	return w->memory[w->memory_n++] = at;
}

static inline void device_fill_shards(struct td_dev_control *c, const struct device_setup *s)
{
	for (uint32_t i = 0; i < s->shards; i++) {
		struct td_dev_shard *h = &c->shard[i];
		h->frames = s->frames / s->shards;
		h->first_frame = i * h->frames;
		h->slots = c->shard_slots;
		h->first_slot = h->free_slots = i * h->slots;
		h->read_slots = s->reads / s->shards;
		h->free_reads =
			h->read_slots ? h->first_slot + h->slots - h->read_slots : TD_DEV_NONE;
		h->host_pages = s->host / s->shards;
		h->oldest = h->newest = h->writing_first = h->writing_last = TD_DEV_NONE;
		h->random = i + 1;
		for (uint32_t k = 0; k < h->slots; k++)
			c->slot_next[h->first_slot + k] =
				k + 1 < h->slots && k + 1 != h->slots - h->read_slots
					? h->first_slot + k + 1
					: TD_DEV_NONE;
		c->decisions[i].window = s->placing.window;
	}
}

static inline void device_fill_rings(struct device_world *w)
{
	struct td_dev_control *c = w->c;
	for (uint32_t i = 0; i <= c->proxies; i++) {
		c->queue[i].entries = DEVICE_RING;
		c->queue[i].ring = device_take(w, DEVICE_RING, sizeof *c->queue[i].ring);
		for (uint32_t k = 0; k < DEVICE_RING; k++)
			c->queue[i].ring[k].sequence = k;
	}
	for (uint32_t k = 0; k < DEVICE_SAMPLES; k++)
		c->samples[k].sequence = k;
}

static inline void device_tables(struct device_world *w, const struct device_setup *s)
{
	struct td_dev_control *c = w->c;
	uint32_t slots = s->host + s->staging;
	c->entries = device_take(w, s->pages, sizeof *c->entries);
	c->own = device_take(w, s->pages, s->placing.page_words * sizeof *c->own);
	c->owner = device_take(w, s->frames, sizeof *c->owner);
	memset(c->owner, 0xff, s->frames * sizeof *c->owner);
	c->near_memory = device_take(w, s->frames, (size_t)1 << s->page_shift);
	c->host_memory = device_take(w, slots, (size_t)1 << s->page_shift);
	w->file = device_take(w, s->pages, (size_t)1 << s->page_shift);
	c->sink = device_take(w, 1, (size_t)1 << s->page_shift);
	c->slot_page = device_take(w, slots, sizeof *c->slot_page);
	c->slot_next = device_take(w, slots, sizeof *c->slot_next);
	c->slot_prev = device_take(w, slots, sizeof *c->slot_prev);
	c->slot_status = device_take(w, slots, sizeof *c->slot_status);
	c->slot_own = device_take(w, slots, s->placing.page_words * sizeof *c->own);
	c->shard = device_take(w, s->shards, sizeof *c->shard);
	c->queue = device_take(w, s->proxies + 1, sizeof *c->queue);
	c->samples = device_take(w, DEVICE_SAMPLES, sizeof *c->samples);
	c->decisions = device_take(w, s->shards, sizeof *c->decisions);
}

static inline void device_open(struct device_world *w, const struct device_setup *s)
{
	memset(w, 0, sizeof *w);
	struct td_dev_control *c = w->c = device_take(w, 1, sizeof *c);
	uint32_t slots = s->host + s->staging;
	double slope = 1;
	c->told = &w->told;
	c->failure = &w->failure;
	w->told.line.m = slope;
	memcpy(&c->line_m, &slope, sizeof slope);
	c->pages = s->pages;
	c->frames = s->frames;
	c->timeout_ns = (uint64_t)60 * 1000000000;
	c->page_shift = s->page_shift;
	c->slots = slots;
	c->shards = s->shards;
	c->shard_slots = slots / s->shards;
	c->proxies = s->proxies;
	c->samples_entries = DEVICE_SAMPLES;
	c->place = s->place;
	c->placing = s->placing;
	c->placing.near_pages = s->frames;
	c->placing.host_pages = s->host;
	c->transfer = s->transfer;
	c->window = 1;
	device_tables(w, s);
	device_fill_shards(c, s);
	device_fill_rings(w);
}

static inline void device_close(struct device_world *w)
{
	while (w->memory_n)
		free(w->memory[--w->memory_n]);
}

static inline struct tide_span device_span(const struct device_world *w)
{
	return (struct tide_span){.entries = w->c->entries,
				  .near_memory = w->c->near_memory,
				  .control = w->c,
				  .bytes = w->c->pages << w->c->page_shift,
				  .sample_bound = UINT64_MAX,
				  .page_shift = w->c->page_shift};
}

static inline uint64_t device_count(const struct device_world *w, enum td_dev_count what)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < w->c->shards; i++)
		sum += w->c->shard[i].counts[what];
	return sum;
}

/* ---- the proxy's part ---- */

/* The next request of a ring, if there is one. */
static inline bool device_next(struct td_dev_queue *q, uint64_t *head, struct td_dev_request *out)
{
	struct td_dev_request *r = &q->ring[*head % DEVICE_RING];
	if (__atomic_load_n(&r->sequence, __ATOMIC_ACQUIRE) != *head + 1)
		return false;
	*out = *r;
	__atomic_store_n(&r->sequence, *head + DEVICE_RING, __ATOMIC_RELEASE);
	++*head;
	return true;
}

static inline void device_serve(struct device_world *w, const struct td_dev_request *r)
{
	struct td_dev_control *c = w->c;
	size_t bytes = (size_t)1 << c->page_shift;
	unsigned char *slot = c->host_memory + r->slot * bytes;
	switch (r->op) {
	case TD_DEV_READ: memcpy(slot, w->file + r->page * bytes, bytes); break;
	case TD_DEV_WRITE: memcpy(w->file + r->page * bytes, slot, bytes); break;
	case TD_DEV_COPY_IN: /* word by word: somebody may look at the frame without a pin */
		td_dev_copy(td_dev_warp(), c->near_memory + r->frame * bytes, slot, bytes);
		break;
	default: memcpy(slot, c->near_memory + r->frame * bytes, bytes);
	}
	__atomic_store_n(&c->slot_status[r->slot], TD_DEV_DONE, __ATOMIC_RELEASE);
}

#endif
