/* Memory of the host as device memory. This is the default: a second buffer. */
#include "host_slots.h"

const struct td_pool_device td_pool_device_ram = {
	.name = "ram",
	.alloc = td_pool_slots_alloc,
	.free = td_pool_slots_free,
	.gather = td_pool_slots_gather,
	.scatter = td_pool_slots_scatter,
	.hash = td_pool_host_hash,
	.parallel = true,
};
