/* A program that allocates, grows, moves, forks and checks at random. What each page must hold is
 * known from its version, which lies in small memory that no pager has. A child has the memory as it
 * was at the fork, whatever its parent does from then on, and goes on at random itself.
 *
 *     run_forks SEED STEPS THREADS PAGES [bounded NEAR_MB]
 *
 * bounded: nothing at random. A child reads all there is while its parent waits, and must not get
 * more memory of its own than near memory allows. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define WORDS (PAGE / sizeof(uint64_t))
#define BLOCKS 6
#define DEPTH_MAX 3
#define CHILDREN_MAX 3

enum kind { NONE, HEAP, MAPPING };

struct block {
	enum kind kind;
	uint64_t *at;
	size_t pages;
	uint32_t *version; /* of each page; 0: it was never written */
};

/* What one thread has: nobody else touches it. */
struct world {
	uint64_t seed;
	size_t pages_most;
	unsigned depth, children_n;
	pid_t children[CHILDREN_MAX];
	struct block block[BLOCKS];
};

static size_t pages_most;
static unsigned long steps;

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			_exit(1); \
		} \
	} while (0)

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t draw(struct world *w, uint64_t n)
{
	return mix(w->seed += UINT64_C(0x9e3779b97f4a7c15)) % n;
}

/* ---- pages ---- */

static uint64_t word_of(uint32_t version, size_t i)
{
	return version ? mix(version) + i * (version & 7) : 0;
}

static void write_page(struct world *w, struct block *b, size_t page)
{
	uint32_t version = (uint32_t)draw(w, UINT32_MAX) | 1;
	uint64_t *at = b->at + page * WORDS;

	for (size_t i = 0; i < WORDS; i++)
		at[i] = word_of(version, i);
	b->version[page] = version;
}

static void check_page(const struct block *b, size_t page)
{
	const uint64_t *at = b->at + page * WORDS;

	for (size_t i = 0; i < WORDS; i++) {
		uint64_t want = word_of(b->version[page], i);
		if (at[i] == want)
			continue;
		fprintf(stderr, "process %d: page %zu of %zu at %p, word %zu: %#lx, not %#lx\n",
			(int)getpid(), page, b->pages, (void *)b->at, i, (unsigned long)at[i],
			(unsigned long)want);
		_exit(1);
	}
}

static void check_all(const struct world *w)
{
	for (size_t i = 0; i < BLOCKS; i++)
		for (size_t page = 0; page < w->block[i].pages; page++)
			check_page(&w->block[i], page);
}

/* ---- blocks ---- */

static size_t draw_pages(struct world *w)
{
	return 1 + draw(w, w->pages_most);
}

static void set_pages(struct block *b, size_t pages)
{
	b->version = realloc(b->version, pages * sizeof *b->version);
	CHECK(b->version);
	for (size_t i = b->pages; i < pages; i++)
		b->version[i] = 0;
	b->pages = pages;
}

/* What malloc() gives is whatever it was. */
static void write_from(struct world *w, struct block *b, size_t page)
{
	for (; b->kind == HEAP && page < b->pages; page++)
		write_page(w, b, page);
}

static void *map(void *at, size_t pages, int flags)
{
	return mmap(at, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
		    -1, 0);
}

static void make(struct world *w, struct block *b)
{
	size_t pages = draw_pages(w);

	b->kind = draw(w, 2) ? HEAP : MAPPING;
	b->at = b->kind == HEAP ? aligned_alloc(PAGE, pages * PAGE) : map(NULL, pages, 0);
	CHECK(b->at && b->at != MAP_FAILED);
	set_pages(b, pages);
	write_from(w, b, 0);
}

static void end(struct block *b)
{
	if (b->kind == HEAP)
		free(b->at);
	else
		CHECK(!munmap(b->at, b->pages * PAGE));
	free(b->version);
	*b = (struct block){0};
}

static void grow_heap(struct world *w, struct block *b, size_t pages)
{
	size_t had = b->pages;

	/* realloc() does not keep the alignment of a small block. */
	if (pages * PAGE < (size_t)1 << 20 || had * PAGE < (size_t)1 << 20)
		return;
	b->at = realloc(b->at, pages * PAGE);
	CHECK(b->at && (uintptr_t)b->at % sizeof(uint64_t) == 0);
	set_pages(b, pages);
	write_from(w, b, had);
}

/* Part of it moves away and becomes what the block is; the rest is unmapped. */
static void move_part(struct world *w, struct block *b)
{
	size_t first = draw(w, b->pages), pages = 1 + draw(w, b->pages - first);
	size_t now = draw(w, 2) ? pages : draw_pages(w);
	char *old = (char *)b->at;
	void *to = mremap(old + first * PAGE, pages * PAGE, now * PAGE, MREMAP_MAYMOVE);

	CHECK(to != MAP_FAILED);
	if (to != old + first * PAGE) {
		if (first)
			CHECK(!munmap(old, first * PAGE));
		if (first + pages < b->pages)
			CHECK(!munmap(old + (first + pages) * PAGE,
				      (b->pages - first - pages) * PAGE));
	} else if (first) {
		CHECK(!munmap(old, first * PAGE));
	}
	if (to == old + first * PAGE && first + pages < b->pages)
		CHECK(!munmap(old + (first + pages) * PAGE, (b->pages - first - pages) * PAGE));
	memmove(b->version, b->version + first, pages * sizeof *b->version);
	b->at = to;
	b->pages = pages < now ? pages : now;
	set_pages(b, now);
}

/* To an address that the program has chosen, over what it had there. */
static void move_to(struct world *w, struct block *b)
{
	size_t pages = draw(w, 2) ? b->pages : draw_pages(w);
	void *to = map(NULL, pages, draw(w, 2) ? MAP_NORESERVE : 0);

	CHECK(to != MAP_FAILED);
	if (pages > 1 && draw(w, 2))
		*(char *)to = 1;
	CHECK(mremap(b->at, b->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
	      to);
	b->at = to;
	set_pages(b, pages);
}

static void leave_empty(struct block *b)
{
	uint64_t *old = b->at;
	size_t bytes = b->pages * PAGE;
	void *to = mremap(old, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);

	if (to == MAP_FAILED)
		return; /* before Linux 5.7 */
	for (size_t i = 0; i < bytes / sizeof *old; i += WORDS)
		CHECK(!old[i]);
	b->at = to;
	CHECK(!munmap(old, bytes));
}

static void resize_mapping(struct world *w, struct block *b)
{
	size_t pages = draw_pages(w);
	void *to = mremap(b->at, b->pages * PAGE, pages * PAGE, draw(w, 4) ? MREMAP_MAYMOVE : 0);

	if (to == MAP_FAILED)
		return; /* no room behind it */
	b->at = to;
	set_pages(b, pages);
}

static void change(struct world *w, struct block *b)
{
	switch (b->kind == HEAP ? 0 : 1 + draw(w, 4)) {
	case 0: grow_heap(w, b, draw_pages(w)); break;
	case 1: resize_mapping(w, b); break;
	case 2: move_to(w, b); break;
	case 3: leave_empty(b); break;
	default: move_part(w, b); break;
	}
}

static void use(struct world *w, struct block *b)
{
	for (uint64_t n = draw(w, 200), at = draw(w, b->pages); n; n--) {
		if (draw(w, 3))
			at = (at + 1) % b->pages;
		else
			at = draw(w, b->pages);
		if (draw(w, 2))
			write_page(w, b, at);
		else
			check_page(b, at);
	}
}

/* ---- children ---- */

static void run(struct world *w, unsigned long n);

static void await_child(struct world *w, unsigned i)
{
	int status = 0;

	CHECK(waitpid(w->children[i], &status, 0) == w->children[i]);
	CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	w->children[i] = w->children[--w->children_n];
}

/* A grandchild whose parent has ended before it: its answer comes through a pipe. */
static void orphan(struct world *w, int answer)
{
	char good = 1;

	if (fork())
		_exit(0);
	run(w, steps / 4);
	CHECK(write(answer, &good, 1) == 1);
	_exit(0);
}

static void await_orphan(struct world *w)
{
	int ends[2], status;
	char answer = 0;
	pid_t pid;

	CHECK(!pipe(ends));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		w->depth++;
		w->children_n = 0;
		orphan(w, ends[1]);
	}
	close(ends[1]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	for (int i = 0; i < 20; i++)
		use(w, &w->block[0]);
	CHECK(read(ends[0], &answer, 1) == 1 && answer == 1);
	close(ends[0]);
}

static void have_child(struct world *w)
{
	uint64_t way = draw(w, 8);
	pid_t pid;

	if (w->children_n == CHILDREN_MAX)
		await_child(w, (unsigned)draw(w, CHILDREN_MAX));
	pid = fork();
	CHECK(pid >= 0);
	if (pid) {
		if (way == 0)
			kill(pid, SIGKILL);
		w->children[w->children_n++] = pid;
		return;
	}
	if (way == 1)
		execl("/bin/true", "true", (char *)NULL);
	w->depth++;
	w->children_n = 0;
	w->seed += way;
	if (way < 4)
		check_all(w);
	run(w, steps / 4);
	_exit(0);
}

static void step(struct world *w)
{
	struct block *b = &w->block[draw(w, BLOCKS)];
	uint64_t what = draw(w, 100);

	if (!b->kind)
		make(w, b);
	else if (what < 8)
		end(b);
	else if (what < 30)
		change(w, b);
	else if (what < 34 && w->depth < DEPTH_MAX)
		have_child(w);
	else if (what < 35 && w->depth < DEPTH_MAX - 1 && w->block[0].kind)
		await_orphan(w);
	else
		use(w, b);
}

static void run(struct world *w, unsigned long n)
{
	while (n--)
		step(w);
	check_all(w);
	while (w->children_n)
		await_child(w, w->children_n - 1);
	check_all(w);
}

static void *run_thread(void *arg)
{
	struct world w = {.seed = (uintptr_t)arg, .pages_most = pages_most};

	run(&w, steps);
	return NULL;
}

/* ---- memory of a child's own ---- */

static size_t own_kb(void)
{
	char line[200];
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	size_t kb = 0, all = 0;

	CHECK(file);
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "Private_Clean: %zu", &kb) == 1 ||
		    sscanf(line, "Private_Dirty: %zu", &kb) == 1)
			all += kb;
	fclose(file);
	return all;
}

static int bounded(size_t near_mb)
{
	struct world w = {.seed = 1, .pages_most = pages_most};
	size_t most = 0, kb;
	int status;
	pid_t pid;

	w.block[0] = (struct block){MAPPING, map(NULL, pages_most, 0), 0, NULL};
	set_pages(&w.block[0], pages_most);
	for (size_t i = 0; i < pages_most; i++)
		write_page(&w, &w.block[0], i);
	pid = fork();
	if (pid) {
		CHECK(waitpid(pid, &status, 0) == pid && !status);
		check_all(&w);
		return 0;
	}
	for (size_t i = 0; i < pages_most; i++) {
		check_page(&w.block[0], i);
		if (i % 1024 == 0 && (kb = own_kb()) > most)
			most = kb;
	}
	printf("a child read %zu MiB with %zu MiB of its own\n", pages_most * PAGE >> 20,
	       most >> 10);
	CHECK(most < (2 * near_mb + 24) << 10);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[16];
	unsigned long threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	uintptr_t seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	pages_most = argc > 4 ? strtoul(argv[4], NULL, 10) : 1024;
	if (argc > 6)
		return bounded(strtoul(argv[6], NULL, 10));
	for (unsigned long i = 1; i < threads; i++)
		CHECK(!pthread_create(&thread[i], NULL, run_thread, (void *)(seed * 16 + i)));
	run_thread((void *)(seed * 16));
	for (unsigned long i = 1; i < threads; i++)
		CHECK(!pthread_join(thread[i], NULL));
	return 0;
}
