/* The reports of policies. What a policy says may be anything: no number, no text, no list. */
#include "report.h"

#include "stats/json.h"

static void put_number(void *to, const char *key, uint64_t value)
{
	json_object_set_new(to, key, td_stats_integer(value));
}

static void put_real(void *to, const char *key, double value)
{
	json_t *number = json_real(value);
	json_object_set_new(to, key, number ? number : json_null());
}

static void put_text(void *to, const char *key, const char *value)
{
	json_object_set_new(to, key, td_stats_text(value));
}

static void put_list(void *to, const char *key, const uint64_t *values, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; values && i < n; i++)
		json_array_append_new(list, td_stats_integer(values[i]));
	json_object_set_new(to, key, list);
}

void td_engine_report(struct td_engine *e, json_t *to)
{
	struct tide_report report = {to, put_number, put_real, put_text, put_list};
	for (int i = 0; i < TD_BOXES; i++) {
		const struct td_engine_box *box = &e->box[i];
		const struct tide_policy *p = box->choice.policy;
		if (!box->self || !p->report)
			continue;
		td_engine_begin_call(e, TD_CALL_report, p->role);
		p->report(box->self, &report);
		td_engine_end_call(e);
	}
	if (*e->ejected)
		put_text(to, "ejected", e->ejected);
}
