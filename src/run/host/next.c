#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "next.h"
#include "preload.h"

struct td_next td_next_table;
bool td_next_ready, td_next_searching;

/* A function pointer out of an object pointer, which C has no cast for. */
static void find(void *to, void *where, const char *name)
{
	void *at = dlsym(where, name);

	memcpy(to, &at, sizeof at);
}

/* Does this address belong to a definition in the program or in a library other than this one? A
 * program that is linked to a fixed address and uses the address of a function has a stub of the
 * function, and for dlsym() the stub is the function. The stub leads here. */
static bool is_foreign(void *at)
{
	Dl_info info, own;
	const ElfW(Sym) *symbol = NULL;

	return at && dladdr(&td_next_table, &own) &&
	       dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       symbol->st_shndx != SHN_UNDEF && info.dli_fbase != own.dli_fbase;
}

static void find_foreign(void *to, const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	if (is_foreign(at))
		memcpy(to, &at, sizeof at);
}

/* A program that has an allocator in itself, and not in a library, comes before this library. What
 * the program's allocator lacks is still found behind this library. */
static void find_programs_heap(void)
{
#define TD_NEXT(name) find_foreign(&td_next_table.name, #name);
#include "next_heap.def"
#undef TD_NEXT
}

/* The first call comes while there is one thread: the C library allocates before main(). */
void td_next_find(void)
{
	if (td_next_searching)
		return;
	td_next_searching = true; /* dlsym() allocates: own.c */
#define TD_NEXT(name) find(&td_next_table.name, RTLD_NEXT, #name);
#include "next.def"
#undef TD_NEXT
	find_programs_heap();
	td_next_searching = false;
	td_next_ready = true;
}
