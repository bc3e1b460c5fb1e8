/* What DEDU costs where no block is equal to another: three pools over files of the same bytes,
 * with dedup off, on and auto, used in turns, a slice at a time, so that what else the machine does
 * troubles all of them alike.
 * usage: pool_dedup FOLDER SLICES
 * Prints for each: its name, the median of the slices in processor time per access (ns), and that
 * over GRAM's. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tide/event.h"
#include "tide/pool.h"

#define PAGES 10240u /* five times main and device memory */
#define PAGE 4096u
#define SLICE 4000u
#define SLICES_MAX 10000
#define WARM 5 /* slices that are not counted: every page is read once */

static const char *const names[] = {"off", "on", "auto"};
#define POOLS (sizeof names / sizeof *names)

struct side {
	struct tide_pool *pool;
	uint64_t random;
	double ns[SLICES_MAX];
};

static void fail(const char *what)
{
	fprintf(stderr, "pool_dedup: %s\n", what);
	exit(1);
}

static void make_file(char *path, size_t bytes, const char *folder)
{
	uint64_t words[PAGE / 8], random = 1;
	int fd = snprintf(path, bytes, "%s/pool-dedup-XXXXXX", folder) < (int)bytes ? mkstemp(path)
										    : -1;
	for (unsigned i = 0; fd >= 0 && i < PAGES; i++) {
		for (unsigned k = 0; k < PAGE / 8; k++)
			words[k] = tide_random_next(&random);
		if (write(fd, words, PAGE) != PAGE)
			fail("cannot write the file: give a folder with 120 MB");
	}
	if (fd < 0)
		fail("cannot make a file: give another folder");
	close(fd);
}

static void open_side(struct side *s, const char *dedup, const char *folder)
{
	char path[4096];
	struct tide_error err;
	struct tide_pool_options o = {.size = sizeof o,
				      .path = path,
				      .main_size = "4M",
				      .device_size = "4M",
				      .dedup = dedup};
	make_file(path, sizeof path, folder);
	int rc = tide_pool_open(&s->pool, &o, &err);
	unlink(path);
	if (rc)
		fail(err.text);
	s->random = 7;
}

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double run_slice(struct side *s)
{
	struct tide_pool_pin pin = {.size = sizeof pin};
	struct tide_error err;
	double start = now_ns();
	for (unsigned i = 0; i < SLICE; i++) {
		uint64_t page = tide_random_next(&s->random) % PAGES;
		if (tide_pool_get(s->pool, page, TIDE_POOL_READ, &pin, &err))
			fail(err.text);
		tide_pool_put(s->pool, &pin, NULL);
	}
	return (now_ns() - start) / SLICE;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(struct side *s, int slices)
{
	qsort(s->ns, (size_t)slices, sizeof *s->ns, compare);
	return s->ns[slices / 2];
}

int main(int argc, char **argv)
{
	int slices = argc == 3 ? atoi(argv[2]) : 0;
	struct side *sides = calloc(POOLS, sizeof *sides);
	double gram = 0;
	if (slices < 1 || slices > SLICES_MAX || !sides)
		fail("usage: pool_dedup FOLDER SLICES");
	for (size_t i = 0; i < POOLS; i++)
		open_side(&sides[i], names[i], argv[1]);
	for (int k = -WARM; k < slices; k++)
		for (size_t i = 0; i < POOLS; i++) {
			struct side *s = &sides[(i + (size_t)(k + WARM)) % POOLS];
			double ns = run_slice(s);
			s->ns[k < 0 ? 0 : k] = ns;
		}
	for (size_t i = 0; i < POOLS; i++) {
		double ns = median(&sides[i], slices);
		gram = i ? gram : ns;
		printf("%s %.0f %.3f\n", names[i], ns, gram > 0 ? ns / gram : 0);
		tide_pool_close(sides[i].pool, NULL);
	}
	free(sides);
	return 0;
}
