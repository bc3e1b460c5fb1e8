#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "stats/json.h"

int td_cli_print_json(json_t *root, struct tide_error *err)
{
	int rc = root ? json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : -1;

	json_decref(root);
	if (!root)
		return tide_fail(err, -ENOMEM, "no memory for the JSON document: free some");
	/* A write error is found and said at the end, as for any other output. */
	if (rc == 0)
		putchar('\n');
	return 0;
}

json_t *td_cli_json_text(const char *text)
{
	return td_stats_text(text);
}

/* JSON integers of 64 signed bits are what readers can be relied on to take: a larger number is
 * given as text. */
json_t *td_cli_json_u64(uint64_t n)
{
	char text[24];

	if (n <= INT64_MAX)
		return json_integer((json_int_t)n);
	snprintf(text, sizeof text, "%llu", (unsigned long long)n);
	return json_string(text);
}

int td_cli_load_run(struct tide_sim *sim, json_t **run, struct tide_error *err)
{
	*run = td_lib_sim_document(sim);
	return *run ? 0 : tide_fail(err, -ENOMEM, "no memory for the result: free some");
}

static json_t *value_json(const struct tide_param *p)
{
	const char *text = p->initial ? p->initial : "";
	double real;

	if (p->type == TIDE_PARAM_INT)
		return json_integer(strtoll(text, NULL, 0));
	if (p->type == TIDE_PARAM_REAL && td_core_real(text, &real) == 0)
		return json_real(real);
	return json_string(text);
}

static json_t *bound_json(const struct tide_param *p, double bound)
{
	if (p->type == TIDE_PARAM_REAL)
		return json_real(bound);
	if (p->type != TIDE_PARAM_INT)
		return json_null();
	/* The double next to INT64_MAX is one too large for the conversion. */
	return json_integer(bound >= 0x1p63 ? INT64_MAX : (json_int_t)bound);
}

static const char *type_name(const struct tide_param *p)
{
	switch (p->type) {
	case TIDE_PARAM_INT: return "int";
	case TIDE_PARAM_REAL: return "real";
	case TIDE_PARAM_POLICIES: return "policies";
	case TIDE_PARAM_TRACE: return "trace";
	default: return "text";
	}
}

json_t *td_cli_params_json(const struct tide_param *params)
{
	json_t *list = json_array();

	for (const struct tide_param *p = params; p && p->name; p++)
		json_array_append_new(list,
				      json_pack("{ss ss so so so ss}", "name", p->name, "type",
						type_name(p), "default", value_json(p), "min",
						bound_json(p, p->min), "max", bound_json(p, p->max),
						"help", p->help));
	return list;
}

/* Whole numbers without an exponent, as people write them. */
static struct td_cli_number shown_bound(double bound)
{
	bool whole = fabs(bound) < 1e15 && bound == floor(bound);
	struct td_cli_number out;

	snprintf(out.text, sizeof out.text, whole ? "%.0f" : "%g", bound);
	return out;
}

int td_cli_print_params(const struct tide_param *params, struct tide_error *err)
{
	struct td_cli_table t = {.align = "lllll"};

	if (!params || !params->name) {
		printf("\nno parameters\n");
		return 0;
	}
	printf("\n");
	for (const char *const *h = (const char *const[]){"parameter", "type", "default", "range",
							  "meaning", NULL};
	     *h; h++)
		td_cli_cell(&t, "%s", *h);
	for (const struct tide_param *p = params; p->name; p++) {
		td_cli_cell(&t, "%s", p->name);
		td_cli_cell(&t, "%s", type_name(p));
		td_cli_cell(&t, "%s", p->initial ? p->initial : "");
		if (p->type != TIDE_PARAM_INT && p->type != TIDE_PARAM_REAL)
			td_cli_cell(&t, "%s", "");
		else
			td_cli_cell(&t, "%s to %s", shown_bound(p->min).text,
				    shown_bound(p->max).text);
		td_cli_cell(&t, "%s", p->help);
	}
	return td_cli_table_end(&t, err);
}
