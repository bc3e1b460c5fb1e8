/* Completion: `tide --complete WORDS...` prints, a line each, the words that may stand where the
 * last one begins; nothing where file names are wanted. The shell filters. */
#include <string.h>

#include "cli.h"

static void print_values(const char *before, const struct td_cli_values *values)
{
	const char *name;

	for (size_t i = 0; values && (name = td_cli_value_at(values, i)); i++)
		printf("%s%s\n", before, name);
}

static void print_verbs(const struct td_cli_verb *const *verbs)
{
	for (const struct td_cli_verb *v = NULL; (v = td_cli_next_verb(verbs, v));)
		puts(v->name);
}

/* The option that word names, up to an equals sign; NULL: it names none. */
static const struct td_cli_option *option_of(const struct td_cli_verb *verb, const char *word)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	for (const struct td_cli_option *o = verb->options; o->name; o++)
		if (strlen(o->name) == strcspn(word + 2, "=") &&
		    strncmp(o->name, word + 2, strlen(o->name)) == 0)
			return o;
	return NULL;
}

static void print_options(const struct td_cli_verb *verb)
{
	for (const struct td_cli_option *o = verb->options; o->name; o++)
		if (o->help)
			printf("--%s\n", o->name);
}

static void complete_word(const struct td_cli_verb *verb, const char *before, const char *word)
{
	const struct td_cli_option *o = option_of(verb, word);
	char start[64];

	if (o && strchr(word, '=')) {
		snprintf(start, sizeof start, "--%s=", o->name);
		print_values(start, o->values);
		return;
	}
	o = option_of(verb, before);
	if (o && !o->kind->is_flag && !strchr(before, '='))
		print_values("", o->values);
	else if (word[0] == '-')
		print_options(verb);
	else
		print_values("", verb->words);
}

void td_cli_complete(int argc, char *const *argv)
{
	const struct td_cli_verb *const *verbs = td_cli_verb_table;
	const struct td_cli_verb *verb = NULL;
	int i = 0;

	for (; verbs && i < argc - 1; i++) {
		verb = td_cli_find_verb(verbs, argv[i]);
		if (!verb)
			return;
		verbs = strcmp(verb->name, "help") == 0 ? td_cli_verb_table : verb->verbs;
	}
	if (verbs)
		print_verbs(verbs);
	else
		complete_word(verb, argv[argc - 2], argv[argc - 1]);
}
