/* A text of which a run has one, a const char *. Braces that stand for several are for other verbs.
 */
#include <errno.h>

#include "braces.h"
#include "command.h"

#define INSTEAD "a run has one; tide compare and tide sweep take several"

static int store(void *at, const struct td_cli_option *o, const char *value, struct tide_error *err)
{
	if (td_cli_is_several(value))
		return tide_fail(err, -EINVAL, "--%s %s is several: " INSTEAD, o->name,
				 td_cli_shown(value).text);
	*(const char **)at = value;
	return 0;
}

const struct td_cli_kind td_cli_kind_one = {
	.store = store, .put = td_cli_put_text, .instead = INSTEAD};
