/* What reproductions of evaluations share: numbers and claims as statements, and the choice of
 * applications and studies. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "reproduce.h"

#define NOT_RUN "not run, or not by all applications that it is about"

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static enum td_cli_verdict judge(bool judged, bool agrees)
{
	return !judged ? TD_CLI_UNJUDGED : agrees ? TD_CLI_AGREES : TD_CLI_DISAGREES;
}

void td_cli_state_number(struct td_cli_reproduction *r, const char *id, const char *what,
			 double published, double measured, bool agrees, const char *note)
{
	bool judged = !isnan(measured);

	td_cli_state(r, &(struct td_cli_statement){.id = id,
						   .what = what,
						   .published = number(published),
						   .measured = number(measured),
						   .verdict = judge(judged, agrees),
						   .note = judged ? note : NOT_RUN});
}

void td_cli_state_claim(struct td_cli_reproduction *r, const char *id, const char *what,
			const char *published, bool judged, bool agrees, const char *why,
			const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	td_cli_state(r, &(struct td_cli_statement){
				.id = id,
				.what = what,
				.published = json_string(published),
				.measured = judged ? json_string(text) : json_null(),
				.verdict = judge(judged, agrees),
				.note = !judged  ? NOT_RUN
					: agrees ? NULL
						 : why,
			});
}

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

static int want(const char *app, size_t len, td_cli_name_at *name, bool *wanted,
		struct tide_error *err)
{
	char word[64];

	for (size_t i = 0; name(i); i++) {
		if (strlen(name(i)) == len && memcmp(name(i), app, len) == 0) {
			wanted[i] = true;
			return 0;
		}
	}
	snprintf(word, sizeof word, "%.*s", (int)(len < 63 ? len : 63), app);
	return fail_unknown("application", word, name, err);
}

int td_cli_choose_apps(const char *only, td_cli_name_at *name, bool *wanted, struct tide_error *err)
{
	int rc = 0;

	for (size_t i = 0; name(i); i++)
		wanted[i] = !only;
	while (only && !rc) {
		size_t len = strcspn(only, ",");
		rc = want(only, len, name, wanted, err);
		only = only[len] ? only + len + 1 : NULL;
	}
	return rc;
}
