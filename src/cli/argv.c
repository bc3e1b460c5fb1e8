/* The words of a command line that tide starts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"

static bool make_room(struct td_cli_argv *argv)
{
	size_t room = argv->room ? argv->room * 2 : 32;
	char **at;

	if (argv->n + 1 < argv->room)
		return true;
	at = realloc(argv->at, room * sizeof *at);
	if (!at)
		return false;
	argv->at = at;
	argv->room = room;
	return true;
}

/* Takes the word over; NULL: there is no memory. */
static void push(struct td_cli_argv *argv, char *word)
{
	if (!word || !make_room(argv)) {
		free(word);
		argv->failed = true;
		return;
	}
	argv->at[argv->n++] = word;
	argv->at[argv->n] = NULL;
}

void td_cli_argv_add(struct td_cli_argv *argv, const char *format, ...)
{
	va_list values;
	char *word;

	va_start(values, format);
	if (vasprintf(&word, format, values) < 0)
		word = NULL;
	va_end(values);
	push(argv, word);
}

void td_cli_argv_split(struct td_cli_argv *argv, const char *text)
{
	static const char blanks[] = " \t\n";
	size_t n;

	for (text += strspn(text, blanks); *text; text += n + strspn(text + n, blanks)) {
		n = strcspn(text, blanks);
		push(argv, strndup(text, n));
	}
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

void td_cli_argv_given(struct td_cli_argv *argv, const struct td_cli_option *options,
		       const void *given, const char *const *except)
{
	for (const struct td_cli_option *o = options; o->name; o++)
		if (o->help && !is_among(o->name, except)) /* other spellings have no help */
			o->kind->put((const unsigned char *)given + o->offset, o, argv);
}

void td_cli_argv_free(struct td_cli_argv *argv)
{
	for (size_t i = 0; i < argv->n; i++)
		free(argv->at[i]);
	free(argv->at);
	*argv = (struct td_cli_argv){0};
}
