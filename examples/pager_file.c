/* Maps a file and changes every letter to a capital, with 2 MiB of near memory, whatever the file's
 * size. usage: pager_file FILE */
#include <ctype.h>
#include <stdio.h>
#include <sys/stat.h>
#include <tide/pager.h>

static int capitals(struct tide *pager, const char *path, struct tide_error *err)
{
	struct tide_map_options how = {.size = sizeof how, .path = path, .shared = true};
	struct stat st = {0};
	void *memory;
	size_t changed = 0;
	int rc = tide_map(pager, &memory, 0, &how, err);
	if (rc)
		return rc;
	unsigned char *text = memory;
	stat(path, &st);
	for (off_t i = 0; i < st.st_size; i++) {
		if (!islower(text[i]))
			continue;
		text[i] = (unsigned char)toupper(text[i]);
		changed++;
	}
	/* The changes are on storage when this returns; without it, after tide_close(). */
	rc = tide_sync(pager, NULL, 0, err);
	if (!rc)
		printf("%zu letters changed\n", changed);
	return rc;
}

int main(int argc, char **argv)
{
	struct tide_options options = {
		.size = sizeof options, .near_size = "2M", .prefetch = "sequential"};
	struct tide_error err;
	struct tide *pager;
	if (argc != 2) {
		fprintf(stderr, "usage: pager_file FILE\n");
		return 2;
	}
	int rc = tide_open(&pager, &options, &err);
	if (!rc) {
		rc = capitals(pager, argv[1], &err);
		int closed = tide_close(pager, rc ? NULL : &err);
		rc = rc ? rc : closed;
	}
	if (rc)
		fprintf(stderr, "pager_file: %s\n", err.text);
	return rc ? 1 : 0;
}
