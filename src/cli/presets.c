/* Presets: the sizes and the prefetcher of one world, for options that are not given. */
#include <errno.h>
#include <string.h>

#include "cli.h"

static const struct {
	const char *name, *chunk, *prefetch;
} presets[] = {
	{"cache", "1p", "none"},
};

#define PRESETS (sizeof presets / sizeof *presets)

const char *td_cli_preset_name(size_t i)
{
	return i < PRESETS ? presets[i].name : NULL;
}

int td_cli_preset(const char *name, const char **chunk, const char **prefetch,
		  struct tide_error *err)
{
	const char *names[PRESETS];

	for (size_t i = 0; i < PRESETS; i++) {
		names[i] = presets[i].name;
		if (strcmp(name, names[i]) != 0)
			continue;
		if (!*chunk)
			*chunk = presets[i].chunk;
		if (!*prefetch)
			*prefetch = presets[i].prefetch;
		return 0;
	}
	return td_cli_unknown("preset", name, names, PRESETS, err);
}
