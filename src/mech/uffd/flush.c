/* Chunks leave in batches: taking pages out of the page table costs an interrupt on every processor
 * that runs the program, however many they are. And tier 2 is kept within its size. */
#include "core/assert.h"
#include "core/clock.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"

#include <errno.h>

#define MINUTE_NS (60 * UINT64_C(1000000000))

/* ---- what leaves ---- */

bool td_pager_is_pinned(const struct td_pager *p, uint32_t chunk)
{
	for (unsigned i = 0; i < p->pins_n; i++) {
		if (p->pins[i].chunk == chunk)
			return true;
	}
	return false;
}

/* Where pages without a copy in tier 3 can be written. */
static bool can_write(const struct td_pager *p, const struct td_extent *x)
{
	return x->shared || p->has_storage;
}

/* The chunk's state as it is when the batch begins; it is busy from now on. */
static void begin_job(struct td_pager *p, struct td_job *job, uint32_t chunk, uint64_t pages,
		      bool to_file)
{
	struct td_extent *x = td_pager_extent(p, chunk);
	td_assert(pages && !(*td_pager_state(p, chunk) & CHUNK_BUSY));
	uint64_t dirty = pages & td_pager_get(p, chunk, LANE_DIRTY);
	*job = (struct td_job){.extent = x, .chunk = chunk, .pages = pages};
	job->to_file = (to_file || (x->has_file && p->config.host_pages == UINT64_MAX)) &&
		       (can_write(p, x) || !dirty);
	job->unmap = pages & td_pager_get(p, chunk, x->mapping->in_table);
	job->packed = pages & td_pager_get(p, chunk, LANE_STORED);
	job->write = job->to_file ? dirty : 0;
	job->save = job->unmap & td_pager_get(p, chunk, LANE_STALE);
	job->save &= job->to_file ? dirty : pages;
	*td_pager_state(p, chunk) |= CHUNK_BUSY;
	p->leaving_pages += td_lanes_count(pages);
	td_pager_clear(p, chunk, LANE_MAPPED, job->unmap);
	td_pager_clear(p, chunk, LANE_WRITABLE, job->unmap);
	td_pager_clear(p, chunk, LANE_STALE, job->unmap);
}

static size_t take_lingering(struct td_pager *p, struct td_job *jobs)
{
	size_t n = 0;
	for (uint32_t left = p->linger.n; left && n < TD_PAGER_BATCH; left--) {
		uint32_t chunk = td_line_pop(&p->linger);
		uint8_t *state = td_pager_state(p, chunk);
		uint64_t pages = td_pager_get(p, chunk, LANE_LINGER);
		bool to_file = *state & CHUNK_TO_FILE || !p->config.host_pages;
		if (*state & CHUNK_BUSY || td_pager_is_pinned(p, chunk)) {
			td_line_push(&p->linger, chunk);
			continue;
		}
		*state &= (uint8_t)~CHUNK_LINGERS;
		td_pager_put(p, chunk, LANE_LINGER, 0);
		p->linger_pages -= td_lanes_count(pages);
		p->tier2_pages += td_lanes_count(pages); /* on their way to tier 3 too */
		begin_job(p, &jobs[n++], chunk, pages, to_file);
	}
	return n;
}

bool td_pager_some_lingering_busy(struct td_pager *p)
{
	for (uint32_t i = 0; i < p->linger.n; i++) {
		if (*td_pager_state(p, *td_line_at(&p->linger, i)) & CHUNK_BUSY)
			return true;
	}
	return false;
}

/* ---- to their tier ---- */

/* Into the store, as far as it has room; the rest goes to the file or stays as it is. true: it
 * stays for good. */
static bool pack(struct td_pager *p, struct td_job *job)
{
	for (uint64_t rest = job->pages & ~job->packed; rest; rest &= rest - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(rest);
		if (td_store_put(p->store, (uint64_t)job->chunk * p->chunk_pages + bit,
				 td_extent_view(p, job->extent, job->chunk, bit)))
			return !can_write(p, job->extent);
		job->stored |= rest & -rest;
	}
	return false;
}

/* One word for as long as it lasts, or a minute: a program that goes on for days should not fill
 * its log. */
static void note_trouble(struct td_pager *p, int rc, const char *what)
{
	bool begins = rc && !p->write_error;
	if (begins && (!p->trouble_ns || td_clock_ns() - p->trouble_ns > MINUTE_NS)) {
		td_pager_say(p, "tide: %s: %s: evicted pages stay in memory", what, strerror(-rc));
		p->trouble_ns = td_clock_ns();
	}
	p->write_error = rc ? -rc : 0;
}

/* Before the memory of the pages is given up: whoever serves them next must find them. */
static void note_kept(struct td_pager *p, const struct td_job *job)
{
	uint64_t written = job->write & ~job->failed;
	unsigned at, n;
	while (p->kept.map && td_pager_run(&written, &at, &n))
		td_kept_set(p->kept.stored, (uint64_t)job->chunk * p->chunk_pages + at, n);
}

/* What could not be taken out has no part in the rest. */
static void leave_out(struct td_job *job)
{
	job->pages &= ~job->stuck;
	job->write &= ~job->stuck;
}

static void carry_out(struct td_pager *p, struct td_job *jobs, size_t n, struct td_pipe *pipe)
{
	td_pager_unmap_jobs(p, jobs, n, pipe);
	bool writes = false, full = false;
	for (size_t i = 0; i < n; i++) {
		leave_out(&jobs[i]);
		if (!jobs[i].to_file && p->store)
			full |= pack(p, &jobs[i]);
		writes |= jobs[i].write != 0;
	}
	int rc = writes ? td_pager_write_jobs(p, jobs, n) : 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t gone = jobs[i].to_file ? jobs[i].pages & ~jobs[i].packed & ~jobs[i].failed
						: jobs[i].stored;
		note_kept(p, &jobs[i]);
		jobs[i].extent->mapping->free_pages(p, jobs[i].extent, jobs[i].chunk,
						    gone & ~jobs[i].freed);
	}
	td_pager_lock(p);
	if (writes)
		td_pager_note_write(p, rc);
	else if (p->store && !p->has_storage)
		note_trouble(p, full ? -ENOSPC : 0, "tier 2 is full");
}

/* While they were on their way pages may have come back: these are near, and are read when they are
 * touched; and may have been evicted again, so that they lingered: these have left once and for
 * all. */
static void end_to_file(struct td_pager *p, const struct td_job *job, uint64_t near, uint64_t again)
{
	uint64_t written = job->write & ~job->failed, gone = job->pages & ~job->failed;
	uint64_t copied = td_pager_get(p, job->chunk, LANE_SWAPPED);
	td_pager_forget_packed(p, job->chunk, gone & job->packed);
	td_pager_clear(p, job->chunk, LANE_HELD, gone & ~job->packed);
	td_pager_clear(p, job->chunk, LANE_STORED, gone);
	td_pager_clear(p, job->chunk, LANE_DIRTY, written);
	if (!job->extent->shared) {
		td_pager_set(p, job->chunk, LANE_SWAPPED, written);
		p->swapped_pages += td_lanes_count(written & ~copied);
	}
	td_assert(p->held_pages >= td_lanes_count(gone & ~job->packed));
	p->held_pages -= td_lanes_count(gone & ~job->packed);
	p->packed_near -= td_lanes_count(gone & job->packed & near);
	p->tier2_pages -= td_lanes_count(gone & ~near & ~again);
	p->write_bytes += td_lanes_count(written) * p->page_bytes;
}

static void stay_mapped(struct td_pager *p, const struct td_job *job, uint64_t near)
{
	uint32_t chunk = job->chunk;
	uint64_t pages = job->stuck;
	uint64_t lingers = td_pager_get(p, chunk, LANE_LINGER);
	td_pager_set(p, chunk, LANE_MAPPED, pages);
	td_pager_set(p, chunk, LANE_WRITABLE, pages);
	td_pager_set(p, chunk, LANE_DIRTY, pages);
	td_pager_set(p, chunk, LANE_STALE, job->save & pages);
	p->tier2_pages -= td_lanes_count(pages & ~near & ~lingers);
	if (pages & ~near & ~lingers)
		td_pager_let_linger(p, chunk, pages & ~near & ~lingers);
}

static void end_job(struct td_pager *p, const struct td_job *job)
{
	uint64_t near = td_pager_engine_lanes(p, job->chunk).resident;
	uint64_t again = td_pager_get(p, job->chunk, LANE_LINGER) &
			 (job->to_file ? job->pages & ~job->failed : job->stored);
	*td_pager_state(p, job->chunk) &= (uint8_t)~CHUNK_TO_FILE;
	if (again)
		td_pager_stop_lingering(p, job->chunk, again);
	if (job->to_file) {
		end_to_file(p, job, near, again);
	} else {
		p->tier2_pages += td_lanes_count(again);
		td_pager_clear(p, job->chunk, LANE_HELD, job->stored);
		td_pager_set(p, job->chunk, LANE_STORED, job->stored);
		p->held_pages -= td_lanes_count(job->stored);
		p->packed_near += td_lanes_count(job->stored & near);
		p->to_tier2_pages += td_lanes_count(job->pages);
	}
	td_assert(!(job->stuck & (job->pages | ~job->unmap)));
	td_assert(p->leaving_pages >= td_lanes_count(job->pages | job->stuck));
	p->leaving_pages -= td_lanes_count(job->pages | job->stuck);
	if (job->stuck)
		stay_mapped(p, job, near);
	p->stuck_pages += td_lanes_count(job->stuck);
	td_pager_made_room(p);
	td_pager_requeue(p, job->chunk);
	td_pager_calm(p, job->chunk);
	td_checked(td_pager_check_chunk(p, job->chunk));
}

/* Has anything left? */
static bool do_jobs(struct td_pager *p, struct td_job *jobs, size_t n)
{
	struct td_pipe *pipe = td_pager_take_pipe(p);
	bool some = false;
	pthread_mutex_unlock(&p->lock);
	carry_out(p, jobs, n, pipe); /* takes the lock */
	if (pipe)
		pipe->used = false;
	for (size_t i = 0; i < n; i++) {
		end_job(p, &jobs[i]);
		some |= jobs[i].pages != 0;
	}
	return some;
}

/* ---- tier 2 within its size ---- */

void td_pager_note_write(struct td_pager *p, int rc)
{
	note_trouble(p, rc, "cannot write tier 3");
}

bool td_pager_tier2_is_over(const struct td_pager *p)
{
	struct td_store_use use;
	if (p->engine->tiers.on)
		return p->queue.n;
	if (p->config.host_pages == UINT64_MAX)
		return false;
	if (!p->store)
		return td_pager_tier2_stays(p) > p->config.host_pages;
	td_store_use(p->store, &use);
	return use.memory_bytes > p->store_mark_bytes;
}

/* The oldest chunks of tier 2 whose pages can go to tier 3. */
static size_t take_oldest(struct td_pager *p, struct td_job *jobs)
{
	bool all = p->store || p->engine->tiers.on;
	uint64_t here = td_pager_tier2_stays(p), taken = 0;
	uint64_t most = all ? UINT64_MAX : here - p->config.host_pages;
	size_t n = 0;
	for (uint32_t left = p->queue.n; left && n < TD_PAGER_BATCH && taken < most; left--) {
		uint32_t chunk = td_ages_oldest(&p->queue, p->states.at, p->engine->near.chunks,
						CHUNK_QUEUED);
		uint64_t pages = td_pager_in_tier2(p, chunk);
		bool busy = *td_pager_state(p, chunk) & CHUNK_BUSY;
		td_pager_take_from_queue(p, chunk);
		if (pages && !busy)
			begin_job(p, &jobs[n], chunk, pages, true);
		if (busy || (pages && !jobs[n].to_file)) {
			if (!busy) {
				p->leaving_pages -= td_lanes_count(pages);
				td_pager_calm(p, chunk);
			}
			td_pager_put_in_queue(p, chunk); /* nowhere to go, or moving */
		} else if (pages) {
			taken += td_lanes_count(pages);
			n++;
		}
	}
	return n;
}

static bool trim(struct td_pager *p)
{
	struct td_job jobs[TD_PAGER_BATCH];
	bool moved = false;
	while (td_pager_tier2_is_over(p)) {
		size_t n = take_oldest(p, jobs);
		if (!n)
			break;
		if (!do_jobs(p, jobs, n) || p->write_error)
			break; /* what failed is the newest of the queue, for later */
		moved = true;
	}
	return moved;
}

bool td_pager_flush(struct td_pager *p, bool all)
{
	struct td_job jobs[TD_PAGER_BATCH];
	uint64_t began = td_clock_ns();
	/* The newest stay a little longer: an instruction may need several at once. */
	uint64_t some = p->batch_pages / 4 > 2 * (uint64_t)p->chunk_pages ? p->batch_pages / 4
									  : 2 * p->chunk_pages;
	size_t left = p->linger.n, n; /* what is stuck lingers on: each is tried once */
	bool moved = false;
	td_pager_collect_done(p); /* what is busy stays */
	p->stuck_pages = 0;
	for (; left && (all || td_pager_can_leave(p) > some); left -= n < left ? n : left) {
		n = take_lingering(p, jobs);
		if (!n)
			break;
		moved |= do_jobs(p, jobs, n);
		p->flushes++;
		if (p->samples)
			td_pager_sample(p);
	}
	moved |= trim(p);
	p->flush_ns += td_clock_ns() - began;
	return moved;
}
