#include "out.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel.h"
#include "scan.h"

#define RANGES 64

/* The kernel holds the lock of the address space during a call, and a program that maps memory
 * waits: no more pages at once than a run has. */
struct batch {
	struct iovec range[RANGES];
	unsigned n;
	uint64_t pages;
};

static bool takes(const struct batch *a, const struct td_kernel_run *r)
{
	return a->n < RANGES && (!a->n || a->pages + r->pages <= TD_KERNEL_RUN);
}

static void add(struct batch *a, const struct td_kernel_run *r)
{
	a->range[a->n++] = (struct iovec){(void *)(uintptr_t)(r->page * TD_KERNEL_PAGE),
					  (size_t)r->pages * TD_KERNEL_PAGE};
	a->pages += r->pages;
}

/* A range that the kernel refuses, because it is locked, of huge pages, or gone, is left out. */
static void advise(const struct td_kernel_process *p, const struct batch *a, int advice)
{
	for (unsigned i = 0; i < a->n;) {
		long n = syscall(SYS_process_madvise, p->pidfd, a->range + i, (size_t)(a->n - i),
				 advice, 0);
		if (n < 0 && errno == ESRCH)
			return;
		for (; n > 0 && i < a->n && (size_t)n >= a->range[i].iov_len; i++)
			n -= (long)a->range[i].iov_len;
		i++;
	}
}

static void check_range(struct td_kernel_books *b, const struct td_kernel_tree *t, uint32_t process,
			const struct iovec *range)
{
	struct td_kernel_region left[16];
	uint64_t from = (uint64_t)(uintptr_t)range->iov_base, end = from + range->iov_len;
	int n = 1;
	while (n > 0 && from < end) {
		n = td_kernel_scan(t->at[process].pagemap, &from, end, TD_KERNEL_PRESENT, left, 16);
		for (int i = 0; i < n; i++)
			td_kernel_books_stayed(b, process, left[i].start / TD_KERNEL_PAGE,
					       left[i].end / TD_KERNEL_PAGE);
	}
}

typedef void carry(struct td_kernel_books *b, struct td_kernel_tree *t, uint32_t process,
		   const struct batch *a);

static void page_out(struct td_kernel_books *b, struct td_kernel_tree *t, uint32_t process,
		     const struct batch *a)
{
	advise(&t->at[process], a, MADV_PAGEOUT);
	for (unsigned i = 0; i < a->n; i++)
		check_range(b, t, process, &a->range[i]);
}

static void read_ahead(struct td_kernel_books *b, struct td_kernel_tree *t, uint32_t process,
		       const struct batch *a)
{
	(void)b;
	advise(&t->at[process], a, MADV_WILLNEED);
}

/* Out of the page table, and back as far as the swap cache. */
static void arm(struct td_kernel_books *b, struct td_kernel_tree *t, uint32_t process,
		const struct batch *a)
{
	(void)b;
	advise(&t->at[process], a, MADV_PAGEOUT);
	advise(&t->at[process], a, MADV_WILLNEED);
}

static void carry_runs(struct td_kernel_books *b, struct td_kernel_tree *t,
		       struct td_kernel_runs *r, carry *how)
{
	for (uint64_t i = 0; i < r->n;) {
		uint32_t process = td_kernel_run_at(r, i)->process;
		struct batch a = {.n = 0};
		for (; i < r->n && td_kernel_run_at(r, i)->process == process &&
		       takes(&a, td_kernel_run_at(r, i));
		     i++)
			add(&a, td_kernel_run_at(r, i));
		if (process < t->n && t->at[process].pid)
			how(b, t, process, &a);
	}
	r->n = 0;
}

void td_kernel_carry_out(struct td_kernel_books *b, struct td_kernel_tree *t)
{
	carry_runs(b, t, &b->out, page_out);
	carry_runs(b, t, &b->arm, arm);
	carry_runs(b, t, &b->ahead, read_ahead);
}
