/* Is what pool_kill flushed in the file? Knows nothing of the pool.
 * usage: pool_kill_check FILE ROUND */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pool_kill.h"

/* What was flushed last, or something that was written after it. */
static int is_right(const uint64_t *words, uint64_t page, uint64_t round)
{
	uint64_t expected[PAGE / 8];
	for (uint64_t r = round + 2; r > 0; r--) {
		if (!is_written(page, r))
			continue;
		fill(expected, page, r);
		if (memcmp(words, expected, PAGE) == 0)
			return 1;
		if (r <= round)
			return 0;
	}
	return round == 0;
}

static int check(const char *path, uint64_t round)
{
	uint64_t words[PAGE / 8];
	int fd = open(path, O_RDONLY);
	for (uint64_t page = 0; page < PAGES; page++) {
		if (pread(fd, words, PAGE, (off_t)(page * PAGE)) != PAGE ||
		    !is_right(words, page, round)) {
			printf("page %llu is not as flushed in round %llu\n",
			       (unsigned long long)page, (unsigned long long)round);
			return 1;
		}
	}
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return check(argv[1], strtoull(argv[2], NULL, 10));
	fprintf(stderr, "usage: pool_kill_check FILE ROUND\n");
	return 2;
}
