/* The state of a pool: the map of this room.
 *
 *   page of the file --> D refs --> block --> frame of main memory, or slot of the device
 *                        D links -> content -> block that holds it now, if any
 *
 * A ref is a block's number and its generation: it counts as long as the block has that generation.
 * So a block that leaves needs not know who refers to it. In GRAM a page is one block, which is its
 * own (private). In DEDU a block is private to a page, or the index finds it by its signature, and
 * then it is *alone*, of one page so far, or it holds a *content* that any number of pages link to.
 * A content outlives its block: its pages are known to be equal, byte by byte, and unchanged since,
 * so when one of them is read again it is there for all. The link of a page that is like no other
 * is its signature. Both are what is remembered of clean pages.
 *
 * Hits take no lock: a pin is a compare-and-swap on the block's word (hit.c), and which block it
 * was goes to a ring of the thread's, to be told to the queue before anything is decided by it. All
 * else is under `lock`. Who moves blocks between main memory, device and file is the *leader*
 * (busy), one thread at a time; it gives up the lock while bytes move:
 *
 *   calls.c  what callers call; serve.c: a request whose page is in main memory
 *   lead.c   collects a batch of requests, and runs it
 *   plan.c   what the pages of a batch lack
 *   fetch.c  from the device, from the file, signatures
 *   insert.c into main memory, shared where equal; requests are served here
 *   evict.c  the oldest of main memory to the device, the oldest of that to the file
 *   flush.c  dirty pages to the file; trim
 *   refs.c, index.c  blocks, contents, and who holds what
 *   window.c pages of several blocks, in one piece while pinned
 *   regions.c where sharing pays, for `auto` */
#ifndef TD_POOL_INSIDE_H
#define TD_POOL_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/assert.h"
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
	uint64_t owner;        /* of a private one, or one alone: its ref; TD_NOBODY: it was left */
	struct tide_link link; /* in p->main or p->device; next alone: in the list of free ones,
				* where those from p->blocks_used on never were */
	uint32_t content;      /* TIDE_NIL: private or alone */
	uint32_t tag;          /* of an indexed one: the upper half of its signature */
	uint32_t slot;         /* frame or slot */
	bool in_frame;         /* that is where its bytes are, also on its way */
};
#define TD_NOBODY UINT64_MAX

/* Signatures are half of what the hash gives, since bytes are compared anyway; and odd: a link that
 * is not is one to a content, whose generations are even. */

struct td_pool_content {
	uint32_t low, tag; /* its signature, in two: so it takes 20 bytes, not 24 */
	uint32_t block;    /* TIDE_NIL: not held now; of a free one: the next free one */
	uint32_t gen;
	uint32_t links; /* refs that have it; 0: free, or held though all have left */
};

/* Of the index. */
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
	uint64_t at[TD_RING]; /* refs of blocks that were hit */
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
	struct td_pool_request *next;    /* in the queue, or of those to be told */
	struct td_pool_request *sibling; /* for the same page, later in the batch */
};

/* One page of a batch. */
struct td_pool_item {
	uint64_t page;
	struct td_pool_request *first, *last;
	bool read;  /* from the file */
	bool fresh; /* absent, and overwritten as a whole */
	bool share; /* signatures are known or wanted */
	int rc;
	unsigned char *data; /* what was read; NULL: nothing yet */
	uint32_t frame;      /* of D = 1: data is there */
	uint32_t mark;       /* where work.marks has it */
	struct td_io_request io;
};

/* What one batch, or one flush, is worked out in: the leader's. */
struct td_pool_work {
	struct td_pool_item *items;
	size_t n;
	uint32_t *marks; /* of pages: item + 1, by hash */
	uint32_t marks_mask;
	/* By block, `most` of them */
	uint32_t *coming, *frames; /* blocks from the device, and where they go */
	size_t coming_n;
	int coming_rc;
	uint32_t *slots;
	void **host;
	const void **hashed;
	uint32_t *places; /* which signature that was */
	struct td_pool_signature *found;
	uint64_t *signatures;
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
	/* Counted without the lock, added to the figures when the leader is done */
	struct td_pool_spent {
		uint64_t device_ns, file_ns, hash_ns, gathers, gathered_bytes, hashed_blocks;
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
	_Atomic uint64_t used_rings; /* a bit for each that has something */

	_Alignas(64) pthread_mutex_t lock;
	pthread_cond_t news; /* requests are done, or there is no leader */
	pthread_cond_t more; /* for a leader that collects */
	bool busy, stop;
	struct td_pool_request *queue, **queue_end;
	struct td_pool_request *told, **told_end; /* done, to be told by the server */
	size_t queued, waiting, async;
	uint64_t missed, missed_before; /* rings of threads: in this batch, in the last */
	pthread_t server;
	bool has_server;
	pthread_mutex_t flush_lock; /* before `lock` */

	uint32_t main_max, device_max, n_blocks, n_frames; /* in blocks */
	struct tide_list main, device;                     /* tails: used last */
	uint32_t free_block, blocks_used, *free_frames, *free_slots;
	uint32_t frames_n, slots_n, reserved;

	struct td_pool_content *contents;
	uint32_t n_contents, free_content, contents_used, hand;
	struct td_pool_entry *table;
	uint64_t table_n;
	struct td_pool_window *windows[TD_WINDOWS];

	const struct td_pool_device *device_ops;
	void *device_state;
	enum td_pool_dedup dedup;
	enum td_pool_hash hash;
	uint32_t batch;
	uint64_t epoch_ns, max_backlog;
	struct td_pool_work work;
	unsigned char *zeros; /* a page of them */
	struct td_io *io;
	struct td_io_file file;
	int write_error; /* why room could not be made, last time */
	int sync_error;  /* why storage did not keep what it had been given; with flush_lock */
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
	return p->free_slots[--p->slots_n];
}

static inline void td_pool_give_slot(struct td_pool *p, uint32_t slot)
{
	td_assert(slot < p->device_max && p->slots_n < p->device_max);
	p->free_slots[p->slots_n++] = slot;
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

static inline void td_pool_touch(struct td_pool *p, uint32_t b)
{
	tide_list_to_tail(&p->main, td_pool_links(p), b);
}

static inline uint64_t td_pool_signature_in(const struct td_pool_content *c)
{
	return (uint64_t)c->tag << 32 | c->low;
}

/* refs.c; all with the lock */
uint32_t td_pool_resolve(struct td_pool *p, uint64_t ref); /* the block, or TIDE_NIL */
uint32_t td_pool_content_of(const struct td_pool *p, uint64_t ref);
uint64_t td_pool_signature_of(const struct td_pool *p, uint64_t ref); /* 0: not known */
/* In the queue of main, used last, but frozen. */
uint32_t td_pool_block_new(struct td_pool *p, uint32_t frame);
void td_pool_block_own(struct td_pool *p, uint32_t b, uint64_t ref); /* and thaws it */
void td_pool_block_free(struct td_pool *p, uint32_t b); /* in no queue; its place is free too */
/* b, which nobody has yet, is the page's, and may be found by others. */
void td_pool_hold(struct td_pool *p, uint64_t ref, uint32_t b, uint64_t signature);
void td_pool_share(struct td_pool *p, uint64_t ref, uint32_t b); /* b, which is indexed, */
bool td_pool_takes_more(const struct td_pool *p, uint32_t b);    /* if so */
/* Nobody may pin it until it is thawed; false: somebody has. */
bool td_pool_freeze(struct td_pool *p, uint32_t b);
void td_pool_thaw(struct td_pool *p, uint32_t b);
bool td_pool_take(struct td_pool *p, uint32_t b); /* out of the queue too */
void td_pool_to_main(struct td_pool *p, uint32_t b, uint32_t frame);
/* -EAGAIN: no frame for a copy; only the leader may take one */
int td_pool_own_page(struct td_pool *p, uint64_t page, bool leads);
bool td_pool_forget(struct td_pool *p, uint64_t page); /* false: something is pinned */
void td_pool_unlink(struct td_pool *p, uint64_t ref);
void td_pool_mark_dirty(struct td_pool *p, uint32_t b);

/* stats.c: as td_pool_check(), for the leader, with the lock; pages may be pinned. */
int td_pool_agrees(struct td_pool *p);

/* index.c */
uint32_t td_pool_index_find(const struct td_pool *p, uint64_t signature); /* block or TIDE_NIL */
bool td_pool_index_has(const struct td_pool *p, uint32_t b);              /* is it found? */
void td_pool_index_add(struct td_pool *p, uint32_t b, uint64_t signature);
void td_pool_index_remove(struct td_pool *p, uint32_t b);         /* but for its word */
void td_pool_index_expect(const struct td_pool *p, uint32_t tag); /* wanted soon */
uint32_t td_pool_content_new(struct td_pool *p, uint64_t signature);
void td_pool_content_free(struct td_pool *p, uint32_t content);

/* hit.c */
bool td_pool_hit(struct td_pool *p, uint64_t page, bool write, struct tide_pool_pin *pin);
/* If the block has that generation and these flags, and not as many pins as can be counted. */
bool td_pool_try_pin(struct td_pool *p, uint64_t ref, uint64_t needed);
void td_pool_release(struct td_pool *p, uint32_t b, bool dirty);
unsigned td_pool_my_ring(void);
void td_pool_drain(struct td_pool *p); /* with the lock */

/* serve.c, with the lock: can it be served now, and doing so. -EAGAIN: by the leader only. */
bool td_pool_ready(struct td_pool *p, const struct td_pool_request *r);
int td_pool_serve(struct td_pool *p, struct td_pool_request *r, bool leads);

/* lead.c */
void td_pool_submit(struct td_pool *p, struct td_pool_request *requests, size_t n);
int td_pool_submit_async(struct td_pool *p, struct td_pool_request *r); /* 1: it waits */
void td_pool_stop(struct td_pool *p); /* when all of these are done */
void td_pool_finish(struct td_pool *p, struct td_pool_request *r, int result);
void td_pool_lead_begin(struct td_pool *p);
void td_pool_lead_end(struct td_pool *p);

/* The phases of a batch: with the lock, which they give up. */
void td_pool_plan(struct td_pool *p);
void td_pool_fetch(struct td_pool *p);
void td_pool_insert(struct td_pool *p);
void td_pool_evict(struct td_pool *p);
/* Pages of work.pages to the file: those that are dirty. work.results says how each went. */
void td_pool_write_back(struct td_pool *p, size_t n);
int td_pool_gather(struct td_pool *p, const uint32_t *slots, void **to, size_t n);
int td_pool_sign(struct td_pool *p, size_t n); /* work.hashed into work.found; without the lock */

/* window.c, with the lock */
struct td_pool_window *td_pool_window_find(struct td_pool *p, uint64_t page);
int td_pool_window_get(struct td_pool *p, uint64_t page, struct tide_pool_pin *pin);
int td_pool_window_put(struct td_pool *p, const struct tide_pool_pin *pin); /* -EINVAL: no pin */
void td_pool_copy(struct td_pool *p, const struct td_pool_request *r);

/* regions.c, with the lock but the second */
bool td_pool_region_wants(struct td_pool *p, uint64_t page);
void td_pool_region_dirtied(struct td_pool *p, uint64_t page);
void td_pool_region_read(struct td_pool *p, uint64_t page);
void td_pool_region_hashed(struct td_pool *p, uint64_t page, bool shared);

#endif
