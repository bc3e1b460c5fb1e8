/* A program that uses the addresses of the allocator's functions. It is linked to a fixed address,
 * so these addresses are stubs in the program itself. It prints what it finds in the end. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_BYTES ((size_t)4 << 20)

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*malloc_usable_size)(void *);
} heap;

/* By instructions: a table that is filled by the linker needs no stub. */
static void find(void)
{
	heap.malloc = malloc;
	heap.calloc = calloc;
	heap.realloc = realloc;
	heap.reallocarray = reallocarray;
	heap.free = free;
	heap.memalign = memalign;
	heap.posix_memalign = posix_memalign;
	heap.aligned_alloc = aligned_alloc;
	heap.valloc = valloc;
	heap.pvalloc = pvalloc;
	heap.malloc_usable_size = malloc_usable_size;
}

static unsigned sum;

static void use(void *p, size_t bytes)
{
	if (!p || heap.malloc_usable_size(p) < bytes)
		exit(1);
	memset(p, 'u', bytes);
	sum += ((unsigned char *)p)[bytes / 2];
	heap.free(p);
}

static void use_all(size_t bytes)
{
	void *p;

	use(heap.malloc(bytes), bytes);
	use(heap.calloc(bytes, 1), bytes);
	use(heap.realloc(heap.malloc(bytes / 2), bytes), bytes);
	use(heap.reallocarray(NULL, bytes, 1), bytes);
	use(heap.memalign(64, bytes), bytes);
	use(heap.posix_memalign(&p, 64, bytes) ? NULL : p, bytes);
	use(heap.aligned_alloc(64, bytes), bytes);
	use(heap.valloc(bytes), bytes);
	use(heap.pvalloc(bytes), bytes);
}

int main(void)
{
	char *large;

	find();
	large = heap.malloc(LARGE_BYTES * 8);
	memset(large, 'l', LARGE_BYTES * 8);
	use_all(100);
	use_all(LARGE_BYTES);
	for (size_t i = 0; i < LARGE_BYTES * 8; i += 4096)
		sum += (unsigned char)large[i];
	printf("%u\n", sum);
	return 0;
}
