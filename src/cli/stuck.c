/* A policy that does not return ends the program: its call cannot be ended otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "core/text.h"

static void end(void *arg, const char *why)
{
	char text[sizeof((struct tide_error *)NULL)->text];

	(void)arg;
	snprintf(text, sizeof text, "%s", why);
	td_core_as_options(text);
	fprintf(stderr, "tide: %s\n", text);
	_exit(EXIT_FAILURE);
}

int td_cli_open_shared(struct tide_sim **sim, const struct tide_sim_options *options,
		       struct td_lib_reading *reading, struct tide_error *err)
{
	struct tide_sim_options own = *options;

	own.on_stuck = end;
	return td_lib_sim_open(sim, &own, reading, err);
}

int td_cli_open_sim(struct tide_sim **sim, const struct tide_sim_options *options,
		    struct tide_error *err)
{
	return td_cli_open_shared(sim, options, NULL, err);
}
