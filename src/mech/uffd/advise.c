/* What the program asks for besides touching pages: bring, evict, forget, write, hold. */
#include "core/assert.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>

/* ---- chunk by chunk ---- */

/* Does something with pages of a chunk that is not busy; the lock is held. */
typedef int act(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages);

static int act_on_region(struct td_pager *p, uintptr_t *at, uintptr_t end, act *fn)
{
	const struct td_region *r = td_pager_region_from(p, *at);
	if (!r || r->start >= end) {
		*at = end;
		return 0;
	}
	uintptr_t low = r->start > *at ? r->start : *at, high = r->end < end ? r->end : end;
	uint64_t first = td_extent_page(p, r->extent, low), pages = (high - low) / p->page_bytes;
	uint32_t chunk = (uint32_t)(first / p->chunk_pages);
	if (*td_pager_state(p, chunk) & CHUNK_BUSY) {
		td_pager_await_chunk(p, chunk); /* and look again: the region may be another */
		return 0;
	}
	if (td_pager_make_way(p))
		return 0;
	uint64_t in = td_pager_pages_in(p, chunk, first, pages);
	td_assert(in);
	*at = low + td_lanes_count(in) * p->page_bytes;
	return fn(p, r->extent, chunk, in);
}

static int act_on(struct td_pager *p, const void *addr, size_t bytes, act *fn,
		  struct tide_error *err)
{
	uintptr_t at = 0, end = 0;
	struct td_pager_caller saved;
	int rc = td_pager_check_range(p, addr, bytes, &at, &end, err);
	while (!rc && at < end) {
		/* Not for the whole range: the program's threads go on meanwhile. */
		td_pager_enter(p, &saved);
		rc = act_on_region(p, &at, end, fn);
		td_pager_leave(p, &saved);
		if (rc == -ENOTSUP)
			return tide_fail(err, rc,
					 "pages of a shared file cannot be dropped: unmap them");
		if (rc)
			return tide_fail(err, rc, "cannot do it at %p: %s", (void *)at,
					 strerror(-rc));
	}
	return rc;
}

/* ---- bringing and evicting ---- */

/* One run at a time, as a replay has it. */
static int bring(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at, n;
	int rc = 0;
	(void)x;
	while (!rc && td_pager_run(&pages, &at, &n)) {
		uint64_t run = td_pager_bits(at, n);
		td_pager_mark(p, TIDE_MARK_BRING, (uint64_t)chunk * p->chunk_pages + at, n);
		td_pager_begin_decision(p);
		rc = td_engine_bring(p->engine, (tide_chunk){chunk}, run, NULL);
		td_pager_end_decision(p);
		if (!rc)
			td_pager_carry_out(p);
	}
	return rc;
}

int td_pager_prefetch(struct td_pager *p, const void *addr, size_t bytes, struct tide_error *err)
{
	uintptr_t down = (uintptr_t)addr % p->page_bytes;
	return act_on(p, (const char *)addr - down, bytes + down, bring, err);
}

static int evict(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	unsigned at = (unsigned)__builtin_ctzll(pages); /* a range is one run of each chunk */
	(void)x;
	td_pager_mark(p, TIDE_MARK_COLD, (uint64_t)chunk * p->chunk_pages + at,
		      td_lanes_count(pages));
	td_pager_begin_decision(p);
	int rc = td_engine_cold(p->engine, (tide_chunk){chunk}, NULL);
	td_pager_end_decision(p);
	if (!rc)
		td_pager_carry_out(p);
	return rc;
}

int td_pager_cold(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err)
{
	struct td_pager_caller saved;
	int rc = act_on(p, addr, bytes, evict, err);
	td_pager_enter(p, &saved);
	td_pager_flush(p, true);
	td_pager_leave(p, &saved);
	return rc;
}

/* ---- forgetting ---- */

/* The engine may go on thinking that the pages are near; they are, and zero. */
static int drop(struct td_pager *p, struct td_extent *x, uint32_t chunk, uint64_t pages)
{
	if (x->shared)
		return -ENOTSUP;
	if (x->mapping->foreign)
		return x->mapping->foreign->drop(p, x, chunk, pages);
	x->mapping->drop(p, x, chunk, td_pager_get(p, chunk, LANE_HELD) & pages);
	td_pager_forget_pages(p, chunk, pages);
	return 0;
}

int td_pager_drop(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err)
{
	return act_on(p, addr, bytes, drop, err);
}

/* ---- writing ---- */

struct batch {
	struct td_job jobs[TD_PAGER_BATCH];
	size_t n;
};

/* Busy from now on; a write meanwhile waits, and makes the page dirty again. */
static void add_job(struct td_pager *p, struct batch *b, struct td_extent *x, uint32_t chunk,
		    uint64_t pages)
{
	uint64_t dirty = td_pager_get(p, chunk, LANE_DIRTY) & pages;
	if (!dirty)
		return;
	td_assert(b->n < TD_PAGER_BATCH && !(*td_pager_state(p, chunk) & CHUNK_BUSY));
	b->jobs[b->n] = (struct td_job){.extent = x, .chunk = chunk, .write = dirty};
	b->jobs[b->n++].packed = td_pager_get(p, chunk, LANE_STORED);
	*td_pager_state(p, chunk) |= CHUNK_BUSY;
	if (p->tracks_writes) {
		td_pager_clear(p, chunk, LANE_DIRTY, dirty);
		td_pager_clear(p, chunk, LANE_WRITABLE, dirty);
	}
}

/* Mapped or not: a page that was unmapped to watch it may still be on its way out. */
static void protect(struct td_pager *p, const struct td_job *job)
{
	uint64_t pages = job->write;
	unsigned at, n;
	while (p->tracks_writes && td_pager_run(&pages, &at, &n))
		td_uffd_protect(p->uffd, td_extent_at(p, job->extent, job->chunk, at),
				(size_t)n * p->page_bytes, true, false);
}

static int write_batch(struct td_pager *p, struct batch *b)
{
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < b->n; i++)
		protect(p, &b->jobs[i]);
	int rc = td_pager_write_jobs(p, b->jobs, b->n);
	td_pager_lock(p);
	for (size_t i = 0; i < b->n; i++) {
		const struct td_job *job = &b->jobs[i];
		td_pager_set(p, job->chunk, LANE_DIRTY, job->failed);
		p->write_bytes += td_lanes_count(job->write & ~job->failed) * p->page_bytes;
		td_pager_calm(p, job->chunk);
	}
	b->n = 0;
	return rc;
}

/* Pages of one extent; the lock is held, and given up in between. */
static int write_extent(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages)
{
	uint64_t last = (first + pages - 1) / p->chunk_pages;
	struct batch b;
	int rc = 0;
	b.n = 0;
	for (uint64_t c = first / p->chunk_pages; c <= last && !x->ended; c++) {
		uint32_t chunk = (uint32_t)c;
		/* Never wait for one chunk and keep others busy. */
		if (b.n == TD_PAGER_BATCH || (*td_pager_state(p, chunk) & CHUNK_BUSY && b.n))
			rc = write_batch(p, &b) ?: rc;
		td_pager_await_chunk(p, chunk);
		if (!x->ended)
			add_job(p, &b, x, chunk, td_pager_pages_in(p, chunk, first, pages));
	}
	if (b.n)
		rc = write_batch(p, &b) ?: rc;
	pthread_mutex_unlock(&p->lock);
	int flushed = td_io_flush(p->io, &x->file);
	td_pager_lock(p);
	return rc ? rc : flushed;
}

/* [*at, end) of one region; *at moves on. */
static int sync_region(struct td_pager *p, uintptr_t *at, uintptr_t end, struct tide_error *err)
{
	const struct td_region *r = td_pager_region_from(p, *at);
	if (!r || r->start >= end) {
		*at = end;
		return 0;
	}
	struct td_extent *x = r->extent;
	uintptr_t low = r->start > *at ? r->start : *at, high = r->end < end ? r->end : end;
	*at = high;
	if (!x->shared)
		return 0;
	x->users++;
	int rc = write_extent(p, x, td_extent_page(p, x, low), (high - low) / p->page_bytes);
	if (rc)
		tide_fail(err, rc, "cannot write to %s: %s: what is in memory stays there",
			  x->file.name, strerror(-rc));
	td_pager_release_extent(x);
	return rc;
}

int td_pager_sync(struct td_pager *p, void *addr, size_t bytes, struct tide_error *err)
{
	uintptr_t at = 0, end = UINTPTR_MAX;
	struct td_pager_caller saved;
	int rc = addr ? td_pager_check_range(p, addr, bytes, &at, &end, err) : 0;
	if (rc)
		return rc;
	td_pager_enter(p, &saved);
	while (at < end) {
		int now = sync_region(p, &at, end, rc ? NULL : err);
		rc = rc ? rc : now;
	}
	td_pager_leave(p, &saved);
	return rc;
}

/* ---- holding ---- */

static bool pin(struct td_pager *p, uint32_t chunk)
{
	for (unsigned i = 0; i < p->pins_n; i++) {
		if (p->pins[i].chunk == chunk) {
			p->pins[i].n++;
			return true;
		}
	}
	if (p->pins_n == TD_PAGER_PINS)
		return false;
	p->pins[p->pins_n++] = (struct td_pin){chunk, 1};
	return true;
}

static void unpin(struct td_pager *p, uint32_t chunk)
{
	for (unsigned i = 0; i < p->pins_n; i++) {
		td_assert(p->pins[i].n);
		if (p->pins[i].chunk == chunk && !--p->pins[i].n) {
			p->pins[i] = p->pins[--p->pins_n];
			return;
		}
	}
}

/* A thread that holds waits for nobody who holds, so one pin must always be there for it. */
static bool pin_at(struct td_pager *p, uintptr_t addr, bool must)
{
	struct td_pager_caller saved;
	bool done = true;
	td_pager_enter(p, &saved);
	const struct td_region *r = td_pager_region(p, addr);
	while (r) {
		uint32_t chunk = (uint32_t)(td_extent_page(p, r->extent, addr) / p->chunk_pages);
		done = !(*td_pager_state(p, chunk) & CHUNK_BUSY) && pin(p, chunk);
		if (done)
			break;
		if (*td_pager_state(p, chunk) & CHUNK_BUSY)
			td_pager_await_chunk(p, chunk); /* it may be on its way out */
		else if (!must)
			break;
		else
			td_pager_await_room(p);
		r = td_pager_region(p, addr);
	}
	td_pager_leave(p, &saved);
	return done;
}

/* An access of its own, so that it is served as any other. */
static void touch(uintptr_t addr, bool write)
{
	if (write)
		__atomic_fetch_or((unsigned char *)addr, 0, __ATOMIC_RELAXED);
	else
		__atomic_load_n((const unsigned char *)addr, __ATOMIC_RELAXED);
}

int td_pager_hold(struct td_pager *p, const void *addr, size_t bytes, bool write, size_t *held,
		  struct tide_error *err)
{
	uintptr_t start = (uintptr_t)addr, end = start + bytes, at = start;
	uint64_t most = p->config.near_pages / 4 / p->chunk_pages;
	(void)err;
	*held = bytes;
	if (!bytes || end <= atomic_load(&p->lowest) || start >= atomic_load(&p->highest))
		return 0;
	for (uint64_t chunks = 0; at < end; chunks++) {
		uintptr_t next = (at / p->chunk_bytes + 1) * p->chunk_bytes;
		next = next < end ? next : end;
		if ((chunks && chunks >= most) || !pin_at(p, at, !chunks))
			break;
		for (uintptr_t page = at; page < next; page = (page / 4096 + 1) * 4096)
			touch(page, write);
		at = next;
	}
	*held = at - start;
	return 0;
}

void td_pager_release(struct td_pager *p, const void *addr, size_t held)
{
	uintptr_t at = (uintptr_t)addr, end = at + held;
	struct td_pager_caller saved;
	if (!held || end <= atomic_load(&p->lowest) || at >= atomic_load(&p->highest))
		return;
	td_pager_enter(p, &saved);
	for (; at < end; at = (at / p->chunk_bytes + 1) * p->chunk_bytes) {
		const struct td_region *r = td_pager_region(p, at);
		if (r)
			unpin(p, (uint32_t)(td_extent_page(p, r->extent, at) / p->chunk_pages));
	}
	td_pager_made_room(p);
	td_pager_leave(p, &saved);
}

/* ---- failing ---- */

#define FAILURES_SAID 3 /* a program that handles them itself need not hear of each */

void td_pager_tell_failure(struct td_pager *p, void *addr, int rc)
{
	char why[160];
	snprintf(why, sizeof why, "the page at %p cannot be had: %s", addr, strerror(-rc));
	if (p->config.on_error)
		p->config.on_error(p->config.on_error_arg, addr, -rc, why);
	else if (atomic_fetch_add(&p->failures, 1) < FAILURES_SAID)
		td_pager_say(p, "tide: %s", why);
}
