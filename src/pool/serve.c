/* Serves a request whose page is in main memory. All under the lock. */
#include <errno.h>

#include "queue.h"

/* A write to what others share needs a frame for the copy: that is a crew's. */
static bool is_ready(struct td_pool *p, uint32_t b, bool write)
{
	uint64_t word = b == TIDE_NIL ? 0 : td_pool_word(p, b);
	if (!(word & TD_MAIN))
		return false;
	if (!write || word & TD_PRIVATE || p->blocks[b].content == TIDE_NIL)
		return true;
	return p->contents[p->blocks[b].content].links == 1;
}

bool td_pool_ready(struct td_pool *p, const struct td_pool_request *r)
{
	for (uint32_t i = 0; i < p->degree; i++)
		if (!is_ready(p, td_pool_resolve(p, r->page * p->degree + i), r->write))
			return false;
	return true;
}

static int pin_block(struct td_pool *p, struct td_pool_request *r)
{
	uint32_t b = td_pool_resolve(p, r->page);
	if (!td_pool_try_pin(p, td_pool_ref(b, td_pool_word(p, b)), TD_MAIN))
		return -ENOBUFS;
	r->pin.addr = td_pool_bytes_of(p, b);
	r->pin.handle = td_pool_ref(b, td_pool_word(p, b));
	return 0;
}

static void dirty_page(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		td_pool_mark_dirty(p, td_pool_resolve(p, page * p->degree + i));
}

static int pin_page(struct td_pool *p, struct td_pool_request *r)
{
	r->pin.size = sizeof r->pin;
	r->pin.page = r->page;
	r->pin.access = r->write ? TIDE_POOL_WRITE : TIDE_POOL_READ;
	if (p->degree > 1)
		return td_pool_window_get(p, r->page, &r->pin);
	return pin_block(p, r);
}

int td_pool_serve(struct td_pool *p, struct td_pool_request *r, bool in_crew)
{
	int rc = r->write ? td_pool_own_page(p, r->page, in_crew) : 0;
	if (rc)
		return rc;
	td_queue_used(p, r->page, r->write);
	if (r->pinned)
		return pin_page(p, r);
	td_pool_copy(p, r);
	if (r->write)
		dirty_page(p, r->page);
	return 0;
}
