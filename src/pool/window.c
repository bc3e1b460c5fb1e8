/* Pages of several blocks. Such a page is in one piece as long as a caller has it pinned. All under
 * the lock.
 *
 * A window is a copy of the page's blocks, which stay pinned in main memory behind it. Writes to
 * the window go to the blocks when its pin is put. Requests that copy bytes see windows too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static struct td_pool_window **bucket(struct td_pool *p, uint64_t page)
{
	return &p->windows[page % TD_WINDOWS];
}

struct td_pool_window *td_pool_window_find(struct td_pool *p, uint64_t page)
{
	struct td_pool_window *w = *bucket(p, page);
	while (w && w->page != page)
		w = w->next;
	return w;
}

static unsigned char *block_at(struct td_pool *p, uint64_t page, uint32_t i)
{
	return td_pool_bytes_of(p, td_pool_resolve(p, page * p->degree + i));
}

static struct td_pool_window *window_open(struct td_pool *p, uint64_t page)
{
	struct td_pool_window *w = calloc(1, sizeof *w);
	unsigned char *bytes = w ? aligned_alloc(4096, p->page_bytes) : NULL;
	if (!bytes) {
		free(w);
		return NULL;
	}
	td_assert(p->degree > 1 && !td_pool_window_find(p, page));
	*w = (struct td_pool_window){page, 0, bytes, *bucket(p, page)};
	*bucket(p, page) = w;
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		td_assert(b != TIDE_NIL && td_pool_word(p, b) & TD_MAIN);
		atomic_fetch_add(&p->blocks[b].word, 1);
		memcpy(bytes + (size_t)i * p->block_bytes, td_pool_bytes_of(p, b), p->block_bytes);
	}
	return w;
}

int td_pool_window_get(struct td_pool *p, uint64_t page, struct tide_pool_pin *pin)
{
	struct td_pool_window *w = td_pool_window_find(p, page);
	if (!w)
		w = window_open(p, page);
	if (!w)
		return -ENOMEM;
	if (w->pins == UINT32_MAX)
		return -ENOBUFS;
	w->pins++;
	pin->addr = w->bytes;
	return 0;
}

static void window_close(struct td_pool *p, struct td_pool_window *w)
{
	struct td_pool_window **at = bucket(p, w->page);
	for (uint32_t i = 0; i < p->degree; i++)
		td_pool_release(p, td_pool_resolve(p, w->page * p->degree + i), false);
	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	free(w->bytes);
	free(w);
}

static void store(struct td_pool *p, const struct td_pool_window *w)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		memcpy(block_at(p, w->page, i), w->bytes + (size_t)i * p->block_bytes,
		       p->block_bytes);
		td_pool_mark_dirty(p, td_pool_resolve(p, w->page * p->degree + i));
	}
}

int td_pool_window_put(struct td_pool *p, const struct tide_pool_pin *pin)
{
	struct td_pool_window *w = td_pool_window_find(p, pin->page);
	if (!w || w->bytes != pin->addr)
		return -EINVAL;
	if (pin->access == TIDE_POOL_WRITE)
		store(p, w);
	td_assert(w->pins);
	if (!--w->pins)
		window_close(p, w);
	return 0;
}

/* ---- copies ---- */

static void copy_part(struct td_pool *p, const struct td_pool_request *r, size_t done, size_t at,
		      size_t n)
{
	unsigned char *bytes = block_at(p, r->page, (uint32_t)(at / p->block_bytes));
	bytes += at % p->block_bytes;
	if (r->from)
		memcpy(bytes, (const unsigned char *)r->from + done, n);
	else
		memcpy((unsigned char *)r->to + done, bytes, n);
}

void td_pool_copy(struct td_pool *p, const struct td_pool_request *r)
{
	struct td_pool_window *w = p->degree > 1 ? td_pool_window_find(p, r->page) : NULL;
	if (w && r->from)
		memcpy(w->bytes + r->at, r->from, r->n);
	if (w && r->to) {
		memcpy(r->to, w->bytes + r->at, r->n);
		return;
	}
	for (size_t done = 0; done < r->n;) {
		size_t at = r->at + done, n = p->block_bytes - at % p->block_bytes;
		n = n < r->n - done ? n : r->n - done;
		copy_part(p, r, done, at, n);
		done += n;
	}
}
