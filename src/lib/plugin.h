/* A policy of a shared object, looked at without being run. */
#ifndef TD_LIB_PLUGIN_H
#define TD_LIB_PLUGIN_H

#include "tide/error.h"
#include "tide/policy.h"

struct td_lib_plugin;

/* The policy is valid until the plug-in is freed, and checked as for a run. */
int td_lib_plugin_open(struct td_lib_plugin **out, const char *path,
		       const struct tide_policy **policy, struct tide_error *err);
void td_lib_plugin_free(struct td_lib_plugin *plugin);

#endif
