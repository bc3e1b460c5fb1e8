/* PAGEMAP_SCAN (Linux 6.7): which pages of a process are in memory, and which in swap. */
#ifndef TD_KERNEL_SCAN_H
#define TD_KERNEL_SCAN_H

#include <stdint.h>

/* As the kernel has them; the headers of the system may be older. */
struct td_kernel_region {
	uint64_t start, end, categories;
};

#define TD_KERNEL_FILE ((uint64_t)1 << 2)
#define TD_KERNEL_PRESENT ((uint64_t)1 << 3)
#define TD_KERNEL_SWAPPED ((uint64_t)1 << 4)
#define TD_KERNEL_ZERO ((uint64_t)1 << 5)
#define TD_KERNEL_ADDRESSES ((uint64_t)0x7ffffffff000)

/* The anonymous memory of *from .. end - 1 that is of one of these kinds, up to `room` regions.
 * Moves *from to where it stopped. The number of regions, or a negative errno; -ESRCH: this address
 * space is gone. */
int td_kernel_scan(int pagemap, uint64_t *from, uint64_t end, uint64_t kinds,
		   struct td_kernel_region *out, unsigned room);

#endif
