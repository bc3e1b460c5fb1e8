/* Power fails: of each pending write, any pages reach `durable`, or none.
 * usage: pool_power_cut SEED */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pool_kill.h"
#include "pool_power.h"

static int apply(int from, int to, uint64_t *luck)
{
	static unsigned char bytes[MOST];
	struct record r;
	for (off_t at = 0; pread(from, &r, sizeof r, at) == sizeof r;) {
		at += (off_t)sizeof r;
		if (r.bytes > MOST || pread(from, bytes, r.bytes, at) != (ssize_t)r.bytes)
			return 0; /* the process ended while it remembered this one */
		for (uint64_t i = 0; i < r.bytes; i += PAGE)
			if (mix(++*luck) % 2 &&
			    pwrite(to, bytes + i, PAGE, (off_t)(r.at + i)) != PAGE)
				return 1;
		at += (off_t)r.bytes;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: pool_power_cut SEED\n");
		return 2;
	}
	uint64_t luck = strtoull(argv[1], NULL, 10) << 32;
	int to = open("durable", O_WRONLY), first = open("pending0", O_RDONLY);
	int second = open("pending1", O_RDONLY);
	if (to < 0 || first < 0 || second < 0)
		return 1;
	/* Whichever is older: of a page, any content since the last flush may be there. */
	return apply(first, to, &luck) || apply(second, to, &luck);
}
