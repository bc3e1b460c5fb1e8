/* What each call of the library promises, one after another, in one thread.
 * usage: pager_basics FOLDER MAPPING SERVICE */
#include <sys/mman.h>
#include <sys/time.h>

#include "pager_help.h"

enum { PAGE = 4096, CHUNK = 16 * PAGE, BYTES = 4 * 1024 * 1024, WORDS = BYTES / 8 };

static char path[200];
static struct tide_error err;

#define ok(call) must((call) == 0, "%s: %s", #call, err.text)

static void fill(uint64_t *at, size_t words, uint64_t version)
{
	for (size_t i = 0; i < words; i++)
		at[i] = word_value(i, version);
}

static void check(const uint64_t *at, size_t words, uint64_t version, const char *when)
{
	for (size_t i = 0; i < words; i++)
		must(at[i] == word_value(i, version), "%s: word %zu is %016llx", when, i,
		     (unsigned long long)at[i]);
}

static void check_file(uint64_t version, const char *when)
{
	static uint64_t held[WORDS];
	int fd = open(path, O_RDONLY);
	must(fd >= 0 && read(fd, held, BYTES) == BYTES, "%s: %s", path, strerror(errno));
	check(held, WORDS, version, when);
	close(fd);
}

/* ---- anonymous memory ---- */

static void anonymous(struct tide *t)
{
	uint64_t *at = map(t, BYTES, NULL);
	must((uintptr_t)at % PAGE == 0, "a mapping begins in the middle of a page");
	for (size_t i = 0; i < WORDS; i += 100)
		must(at[i] == 0, "new memory is not zero at word %zu", i);
	fill(at, WORDS, 3);
	check(at, WORDS, 3, "anonymous");
	ok(tide_advise(t, at, BYTES, TIDE_COLD, &err));
	ok(tide_advise(t, at, BYTES / 8, TIDE_WILL_NEED, &err));
	ok(tide_prefetch(t, at + WORDS / 2, BYTES / 2, &err));
	check(at, WORDS, 3, "after advice");
	ok(tide_advise(t, at + PAGE / 8, 5 * PAGE, TIDE_DROP, &err));
	for (size_t i = 0; i < WORDS; i++) {
		bool dropped = i >= PAGE / 8 && i < 6 * PAGE / 8;
		must(at[i] == (dropped ? 0 : word_value(i, 3)), "after a drop: word %zu is %016llx",
		     i, (unsigned long long)at[i]);
	}
	ok(tide_unmap(t, at, BYTES, &err));
	must(!tide_owns(t, at), "still owned after tide_unmap");
}

/* ---- parts ---- */

static void on_segv(int signal, siginfo_t *info, void *context)
{
	on_bus(signal, info, context);
}

static bool is_gone(const uint64_t *at)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO}, before;
	uint64_t value;
	sigaction(SIGSEGV, &action, &before);
	bool gone = !try_load(at, &value);
	sigaction(SIGSEGV, &before, NULL);
	return gone;
}

static void parts(struct tide *t)
{
	unsigned char *at = map(t, BYTES, NULL);
	size_t from = 5 * CHUNK + 3 * PAGE, bytes = 9 * CHUNK;
	fill((uint64_t *)(void *)at, WORDS, 4);
	ok(tide_unmap(t, at + from, bytes, &err));
	must(is_gone((uint64_t *)(void *)(at + from)), "what is unmapped can be read");
	must(is_gone((uint64_t *)(void *)(at + from + bytes - PAGE)), "its end can be read");
	must(!tide_owns(t, at + from) && tide_owns(t, at) && tide_owns(t, at + from + bytes),
	     "parts are not owned as they should");
	for (size_t i = 0; i < WORDS; i++) {
		if (i * 8 >= from && i * 8 < from + bytes)
			continue;
		must(((uint64_t *)(void *)at)[i] == word_value(i, 4), "word %zu beside a hole", i);
	}
	ok(tide_unmap(t, at, BYTES, &err));
}

static void exactly_there(struct tide *t)
{
	char *room = mmap(NULL, 4 * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(room != MAP_FAILED, "mmap: %s", strerror(errno));
	void *there = (void *)(((uintptr_t)room + CHUNK - 1) / CHUNK * CHUNK);
	munmap(room, 4 * CHUNK);
	struct tide_map_options how = {.size = sizeof how, .at = there};
	uint64_t *at = map(t, 2 * CHUNK, &how);
	must(at == there, "mapped at %p, not %p", (void *)at, there);
	fill(at, 2 * CHUNK / 8, 5);
	check(at, 2 * CHUNK / 8, 5, "at");
	ok(tide_unmap(t, at, 2 * CHUNK, &err));
}

/* ---- files ---- */

static void private_file(struct tide *t)
{
	struct tide_map_options how = {.size = sizeof how, .path = path};
	make_file(path, BYTES);
	uint64_t *at = map(t, 0, &how);
	check(at, WORDS, 0, "private file");
	fill(at, WORDS, 6);
	ok(tide_sync(t, at, BYTES, &err));
	check(at, WORDS, 6, "private file, written");
	ok(tide_unmap(t, at, BYTES, &err));
	check_file(0, "private writes went to the file");
}

static void shared_file(struct tide *t)
{
	struct tide_map_options how = {.size = sizeof how, .path = path, .shared = true};
	make_file(path, BYTES);
	uint64_t *at = map(t, 0, &how);
	fill(at, WORDS, 7);
	ok(tide_sync(t, at, BYTES, &err));
	check_file(7, "after tide_sync");
	fill(at, WORDS, 8);
	ok(tide_unmap(t, at, BYTES, &err));
	check_file(8, "after tide_unmap");
}

static void part_of_file(struct tide *t)
{
	struct tide_map_options how = {
		.size = sizeof how, .path = path, .offset = 3 * PAGE, .read_only = true};
	make_file(path, BYTES);
	uint64_t *at = map(t, 10 * PAGE, &how);
	for (size_t i = 0; i < 10 * PAGE / 8; i++)
		must(at[i] == word_value(3 * PAGE / 8 + i, 0), "word %zu of a part", i);
	ok(tide_unmap(t, at, 10 * PAGE, &err));
}

/* ---- system calls ---- */

static void held_memory(struct tide *t)
{
	uint64_t *at = map(t, BYTES, NULL);
	size_t held, done = 0;
	make_file(path, BYTES);
	int fd = open(path, O_RDONLY);
	fill(at, WORDS, 1);
	for (; done < BYTES; done += held) {
		char *to = (char *)at + done;
		ok(tide_hold(t, to, BYTES - done, true, &held, &err));
		must(held >= PAGE && held <= BYTES - done, "%zu bytes are held", held);
		ssize_t n = read(fd, to, held);
		must(n == (ssize_t)held, "read into held memory: %zd, %s", n, strerror(errno));
		tide_release(t, to, held);
	}
	check(at, WORDS, 0, "read by a system call");
	close(fd);
	int plain = 0;
	ok(tide_hold(t, &plain, sizeof plain, true, &held, &err));
	tide_release(t, &plain, held);
	ok(tide_unmap(t, at, BYTES, &err));
}

/* ---- signals ---- */

static uint64_t *handler_words;
static volatile sig_atomic_t ticks;

static void on_alarm(int signal)
{
	static uint64_t random = 5;
	(void)signal;
	for (int i = 0; i < 3; i++) {
		uint64_t word = tide_random_next(&random) % (BYTES / PAGE) * (PAGE / 8) + 1;
		must(handler_words[word] == word_value(word, 9), "in a handler: word %llu",
		     (unsigned long long)word);
	}
	ticks++;
}

/* A handler that touches paged memory, at any moment of the program and of the library's calls. */
static void handlers(struct tide *t)
{
	struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	uint64_t *at = map(t, BYTES, NULL);
	fill(at, WORDS, 9);
	handler_words = at;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (uint64_t random = 1, end = now_ns() + 300000000; now_ns() < end || ticks < 4;) {
		uint64_t word = tide_random_next(&random) % WORDS;
		must(at[word] == word_value(word, 9), "word %llu", (unsigned long long)word);
		if (word % 64 == 0)
			ok(tide_advise(t, at + word / 512 * 512, PAGE, TIDE_COLD, &err));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	ok(tide_unmap(t, at, BYTES, &err));
}

/* A bus error of the program's own goes to the program. */
static void not_ours(void)
{
	uint64_t value;
	int fd = memfd_create("empty", MFD_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap: %s", strerror(errno));
	must(!try_load(at, &value) && bus_address == at, "a bus error was swallowed");
	munmap(at, PAGE);
	close(fd);
}

static void said(struct tide *t)
{
	struct tide_stats stats = {.size = sizeof stats};
	char *text;
	tide_stats(t, &stats, NULL);
	must(stats.mapped_bytes == 0, "%llu bytes are still mapped",
	     (unsigned long long)stats.mapped_bytes);
	must(stats.near_bytes == 0, "%llu bytes are still near",
	     (unsigned long long)stats.near_bytes);
	must(stats.counts.faults && stats.counts.evicted_pages, "nothing was counted");
	ok(tide_stats_json(t, &text, &err));
	must(text[0] == '{' && strstr(text, "\"faults\"") && strstr(text, "\"stalled_ns\""),
	     "no document: %s", text);
	free(text);
}

int main(int argc, char **argv)
{
	must(argc == 4, "usage: pager_basics FOLDER MAPPING SERVICE");
	struct tide_options o = {
		.size = sizeof o, .near_size = "2M", .mapping = argv[2], .service = argv[3]};
	snprintf(path, sizeof path, "%s/basics", argv[1]);
	expect_bus();
	struct tide *t = open_pager(&o);
	anonymous(t);
	parts(t);
	exactly_there(t);
	private_file(t);
	shared_file(t);
	part_of_file(t);
	held_memory(t);
#ifndef __SANITIZE_THREAD__ /* which runs handlers later, with every signal blocked: SIGBUS too */
	handlers(t);
#else
	(void)handlers;
#endif
	not_ours();
	said(t);
	close_pager(t);
	ok(tide_close(NULL, &err));
	not_ours();
	return 0;
}
