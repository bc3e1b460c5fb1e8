/* Brings a range into main memory, and copies nothing. */
#include "inside.h"

#define GROUP 64 /* pages that are fetched together */

bool td_pool_is_here(struct td_pool *p, uint64_t page)
{
	struct tide_pool_pin pin;
	if (p->degree > 1 || !td_pool_hit(p, page, false, &pin))
		return false;
	td_pool_release(p, (uint32_t)(pin.handle >> 32), false);
	return true;
}

/* A request of no bytes. */
static int fetch(struct td_pool *p, uint64_t page, uint64_t end, struct tide_error *err)
{
	struct td_pool_request requests[GROUP];
	size_t n = 0;
	int rc = 0;
	for (; page < end; page++)
		if (!td_pool_is_here(p, page))
			requests[n++] = (struct td_pool_request){.page = page, .to = p->zeros};
	if (n)
		td_pool_submit(p, requests, n);
	for (size_t i = 0; !rc && i < n; i++)
		if (requests[i].result)
			rc = td_pool_explain(p, requests[i].result, requests[i].page, err);
	return rc;
}

/* More than main memory holds would push out what came first. */
int td_pool_prefetch(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err)
{
	int rc = td_pool_check_range(p, offset, bytes, false, err);
	if (rc || !bytes)
		return rc;
	uint64_t page = offset / p->page_bytes, most = p->main_max / p->degree;
	uint64_t end = (offset + bytes - 1) / p->page_bytes + 1;
	end = end - page < most ? end : page + most;
	for (; !rc && page < end; page += GROUP)
		rc = fetch(p, page, end - page < GROUP ? end : page + GROUP, err);
	return rc;
}
