/* Words from anyone, a line each, as the arguments of every verb: parsed, judged as far as that
 * goes without an input, and never run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/combinations.h"

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_error(int rc, const struct tide_error *err)
{
	require(rc == -EINVAL && err->code == rc);
	require(err->text[0] != '\0' && !strpbrk(err->text, "\n\r"));
}

struct words {
	char *text;
	size_t size; /* of text, with the end of its last word */
	char **at;   /* at[n] is NULL, as after the arguments of a program */
	int n;
};

static struct words split(const uint8_t *data, size_t size)
{
	struct words w = {malloc(size + 1), size + 1, malloc((size + 2) * sizeof *w.at), 0};
	char *start = w.text;

	require(w.text && w.at);
	for (size_t i = 0; i < size; i++)
		w.text[i] = data[i] == '\n' ? '\0' : (char)data[i];
	w.text[size] = '\0';
	for (char *end; start < w.text + size; start = end + 1) {
		end = start + strlen(start);
		w.at[w.n++] = start;
	}
	w.at[w.n] = NULL;
	return w;
}

/* Given or not, a text is one of the words or the end of one. */
static void check_text(const struct words *w, const char *text)
{
	require(!text || (text >= w->text && text < w->text + w->size));
}

static void check_list(const struct words *w, const struct td_cli_list *list)
{
	require(list->n <= TD_CLI_LIST_MAX);
	for (size_t i = 0; i < list->n; i++)
		check_text(w, list->at[i]);
}

static void check_option(const struct words *w, const struct td_cli_option *o, const void *options)
{
	const void *at = (const unsigned char *)options + o->offset;

	if (o->kind == TD_CLI_TEXT || o->kind == TD_CLI_ONE)
		check_text(w, *(const char *const *)at);
	else if (o->kind == TD_CLI_LIST)
		check_list(w, at);
}

static void check_options(const struct words *w, const struct td_cli_verb *verb,
			  const struct td_cli_given *given)
{
	for (const struct td_cli_option *o = verb->options; o->name; o++)
		check_option(w, o, given);
	check_list(w, &given->words);
	if (given->command) {
		require(verb->words_max == TD_CLI_COMMAND && given->words.n == 0);
		require(given->command >= w->at && given->command < w->at + w->n);
		return;
	}
	require(given->help ||
		(given->words.n >= verb->words_min && given->words.n <= verb->words_max));
}

/* What compare asks of its options before it opens anything. */
static void judge(struct td_cli_compare_options *args)
{
	static struct td_cli_combinations all;
	struct tide_sim_options options = {.size = sizeof options};
	struct tide_error err = {0};
	int rc;

	args->setup.near_size = args->near_size.n ? args->near_size.at[0] : NULL;
	rc = td_cli_setup(&args->setup, &options, &err);
	if (rc)
		check_error(rc, &err);
	else
		require(options.near_size && !options.trace != !options.workload);
	rc = td_cli_combinations(args, &all, &err);
	if (rc)
		check_error(rc, &err);
	else
		require(all.n > 0 && all.n <= TD_CLI_RUNS_MAX && all.n % all.per_size == 0);
	td_cli_combinations_free(&all);
}

static void try_verbs(const struct words *w, const struct td_cli_verb *const *verbs, int first)
{
	for (; *verbs; verbs++) {
		const struct td_cli_verb *verb = *verbs;
		struct tide_error err = {0};
		void *options = malloc(verb->options_bytes);
		int rc;

		require(options != NULL);
		rc = td_cli_parse(verb, w->n - first, w->at + first, options, &err);
		if (rc)
			check_error(rc, &err);
		else
			check_options(w, verb, options);
		if (!rc && strcmp(verb->name, "compare") == 0)
			judge(options);
		free(options);
		if (verb->verbs)
			try_verbs(w, verb->verbs, first);
	}
}

/* How many words name the verb, as main() finds it. */
static int skip_verb(const struct words *w)
{
	const struct td_cli_verb *const *verbs = td_cli_verb_table;
	struct tide_error err = {0};
	int i = 0;

	while (verbs && i < w->n) {
		const struct td_cli_verb *verb = td_cli_find_verb(verbs, w->at[i]);

		if (!verb) {
			check_error(td_cli_unknown_verb(verbs, w->at[i], &err), &err);
			break;
		}
		verbs = verb->verbs;
		i++;
	}
	return i;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct words w = split(data, size);

	try_verbs(&w, td_cli_verb_table, skip_verb(&w));
	free(w.at);
	free(w.text);
	return 0;
}
