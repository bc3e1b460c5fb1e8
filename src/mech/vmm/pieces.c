/* Physical memory, of the card and of the host. Pieces are made once and kept, by their size:
 * making one of host memory takes milliseconds. If a limit leaves no room for a new one, free ones
 * of other sizes go back to the driver. */
#include <stdlib.h>

#include "inside.h"

static bool keep(struct td_vmm_pieces *p, struct td_vmm_piece piece)
{
	if (p->n == p->room) {
		uint32_t room = p->room ? p->room * 2 : 16;
		struct td_vmm_piece *at = realloc(p->at, room * sizeof *at);
		if (!at)
			return false;
		p->at = at;
		p->room = room;
	}
	p->at[p->n++] = piece;
	return true;
}

static struct td_vmm_piece take_kept(struct td_vmm_pieces *p)
{
	return p->n ? p->at[--p->n] : (struct td_vmm_piece){0};
}

static cu_result make(struct td_vmm *v, uint64_t bytes, struct cu_location where, cu_piece *piece)
{
	struct cu_piece_of what = {.type = CU_ALLOCATION_PINNED, .location = where};
	return v->cuda->cuMemCreate(piece, bytes, &what, 0);
}

/* ---- of the card ---- */

static void drop_card(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece)
{
	v->cuda->cuMemRelease(piece.id);
	v->card_pages -= pages;
}

/* Free pieces of other sizes go, until there is room for so many pages. Those of this size are
 * wanted: who makes several would give back one for the next. */
static bool make_room(struct td_vmm *v, struct td_vmm_pieces *kept, const uint64_t *used,
		      uint64_t limit, uint64_t pages,
		      void (*drop)(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece))
{
	for (uint32_t size = TD_VMM_CHUNK_PAGES; size && *used + pages > limit; size--) {
		while (size != pages && kept[size].n && *used + pages > limit)
			drop(v, size, take_kept(&kept[size]));
	}
	return *used + pages <= limit;
}

static uint64_t kept_pages(const struct td_vmm_pieces *kept)
{
	uint64_t n = 0;
	for (uint32_t size = 1; size <= TD_VMM_CHUNK_PAGES; size++)
		n += (uint64_t)kept[size].n * size;
	return n;
}

bool td_vmm_has_card(const struct td_vmm *v, uint32_t pages)
{
	return v->card_free[pages].n ||
	       v->card_pages - kept_pages(v->card_free) + pages <= v->card_limit;
}

struct td_vmm_piece td_vmm_take_card(struct td_vmm *v, uint32_t pages)
{
	struct td_vmm_piece piece = take_kept(&v->card_free[pages]);
	struct cu_location here = {CU_LOCATION_DEVICE, v->device};
	if (piece.id ||
	    !make_room(v, v->card_free, &v->card_pages, v->card_limit, pages, drop_card))
		return piece;
	if (make(v, pages * TD_VMM_PAGE, here, &piece.id)) {
		piece.id = 0;
		return piece;
	}
	v->card_pages += pages;
	if (v->figures.near_most_bytes < v->card_pages * TD_VMM_PAGE)
		v->figures.near_most_bytes = v->card_pages * TD_VMM_PAGE;
	return piece;
}

void td_vmm_give_card(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece)
{
	if (v->card_pages > v->card_limit || !keep(&v->card_free[pages], piece))
		drop_card(v, pages, piece);
}

/* ---- of the host ---- */

static void drop_host(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece)
{
	uint64_t bytes = pages * TD_VMM_PAGE;
	v->cuda->cuMemUnmap(piece.home, bytes);
	v->cuda->cuMemAddressFree(piece.home, bytes);
	v->cuda->cuMemRelease(piece.id);
	v->host_pages -= pages;
}

static bool make_host(struct td_vmm *v, uint64_t bytes, struct td_vmm_piece *piece)
{
	struct cu_location there = {CU_LOCATION_HOST_NUMA, v->node};
	if (make(v, bytes, there, &piece->id))
		return false;
	if (v->cuda->cuMemAddressReserve(&piece->home, bytes, TD_VMM_PAGE, 0, 0) == CU_OK) {
		if (td_vmm_show(v, piece->home, bytes, piece->id) == CU_OK)
			return true;
		v->cuda->cuMemAddressFree(piece->home, bytes);
	}
	v->cuda->cuMemRelease(piece->id);
	return false;
}

/* A chunk on the card can do without its copy in host memory; it then leaves by a copy. */
static void drop_copies(struct td_vmm *v, uint64_t pages)
{
	for (uint32_t i = 0; i < v->chunks_n && v->host_pages + pages > v->host_limit; i++) {
		struct td_vmm_chunk *c = &v->chunk[i];
		if (c->allocation == TD_VMM_NONE || c->place != TD_VMM_ON_CARD || c->jobs ||
		    c->moving || !c->host.id ||
		    !td_vmm_is_past(v, &v->in, c->arrival))
			continue;
		drop_host(v, c->pages, c->host);
		c->host.id = 0;
		c->valid = c->hashed = false;
	}
}

/* Room in the budget for so many more pages. */
static bool claim_host(struct td_vmm *v, uint32_t pages)
{
	if (!make_room(v, v->host_free, &v->host_pages, v->host_limit, pages, drop_host))
		drop_copies(v, pages);
	if (v->host_pages + pages > v->host_limit)
		return false;
	v->host_pages += pages;
	if (v->figures.host_most_bytes < v->host_pages * TD_VMM_PAGE)
		v->figures.host_most_bytes = v->host_pages * TD_VMM_PAGE;
	return true;
}

bool td_vmm_stock(struct td_vmm *v, uint32_t pages, uint32_t n)
{
	while (v->host_free[pages].n < n && claim_host(v, pages)) {
		struct td_vmm_piece piece;
		pthread_mutex_unlock(&v->lock);
		bool made = make_host(v, pages * TD_VMM_PAGE, &piece);
		pthread_mutex_lock(&v->lock);
		if (!made) {
			v->host_pages -= pages;
			return false;
		}
		td_vmm_give_host(v, pages, piece);
	}
	return v->host_free[pages].n >= n;
}

struct td_vmm_piece td_vmm_take_host(struct td_vmm *v, uint32_t pages)
{
	return take_kept(&v->host_free[pages]);
}

void td_vmm_give_host(struct td_vmm *v, uint32_t pages, struct td_vmm_piece piece)
{
	if (!keep(&v->host_free[pages], piece))
		drop_host(v, pages, piece);
}
