#include "vec.h"

#include <errno.h>
#include <sys/mman.h>

#define HUGE_BYTES ((size_t)2 << 20)

void td_vec_init(struct td_vec *v, size_t item_bytes)
{
	*v = (struct td_vec){NULL, item_bytes, 0};
}

static void *map(struct td_vec *v, size_t bytes)
{
	if (v->at)
		return mremap(v->at, v->mapped_bytes, bytes, MREMAP_MAYMOVE);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int td_vec_reserve(struct td_vec *v, uint64_t n)
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
	size_t unit = bytes >= HUGE_BYTES ? HUGE_BYTES : 4096;
	bytes = (bytes + unit - 1) / unit * unit;
	void *at = map(v, bytes);
	if (at == MAP_FAILED)
		return -ENOMEM;
	if (unit == HUGE_BYTES)
		madvise(at, bytes, MADV_HUGEPAGE); /* a wish: an error changes nothing */
	v->at = at;
	v->mapped_bytes = bytes;
	return 0;
}

void td_vec_free(struct td_vec *v)
{
	if (v->at)
		munmap(v->at, v->mapped_bytes);
	td_vec_init(v, v->item_bytes);
}
