/* Writes that come while their page leaves: every thread counts in words of its own, which share
 * their pages with the others' words, and near memory is small. A write that is lost is missed by
 * whoever made it.
 * usage: pager_race MILLISECONDS [KEY=VALUE]... */
#include <pthread.h>
#include <stdatomic.h>

#include "pager_help.h"

enum { PAGE = 4096, PAGES = 1024, WORDS = PAGE / 8, THREADS = 4, STAYS = 32 };

static uint64_t *base;
static _Atomic bool ends;

struct counter {
	unsigned number;
	uint64_t seen[PAGES];
};

static uint64_t *word_of(const struct counter *c, uint64_t page)
{
	return base + page * WORDS + c->number * 7;
}

/* A few times in a row, so that some of them meet the page on its way out. */
static void count(struct counter *c, uint64_t page, bool write, uint64_t times)
{
	volatile uint64_t *word = word_of(c, page);
	for (uint64_t i = 0; i < times; i++) {
		must(*word == c->seen[page], "page %llu has lost a write: %llu instead of %llu",
		     (unsigned long long)page, (unsigned long long)*word,
		     (unsigned long long)c->seen[page]);
		if (write)
			*word = ++c->seen[page];
	}
}

static void *work(void *arg)
{
	struct counter *c = arg;
	uint64_t random = c->number + 1;
	while (!atomic_load_explicit(&ends, memory_order_relaxed)) {
		uint64_t r = tide_random_next(&random);
		count(c, r % PAGES, r >> 63, (r >> 32) % STAYS + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct counter counter[THREADS];
	struct tide_options o = {.size = sizeof o,
				 .near_size = "400K",
				 .page = "4K",
				 .chunk = "4K",
				 .evict = "fifo",
				 .prefetch = "none"};
	struct tide_stats stats = {.size = sizeof stats};
	pthread_t thread[THREADS];
	must(argc > 1, "usage: pager_race MILLISECONDS [KEY=VALUE]...");
	long ms = strtol(argv[1], NULL, 10);
	for (int i = 2; i < argc; i++) {
		const char *value = split_setting(argv[i]);
		must(set_option(&o, argv[i], value), "no option %s", argv[i]);
	}
	struct tide *t = open_pager(&o);
	base = map(t, (size_t)PAGES * PAGE, NULL);
	for (unsigned i = 0; i < THREADS; i++) {
		counter[i].number = i;
		must(!pthread_create(&thread[i], NULL, work, &counter[i]), "no thread");
	}
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
	atomic_store(&ends, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		for (uint64_t page = 0; page < PAGES; page++)
			count(&counter[i], page, false, 1);
	tide_stats(t, &stats, NULL);
	printf("%s, %s: %llu faults\n", stats.mapping, stats.service,
	       (unsigned long long)stats.counts.faults);
	close_pager(t);
	return 0;
}
