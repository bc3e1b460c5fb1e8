/* A library of run_calls: its constructor comes before anything of the preload library, and what it
 * has to do at a fork takes paged memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "run_library.h"

static char *state;

char *library_state(void)
{
	if (!state)
		state = calloc(1, LIBRARY_BYTES);
	return state;
}

static void before(void)
{
	char *p = malloc(LIBRARY_BYTES);

	if (p && state)
		memcpy(p, state, LIBRARY_BYTES);
	free(p);
}

static void after(void)
{
	for (size_t i = 0; state && i < LIBRARY_BYTES; i += 4096)
		state[i]++;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(before, after, after);
}
