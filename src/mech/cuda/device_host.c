/* A GPU of plain memory, for tests: its warps are threads of the processor. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_host.h"

struct td_cuda_stream {
	uint64_t marks;
};

/* CUDA keeps them too, one of every thread and one of the GPU. */
_Thread_local int td_cuda_host_current = TD_CUDA_HOST_NONE;
_Atomic uint64_t td_cuda_host_busy_ns;

static int info(struct tide_gpu_info *i, int device, struct tide_error *err)
{
	*i = (struct tide_gpu_info){.devices = 1, .warps = 64, .multiprocessors = 1};
	if (device != 0)
		return tide_fail(err, -ENODEV, "there is no GPU %d: this is the software one, 0",
				 device);
	snprintf(i->name, sizeof i->name, "threads of the processor");
	snprintf(i->driver, sizeof i->driver, "none");
	snprintf(i->runtime, sizeof i->runtime, "none");
	i->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	i->free_bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int choose(int device, struct tide_error *err)
{
	struct tide_gpu_info i;
	int rc = info(&i, device, err);
	if (!rc)
		td_cuda_host_current = device;
	return rc;
}

static int enter(struct td_cuda_current *thread, int device, struct tide_error *err)
{
	thread->before = (void *)(intptr_t)td_cuda_host_current;
	return choose(device, err);
}

static void leave(const struct td_cuda_current *thread)
{
	td_cuda_host_current = (int)(intptr_t)thread->before;
}

static int take(void **out, uint64_t bytes, struct tide_error *err)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return tide_fail(err, -ENOMEM,
				 "no memory for %" PRIu64 " bytes: give smaller tiers", bytes);
	*out = at;
	return 0;
}

static void give(void *at, uint64_t bytes)
{
	munmap(at, bytes);
}

static int copy(void *to, const void *from, uint64_t bytes, struct tide_error *err)
{
	(void)err;
	memcpy(to, from, bytes);
	return 0;
}

static int fill(void *at, int byte, uint64_t bytes, struct tide_error *err)
{
	(void)err;
	memset(at, byte, bytes);
	return 0;
}

/* Whoever made the threads waits for them; but a test may say that a kernel takes longer. */
static int synchronize(uint64_t limit_ns, struct tide_error *err)
{
	uint64_t busy_ns = atomic_load(&td_cuda_host_busy_ns);
	bool late = limit_ns && limit_ns < busy_ns;
	atomic_store(&td_cuda_host_busy_ns, late ? busy_ns - limit_ns : 0);
	return late ? tide_fail(err, -ETIMEDOUT, "the kernel runs still: wait for it") : 0;
}

static int stream_open(struct td_cuda_stream **out, struct tide_error *err)
{
	*out = calloc(1, sizeof **out);
	return *out ? 0 : tide_fail(err, -ENOMEM, "out of memory");
}

static void stream_close(struct td_cuda_stream *s)
{
	free(s);
}

/* Word by word: a warp without a pin may look at a frame meanwhile, and throws away what it saw. */
static int stream_copy(struct td_cuda_stream *s, void *to, const void *from, uint64_t bytes)
{
	(void)s;
	for (uint64_t i = 0; i < bytes / 8; i++) {
		uint64_t word = __atomic_load_n((const uint64_t *)from + i, __ATOMIC_RELAXED);
		__atomic_store_n((uint64_t *)to + i, word, __ATOMIC_RELAXED);
	}
	return 0;
}

static int stream_mark(struct td_cuda_stream *s)
{
	s->marks++;
	return 0;
}

static int stream_reached(struct td_cuda_stream *s, uint64_t *marks)
{
	*marks = s->marks;
	return 0;
}

static int stream_wait(struct td_cuda_stream *s)
{
	(void)s;
	return 0;
}

const struct td_cuda_device td_cuda_device = {
	.name = "host",
	.info = info,
	.choose = choose,
	.enter = enter,
	.leave = leave,
	.memory = take,
	.memory_free = give,
	.pinned = take,
	.pinned_free = give,
	.copy = copy,
	.fill = fill,
	.synchronize = synchronize,
	.stream_open = stream_open,
	.stream_close = stream_close,
	.stream_copy = stream_copy,
	.stream_mark = stream_mark,
	.stream_reached = stream_reached,
	.stream_wait = stream_wait,
};
