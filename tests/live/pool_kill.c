/* Writes pages through the pool, round after round, and says which rounds were flushed; or checks,
 * without the pool, that what was flushed is in the file.
 * usage: pool_kill write FILE off|on BLOCK    prints a line after each flush; never ends
 *        pool_kill check FILE ROUND */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tide/pool.h"

#define PAGES 768u
#define PAGE 4096u
#define THREADS 3u
#define KINDS 5 /* so that pages are equal now and then */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Which pages a round writes, and what. */
static int is_written(uint64_t page, uint64_t round)
{
	return round == 1 || mix(page * 1000003 + round) % 4 == 0;
}

static void fill(uint64_t *words, uint64_t page, uint64_t round)
{
	uint64_t kind = mix(page + round * 7919) % KINDS;
	for (unsigned i = 0; i < PAGE / 8; i++)
		words[i] = mix(kind * 512 + i);
	if (page % 2)
		words[100] = round; /* every second page is one of its kind */
}

/* ---- writing ---- */

struct crew {
	struct tide_pool *pool;
	uint64_t round;
	unsigned thread;
};

static void *write_round(void *arg)
{
	const struct crew *c = arg;
	uint64_t words[PAGE / 8];
	struct tide_error err;
	for (uint64_t page = c->thread; page < PAGES; page += THREADS) {
		if (!is_written(page, c->round))
			continue;
		fill(words, page, c->round);
		if (tide_pool_write(c->pool, words, PAGE, page * PAGE, &err)) {
			fprintf(stderr, "%s\n", err.text);
			exit(1);
		}
	}
	return NULL;
}

static void write_all(struct tide_pool *pool, uint64_t round)
{
	pthread_t threads[THREADS];
	struct crew crew[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		crew[i] = (struct crew){pool, round, i};
		pthread_create(&threads[i], NULL, write_round, &crew[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int write_rounds(const char *path, const char *dedup, const char *block)
{
	struct tide_pool_options o = {.path = path,
				      .main_size = "128p",
				      .device_size = "128p",
				      .dedup = dedup,
				      .block = block,
				      .batch = "32"};
	struct tide_pool *pool;
	struct tide_error err;
	if (tide_pool_open(&pool, &o, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (uint64_t round = 1;; round++) {
		write_all(pool, round);
		if (tide_pool_flush(pool, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		printf("%llu\n", (unsigned long long)round);
		fflush(stdout);
	}
}

/* ---- checking ---- */

/* What was flushed last, or something that was written after it. */
static int is_right(const uint64_t *words, uint64_t page, uint64_t round)
{
	uint64_t expected[PAGE / 8];
	for (uint64_t r = round + 2; r > 0; r--) {
		if (!is_written(page, r))
			continue;
		fill(expected, page, r);
		if (memcmp(words, expected, PAGE) == 0)
			return 1;
		if (r <= round)
			return 0;
	}
	return round == 0;
}

static int check(const char *path, uint64_t round)
{
	uint64_t words[PAGE / 8];
	int fd = open(path, O_RDONLY);
	for (uint64_t page = 0; page < PAGES; page++) {
		if (pread(fd, words, PAGE, (off_t)(page * PAGE)) != PAGE ||
		    !is_right(words, page, round)) {
			printf("page %llu is not as flushed in round %llu\n",
			       (unsigned long long)page, (unsigned long long)round);
			return 1;
		}
	}
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "write") == 0)
		return write_rounds(argv[2], argv[3], argv[4]);
	if (argc == 4 && strcmp(argv[1], "check") == 0)
		return check(argv[2], strtoull(argv[3], NULL, 10));
	fprintf(stderr, "usage: pool_kill write FILE off|on BLOCK | check FILE ROUND\n");
	return 2;
}
