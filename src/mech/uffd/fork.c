/* A fork, where the child stays paged. The kernel gives it the memory of both mappings, base and
 * view, and of the store, each page shared until one of the two processes writes to it. The books
 * are memory too, so the child has them as they were. What it does not have is made anew: threads,
 * locks, and the files that belong to the parent's memory, under the same numbers.
 *
 * Pages that two processes share cannot be moved. So the child of a `fast` pager has a `copy`
 * pager: what comes near is copied, and what leaves unchanged is dropped, and stays shared. The
 * parent stays `fast`; it gets a page of its own before it moves one (map_fast.c).
 *
 * A file of tier 3, or shared memory, would need the same care from the parent: there is none yet,
 * and such a pager refuses. */
#include "core/assert.h"
#include "lanes.h"
#include "lock.h"
#include "out.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- before ---- */

static bool can_be_inherited(const struct td_pager *p)
{
	const struct td_mapping *m = p->mapping->inherited_as;
	if (!m || (p->has & m->kernel) != m->kernel || p->has_storage)
		return false;
	for (size_t i = 0; i < p->extents_n; i++) {
		if (p->extents[i]->has_file)
			return false;
	}
	return true;
}

/* No thread moves pages, or is about to say that it did. */
static void await_calm(struct td_pager *p)
{
	uint32_t chunk;
	while ((chunk = td_ages_look(p->states.at, 0, (uint32_t)(p->numbers / p->chunk_pages),
				     CHUNK_BUSY, CHUNK_BUSY)) != TIDE_NIL)
		td_pager_await_chunk(p, chunk);
	td_assert(!p->leaving_pages && !p->dones_used);
}

/* Is the memory given to children? Not to those that nobody told us of. */
static int give_memory(struct td_pager *p, bool give)
{
	int advice = give ? MADV_DOFORK : MADV_DONTFORK, rc = 0;
	for (size_t i = 0; i < p->regions_n && !rc; i++) {
		const struct td_region *r = &p->regions[i];
		rc = madvise((void *)r->start, r->end - r->start, advice) ? -errno : 0;
	}
	for (size_t i = 0; i < p->extents_n && !rc; i++) {
		struct td_extent *x = p->extents[i];
		rc = madvise(x->view, x->pages * p->page_bytes, advice) ? -errno : 0;
	}
	return rc;
}

static void go_on(struct td_pager *p)
{
	give_memory(p, false);
	p->forking = false;
	pthread_cond_broadcast(&p->room);
	pthread_mutex_unlock(&p->lock);
}

int td_pager_before_fork(struct td_pager *p)
{
	td_pager_lock(p);
	int rc = can_be_inherited(p) && !p->forking ? 0 : -ENOTSUP;
	if (rc) {
		pthread_mutex_unlock(&p->lock);
		return rc;
	}
	p->forking = true;
	await_calm(p);
	rc = give_memory(p, true);
	if (rc)
		go_on(p);
	return rc;
}

void td_pager_in_parent(struct td_pager *p)
{
	p->forked = true;
	go_on(p);
}

/* ---- the child: what it does not have ---- */

static void make_locks(struct td_pager *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->calm, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->room, NULL);
	atomic_store(&p->asleep, 0);
	p->waiting = p->idle = p->helpers_n = p->pins_n = 0;
	p->flushing = p->forking = p->has_handler = p->watchdog.started = false;
}

/* The parent's files say nothing of our memory, or worse, mean the parent's. */
static int renew(int *at, int fd)
{
	if (fd < 0)
		return fd;
	int rc = dup3(fd, *at, O_CLOEXEC) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static int open_stop(struct td_pager *p)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return renew(&p->stop_fd, fd < 0 ? -errno : fd);
}

static void open_unmapper(struct td_pager *p)
{
	struct td_uffd_unmapper own;
	if (p->unmapper.pidfd < 0)
		return;
	td_uffd_unmapper_open(&own);
	if (renew(&p->unmapper.pidfd, own.pidfd))
		td_uffd_unmapper_close(&p->unmapper);
}

static int open_files(struct td_pager *p)
{
	unsigned has, shadow;
	int fd = -1, rc;
	open_unmapper(p);
	rc = open_stop(p);
	if (!rc)
		rc = td_uffd_open(&fd, !p->service->wakes, &has);
	if (!rc)
		rc = renew(&p->uffd, fd);
	if (!rc && (has & p->has) != p->has)
		rc = -ENOTSUP;
	if (!rc)
		rc = td_uffd_open(&fd, true, &shadow);
	return rc ? rc : renew(&p->shadow_uffd, fd);
}

/* ---- the child: faults ---- */

/* A child writes to other pages than its parent; one that saves, to none. */
static void forget_eager(struct td_pager *p, const struct td_extent *x)
{
	uint32_t first = (uint32_t)(x->first / p->chunk_pages);
	uint32_t end = first + (uint32_t)(x->pages / p->chunk_pages);
	for (uint32_t c = first; c < end; c++) {
		if (td_pager_get(p, c, LANE_EAGER))
			td_pager_put(p, c, LANE_EAGER, 0);
	}
}

/* A child inherits no write protection. */
static int take_faults(struct td_pager *p)
{
	int rc = 0;
	for (size_t i = 0; i < p->regions_n && !rc; i++) {
		const struct td_region *r = &p->regions[i];
		size_t bytes = r->end - r->start;
		madvise((void *)r->start, bytes, MADV_NOHUGEPAGE);
		madvise((void *)r->start, bytes, MADV_UNMERGEABLE);
		rc = td_uffd_register(p->uffd, (void *)r->start, bytes, p->mapping->kind, p->has);
	}
	for (size_t i = 0; i < p->extents_n && !rc; i++) {
		forget_eager(p, p->extents[i]);
		rc = td_pager_protect_again(p, p->extents[i]);
	}
	return rc;
}

static int change_mapping(struct td_pager *p)
{
	const struct td_mapping *now = p->mapping->inherited_as;
	if (now == p->mapping)
		return 0;
	int rc = td_pager_change_lanes(p, now);
	for (size_t i = 0; i < p->extents_n && !rc; i++) {
		p->extents[i]->mapping = now;
		p->extents[i]->tracks = p->tracks_writes && now->tracks_writes;
	}
	return rc;
}

static void begin_figures(struct td_pager *p)
{
	p->stalled_ns = p->waited_faults = p->from_tier2_pages = p->to_tier2_pages = 0;
	p->flushes = p->flush_ns = p->read_bytes = p->write_bytes = 0;
	td_engine_begin_again(p->engine);
	p->config.event = NULL;
	p->config.mark = NULL;
}

int td_pager_in_child(struct td_pager *p)
{
	make_locks(p);
	begin_figures(p);
	p->forked = true;
	int rc = open_files(p);
	if (!rc)
		rc = change_mapping(p);
	if (!rc)
		rc = td_pager_open_slots(p);
	if (!rc)
		rc = take_faults(p);
	if (!rc)
		rc = give_memory(p, false);
	if (!rc)
		rc = p->service->begin_child(p);
	return rc ? rc : td_pager_start_watchdog(p, NULL);
}

void td_pager_disown(struct td_pager *p)
{
	begin_figures(p);
}

/* ---- a child that cannot be paged ---- */

static int bring_page(struct td_pager *p, struct td_extent *x, uint32_t chunk, unsigned bit)
{
	uint64_t mask = UINT64_C(1) << bit;
	unsigned char *to = td_extent_at(p, x, chunk, bit);
	if (td_pager_get(p, chunk, LANE_MAPPED) & mask)
		return 0;
	if (td_pager_get(p, chunk, LANE_HELD) & mask)
		memcpy(to, td_extent_view(p, x, chunk, bit), p->page_bytes);
	else if (td_pager_get(p, chunk, LANE_STORED) & mask)
		return td_store_get(p->store, (uint64_t)chunk * p->chunk_pages + bit, to);
	return 0;
}

/* Page after page, so that the view's memory goes as the program's comes. */
static int bring_extent(struct td_pager *p, struct td_extent *x)
{
	uint32_t first = (uint32_t)(x->first / p->chunk_pages);
	uint32_t end = first + (uint32_t)(x->pages / p->chunk_pages);
	int rc = 0;
	for (uint32_t c = first; c < end && !rc; c++) {
		uint64_t there = td_pager_get(p, c, LANE_HELD) | td_pager_get(p, c, LANE_STORED);
		for (uint64_t pages = there; pages && !rc; pages &= pages - 1)
			rc = bring_page(p, x, c, (unsigned)__builtin_ctzll(pages));
		if (there)
			madvise(td_extent_view(p, x, c, 0), p->chunk_bytes, MADV_DONTNEED);
	}
	return rc;
}

int td_pager_become_plain(struct td_pager *p)
{
	int rc = 0;
	close(p->uffd); /* and no access is a fault any more */
	close(p->shadow_uffd);
	for (size_t i = 0; i < p->extents_n && !rc; i++) {
		rc = bring_extent(p, p->extents[i]);
		munmap(p->extents[i]->view, p->extents[i]->pages * p->page_bytes);
	}
	return rc;
}
