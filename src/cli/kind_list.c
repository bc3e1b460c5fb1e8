/* Texts of an option that may be given several times: a struct td_cli_list. */
#include <errno.h>

#include "command.h"
#include "options.h"

int td_cli_list_add(struct td_cli_list *list, const char *word, struct tide_error *err)
{
	if (list->n == TD_CLI_LIST_MAX)
		return tide_fail(err, -EINVAL, "more than %d words at %s: give fewer",
				 TD_CLI_LIST_MAX, td_cli_shown(word).text);
	list->at[list->n++] = word;
	return 0;
}

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	(void)o;
	return td_cli_list_add(at, value, err);
}

static void put(const void *at, const struct td_cli_option *o, struct td_cli_argv *to)
{
	const struct td_cli_list *list = at;

	for (size_t i = 0; i < list->n; i++)
		td_cli_argv_add(to, "--%s=%s", o->name, list->at[i]);
}

const struct td_cli_kind td_cli_kind_list = {.repeats = true, .store = store, .put = put};
