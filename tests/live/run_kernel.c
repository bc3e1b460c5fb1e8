/* A program that knows its memory: small and large allocations, changed at random, beside a shadow
 * that is small enough to be recomputed. Forked children check what they inherited and change it.
 *
 * usage: run_kernel MIB [CHILDREN [ROUNDS]] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL 256 /* bytes of the small allocations, a quarter of all */

static uint64_t *large, words;
static unsigned char **small;
static size_t smalls;
static uint8_t *turns; /* by page of the large one: how often it was written */

static uint64_t word(uint64_t at, unsigned turn)
{
	uint64_t x = (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + turn * UINT64_C(0xbf58476d1ce4e5b9);
	return at % 5 < 2 ? x ^ x >> 31 : turn; /* 40% of the bytes do not compress */
}

static void write_page(uint64_t page)
{
	turns[page]++;
	for (uint64_t i = page * 512; i < (page + 1) * 512; i++)
		large[i] = word(i, turns[page]);
}

static int page_is_right(uint64_t page)
{
	for (uint64_t i = page * 512; i < (page + 1) * 512; i++)
		if (large[i] != word(i, turns[page]))
			return 0;
	return 1;
}

static int smalls_are_right(void)
{
	for (size_t i = 0; i < smalls; i++)
		for (size_t k = 0; k < SMALL; k++)
			if (small[i][k] != (unsigned char)(i * 7 + k))
				return 0;
	return 1;
}

static int all_is_right(void)
{
	for (uint64_t page = 0; page < words / 512; page++)
		if (!page_is_right(page))
			return 0;
	return smalls_are_right();
}

static int work(unsigned seed, unsigned rounds)
{
	uint64_t x = seed * 2 + 1, pages = words / 512;
	for (unsigned i = 0; i < rounds * pages; i++) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
		uint64_t page = (x >> 33) % pages;
		if (!page_is_right(page))
			return 0;
		if (x >> 63)
			write_page(page);
	}
	return all_is_right();
}

static void make(size_t mib)
{
	words = (uint64_t)mib << 17;
	words = words / 4 * 3 / 512 * 512;
	large = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	smalls = (mib << 20) / 4 / SMALL;
	small = malloc(smalls * sizeof *small);
	turns = calloc(words / 512, 1);
	if (large == MAP_FAILED || !small || !turns)
		exit(3);
	for (size_t i = 0; i < smalls; i++) {
		small[i] = malloc(SMALL);
		if (!small[i])
			exit(3);
		for (size_t k = 0; k < SMALL; k++)
			small[i][k] = (unsigned char)(i * 7 + k);
	}
	for (uint64_t page = 0; page < words / 512; page++)
		write_page(page);
}

int main(int argc, char **argv)
{
	unsigned children = argc > 2 ? (unsigned)atoi(argv[2]) : 0, bad = 0;
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	int status;

	make(argc > 1 ? (size_t)atoi(argv[1]) : 16);
	for (unsigned i = 0; i < children; i++)
		if (fork() == 0)
			_exit(work(i + 2, rounds) ? 0 : 1);
	bad += !work(1, rounds);
	for (unsigned i = 0; i < children; i++)
		bad += wait(&status) < 0 || status != 0;
	puts(bad ? "WRONG" : "right");
	return bad != 0;
}
