/* Memory of the host, compressed by LZ4, as device memory: the quick one. */
#include "packed.h"

static int lz4_alloc(void **state, const struct td_pool_want *want, struct tide_error *err)
{
	return td_pool_packed_alloc(state, TD_STORE_LZ4, want, err);
}

const struct td_pool_device td_pool_device_lz4 = {
	.name = "lz4",
	.alloc = lz4_alloc,
	.free = td_pool_packed_free,
	.gather = td_pool_packed_gather,
	.scatter = td_pool_packed_scatter,
	.hash = td_pool_host_hash,
	.parallel = true,
	.dense = TD_POOL_PACKED_DENSE,
	.drop = td_pool_packed_drop,
	.use = td_pool_packed_use,
};
