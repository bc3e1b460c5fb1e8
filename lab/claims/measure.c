/* What a reproduction begins with: the headline numbers, how far off the figures are, and how many
 * directions agree. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

struct measure {
	const json_t *statements;
	double *errors; /* of the figures that were measured, without sign, ascending */
	size_t figures, within_10, within_25;
	size_t agree, directions, hold, identities, open;
};

static bool is_kind(const json_t *s, const char *kind)
{
	return strcmp(json_string_value(json_object_get(s, "kind")), kind) == 0;
}

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void take_figure(struct measure *m, const json_t *error)
{
	double off = fabs(json_number_value(error));

	m->errors[m->figures++] = off;
	m->within_10 += off <= .1;
	m->within_25 += off <= .25;
}

static void take(struct measure *m, const json_t *s)
{
	const json_t *error = json_object_get(s, "error"), *agrees = json_object_get(s, "agrees");

	if (json_is_number(error))
		take_figure(m, error);
	else if (!json_is_boolean(agrees))
		m->open++;
	else if (is_kind(s, "identity")) {
		m->identities++;
		m->hold += json_is_true(agrees);
	} else {
		m->directions++;
		m->agree += json_is_true(agrees);
	}
}

static int make(struct measure *m, const json_t *statements, struct tide_error *err)
{
	const json_t *s;
	size_t i;

	*m = (struct measure){.statements = statements,
			      .errors = calloc(json_array_size(statements) + 1, sizeof(double))};
	if (!m->errors)
		return tide_fail(err, -ENOMEM, "no memory for the figures: free some");
	json_array_foreach(statements, i, s) take(m, s);
	qsort(m->errors, m->figures, sizeof *m->errors, ascending);
	return 0;
}

static double median(const struct measure *m)
{
	size_t n = m->figures;

	return n ? (m->errors[(n - 1) / 2] + m->errors[n / 2]) / 2 : (double)NAN;
}

static const json_t *find(const json_t *statements, const char *id)
{
	const json_t *s;
	size_t i;

	json_array_foreach(statements, i, s)
	{
		if (strcmp(json_string_value(json_object_get(s, "id")), id) == 0)
			return s;
	}
	return NULL;
}

/* ---- as text ---- */

static struct td_cli_number percent_of(size_t part, size_t of)
{
	struct td_cli_number line;

	snprintf(line.text, sizeof line.text, "%zu of %zu (%.0f%%)", part, of,
		 100.0 * (double)part / (double)(of ? of : 1));
	return line;
}

struct td_cli_number td_cli_error_words(const json_t *statement)
{
	double off = 100 * json_number_value(json_object_get(statement, "error"));
	struct td_cli_number line;

	snprintf(line.text, sizeof line.text, fabs(off) < 9.95 ? "%+.1f%%" : "%+.0f%%", off);
	return line;
}

static void print_headline(const json_t *s)
{
	const json_t *measured = json_object_get(s, "measured");

	printf("%-60s  %9.4g", json_string_value(json_object_get(s, "what")),
	       json_number_value(json_object_get(s, "published")));
	if (json_is_number(measured))
		printf("  %8.4g  %6s\n", json_number_value(measured), td_cli_error_words(s).text);
	else
		printf("  %8s  %6s\n", "-", "-");
}

static void print_headlines(const struct td_cli_reproduction *r)
{
	bool head = false;

	for (const char *const *id = r->headlines; id && *id; id++) {
		const json_t *s = find(r->statements, *id);
		if (s && !head)
			printf("%-60s  published  measured   error\n", r->paper);
		if (s)
			print_headline(s);
		head |= s != NULL;
	}
	if (head)
		putchar('\n');
}

int td_cli_reproduce_measure(const struct td_cli_reproduction *r, struct tide_error *err)
{
	struct measure m;
	int rc = make(&m, r->statements, err);

	if (rc)
		return rc;
	print_headlines(r);
	if (m.figures)
		printf("median relative error of %zu figures: %.0f%%\n"
		       "within 10%%: %s, within 25%%: %s\n",
		       m.figures, 100 * median(&m), percent_of(m.within_10, m.figures).text,
		       percent_of(m.within_25, m.figures).text);
	printf("directions that agree: %s\n", percent_of(m.agree, m.directions).text);
	if (m.identities)
		printf("hold by construction, not counted: %s\n",
		       percent_of(m.hold, m.identities).text);
	if (m.open)
		printf("cannot be judged here: %zu\n", m.open);
	putchar('\n');
	free(m.errors);
	return 0;
}

/* ---- as JSON ---- */

static json_t *headlines_json(const struct td_cli_reproduction *r)
{
	json_t *list = json_array();

	for (const char *const *id = r->headlines; id && *id; id++)
		if (find(r->statements, *id))
			json_array_append_new(list, json_string(*id));
	return list;
}

json_t *td_cli_reproduce_measured(const struct td_cli_reproduction *r, struct tide_error *err)
{
	struct measure m;

	if (make(&m, r->statements, err))
		return NULL;
	double middle = median(&m);
	json_t *o = json_pack("{so si so si si s{si si} s{si si} si}", "headlines",
			      headlines_json(r), "figures", (int)m.figures, "median_error",
			      isnan(middle) ? json_null() : json_real(middle), "within_10",
			      (int)m.within_10, "within_25", (int)m.within_25, "directions",
			      "agree", (int)m.agree, "of", (int)m.directions, "identities", "hold",
			      (int)m.hold, "of", (int)m.identities, "not_judged", (int)m.open);

	free(m.errors);
	return o;
}
