/* The state of a pool: the map of this room.
 *
 *   page of the file --> D refs --> block --> frame of main memory, or slot of the device
 *                        D links -> content -> block that holds it now, if any
 *
 * A ref is a block's number and its generation. It counts as long as the block has that generation.
 * So a block that leaves need not know which pages refer to it. In GRAM a page has one block of its
 * own (private). In DEDU a block is private to a page, or the index finds it by its signature. A
 * block in the index is *alone* (it belongs to one page so far), or it holds a *content* that any
 * number of pages link to. A content outlives its block: its pages are known to be equal, byte by
 * byte, and unchanged since. So when one of them is read again, it is there for all of them. If a
 * page equals no other page, its link is its signature. Contents and signatures are what the pool
 * remembers of clean pages.
 *
 * Hits take no lock. A pin is a compare-and-swap on the block's word (hit.c). The thread notes the
 * block in its ring. The rings are drained into the queue before the queue decides anything. All
 * else is under `lock`. Threads that wait lead *crews*, which move blocks between main memory,
 * device and file. A crew gives up the lock while bytes move, so crews overlap:
 *
 *   calls.c  the calls of pool.h; serve.c: a request whose page is in main memory
 *   lead.c   collects a batch of requests, and runs it
 *   plan.c   finds what the pages of a batch lack
 *   fetch.c  brings it from the device and from the file, and signs what is new
 *   rescue.c does without a device that fails or is full
 *   insert.c puts it into main memory, shared where equal, and serves the requests
 *   evict.c  moves the oldest blocks of main memory to the device, and of the device to the file
 *   queue.h  which blocks of main memory these are: the oldest, or what a policy says
 *   notes.c  hits as a policy hears of them
 *   flush.c  writes dirty pages to the file; sync.c: those of a range
 *   background.c writes dirty pages before a flush must
 *   ahead.c  brings in what a stream will read; straight.c: large reads, past the cache
 *   trim.c   makes ranges zero without writing
 *   extents.c says what of a range are holes; prefetch.c brings a range into memory
 *   refs.c, index.c  blocks and contents, and the pages that have them
 *   window.c pages of several blocks, in one piece while pinned
 *   regions.c finds where sharing pays, for `auto`
 *
 * What keeps crews apart:
 *
 *   A page is *under way* from plan to insert, in one crew. Further requests for it join that
 *   crew's item. So a page is read once, and comes in once.
 *   A block is *busy* while a crew moves, reads or writes its bytes without the lock: on its way to
 *   or from the device, on its way out, compared on the device, written to the file. Only that
 *   crew may move, drop, write or merge it. Busy blocks in main memory take hits and writes. A
 *   request that needs another busy block stays in the queue until a crew says that it has done
 *   something (td_pool_tell_news()).
 *   A page is written to the file only by a crew that has made all of its blocks busy
 *   (td_pool_claim()). So a page has at most one write under way, and it can be neither dropped nor
 *   read before the write ends. If the write fails, the page is there, and dirty again.
 *   Blocks that a page under way has in main memory are pinned (`held`), so they are still there
 *   when the rest comes. If the rest came with another page meanwhile, and has left main memory
 *   again, the requests go back to the queue.
 *   A crew reserves at plan all frames that its insert can need; `reserved` is the sum of all.
 *   Victims get a slot that their crew has freed or taken for them (`promised`).
 *
 * A flush is one more crew, and so is the sync of a range, one of each at a time. They wait for
 * busy blocks of dirty pages, and for writes under way. Crews never wait for each other or for a
 * flush. Trims and checks are exclusive: they wait until no crew is at work, and no crew starts
 * before them. Then it is the turn of the crews, so that neither waits for ever. */
#ifndef TD_POOL_INSIDE_H
#define TD_POOL_INSIDE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "core/assert.h"
#include "core/watchdog.h"
#include "pool.h"
#include "tide/list.h"
#include "tiers/io.h"

/* word of a block: generation << 32 | flags | pins */
#define TD_PINS UINT64_C(0x00ffffff)
#define TD_MAIN (UINT64_C(1) << 24)    /* in main memory, and may be pinned */
#define TD_DEVICE (UINT64_C(1) << 25)  /* in device memory; neither: on its way, or free */
#define TD_PRIVATE (UINT64_C(1) << 26) /* of one page, which may write it */
#define TD_DIRTY (UINT64_C(1) << 27)   /* private, and the file does not have it */
#define TD_INDEXED (UINT64_C(1) << 28) /* found by its signature */

struct td_pool_block {
	_Atomic uint64_t word;
	uint64_t owner;        /* private or alone: its page's ref; TD_NOBODY: the page left it */
	struct tide_link link; /* in p->main or p->device. A free block uses `next` alone; blocks
				* from p->blocks_used on were never used, and are in no list */
	uint32_t content;      /* TIDE_NIL: private or alone */
	uint32_t tag;          /* indexed: the upper half of its signature */
	uint32_t slot;         /* frame or slot */
	bool in_frame;         /* its bytes are in a frame; kept up while it is on its way */
	uint8_t busy;          /* the crew that works on its bytes; 0: none */
};
#define TD_NOBODY UINT64_MAX

/* A signature is half of what the hash gives, because bytes are compared anyway. Signatures are
 * odd. An even link is a link to a content, because generations of contents are even. */

struct td_pool_content {
	uint32_t low, tag; /* its signature, split so that the struct takes 20 bytes, not 24 */
	uint32_t block;    /* TIDE_NIL: no block holds it now; if free: the next free one */
	uint32_t gen;
	uint32_t links; /* refs that link to it; 0: free, or held though all refs have left */
};

/* An entry of the index. */
struct td_pool_entry {
	uint32_t block; /* + 1; 0: none */
	uint32_t tag;
};

#define TD_RINGS 64
#define TD_RING 126
struct td_pool_ring {
	_Alignas(64) atomic_bool taken;
	_Atomic uint32_t n;
	_Atomic uint64_t hits;
	uint64_t at[TD_RING]; /* refs of blocks that were hit, or notes */
};

/* One page wanted: pinned, or bytes copied. */
struct td_pool_request {
	uint64_t page;
	bool write, pinned; /* pinned: wants a pin, else a copy */
	void *to;           /* copy: one of the two */
	const void *from;
	size_t at, n; /* bytes of the page */
	struct tide_pool_pin pin;
	int result;
	size_t *left; /* counts down when it is done */
	tide_pool_done *done;
	void *arg;
	struct td_pool_request *next;    /* in the queue, or in `told` */
	struct td_pool_request *sibling; /* for the same page, later */
};

/* One page of a batch. */
struct td_pool_item {
	uint64_t page;
	struct td_pool_request *first, *last;
	bool read;  /* from the file */
	bool fresh; /* absent, and overwritten as a whole */
	bool share; /* signatures are known or wanted */
	int rc;
	size_t run;          /* items from this one on that one request reads */
	unsigned char *data; /* what was read; NULL: nothing yet */
	uint32_t frame;      /* of D = 1: data is there */
	struct td_pool_work *crew;
	struct td_pool_item *next; /* in p->under_way */
	struct td_io_request io;
};

/* A crew: its memory for one batch or one flush. */
struct td_pool_work {
	uint8_t id; /* from 1 on: what `busy` of its blocks says */
	bool writing;
	uint64_t writes_ended;
	uint32_t reserved, promised;   /* frames and slots */
	size_t served;                 /* calls that this batch ended */
	int write_error;               /* why room could not be made the last time */
	struct td_pool_request *stuck; /* the first one for which there was no frame */
	struct td_pool_item *items;
	size_t n;
	/* By block, `most` of them */
	uint32_t *coming, *frames; /* blocks from the device, and where they go */
	size_t coming_n;
	int coming_rc; /* of the transfer */
	int *came;     /* if that failed: of each block */
	uint32_t *slots;
	void **host;
	const void **hashed;
	uint32_t *places; /* which signature that was */
	struct td_pool_signature *found;
	uint64_t *signatures;
	uint32_t *held;       /* in main memory, pinned for a page under way; TIDE_NIL: none */
	uint32_t *candidates; /* in device memory, compared where `compare` is */
	size_t candidates_n;
	/* 2 * most */
	uint32_t *victims, *outs;
	size_t victims_n;
	/* Pages that are written */
	uint64_t *pages;
	int *results;
	const unsigned char **sources;
	struct td_io_request *writes, **started;
	unsigned char *staging, *compare; /* a page per item */
	/* Counted without the lock, added to the figures when the crew is done */
	struct td_pool_spent {
		uint64_t device_ns, file_ns, hash_ns, gathers, gathered_bytes, scatters,
			scattered_bytes, hashed_blocks;
	} spent;
};

struct td_pool_window {
	uint64_t page;
	uint32_t pins;
	unsigned char *bytes;
	struct td_pool_window *next;
};
#define TD_WINDOWS 64

struct td_pool_region {
	_Atomic uint32_t dirtied;
	uint32_t read, hashed, shared;
	bool off;
};
#define TD_REGION_PAGES 1024

struct td_pool_stream {
	uint64_t until;  /* what was asked for ends here */
	uint64_t window; /* what was asked for the last time */
	uint64_t followed;
};

struct td_pool_job {
	size_t stream;
	uint64_t page, end;
};

#define TD_STREAMS 16
#define TD_AHEAD_JOBS 32

/* Of ahead.c; lock: alone, or before the pool's. */
struct td_pool_ahead {
	uint64_t pages; /* at once, at most; 0: nothing is read ahead */
	/* A read that begins at this page goes on; times 2, plus 1 if the stream is known; 0: none.
	 * Reads look at them without the lock. */
	_Alignas(64) _Atomic uint64_t next[TD_STREAMS];
	struct td_pool_stream streams[TD_STREAMS];
	pthread_mutex_t lock;
	sem_t news;
	pthread_t thread;
	struct td_pool_job job[TD_AHEAD_JOBS];
	uint32_t first_job, jobs, turn;
	bool ends;
	struct td_pool_request *requests; /* of the thread */
};

#define TD_CREWS_MAX 16
#define TD_OTHER_WORKS 2 /* of the flush and the sync, which may run beside crews */

struct td_pool {
	/* What hits read */
	uint32_t page_bytes, block_bytes, degree; /* degree: blocks per page */
	bool read_only;
	uint64_t pages; /* of the file; the last may be partial */
	unsigned char *frames;
	struct td_pool_block *blocks;
	_Atomic uint64_t *refs; /* with DEDU each is followed by its link */
	unsigned has_links;     /* 0 or 1 */
	struct td_pool_ring *rings;
	struct td_pool_region *regions; /* of auto; else NULL */
	_Atomic uint64_t *dirty; /* a bit per block, set after TD_DIRTY, cleared before looking */
	_Atomic int64_t dirty_blocks; /* for a moment too few: counted after they are dirty */
	int64_t dirty_max;            /* 0: no bound, and no writing thread */
	_Atomic uint64_t used_rings;  /* a bit for each that has something */
	void *noted;                  /* room for the notes of all rings; NULL: they have refs */

	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t news; /* requests are done, or a crew may start */
	pthread_cond_t more; /* for a crew that collects */
	bool stop;
	bool collecting; /* a crew waits for requests or frames: those that come are its own */
	bool retry;      /* the queue may have what can be planned now */
	bool exclusive, crews_first;
	size_t at_work;                            /* crews, flush and sync */
	size_t others_waiting, exclusives_waiting; /* others: flush and sync */
	struct td_pool_request *queue, **queue_end;
	struct td_pool_request *told, **told_end; /* done; the server will tell their callers */
	size_t queued, async;
	size_t waiting, served_before; /* calls that wait, and that the last batch served */
	pthread_t server;
	bool has_server;
	struct td_pool_ahead ahead;
	uint64_t straight_bytes; /* reads of so many go past the cache */
	/* Of the writing thread; writer_at: the word of `dirty` where it goes on */
	pthread_t writer;
	sem_t writer_news;
	bool has_writer, writer_failed;
	_Atomic bool writer_ends;
	uint32_t writer_at;
	size_t flushing;                        /* flushes that wait or work */
	pthread_mutex_t flush_lock, range_lock; /* before `lock`: of the flush, of the sync */
	pthread_mutex_t sync_lock;              /* after these: of sync_error */

	uint32_t main_max, device_max, n_blocks, n_frames; /* in blocks */
	uint64_t device_bytes;
	struct tide_list main, device; /* tails: used last; main is queue.h's alone */
	/* free_slots: less what each was at first, so that it takes memory only as slots are used
	 */
	uint32_t free_block, blocks_used, *free_frames, *free_slots;
	uint32_t frames_n, slots_n, reserved, promised;

	struct td_pool_content *contents;
	uint32_t n_contents, free_content, contents_used, hand;
	struct td_pool_entry *table;
	uint64_t table_n;
	struct td_pool_window *windows[TD_WINDOWS];

	/* Of queue_policy.c; NULL: two queues */
	struct td_engine *engine;
	struct td_watchdog watchdog;
	void (*message)(void *arg, const char *text);
	void *message_arg;
	uint64_t late_hits, past_reads; /* accesses that no policy heard of */
	/* Of who records; see struct td_pool_config */
	void (*event)(void *arg, const struct td_event *event);
	void (*mark)(void *arg, const struct tide_mark *mark);
	void *record_arg;

	const struct td_pool_device *device_ops;
	void *device_state;
	enum td_pool_dedup dedup;
	enum td_pool_hash hash;
	uint32_t batch;
	uint64_t epoch_ns, max_backlog;
	struct td_pool_work works[TD_CREWS_MAX + TD_OTHER_WORKS];
	uint32_t crews, idle;             /* idle: a bit per crew */
	unsigned char *staging, *compare; /* of all works */
	struct td_pool_item **under_way;  /* by hash of the page */
	uint32_t under_way_mask;
	pthread_mutex_t device_lock; /* of a device that takes one call at a time; after `lock` */
	unsigned char *zeros;        /* a page of them */
	struct td_io *io;
	struct td_io_file file;
	uint64_t failed_writes;
	int sync_error; /* why storage did not keep what it was given; under sync_lock */
	struct tide_counts counts;
	struct tide_pool_stats figures;
};

/* ---- blocks ---- */

static inline struct tide_links td_pool_links(struct td_pool *p)
{
	return (struct tide_links){(unsigned char *)&p->blocks->link, sizeof *p->blocks};
}

static inline uint64_t td_pool_word(const struct td_pool *p, uint32_t b)
{
	return atomic_load_explicit(&p->blocks[b].word, memory_order_acquire);
}

static inline uint64_t td_pool_ref(uint32_t b, uint64_t word)
{
	return (uint64_t)b << 32 | word >> 32;
}

static inline _Atomic uint64_t *td_pool_ref_at(const struct td_pool *p, uint64_t ref)
{
	return &p->refs[ref << p->has_links];
}

/* ---- places ---- */

static inline uint32_t td_pool_take_frame(struct td_pool *p)
{
	td_assert(p->frames_n);
	return p->free_frames[--p->frames_n];
}

static inline void td_pool_give_frame(struct td_pool *p, uint32_t frame)
{
	td_assert(frame < p->n_frames && p->frames_n < p->n_frames);
	p->free_frames[p->frames_n++] = frame;
}

static inline uint32_t td_pool_take_slot(struct td_pool *p)
{
	td_assert(p->slots_n);
	p->slots_n--;
	return p->free_slots[p->slots_n] + (p->device_max - 1 - p->slots_n);
}

static inline void td_pool_give_slot(struct td_pool *p, uint32_t slot)
{
	td_assert(slot < p->device_max && p->slots_n < p->device_max);
	if (p->device_ops->drop)
		p->device_ops->drop(p->device_state, slot);
	p->free_slots[p->slots_n] = slot - (p->device_max - 1 - p->slots_n);
	p->slots_n++;
}

static inline unsigned char *td_pool_frame(const struct td_pool *p, uint32_t frame)
{
	return p->frames + (size_t)frame * p->block_bytes;
}

static inline unsigned char *td_pool_bytes_of(const struct td_pool *p, uint32_t b)
{
	return td_pool_frame(p, p->blocks[b].slot);
}

static inline void td_pool_put_at(struct td_pool *p, uint32_t b, uint32_t slot, bool in_frame)
{
	p->blocks[b].slot = slot;
	p->blocks[b].in_frame = in_frame;
}

static inline uint64_t td_pool_signature_in(const struct td_pool_content *c)
{
	return (uint64_t)c->tag << 32 | c->low;
}

/* refs.c; all under the lock */
uint32_t td_pool_resolve(struct td_pool *p, uint64_t ref); /* the block, or TIDE_NIL */
uint32_t td_pool_content_of(const struct td_pool *p, uint64_t ref);
uint64_t td_pool_signature_of(const struct td_pool *p, uint64_t ref); /* 0: not known */
/* A new block. It is the newest in the queue of main memory, but frozen. */
uint32_t td_pool_block_new(struct td_pool *p, uint32_t frame);
void td_pool_block_own(struct td_pool *p, uint32_t b, uint64_t ref); /* and thaws it */
void td_pool_block_free(struct td_pool *p, uint32_t b); /* in no queue; its place is free too */
/* The page gets block b, which no page has yet. Other pages may find it. */
void td_pool_hold(struct td_pool *p, uint64_t ref, uint32_t b, uint64_t signature);
/* The page gets block b, which is indexed, too. Ask td_pool_takes_more() first. */
void td_pool_share(struct td_pool *p, uint64_t ref, uint32_t b);
bool td_pool_takes_more(const struct td_pool *p, uint32_t b);
/* No thread can pin the block until it is thawed. false: it is pinned, and not frozen. */
bool td_pool_freeze(struct td_pool *p, uint32_t b);
void td_pool_thaw(struct td_pool *p, uint32_t b);
bool td_pool_take(struct td_pool *p, uint32_t b); /* out of the queue too */
void td_pool_to_main(struct td_pool *p, uint32_t b, uint32_t frame);
/* -EAGAIN: no frame for a copy; only a crew may take one */
int td_pool_own_page(struct td_pool *p, uint64_t page, bool in_crew);
bool td_pool_forget(struct td_pool *p, uint64_t page); /* false: something is pinned */
void td_pool_unlink(struct td_pool *p, uint64_t ref);
void td_pool_mark_dirty(struct td_pool *p, uint32_t b);

/* stats.c: as td_pool_check(), with the lock, while no other crew is at work; pages may be
 * pinned. */
int td_pool_agrees(struct td_pool *p);

/* index.c */
uint32_t td_pool_index_find(const struct td_pool *p, uint64_t signature); /* block or TIDE_NIL */
bool td_pool_index_has(const struct td_pool *p, uint32_t b);              /* is it found? */
void td_pool_index_add(struct td_pool *p, uint32_t b, uint64_t signature);
void td_pool_index_remove(struct td_pool *p, uint32_t b);         /* but for its word */
void td_pool_index_expect(const struct td_pool *p, uint32_t tag); /* wanted soon */
uint32_t td_pool_content_new(struct td_pool *p, uint64_t signature);
void td_pool_content_free(struct td_pool *p, uint32_t content);

/* ahead.c. A read of pages, which missed or did not; without the lock */
int td_pool_ahead_start(struct td_pool *p, uint64_t pages, struct tide_error *err);
void td_pool_ahead_stop(struct td_pool *p);
void td_pool_ahead_of(struct td_pool *p, uint64_t page, uint64_t end, bool missed);

/* straight.c, without the lock. Reads pages from this one on, whose number is the answer, past the
 * cache. If not *done, they must be read by it. */
uint64_t td_pool_read_straight(struct td_pool *p, uint64_t page, uint64_t most, unsigned char *to,
			       bool *done);

/* prefetch.c, without the lock */
bool td_pool_is_here(struct td_pool *p, uint64_t page);

/* background.c */
int td_pool_writer_start(struct td_pool *p, struct tide_error *err);
void td_pool_writer_stop(struct td_pool *p);
void td_pool_count_dirty(struct td_pool *p); /* one more block */
/* Waits, without the lock, while more is dirty than may be. */
void td_pool_heed_bound(struct td_pool *p);

/* hit.c */
bool td_pool_hit(struct td_pool *p, uint64_t page, bool write, struct tide_pool_pin *pin);
/* Pins pages from this one on, up to the first that it cannot; how many. Their blocks are in the
 * refs. */
size_t td_pool_hits(struct td_pool *p, uint64_t page, size_t most, bool write, uint64_t *refs);
/* Succeeds if the block has that generation and these flags, and can count one more pin. */
bool td_pool_try_pin(struct td_pool *p, uint64_t ref, uint64_t needed);
void td_pool_release(struct td_pool *p, uint32_t b, bool dirty);
void td_pool_drain(struct td_pool *p); /* with the lock */

/* notes.c: hits of pages, where p->noted is */
bool td_pool_notes_open(struct td_pool *p);
void td_pool_note(struct td_pool *p, uint64_t page, bool write); /* without the lock */
void td_pool_tell_notes(struct td_pool *p, uint64_t used);       /* of these rings */

/* serve.c, under the lock: can the request be served now? Serve it. -EAGAIN: only a crew
 * can. */
bool td_pool_ready(struct td_pool *p, const struct td_pool_request *r);
int td_pool_serve(struct td_pool *p, struct td_pool_request *r, bool in_crew);

/* calls.c */
int td_pool_check_range(const struct td_pool *p, uint64_t offset, uint64_t bytes, bool write,
			struct tide_error *err);
int td_pool_explain(const struct td_pool *p, int rc, uint64_t page, struct tide_error *err);

/* extents.c, without the lock: no page is in memory, and the file has a hole there. */
bool td_pool_is_hole(struct td_pool *p, uint64_t first, uint64_t end);

/* lead.c */
void td_pool_submit(struct td_pool *p, struct td_pool_request *requests, size_t n);
int td_pool_submit_async(struct td_pool *p, struct td_pool_request *r); /* 1: it waits */
void td_pool_stop(struct td_pool *p); /* when all of these are done */
void td_pool_finish(struct td_pool *p, struct td_pool_work *w, struct td_pool_request *r,
		    int result);
void td_pool_tell_news(struct td_pool *p); /* blocks, frames or slots may be free now */
/* A crew for other work than a batch. NULL: none may start now. */
struct td_pool_work *td_pool_crew_try(struct td_pool *p);
void td_pool_crew_end(struct td_pool *p, struct td_pool_work *w);
void td_pool_exclusive_begin(struct td_pool *p);
void td_pool_exclusive_end(struct td_pool *p);
/* Of a flush (i: crews) or a sync (crews + 1), one of each at a time. */
struct td_pool_work *td_pool_work_begin(struct td_pool *p, uint32_t i);
void td_pool_work_end(struct td_pool *p, struct td_pool_work *w);

/* The phases of a batch. The crew holds the lock, and gives it up while bytes move. */
void td_pool_plan(struct td_pool *p, struct td_pool_work *w);
bool td_pool_join(struct td_pool *p, struct td_pool_request *r);      /* is its page under way? */
void td_pool_item_done(struct td_pool *p, struct td_pool_item *item); /* under way no more */
void td_pool_fetch(struct td_pool *p, struct td_pool_work *w);
void td_pool_insert(struct td_pool *p, struct td_pool_work *w);
void td_pool_evict(struct td_pool *p, struct td_pool_work *w);
/* Makes all blocks of a page busy for this crew. false: another crew works on one. */
bool td_pool_claim(struct td_pool *p, const struct td_pool_work *w, uint64_t page);
void td_pool_unclaim(struct td_pool *p, const struct td_pool_work *w, size_t n); /* w->pages */
/* Writes the dirty ones of w->pages, which are claimed, to the file. w->results says how each
 * went. */
void td_pool_write_back(struct td_pool *p, struct td_pool_work *w, size_t n);
/* Both, for pages that are claimed; then they may share again, and are claimed no more. */
int td_pool_flush_pages(struct td_pool *p, struct td_pool_work *w, size_t n);
/* Without the lock. */
int td_pool_sync_file(struct td_pool *p);
int td_pool_explain_flush(struct td_pool *p, int rc, struct tide_error *err);
/* w->slots to w->host, n of them from first on. */
int td_pool_gather(struct td_pool *p, struct td_pool_work *w, size_t first, size_t n);
int td_pool_scatter(struct td_pool *p, struct td_pool_work *w, size_t n);
int td_pool_sign(struct td_pool *p, struct td_pool_work *w, size_t n); /* w->hashed to w->found */

/* Off the device's queue, and busy. */
void td_pool_take_off_device(struct td_pool *p, const struct td_pool_work *w, uint32_t b);

/* rescue.c. After a transfer that failed with rc: each block alone, into w->came; without the
 * lock. */
void td_pool_gather_each(struct td_pool *p, struct td_pool_work *w, size_t n, int rc);
/* Brings the blocks of w->coming that the device did not give, and says in w->came which came. With
 * the lock, which is given up. */
void td_pool_rescue(struct td_pool *p, struct td_pool_work *w);
/* A read of bytes, served without a frame; with the lock, which is given up. No other crew is at
 * work. */
int td_pool_read_past(struct td_pool *p, struct td_pool_work *w, const struct td_pool_request *r);

/* window.c, with the lock */
struct td_pool_window *td_pool_window_find(struct td_pool *p, uint64_t page);
int td_pool_window_get(struct td_pool *p, uint64_t page, struct tide_pool_pin *pin);
int td_pool_window_put(struct td_pool *p, const struct tide_pool_pin *pin); /* -EINVAL: no pin */
void td_pool_copy(struct td_pool *p, const struct td_pool_request *r);

/* regions.c; under the lock, except td_pool_region_dirtied() */
bool td_pool_region_wants(struct td_pool *p, uint64_t page);
void td_pool_region_dirtied(struct td_pool *p, uint64_t page);
void td_pool_region_read(struct td_pool *p, uint64_t page);
void td_pool_region_hashed(struct td_pool *p, uint64_t page, bool shared);

#endif
