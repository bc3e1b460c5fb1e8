#include "scan.h"

#include <errno.h>
#include <sys/ioctl.h>

struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN _IOWR('f', 16, struct scan_arg)

int td_kernel_scan(int pagemap, uint64_t *from, uint64_t end, uint64_t kinds,
		   struct td_kernel_region *out, unsigned room)
{
	struct scan_arg a = {
		.size = sizeof a,
		.start = *from,
		.end = end,
		.vec = (uint64_t)(uintptr_t)out,
		.vec_len = room,
		.category_inverted = TD_KERNEL_FILE | TD_KERNEL_ZERO,
		.category_mask = TD_KERNEL_FILE | TD_KERNEL_ZERO,
		.category_anyof_mask = kinds,
		.return_mask = kinds,
	};
	int n = ioctl(pagemap, SCAN, &a);
	if (n < 0)
		return -errno;
	*from = a.walk_end;
	return n;
}
