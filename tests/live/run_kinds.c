/* A program that uses memory in one way: run_kinds WAY MIB. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define SMALL ((size_t)64 << 10)

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Twice the same words: written, and compared. Step 4096 leaves pages that compress well. */
static int fill(uint64_t *p, size_t bytes, size_t step)
{
	uint64_t x = 88172645463325252u, y = x;

	for (size_t i = 0; i < bytes; i += step)
		p[i / 8] = next_random(&x);
	for (size_t i = 0; i < bytes; i += step)
		if (p[i / 8] != next_random(&y))
			return 1;
	return 0;
}

/* Addresses first, and then piece by piece the memory: as node and Java do it. */
static int reserve(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	for (size_t at = 0; at < bytes; at += SMALL)
		if (mprotect(p + at, SMALL, PROT_READ | PROT_WRITE) ||
		    fill((uint64_t *)(p + at), SMALL, 8))
			return 1;
	return 0;
}

static int many(size_t bytes)
{
	for (size_t at = 0; at < bytes; at += SMALL) {
		uint64_t *p = malloc(SMALL);
		if (!p || fill(p, SMALL, 8))
			return 1;
	}
	return 0;
}

static int shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED || fill(p, bytes, 8);
}

/* A child that writes what it got from its parent. */
static int forked(size_t bytes)
{
	uint64_t *p = malloc(bytes);
	int status = 1;
	pid_t child;

	if (!p || fill(p, bytes, 4096))
		return 1;
	child = fork();
	if (child == 0)
		_exit(fill(p, bytes, 8));
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

/* One half once, then the other half again and again. */
static int phases(size_t bytes)
{
	char *p = malloc(bytes);

	if (!p)
		return 1;
	memset(p, 1, bytes / 2);
	for (int i = 0; i < 50; i++)
		memset(p + bytes / 2, i, bytes / 2);
	return p[0] != 1;
}

/* Memory that comes and goes, beside some that stays. */
static int again(size_t bytes)
{
	uint64_t *stays = malloc(bytes / 2);

	for (int i = 0; i < 20; i++) {
		uint64_t *goes = malloc(bytes / 2);
		if (!stays || !goes || fill(goes, bytes / 2, 4096) || fill(stays, bytes / 2, 4096))
			return 1;
		free(goes);
	}
	return 0;
}

/* Memory that grows page by page, by realloc() or by mremap(), and what was in it stays. */
static int grows(size_t bytes, bool remaps)
{
	size_t had = MIB;
	uint64_t *p =
		remaps ? mmap(NULL, had, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
		       : malloc(had);

	for (; had < bytes; had += 4096) {
		p = remaps ? mremap(p, had, had + 4096, MREMAP_MAYMOVE) : realloc(p, had + 4096);
		if (!p || p == MAP_FAILED || (remaps && p[had / 8]))
			return 1;
		p[had / 8] = had;
	}
	for (size_t at = MIB; at < bytes; at += 4096)
		if (p[at / 8] != at)
			return 1;
	return 0;
}

/* Its title is shown where its name was, as servers do it. */
static int titled(char *name, size_t bytes)
{
	uint64_t *p;

	memset(name, 't', strlen(name));
	p = malloc(bytes);
	return !p || fill(p, bytes, 4096);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) * MIB : 0;
	uint64_t *p;

	if (strcmp(way, "reserve") == 0)
		return reserve(bytes);
	if (strcmp(way, "many") == 0)
		return many(bytes);
	if (strcmp(way, "shared") == 0)
		return shared(bytes);
	if (strcmp(way, "again") == 0)
		return again(bytes);
	if (strcmp(way, "phases") == 0)
		return phases(bytes);
	if (strcmp(way, "forked") == 0)
		return forked(bytes);
	if (strcmp(way, "grows") == 0 || strcmp(way, "remaps") == 0)
		return grows(bytes, way[0] == 'r');
	if (strcmp(way, "titled") == 0)
		return titled(argv[0], bytes);
	p = malloc(bytes);
	if (!p) {
		puts("no memory");
		return 0;
	}
	return fill(p, bytes, strcmp(way, "random") == 0 ? 8 : 4096);
}
