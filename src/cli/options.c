#include "options.h"

#include <errno.h>
#include <string.h>

#include "core/text.h"

int td_cli_unknown(const char *what, const char *word, const char *const *names, size_t n,
		   struct tide_error *err)
{
	const char *near = td_core_nearest(word, names, n);
	char list[440] = "";
	size_t used = 0;

	if (near)
		return tide_fail(err, -EINVAL, "unknown %s %s: did you mean %s?", what,
				 td_cli_shown(word).text, near);
	for (size_t i = 0; i < n && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
					 names[i]);
	return tide_fail(err, -EINVAL, "unknown %s %s: there is %s", what, td_cli_shown(word).text,
			 list);
}

const struct td_cli_verb *td_cli_find_verb(const struct td_cli_verb *verbs, const char *name)
{
	for (; verbs->name; verbs++)
		if (strcmp(verbs->name, name) == 0)
			return verbs;
	return NULL;
}

int td_cli_unknown_verb(const struct td_cli_verb *verbs, const char *word, struct tide_error *err)
{
	const char *names[64];
	size_t n = 0;

	for (; verbs->name && n < 64; verbs++)
		names[n++] = verbs->name;
	return td_cli_unknown("verb", word, names, n, err);
}

/* One parse: where it stands in the arguments, and which rows were given. */
struct parse {
	const struct td_cli_verb *verb;
	struct td_cli_args *args;
	char *const *argv;
	int argc, i;
	uint64_t given; /* bit per row */
	struct tide_error *err;
};

static int fail_option(struct parse *p, const char *name)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (const struct td_cli_option *o = p->verb->options; o->name && n < 64; o++)
		names[n++] = o->name;
	near = td_core_nearest(name, names, n);
	if (near)
		return tide_fail(p->err, -EINVAL, "unknown option --%s: did you mean --%s?",
				 td_cli_shown(name).text, near);
	return tide_fail(p->err, -EINVAL, "unknown option --%s: --help lists the options",
			 td_cli_shown(name).text);
}

static int add_word(struct td_cli_list *list, const char *word, struct tide_error *err)
{
	if (list->n == TD_CLI_LIST_MAX)
		return tide_fail(err, -EINVAL, "more than %d words at %s: give fewer",
				 TD_CLI_LIST_MAX, td_cli_shown(word).text);
	list->at[list->n++] = word;
	return 0;
}

static int store_number(const struct td_cli_option *o, const char *value, uint64_t *out,
			struct tide_error *err)
{
	int rc = td_core_u64(value, strlen(value), out);

	if (!rc && *out > 0)
		return 0;
	return tide_fail(err, -EINVAL, "--%s %s is %s: give a whole number from 1 on", o->name,
			 td_cli_shown(value).text, rc == -EINVAL ? "not a number" : "out of range");
}

static int store(struct parse *p, const struct td_cli_option *o, const char *value)
{
	unsigned char *at = (unsigned char *)p->args + o->offset;

	switch (o->kind) {
	case TD_CLI_FLAG: *(bool *)at = true; return 0;
	case TD_CLI_TEXT: memcpy(at, &value, sizeof value); return 0;
	case TD_CLI_NUMBER: return store_number(o, value, (uint64_t *)(void *)at, p->err);
	default: return add_word((struct td_cli_list *)(void *)at, value, p->err);
	}
}

/* inside: the value that came in the same word, or NULL. */
static int take(struct parse *p, const struct td_cli_option *o, const char *inside)
{
	uint64_t bit = UINT64_C(1) << (o - p->verb->options);

	if (o->kind != TD_CLI_LIST && (p->given & bit))
		return tide_fail(p->err, -EINVAL, "--%s is given twice: give it once", o->name);
	p->given |= bit;
	if (o->kind == TD_CLI_FLAG) {
		if (inside)
			return tide_fail(p->err, -EINVAL, "--%s takes no value: leave out =%s",
					 o->name, td_cli_shown(inside).text);
		return store(p, o, NULL);
	}
	if (!inside && p->i < p->argc && strncmp(p->argv[p->i], "--", 2) != 0)
		inside = p->argv[p->i++];
	if (!inside || *inside == '\0')
		return tide_fail(p->err, -EINVAL, "--%s has no value: write --%s %s", o->name,
				 o->name, o->value);
	return store(p, o, inside);
}

static int take_long(struct parse *p, const char *text)
{
	size_t len = strcspn(text, "=");
	char name[64];

	for (const struct td_cli_option *o = p->verb->options; o->name; o++)
		if (strlen(o->name) == len && memcmp(o->name, text, len) == 0)
			return take(p, o, text[len] ? text + len + 1 : NULL);
	snprintf(name, sizeof name, "%.*s", (int)(len < 63 ? len : 63), text);
	return fail_option(p, name);
}

static int take_letter(struct parse *p, const char *text)
{
	for (const struct td_cli_option *o = p->verb->options; o->name; o++)
		if (o->letter == text[0] && (o->kind != TD_CLI_FLAG || !text[1]))
			return take(p, o, text[1] ? text + 1 : NULL);
	return tide_fail(p->err, -EINVAL, "unknown option -%s: --help lists the options",
			 td_cli_shown(text).text);
}

static bool ends_options(const char *word)
{
	return word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0;
}

/* Behind --, or from the word itself on; the arguments of main() end with a NULL. */
static void take_command(struct parse *p)
{
	int first = strcmp(p->argv[p->i - 1], "--") == 0 ? p->i : p->i - 1;

	if (first < p->argc)
		p->args->command = p->argv + first;
}

static int check_words(const struct parse *p)
{
	const struct td_cli_verb *v = p->verb;
	size_t n = p->args->command ? 1 : p->args->words.n;

	if (p->args->help)
		return 0;
	if (n > v->words_max)
		return tide_fail(p->err, -EINVAL, "unexpected word %s: the usage is %s %s",
				 td_cli_shown(p->args->words.at[v->words_max]).text, v->name,
				 v->synopsis);
	if (n < v->words_min)
		return tide_fail(p->err, -EINVAL, "a word is missing: the usage is %s %s", v->name,
				 v->synopsis);
	return 0;
}

int td_cli_parse(const struct td_cli_verb *verb, int argc, char *const *argv,
		 struct td_cli_args *args, struct tide_error *err)
{
	struct parse p = {verb, args, argv, argc, 0, 0, err};
	bool only_words = false;
	int rc = 0;

	memset(args, 0, sizeof *args);
	while (p.i < argc && !rc) {
		const char *word = argv[p.i++];
		if (verb->words_max == TD_CLI_COMMAND && ends_options(word)) {
			take_command(&p);
			break;
		}
		if (only_words || word[0] != '-' || word[1] == '\0')
			rc = add_word(&args->words, word, err);
		else if (strcmp(word, "--") == 0)
			only_words = true;
		else if (word[1] == '-')
			rc = take_long(&p, word + 2);
		else
			rc = take_letter(&p, word + 1);
	}
	return rc ? rc : check_words(&p);
}
