/* A program whose events are recorded: loops, random accesses, regions that come and go, advice.
 * usage: replay THREADS [KEY=VALUE]... */
#include <pthread.h>

#include "pager_help.h"

enum { PAGE = 4096, PAGES = 1500, ROUNDS = 2, STEPS = 1500, THREADS_MAX = 16 };

static struct tide *t;
static unsigned threads;
static unsigned char *common; /* to all threads */

static void touch(unsigned char *at, uint64_t page, uint64_t random)
{
	unsigned char *byte = at + page * PAGE + random % PAGE;
	/* Threads may meet. */
	if (random & 3)
		(void)__atomic_load_n((volatile unsigned char *)byte, __ATOMIC_RELAXED);
	else
		__atomic_store_n(byte, (unsigned char)random, __ATOMIC_RELAXED);
}

/* A loop over pages, then some at random, most of them of a hot few. */
static void walk(unsigned char *at, uint64_t pages, uint64_t *random)
{
	uint64_t first = tide_random_next(random) % (pages / 2);
	for (uint64_t i = first; i < pages; i++)
		touch(at, i, tide_random_next(random));
	for (int i = 0; i < STEPS; i++) {
		uint64_t r = tide_random_next(random);
		touch(at, r & 4 ? (r >> 16) % (pages / 8) : (r >> 16) % pages, r);
	}
}

static void advise(unsigned char *at, uint64_t pages, uint64_t *random)
{
	static const enum tide_advice kinds[] = {TIDE_WILL_NEED, TIDE_COLD, TIDE_DROP};
	struct tide_error err;
	for (int i = 0; i < 3; i++) {
		uint64_t first = tide_random_next(random) % pages, n = pages - first;
		must(tide_advise(t, at + first * PAGE, (n < 40 ? n : 40) * PAGE, kinds[i], &err) ==
			     0,
		     "tide_advise: %s", err.text);
	}
}

static void *work(void *seed)
{
	uint64_t random = (uintptr_t)seed;
	for (int round = 0; round < ROUNDS; round++) {
		struct tide_error err;
		uint64_t pages = PAGES / threads + tide_random_next(&random) % 100;
		unsigned char *own = map(t, pages * PAGE, NULL);
		walk(own, pages, &random);
		walk(common, PAGES, &random);
		advise(own, pages, &random);
		walk(own, pages, &random);
		must(tide_unmap(t, own + PAGE, (pages - 1) * PAGE, &err) == 0, "tide_unmap: %s",
		     err.text);
	}
	return NULL;
}

/* What the simulator has to be told besides the options: near memory as the policies saw it. */
static void say(void)
{
	char *text;
	struct tide_error err;
	must(tide_stats_json(t, &text, &err) == 0, "tide_stats_json: %s", err.text);
	puts(text);
	free(text);
}

int main(int argc, char **argv)
{
	struct tide_options o = {.size = sizeof o, .near_size = "3M"};
	pthread_t thread[THREADS_MAX];
	must(argc > 1, "usage: replay THREADS [KEY=VALUE]...");
	threads = (unsigned)strtoul(argv[1], NULL, 10);
	must(threads >= 1 && threads <= THREADS_MAX, "threads: 1 to %d", THREADS_MAX);
	for (int i = 2; i < argc; i++) {
		char *value = split_setting(argv[i]);
		must(set_option(&o, argv[i], value), "no setting is called %s", argv[i]);
	}
	t = open_pager(&o);
	common = map(t, PAGES * PAGE, NULL);
	for (uintptr_t i = 0; i < threads; i++)
		must(pthread_create(&thread[i], NULL, work, (void *)i) == 0, "no thread");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	say();
	close_pager(t);
	return 0;
}
