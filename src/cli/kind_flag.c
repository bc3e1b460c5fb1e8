/* An option without a value: a bool. */
#include "command.h"
#include "options.h"

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	(void)o, (void)value, (void)err;
	*(bool *)at = true;
	return 0;
}

static void put(const void *at, const struct td_cli_option *o, struct td_cli_argv *to)
{
	if (*(const bool *)at)
		td_cli_argv_add(to, "--%s", o->name);
}

const struct td_cli_kind td_cli_kind_flag = {.is_flag = true, .store = store, .put = put};
