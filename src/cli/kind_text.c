/* A text, as it was given: a const char *. */
#include "options.h"

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	(void)o, (void)err;
	*(const char **)at = value;
	return 0;
}

const struct td_cli_kind td_cli_kind_text = {.store = store};
