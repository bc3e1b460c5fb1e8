/* What the values of options are: how they are kept, and which ones there are. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "tide/policy.h"
#include "trace/trace.h"
#include "workload/workload.h"

/* ---- how they are kept ---- */

int td_cli_list_add(struct td_cli_list *list, const char *word, struct tide_error *err)
{
	if (list->n == TD_CLI_LIST_MAX)
		return tide_fail(err, -EINVAL, "more than %d words at %s: give fewer",
				 TD_CLI_LIST_MAX, td_cli_shown(word).text);
	list->at[list->n++] = word;
	return 0;
}

static int store_flag(void *at, const struct td_cli_option *o, const char *value,
		      struct tide_error *err)
{
	(void)o, (void)value, (void)err;
	*(bool *)at = true;
	return 0;
}

static int store_text(void *at, const struct td_cli_option *o, const char *value,
		      struct tide_error *err)
{
	(void)o, (void)err;
	*(const char **)at = value;
	return 0;
}

static int store_number(void *at, const struct td_cli_option *o, const char *value,
			struct tide_error *err)
{
	uint64_t *out = at;
	int rc = td_core_u64(value, strlen(value), out);

	if (!rc && *out > 0)
		return 0;
	return tide_fail(err, -EINVAL, "--%s %s is %s: give a whole number from 1 on", o->name,
			 td_cli_shown(value).text, rc == -EINVAL ? "not a number" : "out of range");
}

static int store_word(void *at, const struct td_cli_option *o, const char *value,
		      struct tide_error *err)
{
	(void)o;
	return td_cli_list_add(at, value, err);
}

const struct td_cli_kind td_cli_kind_flag = {.is_flag = true, .store = store_flag};
const struct td_cli_kind td_cli_kind_text = {.store = store_text};
const struct td_cli_kind td_cli_kind_number = {.store = store_number};
const struct td_cli_kind td_cli_kind_list = {.repeats = true, .store = store_word};

/* ---- which ones there are ---- */

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
