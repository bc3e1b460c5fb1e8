/* Reads that fail: the access is a SIGBUS at its own address, or on_error() hears of that address;
 * no word is ever wrong, and a later access may go well.
 * usage: pager_reads FILE [KEY=VALUE]...   callback=1: on_error() leaves */
#include <pthread.h>
#include <sys/mman.h>

#include "pager_help.h"

enum { THREADS = 4, LOADS = 800, TRIES = 1000 };

static _Atomic(uint64_t *) words; /* the pager's thread looks too */
static size_t words_n;
static bool by_callback;
static __thread const uint64_t *touched; /* by this thread, now */
static uint64_t bus_errors, callbacks;

static bool same_page(const void *a, const void *b)
{
	return (uintptr_t)a / 4096 == (uintptr_t)b / 4096;
}

/* In the thread that touched it, where service is `signal`; that thread may leave from here. */
static void on_error(void *arg, void *addr, int error, const char *why)
{
	(void)arg;
	__atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
	must(error == EIO, "on_error says %d: %s", error, why);
	must(why && *why && !strchr(why, '\n'), "on_error does not say why");
	must(addr >= (void *)words && addr < (void *)(words + words_n), "on_error at %p", addr);
	if (!by_callback)
		return;
	must(same_page(addr, touched), "on_error at %p, not %p", addr, (const void *)touched);
	bus_address = addr;
	siglongjmp(bus_back, 1);
}

static void load(uint64_t word)
{
	uint64_t value;
	touched = &words[word];
	for (int tries = 0; !try_load(touched, &value); tries++) {
		must(same_page(bus_address, touched), "SIGBUS at %p, not %p", bus_address,
		     (const void *)touched);
		must(tries < TRIES, "word %llu cannot be had", (unsigned long long)word);
		__atomic_fetch_add(&bus_errors, 1, __ATOMIC_RELAXED);
		/* With `thread` service a page that failed stays so for a few milliseconds. */
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	must(value == word_value(word, 0), "word %llu is %016llx", (unsigned long long)word,
	     (unsigned long long)value);
}

static void *work(void *seed)
{
	uint64_t random = (uintptr_t)seed;
	for (int i = 0; i < LOADS; i++)
		load(tide_random_next(&random) % words_n);
	return NULL;
}

static void run_threads(void)
{
	pthread_t thread[THREADS];
	for (uintptr_t i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, work, (void *)i) == 0, "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void read_settings(struct tide_options *o, int n, char **setting)
{
	for (int i = 0; i < n; i++) {
		char *value = split_setting(setting[i]);
		if (!strcmp(setting[i], "callback"))
			by_callback = *value == '1';
		else
			must(set_option(o, setting[i], value), "no setting is called %s",
			     setting[i]);
	}
}

int main(int argc, char **argv)
{
	struct tide_options o = {.size = sizeof o,
				 .near_size = "2M",
				 .chunk = "16p",
				 .inject = "read=EIO:7",
				 .on_error = on_error};
	struct tide_map_options how = {.size = sizeof how};
	struct tide_stats stats = {.size = sizeof stats};
	must(argc > 1, "usage: pager_reads FILE [KEY=VALUE]...");
	read_settings(&o, argc - 2, argv + 2);
	how.path = argv[1];
	make_file(argv[1], 8 * MIB);
	words_n = 8 * MIB / 8;
	expect_bus();
	struct tide *t = open_pager(&o);
	words = map(t, 0, &how);
	run_threads();
	tide_stats(t, &stats, NULL);
	must(bus_errors > 0 && callbacks > 0, "%llu errors, %llu callbacks",
	     (unsigned long long)bus_errors, (unsigned long long)callbacks);
	must(stats.io_errors >= callbacks, "%llu of %llu errors were counted",
	     (unsigned long long)stats.io_errors, (unsigned long long)callbacks);
	close_pager(t);
	printf("%llu reads failed, at the right address\n", (unsigned long long)bus_errors);
	return 0;
}
