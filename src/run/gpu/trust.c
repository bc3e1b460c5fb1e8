/* Which functions touch nothing but what their arguments name: with --gpu-trust args all do, with a
 * file those that it lists, one name in a line, as the driver has it. Lines that begin with # are
 * comments. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

static char **names;
static size_t names_n;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int by_name(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static void add(char *name, size_t *room)
{
	if (names_n == *room) {
		size_t more = *room ? *room * 2 : 64;
		char **at = realloc(names, more * sizeof *at);
		if (!at)
			return; /* the function counts as not verified */
		names = at;
		*room = more;
	}
	name = strdup(name);
	if (name)
		names[names_n++] = name;
}

static void read_names(void)
{
	char *line = NULL;
	size_t size = 0, room = 0;
	FILE *f = fopen(td_gpu.trust_text, "re");
	if (!f) {
		td_gpu_say("cannot read %s: %s: no function counts as verified", td_gpu.trust_text,
			   strerror(errno));
		return;
	}
	while (getline(&line, &size, f) >= 0) {
		line[strcspn(line, " \t\r\n")] = '\0';
		if (*line && *line != '#')
			add(line, &room);
	}
	free(line);
	fclose(f);
	if (names_n)
		qsort(names, names_n, sizeof *names, by_name);
}

bool td_gpu_verified(const char *function)
{
	if (!strchr(td_gpu.trust_text, '/'))
		return strcmp(td_gpu.trust_text, "args") == 0;
	pthread_once(&once, read_names);
	return names_n && bsearch(&function, names, names_n, sizeof *names, by_name);
}
