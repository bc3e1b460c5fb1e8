/* Memory of the host as slots: ram, and what differs from it only by where the memory is. */
#ifndef TD_POOL_HOST_SLOTS_H
#define TD_POOL_HOST_SLOTS_H

#include "device.h"

struct td_pool_slots {
	struct td_pool_host host;
	unsigned char *at; /* NULL: no slots */
	size_t bytes;
};

/* The functions of struct td_pool_device. No page of the memory is touched before the first
 * scatter. */
int td_pool_slots_alloc(void **state, const struct td_pool_want *want, struct tide_error *err);
void td_pool_slots_free(void *state);
int td_pool_slots_gather(void *state, const uint32_t *slots, void *const *to, size_t n);
int td_pool_slots_scatter(void *state, const uint32_t *slots, const void *const *from, size_t n);

#endif
