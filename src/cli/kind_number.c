/* A whole number from 1 on: a uint64_t. */
#include <errno.h>

#include "options.h"

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	uint64_t *out = at;
	int rc = td_core_count(value, strlen(value), out);

	if (!rc && *out > 0)
		return 0;
	return tide_fail(err, -EINVAL, "--%s %s is %s: give a whole number from 1 on", o->name,
			 td_cli_shown(value).text, rc == -EINVAL ? "not a number" : "out of range");
}

const struct td_cli_kind td_cli_kind_number = {.store = store};
