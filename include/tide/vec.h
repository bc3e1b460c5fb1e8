/* Arrays that grow, for state that is indexed by a dense number. New items are zero.
 *
 * The arrays are mapped, not allocated. Growing moves page tables instead of bytes. Parts that were
 * never touched cost nothing. Large arrays ask for huge pages, because their use is random and
 * would otherwise miss the TLB at every step. Growing calls mremap(), which <sys/mman.h> declares
 * where _GNU_SOURCE is defined. */
#ifndef TIDE_VEC_H
#define TIDE_VEC_H

#ifndef _GNU_SOURCE
#error "tide/vec.h needs mremap(): define _GNU_SOURCE before the first #include"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct tide_vec {
	unsigned char *at;
	size_t item_bytes;
	size_t mapped_bytes;
};

/* If item_bytes is 0, the array stays empty: at is NULL, and every call succeeds. */
static inline void tide_vec_init(struct tide_vec *v, size_t item_bytes);

/* Makes room for at least n items. Returns 0, or -ENOMEM: nothing has changed. */
static inline int tide_vec_reserve(struct tide_vec *v, uint64_t n);

static inline void tide_vec_free(struct tide_vec *v);

/* ---- how ---- */

#define TIDE_VEC_HUGE_BYTES ((size_t)2 << 20)

/* The thread sanitizer does not see that mremap() gives memory away and takes it. */
#ifdef __SANITIZE_THREAD__
#define TIDE_VEC_MOVES 0
#else
#define TIDE_VEC_MOVES 1
#endif

static inline void tide_vec_init(struct tide_vec *v, size_t item_bytes)
{
	*v = (struct tide_vec){NULL, item_bytes, 0};
}

/* Address space where huge pages can lie: they need addresses that are multiples of their size. */
static inline unsigned char *tide_vec_map_huge(size_t bytes)
{
	unsigned char *at = mmap(NULL, bytes + TIDE_VEC_HUGE_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return at;
	size_t before = -(uintptr_t)at & (TIDE_VEC_HUGE_BYTES - 1);
	if (before)
		munmap(at, before);
	if (before < TIDE_VEC_HUGE_BYTES)
		munmap(at + before + bytes, TIDE_VEC_HUGE_BYTES - before);
	madvise(at + before, bytes, MADV_HUGEPAGE); /* a hint: an error changes nothing */
	return at + before;
}

static inline void *tide_vec_copy(struct tide_vec *v, void *to)
{
	memcpy(to, v->at, v->mapped_bytes);
	munmap(v->at, v->mapped_bytes);
	return to;
}

/* Small pages stay small, wherever they move. So the items of an array that becomes large are
 * copied, once. The first ones are often those that are used most. If the move fails, it may have
 * unmapped its target or not, so the target is left alone. */
static inline void *tide_vec_move_huge(struct tide_vec *v, unsigned char *to, size_t bytes)
{
	if (TIDE_VEC_MOVES && v->mapped_bytes >= TIDE_VEC_HUGE_BYTES)
		return mremap(v->at, v->mapped_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	return tide_vec_copy(v, to);
}

static inline void *tide_vec_map(struct tide_vec *v, size_t bytes)
{
	void *to;
	if (bytes >= TIDE_VEC_HUGE_BYTES) {
		to = tide_vec_map_huge(bytes);
		return to == MAP_FAILED || !v->at ? to : tide_vec_move_huge(v, to, bytes);
	}
	if (TIDE_VEC_MOVES && v->at)
		return mremap(v->at, v->mapped_bytes, bytes, MREMAP_MAYMOVE);
	to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return to == MAP_FAILED || !v->at ? to : tide_vec_copy(v, to);
}

static inline int tide_vec_reserve(struct tide_vec *v, uint64_t n)
{
	size_t bytes;
	if (!v->item_bytes)
		return 0;
	if (__builtin_mul_overflow(n, v->item_bytes, &bytes) || bytes > SIZE_MAX / 4)
		return -ENOMEM;
	if (bytes <= v->mapped_bytes)
		return 0;
	if (bytes < v->mapped_bytes * 2)
		bytes = v->mapped_bytes * 2;
	size_t unit = bytes >= TIDE_VEC_HUGE_BYTES ? TIDE_VEC_HUGE_BYTES : 4096;
	bytes = (bytes + unit - 1) / unit * unit;
	void *at = tide_vec_map(v, bytes);
	if (at == MAP_FAILED)
		return -ENOMEM;
	v->at = at;
	v->mapped_bytes = bytes;
	return 0;
}

static inline void tide_vec_free(struct tide_vec *v)
{
	if (v->at)
		munmap(v->at, v->mapped_bytes);
	tide_vec_init(v, v->item_bytes);
}

#endif
