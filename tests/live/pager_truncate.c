/* Another program cuts the file short under the pager: what is gone is a SIGBUS at its address or
 * still near, what is left reads as it should, and calls return.
 * usage: pager_truncate FILE [shared] */
#include "pager_help.h"

enum { BYTES = 4 * 1024 * 1024, LEFT = 1024 * 1024 };

static uint64_t *words;

static void on_error(void *arg, void *addr, int error, const char *why)
{
	(void)arg, (void)addr;
	must(error == EIO && *why, "on_error says %d, %s", error, why);
}

static unsigned load_all(size_t from, size_t to)
{
	unsigned gone = 0;
	uint64_t value;
	for (size_t i = from; i < to; i += 64) {
		if (try_load(&words[i], &value)) {
			must(value == word_value(i, 0), "word %zu is %016llx", i,
			     (unsigned long long)value);
			continue;
		}
		must((uintptr_t)bus_address / 4096 == (uintptr_t)&words[i] / 4096,
		     "SIGBUS at %p, not %p", bus_address, (void *)&words[i]);
		gone++;
	}
	return gone;
}

int main(int argc, char **argv)
{
	struct tide_options o = {
		.size = sizeof o, .near_size = "512K", .chunk = "4p", .on_error = on_error};
	struct tide_map_options how = {.size = sizeof how, .shared = argc > 2};
	struct tide_error err;
	char far[200];
	must(argc > 1, "usage: pager_truncate FILE [shared]");
	snprintf(far, sizeof far, "%s-far", argv[1]);
	o.storage = far;
	how.path = argv[1];
	make_file(argv[1], BYTES);
	expect_bus();
	struct tide *t = open_pager(&o);
	words = map(t, 0, &how);
	must(load_all(0, BYTES / 8) == 0, "a whole file cannot be read");
	must(truncate(argv[1], LEFT) == 0, "truncate: %s", strerror(errno));
	unsigned gone = load_all(0, BYTES / 8);
	must(load_all(0, LEFT / 8) == 0, "what is left cannot be read");
	must(gone * 512 >= (BYTES - LEFT) / 2, "only %u reads failed", gone);
	words[0] = word_value(0, 1);
	must(tide_sync(t, words, 4096, &err) == 0, "tide_sync of what is left: %s", err.text);
	must(words[0] == word_value(0, 1), "word 0 is wrong");
	close_pager(t);
	printf("%u reads of what is gone failed\n", gone);
	return 0;
}
