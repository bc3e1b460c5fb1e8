/* malloc() and its family: what is at least the threshold comes from the pager. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "next.h"
#include "preload.h"

TD_TLS unsigned td_preload_allocating;

/* A call of the allocator behind us, which may hold its locks when a signal comes. */
#define BEHIND(call) \
	__extension__({ \
		td_preload_allocating++; \
		__atomic_signal_fence(__ATOMIC_SEQ_CST); \
		__typeof__(call) behind_ = (call); \
		__atomic_signal_fence(__ATOMIC_SEQ_CST); \
		td_preload_allocating--; \
		behind_; \
	})

/* Of the pager's memory pointers are whole pages, which those of malloc() are not: a small one is
 * told by its last bits. */
static bool may_be_taken(const void *p)
{
	return ((uintptr_t)p & (TD_OS_PAGE - 1)) == 0 && p && !td_preload_inside;
}

/* The bytes of a region that p is the beginning of; 0: p is somebody else's. */
static size_t taken_bytes(const void *p)
{
	struct td_region *r;
	size_t bytes = 0;

	if (!may_be_taken(p))
		return 0;
	td_regions_lock();
	r = td_regions_at(&td_taken, (uintptr_t)p);
	if (r && r->kind && r->start == (uintptr_t)p)
		bytes = r->end - r->start;
	td_regions_unlock();
	return bytes;
}

/* Blocks of files, folders and names, which the C library gives to the kernel without asking us,
 * have at most a megabyte. */
#define LIBRARY_MOST ((size_t)2 << 20)

static bool is_for_library(const void *caller, size_t bytes)
{
	static uintptr_t start, end;
	struct dl_find_object found;

	if (!td_preload_settings.helps || bytes > LIBRARY_MOST)
		return false;
	if (!end && _dl_find_object((void *)(uintptr_t)next.fopen, &found) == 0) {
		start = (uintptr_t)found.dlfo_map_start;
		__atomic_store_n(&end, (uintptr_t)found.dlfo_map_end, __ATOMIC_RELEASE);
	}
	return (uintptr_t)caller < __atomic_load_n(&end, __ATOMIC_ACQUIRE) &&
	       (uintptr_t)caller >= start;
}

/* Without a file there is no more room than there is memory: what the kernel would not promise is
 * refused here too. */
static bool has_room(size_t bytes)
{
	void *p;

	if (td_preload_settings.options.storage || bytes < (size_t)1 << 30)
		return true;
	p = next.mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p != MAP_FAILED && next.munmap(p, bytes) == 0;
}

static void *take(size_t bytes, size_t align, const void *caller)
{
	if (!td_preload_wants(bytes) || is_for_library(caller, bytes) || !has_room(bytes))
		return NULL;
	return td_preload_take(bytes, align, true);
}

#define CALLER __builtin_return_address(0)

static void *allocate(size_t bytes, const void *caller)
{
	void *p = td_next_early(bytes);

	if (!p)
		p = take(bytes, 1, caller);
	return p ? p : BEHIND(next.malloc(bytes));
}

TD_EXPORT void *malloc(size_t bytes)
{
	return allocate(bytes, CALLER);
}

/* Memory of the pager is zero, and so is the early one. */
TD_EXPORT void *calloc(size_t n, size_t each)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	p = td_next_early(bytes);
	if (!p)
		p = take(bytes, 1, CALLER);
	return p ? p : BEHIND(next.calloc(n, each));
}

static void give_back(void *p, size_t bytes)
{
	td_regions_lock();
	td_regions_cut(&td_taken, (uintptr_t)p, (uintptr_t)p + bytes, td_preload_give);
	td_regions_unlock();
}

TD_EXPORT void free(void *p)
{
	size_t bytes = taken_bytes(p);
	int saved = errno; /* free() keeps it */

	if (bytes)
		give_back(p, bytes);
	else if (!td_next_is_early(p))
		BEHIND((next.free(p), 0));
	errno = saved;
}

/* From one kind of memory to another, or within the pager's. */
static void *move(void *old, size_t old_bytes, size_t bytes, const void *caller)
{
	void *p = allocate(bytes, caller);

	if (!p)
		return NULL;
	memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
	free(old);
	return p;
}

static void *resize_taken(void *p, size_t had, size_t bytes, const void *caller)
{
	size_t wanted = td_round_up(bytes, TD_OS_PAGE);

	if (wanted < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	if (bytes < td_preload_settings.threshold_bytes || wanted > had)
		return move(p, had, bytes, caller);
	if (wanted < had)
		give_back((char *)p + wanted, had - wanted);
	return p;
}

static void *resize(void *p, size_t bytes, const void *caller)
{
	size_t had;

	if (!p)
		return allocate(bytes, caller);
	if (td_next_is_early(p)) /* its size is not known, but its end */
		return move(p, td_next_early_rest(p), bytes, caller);
	had = taken_bytes(p);
	if (!had) {
		if (!td_preload_wants(bytes) || is_for_library(caller, bytes))
			return BEHIND(next.realloc(p, bytes));
		return move(p, next.malloc_usable_size(p), bytes, caller);
	}
	if (bytes == 0) {
		free(p);
		return NULL;
	}
	return resize_taken(p, had, bytes, caller);
}

TD_EXPORT void *realloc(void *p, size_t bytes)
{
	return resize(p, bytes, CALLER);
}

TD_EXPORT void *reallocarray(void *p, size_t n, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(p, bytes, CALLER);
}

static bool is_power(size_t n)
{
	return n && (n & (n - 1)) == 0;
}

TD_EXPORT void *memalign(size_t align, size_t bytes)
{
	void *p = is_power(align) ? take(bytes, align, CALLER) : NULL;

	return p ? p : BEHIND(next.memalign(align, bytes));
}

TD_EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *p = is_power(align) ? take(bytes, align, CALLER) : NULL;

	return p ? p : BEHIND(next.aligned_alloc(align, bytes));
}

TD_EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
	void *p =
		is_power(align) && align % sizeof(void *) == 0 ? take(bytes, align, CALLER) : NULL;

	if (!p)
		return BEHIND(next.posix_memalign(out, align, bytes));
	*out = p;
	return 0;
}

TD_EXPORT void *valloc(size_t bytes)
{
	void *p = take(bytes, TD_OS_PAGE, CALLER);

	return p ? p : BEHIND(next.valloc(bytes));
}

TD_EXPORT void *pvalloc(size_t bytes)
{
	void *p = take(bytes, TD_OS_PAGE, CALLER);

	return p ? p : BEHIND(next.pvalloc(bytes));
}

TD_EXPORT size_t malloc_usable_size(void *p)
{
	size_t bytes = taken_bytes(p);

	return bytes ? bytes : td_next_is_early(p) ? 0 : next.malloc_usable_size(p);
}
