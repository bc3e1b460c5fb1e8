/* Reads of large ranges, past the cache: pages that are read once must not push out those that are
 * read again. While main memory has room, they fill it.
 *
 * A page that is absent at one moment under the lock is in the file as it was last written: dirty
 * pages leave memory only when the file has them. What is written after that moment is written
 * while this call runs, so the call may give the old bytes or the new. A crew is at work meanwhile,
 * so no page is trimmed. */
#include <string.h>

#include "queue.h"

#define READ_BYTES ((size_t)1 << 18) /* by one request; several are under way */

static bool is_absent(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		if (td_pool_resolve(p, page * p->degree + i) != TIDE_NIL)
			return false;
	return true;
}

/* Pages from here on that are as the first one. */
static uint64_t run_of(struct td_pool *p, uint64_t page, uint64_t most, bool *absent)
{
	uint64_t n = 1;
	*absent = is_absent(p, page);
	while (n < most && is_absent(p, page + n) == *absent)
		n++;
	return n;
}

static bool has_room(const struct td_pool *p, uint64_t pages)
{
	return td_queue_count(p) + pages * p->degree <= p->main_max;
}

static int read_file(struct td_pool *p, struct td_pool_work *w, uint64_t page, uint64_t n,
		     unsigned char *to)
{
	uint64_t bytes = n * p->page_bytes;
	uint64_t most = p->page_bytes < READ_BYTES ? READ_BYTES : p->page_bytes;
	size_t requests = 0;
	int rc = 0;
	for (uint64_t at = 0; at < bytes; at += w->writes[requests++].bytes) {
		struct td_io_request *io = w->started[requests] = &w->writes[requests];
		uint64_t some = bytes - at < most ? bytes - at : most;
		*io = (struct td_io_request){.file = &p->file,
					     .offset = page * p->page_bytes + at,
					     .addr = to + at,
					     .bytes = (size_t)some};
	}
	td_io_start(p->io, w->started, requests);
	for (size_t i = 0; i < requests; i++) {
		td_io_wait(p->io, w->started[i]);
		rc = rc ? rc : w->started[i]->result;
	}
	return rc;
}

static int read_run(struct td_pool *p, struct td_pool_work *w, uint64_t page, uint64_t n,
		    unsigned char *to)
{
	bool aligned = (uintptr_t)to % 4096 == 0;
	pthread_mutex_unlock(&p->lock);
	int rc = read_file(p, w, page, n, aligned ? to : w->staging);
	if (!rc && !aligned)
		memcpy(to, w->staging, n * p->page_bytes);
	pthread_mutex_lock(&p->lock);
	return rc;
}

static void count(struct td_pool *p, uint64_t n)
{
	p->past_reads += n;
	p->counts.accesses += n;
	p->counts.faults += n;
	p->counts.tier2_misses += n;
	p->counts.tier3_reads += n;
	p->figures.straight_pages += n;
}

uint64_t td_pool_read_straight(struct td_pool *p, uint64_t page, uint64_t most, unsigned char *to,
			       bool *done)
{
	most = most < p->batch ? most : p->batch;
	pthread_mutex_lock(&p->lock);
	uint64_t n = run_of(p, page, most, done);
	struct td_pool_work *w = *done && !has_room(p, n) ? td_pool_crew_try(p) : NULL;
	*done = w && !read_run(p, w, page, n, to);
	if (*done)
		count(p, n);
	if (w)
		td_pool_crew_end(p, w);
	pthread_mutex_unlock(&p->lock);
	return n;
}
