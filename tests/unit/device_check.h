/* What holds for a page cache of device_world.h at rest: nothing is held or on its way, slots and
 * frames belong to one page each, and every page is where its entry says. */
#ifndef TIDE_TEST_DEVICE_CHECK_H
#define TIDE_TEST_DEVICE_CHECK_H

#include <stdarg.h>
#include <stdio.h>

#include "device_world.h"

enum device_list { DEVICE_NOWHERE, DEVICE_FREE_LIST, DEVICE_HOST_LIST, DEVICE_WRITING_LIST };

struct device_check {
	const struct td_dev_control *c;
	unsigned char *list; /* of each slot */
	char text[160];      /* empty: nothing is wrong */
};

__attribute__((format(printf, 2, 3))) static inline void device_wrong(struct device_check *k,
								      const char *format, ...)
{
	va_list args;
	if (k->text[0])
		return;
	va_start(args, format);
	vsnprintf(k->text, sizeof k->text, format, args);
	va_end(args);
}

static inline uint32_t device_walk(struct device_check *k, uint32_t slot, enum device_list in)
{
	uint32_t n = 0;
	for (; slot != TD_DEV_NONE; slot = k->c->slot_next[slot], n++) {
		if (slot >= k->c->slots || k->list[slot]) {
			device_wrong(k, "slot %u is in two lists", slot);
			break;
		}
		k->list[slot] = (unsigned char)in;
	}
	return n;
}

static inline void device_check_shards(struct device_check *k)
{
	for (uint32_t i = 0; i < k->c->shards; i++) {
		const struct td_dev_shard *s = &k->c->shard[i];
		uint32_t n = device_walk(k, s->free_slots, DEVICE_FREE_LIST) +
			     device_walk(k, s->free_reads, DEVICE_FREE_LIST);
		uint32_t host = device_walk(k, s->oldest, DEVICE_HOST_LIST);
		n += host + device_walk(k, s->writing_first, DEVICE_WRITING_LIST);
		if (n != s->slots || host != s->host_used || s->leaving || s->lock)
			device_wrong(k,
				     "shard %u: %u of %u slots, %u and not %u in tier 2, %u left",
				     i, n, s->slots, host, s->host_used, (uint32_t)s->leaving);
	}
}

static inline void device_check_page(struct device_check *k, uint32_t page)
{
	uint64_t e = k->c->entries[page];
	uint32_t at = td_dev_index(e);
	bool right = false;
	switch (td_dev_state(e)) {
	case TD_DEV_TIER1: right = at < k->c->frames && k->c->owner[at] == page; break;
	case TD_DEV_TIER2:
	case TD_DEV_WRITING:
		right = at < k->c->slots && k->c->slot_page[at] == page &&
			k->list[at] == (td_dev_state(e) == TD_DEV_TIER2 ? DEVICE_HOST_LIST
									: DEVICE_WRITING_LIST);
		break;
	default: right = td_dev_state(e) == TD_DEV_ABSENT && !at && !(e & TD_DEV_DIRTY);
	}
	if (!right || td_dev_pins(e))
		device_wrong(k, "page %u is not where its entry %llx says", page,
			     (unsigned long long)e);
}

static inline void device_check_frames(struct device_check *k)
{
	for (uint32_t f = 0; f < k->c->frames; f++) {
		uint32_t page = k->c->owner[f];
		if (page != TD_DEV_NONE && (td_dev_state(k->c->entries[page]) != TD_DEV_TIER1 ||
					    td_dev_index(k->c->entries[page]) != f))
			device_wrong(k, "frame %u belongs to page %u, which is elsewhere", f, page);
	}
}

/* Where the newest version of a page is. */
static inline const unsigned char *device_newest(const struct device_world *w, uint32_t page)
{
	uint64_t e = w->c->entries[page], at = td_dev_index(e);
	switch (td_dev_state(e)) {
	case TD_DEV_TIER1: return w->c->near_memory + (at << w->c->page_shift);
	case TD_DEV_TIER2:
	case TD_DEV_WRITING: return w->c->host_memory + (at << w->c->page_shift);
	default: return w->file + ((uint64_t)page << w->c->page_shift);
	}
}

static inline bool device_is_clean(const struct device_world *w, uint32_t page)
{
	uint64_t e = w->c->entries[page];
	return !(e & TD_DEV_DIRTY) || (td_dev_state(e) == TD_DEV_WRITING &&
				       w->c->slot_status[td_dev_index(e)] == TD_DEV_DONE);
}

static inline void device_check_rest(struct device_check *k, const struct device_world *w)
{
	size_t bytes = (size_t)1 << w->c->page_shift;
	*k = (struct device_check){.c = w->c, .list = calloc(w->c->slots + 1, 1)};
	device_check_shards(k);
	device_check_frames(k);
	for (uint32_t page = 0; page < w->c->pages; page++) {
		device_check_page(k, page);
		if (device_is_clean(w, page) &&
		    memcmp(device_newest(w, page), w->file + page * bytes, bytes) != 0)
			device_wrong(k, "page %u is clean, and its file has another version", page);
	}
	free(k->list);
}

#endif
