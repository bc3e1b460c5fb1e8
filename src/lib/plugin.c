#include "plugin.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/registry.h"

struct td_lib_plugin {
	struct td_policy_choice choice;
};

int td_lib_plugin_open(struct td_lib_plugin **out, const char *path,
		       const struct tide_policy **policy, struct tide_error *err)
{
	struct td_lib_plugin *plugin = calloc(1, sizeof *plugin);
	int rc;

	if (!plugin)
		return tide_fail(err, -ENOMEM, "out of memory");
	rc = td_policy_load(&plugin->choice, path, TD_POLICY_ANY_ROLE, err);
	if (rc) {
		td_lib_plugin_free(plugin);
		return rc;
	}
	*policy = plugin->choice.policy;
	*out = plugin;
	return 0;
}

void td_lib_plugin_free(struct td_lib_plugin *plugin)
{
	if (plugin)
		td_policy_release(&plugin->choice);
	free(plugin);
}
