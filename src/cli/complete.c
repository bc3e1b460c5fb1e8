/* Completion: `tide --complete WORDS...` prints, a line each, the words that may stand where the
 * last one begins; nothing where file names are wanted. The shell filters. */
#include <string.h>

#include "cli.h"

static void print_names(const char *before, const struct td_cli_values *values)
{
	const char *name;

	for (size_t i = 0; values && (name = td_cli_value_at(values, i)); i++)
		printf("%s%s\n", before, name);
}

#define FEW 9 /* values of a parameter that are offered one by one */

/* Before them stands all that was typed up to the equals sign, n bytes. */
static void print_settings(const char *before, const char *word, size_t n,
			   const struct tide_param *p)
{
	if (p->type == TIDE_PARAM_INT && p->max - p->min < FEW)
		for (int v = (int)p->min; v <= (int)p->max; v++)
			printf("%s%.*s%d\n", before, (int)n, word, v);
	else if (p->initial && *p->initial)
		printf("%s%.*s%s\n", before, (int)n, word, p->initial);
}

/* NAME:KEY=VALUE,KEY=: the keys, or behind an equals sign the values. */
static void print_params(const char *before, const struct td_cli_values *values, const char *word)
{
	size_t name = strcspn(word, ":"), start = name + 1;
	struct tide_param p;

	for (size_t i = start; word[i]; i++)
		if (word[i] == ',')
			start = i + 1;
	size_t key = strcspn(word + start, "=");
	bool has_value = word[start + key] == '=';
	for (size_t i = 0; values->param(word, name, i, &p); i++) {
		if (!has_value)
			printf("%s%.*s%s=\n", before, (int)start, word, p.name);
		else if (strlen(p.name) == key && memcmp(p.name, word + start, key) == 0)
			print_settings(before, word, start + key + 1, &p);
	}
}

/* before: what the shell has in the same word; word: what was typed of the value. */
static void print_values(const char *before, const struct td_cli_values *values, const char *word)
{
	if (values && values->param && strchr(word, ':'))
		print_params(before, values, word);
	else
		print_names(before, values);
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
		print_values(start, o->values, strchr(word, '=') + 1);
		return;
	}
	o = option_of(verb, before);
	if (o && !o->kind->is_flag && !strchr(before, '='))
		print_values("", o->values, word);
	else if (word[0] == '-')
		print_options(verb);
	else
		print_values("", verb->words, word);
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
