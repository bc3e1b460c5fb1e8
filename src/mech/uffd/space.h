/* Addresses, page numbers and what belongs to them: space.c looks them up, map.c makes and ends
 * them. */
#ifndef TD_UFFD_SPACE_H
#define TD_UFFD_SPACE_H

#include "pager.h"

/* ---- space.c: addresses and numbers ---- */

struct td_extent *td_pager_extent(struct td_pager *p, uint32_t chunk);
const struct td_region *td_pager_region(struct td_pager *p, uintptr_t addr);
/* The first region that ends above addr, or NULL. */
const struct td_region *td_pager_region_from(struct td_pager *p, uintptr_t addr);
int td_pager_take_numbers(struct td_pager *p, uint64_t pages, uint64_t *first);
void td_pager_give_numbers(struct td_pager *p, uint64_t first, uint64_t pages);
int td_pager_add_extent(struct td_pager *p, struct td_extent *x);
void td_pager_remove_extent(struct td_pager *p, struct td_extent *x);
/* An extent that lies on both sides of the address, a multiple of the chunk, becomes two: each with
 * its numbers, its part of the view and its regions. */
int td_pager_split_at(struct td_pager *p, uintptr_t at);
/* The extent, which has one region, is somewhere else now. */
void td_pager_move_region(struct td_pager *p, struct td_extent *x, unsigned char *to);
int td_pager_cut_regions(struct td_pager *p, uintptr_t start, uintptr_t end);

/* Without the lock, so only nearly right. */
static inline bool td_pager_may_own(struct td_pager *p, uintptr_t addr)
{
	return addr >= atomic_load_explicit(&p->lowest, memory_order_relaxed) &&
	       addr < atomic_load_explicit(&p->highest, memory_order_relaxed);
}

static inline unsigned char *td_extent_at(const struct td_pager *p, const struct td_extent *x,
					  uint32_t chunk, unsigned bit)
{
	return x->base + ((uint64_t)chunk * p->chunk_pages + bit - x->first) * p->page_bytes;
}

static inline unsigned char *td_extent_view(const struct td_pager *p, const struct td_extent *x,
					    uint32_t chunk, unsigned bit)
{
	return x->view + ((uint64_t)chunk * p->chunk_pages + bit - x->first) * p->page_bytes;
}

static inline uint64_t td_extent_page(const struct td_pager *p, const struct td_extent *x,
				      uintptr_t addr)
{
	return x->first + (addr - (uintptr_t)x->base) / p->page_bytes;
}

/* ---- move.c ---- */

/* What may not be written without a fault is write-protected, where the kernel forgot that. */
int td_pager_protect_again(struct td_pager *p, struct td_extent *x);

/* ---- map.c ---- */

/* For the mappings' attach(): at the base and in the view; faults at the base are ours. */
int td_extent_map(struct td_pager *p, struct td_extent *x, int flags, int fd, off_t offset);
int td_pager_map_lent(struct td_pager *p, const struct td_uffd_lent_region *region,
		      const char *snapshot, struct tide_error *err);
int td_extent_register(struct td_pager *p, struct td_extent *x, enum td_uffd_kind kind);

/* Of x->users one less; the lock is held. */
void td_pager_release_extent(struct td_extent *x);
/* A mark for whoever records; the lock is held. */
void td_pager_mark(struct td_pager *p, enum tide_mark_kind kind, uint64_t page, uint64_t pages);
/* An extent goes, with all that is left of it. */
void td_pager_unmap_extent(struct td_pager *p, struct td_extent *x);
/* The content of these pages does not matter any more; the lock is held, the chunk is not busy. */
void td_pager_forget_pages(struct td_pager *p, uint32_t chunk, uint64_t pages);
void td_pager_forget_packed(struct td_pager *p, uint32_t chunk, uint64_t pages); /* in the store */
/* Until no chunk of these pages is busy; the lock is given up meanwhile. */
void td_pager_await_range(struct td_pager *p, uint64_t first, uint64_t pages);
uint32_t td_pager_first_busy(struct td_pager *p, uint64_t first, uint64_t pages); /* or TIDE_NIL */
uint64_t td_pager_pages_in(const struct td_pager *p, uint32_t chunk, uint64_t first,
			   uint64_t pages);
int td_pager_check_range(struct td_pager *p, const void *addr, size_t bytes, uintptr_t *start,
			 uintptr_t *end, struct tide_error *err);

#endif
