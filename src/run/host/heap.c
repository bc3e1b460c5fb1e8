/* malloc() and its family: what is at least the threshold comes from the pager. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "next.h"
#include "own.h"
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

/* Calls of this library and of the pager, and of what they call: the allocator behind us may be the
 * one that called them. */
static bool is_own(void)
{
	return td_preload_inside || td_next_searching;
}

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
	return td_preload_settings.options.storage || bytes < (size_t)1 << 30 ||
	       td_preload_kernel_gives(bytes);
}

static void *take_as(size_t bytes, size_t align, enum td_taking how, const void *caller)
{
	if (!td_preload_wants(bytes) || is_for_library(caller, bytes) || !has_room(bytes))
		return NULL;
	return td_preload_take(bytes, align, how);
}

static void *take(size_t bytes, size_t align, const void *caller)
{
	return take_as(bytes, align, TD_TAKE_HEAP, caller);
}

#define CALLER __builtin_return_address(0)

static void *allocate(size_t bytes, const void *caller)
{
	void *p;

	if (is_own())
		return td_own_take(bytes, 1);
	p = take(bytes, 1, caller);
	return p ? p : BEHIND(next.malloc(bytes));
}

TD_EXPORT void *malloc(size_t bytes)
{
	return allocate(bytes, CALLER);
}

static void *zeroed(void *p, size_t bytes)
{
	return p ? memset(p, 0, bytes) : NULL;
}

TD_EXPORT void *calloc(size_t n, size_t each)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	if (is_own())
		return zeroed(td_own_take(bytes, 1), bytes);
	p = take(bytes, 1, CALLER); /* zero */
	return p ? p : BEHIND(next.calloc(n, each));
}

static void give_back(void *p, size_t bytes)
{
	td_regions_lock();
	td_regions_cut(&td_taken, (uintptr_t)p, (uintptr_t)p + bytes, td_preload_give);
	td_regions_unlock();
}

/* What the program's allocator gave before is lost where it must not be called. */
TD_EXPORT void free(void *p)
{
	size_t bytes = taken_bytes(p);
	int saved = errno; /* free() keeps it */

	if (bytes)
		give_back(p, bytes);
	else if (td_own_has(p))
		td_own_give(p);
	else if (!is_own())
		BEHIND((next.free(p), 0));
	errno = saved;
}

/* From one kind of memory to another, or within the pager's. What grows for the second time is one
 * of those that grow in many steps. */
static void *move(void *old, size_t old_bytes, size_t bytes, const void *caller)
{
	void *p = NULL;

	if (bytes > old_bytes && taken_bytes(old))
		p = take_as(bytes, 1, TD_TAKE_HEAP | TD_TAKE_GROWS, caller);
	if (!p)
		p = allocate(bytes, caller);
	if (!p)
		return NULL;
	memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
	free(old);
	return p;
}

static void *resize_taken(void *p, size_t had, size_t bytes, const void *caller)
{
	size_t wanted = td_round_up(bytes, TD_OS_PAGE);
	void *moved;

	if (wanted < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	if (wanted > had && td_preload_grow(p, had, wanted))
		return p;
	if (wanted > had && has_room(bytes) &&
	    (moved = td_preload_move(p, had, wanted, NULL, false)))
		return moved;
	if (bytes < td_preload_settings.threshold_bytes || wanted > had)
		return move(p, had, bytes, caller);
	if (wanted < had)
		td_preload_shrink(p, had, wanted);
	return p;
}

static void *resize(void *p, size_t bytes, const void *caller)
{
	size_t had;

	if (!p)
		return allocate(bytes, caller);
	if (td_own_has(p) || is_own())
		return move(p, td_own_has(p) ? td_own_bytes(p) : next.malloc_usable_size(p), bytes,
			    caller);
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

static void *take_aligned(size_t align, size_t bytes, const void *caller)
{
	if (!is_power(align))
		return NULL;
	return is_own() ? td_own_take(bytes, align) : take(bytes, align, caller);
}

TD_EXPORT void *memalign(size_t align, size_t bytes)
{
	void *p = take_aligned(align, bytes, CALLER);

	return p ? p : BEHIND(next.memalign(align, bytes));
}

TD_EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *p = take_aligned(align, bytes, CALLER);

	return p ? p : BEHIND(next.aligned_alloc(align, bytes));
}

TD_EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
	void *p = align % sizeof(void *) == 0 ? take_aligned(align, bytes, CALLER) : NULL;

	if (!p)
		return BEHIND(next.posix_memalign(out, align, bytes));
	*out = p;
	return 0;
}

TD_EXPORT void *valloc(size_t bytes)
{
	void *p = take_aligned(TD_OS_PAGE, bytes, CALLER);

	return p ? p : BEHIND(next.valloc(bytes));
}

TD_EXPORT void *pvalloc(size_t bytes)
{
	void *p = take_aligned(TD_OS_PAGE, td_round_up(bytes, TD_OS_PAGE), CALLER);

	return p ? p : BEHIND(next.pvalloc(bytes));
}

TD_EXPORT size_t malloc_usable_size(void *p)
{
	size_t bytes = taken_bytes(p);

	if (bytes)
		return bytes;
	return td_own_has(p) ? td_own_bytes(p) : next.malloc_usable_size(p);
}
