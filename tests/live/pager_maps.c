/* Pages that cannot be mapped: the access is a SIGBUS, or goes well. No word is ever wrong, though
 * only some pages of a chunk may have come, and a later access goes well.
 * usage: pager_maps [KEY=VALUE]...
 * pager_maps gone [KEY=VALUE]...: drops memory past the pager, which must not wait for it. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "pager_help.h"

enum { THREADS = 4, ROUNDS = 400, TRIES = 10000, BYTES = 8 << 20 };

static uint64_t *words;
static _Atomic uint64_t refused;

static uint64_t *page_of(size_t page)
{
	return words + page * 512;
}

/* Until it goes well; a page that was refused stays so for a few milliseconds. */
static uint64_t load(uint64_t *word)
{
	uint64_t value;
	for (int tries = 0; !try_load(word, &value); tries++) {
		must(tries < TRIES, "the word at %p cannot be had", (void *)word);
		refused++;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return value;
}

/* Each thread has pages of its own, side by side with those of others: the first words of a page
 * count how often it was written. */
static void *work(void *arg)
{
	uint64_t thread = (uintptr_t)arg, random = thread, pages = BYTES / 4096;
	uint32_t *written = calloc(pages, sizeof *written);
	must(written, "no memory");
	for (int i = 0; i < ROUNDS; i++) {
		size_t page = tide_random_next(&random) % (pages / THREADS) * THREADS + thread;
		uint64_t *word = page_of(page) + tide_random_next(&random) % 512;
		uint64_t found = load(page_of(page));
		must(found == written[page], "page %zu was written %u times, not %llu", page,
		     written[page], (unsigned long long)found);
		load(word);
		if (i % 3 == 0) /* it has just been there, but may have left again */
			while (!try_store(page_of(page), found + 1))
				refused++;
		written[page] += i % 3 == 0;
	}
	free(written);
	return NULL;
}

/* With a system call that nobody helps. */
static void drop_and_touch(struct tide *t)
{
	uint64_t value;
	(void)t;
	*words = 1;
	must(!syscall(SYS_madvise, words, 65536, MADV_DONTNEED), "madvise: %s", strerror(errno));
	try_load(words, &value);
	printf("after it was dropped: %llu\n", (unsigned long long)value);
}

int main(int argc, char **argv)
{
	struct tide_options o = {.size = sizeof o, .near_size = "2M", .chunk = "16p"};
	bool gone = argc > 1 && !strcmp(argv[1], "gone");
	pthread_t thread[THREADS];
	for (int i = 1 + gone; i < argc; i++) {
		char *value = split_setting(argv[i]);
		must(set_option(&o, argv[i], value), "no setting is called %s", argv[i]);
	}
	expect_bus();
	struct tide *t = open_pager(&o);
	words = map(t, BYTES, NULL);
	if (gone) {
		drop_and_touch(t);
		return 0;
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, work, (void *)i) == 0, "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	close_pager(t);
	printf("%llu accesses were refused, no word was wrong\n", (unsigned long long)refused);
	return 0;
}
