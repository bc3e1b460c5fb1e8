/* A text, as it was given: a const char *. */
#include "command.h"
#include "options.h"

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	(void)o, (void)err;
	*(const char **)at = value;
	return 0;
}

void td_cli_put_text(const void *at, const struct td_cli_option *o, struct td_cli_argv *to)
{
	const char *text = *(const char *const *)at;

	if (text)
		td_cli_argv_add(to, "--%s=%s", o->name, text);
}

const struct td_cli_kind td_cli_kind_text = {.store = store, .put = td_cli_put_text};
