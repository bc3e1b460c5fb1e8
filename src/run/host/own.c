/* Memory of this library's own. A program may bring an allocator that asks mmap() for memory while
 * it holds its locks, and whose memory is paged. Whatever this library and the pager allocate must
 * not go through that allocator: it comes from here, straight from the kernel.
 *
 * A block is one of a few sizes. A block that is given back waits in the list of its size. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "own.h"

#define SEGMENTS 32
#define SEGMENT_BYTES ((size_t)1 << 20) /* of the first; each is twice as large as the last */
#define KINDS 128
#define NO_KIND KINDS
#define LARGE_BYTES ((size_t)256 << 10) /* the kernel gets the memory of a block like this back */

/* Just before each pointer that is given out. */
struct head {
	unsigned char *block;
	uint64_t kind;
};

static struct {
	unsigned char *at;
	size_t bytes, used;
} segments[SEGMENTS];
static _Atomic unsigned segments_n;
static void *unused[KINDS]; /* each begins with the address of the next one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* 64, 80, 96, 112, 128, 160, ... */
static size_t kind_bytes(uint64_t kind)
{
	return (4 + kind % 4) << (kind / 4 + 4);
}

static uint64_t kind_of(size_t bytes)
{
	uint64_t kind = 0;

	while (kind < KINDS && kind_bytes(kind) < bytes)
		kind++;
	return kind;
}

/* ---- the lock: no handler of the program's comes in between, and wants memory too ---- */

static uint64_t lock_all(void)
{
	uint64_t all = ~UINT64_C(0), before = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
	pthread_mutex_lock(&lock);
	return before;
}

static void unlock_all(uint64_t before)
{
	pthread_mutex_unlock(&lock);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

static uint64_t before_fork; /* the signals that the forking thread had blocked */

void td_own_lock(void)
{
	uint64_t before = lock_all();

	before_fork = before;
}

void td_own_unlock(void)
{
	unlock_all(before_fork);
}

void td_own_reset_lock(void)
{
	pthread_mutex_init(&lock, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_fork, NULL, sizeof before_fork);
}

/* ---- segments ---- */

/* By the system call itself: the search for the next mmap() allocates too. */
static unsigned char *map(size_t bytes)
{
	long at = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

	return at == -1 ? NULL : (unsigned char *)at;
}

static bool add_segment(size_t bytes)
{
	unsigned n = atomic_load(&segments_n);
	size_t least = SEGMENT_BYTES << n;

	if (n == SEGMENTS)
		return false;
	segments[n].bytes = bytes > least ? bytes : least;
	segments[n].at = map(segments[n].bytes);
	if (!segments[n].at)
		return false;
	atomic_store_explicit(&segments_n, n + 1, memory_order_release);
	return true;
}

/* From the last segment, or from a new one. */
static unsigned char *cut(size_t bytes)
{
	unsigned n = atomic_load(&segments_n);
	unsigned char *at;

	if (!n || segments[n - 1].bytes - segments[n - 1].used < bytes) {
		if (!add_segment(bytes))
			return NULL;
		n++;
	}
	at = segments[n - 1].at + segments[n - 1].used;
	segments[n - 1].used += bytes;
	return at;
}

bool td_own_has(const void *p)
{
	unsigned n = atomic_load_explicit(&segments_n, memory_order_acquire);

	for (unsigned i = 0; i < n; i++)
		if ((uintptr_t)p - (uintptr_t)segments[i].at < segments[i].bytes)
			return true;
	return false;
}

/* ---- blocks ---- */

static struct head *head_of(void *p)
{
	return (struct head *)p - 1;
}

static unsigned char *take_block(uint64_t kind)
{
	uint64_t saved = lock_all();
	unsigned char *block = unused[kind];

	if (block)
		memcpy(&unused[kind], block, sizeof unused[kind]);
	else
		block = cut(kind_bytes(kind));
	unlock_all(saved);
	return block;
}

void *td_own_take(size_t bytes, size_t align)
{
	size_t slack = sizeof(struct head) + (align > 16 ? align : 0);
	uint64_t kind = bytes > SIZE_MAX - slack ? NO_KIND : kind_of(bytes + slack);
	unsigned char *block = kind == NO_KIND ? NULL : take_block(kind);
	uintptr_t at = (uintptr_t)block + sizeof(struct head);

	if (!block)
		return NULL;
	if (align > 16)
		at = (at + align - 1) / align * align;
	*head_of((void *)at) = (struct head){block, kind};
	return (void *)at;
}

size_t td_own_bytes(void *p)
{
	const struct head *h = head_of(p);

	return kind_bytes(h->kind) - (size_t)((unsigned char *)p - h->block);
}

void td_own_give(void *p)
{
	struct head h = *head_of(p);
	size_t bytes = kind_bytes(h.kind);
	uint64_t saved;

	if (bytes >= LARGE_BYTES) {
		uintptr_t from = ((uintptr_t)h.block + 4095) / 4096 * 4096;
		uintptr_t to = ((uintptr_t)h.block + bytes) / 4096 * 4096;
		syscall(SYS_madvise, from, to - from, MADV_DONTNEED);
	}
	saved = lock_all();
	memcpy(h.block, &unused[h.kind], sizeof unused[h.kind]);
	unused[h.kind] = h.block;
	unlock_all(saved);
}
