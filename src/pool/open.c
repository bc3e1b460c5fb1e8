/* Opens and closes a pool. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "queue.h"

#define BLOCKS_MAX (UINT64_C(1) << 31)
#define DEPTH_MAX 1024
#define SERIAL_CREWS 4
#define STAGING_BYTES (UINT64_C(256) << 20) /* of all crews; some devices pin it */
#define REMEMBERED 3                        /* contents without a block, per block at most */

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

static size_t staging_bytes(const struct td_pool *p)
{
	return (size_t)p->batch * p->page_bytes;
}

/* Crews share a device that takes one call at a time, which gains by large batches. */
static void count_crews(struct td_pool *p)
{
	p->crews = p->device_ops->parallel ? TD_CREWS_MAX : SERIAL_CREWS;
	while (p->crews > 2 && p->crews * staging_bytes(p) > STAGING_BYTES)
		p->crews /= 2;
	p->idle = (UINT32_C(1) << p->crews) - 1;
}

/* More memory than the file has pages would never be used. */
static int set_sizes(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	uint64_t main, device, refs, dense = c->device->dense ? c->device->dense : 1;
	p->page_bytes = c->page_bytes;
	p->block_bytes = c->block_bytes;
	p->degree = c->page_bytes / c->block_bytes;
	p->batch = c->batch;
	count_crews(p);
	p->pages = (p->file.bytes + p->page_bytes - 1) / p->page_bytes;
	if (!p->pages)
		return tide_fail(err, -EINVAL, "%s is empty: give a file of the size you want",
				 p->file.name);
	if (__builtin_mul_overflow(at_most(c->main_pages, p->pages), p->degree, &main) ||
	    __builtin_mul_overflow(at_most(c->device_pages, p->pages) * dense, p->degree,
				   &device) ||
	    __builtin_mul_overflow(p->pages, p->degree, &refs) || refs > SIZE_MAX / 64 ||
	    main >= BLOCKS_MAX / 4 || at_most(device, refs) >= BLOCKS_MAX / 4)
		return tide_fail(err, -EINVAL,
				 "main or device memory of too many blocks: give less, or larger "
				 "pages or blocks");
	p->main_max = (uint32_t)main;
	p->device_max = (uint32_t)at_most(device, refs);
	if (!c->device->dense)
		p->device_bytes = device * p->block_bytes;
	else if (__builtin_mul_overflow(c->device_pages, c->page_bytes, &p->device_bytes))
		p->device_bytes = UINT64_MAX;
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
	p->slots_n = p->device_max;
	td_queue_init(p);
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

static bool make_work(struct td_pool *p, uint32_t i)
{
	struct td_pool_work *w = &p->works[i];
	size_t most = (size_t)p->batch * p->degree;
	w->id = (uint8_t)(i + 1);
	w->staging = p->staging + i * staging_bytes(p);
	w->compare = p->compare + i * staging_bytes(p);
#define MAKE(name, n) ((w->name = calloc(n, sizeof *w->name)) != NULL)
	return MAKE(items, p->batch) && MAKE(coming, most) && MAKE(frames, most) &&
	       MAKE(slots, most) && MAKE(host, most) && MAKE(hashed, most) && MAKE(places, most) &&
	       MAKE(found, most) && MAKE(signatures, most) && MAKE(held, most) &&
	       MAKE(candidates, most) && MAKE(victims, most * 2) && MAKE(outs, most * 2) &&
	       MAKE(pages, p->batch) && MAKE(results, p->batch) && MAKE(sources, p->batch) &&
	       MAKE(writes, p->batch) && MAKE(started, p->batch) && MAKE(came, most);
#undef MAKE
}

static bool make_works(struct td_pool *p)
{
	size_t pages = 1;
	bool all = true;
	while (pages < (size_t)p->batch * p->crews)
		pages *= 2;
	p->under_way = calloc(pages, sizeof *p->under_way);
	p->under_way_mask = (uint32_t)(pages - 1);
	p->staging = map((p->crews + TD_OTHER_WORKS) * staging_bytes(p));
	p->compare = map((p->crews + TD_OTHER_WORKS) * staging_bytes(p));
	if (!p->under_way || !p->staging || !p->compare)
		return false;
	for (uint32_t i = 0; i < p->crews + TD_OTHER_WORKS; i++)
		all &= make_work(p, i);
	return all;
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

static int make_memory(struct td_pool *p, const struct td_pool_config *c, struct tide_error *err)
{
	bool made = make_blocks(p) && make_works(p);
	if (made && p->dedup != TD_POOL_OFF)
		made = make_index(p);
	if (made && p->dedup == TD_POOL_AUTO) {
		p->regions = calloc(p->pages / TD_REGION_PAGES + 1, sizeof *p->regions);
		made = p->regions != NULL;
	}
	if (made && (td_pool_has_policy(c) || c->event))
		made = td_pool_notes_open(p);
	return made ? 0
		    : tide_fail(err, -ENOMEM,
				"no memory for the pool: give less main memory, or larger pages");
}

static void free_work(struct td_pool_work *w)
{
	void *all[] = {w->items,      w->held,    w->coming,  w->frames, w->slots,
		       w->host,       w->hashed,  w->places,  w->found,  w->signatures,
		       w->candidates, w->victims, w->outs,    w->pages,  w->results,
		       w->sources,    w->writes,  w->started, w->came};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

static void free_works(struct td_pool *p)
{
	for (uint32_t i = 0; i < p->crews + TD_OTHER_WORKS; i++)
		free_work(&p->works[i]);
	unmap(p->staging, (p->crews + TD_OTHER_WORKS) * staging_bytes(p));
	unmap(p->compare, (p->crews + TD_OTHER_WORKS) * staging_bytes(p));
	free(p->under_way);
}

static void free_memory(struct td_pool *p)
{
	free_works(p);
	unmap(p->frames, frames_bytes(p));
	unmap(p->blocks, (size_t)p->n_blocks * sizeof *p->blocks);
	unmap(p->refs, refs_bytes(p));
	unmap(p->dirty, dirty_bytes(p));
	unmap(p->contents, (size_t)p->n_contents * sizeof *p->contents);
	unmap(p->table, p->table_n * sizeof *p->table);
	free(p->rings);
	free(p->noted);
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
	pthread_mutex_init(&p->range_lock, NULL);
	pthread_mutex_init(&p->sync_lock, NULL);
	pthread_mutex_init(&p->device_lock, NULL);
}

static void discard(struct td_pool *p)
{
	td_policy_discard(p);
	p->device_ops->free(p->device_state);
	td_io_close(p->io);
	td_io_file_close(&p->file);
	free_memory(p);
	pthread_cond_destroy(&p->more);
	pthread_cond_destroy(&p->news);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->flush_lock);
	pthread_mutex_destroy(&p->range_lock);
	pthread_mutex_destroy(&p->sync_lock);
	pthread_mutex_destroy(&p->device_lock);
	free(p);
}

/* Where its blocks move from and to. */
static int pin_memory(struct td_pool *p, struct tide_error *err)
{
	const struct td_pool_device *d = p->device_ops;
	size_t staging = (p->crews + TD_OTHER_WORKS) * staging_bytes(p);
	int rc = d->pin(p->device_state, p->frames, frames_bytes(p), err);
	if (!rc)
		rc = d->pin(p->device_state, p->staging, staging, err);
	return rc ? rc : d->pin(p->device_state, p->compare, staging, err);
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
	struct td_pool_want want = {.where = c->where};
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
		rc = make_memory(p, c, err);
	want.slots = p->device_max;
	want.slot_bytes = p->block_bytes;
	want.most = c->batch * p->degree;
	want.bytes = p->device_bytes;
	if (!rc)
		rc = c->device->alloc(&p->device_state, &want, err);
	if (!rc && c->device->pin)
		rc = pin_memory(p, err);
	return rc ? rc : td_policy_open(p, c, err);
}

/* A trace with marks begins with an empty address range. */
static void begin_record(struct td_pool *p, const struct td_pool_config *c)
{
	p->event = c->event;
	p->mark = c->mark;
	p->record_arg = c->record_arg;
	if (p->mark)
		p->mark(p->record_arg, &(struct tide_mark){TIDE_MARK_MAP, 0, 0, p->pages});
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
	p->straight_bytes = c->straight_bytes;
	p->dirty_max =
		(int64_t)at_most(c->dirty_pages, INT32_MAX) * (c->page_bytes / c->block_bytes);
	make_locks(p);
	int rc = set_up(p, c, err);
	if (rc) {
		discard(p);
		return rc;
	}
	begin_record(p, c);
	rc = td_pool_writer_start(p, err);
	if (!rc)
		rc = td_pool_ahead_start(p, c->ahead_bytes / p->page_bytes, err);
	if (rc) {
		td_pool_writer_stop(p);
		discard(p);
		return rc;
	}
	*out = p;
	return 0;
}

/* A flush that failed may succeed the second time. If not, the error is returned. */
int td_pool_close(struct td_pool *p, struct tide_error *err)
{
	int rc = 0;
	if (!p)
		return 0;
	td_pool_ahead_stop(p);
	td_pool_stop(p);
	td_pool_writer_stop(p);
	if (!p->read_only && td_pool_flush(p, err))
		rc = td_pool_flush(p, err);
	td_checked(td_pool_agrees(p));
	int finished = td_policy_finish(p, rc ? NULL : err);
	discard(p);
	return rc ? rc : finished;
}
