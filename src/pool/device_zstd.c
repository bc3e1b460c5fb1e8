/* Memory of the host, compressed by zstd, as device memory: it holds more than lz4, and is slower.
 */
#include "packed.h"

static int zstd_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	return td_pool_packed_alloc(state, TD_STORE_ZSTD, want, err);
}

const struct td_pool_device td_pool_device_zstd = {
	.name = "zstd",
	.alloc = zstd_alloc,
	.free = td_pool_packed_free,
	.gather = td_pool_packed_gather,
	.scatter = td_pool_packed_scatter,
	.hash = td_pool_host_hash,
	.parallel = true,
	.dense = TD_POOL_PACKED_DENSE,
	.drop = td_pool_packed_drop,
	.use = td_pool_packed_use,
};
