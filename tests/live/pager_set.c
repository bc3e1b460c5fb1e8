/* Sets: what was near when a set was saved comes in one pass when it is loaded, and nothing else;
 * no word is ever wrong; a file that is no set, or a damaged one, is an error in one sentence.
 * usage: pager_set FOLDER [KEY=VALUE]... */
#include <sys/mman.h>

#include "pager_help.h"

enum { FILE_MIB = 32, HOT_PAGES = 1000, PAGE_WORDS = 512 };

static char file[4000], set[4000];
static uint32_t hot[HOT_PAGES];

static uint64_t faults(struct tide *t)
{
	struct tide_stats s = {.size = sizeof s};
	must(tide_stats(t, &s, NULL) == 0, "no statistics");
	return s.counts.faults;
}

static uint64_t set_bytes(struct tide *t)
{
	struct tide_stats s = {.size = sizeof s};
	must(tide_stats(t, &s, NULL) == 0, "no statistics");
	return s.set_bytes;
}

static void save(struct tide *t)
{
	struct tide_error err;
	must(tide_set_save(t, set, &err) == 0, "tide_set_save: %s", err.text);
}

static void load(struct tide *t)
{
	struct tide_error err;
	must(tide_set_load(t, set, &err) == 0, "tide_set_load: %s", err.text);
}

/* Reads a word of every hot page that lies in the mapping. */
static void read_hot(const uint64_t *at, size_t first_page, size_t pages)
{
	for (int i = 0; i < HOT_PAGES; i++) {
		size_t page = hot[i] - first_page;
		if (hot[i] < first_page || page >= pages)
			continue;
		must(at[page * PAGE_WORDS + 7] == word_value((uint64_t)hot[i] * PAGE_WORDS + 7, 0),
		     "page %u is wrong", hot[i]);
	}
}

static struct tide_map_options of_file(void)
{
	return (struct tide_map_options){.size = sizeof(struct tide_map_options), .path = file};
}

/* ---- a file, before and after the load, whole and in part ---- */

static uint64_t first_run(const struct tide_options *o)
{
	struct tide *t = open_pager(o);
	struct tide_map_options how = of_file();
	uint64_t *at = map(t, 0, &how);
	read_hot(at, 0, FILE_MIB * MIB / 4096);
	uint64_t n = faults(t);
	save(t);
	close_pager(t);
	return n;
}

static void again(const struct tide_options *o, uint64_t before, bool late)
{
	struct tide *t = open_pager(o);
	struct tide_map_options how = of_file();
	size_t part = 16 * MIB;
	if (!late)
		load(t);
	how.offset = part;
	uint64_t *upper = map(t, 0, &how);
	how.offset = 0;
	uint64_t *lower = map(t, part, &how);
	if (late)
		load(t);
	must(set_bytes(t) >= HOT_PAGES / 2 * 4096, "the set brought %llu bytes",
	     (unsigned long long)set_bytes(t));
	read_hot(upper, part / 4096, part / 4096);
	read_hot(lower, 0, part / 4096);
	must(faults(t) < before / 20, "%llu faults with the set, %llu without",
	     (unsigned long long)faults(t), (unsigned long long)before);
	close_pager(t);
}

/* ---- anonymous memory: by size and order ---- */

static void memory(const struct tide_options *o)
{
	struct tide *t = open_pager(o);
	volatile char *a = map(t, 4 * MIB, NULL), *b = map(t, 4 * MIB, NULL);
	(void)a;
	b[MIB] = 1;
	must(tide_unmap(t, (char *)(uintptr_t)b + 2 * MIB, 2 * MIB, NULL) == 0, "tide_unmap");
	b[MIB + MIB / 2] = 1;
	save(t);
	close_pager(t);
	t = open_pager(o);
	load(t);
	a = map(t, 4 * MIB, NULL);
	must(set_bytes(t) == 0, "a mapping that was not used has pages");
	b = map(t, 4 * MIB, NULL);
	must(set_bytes(t) > 0 && set_bytes(t) <= 2 * 16 * 4096, "the set brought %llu bytes",
	     (unsigned long long)set_bytes(t));
	for (size_t i = 0; i < 4 * MIB; i += 4096)
		must(a[i] == 0 && b[i] == 0, "new memory is not zero");
	close_pager(t);
}

/* ---- near memory is the limit ---- */

static void small(struct tide_options o)
{
	o.near_size = "2M";
	struct tide *t = open_pager(&o);
	struct tide_map_options how = of_file();
	load(t);
	uint64_t *at = map(t, 0, &how);
	must(set_bytes(t) <= 2 * MIB, "the set brought more than near memory holds");
	read_hot(at, 0, FILE_MIB * MIB / 4096);
	close_pager(t);
}

/* ---- files that are no set ---- */

static void refused(struct tide *t, const char *why)
{
	struct tide_error err;
	int rc = tide_set_load(t, set, &err);
	must(rc < 0 && *err.text && !strchr(err.text, '\n'), "%s: taken as a set (%d)", why, rc);
}

static void put(const void *text, size_t n)
{
	FILE *f = fopen(set, "w");
	must(f && fwrite(text, 1, n, f) == n && fclose(f) == 0, "cannot write %s", set);
}

static size_t get(char *text, size_t room)
{
	FILE *f = fopen(set, "r");
	size_t n = f ? fread(text, 1, room, f) : 0;
	must(f && n && n < room && fclose(f) == 0, "cannot read %s", set);
	return n;
}

static void damaged(const struct tide_options *o)
{
	static char text[1 << 20], other[1 << 20];
	struct tide *t = open_pager(o);
	size_t n = get(text, sizeof text), step = n / 97 + 1;
	for (size_t i = 0; i < n; i += step) {
		memcpy(other, text, n);
		other[i] ^= 1;
		put(other, n);
		refused(t, "one bit changed");
		put(text, i);
		refused(t, "cut short");
	}
	put(text, n);
	load(t);
	const char *over =
		"tide-set 1\nmemory 18446744073709551615 0\npages 18446744073709551615 1\n";
	put(over, strlen(over));
	refused(t, "numbers that overflow");
	const char *nothing = "tide-set 1\npages 0 1\n";
	put(nothing, strlen(nothing));
	refused(t, "pages of nothing");
	put("\0\0\0\0", 4);
	refused(t, "zeros");
	snprintf(set, sizeof set, "/dev/zero");
	refused(t, "a device");
	snprintf(set, sizeof set, "/nowhere/at/all");
	refused(t, "no file");
	must(tide_set_save(t, set, NULL) < 0, "saved to no folder");
	close_pager(t);
}

int main(int argc, char **argv)
{
	struct tide_options o = {.size = sizeof o, .near_size = "24M", .prefetch = "none"};
	must(argc > 1, "usage: pager_set FOLDER [KEY=VALUE]...");
	for (int i = 2; i < argc; i++) {
		char *value = split_setting(argv[i]);
		must(set_option(&o, argv[i], value), "no setting is called %s", argv[i]);
	}
	snprintf(file, sizeof file, "%s/words", argv[1]);
	snprintf(set, sizeof set, "%s/set", argv[1]);
	make_file(file, FILE_MIB * MIB);
	uint64_t random = 1;
	for (int i = 0; i < HOT_PAGES; i++)
		hot[i] = (uint32_t)(tide_random_next(&random) % (FILE_MIB * MIB / 4096));
	memory(&o);
	uint64_t before = first_run(&o);
	again(&o, before, false);
	again(&o, before, true);
	small(o);
	damaged(&o);
	printf("%llu faults without the set\n", (unsigned long long)before);
	return 0;
}
