/* A hand that goes round over the memory of all processes and lets pages cool (MADV_COLD): they
 * join the inactive list of the kernel with no reference, and the next touch makes them active
 * again. Without that, pages that came back are all active, and a cgroup at its limit may find
 * nothing to reclaim: it then kills the program although swap is free. */
#ifndef TD_KERNEL_COLD_H
#define TD_KERNEL_COLD_H

#include "tree.h"

struct td_kernel_hand {
	uint32_t process;
	uint64_t address;
};

void td_kernel_cool(struct td_kernel_hand *hand, const struct td_kernel_tree *t, uint64_t pages);

#endif
