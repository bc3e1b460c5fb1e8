/* Writes pages through the pool, round after round, and says which rounds were flushed.
 * usage: pool_kill FILE off|on BLOCK DIRTY [EVICT]    prints a line after each flush; never ends */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "pool_kill.h"
#include "tide/pool.h"

#define THREADS 3u

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

static int write_rounds(const char *path, const char *dedup, const char *block, const char *dirty,
			const char *evict)
{
	struct tide_pool_options o = {.size = sizeof o,
				      .path = path,
				      .main_size = "128p",
				      .device_size = "128p",
				      .dedup = dedup,
				      .block = block,
				      .dirty = dirty,
				      .evict = evict,
				      .inject = getenv("POOL_INJECT"),
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

int main(int argc, char **argv)
{
	if (argc == 5 || argc == 6)
		return write_rounds(argv[1], argv[2], argv[3], argv[4], argv[5]);
	fprintf(stderr, "usage: pool_kill FILE off|on BLOCK DIRTY [EVICT]\n");
	return 2;
}
