/* What the values of options can be: the names of tables. */
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
