/* Values that name files: nbdkit leaves the folder in which it was started. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

/* A policy with a slash is a shared object, and perhaps parameters behind it. */
static bool is_path(const char *key, const char *value)
{
	bool is_policy = !strcmp(key, "evict") || !strcmp(key, "place");
	return !strcmp(key, "record") || (is_policy && strchr(value, '/'));
}

const char *td_nbdkit_value(struct td_nbdkit_settings *s, const char *key, const char *value)
{
	if (!is_path(key, value))
		return value;
	char *path = nbdkit_absolute_path(value);
	s->paths[s->paths_n++] = path;
	return path;
}

void td_nbdkit_forget_paths(struct td_nbdkit_settings *s)
{
	while (s->paths_n)
		free(s->paths[--s->paths_n]);
}

void td_nbdkit_say(void *arg, const char *text)
{
	(void)arg;
	nbdkit_error("%s", text);
}
