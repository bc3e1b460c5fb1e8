#include "cold.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel.h"
#include "scan.h"

#define RANGES 64

/* The next ranges of a process, of at most so many pages. How many pages were that? 0: it is at its
 * end, or gone. */
static uint64_t cool_some(struct td_kernel_hand *hand, const struct td_kernel_process *p,
			  uint64_t pages)
{
	struct td_kernel_region region[RANGES];
	struct iovec range[RANGES];
	uint64_t done = 0;
	int n = td_kernel_scan(p->pagemap, &hand->address, TD_KERNEL_ADDRESSES, TD_KERNEL_PRESENT,
			       region, RANGES);
	int used = 0;
	for (; used < n && done < pages; used++) {
		uint64_t bytes = region[used].end - region[used].start;
		if (bytes > (pages - done) * TD_KERNEL_PAGE) {
			bytes = (pages - done) * TD_KERNEL_PAGE;
			hand->address = region[used].start + bytes;
		} else if (used + 1 < n) {
			hand->address = region[used].end;
		}
		range[used] = (struct iovec){(void *)(uintptr_t)region[used].start, (size_t)bytes};
		done += bytes / TD_KERNEL_PAGE;
	}
	/* What the kernel refuses stays as it is. */
	if (used > 0)
		syscall(SYS_process_madvise, p->pidfd, range, (size_t)used, MADV_COLD, 0);
	return done;
}

void td_kernel_cool(struct td_kernel_hand *hand, const struct td_kernel_tree *t, uint64_t pages)
{
	for (uint32_t ends = 0; pages && ends <= t->n;) {
		if (hand->process >= t->n)
			*hand = (struct td_kernel_hand){0, 0};
		const struct td_kernel_process *p = &t->at[hand->process];
		uint64_t done = t->n && p->pid ? cool_some(hand, p, pages) : 0;
		pages -= done;
		if (!done || hand->address >= TD_KERNEL_ADDRESSES) {
			*hand = (struct td_kernel_hand){hand->process + 1, 0};
			ends++;
		}
	}
}
