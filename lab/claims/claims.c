/* A row and what was measured for it, as a statement. */
#include "claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_RESULT \
	"no result: not run, not by all applications that it is about, or nothing came of it"

struct text {
	char at[400];
};

static bool is_text(const char *text)
{
	return text && *text;
}

/* ---- values in words ---- */

static const char *name_of(td_cli_name_at *names, double i)
{
	const char *name = names && i >= 0 ? names((size_t)i) : NULL;

	return name ? name : "none";
}

static void append(struct text *t, const struct td_cli_reproduction *r, const char *directive,
		   size_t n, double value)
{
	size_t used = strlen(t->at), room = sizeof t->at - used;
	char one[16];

	snprintf(one, sizeof one, "%.*s", (int)n, directive);
	if (one[n - 1] == 's')
		snprintf(t->at + used, room, "%s", name_of(r->app, value));
	else if (one[n - 1] == 'c')
		snprintf(t->at + used, room, "%s", name_of(r->config, value));
	else
		snprintf(t->at + used, room, one, value);
}

/* A directive is up to its letter; %% is a character. */
static size_t directive_length(const char *at)
{
	return at[1] == '%' ? 2 : strcspn(at, "sceEfgG") + 1;
}

static size_t values_of(const char *format)
{
	size_t n = 0;

	for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
		n += at[1] != '%';
		at += directive_length(at);
	}
	return n;
}

static struct text in_words(const struct td_cli_reproduction *r, const char *format,
			    const double *v)
{
	struct text t = {""};

	while (*format) {
		size_t n = strcspn(format, "%"), used = strlen(t.at);
		snprintf(t.at + used, sizeof t.at - used, "%.*s", (int)n, format);
		format += n;
		if (!*format)
			break;
		n = directive_length(format);
		if (format[1] == '%')
			strncat(t.at, "%", sizeof t.at - strlen(t.at) - 1);
		else
			append(&t, r, format, n, *v++);
		format += n;
	}
	return t;
}

/* ---- the note ---- */

/* Signed, as a share of what was published. Where that is 0, what is not counts as all of it. */
static double error_of(const struct td_claim *row, double measured)
{
	if (row->published == 0)
		return measured == 0 ? 0 : measured > 0 ? 1 : -1;
	return (measured - row->published) / fabs(row->published);
}

/* Why is for figures that are off by more than a tenth, and for what does not agree. */
static const char *note_of(const struct td_claim *row, const struct td_claims_measured *m,
			   bool known)
{
	const char *why = is_text(m->note) ? m->note : row->why;

	if (row->kind == TD_CLAIM_NOT_JUDGED || m->agrees == TD_UNJUDGED)
		return why;
	if (!known)
		return NO_RESULT;
	if (row->kind == TD_CLAIM_FIGURE)
		return fabs(error_of(row, m->v[0])) > .1 ? why : NULL;
	return m->agrees ? NULL : why;
}

/* ---- the statement ---- */

static bool is_known(const struct td_claim *row, const struct td_claims_measured *m)
{
	size_t n = row->format ? values_of(row->format) : 1;

	for (size_t i = 0; i < n && !is_text(m->words); i++)
		if (isnan(m->v[i]))
			return false;
	return true;
}

static json_t *measured_json(const struct td_cli_reproduction *r, const struct td_claim *row,
			     const struct td_claims_measured *m)
{
	if (!is_known(row, m))
		return json_null();
	if (is_text(m->words))
		return json_string(m->words);
	return row->format ? json_string(in_words(r, row->format, m->v).at) : json_real(m->v[0]);
}

static json_t *published_json(const struct td_claim *row)
{
	if (row->text)
		return json_string(row->text);
	return isnan(row->published) ? json_null() : json_real(row->published);
}

/* Where memory runs out an entry is missing, and printing finds it. */
void td_claims_state(struct td_cli_reproduction *r, const struct td_claim *row,
		     const struct td_claims_measured *m)
{
	static const char *const kinds[] = {"figure", "direction", "identity", "not judged"};
	bool known = is_known(row, m), is_figure = row->kind == TD_CLAIM_FIGURE,
	     judged = known && row->kind != TD_CLAIM_NOT_JUDGED && m->agrees != TD_UNJUDGED;

	json_array_append_new(
		r->statements,
		json_pack("{ss ss ss ss so so so so ss?}", "id", row->id, "what", row->what,
			  "place", row->place, "kind", kinds[row->kind], "published",
			  published_json(row), "measured", measured_json(r, row, m), "error",
			  judged && is_figure ? json_real(error_of(row, m->v[0])) : json_null(),
			  "agrees", judged && !is_figure ? json_boolean(m->agrees) : json_null(),
			  "note", note_of(row, m, known)));
}

const struct td_claim *td_claims_row(const struct td_claims *p, const char *format, const char *app)
{
	char id[64];

	snprintf(id, sizeof id, format, app);
	for (size_t i = 0; i < p->paper->rows_n; i++)
		if (!strcmp(p->paper->rows[i].id, id))
			return &p->paper->rows[i];
	return NULL;
}

double td_claims_published(const struct td_claims *p, const char *format, const char *app)
{
	const struct td_claim *row = td_claims_row(p, format, app);

	return row ? row->published : (double)NAN;
}
