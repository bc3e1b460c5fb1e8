/* What the values of options can be: the names of tables, and their parameters. */
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "tide/policy.h"
#include "trace/trace.h"
#include "workload/workload.h"

const char *td_cli_value_at(const struct td_cli_values *values, size_t i)
{
	return values->name ? values->name(i) : values->words[i];
}

const char *td_cli_policy_name(size_t i)
{
	const struct tide_policy *p = tide_policy_at(i);

	return p ? p->name : NULL;
}

static const char *name_in_role(enum tide_role role, size_t i)
{
	const struct tide_policy *p;

	for (size_t k = 0; (p = tide_policy_at(k)); k++)
		if (p->role == role && i-- == 0)
			return p->name;
	return NULL;
}

const char *td_cli_evict_name(size_t i)
{
	return name_in_role(TIDE_EVICT, i);
}

const char *td_cli_prefetch_name(size_t i)
{
	return name_in_role(TIDE_PREFETCH, i);
}

const char *td_cli_place_name(size_t i)
{
	return name_in_role(TIDE_PLACE, i);
}

/* From the table itself: tide_workload_at() may have to run them. */
const char *td_cli_workload_name(size_t i)
{
	const struct td_workload *w = td_workload_at(i);

	return w ? w->name : NULL;
}

const char *td_cli_model_name(size_t i)
{
	struct tide_model_info info = {.size = sizeof info};

	return tide_model_at(i, &info) ? NULL : info.name;
}

const char *td_cli_read_format_name(size_t i)
{
	return td_trace_read_format(i);
}

const char *td_cli_write_format_name(size_t i)
{
	return td_trace_write_format(i);
}

/* Row i of a table that ends with a row without a name. */
static bool row_at(const struct tide_param *params, size_t i, struct tide_param *out)
{
	for (size_t k = 0; params && params[k].name; k++)
		if (k == i)
			return *out = params[k], true;
	return false;
}

static bool is_named(const char *name, const char *word, size_t n)
{
	return strlen(name) == n && memcmp(name, word, n) == 0;
}

static bool param_in_role(enum tide_role role, const char *name, size_t n, size_t i,
			  struct tide_param *out)
{
	const struct tide_policy *p;

	for (size_t k = 0; (p = tide_policy_at(k)); k++)
		if (p->role == role && is_named(p->name, name, n))
			return row_at(p->params, i, out);
	return false;
}

bool td_cli_evict_param(const char *name, size_t n, size_t i, struct tide_param *out)
{
	return param_in_role(TIDE_EVICT, name, n, i, out);
}

bool td_cli_prefetch_param(const char *name, size_t n, size_t i, struct tide_param *out)
{
	return param_in_role(TIDE_PREFETCH, name, n, i, out);
}

bool td_cli_place_param(const char *name, size_t n, size_t i, struct tide_param *out)
{
	return param_in_role(TIDE_PLACE, name, n, i, out);
}

bool td_cli_workload_param(const char *name, size_t n, size_t i, struct tide_param *out)
{
	const struct td_workload *w;

	for (size_t k = 0; (w = td_workload_at(k)); k++)
		if (is_named(w->name, name, n))
			return row_at(w->params, i, out);
	return false;
}

bool td_cli_model_param(const char *name, size_t n, size_t i, struct tide_param *out)
{
	struct tide_model_info info = {.size = sizeof info};

	for (size_t k = 0; tide_model_at(k, &info) == 0; k++)
		if (is_named(info.name, name, n))
			return row_at(info.params, i, out);
	return false;
}
