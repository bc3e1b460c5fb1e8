/* A fault is a SIGBUS in the thread that touched the page (UFFD_FEATURE_SIGBUS), and is served
 * there: UFFDIO_COPY from a buffer in memory. First in, first out, over units of fixed size.
 * Victims leave 64 at a time by process_madvise(), which costs a third of one at a time. Each part
 * of the memory belongs to one thread, so there are no locks and no races: a real pager has both.
 */
#include "minimal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common.h"

#define BATCH 64

struct part {
	size_t *queue; /* a ring of the units that are near, oldest first */
	size_t first, n;
	uint64_t faults, evicted, evict_ns;
	char apart[64]; /* the next one is another thread's */
};

static struct minimal {
	struct minimal_options o;
	char *base, *far;
	size_t near_units; /* of a part */
	int uffd, self;
	struct part parts[MINIMAL_PARTS];
} pager; /* of the process: a signal handler has no other way to it */

static void drop(const struct iovec *victims, size_t n)
{
	if (syscall(SYS_process_madvise, pager.self, victims, n, MADV_DONTNEED, 0) >= 0)
		return;
	for (size_t i = 0; i < n; i++) /* kernels that do not allow it */
		madvise(victims[i].iov_base, victims[i].iov_len, MADV_DONTNEED);
}

static void evict(struct part *part)
{
	struct iovec victims[BATCH];
	size_t n = part->n < BATCH ? part->n : BATCH;
	uint64_t start_ns = bench_wall_ns();

	for (size_t i = 0; i < n; i++) {
		size_t offset = part->queue[(part->first + i) % pager.near_units] * pager.o.unit;

		victims[i] = (struct iovec){pager.base + offset, pager.o.unit};
		if (pager.o.write_out)
			memcpy(pager.far + offset, pager.base + offset, pager.o.unit);
	}
	drop(victims, n);
	part->first = (part->first + n) % pager.near_units;
	part->n -= n;
	part->evicted += n;
	part->evict_ns += bench_wall_ns() - start_ns;
}

static void serve(int sig, siginfo_t *info, void *context)
{
	size_t unit = ((size_t)info->si_addr - (size_t)pager.base) / pager.o.unit;
	struct uffdio_copy copy = {
		.dst = (uintptr_t)pager.base + unit * pager.o.unit,
		.src = (uintptr_t)pager.far + unit * pager.o.unit,
		.len = pager.o.unit,
		.mode = UFFDIO_COPY_MODE_DONTWAKE,
	};
	struct part *part;

	(void)sig;
	(void)context;
	if (unit >= pager.o.units)
		bench_fail("a SIGBUS that is no fault of the minimal handler");
	part = &pager.parts[unit / (pager.o.units / pager.o.parts)];
	if (part->n == pager.near_units)
		evict(part);
	if (ioctl(pager.uffd, UFFDIO_COPY, &copy))
		bench_fail("UFFDIO_COPY: %s", strerror(errno));
	part->queue[(part->first + part->n++) % pager.near_units] = unit;
	part->faults++;
}

static int open_uffd(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_SIGBUS};
	struct uffdio_register range = {
		.range = {(uintptr_t)pager.base, pager.o.units * pager.o.unit},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		return -errno;
	return fd;
}

char *minimal_open(const struct minimal_options *options)
{
	struct sigaction action = {.sa_sigaction = serve, .sa_flags = SA_SIGINFO};
	const size_t bytes = options->units * options->unit;

	pager.o = *options;
	pager.base = bench_memory(bytes);
	pager.far = bench_memory(bytes);
	pager.near_units = options->near_units / options->parts;
	pager.uffd = open_uffd();
	if (pager.uffd < 0)
		return NULL;
	pager.self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	for (unsigned i = 0; i < options->parts; i++) {
		pager.parts[i].queue = calloc(pager.near_units, sizeof *pager.parts[i].queue);
		if (!pager.parts[i].queue)
			bench_fail("no memory");
	}
	bench_fill(pager.far, bytes);
	sigaction(SIGBUS, &action, NULL);
	return pager.base;
}

void minimal_figures(uint64_t *faults, uint64_t *evicted_bytes, uint64_t *evict_ns)
{
	*faults = *evicted_bytes = *evict_ns = 0;
	for (unsigned i = 0; i < pager.o.parts; i++) {
		struct part *part = &pager.parts[i];

		*faults += part->faults;
		*evicted_bytes += part->evicted * pager.o.unit;
		*evict_ns += part->evict_ns;
		part->faults = part->evicted = part->evict_ns = 0;
	}
}
