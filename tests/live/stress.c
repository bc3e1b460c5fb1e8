/* Not one wrong byte: threads read and write more memory than is near, as stress.h says.
 * usage: stress FOLDER [KEY=VALUE]...   keys: those of set_number() and set_option() */
#include "stress.h"

#include <pthread.h>

enum { THREADS_MAX = 64, CALLERS = 2 };

static bool set_number(struct stress *s, const char *key, unsigned value)
{
	if (!strcmp(key, "ms"))
		s->ms = value;
	else if (!strcmp(key, "threads"))
		s->threads = value;
	else if (!strcmp(key, "mib"))
		s->bytes = value * MIB;
	else if (!strcmp(key, "near")) /* percent of all regions */
		s->near_percent = value;
	else if (!strcmp(key, "host")) /* as well; without it there is no limit */
		s->host_percent = value;
	else if (!strcmp(key, "files"))
		s->files = value;
	else if (!strcmp(key, "calls"))
		s->calls = value;
	else
		return false;
	return true;
}

static void read_settings(struct stress *s, int n, char **words)
{
	for (int i = 0; i < n; i++) {
		char *value = split_setting(words[i]);
		if (!set_number(s, words[i], (unsigned)strtoul(value, NULL, 10)) &&
		    !set_option(&s->options, words[i], value))
			fail("no setting is called %s", words[i]);
	}
	must(s->threads >= 1 && s->threads <= THREADS_MAX, "threads: 1 to %d", THREADS_MAX);
}

/* What the library is to do and cannot, it says here. With no failures injected, nothing. */
static void on_error(void *arg, void *addr, int error, const char *why)
{
	(void)arg;
	fail("at %p: %d, %s", addr, error, why);
}

static void message(void *arg, const char *text)
{
	const struct stress *s = arg;
	if (!s->write_errors)
		fail("a message: %s", text);
}

static void open_all(struct stress *s)
{
	static char near_text[32], host_text[32];
	struct tide_options *o = &s->options;
	o->size = sizeof *o;
	s->page_bytes = o->page ? strtoul(o->page, NULL, 10) * KIB : 4 * KIB;
	s->page_words = s->page_bytes / 8;
	snprintf(near_text, sizeof near_text, "%llu",
		 (unsigned long long)(s->bytes * s->near_percent / 100));
	snprintf(host_text, sizeof host_text, "%llu",
		 (unsigned long long)(s->bytes * s->host_percent / 100));
	o->near_size = near_text;
	o->host = s->host_percent ? host_text : NULL;
	o->on_error = on_error;
	o->message = message;
	o->message_arg = s;
	s->write_errors = o->inject && strstr(o->inject, "write=");
	s->bounded = o->host && !o->storage;
	s->t = open_pager(o);
	stress_map_regions(s);
}

static void run(struct stress *s)
{
	struct stress_worker worker[THREADS_MAX + CALLERS];
	pthread_t thread[THREADS_MAX + CALLERS];
	unsigned n = s->threads + (s->calls ? CALLERS : 0);
	for (unsigned i = 0; i < n; i++) {
		worker[i] = (struct stress_worker){s, i, s->seed + i};
		must(pthread_create(&thread[i], NULL, i < s->threads ? stress_work : stress_call,
				    &worker[i]) == 0,
		     "no thread");
	}
	struct timespec t = {.tv_sec = s->ms / 1000, .tv_nsec = s->ms % 1000 * 1000000L};
	while (nanosleep(&t, &t) && errno == EINTR)
		;
	s->stop = true;
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	struct stress s = {.bytes = 24 * MIB,
			   .ms = 1000,
			   .threads = 8,
			   .near_percent = 25,
			   .files = true,
			   .calls = true};
	struct tide_stats stats = {.size = sizeof stats};
	must(argc > 1, "usage: stress FOLDER [KEY=VALUE]...");
	s.folder = argv[1];
	read_settings(&s, argc - 2, argv + 2);
	s.seed = s.options.seed ? strtoull(s.options.seed, NULL, 10) : 1;
	open_all(&s);
	run(&s);
	tide_stats(s.t, &stats, NULL);
	stress_finish(&s);
	must(stats.counts.faults > 0 && s.operations > 0, "nothing happened");
	printf("%s %s %s: %llu visits, %llu faults, %llu evicted chunks, %llu calls\n", stats.evict,
	       stats.mapping, stats.service, (unsigned long long)s.operations,
	       (unsigned long long)stats.counts.faults,
	       (unsigned long long)stats.counts.evicted_chunks, (unsigned long long)s.done_calls);
	return 0;
}
