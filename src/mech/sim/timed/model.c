#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/params.h"
#include "core/text.h"

struct preset {
	const char *name, *summary;
	struct {
		const char *key, *value;
	} set[40];
};

#define PRESET(name, summary, ...) {#name, summary, {__VA_ARGS__, {0}}},
static const struct preset presets[] = {
#include "presets.def"
};
#define PRESETS (sizeof presets / sizeof *presets)

#define INT(name, initial, least, most, help) {#name, TIDE_PARAM_INT, initial, least, most, help},
#define REAL(name, initial, least, most, help) {#name, TIDE_PARAM_REAL, initial, least, most, help},
#define TEXT(name, initial, help) {#name, TIDE_PARAM_TEXT, initial, 0, 0, help},
static const struct tide_param rows[] = {
#include "model.def"
	{0}};
#undef INT
#undef REAL
#undef TEXT
#define ROWS (sizeof rows / sizeof *rows)
_Static_assert(ROWS <= TD_TIMED_PARAMS, "raise TD_TIMED_PARAMS");

/* The rows with a preset's values for defaults. */
static void fill_rows(struct tide_param *to, const struct preset *p)
{
	memcpy(to, rows, sizeof rows);
	for (size_t i = 0; p->set[i].key; i++) {
		for (size_t k = 0; to[k].name; k++) {
			if (!strcmp(to[k].name, p->set[i].key))
				to[k].initial = p->set[i].value;
		}
	}
}

const char *td_timed_preset(size_t i, const char **summary, struct tide_param *params)
{
	if (i >= PRESETS)
		return NULL;
	*summary = presets[i].summary;
	if (params)
		fill_rows(params, &presets[i]);
	return presets[i].name;
}

static const struct preset *find(const char *spec)
{
	size_t n = td_core_spec_name(spec);

	for (size_t i = 0; i < PRESETS; i++) {
		if (strlen(presets[i].name) == n && !memcmp(presets[i].name, spec, n))
			return &presets[i];
	}
	return NULL;
}

static int fail_name(const char *spec, struct tide_error *err)
{
	char known[256] = "";
	size_t at = 0;

	for (size_t i = 0; i < PRESETS; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
				       presets[i].name);
	return tide_fail(err, -EINVAL, "no model is called %s: give one of %s",
			 td_core_shown(spec, td_core_spec_name(spec)).text, known);
}

static int choose(const char *key, const char *value, const char *yes, const char *no, bool *out,
		  struct tide_error *err)
{
	*out = !strcmp(value, yes);
	if (*out || !strcmp(value, no))
		return 0;
	return tide_fail(err, -EINVAL, "model: %s=%s is none: give %s or %s", key,
			 td_core_shown(value, strlen(value)).text, yes, no);
}

int td_timed_model(struct td_timed_model *out, const char *spec, struct tide_error *err)
{
	const struct preset *p = find(spec);
	struct tide_param table[ROWS];
	union tide_value *v;

	if (!p)
		return fail_name(spec, err);
	fill_rows(table, p);
	int rc = td_core_params(table, spec, "model", &v, err);
	if (rc)
		return rc;
	const union tide_value *at = v;
#define INT(name, ...) out->name = (at++)->i;
#define REAL(name, ...) out->name = (at++)->r;
#define TEXT(name, ...) out->name = (at++)->text;
#include "model.def"
	out->values = v;
	rc = choose("service", out->service, "driver", "gpu", &out->by_driver, err);
	if (!rc)
		rc = choose("writeback", out->writeback, "all", "dirty", &out->copies_all, err);
	if (rc)
		td_timed_model_free(out);
	return rc;
}

void td_timed_model_free(struct td_timed_model *m)
{
	free(m->values);
	m->values = NULL;
}
