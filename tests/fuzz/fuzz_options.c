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

static void check_args(const struct words *w, const struct td_cli_verb *verb,
		       const struct td_cli_args *args)
{
	const char *const texts[] = {args->trace,     args->workload, args->format, args->columns,
				     args->near_size, args->page,     args->chunk,  args->log,
				     args->to,        args->progress, args->seed};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check_text(w, texts[i]);
	check_list(w, &args->evict);
	check_list(w, &args->prefetch);
	check_list(w, &args->policies);
	check_list(w, &args->words);
	if (args->command) {
		require(verb->words_max == TD_CLI_COMMAND && args->words.n == 0);
		require(args->command >= w->at && args->command < w->at + w->n);
		return;
	}
	require(args->help ||
		(args->words.n >= verb->words_min && args->words.n <= verb->words_max));
}

/* What sim and compare ask of their arguments before they open anything. */
static void judge(const struct td_cli_args *args)
{
	static struct td_cli_combinations all;
	struct tide_sim_options options = {.size = sizeof options};
	struct tide_error err = {0};
	int rc = td_cli_input(args, &options, &err);

	if (rc)
		check_error(rc, &err);
	else
		require(options.near_size && !options.trace != !options.workload);
	rc = td_cli_combinations(args, &all, &err);
	if (rc)
		check_error(rc, &err);
	else
		require(all.n > 0 && all.n <= TD_CLI_RUNS_MAX);
	td_cli_combinations_free(&all);
}

static void try_verbs(const struct words *w, const struct td_cli_verb *verbs, int first)
{
	for (; verbs->name; verbs++) {
		struct tide_error err = {0};
		struct td_cli_args args;
		int rc = td_cli_parse(verbs, w->n - first, w->at + first, &args, &err);

		if (rc) {
			check_error(rc, &err);
		} else {
			check_args(w, verbs, &args);
			judge(&args);
		}
		if (verbs->verbs)
			try_verbs(w, verbs->verbs, first);
	}
}

/* How many words name the verb, as main() finds it. */
static int skip_verb(const struct words *w)
{
	const struct td_cli_verb *verbs = td_cli_verbs;
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

	try_verbs(&w, td_cli_verbs, skip_verb(&w));
	free(w.at);
	free(w.text);
	return 0;
}
