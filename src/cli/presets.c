/* Presets: the sizes and the prefetcher of one world, for options that are not given. */
#include <errno.h>
#include <string.h>

#include "cli.h"

static const struct {
	const char *name;
	struct td_cli_world world;
} presets[] = {
	/* The blocks of NVIDIA's driver, which it evicts as a whole. */
	{"gpu", {"64K", "2M", "tree"}},
	{"cache", {"4K", "1p", "none"}},
	/* The blocks of lvmcache, which move as a whole. */
	{"block", {"4K", "64K", "locality"}},
};

#define PRESETS (sizeof presets / sizeof *presets)

const char *td_cli_preset_name(size_t i)
{
	return i < PRESETS ? presets[i].name : NULL;
}

static void set(const char **given, const char *value)
{
	if (!*given)
		*given = value;
}

int td_cli_preset(const char *name, struct td_cli_world *world, struct tide_error *err)
{
	const char *names[PRESETS];

	if (!name)
		return 0;
	for (size_t i = 0; i < PRESETS; i++) {
		names[i] = presets[i].name;
		if (strcmp(name, names[i]) != 0)
			continue;
		set(&world->page, presets[i].world.page);
		set(&world->chunk, presets[i].world.chunk);
		set(&world->prefetch, presets[i].world.prefetch);
		return 0;
	}
	return td_cli_unknown("preset", name, names, PRESETS, err);
}

int td_cli_preset_page(const char *name, const char **page, struct tide_error *err)
{
	struct td_cli_world world = {.page = *page};
	int rc = td_cli_preset(name, &world, err);

	*page = world.page;
	return rc;
}
