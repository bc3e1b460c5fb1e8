/* The calls of pool.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

#define GROUP 64    /* pages that one call asks for together */
#define TOGETHER 17 /* pages that a copy pins: 64 KiB that begin anywhere */

uint64_t td_pool_bytes(const struct td_pool *p)
{
	return p->file.bytes;
}

/* ---- what is wrong ---- */

int td_pool_explain(const struct td_pool *p, int rc, uint64_t page, struct tide_error *err)
{
	if (rc == -ENOBUFS)
		return tide_fail(err, rc,
				 "every page of main memory is pinned: put some, or give more");
	if (rc == -ENOMEM)
		return tide_fail(err, rc, "no memory for page %" PRIu64 ": free some", page);
	return tide_fail(err, rc, "page %" PRIu64 " of %s cannot be had: %s: look at the storage",
			 page, p->file.name, strerror(-rc));
}

static int refuse_write(const struct td_pool *p, struct tide_error *err)
{
	return tide_fail(err, -EROFS, "%s is open for reading: open it for writing", p->file.name);
}

static int check_page(const struct td_pool *p, uint64_t page, bool write, struct tide_error *err)
{
	if (page >= p->pages)
		return tide_fail(err, -EINVAL,
				 "page %" PRIu64 " of %s, which has %" PRIu64 ": give a lower one",
				 page, p->file.name, p->pages);
	return write && p->read_only ? refuse_write(p, err) : 0;
}

int td_pool_check_range(const struct td_pool *p, uint64_t offset, uint64_t bytes, bool write,
			struct tide_error *err)
{
	if (offset > p->file.bytes || bytes > p->file.bytes - offset)
		return tide_fail(err, -EINVAL,
				 "%" PRIu64 " bytes at %" PRIu64 " of %s, which has %" PRIu64
				 ": stay within it",
				 bytes, offset, p->file.name, p->file.bytes);
	return write && p->read_only ? refuse_write(p, err) : 0;
}

/* ---- pins ---- */

int td_pool_get(struct td_pool *p, uint64_t page, enum tide_pool_access access,
		struct tide_pool_pin *pin, struct tide_error *err)
{
	bool write = access == TIDE_POOL_WRITE;
	int rc = check_page(p, page, write, err);
	if (rc || (p->degree == 1 && td_pool_hit(p, page, write, pin)))
		return rc;
	struct td_pool_request r = {.page = page, .write = write, .pinned = true};
	td_pool_submit(p, &r, 1);
	*pin = r.pin;
	return r.result ? td_pool_explain(p, r.result, page, err) : 0;
}

/* The block of a pin keeps its generation until the last pin of it is put. */
static int put_block(struct td_pool *p, const struct tide_pool_pin *pin)
{
	uint32_t b = (uint32_t)(pin->handle >> 32);
	uint64_t word = b < p->n_blocks ? td_pool_word(p, b) : 0;
	if (word >> 32 != (uint32_t)pin->handle || !(word & TD_PINS))
		return -EINVAL;
	td_pool_release(p, b, pin->access == TIDE_POOL_WRITE);
	return 0;
}

static int put_window(struct td_pool *p, const struct tide_pool_pin *pin)
{
	pthread_mutex_lock(&p->lock);
	int rc = td_pool_window_put(p, pin);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

int td_pool_put(struct td_pool *p, struct tide_pool_pin *pin, struct tide_error *err)
{
	int rc = -EINVAL;
	if (pin->addr)
		rc = p->degree == 1 ? put_block(p, pin) : put_window(p, pin);
	if (rc)
		return tide_fail(err, rc, "page %" PRIu64 " is not pinned by this pin: put it once",
				 pin->page);
	pin->addr = NULL;
	if (pin->access == TIDE_POOL_WRITE)
		td_pool_heed_bound(p);
	return 0;
}

static int begin_async(struct td_pool *p, const struct td_pool_request *what,
		       struct tide_error *err)
{
	struct td_pool_request *r = malloc(sizeof *r);
	if (!r)
		return tide_fail(err, -ENOMEM, "no memory for a request: free some");
	*r = *what;
	int rc = td_pool_submit_async(p, r);
	if (rc > 0)
		return 0;
	if (!rc)
		r->done(r->arg, &r->pin, r->result);
	free(r);
	return rc ? tide_fail(err, rc, "no thread for requests: end some") : 0;
}

int td_pool_get_async(struct td_pool *p, uint64_t page, enum tide_pool_access access,
		      tide_pool_done *done, void *arg, struct tide_error *err)
{
	bool write = access == TIDE_POOL_WRITE;
	struct tide_pool_pin pin;
	int rc = check_page(p, page, write, err);
	if (rc)
		return rc;
	if (p->degree == 1 && td_pool_hit(p, page, write, &pin)) {
		done(arg, &pin, 0);
		return 0;
	}
	struct td_pool_request r = {
		.page = page, .write = write, .pinned = true, .done = done, .arg = arg};
	return begin_async(p, &r, err);
}

/* ---- bytes ---- */

/* A range that is copied page by page. */
struct range {
	unsigned char *to;
	const unsigned char *from;
	bool write, missed;
	uint64_t offset, end;
	struct td_pool_request requests[GROUP]; /* of pages that were not there */
	size_t n;
};

static void advance(struct range *g, size_t n)
{
	g->offset += n;
	g->to = g->to ? g->to + n : NULL;
	g->from = g->from ? g->from + n : NULL;
}

static struct td_pool_request next_part(const struct td_pool *p, struct range *g)
{
	size_t at = (size_t)(g->offset % p->page_bytes), n = p->page_bytes - at;
	n = g->end - g->offset < n ? (size_t)(g->end - g->offset) : n;
	struct td_pool_request r = {.page = g->offset / p->page_bytes,
				    .write = g->write,
				    .to = g->to,
				    .from = g->from,
				    .at = at,
				    .n = n};
	if (g->write && !g->from)
		r.from = p->zeros;
	advance(g, n);
	return r;
}

/* Few of a small pool: threads that copy must leave room for those that miss. */
static size_t pages_together(const struct td_pool *p, const struct range *g)
{
	uint64_t left = (g->end - 1) / p->page_bytes - g->offset / p->page_bytes + 1;
	uint64_t most = p->main_max / 64 + 1 < TOGETHER ? p->main_max / 64 + 1 : TOGETHER;
	return left < most ? left : most;
}

static void copy_bytes(struct range *g, unsigned char *bytes, size_t n)
{
	if (!g->write)
		memcpy(g->to, bytes, n);
	else if (g->from)
		memcpy(bytes, g->from, n);
	else
		memset(bytes, 0, n);
	advance(g, n);
}

/* Of n pages, those at the beginning whose frames are neighbours. */
static size_t copy_neighbours(const struct td_pool *p, struct range *g, const uint64_t *refs,
			      size_t n)
{
	unsigned char *bytes = td_pool_bytes_of(p, (uint32_t)(refs[0] >> 32));
	size_t at = (size_t)(g->offset % p->page_bytes), pages = 1, most = p->page_bytes;
	for (; pages < n; pages++, most += p->page_bytes)
		if (td_pool_bytes_of(p, (uint32_t)(refs[pages] >> 32)) != bytes + most)
			break;
	most -= at;
	copy_bytes(g, bytes + at, g->end - g->offset < most ? (size_t)(g->end - g->offset) : most);
	return pages;
}

static bool copy_hits(struct td_pool *p, struct range *g)
{
	uint64_t refs[TOGETHER], page = g->offset / p->page_bytes;
	size_t n = 0;
	if (p->degree == 1)
		n = td_pool_hits(p, page, pages_together(p, g), g->write, refs);
	for (size_t i = 0; i < n;)
		i += copy_neighbours(p, g, refs + i, n - i);
	for (size_t i = 0; i < n; i++)
		td_pool_release(p, (uint32_t)(refs[i] >> 32), g->write);
	return n;
}

static int copy_rest(struct td_pool *p, struct range *g, struct tide_error *err)
{
	int rc = 0;
	if (g->n)
		td_pool_submit(p, g->requests, g->n);
	g->missed |= g->n != 0;
	for (size_t i = 0; !rc && i < g->n; i++)
		if (g->requests[i].result)
			rc = td_pool_explain(p, g->requests[i].result, g->requests[i].page, err);
	g->n = 0;
	return rc;
}

/* Serves pages in main memory at once. Asks for the others in groups, so that the file is read in
 * parallel. */
static int copy_range(struct td_pool *p, struct range *g, struct tide_error *err)
{
	int rc = 0;
	while (!rc && g->offset < g->end) {
		if (copy_hits(p, g))
			continue;
		g->requests[g->n++] = next_part(p, g);
		if (g->n == GROUP)
			rc = copy_rest(p, g, err);
	}
	return rc ? rc : copy_rest(p, g, err);
}

static int read_cached(struct td_pool *p, void *to, size_t bytes, uint64_t offset,
		       struct tide_error *err)
{
	uint64_t end = (offset + bytes + p->page_bytes - 1) / p->page_bytes;
	struct range g;
	g.to = to;
	g.from = NULL;
	g.write = g.missed = false;
	g.offset = offset;
	g.end = offset + bytes;
	g.n = 0;
	int rc = copy_range(p, &g, err);
	if (p->ahead.pages && bytes)
		td_pool_ahead_of(p, offset / p->page_bytes, end, g.missed);
	return rc;
}

/* What is not a whole page, or in memory, comes from the cache. */
static size_t read_part(struct td_pool *p, unsigned char *to, size_t bytes, uint64_t offset,
			bool *done)
{
	size_t before = (size_t)(-offset % p->page_bytes);
	*done = false;
	if (before || bytes < p->page_bytes)
		return before && before < bytes ? before : bytes;
	uint64_t n =
		td_pool_read_straight(p, offset / p->page_bytes, bytes / p->page_bytes, to, done);
	return (size_t)n * p->page_bytes;
}

static int read_large(struct td_pool *p, unsigned char *to, size_t bytes, uint64_t offset,
		      struct tide_error *err)
{
	int rc = 0;
	bool done;
	for (size_t n; !rc && bytes; bytes -= n) {
		n = read_part(p, to, bytes, offset, &done);
		if (!done)
			rc = read_cached(p, to, n, offset, err);
		to += n;
		offset += n;
	}
	return rc;
}

int td_pool_read(struct td_pool *p, void *to, size_t bytes, uint64_t offset, struct tide_error *err)
{
	int rc = td_pool_check_range(p, offset, bytes, false, err);
	if (rc)
		return rc;
	if (!p->straight_bytes || bytes < p->straight_bytes)
		return read_cached(p, to, bytes, offset, err);
	return read_large(p, to, bytes, offset, err);
}

int td_pool_write(struct td_pool *p, const void *from, uint64_t bytes, uint64_t offset,
		  struct tide_error *err)
{
	int rc = td_pool_check_range(p, offset, bytes, true, err);
	if (rc)
		return rc;
	struct range g;
	g.to = NULL;
	g.from = from;
	g.write = true;
	g.missed = false;
	g.offset = offset;
	g.end = offset + bytes;
	g.n = 0;
	rc = copy_range(p, &g, err);
	td_pool_heed_bound(p);
	return rc;
}
