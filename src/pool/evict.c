/* Evicts blocks. Blocks that main memory cannot hold go to the device, in one transfer. Blocks that
 * the device cannot hold leave; dirty ones are written to the file first. The leader holds the
 * lock, and gives it up while bytes move. */
#include <string.h>

#include "core/clock.h"
#include "inside.h"

#define ROUNDS 3 /* of looking for other pages, if some cannot be written */

/* ---- dirty pages to the file ---- */

/* All blocks of a page are dirty, or none. */
static bool is_dirty(struct td_pool *p, uint64_t page)
{
	uint32_t b = td_pool_resolve(p, page * p->degree);
	return b != TIDE_NIL && td_pool_word(p, b) & TD_DIRTY;
}

/* A thread may be writing the page. Then the page is dirty again when the thread is done, and the
 * copy may be a mixture, which is not relied on. So ThreadSanitizer must not look. */
#ifdef __SANITIZE_THREAD__
__attribute__((no_sanitize_thread)) static void copy_as_it_is(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)from)[i];
}
#else
static void copy_as_it_is(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}
#endif

/* The page is clean from here on; a write meanwhile makes it dirty again. Storage that computes
 * checksums needs bytes that do not change while it writes them. So the page is copied first. Only
 * a page on its way out, which no thread can write, is written from where it is. */
static size_t stage_page(struct td_pool *p, size_t k, size_t n)
{
	struct td_pool_work *w = &p->work;
	unsigned char *to = w->staging + k * p->page_bytes;
	w->sources[k] = to;
	for (uint32_t i = 0; i < p->degree; i++, to += p->block_bytes) {
		uint32_t b = td_pool_resolve(p, w->pages[k] * p->degree + i);
		uint64_t was = atomic_fetch_and(&p->blocks[b].word, ~TD_DIRTY);
		td_assert(was & TD_PRIVATE);
		if (p->degree == 1 && p->blocks[b].in_frame && !(was & TD_MAIN)) {
			w->sources[k] = td_pool_bytes_of(p, b);
		} else if (p->blocks[b].in_frame) {
			copy_as_it_is(to, td_pool_bytes_of(p, b), p->block_bytes);
		} else {
			w->slots[n] = p->blocks[b].slot;
			w->host[n++] = to;
		}
	}
	return n;
}

static size_t stage(struct td_pool *p, size_t n)
{
	struct td_pool_work *w = &p->work;
	size_t gathered = 0;
	for (size_t k = 0; k < n; k++) {
		w->sources[k] = NULL;
		w->results[k] = 0;
		if (is_dirty(p, w->pages[k]))
			gathered = stage_page(p, k, gathered);
	}
	return gathered;
}

static void write_pages(struct td_pool *p, size_t n)
{
	struct td_pool_work *w = &p->work;
	size_t started = 0;
	for (size_t k = 0; k < n; k++) {
		if (!w->sources[k])
			continue;
		w->writes[k] = (struct td_io_request){.file = &p->file,
						      .offset = w->pages[k] * p->page_bytes,
						      .addr = (void *)(uintptr_t)w->sources[k],
						      .bytes = p->page_bytes,
						      .write = true};
		w->started[started++] = &w->writes[k];
	}
	if (started == 1)
		td_io_now(p->io, w->started[0]);
	else
		td_io_start(p->io, w->started, started);
	for (size_t i = 0; started > 1 && i < started; i++)
		td_io_wait(p->io, w->started[i]);
}

static void fail_page(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		td_pool_mark_dirty(p, td_pool_resolve(p, page * p->degree + i));
}

static void judge_page(struct td_pool *p, size_t k, int gathered)
{
	struct td_pool_work *w = &p->work;
	if (!w->sources[k])
		return;
	w->results[k] = gathered ? gathered : w->writes[k].result;
	if (w->results[k]) {
		fail_page(p, w->pages[k]);
		return;
	}
	p->counts.tier3_writes++;
	p->counts.writeback_pages++;
}

void td_pool_write_back(struct td_pool *p, size_t n)
{
	struct td_pool_work *w = &p->work;
	size_t gathered = stage(p, n);
	pthread_mutex_unlock(&p->lock);
	uint64_t start = td_clock_ns();
	int rc = td_pool_gather(p, w->slots, w->host, gathered);
	if (!rc)
		write_pages(p, n);
	uint64_t ns = td_clock_ns() - start;
	pthread_mutex_lock(&p->lock);
	p->figures.file_ns += ns;
	for (size_t k = 0; k < n; k++)
		judge_page(p, k, rc);
}

/* ---- out of memory ---- */

static void keep(struct td_pool *p, uint32_t b)
{
	if (p->blocks[b].in_frame) {
		tide_list_push_tail(&p->main, td_pool_links(p), b);
		td_pool_thaw(p, b);
		return;
	}
	tide_list_push_tail(&p->device, td_pool_links(p), b);
	atomic_fetch_or(&p->blocks[b].word, TD_DEVICE);
}

static int write_dirty(struct td_pool *p, const uint32_t *outs, size_t n)
{
	struct td_pool_work *w = &p->work;
	size_t pages = 0;
	for (size_t i = 0; i < n; i++)
		if (td_pool_word(p, outs[i]) & TD_DIRTY)
			w->pages[pages++] = p->blocks[outs[i]].owner / p->degree;
	if (!pages)
		return 0;
	td_pool_write_back(p, pages);
	for (size_t k = 0; k < pages; k++)
		if (w->results[k])
			return w->results[k];
	return 0;
}

/* The block leaves soon: prefetches its place in the index. */
static void expect(const struct td_pool *p, uint32_t b)
{
	if (b != TIDE_NIL && td_pool_word(p, b) & TD_INDEXED)
		td_pool_index_expect(p, p->blocks[b].tag);
}

/* Drops at most a batch of blocks. A block that cannot be written stays, as the newest. */
static int drop(struct td_pool *p, const uint32_t *outs, size_t n)
{
	int rc = write_dirty(p, outs, n);
	for (size_t i = 0; i < n; i++) {
		expect(p, i + 1 < n ? outs[i + 1] : TIDE_NIL);
		if (td_pool_word(p, outs[i]) & TD_DIRTY)
			keep(p, outs[i]);
		else
			td_pool_block_free(p, outs[i]);
	}
	return rc;
}

static int drop_all(struct td_pool *p, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n; i += p->batch) {
		size_t some = n - i < p->batch ? n - i : p->batch;
		int failed = drop(p, p->work.outs + i, some);
		rc = rc ? rc : failed;
	}
	return rc;
}

/* The oldest: of the device, then of the victims themselves, from `*first` on. */
static size_t choose_outs(struct td_pool *p, size_t *first)
{
	struct td_pool_work *w = &p->work;
	size_t n = 0;
	while (p->device.n + (w->victims_n - *first) > p->device_max) {
		uint32_t b = p->device.head;
		if (b == TIDE_NIL) {
			w->outs[n++] = w->victims[(*first)++];
			continue;
		}
		tide_list_remove(&p->device, td_pool_links(p), b);
		atomic_fetch_and(&p->blocks[b].word, ~TD_DEVICE);
		w->outs[n++] = b;
	}
	return n;
}

/* Room on the device for the victims from the answer on. */
static size_t make_room(struct td_pool *p)
{
	size_t first = 0, n;
	p->write_error = 0;
	td_assert(p->device.n + p->slots_n == p->device_max);
	for (unsigned i = 0; i < ROUNDS && (n = choose_outs(p, &first)); i++) {
		p->write_error = drop_all(p, n);
		if (!p->write_error)
			break;
	}
	return first;
}

/* ---- out of main memory ---- */

static void take_victims(struct td_pool *p)
{
	struct td_pool_work *w = &p->work;
	size_t most = 2 * (size_t)p->batch * p->degree;
	uint32_t b = p->main.head;
	w->victims_n = 0;
	while (p->main.n > p->main_max && b != TIDE_NIL && w->victims_n < most) {
		uint32_t next = tide_link_at(td_pool_links(p), b)->next;
		if (td_pool_take(p, b))
			w->victims[w->victims_n++] = b;
		b = next;
	}
}

static void land(struct td_pool *p, uint32_t b, uint32_t slot)
{
	td_assert(p->blocks[b].in_frame && !(td_pool_word(p, b) & (TD_MAIN | TD_PINS)));
	td_pool_give_frame(p, p->blocks[b].slot);
	td_pool_put_at(p, b, slot, false);
	keep(p, b);
}

/* Puts the block back to where it was. */
static void return_victim(struct td_pool *p, uint32_t b)
{
	tide_list_push_head(&p->main, td_pool_links(p), b);
	td_pool_thaw(p, b);
}

static int scatter(struct td_pool *p, size_t first, size_t n)
{
	struct td_pool_work *w = &p->work;
	for (size_t i = 0; i < n; i++) {
		w->slots[i] = td_pool_take_slot(p);
		w->host[i] = td_pool_bytes_of(p, w->victims[first + i]);
	}
	pthread_mutex_unlock(&p->lock);
	uint64_t start = td_clock_ns();
	int rc = p->device_ops->scatter(p->device_state, w->slots, (const void *const *)w->host, n);
	uint64_t ns = td_clock_ns() - start;
	pthread_mutex_lock(&p->lock);
	p->figures.device_ns += ns;
	p->figures.scatters++;
	p->figures.scattered_bytes += n * p->block_bytes;
	return rc;
}

/* At most what one transfer takes. */
static int move_some(struct td_pool *p, size_t first, size_t n)
{
	struct td_pool_work *w = &p->work;
	int rc = scatter(p, first, n);
	for (size_t i = n; rc && i-- > 0;) {
		td_pool_give_slot(p, w->slots[i]);
		return_victim(p, w->victims[first + i]);
	}
	for (size_t i = 0; !rc && i < n; i++)
		land(p, w->victims[first + i], w->slots[i]);
	return rc;
}

static void move_victims(struct td_pool *p, size_t first)
{
	struct td_pool_work *w = &p->work;
	size_t most = (size_t)p->batch * p->degree, end = w->victims_n;
	while (end - first > p->slots_n)
		return_victim(p, w->victims[--end]);
	while (first < end) {
		size_t n = end - first < most ? end - first : most;
		int rc = move_some(p, first, n);
		p->write_error = rc ? rc : p->write_error;
		first += n;
	}
}

void td_pool_evict(struct td_pool *p)
{
	if (p->main.n <= p->main_max)
		return;
	td_pool_drain(p);
	take_victims(p);
	move_victims(p, make_room(p));
	expect(p, p->device_max ? p->device.head : p->main.head);
}
