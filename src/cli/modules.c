/* Libraries that are loaded when they are needed: beside this program, as in a build; or where they
 * were installed. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int td_cli_find_module(const char *name, char *path, size_t size, struct tide_error *err)
{
	static const char *const folders[] = {".", TD_CLI_MODULES};
	char here[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);

	if (n < 0)
		return tide_fail(err, -errno, "cannot read /proc/self/exe: mount /proc");
	here[n] = '\0';
	*strrchr(here, '/') = '\0';
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char file[PATH_MAX * 2];
		snprintf(file, sizeof file, "%s/%s/%s", here, folders[i], name);
		if (size >= PATH_MAX && realpath(file, path))
			return 0;
	}
	return tide_fail(err, -ENOENT, "%s is neither in %s nor in %s/%s: install tide again", name,
			 here, here, TD_CLI_MODULES);
}
