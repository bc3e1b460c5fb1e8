/* A whole number from 1 on: a uint64_t. */
#include <errno.h>
#include <inttypes.h>

#include "command.h"
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

static void put(const void *at, const struct td_cli_option *o, struct td_cli_argv *to)
{
	uint64_t value = *(const uint64_t *)at;

	if (value)
		td_cli_argv_add(to, "--%s=%" PRIu64, o->name, value);
}

const struct td_cli_kind td_cli_kind_number = {.store = store, .put = put};
