/* Evicts blocks. Blocks that main memory cannot hold go to the device, in one transfer. Blocks that
 * the device cannot hold leave; dirty ones are written to the file first. The crew holds the
 * lock, and gives it up while bytes move. */
#include <errno.h>
#include <string.h>

#include "core/clock.h"
#include "queue.h"

#define WRITE_BYTES ((size_t)1 << 20) /* neighbours written together, at most */
#define ROUNDS 3                      /* of looking for other pages, if some cannot be written */

/* ---- dirty pages to the file ---- */

static bool may_claim(const struct td_pool *p, const struct td_pool_work *w, uint32_t b)
{
	if (p->blocks[b].busy)
		return p->blocks[b].busy == w->id;
	return td_pool_word(p, b) & (TD_MAIN | TD_DEVICE);
}

bool td_pool_claim(struct td_pool *p, const struct td_pool_work *w, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b == TIDE_NIL || !may_claim(p, w, b))
			return false;
	}
	for (uint32_t i = 0; i < p->degree; i++)
		p->blocks[td_pool_resolve(p, page * p->degree + i)].busy = w->id;
	return true;
}

/* What is on its way stays busy. */
static void unclaim(struct td_pool *p, const struct td_pool_work *w, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		uint32_t b = td_pool_resolve(p, page * p->degree + i);
		if (b != TIDE_NIL && p->blocks[b].busy == w->id &&
		    td_pool_word(p, b) & (TD_MAIN | TD_DEVICE))
			p->blocks[b].busy = 0;
	}
}

void td_pool_unclaim(struct td_pool *p, const struct td_pool_work *w, size_t n)
{
	for (size_t k = 0; k < n; k++)
		unclaim(p, w, w->pages[k]);
}

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
static size_t stage_page(struct td_pool *p, struct td_pool_work *w, size_t k, size_t n)
{
	unsigned char *to = w->staging + k * p->page_bytes;
	w->sources[k] = to;
	for (uint32_t i = 0; i < p->degree; i++, to += p->block_bytes) {
		uint32_t b = td_pool_resolve(p, w->pages[k] * p->degree + i);
		uint64_t was = atomic_fetch_and(&p->blocks[b].word, ~TD_DIRTY);
		td_assert(was & TD_PRIVATE);
		atomic_fetch_sub(&p->dirty_blocks, (was & TD_DIRTY) != 0);
		if (p->degree == 1 && p->blocks[b].in_frame && !(was & TD_MAIN)) {
			w->sources[k] = td_pool_bytes_of(p, b);
		} else if (p->blocks[b].in_frame) {
			copy_as_it_is(to, td_pool_bytes_of(p, b), p->block_bytes);
		} else {
			w->places[n] = (uint32_t)k;
			w->slots[n] = p->blocks[b].slot;
			w->host[n++] = to;
		}
	}
	return n;
}

static size_t stage(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	size_t gathered = 0;
	for (size_t k = 0; k < n; k++) {
		w->sources[k] = NULL;
		w->results[k] = 0;
		if (is_dirty(p, w->pages[k]))
			gathered = stage_page(p, w, k, gathered);
	}
	return gathered;
}

/* Is page k the next one in the file and in memory? Then the last write takes it too. */
static bool goes_on(const struct td_pool *p, const struct td_pool_work *w, size_t k,
		    const struct td_io_request *last)
{
	return last && last->bytes + p->page_bytes <= WRITE_BYTES &&
	       w->pages[k] * p->page_bytes == last->offset + last->bytes &&
	       w->sources[k] == (const unsigned char *)last->addr + last->bytes;
}

/* bytes of 0: a write before has the page, or there is nothing to write. */
static size_t list_writes(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	struct td_io_request *last = NULL;
	size_t started = 0;
	for (size_t k = 0; k < n; k++) {
		w->writes[k] = (struct td_io_request){0};
		if (!w->sources[k] || w->results[k])
			continue;
		if (goes_on(p, w, k, last)) {
			last->bytes += p->page_bytes;
			continue;
		}
		last = w->started[started++] = &w->writes[k];
		*last = (struct td_io_request){.file = &p->file,
					       .offset = w->pages[k] * p->page_bytes,
					       .addr = (void *)(uintptr_t)w->sources[k],
					       .bytes = p->page_bytes,
					       .write = true};
	}
	return started;
}

static void write_pages(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	size_t started = list_writes(p, w, n);
	int result = 0;
	if (started == 1)
		td_io_now(p->io, w->started[0]);
	else
		td_io_start(p->io, w->started, started);
	for (size_t i = 0; started > 1 && i < started; i++)
		td_io_wait(p->io, w->started[i]);
	for (size_t k = 0; k < n; k++)
		if (w->writes[k].bytes)
			result = w->writes[k].result;
		else
			w->writes[k].result = result;
}

static void fail_page(struct td_pool *p, uint64_t page)
{
	for (uint32_t i = 0; i < p->degree; i++)
		td_pool_mark_dirty(p, td_pool_resolve(p, page * p->degree + i));
}

static void judge_page(struct td_pool *p, struct td_pool_work *w, size_t k)
{
	if (!w->sources[k])
		return;
	w->results[k] = w->results[k] ? w->results[k] : w->writes[k].result;
	if (w->results[k]) {
		fail_page(p, w->pages[k]);
		p->failed_writes++;
		return;
	}
	p->counts.tier3_writes++;
	p->counts.writeback_pages++;
}

void td_pool_write_back(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	size_t gathered = stage(p, w, n);
	w->writing = true;
	pthread_mutex_unlock(&p->lock);
	uint64_t start = td_clock_ns();
	int rc = td_pool_gather(p, w, 0, gathered);
	if (rc)
		td_pool_gather_each(p, w, gathered, rc);
	for (size_t i = 0; rc && i < gathered; i++)
		if (w->came[i])
			w->results[w->places[i]] = w->came[i];
	write_pages(p, w, n);
	w->spent.file_ns += td_clock_ns() - start;
	pthread_mutex_lock(&p->lock);
	for (size_t k = 0; k < n; k++)
		judge_page(p, w, k);
	w->writing = false;
	w->writes_ended++;
	pthread_cond_broadcast(&p->news);
}

/* ---- out of memory ---- */

static void keep(struct td_pool *p, uint32_t b)
{
	p->blocks[b].busy = 0;
	if (p->blocks[b].in_frame) {
		td_queue_enter(p, b);
		td_pool_thaw(p, b);
		return;
	}
	td_queue_enter_device(p, b);
	atomic_fetch_or(&p->blocks[b].word, TD_DEVICE);
}

/* A page of which another crew has a block stays dirty. */
static int write_dirty(struct td_pool *p, struct td_pool_work *w, const uint32_t *outs, size_t n)
{
	size_t pages = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t page = p->blocks[outs[i]].owner / p->degree;
		if (td_pool_word(p, outs[i]) & TD_DIRTY && td_pool_claim(p, w, page))
			w->pages[pages++] = page;
	}
	if (!pages)
		return 0;
	td_pool_write_back(p, w, pages);
	td_pool_unclaim(p, w, pages);
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

/* What the crew's victims will take. */
static void promise(struct td_pool *p, struct td_pool_work *w, uint32_t slots)
{
	td_assert(p->promised + slots <= p->slots_n);
	w->promised += slots;
	p->promised += slots;
}

static void drop_block(struct td_pool *p, struct td_pool_work *w, uint32_t b)
{
	bool in_slot = !p->blocks[b].in_frame;
	td_queue_lose(p, b);
	td_pool_block_free(p, b);
	if (in_slot)
		promise(p, w, 1);
}

/* Drops at most a batch of blocks. A block that cannot be written stays, as the newest. */
static int drop(struct td_pool *p, struct td_pool_work *w, const uint32_t *outs, size_t n)
{
	int rc = write_dirty(p, w, outs, n);
	for (size_t i = 0; i < n; i++) {
		expect(p, i + 1 < n ? outs[i + 1] : TIDE_NIL);
		if (td_pool_word(p, outs[i]) & TD_DIRTY)
			keep(p, outs[i]);
		else
			drop_block(p, w, outs[i]);
	}
	td_pool_tell_news(p);
	return rc;
}

static int drop_all(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n; i += p->batch) {
		size_t some = n - i < p->batch ? n - i : p->batch;
		int failed = drop(p, w, w->outs + i, some);
		rc = rc ? rc : failed;
	}
	return rc;
}

static uint32_t oldest_on_device(struct td_pool *p)
{
	uint32_t b = p->device.head;
	while (b != TIDE_NIL && p->blocks[b].busy)
		b = tide_link_at(td_pool_links(p), b)->next;
	return b;
}

void td_pool_take_off_device(struct td_pool *p, const struct td_pool_work *w, uint32_t b)
{
	tide_list_remove(&p->device, td_pool_links(p), b);
	atomic_fetch_and(&p->blocks[b].word, ~TD_DEVICE);
	p->blocks[b].busy = w->id;
}

/* The oldest: of the device, then of the victims themselves, from `*first` on. */
static size_t choose_outs(struct td_pool *p, struct td_pool_work *w, size_t *first)
{
	size_t n = 0, freed = w->promised;
	if (p->engine)
		return td_policy_outs(p, w, first);
	while (freed < w->victims_n - *first) {
		uint32_t b = oldest_on_device(p);
		if (b == TIDE_NIL) {
			w->outs[n++] = w->victims[(*first)++];
			continue;
		}
		td_pool_take_off_device(p, w, b);
		w->outs[n++] = b;
		freed++;
	}
	return n;
}

static void promise_free(struct td_pool *p, struct td_pool_work *w, size_t wanted)
{
	uint32_t free = p->slots_n - p->promised;
	promise(p, w, free < wanted ? free : (uint32_t)wanted);
}

/* Room on the device for the victims from the answer on. */
static size_t make_room(struct td_pool *p, struct td_pool_work *w)
{
	size_t first = 0, n;
	w->write_error = 0;
	promise_free(p, w, w->victims_n);
	for (unsigned i = 0; i < ROUNDS && (n = choose_outs(p, w, &first)); i++) {
		w->write_error = drop_all(p, w, n);
		if (!w->write_error)
			break;
	}
	return first;
}

/* ---- out of main memory ---- */

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
	p->blocks[b].busy = 0;
	td_queue_put_back(p, b);
	td_pool_thaw(p, b);
}

static int scatter(struct td_pool *p, struct td_pool_work *w, size_t first, size_t n)
{
	td_assert(w->promised >= n);
	w->promised -= (uint32_t)n;
	p->promised -= (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		w->slots[i] = td_pool_take_slot(p);
		w->host[i] = td_pool_bytes_of(p, w->victims[first + i]);
	}
	pthread_mutex_unlock(&p->lock);
	int rc = td_pool_scatter(p, w, n);
	pthread_mutex_lock(&p->lock);
	return rc;
}

/* At most what one transfer takes. Says how many the device took. */
static int move_some(struct td_pool *p, struct td_pool_work *w, size_t first, size_t n,
		     size_t *took)
{
	int rc = scatter(p, w, first, n);
	*took = rc < 0 ? 0 : rc ? (size_t)rc : n;
	for (size_t i = n; i-- > *took;)
		td_pool_give_slot(p, w->slots[i]);
	promise(p, w, (uint32_t)(n - *took));
	for (size_t i = 0; i < *took; i++)
		land(p, w->victims[first + i], w->slots[i]);
	return *took < n && rc >= 0 ? -ENOSPC : rc;
}

static void drop_outs(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	int rc = drop_all(p, w, n);
	w->write_error = rc ? rc : w->write_error;
}

/* Victims that the device did not take leave for the file, as if there were no device. */
static void drop_victims(struct td_pool *p, struct td_pool_work *w, size_t first, size_t n)
{
	memcpy(w->outs, w->victims + first, n * sizeof *w->outs);
	drop_outs(p, w, n);
}

/* The device has no room: as many of its oldest leave. false: none could. */
static bool drop_oldest(struct td_pool *p, struct td_pool_work *w, size_t n)
{
	uint32_t before = w->promised, b;
	size_t outs = 0;
	while (outs < n && (b = oldest_on_device(p)) != TIDE_NIL) {
		td_pool_take_off_device(p, w, b);
		w->outs[outs++] = b;
	}
	drop_outs(p, w, outs);
	return w->promised > before;
}

static void move_victims(struct td_pool *p, struct td_pool_work *w, size_t first)
{
	size_t most = (size_t)p->batch * p->degree, end = w->victims_n;
	while (end - first > w->promised)
		return_victim(p, w->victims[--end]);
	while (first < end) {
		size_t n = end - first < most ? end - first : most, took;
		int rc = move_some(p, w, first, n, &took);
		first += took;
		if (rc && (rc != -ENOSPC || !drop_oldest(p, w, n - took))) {
			drop_victims(p, w, first, n - took);
			first += n - took;
		}
	}
	p->promised -= w->promised;
	w->promised = 0;
}

static void take_victims(struct td_pool *p, struct td_pool_work *w)
{
	w->victims_n = td_queue_victims(p, w->victims, 2 * (size_t)p->batch * p->degree);
	for (size_t i = 0; i < w->victims_n; i++)
		p->blocks[w->victims[i]].busy = w->id;
}

void td_pool_evict(struct td_pool *p, struct td_pool_work *w)
{
	if (!td_queue_over(p))
		return;
	td_pool_drain(p);
	take_victims(p, w);
	move_victims(p, w, make_room(p, w));
	expect(p, p->device_max ? p->device.head : td_queue_next(p));
	p->retry = true; /* its crew tells */
}
