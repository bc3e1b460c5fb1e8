#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "next.h"
#include "preload.h"

struct td_next td_next_table;
bool td_next_ready;
static bool searching;

/* dlsym() may allocate, a few hundred bytes at the most. */
static _Alignas(16) unsigned char early[16384];
static size_t early_used;

bool td_next_is_early(const void *p)
{
	uintptr_t at = (uintptr_t)p, from = (uintptr_t)early;

	return at >= from && at < from + sizeof early;
}

size_t td_next_early_rest(const void *p)
{
	return (uintptr_t)early + sizeof early - (uintptr_t)p;
}

void *td_next_early(size_t bytes)
{
	size_t rounded = td_round_up(bytes, 16);
	void *p;

	if (!searching || rounded < bytes || rounded > sizeof early - early_used)
		return NULL;
	p = early + early_used;
	early_used += rounded;
	return p;
}

/* A function pointer out of an object pointer, which C has no cast for. */
static void find(void *to, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);

	memcpy(to, &at, sizeof at);
}

/* The first call comes while there is one thread: the C library allocates before main(). */
void td_next_find(void)
{
	if (searching)
		return;
	searching = true;
#define TD_NEXT(name) find(&td_next_table.name, #name);
#include "next.def"
#undef TD_NEXT
	searching = false;
	td_next_ready = true;
}
