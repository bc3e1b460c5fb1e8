/* What pool_kill writes, and pool_kill_check looks for: pages of rounds. */
#ifndef POOL_KILL_H
#define POOL_KILL_H

#include <stdint.h>

#define PAGES 768u
#define PAGE 4096u
#define KINDS 5 /* so that pages are equal now and then */

static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Which pages a round writes, and what. */
static inline int is_written(uint64_t page, uint64_t round)
{
	return round == 1 || mix(page * 1000003 + round) % 4 == 0;
}

static inline void fill(uint64_t *words, uint64_t page, uint64_t round)
{
	uint64_t kind = mix(page + round * 7919) % KINDS;
	for (unsigned i = 0; i < PAGE / 8; i++)
		words[i] = mix(kind * 512 + i);
	if (page % 2)
		words[100] = round; /* every second page is one of its kind */
}

#endif
