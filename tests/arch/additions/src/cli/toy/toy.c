/* tide toy: says a word. */
#include "cli/cli.h"

struct toy_options {
	struct td_cli_given given;
	const char *word;
};
#define TD_CLI_OPTIONS struct toy_options

static const struct td_cli_option options[] = {
	{"word", 0, TD_CLI_TEXT, TD_CLI_AT(word), "WORD", "what to say (hello)", TD_CLI_ANY},
	TD_CLI_HELP_OPTION,
	TD_CLI_END_OPTIONS,
};

static int run(const void *given, struct tide_error *err)
{
	const struct toy_options *o = given;

	(void)err;
	puts(o->word ? o->word : "hello");
	return 0;
}

const struct td_cli_verb td_cli_verb_toy = {
	.name = "toy",
	.order = 155,
	.synopsis = "[OPTIONS]",
	.summary = "Say a word",
	.options = options,
	.options_bytes = sizeof(struct toy_options),
	.run = run,
};
