/* Accesses that fail where a thread sleeps until its page comes. The kernel is told that the page
 * is poisoned, and the thread gets a SIGBUS. The poison goes after a while, or when the page comes
 * after all: nothing can be mapped over it.
 *
 * A thread of another process has done nothing wrong: it sleeps on, and is woken to try again. */
#include "core/assert.h"
#include "core/clock.h"
#include "lanes.h"
#include "lock.h"
#include "pager.h"
#include "space.h"
#include "threads.h"

#include <errno.h>
#include <sys/mman.h>

#define FORGIVE_NS 10000000

/* What is out of the page table is not there twice. The next access tries again; one that comes
 * before its thread has seen the refusal is refused once more. */
static void forgive(struct td_pager *p, unsigned i)
{
	void *page = (void *)p->refused[i].page;
	if (p->mapping->foreign)
		td_uffd_wake(p->uffd, page, p->page_bytes);
	else
		madvise(page, p->page_bytes, MADV_DONTNEED);
	p->refused_n--;
	memmove(&p->refused[i], &p->refused[i + 1], (p->refused_n - i) * sizeof *p->refused);
}

bool td_pager_forgive_old(struct td_pager *p)
{
	uint64_t now = td_clock_ns();
	td_pager_lock(p);
	while (p->refused_n && now - p->refused[0].since_ns > FORGIVE_NS)
		forgive(p, 0);
	bool some = p->refused_n;
	pthread_mutex_unlock(&p->lock);
	return some;
}

void td_pager_forgive_chunk(struct td_pager *p, uint32_t chunk)
{
	const struct td_extent *x = p->refused_n ? td_pager_extent(p, chunk) : NULL;
	td_assert(td_pager_is_locked(p));
	for (unsigned i = p->refused_n; i; i--) {
		uintptr_t at = p->refused[i - 1].page - (uintptr_t)td_extent_at(p, x, chunk, 0);
		if (at < p->chunk_bytes)
			forgive(p, i - 1);
	}
}

/* Waits until nothing of the page's chunk moves. false: the page is not mapped any more. */
static bool await(struct td_pager *p, uintptr_t page)
{
	const struct td_region *r;
	while ((r = td_pager_region(p, page))) {
		uint32_t chunk = (uint32_t)(td_extent_page(p, r->extent, page) / p->chunk_pages);
		if (!(*td_pager_state(p, chunk) & CHUNK_BUSY))
			return true;
		td_pager_await_chunk(p, chunk);
	}
	return false;
}

/* -EEXIST: it was refused already, or was had meanwhile. Then it is not ours to drop. */
static void poison(struct td_pager *p, uintptr_t page)
{
	int rc = 0;
	if (!p->mapping->foreign)
		rc = td_uffd_poison(p->uffd, (void *)page, p->page_bytes);
	if (rc == -EEXIST)
		return;
	if (rc)
		td_pager_end_program(p, "this kernel cannot fail one access");
	if (p->refused_n == TD_PAGER_REFUSED)
		forgive(p, 0);
	p->refused[p->refused_n++] = (struct td_refused){page, td_clock_ns()};
}

void td_pager_refuse(struct td_pager *p, uintptr_t addr, int rc)
{
	uintptr_t page = addr & ~((uintptr_t)p->page_bytes - 1);
	td_pager_tell_failure(p, (void *)addr, rc);
	td_pager_lock(p);
	if (await(p, page))
		poison(p, page);
	pthread_mutex_unlock(&p->lock);
	if (!p->mapping->foreign)
		td_uffd_wake(p->uffd, (void *)page, p->page_bytes);
}
