/* The buffer pool: it keeps pages of a file in main memory and in device memory.
 *
 *     struct tide_pool *p;
 *     struct tide_pool_options o = {.size = sizeof o, .path = "disk.img",
 *                                  .main_size = "256M", .device_size = "1G"};
 *     if (tide_pool_open(&p, &o, &err) == 0 && tide_pool_read(p, to, 4096, offset, &err) == 0)
 *             ...
 *
 * Pages that leave main memory go to device memory. From there they go to the file if they are
 * dirty (GRAM). With `dedup`, the pool stores duplicate blocks once (DEDU). No other program may
 * write the file. A second pool over the same file is refused (-EBUSY), unless both are read_only.
 *
 * Calls return 0, or a negative errno and one sentence in err (which may be NULL). Any thread may
 * make any call at any time, except from a signal handler or after fork() in the child.
 * tide_pool_close() must come last. The library never prints and never exits, with one exception:
 * see `watchdog`. */
#ifndef TIDE_POOL_H
#define TIDE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tide_pool;

/* Members that are not set have their defaults. Texts are written as on the command line. */
struct tide_pool_options {
	size_t size;             /* sizeof(struct tide_pool_options) */
	const char *path;        /* a file or block device of fixed size; required */
	const char *page;        /* "4K"; a power of two to "1M" */
	const char *main_size;   /* "64M", "1024p": required */
	const char *device_size; /* "0": none */
	/* "ram"; "lz4" and "zstd": compressed; "numa:1": of that node; "file:/fast/cache": a file
	 * on a fast disk; "cuda": memory of a GPU (-ENODEV without one) */
	const char *device;
	const char *dedup; /* "off", "on", "auto": by what was measured, per region */
	const char *block; /* of dedup: "4K", or a page if that is less; a power of two from 512 */
	const char *hash;  /* "xxh3", "md5" */
	const char *batch; /* misses served together, at most: "256" */
	const char *epoch; /* how long a miss waits for other misses: "0us"; cuda: "50us" */
	const char *max_backlog; /* blocks that may wait for signatures: "4096" */
	const char *inject;      /* failures of the file to inject, for tests: see docs/pool.md */
	bool read_only;
	/* Which pages leave main memory: a policy as on the command line, such as "s3fifo". With
	 * "lru", the default, the pages used longest ago. place: which of them go to device memory;
	 * default: all. Both exclude `dedup`. */
	const char *evict, *place;
	const char *seed;     /* of the policies' random numbers: "1" */
	const char *watchdog; /* end the program if a policy takes longer: "10s"; "0": never */
	const char *record;   /* trace of the accesses to write, for tide sim; NULL: none */
	void (*message)(void *arg, const char *text); /* why; NULL: a line on standard error */
	void *message_arg;
	/* How much may be dirty; 0, the default: any. From half of it on, a thread of the pool
	 * writes. Where more is dirty, tide_pool_write() and tide_pool_put() wait for that thread,
	 * unless the file cannot be written. */
	const char *dirty;
	/* How much tide_pool_read() reads ahead of a stream, at most, by a thread of the pool; and
	 * from what size on it reads what is not in memory past the cache, once main memory is
	 * full. 0, the default: never. */
	const char *ahead, *straight;
};

int tide_pool_open(struct tide_pool **out, const struct tide_pool_options *options,
		   struct tide_error *err);

uint64_t tide_pool_bytes(const struct tide_pool *p); /* of the file */
uint32_t tide_pool_page_bytes(const struct tide_pool *p);

enum tide_pool_access { TIDE_POOL_READ, TIDE_POOL_WRITE };

/* A pinned page. It stays at addr until the pin is put. Bytes beyond the end of the file are zero.
 */
struct tide_pool_pin {
	size_t size; /* sizeof(struct tide_pool_pin) */
	void *addr;
	uint64_t page;
	uint64_t handle; /* for the pool alone */
	enum tide_pool_access access;
};

/* Pins a page. With TIDE_POOL_WRITE the caller may change it. Its changes count from
 * tide_pool_put() on. A thread that pins more pages than main memory and one batch hold gets
 * -ENOBUFS. */
int tide_pool_get(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
		  struct tide_pool_pin *pin, struct tide_error *err);
/* Ends a pin. A pin can be put only once. -EINVAL: the pin was put before. If the caller copied the
 * pin, the pool notices that only while the page has no other pin. */
int tide_pool_put(struct tide_pool *p, struct tide_pool_pin *pin, struct tide_error *err);

/* Pins a page without waiting. The pool calls done once, immediately in this thread or later in a
 * thread of its own. result is what tide_pool_get() would return. If it is 0, the caller must put
 * the pin. done may call the pool, but must not close it or wait for another done. If the call
 * itself fails, the pool does not call done. tide_pool_close() waits until done was called. */
typedef void tide_pool_done(void *arg, struct tide_pool_pin *pin, int result);
int tide_pool_get_async(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
			tide_pool_done *done, void *arg, struct tide_error *err);

/* Copy any bytes of the file. -EINVAL: they are not all within the file. */
int tide_pool_read(struct tide_pool *p, void *to, size_t bytes, uint64_t offset,
		   struct tide_error *err);
int tide_pool_write(struct tide_pool *p, const void *from, size_t bytes, uint64_t offset,
		    struct tide_error *err);

/* Brings a range into main memory: a hint. Of a range larger than main memory, the beginning. */
int tide_pool_prefetch(struct tide_pool *p, uint64_t offset, uint64_t bytes,
		       struct tide_error *err);

/* Both make a range read as zero. trim also frees its space in the file, if the file system can. */
int tide_pool_zero(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);
int tide_pool_trim(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);

/* The same, as asked for: zero is TIDE_POOL_KEEP, trim is 0. A sum of: */
enum tide_pool_clearing {
	TIDE_POOL_KEEP = 1, /* the file gets or keeps space for the range */
	TIDE_POOL_FAST = 2, /* -EOPNOTSUPP if zeros would have to be written */
};
int tide_pool_clear(struct tide_pool *p, uint64_t offset, uint64_t bytes, unsigned how,
		    struct tide_error *err);

/* Which parts of a range are holes: they read as zero, and need not be read. All other parts are
 * data. Calls part for one after the other, neighbours of one kind in one piece, until it returns
 * false. part may call the pool. What is written or trimmed during the call may be told either way.
 * Where the file system or block device tells no holes, what is not in memory is data. */
typedef bool tide_pool_part(void *arg, uint64_t offset, uint64_t bytes, bool is_hole);
int tide_pool_extents(struct tide_pool *p, uint64_t offset, uint64_t bytes, tide_pool_part *part,
		      void *arg, struct tide_error *err);

/* Puts everything that was written before on storage. The pool keeps pages that it cannot write. It
 * tries again at the next flush, and whenever it needs room. If fdatasync fails, this flush and all
 * later ones fail. */
int tide_pool_flush(struct tide_pool *p, struct tide_error *err);
/* The same for one range: what else was written need not be on storage. */
int tide_pool_sync(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);

struct tide_pool_stats {
	size_t size;               /* sizeof(struct tide_pool_stats) */
	struct tide_counts counts; /* tier 2 is device memory, tier 3 the file */
#define TIDE_FIGURE(name, help) uint64_t name;
#include "pool_figures.def"
#undef TIDE_FIGURE
};

int tide_pool_stats(struct tide_pool *p, struct tide_pool_stats *stats, struct tide_error *err);
/* The same as a JSON document; free it with free(). */
int tide_pool_stats_json(struct tide_pool *p, char **text, struct tide_error *err);

/* Checks that queues, counts and index agree. No other call may run meanwhile. -EUCLEAN: they do
 * not agree, and err says where. */
int tide_pool_check(struct tide_pool *p, struct tide_error *err);

/* Flushes and frees everything. NULL is allowed. Reports what could not be written. */
int tide_pool_close(struct tide_pool *p, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
