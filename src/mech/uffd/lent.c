/* A pager of another process's memory: it begins with what the last one left, and leaves it to the
 * next one as if it had been killed. */
#include "lent.h"
#include "in.h"
#include "lanes.h"
#include "lock.h"
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- parts ---- */

int td_lent_open(struct td_pager *p, struct tide_error *err)
{
	const struct td_uffd_lent *lent = p->config.lent;
	p->uffd = fcntl(lent->uffd, F_DUPFD_CLOEXEC, 0);
	if (p->uffd < 0)
		return tide_fail(err, -errno, "cannot keep the userfaultfd: %s", strerror(errno));
	int flags = fcntl(p->uffd, F_GETFL);
	fcntl(p->uffd, F_SETFL, flags | O_NONBLOCK); /* else the kernel lets nobody poll it */
	/* What it cannot do, registering its ranges will say. */
	p->has = TD_UFFD_HAS_WP | TD_UFFD_HAS_CONTINUE_WP | TD_UFFD_HAS_KERNEL_FAULTS;
	int rc = td_lent_hear_begin(p);
	return rc ? tide_fail(err, rc, "cannot open an eventfd: %s", strerror(-rc)) : 0;
}

/* Memory that has the same identity is the same memory, as long as the machine runs. */
static int identify(const struct td_pager *p, struct td_kept_of *of, struct tide_error *err)
{
	const struct td_uffd_lent *lent = p->config.lent;
	struct statx st;
	*of = (struct td_kept_of){.memory = {2, lent->owner[0], lent->owner[1]},
				  .page_bytes = p->page_bytes};
	for (size_t i = 0; i < lent->n; i++) {
		uint64_t r[] = {lent->region[i].bytes, lent->region[i].file_offset,
				lent->region[i].memory_offset, of->regions};
		of->pages += lent->region[i].bytes / p->page_bytes;
		of->regions = XXH3_64bits(r, sizeof r);
	}
	if (p->memfd < 0)
		return 0;
	if (statx(p->memfd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st))
		return tide_fail(err, -errno, "cannot look at the memory: %s", strerror(errno));
	of->memory[0] = 1;
	of->memory[1] = st.stx_ino;
	of->memory[2] = st.stx_mask & STATX_BTIME ? (uint64_t)st.stx_btime.tv_sec : 0;
	of->memory[3] = st.stx_mask & STATX_BTIME ? st.stx_btime.tv_nsec : 0;
	return 0;
}

int td_lent_open_store(struct td_pager *p, struct tide_error *err)
{
	const char *path = p->config.storage;
	struct td_kept_of of;
	int rc = identify(p, &of, err);
	if (!rc)
		rc = td_kept_open(&p->kept, path, p->memfd, &of, err);
	if (!rc)
		rc = td_io_file_open(&p->storage, path, p->kept.again ? TD_IO_AGAIN : TD_IO_CREATE,
				     err);
	if (rc)
		return rc;
	p->has_storage = true;
	return td_kept_begin(&p->kept, p->storage.fd, &of, err);
}

/* ---- what is there ---- */

static void take_kept(struct td_pager *p, const struct td_extent *x)
{
	for (uint64_t page = x->first; page < x->first + x->pages; page++) {
		if (!td_kept_has(p->kept.stored, page))
			continue;
		td_pager_set(p, (uint32_t)(page / p->chunk_pages), LANE_SWAPPED,
			     UINT64_C(1) << page % p->chunk_pages);
		p->swapped_pages++;
	}
}

/* Pages of one chunk that are in the owner's memory: near, and written for all we know. */
static int adopt_pages(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t pages,
		       struct tide_error *err)
{
	uint32_t chunk = (uint32_t)(first / p->chunk_pages);
	uint64_t in = td_pager_pages_in(p, chunk, first, pages);
	struct td_pager_caller saved;
	td_pager_enter(p, &saved);
	td_pager_set(p, chunk, LANE_HELD, in);
	td_pager_set(p, chunk, LANE_MAPPED, in);
	td_pager_set(p, chunk, LANE_DIRTY, in);
	p->held_pages += td_lanes_count(in);
	td_lent_note_near(p, chunk, in);
	td_pager_let_linger(p, chunk, in);
	td_pager_leave(p, &saved);
	return td_pager_prefetch(p, x->base + (first - x->first) * p->page_bytes,
				 pages * p->page_bytes, err);
}

static int adopt_run(struct td_pager *p, struct td_extent *x, uint64_t first, uint64_t end,
		     struct tide_error *err)
{
	int rc = 0;
	while (!rc && first < end) {
		uint64_t next = (first / p->chunk_pages + 1) * p->chunk_pages;
		next = next < end ? next : end;
		rc = adopt_pages(p, x, first, next - first, err);
		first = next;
	}
	return rc;
}

/* A page of ours of which the memfd has a part is there: the rest of it is zero. */
static int adopt(struct td_pager *p, struct td_extent *x, struct tide_error *err)
{
	uint64_t bytes = x->pages * p->page_bytes, done = x->first, page = p->page_bytes;
	off_t start = (off_t)x->memory_offset, end = start + (off_t)bytes, at = start;
	int rc = 0;
	while (!rc && p->memfd >= 0 && at < end) {
		off_t data = lseek(p->memfd, at, SEEK_DATA);
		off_t hole = data < 0 ? -1 : lseek(p->memfd, data, SEEK_HOLE);
		if (data < 0 && errno != ENXIO)
			return tide_fail(err, -errno, "cannot tell which pages are in memory: %s",
					 strerror(errno));
		if (data < 0 || hole < 0 || data >= end)
			break;
		uint64_t first = x->first + (uint64_t)(data - start) / page;
		uint64_t last = x->first + ((uint64_t)(hole - start) + page - 1) / page;
		last = last < x->first + x->pages ? last : x->first + x->pages;
		first = first > done ? first : done;
		rc = adopt_run(p, x, first, last, err);
		done = last;
		at = hole;
	}
	return rc;
}

/* Pages that should be there and are not: removed, and the message about it died with the last
 * server. Without a memfd nobody can tell. */
static int drop_removed(struct td_pager *p, struct td_extent *x, struct tide_error *err)
{
	struct td_pager_caller saved;
	int rc = 0;
	td_pager_enter(p, &saved);
	for (uint64_t page = x->first; p->memfd >= 0 && !rc && page < x->first + x->pages; page++) {
		uint32_t chunk = (uint32_t)(page / p->chunk_pages);
		uint64_t bit = UINT64_C(1) << page % p->chunk_pages;
		td_pager_await_chunk(p, chunk);
		if (td_kept_has(p->kept.near, page) && !(td_pager_get(p, chunk, LANE_HELD) & bit))
			rc = td_lent_drop(p, x, chunk, bit);
	}
	td_pager_leave(p, &saved);
	return rc ? tide_fail(err, rc, "cannot note in the store which pages were removed: %s",
			      strerror(-rc))
		  : 0;
}

/* ---- begin and end ---- */

/* Whoever waits for a message that died with the last server is served now. */
int td_lent_begin(struct td_pager *p, struct tide_error *err)
{
	const struct td_uffd_lent *lent = p->config.lent;
	int rc = 0;
	for (size_t i = 0; !rc && i < lent->n; i++)
		rc = td_pager_map_lent(p, &lent->region[i], lent->snapshot, err);
	uint64_t room = p->engine->near.capacity_pages;
	if (!rc && p->memfd < 0 && p->mapped_pages > room)
		return tide_fail(err, -EOPNOTSUPP,
				 "no page can leave memory that came without its memfd: give near "
				 "memory for all of it, %zu pages more, or hand over the memfd",
				 (size_t)(p->mapped_pages - room));
	if (!rc)
		td_kept_mark(&p->kept, p->memfd);
	for (size_t i = 0; !rc && i < p->extents_n; i++)
		take_kept(p, p->extents[i]);
	for (size_t i = 0; !rc && i < p->extents_n; i++)
		rc = adopt(p, p->extents[i], err);
	for (size_t i = 0; !rc && i < p->extents_n; i++)
		rc = drop_removed(p, p->extents[i], err);
	for (size_t i = 0; !rc && i < p->extents_n; i++)
		td_uffd_wake(p->uffd, p->extents[i]->base, p->extents[i]->pages * p->page_bytes);
	return rc;
}

void td_lent_end(struct td_pager *p)
{
	for (size_t i = 0; i < p->extents_n; i++) {
		struct td_extent *x = p->extents[i];
		if (x->view)
			munmap(x->view, x->pages * p->page_bytes);
		if (x->has_file)
			td_io_file_close(&x->file);
		free(x);
	}
	p->extents_n = 0;
	td_kept_close(&p->kept);
	td_lent_hear_end(p);
}
