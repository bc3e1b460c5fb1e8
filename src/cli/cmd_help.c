/* tide help: what a verb does and takes. */
#include <errno.h>

#include "cli.h"

static int run(const void *options, struct tide_error *err)
{
	const struct td_cli_given *given = options;
	const struct td_cli_verb *const *verbs = td_cli_verb_table;
	const struct td_cli_verb *parent = NULL, *verb = NULL;

	for (size_t i = 0; i < given->words.n; i++) {
		const char *word = given->words.at[i];
		parent = verb;
		if (!verbs)
			return tide_fail(err, -EINVAL, "%s has no verbs of its own: leave out %s",
					 parent->name, td_cli_shown(word).text);
		verb = td_cli_find_verb(verbs, word);
		if (!verb)
			return td_cli_unknown_verb(verbs, word, err);
		verbs = verb->verbs;
	}
	if (verb)
		td_cli_help_verb(stdout, parent, verb);
	else
		td_cli_help_all(stdout);
	return 0;
}

const struct td_cli_verb td_cli_verb_help = {
	.name = "help",
	.order = 160,
	.synopsis = "[VERB [VERB]]",
	.summary = "Show the help of a verb",
	.options = td_cli_help_alone,
	.options_bytes = sizeof(struct td_cli_given),
	.words_max = 2,
	.run = run,
};
