/* An allocator as programs bring their own: it holds its lock while it asks the kernel for memory,
 * and while it gives memory back. A call that comes in meanwhile from the same thread would wait
 * for itself; here it ends the program with a word. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CHUNK_BYTES ((size_t)4 << 20)
#define KINDS 44

/* Before each block; the kind of a large one, which is a mapping, is KINDS. */
struct head {
	size_t kind, bytes;
	void *start, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int held __attribute__((tls_model("initial-exec")));
static struct head *unused[KINDS];
static char *chunk, *chunk_end;

static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static void enter(void)
{
	if (held) {
		say("the allocator was called by itself\n");
		_exit(99);
	}
	pthread_mutex_lock(&lock);
	held = 1;
}

static void leave(void)
{
	held = 0;
	pthread_mutex_unlock(&lock);
}

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct head *cut(size_t bytes)
{
	char *at;

	if (!chunk || (size_t)(chunk_end - chunk) < bytes) {
		chunk = map(CHUNK_BYTES);
		chunk_end = chunk ? chunk + CHUNK_BYTES : NULL;
		if (!chunk)
			return NULL;
	}
	at = chunk;
	chunk += bytes;
	return (struct head *)at;
}

static struct head *take(size_t bytes)
{
	size_t kind = bytes <= 64 ? 6 : 64 - (size_t)__builtin_clzll(bytes - 1);
	struct head *h;

	if (bytes > CHUNK_BYTES / 2) {
		h = map(bytes);
		if (h)
			*h = (struct head){KINDS, bytes, NULL, NULL};
		return h;
	}
	h = unused[kind];
	if (h)
		unused[kind] = h->next;
	else
		h = cut((size_t)1 << kind);
	if (h)
		*h = (struct head){kind, (size_t)1 << kind, NULL, NULL};
	return h;
}

static void *allocate(size_t align, size_t bytes)
{
	size_t all = bytes + sizeof(struct head) + align;
	struct head *h;
	uintptr_t at;

	if (all < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	enter();
	h = take(all);
	leave();
	if (!h) {
		errno = ENOMEM;
		return NULL;
	}
	at = ((uintptr_t)(h + 1) + align - 1) / align * align;
	((struct head *)at)[-1] = (struct head){h->kind, h->bytes, h, NULL};
	return (void *)at;
}

EXPORT size_t malloc_usable_size(void *p)
{
	const struct head *h = (struct head *)p - 1;

	return p ? h->bytes - (size_t)((char *)p - (char *)h->start) : 0;
}

EXPORT void *malloc(size_t bytes)
{
	return allocate(16, bytes);
}

EXPORT void free(void *p)
{
	struct head h, *start;

	if (!p)
		return;
	h = ((struct head *)p)[-1];
	start = h.start;
	enter();
	if (h.kind == KINDS) {
		munmap(start, h.bytes);
	} else {
		start->next = unused[h.kind];
		unused[h.kind] = start;
		if (h.bytes >= (size_t)64 << 10) /* whole pages that nobody needs */
			madvise((void *)(((uintptr_t)start + 8191) & ~(uintptr_t)4095),
				h.bytes - 8192, MADV_DONTNEED);
	}
	leave();
}

EXPORT void *calloc(size_t n, size_t each)
{
	size_t bytes;
	void *p = __builtin_mul_overflow(n, each, &bytes) ? NULL : malloc(bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

EXPORT void *realloc(void *old, size_t bytes)
{
	size_t had = malloc_usable_size(old);
	void *p = malloc(bytes);

	if (p && old) {
		memcpy(p, old, had < bytes ? had : bytes);
		free(old);
	}
	return p;
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	return allocate(align < 16 ? 16 : align, bytes);
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
	*out = memalign(align, bytes);
	return *out ? 0 : ENOMEM;
}
