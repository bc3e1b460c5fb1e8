/* The way in, from a touch to a mapped page, in the order in which a fault goes it. */
#ifndef TD_UFFD_IN_H
#define TD_UFFD_IN_H

#include "pager.h"

/* ---- fault.c ---- */

struct td_touch {
	uintptr_t addr;
	uint64_t ref, stream;
	bool write;
};
/* The access can be made again: 0; -ENOENT: not a paged address; else it cannot be had. */
int td_pager_touch(struct td_pager *p, const struct td_touch *touch);
/* Before anything is decided, while nothing is busy by this thread, so that whoever is waited for
 * waits for nobody: lets pages leave if there are too many that should. true: look again; false:
 * there is room, or nothing to wait for, since all of it is held for system calls. */
bool td_pager_make_way(struct td_pager *p);

/* ---- books.c: what the engine decides becomes lanes, lists and sums ---- */

void td_pager_make_carrier(struct td_pager *p, struct td_engine_carrier *carrier);
/* Around every call of the engine. */
void td_pager_begin_decision(struct td_pager *p);
void td_pager_end_decision(struct td_pager *p);
/* Pages that are not near any more: they leave with the next batch; they are in tier 2. */
void td_pager_let_linger(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_enter_tier2(struct td_pager *p, uint32_t chunk, uint64_t pages);
/* Pages that linger stay, or have ceased to be. */
void td_pager_stop_lingering(struct td_pager *p, uint32_t chunk, uint64_t pages);
uint64_t td_pager_in_tier2(struct td_pager *p, uint32_t chunk);
void td_pager_put_in_queue(struct td_pager *p, uint32_t chunk);
void td_pager_take_from_queue(struct td_pager *p, uint32_t chunk);
/* The placement policy sends it from tier 2 to tier 3. */
void td_pager_spill(struct td_pager *p, uint32_t chunk);
/* After pages of it have left tier 2: has it any there? */
void td_pager_requeue(struct td_pager *p, uint32_t chunk);

/* ---- bring.c ---- */

/* A touched page, and since when its thread waits. */
struct td_touched {
	uint32_t chunk;
	unsigned bit;
	bool write;
	uint64_t began_ns;
};
/* Carries out what was decided. The lock is held at the beginning, and not at the end. */
int td_pager_bring_touched(struct td_pager *p, const struct td_touched *t);
/* The same where nobody waits for a page; the lock is held at the beginning and the end. */
void td_pager_carry_out(struct td_pager *p);
/* Gets the content of wanted pages, and maps those of to_map, of which some are about to be
 * written. The chunk is busy; the lock is given up meanwhile. */
int td_pager_bring(struct td_pager *p, uint32_t chunk, uint64_t wanted, uint64_t to_map,
		   uint64_t written);
/* Pages have come, of which tier 2's sum has some already; the chunk may have been evicted
 * meanwhile. */
void td_pager_settle(struct td_pager *p, uint32_t chunk, uint64_t came, uint64_t counted);

/* ---- fill.c ---- */

struct td_fill td_pager_plan_fill(struct td_pager *p, uint32_t chunk, uint64_t pages);
/* Without the lock: the pages whose content is there now, and why others have none. And with the
 * lock, that this is done. */
uint64_t td_pager_fill(struct td_pager *p, struct td_extent *x, const struct td_fill *f, int *rc);
void td_pager_note_filled(struct td_pager *p, const struct td_extent *x, const struct td_fill *f,
			  uint64_t pages);
/* From a slot to where the mapping has them, without the lock: the pages that are there now, and
 * *rc, which says why others are not. And with the lock, that this is done. */
uint64_t td_pager_deliver(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages,
			  struct td_slot *slot, int *rc);
void td_pager_note_delivered(struct td_pager *p, const struct td_extent *x, uint32_t chunk,
			     uint64_t pages);

/* The next run of pages. Those of `singles`, a run that has failed in the middle, come one by one:
 * what is in the page table has to be known page by page. */
static inline bool td_pager_next_run(uint64_t *runs, uint64_t *singles, unsigned *at, unsigned *n)
{
	if (!*singles)
		return td_pager_run(runs, at, n);
	*at = (unsigned)__builtin_ctzll(*singles);
	*n = 1;
	*singles &= *singles - 1;
	return true;
}

/* ---- ahead.c: chunks come without being touched ---- */

/* Those of the decision but for one, which is touched: they are busy from now on. */
void td_pager_claim_others(struct td_pager *p, uint32_t chunk, struct td_others *o);
void td_pager_bring_others(struct td_pager *p, const struct td_others *o);
/* Without the lock: the read is started, and ends some time later; false: it has ended already. */
bool td_pager_start_read(struct td_pager *p, struct td_read *r);

/* ---- watch.c: pages are unmapped, so that their next touch is seen ---- */

/* As soon as this decision is carried out. */
void td_pager_watch_pages(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_unmap_watched(struct td_pager *p);
void td_pager_sample(struct td_pager *p);

#endif
