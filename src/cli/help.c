#include <string.h>

#include "cli.h"

static int print_left(FILE *to, const struct td_cli_option *o)
{
	int n = fprintf(to, o->letter ? "  -%c, " : "  ", o->letter);

	n += fprintf(to, "--%s", o->name);
	if (o->value)
		n += fprintf(to, " %s", o->value);
	return n;
}

static void print_values(FILE *to, const struct td_cli_values *values)
{
	const char *name, *next = td_cli_value_at(values, 0);

	for (size_t i = 0; (name = next); i++) {
		next = td_cli_value_at(values, i + 1);
		fprintf(to, "%s%s", !i ? "" : next ? ", " : " or ", name);
	}
}

/* What it is for, and its values where it lists them. */
static void print_right(FILE *to, const struct td_cli_option *o)
{
	const char *list = strstr(o->help, "%s");

	if (list) {
		fprintf(to, "%.*s", (int)(list - o->help), o->help);
		print_values(to, o->values);
	}
	fprintf(to, "%s%s\n", list ? list + 2 : o->help,
		o->kind->repeats ? "; may be repeated" : "");
}

static void print_options(FILE *to, const struct td_cli_option *options)
{
	fprintf(to, "\nOptions:\n");
	for (const struct td_cli_option *o = options; o->name; o++) {
		if (!o->help)
			continue;
		int n = print_left(to, o);
		fprintf(to, "%*s", n < 22 ? 22 - n : 2, "");
		print_right(to, o);
	}
}

static void print_verbs(FILE *to, const struct td_cli_verb *const *verbs)
{
	for (const struct td_cli_verb *v = NULL; (v = td_cli_next_verb(verbs, v));)
		fprintf(to, "  %-11s%s\n", v->name, v->summary);
}

void td_cli_help_verb(FILE *to, const struct td_cli_verb *parent, const struct td_cli_verb *verb)
{
	fprintf(to, "Usage: tide %s%s%s %s\n\n%s.\n", parent ? parent->name : "", parent ? " " : "",
		verb->name, verb->synopsis, verb->summary);
	if (verb->verbs) {
		fprintf(to, "\nVerbs:\n");
		print_verbs(to, verb->verbs);
	}
	if (verb->options)
		print_options(to, verb->options);
	if (verb->more)
		fprintf(to, "\n%s", verb->more);
}

void td_cli_help_all(FILE *to)
{
	fprintf(to, "Usage: tide VERB [OPTIONS]\n\n"
		    "Policies for programs that are larger than their memory: simulate them, run\n"
		    "programs under them, serve kernels on a GPU, cache files.\n\n"
		    "Verbs:\n");
	print_verbs(to, td_cli_verb_table);
	fprintf(to,
		"\n"
		"  tide help VERB     or  tide VERB --help: what a verb does and takes\n"
		"  tide --version     the version\n\n"
		"Try:\n"
		"  tide sim --workload zipf --near 50%% --evict lru\n"
		"  tide compare --workload cyclic --near 75%%\n\n"
		"Exit status: 0 success, 1 a failed run, 2 bad usage, 3 no GPU. Manual: man tide\n");
}
