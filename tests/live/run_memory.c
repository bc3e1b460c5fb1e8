/* Cases of run_calls: memory that comes, goes, grows and is forgotten. */
#include <malloc.h>

#include "run_calls.h"

/* ---- the heap ---- */

void heap(void)
{
	char *p, *q, *small = malloc(100);
	volatile size_t huge = SIZE_MAX - 100; /* which the compiler is not to know */
	void *aligned;

	p = malloc(SIZE);
	CHECK(p && malloc_usable_size(p) >= SIZE);
	fill(p, SIZE, 1);
	CHECK(holds(p, SIZE, 1));
	free(p);
	/* Zero, also where something was before. */
	p = calloc(SIZE, 1);
	CHECK(p && is_zero(p, SIZE));
	fill(p, SIZE, 2);
	p = realloc(p, 2 * SIZE);
	CHECK(p && holds(p, SIZE, 2));
	p = realloc(p, SIZE / 2);
	CHECK(p && holds(p, SIZE / 2, 2));
	p = realloc(p, 1000);
	CHECK(p && holds(p, 1000 / 256 * 256, 2));
	p = realloc(p, 3 * MB);
	CHECK(p && holds(p, 1000 / 256 * 256, 2));
	q = reallocarray(p, huge / 2, 4);
	CHECK(!q && errno == ENOMEM && holds(p, 1000 / 256 * 256, 2));
	free(p);
	for (size_t align = 32; align <= 8 * MB; align *= 4) {
		CHECK(!posix_memalign(&aligned, align, 3 * MB));
		CHECK((uintptr_t)aligned % align == 0);
		fill(aligned, 3 * MB, align);
		CHECK(holds(aligned, 3 * MB, align));
		free(aligned);
	}
	CHECK(posix_memalign(&aligned, 24, 3 * MB) == EINVAL);
	CHECK((uintptr_t)(aligned = aligned_alloc(MB, 4 * MB)) % MB == 0);
	free(aligned);
	CHECK(!malloc(huge));
	CHECK(malloc_usable_size(small) >= 100);
	free(small);
	free(NULL);
}

/* ---- mmap and munmap ---- */

static size_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t all, resident;

	CHECK(f && fscanf(f, "%zu %zu", &all, &resident) == 2);
	fclose(f);
	return resident * PAGE;
}

/* A large range of which little is used: what is known of it takes no memory, nor does its end. */
void sparse(void)
{
	size_t all = MB << 20, before = resident_bytes();
	char *p = mmap(NULL, all, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(p != MAP_FAILED);
	p[all / 3] = 1;
	CHECK(!munmap(p, all));
	CHECK(resident_bytes() < before + 160 * MB);
	p = map(SIZE);
	fill(p, SIZE, 1);
	CHECK(holds(p, SIZE, 1));
}

/* A hole is anybody's: the next mapping, of whatever library, may lie in it. So it is filled. */
static void reserve(char *at, size_t bytes)
{
	CHECK(mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		   -1, 0) == at);
}

void parts(void)
{
	char *p = map(SIZE), *q, *file;
	FILE *f = tmpfile();

	CHECK(is_zero(p, SIZE));
	fill(p, SIZE, 1);
	/* A hole, in the middle of chunks. */
	CHECK(!munmap(p + 5 * MB + PAGE, MB + 2 * PAGE));
	CHECK(holds(p, 5 * MB, 1));
	q = p + 6 * MB + 3 * PAGE;
	CHECK(*(uint64_t *)(void *)q == word((size_t)(q - p) / 8, 1));
	CHECK(msync(p + 5 * MB + PAGE, PAGE, MS_SYNC) == -1 && errno == ENOMEM);
	reserve(p + 5 * MB + PAGE, MB + 2 * PAGE);
	/* Others over parts of it: anonymous, and a file. */
	q = mmap(p + MB, 2 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(q == p + MB && is_zero(q, 2 * PAGE));
	memset(q, 7, 2 * PAGE);
	CHECK(f && fputs("of a file", f) >= 0 && !fflush(f));
	file = mmap(p + 2 * MB + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(f), 0);
	CHECK(file == p + 2 * MB + PAGE && !strcmp(file, "of a file"));
	CHECK(holds(p, MB, 1));
	q = p + 2 * MB + 2 * PAGE;
	CHECK(*(uint64_t *)(void *)q == word((size_t)(q - p) / 8, 1));
	/* All of it, holes and strangers included. */
	CHECK(!munmap(p, SIZE));
	CHECK(msync(p, PAGE, MS_SYNC) == -1 && errno == ENOMEM);
	/* Odd sizes. */
	for (size_t bytes = 2 * MB + 1; bytes < 3 * MB; bytes += 100001) {
		p = map(bytes);
		p[bytes - 1] = 1;
		CHECK(!munmap(p, bytes));
	}
	CHECK(munmap(p + 5, PAGE) == -1 && errno == EINVAL);
	fclose(f);
}

/* Zero memory over a part does not make two mappings of one. */
static void remap_renewed(void)
{
	char *p = map(4 * MB);

	fill(p, 4 * MB, 1);
	CHECK(mmap(p + MB, 2 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p + MB);
	p = mremap(p, 4 * MB, 7 * MB, MREMAP_MAYMOVE);
	CHECK(p != MAP_FAILED && holds(p, MB, 1) && is_zero(p + MB, 2 * PAGE));
	CHECK(is_zero(p + 4 * MB, 3 * MB));
	munmap(p, 7 * MB);
}

void remap(void)
{
	char *p = map(4 * MB), *q, *room;

	remap_renewed();
	fill(p, 4 * MB, 1);
	CHECK(mremap(p, 4 * MB, SIZE, 0) == MAP_FAILED && errno == ENOMEM);
	q = mremap(p, 4 * MB, SIZE, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && holds(q, 4 * MB, 1) && is_zero(q + 4 * MB, SIZE - 4 * MB));
	fill(q, SIZE, 2);
	p = mremap(q, SIZE, 3 * MB, 0);
	CHECK(p == q && holds(p, 3 * MB, 2));
	CHECK(msync(p + 3 * MB, PAGE, MS_SYNC) == -1 && errno == ENOMEM);
	/* To a place that is in use. */
	room = map(SIZE);
	fill(room, SIZE, 3);
	q = mremap(p, 3 * MB, 3 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, room + 2 * MB);
	CHECK(q == room + 2 * MB && holds(q, 3 * MB, 2));
	CHECK(holds(room, 2 * MB, 3));
	CHECK(msync(p, PAGE, MS_SYNC) == -1 && errno == ENOMEM);
	CHECK(!munmap(room, SIZE));
	/* Onto itself; and a part to where it is, which leaves it one mapping. */
	p = map(4 * MB);
	fill(p, 4 * MB, 4);
	CHECK(mremap(p, 2 * MB, 2 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, p + MB) == MAP_FAILED);
	CHECK(errno == EINVAL && mremap(p, MB, MB, 0) == p);
	q = mremap(p, 4 * MB, 5 * MB, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && holds(q, 4 * MB, 4));
	CHECK(!munmap(q, 5 * MB));
}

void advice(void)
{
	char *p = map(SIZE);

	fill(p, SIZE, 1);
	CHECK(!madvise(p + MB, 2 * MB, MADV_DONTNEED));
	CHECK(holds(p, MB, 1) && is_zero(p + MB, 2 * MB));
	CHECK(!madvise(p + 4 * MB + PAGE, PAGE, MADV_DONTNEED));
	CHECK(is_zero(p + 4 * MB + PAGE, PAGE));
	CHECK(*(uint64_t *)(void *)(p + 4 * MB) == word(4 * MB / 8, 1));
	fill(p, SIZE, 2);
	CHECK(!madvise(p, SIZE, MADV_COLD) && !madvise(p, SIZE, MADV_PAGEOUT));
	CHECK(holds(p, SIZE, 2));
	CHECK(!madvise(p, 4 * MB, MADV_WILLNEED) && !madvise(p, SIZE, MADV_SEQUENTIAL));
	CHECK(!madvise(p, SIZE, MADV_HUGEPAGE) && !posix_madvise(p, SIZE, POSIX_MADV_DONTNEED));
	CHECK(!msync(p, SIZE, MS_SYNC));
	CHECK(holds(p, SIZE, 2));
	CHECK(mlock(p, PAGE) == -1 && errno == ENOMEM);
	CHECK(madvise(p, PAGE, 102) == -1 && errno == EINVAL); /* guards, which are no advice */
	CHECK(!munmap(p, SIZE));
}

/* ---- in any order ---- */

#define SLOTS 8
#define PAGES (2 * MB / PAGE)

/* What a mapping should hold: a number per page, 0 where it is zero, GONE where it was unmapped. */
#define GONE UINT64_MAX
static struct {
	char *at;
	uint64_t page[PAGES];
} slots[SLOTS];

static uint64_t drawn = 1;

static size_t draw(size_t below)
{
	drawn = drawn * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(drawn >> 33) % below;
}

static void set_pages(size_t s, size_t first, size_t n, uint64_t to)
{
	for (size_t i = first; i < first + n; i++)
		slots[s].page[i] = to;
}

static void forget_pages(size_t s, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (slots[s].page[i] != GONE)
			slots[s].page[i] = 0;
}

static void write_page(size_t s, size_t i)
{
	if (slots[s].page[i] == GONE)
		return;
	slots[s].page[i] = draw(1000) + 1;
	memcpy(slots[s].at + i * PAGE + 800, &slots[s].page[i], 8);
}

static void check_slot(size_t s)
{
	for (size_t i = 0; i < PAGES; i++)
		if (slots[s].page[i] != GONE)
			CHECK(!memcmp(slots[s].at + i * PAGE + 800, &slots[s].page[i], 8));
}

static void step(size_t s)
{
	size_t first = draw(PAGES), n = draw(PAGES - first) + 1;
	char *at = slots[s].at + first * PAGE;

	switch (draw(8)) {
	case 0:
		CHECK(!munmap(at, n * PAGE));
		reserve(at, n * PAGE);
		set_pages(s, first, n, GONE);
		break;
	case 1: /* plain memory where there was paged memory, or none */
		n = n > 8 ? 8 : n;
		CHECK(mmap(at, n * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
		set_pages(s, first, n, 0);
		break;
	case 2:
		CHECK(!madvise(at, n * PAGE, MADV_DONTNEED));
		forget_pages(s, first, n);
		break;
	case 3: madvise(at, n * PAGE, draw(2) ? MADV_PAGEOUT : MADV_WILLNEED); break;
	case 4: /* all of it, anew */
		check_slot(s);
		CHECK(!munmap(slots[s].at, PAGES * PAGE));
		slots[s].at = map(PAGES * PAGE);
		set_pages(s, 0, PAGES, 0);
		break;
	default:
		for (size_t i = 0; i < 64; i++)
			write_page(s, draw(PAGES));
	}
}

void any_order(void)
{
	for (size_t s = 0; s < SLOTS; s++)
		slots[s].at = map(PAGES * PAGE);
	for (size_t i = 0; i < 600; i++) {
		step(draw(SLOTS));
		if (i % 50 == 0)
			check_slot(draw(SLOTS));
	}
	for (size_t s = 0; s < SLOTS; s++)
		check_slot(s);
}
