/* The buffer pool: pages of a file in main memory, behind it device memory, behind that the file.
 *
 *     struct tide_pool *p;
 *     struct tide_pool_options o = {.size = sizeof o, .path = "disk.img",
 *                                  .main_size = "256M", .device_size = "1G"};
 *     if (tide_pool_open(&p, &o, &err) == 0 && tide_pool_read(p, to, 4096, offset, &err) == 0)
 *             ...
 *
 * What leaves main memory goes to device memory, what leaves that goes to the file if it was
 * written (GRAM). With `dedup` equal blocks are stored once (DEDU). Nobody else may write the file
 * meanwhile; another pool over it is refused (-EBUSY), unless both are read_only.
 *
 * Calls return 0 or a negative errno and then fill err (which may be NULL) with one sentence. All
 * may be called from any thread at any time, but not from a signal handler, nor after fork() in the
 * child; tide_pool_close() comes after everything. The library never prints and never exits. */
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

/* Everything not set is its default. Texts are written as on the command line. */
struct tide_pool_options {
	size_t size;             /* sizeof(struct tide_pool_options) */
	const char *path;        /* a file or block device, of a size that stays; required */
	const char *page;        /* "4K"; a power of two to "1M" */
	const char *main_size;   /* "64M", "1024p": required */
	const char *device_size; /* "0": none */
	const char *device;      /* "ram", or "cuda": memory of a GPU (-ENODEV without one) */
	const char *dedup;       /* "off", "on", "auto": by what was measured, per region */
	const char *block; /* of dedup: "4K", or a page if that is less; a power of two from 512 */
	const char *hash;  /* "xxh3", "md5" */
	const char *batch; /* misses served together, at most: "256" */
	const char *epoch; /* so long one miss waits for others: "50us" */
	const char *max_backlog; /* blocks that may wait for signatures: "4096" */
	const char *inject;      /* failures of the file to inject, for tests: see docs/pool.md */
	bool read_only;
};

int tide_pool_open(struct tide_pool **out, const struct tide_pool_options *options,
		   struct tide_error *err);

uint64_t tide_pool_bytes(const struct tide_pool *p); /* of the file */
uint32_t tide_pool_page_bytes(const struct tide_pool *p);

enum tide_pool_access { TIDE_POOL_READ, TIDE_POOL_WRITE };

/* A page that stays where it is until it is put. Behind the end of the file it is zero. The layout
 * of a pin stays as it is, and so it has no size. */
struct tide_pool_pin {
	void *addr;
	uint64_t page;
	uint64_t handle; /* the pool's */
	enum tide_pool_access access;
};

/* The page of that number. Who asks for TIDE_POOL_WRITE may change it, and what was changed counts
 * from tide_pool_put() on. A thread that pins more pages than main memory has gets -ENOBUFS. */
int tide_pool_get(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
		  struct tide_pool_pin *pin, struct tide_error *err);
/* Puts it once: the pin is of no use afterwards. -EINVAL: it was put before; one that was copied is
 * recognised only if nobody else has the page pinned. */
int tide_pool_put(struct tide_pool *p, struct tide_pool_pin *pin, struct tide_error *err);

/* The same without waiting. done is called once, in this thread at once or in one of the pool's own
 * later: result is that of the get, and the pin is to be put if it is 0. It may call the pool, but
 * not close it, nor wait for another done. A call that fails never calls it. tide_pool_close()
 * waits for it. */
typedef void tide_pool_done(void *arg, struct tide_pool_pin *pin, int result);
int tide_pool_get_async(struct tide_pool *p, uint64_t page, enum tide_pool_access access,
			tide_pool_done *done, void *arg, struct tide_error *err);

/* Any bytes of the file; -EINVAL beyond its end. */
int tide_pool_read(struct tide_pool *p, void *to, size_t bytes, uint64_t offset,
		   struct tide_error *err);
int tide_pool_write(struct tide_pool *p, const void *from, size_t bytes, uint64_t offset,
		    struct tide_error *err);

/* Both make a range read as zero; trim also frees its space in the file, where that can. */
int tide_pool_zero(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);
int tide_pool_trim(struct tide_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);

/* What was written before is on storage when it returns 0. What cannot be written is kept, and
 * tried again by the next flush and whenever room is needed. Where the storage took it and then
 * could not keep it (fdatasync failed) this flush and all after it fail. */
int tide_pool_flush(struct tide_pool *p, struct tide_error *err);

struct tide_pool_stats {
	size_t size;               /* sizeof(struct tide_pool_stats) */
	struct tide_counts counts; /* tier 2 is device memory, tier 3 the file */
#define TIDE_FIGURE(name, help) uint64_t name;
#include "pool_figures.def"
#undef TIDE_FIGURE
};

int tide_pool_stats(struct tide_pool *p, struct tide_pool_stats *stats, struct tide_error *err);
/* The same as a JSON document, to be freed with free(). */
int tide_pool_stats_json(struct tide_pool *p, char **text, struct tide_error *err);

/* While nobody else uses it: queues, counts and index agree. -EUCLEAN: says what does not. */
int tide_pool_check(struct tide_pool *p, struct tide_error *err);

/* Flushes and frees everything. NULL is fine. What could not be written is said. */
int tide_pool_close(struct tide_pool *p, struct tide_error *err);

#ifdef __cplusplus
}
#endif

#endif
