/* The entry of a page in the page table: one word, changed by atomic operations alone.
 *
 *     63     48 47        34  33      32      31   30   28 27                    0
 *    |  pins   | generation |fresh|referenced|dirty| state | frame, slot or 0      |
 *
 *                     claimed                copied in
 *      absent  ---------------------> loading  ------------+
 *      tier 2, writing -------------> promoting -----------+--> tier 1
 *         ^      ^                                              |  no pins: chosen by the clock
 *         |      +---- its write is under way ---- evicting <---+
 *         +------------------------------------------+-> absent
 *
 * The warp that makes a page loading, promoting or evicting owns it. Nobody else changes the state
 * and the index until the page is in one of the other states again. Pins count in every state,
 * because a warp adds its pin first and then looks; it keeps the pin only if the page is in tier 1.
 * The generation goes up when a page leaves tier 1. So a reader without a pin can see that what it
 * read may belong to another page. */
#ifndef TIDE_DEVICE_ENTRY_H
#define TIDE_DEVICE_ENTRY_H

#include "lanes.h"

enum td_dev_state {
	TD_DEV_ABSENT,
	TD_DEV_TIER1,     /* index: frame */
	TD_DEV_LOADING,   /* on its way from the file, or made zero */
	TD_DEV_PROMOTING, /* index: slot that it is copied from */
	TD_DEV_EVICTING,  /* index: frame, then the slot that it was copied to */
	TD_DEV_TIER2,     /* index: slot */
	TD_DEV_WRITING,   /* index: slot that is being written, or could not be */
};

#define TD_DEV_INDEX ((uint64_t)0xfffffff)
#define TD_DEV_INDEX_MAX ((uint64_t)1 << 28)
#define TD_DEV_STATE ((uint64_t)7 << 28)
#define TD_DEV_DIRTY ((uint64_t)1 << 31)
#define TD_DEV_REFERENCED ((uint64_t)1 << 32)
#define TD_DEV_FRESH ((uint64_t)1 << 33) /* absent, and no file has it: all zero */
#define TD_DEV_GENERATION ((uint64_t)0x3fff << 34)
#define TD_DEV_GENERATION_ONE ((uint64_t)1 << 34)
#define TD_DEV_PIN ((uint64_t)1 << 48)
#define TD_DEV_PINS_MAX 65535 /* on one page: see tide_gpu_begin() */

TD_DEV uint64_t td_dev_entry(enum td_dev_state state, uint32_t index)
{
	return (uint64_t)state << 28 | index;
}

TD_DEV enum td_dev_state td_dev_state(uint64_t entry)
{
	return (enum td_dev_state)(entry >> 28 & 7);
}

TD_DEV uint32_t td_dev_index(uint64_t entry)
{
	return (uint32_t)(entry & TD_DEV_INDEX);
}

TD_DEV uint32_t td_dev_pins(uint64_t entry)
{
	return (uint32_t)(entry >> 48);
}

/* Called by the owner of the page: clears and sets bits, while others may change the pins. Gives
 * the entry as it was. */
TD_DEV uint64_t td_dev_change(uint64_t *at, uint64_t clear, uint64_t set)
{
	uint64_t old = td_dev_peek(at);
	for (;;) {
		uint64_t seen = td_dev_cas(at, old, (old & ~clear) | set);
		if (seen == old)
			return old;
		old = seen;
	}
}

/* Moves an entry out of the state `from`. False: it is in another one. */
TD_DEV bool td_dev_move(uint64_t *at, enum td_dev_state from, uint64_t clear, uint64_t set)
{
	uint64_t old = td_dev_peek(at);
	while (td_dev_state(old) == from) {
		uint64_t seen = td_dev_cas(at, old, (old & ~clear) | set);
		if (seen == old)
			return true;
		old = seen;
	}
	return false;
}

/* Called by the owner of the page: the page is in this frame now, with one pin. */
TD_DEV void td_dev_publish(uint64_t *at, uint32_t frame, bool write)
{
	uint64_t set =
		td_dev_entry(TD_DEV_TIER1, frame) | TD_DEV_REFERENCED | (write ? TD_DEV_DIRTY : 0);
	uint64_t old = td_dev_peek(at);
	for (;;) {
		uint64_t now =
			((old & ~(TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_FRESH)) | set) + TD_DEV_PIN;
		uint64_t seen = td_dev_cas(at, old, now);
		if (seen == old)
			return;
		old = seen;
	}
}

/* ---- without a pin: look, read, look again ---- */

/* Is it still the same page in the same frame? */
TD_DEV bool td_dev_same(uint64_t before, uint64_t after)
{
	uint64_t what = TD_DEV_STATE | TD_DEV_INDEX | TD_DEV_GENERATION;
	return ((before ^ after) & what) == 0;
}

#endif
