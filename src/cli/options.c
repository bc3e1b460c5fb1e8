#include "options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* Does a come before b? Of the same order, the one that the table has first. */
static bool is_before(const struct td_cli_verb *a, size_t at, const struct td_cli_verb *b,
		      size_t bt)
{
	return a->order != b->order ? a->order < b->order : at < bt;
}

const struct td_cli_verb *td_cli_next_verb(const struct td_cli_verb *const *verbs,
					   const struct td_cli_verb *after)
{
	size_t past = 0, best = SIZE_MAX;

	while (after && verbs[past] != after)
		past++;
	for (size_t i = 0; verbs[i]; i++)
		if ((!after || is_before(after, past, verbs[i], i)) &&
		    (best == SIZE_MAX || is_before(verbs[i], i, verbs[best], best)))
			best = i;
	return best == SIZE_MAX ? NULL : verbs[best];
}

const struct td_cli_verb *td_cli_find_verb(const struct td_cli_verb *const *verbs, const char *name)
{
	for (; *verbs; verbs++)
		if (strcmp((*verbs)->name, name) == 0)
			return *verbs;
	return NULL;
}

int td_cli_unknown_verb(const struct td_cli_verb *const *verbs, const char *word,
			struct tide_error *err)
{
	const char *names[64];
	size_t n = 0;

	for (const struct td_cli_verb *v = NULL; (v = td_cli_next_verb(verbs, v)) && n < 64;)
		names[n++] = v->name;
	return td_cli_unknown("verb", word, names, n, err);
}

const struct td_cli_option td_cli_help_alone[] = {TD_CLI_HELP_OPTION, TD_CLI_END_OPTIONS};

/* One parse: where it stands in the arguments, and which rows were given. */
struct parse {
	const struct td_cli_verb *verb;
	struct td_cli_given *given; /* the options begin with it */
	char *const *argv;
	int argc, i;
	uint64_t taken; /* bit per row */
	struct tide_error *err;
};

static int fail_option(struct parse *p, const char *name)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (const struct td_cli_option *o = p->verb->options; o->name && n < 64; o++)
		if (o->help)
			names[n++] = o->name;
	near = td_core_nearest(name, names, n);
	if (near)
		return tide_fail(p->err, -EINVAL, "unknown option --%s: did you mean --%s?",
				 td_cli_shown(name).text, near);
	return tide_fail(p->err, -EINVAL, "unknown option --%s: --help lists the options",
			 td_cli_shown(name).text);
}

static int store(struct parse *p, const struct td_cli_option *o, const char *value)
{
	return o->kind->store((unsigned char *)p->given + o->offset, o, value, p->err);
}

/* Of the row that was first to have its place: other spellings share it. */
static uint64_t bit_of(const struct parse *p, const struct td_cli_option *o)
{
	const struct td_cli_option *first = p->verb->options;

	while (first->offset != o->offset)
		first++;
	return UINT64_C(1) << (first - p->verb->options);
}

/* inside: the value that came in the same word, or NULL. */
static int take(struct parse *p, const struct td_cli_option *o, const char *inside)
{
	uint64_t bit = bit_of(p, o);

	if (!o->kind->repeats && (p->taken & bit))
		return tide_fail(p->err, -EINVAL, "--%s is given twice: %s", o->name,
				 o->kind->instead ? o->kind->instead : "give it once");
	p->taken |= bit;
	if (o->kind->is_flag) {
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
		if (o->letter == text[0] && (!o->kind->is_flag || !text[1]))
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
		p->given->command = p->argv + first;
}

static const struct td_cli_option *find_long(const struct td_cli_verb *v, const char *name)
{
	for (const struct td_cli_option *o = v->options; o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

/* Where it is if the word is the second value after an option that may be repeated; 0: it is not.
 */
static int second_value(const struct parse *p, const char *word)
{
	for (int i = 2; i < p->argc; i++) {
		const char *name = p->argv[i - 2];
		if (p->argv[i] != word || strncmp(name, "--", 2) != 0)
			continue;
		const struct td_cli_option *o = find_long(p->verb, name + 2);
		return o && o->kind == TD_CLI_LIST ? i : 0;
	}
	return 0;
}

/* What the word was probably meant to be. */
static int fail_word(const struct parse *p, const char *word)
{
	int i = second_value(p, word);

	if (i)
		return tide_fail(p->err, -EINVAL,
				 "unexpected word %s: for several values write %s '{%s,%s}'",
				 td_cli_shown(word).text, p->argv[i - 2],
				 td_cli_shown(p->argv[i - 1]).text, td_cli_shown(word).text);
	if (find_long(p->verb, "trace") && access(word, F_OK) == 0)
		return tide_fail(p->err, -EINVAL, "unexpected word %s: write --trace %s",
				 td_cli_shown(word).text, td_cli_shown(word).text);
	return tide_fail(p->err, -EINVAL, "unexpected word %s: the usage is %s %s",
			 td_cli_shown(word).text, p->verb->name, p->verb->synopsis);
}

static int check_words(const struct parse *p)
{
	const struct td_cli_verb *v = p->verb;
	size_t n = p->given->command ? 1 : p->given->words.n;

	if (p->given->help)
		return 0;
	if (n > v->words_max)
		return fail_word(p, p->given->words.at[v->words_max]);
	if (n < v->words_min)
		return tide_fail(p->err, -EINVAL, "a word is missing: the usage is %s %s", v->name,
				 v->synopsis);
	return 0;
}

size_t td_cli_pair_plus(const char *text, struct tide_error *err)
{
	const char *plus = strrchr(text, '+');

	if (plus && plus != text && plus[1])
		return (size_t)(plus - text);
	tide_fail(err, -EINVAL,
		  "--policies %s is no combination: write EVICT+PREFETCH, such as lrm+tree",
		  td_cli_shown(text).text);
	return 0;
}

int td_cli_parse(const struct td_cli_verb *verb, int argc, char *const *argv, void *options,
		 struct tide_error *err)
{
	struct parse p = {verb, options, argv, argc, 0, 0, err};
	bool only_words = false;
	int rc = 0;

	memset(options, 0, verb->options_bytes);
	while (p.i < argc && !rc) {
		const char *word = argv[p.i++];
		if (verb->words_max == TD_CLI_COMMAND && ends_options(word)) {
			take_command(&p);
			break;
		}
		if (only_words || word[0] != '-' || word[1] == '\0')
			rc = td_cli_list_add(&p.given->words, word, err);
		else if (strcmp(word, "--") == 0)
			only_words = true;
		else if (word[1] == '-')
			rc = take_long(&p, word + 2);
		else
			rc = take_letter(&p, word + 1);
	}
	return rc ? rc : check_words(&p);
}
