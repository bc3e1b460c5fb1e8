/* The buffer pool as src/lib uses it for tide/pool.h. Options are numbers instead of texts; the
 * rest is as in tide/pool.h. */
#ifndef TD_POOL_POOL_H
#define TD_POOL_POOL_H

#include "device.h"
#include "tide/pool.h"

enum td_pool_dedup { TD_POOL_OFF, TD_POOL_ON, TD_POOL_AUTO };

struct td_pool_config {
	const char *path, *inject;
	bool read_only;
	uint32_t page_bytes, block_bytes; /* powers of two; block at most page */
	uint64_t main_pages, device_pages;
	const struct td_pool_device *device;
	enum td_pool_dedup dedup;
	enum td_pool_hash hash;
	uint32_t batch;
	uint64_t epoch_ns, max_backlog;
};

struct td_pool;

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
int td_pool_trim(struct td_pool *p, uint64_t offset, uint64_t bytes, struct tide_error *err);
int td_pool_flush(struct td_pool *p, struct tide_error *err);

void td_pool_stats(struct td_pool *p, struct tide_pool_stats *stats);
int td_pool_check(struct td_pool *p, struct tide_error *err);

#endif
