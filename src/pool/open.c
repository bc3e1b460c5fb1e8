/* Opens and closes a pool. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "inside.h"

#define BLOCKS_MAX (UINT64_C(1) << 31)
#define DEPTH_MAX 1024
#define REMEMBERED 3 /* contents without a block, per block at most */

/* Large arrays are mapped: what is not touched costs nothing. */
static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, MADV_HUGEPAGE);
	return at;
}

static void unmap(void *at, size_t bytes)
{
	if (at)
		munmap(at, bytes ? bytes : 1);
}

static size_t refs_bytes(const struct td_pool *p)
{
	return ((size_t)p->pages * p->degree << p->has_links) * sizeof *p->refs;
}

static size_t dirty_bytes(const struct td_pool *p)
{
	return ((size_t)p->n_blocks / 64 + 1) * sizeof *p->dirty;
}

static size_t frames_bytes(const struct td_pool *p)
{
	return (size_t)p->n_frames * p->block_bytes;
}

/* ---- sizes ---- */

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* More memory than the file has pages would never be used. */
static int set_sizes(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	uint64_t main, device, refs;
	p->page_bytes = c->page_bytes;
	p->block_bytes = c->block_bytes;
	p->degree = c->page_bytes / c->block_bytes;
	p->batch = c->batch;
	p->pages = (p->file.bytes + p->page_bytes - 1) / p->page_bytes;
	if (!p->pages)
		return tide_fail(err, -EINVAL, "%s is empty: give a file of the size you want",
				 p->file.name);
	if (__builtin_mul_overflow(at_most(c->main_pages, p->pages), p->degree, &main) ||
	    __builtin_mul_overflow(at_most(c->device_pages, p->pages), p->degree, &device) ||
	    main >= BLOCKS_MAX / 4 || device >= BLOCKS_MAX / 4 ||
	    __builtin_mul_overflow(p->pages, p->degree, &refs) || refs > SIZE_MAX / 64)
		return tide_fail(err, -EINVAL,
				 "main or device memory of too many blocks: give less, or larger "
				 "pages or blocks");
	p->main_max = (uint32_t)main;
	p->device_max = (uint32_t)device;
	/* A write to what is shared and on the device takes two pages, and one is kept. */
	uint64_t more = (uint64_t)(c->batch < 2 ? 2 : c->batch) + 1;
	p->n_frames = (uint32_t)(main + more * p->degree);
	p->n_blocks = p->n_frames + p->device_max;
	return 0;
}

/* ---- memory ---- */

static void link_blocks(struct td_pool *p)
{
	/* A ref of zeros is to the first block, in a generation that it never has. */
	atomic_init(&p->blocks[0].word, UINT64_C(1) << 32);
	p->free_block = TIDE_NIL;
	for (uint32_t i = 0; i < p->n_frames; i++)
		p->free_frames[p->frames_n++] = p->n_frames - 1 - i;
	for (uint32_t i = 0; i < p->device_max; i++)
		p->free_slots[p->slots_n++] = p->device_max - 1 - i;
	tide_list_init(&p->main);
	tide_list_init(&p->device);
}

static bool make_index(struct td_pool *p)
{
	uint64_t refs = p->pages * p->degree, more = (uint64_t)p->n_blocks * REMEMBERED;
	more = p->n_blocks + (refs < more ? refs : more);
	p->n_contents = more < UINT32_MAX ? (uint32_t)more : UINT32_MAX - 1;
	p->table_n = (uint64_t)p->n_blocks * 3 / 2 + 1;
	p->contents = map((size_t)p->n_contents * sizeof *p->contents);
	p->table = map(p->table_n * sizeof *p->table);
	if (!p->contents || !p->table)
		return false;
	p->free_content = TIDE_NIL;
	return true;
}

static bool make_work(struct td_pool *p)
{
	struct td_pool_work *w = &p->work;
	size_t most = (size_t)p->batch * p->degree, marks = 1;
	while (marks < (size_t)p->batch * 4)
		marks *= 2;
	w->marks_mask = (uint32_t)(marks - 1);
#define MAKE(name, n) ((w->name = calloc(n, sizeof *w->name)) != NULL)
	bool all = MAKE(items, p->batch) && MAKE(marks, marks) && MAKE(coming, most) &&
		   MAKE(frames, most) && MAKE(slots, most) && MAKE(host, most) &&
		   MAKE(hashed, most) && MAKE(places, most) && MAKE(found, most) &&
		   MAKE(signatures, most) && MAKE(candidates, most) && MAKE(victims, most * 2) &&
		   MAKE(outs, most * 2) && MAKE(pages, p->batch) && MAKE(results, p->batch) &&
		   MAKE(sources, p->batch) && MAKE(writes, p->batch) && MAKE(started, p->batch);
#undef MAKE
	w->staging = map((size_t)p->batch * p->page_bytes);
	w->compare = map((size_t)p->batch * p->page_bytes);
	return all && w->staging && w->compare;
}

static bool make_blocks(struct td_pool *p)
{
	p->frames = map(frames_bytes(p));
	p->blocks = map((size_t)p->n_blocks * sizeof *p->blocks);
	p->refs = map(refs_bytes(p));
	p->dirty = map(dirty_bytes(p));
	p->rings = aligned_alloc(64, TD_RINGS * sizeof *p->rings);
	p->free_frames = calloc(p->n_frames, sizeof *p->free_frames);
	p->free_slots = calloc((size_t)p->device_max + 1, sizeof *p->free_slots);
	p->zeros = calloc(1, p->page_bytes);
	if (!p->frames || !p->blocks || !p->refs || !p->dirty || !p->rings || !p->free_frames ||
	    !p->free_slots || !p->zeros)
		return false;
	memset(p->rings, 0, TD_RINGS * sizeof *p->rings);
	link_blocks(p);
	return true;
}

static int make_memory(struct td_pool *p, struct tide_error *err)
{
	bool made = make_blocks(p) && make_work(p);
	if (made && p->dedup != TD_POOL_OFF)
		made = make_index(p);
	if (made && p->dedup == TD_POOL_AUTO) {
		p->regions = calloc(p->pages / TD_REGION_PAGES + 1, sizeof *p->regions);
		made = p->regions != NULL;
	}
	return made ? 0
		    : tide_fail(err, -ENOMEM,
				"no memory for the pool: give less main memory, or larger pages");
}

static void free_work(struct td_pool *p)
{
	struct td_pool_work *w = &p->work;
	void *all[] = {w->items,  w->marks,  w->coming,  w->frames,     w->slots,      w->host,
		       w->hashed, w->places, w->found,   w->signatures, w->candidates, w->victims,
		       w->outs,   w->pages,  w->results, w->sources,    w->writes,     w->started};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	unmap(w->staging, (size_t)p->batch * p->page_bytes);
	unmap(w->compare, (size_t)p->batch * p->page_bytes);
}

static void free_memory(struct td_pool *p)
{
	free_work(p);
	unmap(p->frames, frames_bytes(p));
	unmap(p->blocks, (size_t)p->n_blocks * sizeof *p->blocks);
	unmap(p->refs, refs_bytes(p));
	unmap(p->dirty, dirty_bytes(p));
	unmap(p->contents, (size_t)p->n_contents * sizeof *p->contents);
	unmap(p->table, p->table_n * sizeof *p->table);
	free(p->rings);
	free(p->free_frames);
	free(p->free_slots);
	free(p->zeros);
	free(p->regions);
}

/* ---- life ---- */

static void make_locks(struct td_pool *p)
{
	pthread_condattr_t clock;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&p->more, &clock);
	pthread_condattr_destroy(&clock);
	pthread_cond_init(&p->news, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->flush_lock, NULL);
}

static void discard(struct td_pool *p)
{
	p->device_ops->free(p->device_state);
	td_io_close(p->io);
	td_io_file_close(&p->file);
	free_memory(p);
	pthread_cond_destroy(&p->more);
	pthread_cond_destroy(&p->news);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->flush_lock);
	free(p);
}

/* Where its blocks move from and to. */
static int pin_memory(struct td_pool *p, struct tide_error *err)
{
	const struct td_pool_device *d = p->device_ops;
	size_t staging = (size_t)p->batch * p->page_bytes;
	int rc = d->pin(p->device_state, p->frames, frames_bytes(p), err);
	if (!rc)
		rc = d->pin(p->device_state, p->work.staging, staging, err);
	return rc ? rc : d->pin(p->device_state, p->work.compare, staging, err);
}

/* Two pools over one file would lose data without a message if one of them writes. So each pool
 * locks a byte far behind the end of the file. Only other pools notice the lock; programs that look
 * at the file do not. If the file cannot be locked, the caller must know what it does. */
static int lock_file(struct td_pool *p, struct tide_error *err)
{
	struct flock lock = {.l_type = p->read_only ? F_RDLCK : F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = INT64_C(1) << 62,
			     .l_len = 1};
	if (!fcntl(p->file.fd, F_OFD_SETLK, &lock) || (errno != EAGAIN && errno != EACCES))
		return 0;
	return tide_fail(err, -EBUSY, "%s is in use by another pool: close that one first",
			 p->file.name);
}

static int set_up(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	enum td_io_mode mode = c->read_only ? TD_IO_READ : TD_IO_WRITE;
	struct td_pool_hasher hasher = {0}; /* can it be had? */
	int rc = td_io_file_open(&p->file, c->path, mode, err);
	if (!rc)
		rc = lock_file(p, err);
	if (!rc)
		rc = set_sizes(p, c, err);
	if (!rc)
		rc = td_io_open(&p->io, c->batch < DEPTH_MAX ? c->batch : DEPTH_MAX, c->inject,
				err);
	if (!rc && c->dedup != TD_POOL_OFF)
		rc = td_pool_hash_load(&hasher, c->hash, err);
	if (!rc)
		rc = make_memory(p, err);
	if (!rc)
		rc = c->device->alloc(&p->device_state, p->device_max, p->block_bytes,
				      c->batch * p->degree, err);
	if (!rc && c->device->pin)
		rc = pin_memory(p, err);
	return rc;
}

int td_pool_open(struct td_pool **out, const struct td_pool_config *c, struct tide_error *err)
{
	struct td_pool *p = aligned_alloc(64, sizeof *p);
	*out = NULL;
	if (!p)
		return tide_fail(err, -ENOMEM, "no memory for the pool: free some");
	memset(p, 0, sizeof *p);
	p->file.fd = p->file.direct_fd = -1;
	p->queue_end = &p->queue;
	p->told_end = &p->told;
	p->read_only = c->read_only;
	p->device_ops = c->device;
	p->dedup = c->dedup;
	p->has_links = c->dedup != TD_POOL_OFF;
	p->hash = c->hash;
	p->epoch_ns = c->epoch_ns;
	p->max_backlog = c->max_backlog;
	make_locks(p);
	int rc = set_up(p, c, err);
	if (rc)
		discard(p);
	else
		*out = p;
	return rc;
}

/* A flush that failed may succeed the second time. If not, the error is returned. */
int td_pool_close(struct td_pool *p, struct tide_error *err)
{
	int rc = 0;
	if (!p)
		return 0;
	td_pool_stop(p);
	if (!p->read_only && td_pool_flush(p, err))
		rc = td_pool_flush(p, err);
	td_checked(td_pool_agrees(p));
	discard(p);
	return rc;
}
