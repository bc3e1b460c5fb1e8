/* Writes that fail: nothing is lost that was there, tide_sync() says what happened, and when
 * writing works again, so does it.
 * usage: pager_writes some|none STORAGE-FILE   every third write to tier 3 fails; every one does
 *        pager_writes full STORAGE-FILE        as none, by a file system that is full by itself
 *        pager_writes sync FILE                a shared file, every fifth write fails */
#include "pager_help.h"

static unsigned failures, messages;
static uint64_t *words;
static size_t words_n = 4 * MIB / 8;

static void on_error(void *arg, void *addr, int error, const char *why)
{
	(void)arg;
	failures++;
	must(error && why && *why, "on_error without a reason");
	must(addr >= (void *)words && addr < (void *)(words + words_n), "on_error at %p", addr);
}

static void message(void *arg, const char *text)
{
	(void)arg;
	messages++;
	must(*text && !strchr(text, '\n'), "a message of several lines: %s", text);
}

static struct tide_options options(const char *inject)
{
	return (struct tide_options){.size = sizeof(struct tide_options),
				     .near_size = "512K",
				     .host = "256K",
				     .chunk = "4p",
				     .inject = inject,
				     .watchdog = "10s",
				     .on_error = on_error,
				     .message = message};
}

/* Until a store fails: how many did not. One word of each 64 bytes. */
static size_t fill(void)
{
	for (size_t i = 0; i < words_n; i += 8)
		if (!try_store(&words[i], word_value(i, 1)))
			return i;
	return words_n;
}

/* How many can be had; those are right. */
static size_t check(size_t n)
{
	size_t had = 0;
	uint64_t value;
	for (size_t i = 0; i < n; i += 8) {
		if (!try_load(&words[i], &value))
			continue;
		must(value == word_value(i, 1), "word %zu is %016llx", i,
		     (unsigned long long)value);
		had += 8;
	}
	return had;
}

/* far_bytes: what tier 3 took before it failed; that may have to stay there. */
static void tier3(const char *inject, bool lasting, size_t far_bytes, const char *path)
{
	struct tide_options o = options(inject);
	struct tide_error err;
	struct tide_stats stats = {.size = sizeof stats};
	o.storage = path;
	expect_bus();
	struct tide *t = open_pager(&o);
	words = map(t, words_n * 8, NULL);
	size_t filled = fill(), had = check(filled);
	tide_stats(t, &stats, NULL);
	must(stats.io_errors > 0, "no error was counted");
	printf("%zu of %zu KiB written, %zu had again, %u failures\n", filled / 128, words_n / 128,
	       had / 128, failures);
	if (!lasting) {
		must(filled == words_n && had == filled && !failures, "data was lost");
	} else {
		must(filled < words_n && failures, "there was room, and should not");
		must(had + far_bytes / 8 >= filled, "only %zu of %zu words can still be had", had,
		     filled);
	}
	tide_close(t, &err);
}

static void check_file(const char *path, uint64_t version)
{
	FILE *f = fopen(path, "r");
	uint64_t value;
	must(f, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < words_n; i++) {
		must(fread(&value, 8, 1, f) == 1, "%s is too short", path);
		must(value == word_value(i, i % 512 == 7 ? version : 0), "%s: word %zu is %016llx",
		     path, i, (unsigned long long)value);
	}
	fclose(f);
}

/* Every round changes one word of every page. */
static void sync_rounds(struct tide *t, const char *path)
{
	unsigned failed = 0;
	for (uint64_t round = 1; round <= 5; round++) {
		struct tide_error err;
		unsigned tries = 0;
		for (size_t i = 7; i < words_n; i += 512)
			words[i] = word_value(i, round);
		for (int rc; (rc = tide_sync(t, NULL, 0, &err)); failed++) {
			must(rc == -ENOSPC, "tide_sync: %d, %s", rc, err.text);
			must(++tries < 1000, "tide_sync never succeeds: %s", err.text);
		}
		check_file(path, round);
	}
	must(failed, "no tide_sync failed");
	for (size_t i = 7; i < words_n; i += 512)
		must(words[i] == word_value(i, 5), "word %zu is wrong", i);
	printf("%u of %u calls of tide_sync failed\n", failed, failed + 5);
}

static void shared(const char *path)
{
	struct tide_options o = options("write=ENOSPC:5");
	struct tide_map_options how = {.size = sizeof how, .path = path, .shared = true};
	struct tide_error err;
	make_file(path, words_n * 8);
	struct tide *t = open_pager(&o);
	words = map(t, 0, &how);
	sync_rounds(t, path);
	must(failures == 0, "%u accesses failed", failures);
	must(tide_close(t, &err) == 0, "tide_close: %s", err.text);
	check_file(path, 5);
}

int main(int argc, char **argv)
{
	must(argc == 3, "usage: pager_writes some|none|full|sync FILE");
	if (!strcmp(argv[1], "some"))
		tier3("write=ENOSPC:3", false, 0, argv[2]);
	else if (!strcmp(argv[1], "none"))
		tier3("write=EIO:1", true, 0, argv[2]);
	else if (!strcmp(argv[1], "full"))
		tier3(NULL, true, 64 * KIB, argv[2]);
	else
		shared(argv[2]);
	return 0;
}
