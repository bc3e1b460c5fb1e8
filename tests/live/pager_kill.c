/* Writes a shared file round after round, says each round when it is synced, and goes on to the
 * next until it is killed. Another run of it, without the pager, looks into the file.
 * usage: pager_kill write SERVICE FILE
 *        pager_kill check FILE ROUND KIB    every word is of this round, or of the next */
#include "pager_help.h"

enum { BYTES = 2 * 1024 * 1024 };

static void write_rounds(const char *service, const char *path)
{
	struct tide_options o = {
		.size = sizeof o, .near_size = "512K", .chunk = "4p", .service = service};
	struct tide_map_options how = {.size = sizeof how, .path = path, .shared = true};
	struct tide_error err;
	make_file(path, BYTES);
	struct tide *t = open_pager(&o);
	uint64_t *words = map(t, 0, &how);
	for (uint64_t round = 1; round < 1000000; round++) {
		for (size_t i = 0; i < BYTES / 8; i++)
			words[i] = word_value(i, round);
		must(tide_sync(t, words, BYTES, &err) == 0, "tide_sync: %s", err.text);
		printf("%llu\n", (unsigned long long)round);
		fflush(stdout);
	}
}

static void check(const char *path, uint64_t round, size_t bytes)
{
	FILE *f = fopen(path, "r");
	uint64_t value;
	size_t newer = 0;
	must(f, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < bytes / 8; i++) {
		must(fread(&value, 8, 1, f) == 1, "%s is too short", path);
		newer += value == word_value(i, round + 1);
		must(value == word_value(i, round) || value == word_value(i, round + 1),
		     "round %llu: word %zu is %016llx", (unsigned long long)round, i,
		     (unsigned long long)value);
	}
	fclose(f);
	printf("round %llu is there; %zu words are newer\n", (unsigned long long)round, newer);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "write"))
		write_rounds(argv[2], argv[3]);
	else if (argc == 5 && !strcmp(argv[1], "check"))
		check(argv[2], strtoull(argv[3], NULL, 10), strtoul(argv[4], NULL, 10) * KIB);
	else
		fail("usage: pager_kill write SERVICE FILE | check FILE ROUND KIB");
	return 0;
}
