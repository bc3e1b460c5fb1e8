/* The buffer pool as src/lib uses it for tide/pool.h. Options are numbers instead of texts; the
 * rest is as in tide/pool.h. */
#ifndef TD_POOL_POOL_H
#define TD_POOL_POOL_H

#include "core/event.h"
#include "device.h"
#include "tide/event.h"
#include "tide/pool.h"

enum td_pool_dedup { TD_POOL_OFF, TD_POOL_ON, TD_POOL_AUTO };

struct td_pool_config {
	const char *path, *inject;
	bool read_only;
	uint32_t page_bytes, block_bytes; /* powers of two; block at most page */
	uint64_t main_pages, device_pages;
	uint64_t dirty_pages;    /* that may be dirty; 0: any */
	uint64_t ahead_bytes;    /* read ahead of a stream; 0: none */
	uint64_t straight_bytes; /* reads of so many go past the cache; 0: none */
	const struct td_pool_device *device;
	const char *where; /* of the device: td_pool_want.where */
	enum td_pool_dedup dedup;
	enum td_pool_hash hash;
	uint32_t batch;
	uint64_t epoch_ns, max_backlog;
	/* Policies as on the command line. Without them, or with evict lru alone, the queues are
	 * those of the paper. place: of the device; NULL: a victim goes there, and the oldest
	 * leaves.
	 */
	const char *evict, *place;
	uint64_t seed;
	uint64_t watchdog_ns; /* 0: none */
	/* A policy does not return, and the program ends. NULL: a line on standard error. */
	void (*message)(void *arg, const char *text);
	void *message_arg;
	/* Each access to a page, and each that lost its content; in order, under a lock of the
	 * pool. NULL: nobody wants them. */
	void (*event)(void *arg, const struct td_event *event);
	void (*mark)(void *arg, const struct tide_mark *mark);
	void *record_arg;
};

struct td_pool;

/* Is there a policy besides the queues of the paper? Can it have what it needs? */
bool td_pool_has_policy(const struct td_pool_config *config);
int td_pool_check_policies(const struct td_pool_config *config, struct tide_error *err);
/* Name of the eviction policy now, and of those that were ejected. */
void td_pool_policies(struct td_pool *p, char evict[64], char ejected[64]);

int td_pool_open(struct td_pool **out, const struct td_pool_config *config, struct tide_error *err);
int td_pool_close(struct td_pool *p, struct tide_error *err);
uint64_t td_pool_bytes(const struct td_pool *p);

int td_pool_get(struct td_pool *p, uint64_t page, enum tide_pool_access access,
		struct tide_pool_pin *pin, struct tide_error *err);
int td_pool_put(struct td_pool *p, struct tide_pool_pin *pin, struct tide_error *err);
int td_pool_get_async(struct td_pool *p, uint64_t page, enum tide_pool_access access,
		      tide_pool_done *done, void *arg, struct tide_error *err);

int td_pool_read(struct td_pool *p, void *to, size_t bytes, uint64_t offset,
		 struct tide_error *err);
/* from NULL: zeros */
int td_pool_write(struct td_pool *p, const void *from, uint64_t bytes, uint64_t offset,
		  struct tide_error *err);
int td_pool_clear(struct td_pool *p, uint64_t offset, uint64_t bytes, unsigned how,
		  struct tide_error *err);
int td_pool_prefetch(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);
int td_pool_extents(struct td_pool *p, uint64_t offset, uint64_t bytes, tide_pool_part *part,
		    void *arg, struct tide_error *err);
int td_pool_flush(struct td_pool *p, struct tide_error *err);
int td_pool_sync(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);

void td_pool_stats(struct td_pool *p, struct tide_pool_stats *stats);
int td_pool_check(struct td_pool *p, struct tide_error *err);

#endif
