/* What all reproductions share: choosing a part of them, progress, and the statements at the end.
 */
#include <errno.h>
#include <string.h>

#include "reproduce.h"

int td_cli_reproduce_start(struct td_cli_reproduction *r, const char *paper, uint64_t steps,
			   const struct td_claims_options *options, struct tide_error *err)
{
	*r = (struct td_cli_reproduction){.paper = paper,
					  .statements = json_array(),
					  .runs = json_array(),
					  .steps = steps,
					  .json = options->json};
	return td_cli_progress_start(&r->progress, options->progress, "reproduce", err);
}

/* Runs count the same, however long each takes. */
void td_cli_reproduce_show(void *reproduction, uint64_t done, uint64_t total)
{
	struct td_cli_reproduction *r = reproduction;
	double within = total ? (double)done / (double)total : 0;

	td_cli_progress_show(&r->progress,
			     (uint64_t)(1000 * ((double)r->step + (within < 1 ? within : 1))),
			     1000 * r->steps);
}

static void print_value(const char *name, const json_t *value)
{
	if (json_is_string(value))
		printf("%s %s", name, json_string_value(value));
	else if (json_is_number(value))
		printf("%s %.4g", name, json_number_value(value));
	else
		printf("%s nothing", name);
}

/* Of a figure, how far off it is. */
static struct td_cli_number verdict(const json_t *s)
{
	const json_t *agrees = json_object_get(s, "agrees");
	struct td_cli_number word = {"-"};

	if (json_is_number(json_object_get(s, "error")))
		return td_cli_error_words(s);
	if (json_is_boolean(agrees))
		snprintf(word.text, sizeof word.text, "%s", json_is_true(agrees) ? "yes" : "no");
	return word;
}

static void print_statement(const json_t *s)
{
	const char *note = json_string_value(json_object_get(s, "note"));

	printf("%-8s%s: %s\n        ", verdict(s).text, json_string_value(json_object_get(s, "id")),
	       json_string_value(json_object_get(s, "what")));
	print_value("published", json_object_get(s, "published"));
	print_value("; measured", json_object_get(s, "measured"));
	printf("%s%s%s\n", note ? "\n        (" : "", note ? note : "", note ? ")" : "");
}

static int print_json(struct td_cli_reproduction *r, struct tide_error *err)
{
	json_t *measure = td_cli_reproduce_measured(r, err);

	if (!measure)
		return -ENOMEM;
	return td_cli_print_json(json_pack("{ss ss ss so sO sO}", "tide", tide_version(), "verb",
					   "reproduce", "paper", r->paper, "measure", measure,
					   "statements", r->statements, "runs", r->runs),
				 err);
}

int td_cli_reproduce_print(struct td_cli_reproduction *r, struct tide_error *err)
{
	const json_t *s;
	size_t i;

	td_cli_progress_end(&r->progress);
	if (r->json)
		return print_json(r, err);
	printf("verdict statement\n");
	json_array_foreach(r->statements, i, s) print_statement(s);
	return 0;
}

void td_cli_reproduce_free(struct td_cli_reproduction *r)
{
	td_cli_progress_end(&r->progress);
	json_decref(r->statements);
	json_decref(r->runs);
}

/* ---- --study and --only ---- */

/* None of them is it: which there are. */
static int fail_unknown(const char *what, const char *word, td_cli_name_at *name,
			struct tide_error *err)
{
	const char *names[64];
	size_t n = 0;

	while (n < 64 && (names[n] = name(n)))
		n++;
	return td_cli_unknown(what, word, names, n, err);
}

int td_cli_choose_study(const char *study, td_cli_name_at *name, size_t *found,
			struct tide_error *err)
{
	for (*found = 0; name(*found); ++*found)
		if (!study || strcmp(study, name(*found)) == 0)
			return 0;
	return fail_unknown("study", study, name, err);
}

static int want(const char *app, size_t len, td_cli_name_at *name, uint32_t *wanted,
		struct tide_error *err)
{
	char word[64];

	for (size_t i = 0; name(i); i++) {
		if (strlen(name(i)) == len && memcmp(name(i), app, len) == 0) {
			*wanted |= UINT32_C(1) << i;
			return 0;
		}
	}
	snprintf(word, sizeof word, "%.*s", (int)(len < 63 ? len : 63), app);
	return fail_unknown("application", word, name, err);
}

int td_cli_choose_apps(const char *only, td_cli_name_at *name, uint32_t *wanted,
		       struct tide_error *err)
{
	int rc = 0;

	*wanted = 0;
	for (size_t i = 0; !only && name(i); i++)
		*wanted |= UINT32_C(1) << i;
	while (only && !rc) {
		size_t len = strcspn(only, ",");
		rc = want(only, len, name, wanted, err);
		only = only[len] ? only + len + 1 : NULL;
	}
	return rc;
}
