/* What the JSON documents of a simulated and of a live run have in common. */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tide/tide.h"

/* JSON's integers end at 2^63 here; a seed or a page number may be larger. */
json_t *td_lib_integer(uint64_t value)
{
	char digits[24];
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof digits, "%" PRIu64, value);
	return json_string(digits);
}

/* Texts from outside may be no UTF-8: then they are left out, not the whole result. */
json_t *td_lib_text(const char *value)
{
	json_t *s = value ? json_string(value) : NULL;
	return s ? s : json_null();
}

json_t *td_lib_document(const char *verb)
{
	json_t *o = json_object();
	json_object_set_new(o, "tide", td_lib_text(TIDE_VERSION));
	json_object_set_new(o, "verb", td_lib_text(verb));
	return o;
}

int td_lib_dump(json_t *document, char **text, struct tide_error *err)
{
	*text = json_dumps(document, JSON_INDENT(1));
	json_decref(document);
	return *text ? 0 : tide_fail(err, -ENOMEM, "no memory for the result: free some");
}

/* Pages moved from tier to tier, where there are three. */
static json_t *tiers(const struct td_engine *e)
{
	static const unsigned char moves[][2] = {{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}};
	json_t *o = json_object();
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		char key[24];
		unsigned from = moves[i][0], to = moves[i][1];
		/* Only where pages come up through tier 2. */
		if (from == 3 && to == 2 && !e->tiers.inclusive)
			continue;
		snprintf(key, sizeof key, "tier%u_to_tier%u", from, to);
		json_object_set_new(o, key, td_lib_integer(e->tiers.moved[from][to]));
	}
	return o;
}

static void put_number(void *to, const char *key, uint64_t value)
{
	json_object_set_new(to, key, td_lib_integer(value));
}

static void put_real(void *to, const char *key, double value)
{
	json_t *number = json_real(value);
	json_object_set_new(to, key, number ? number : json_null());
}

static void put_text(void *to, const char *key, const char *value)
{
	json_object_set_new(to, key, td_lib_text(value));
}

static void put_list(void *to, const char *key, const uint64_t *values, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, td_lib_integer(values[i]));
	json_object_set_new(to, key, list);
}

json_t *td_lib_policy_json(const struct td_engine *e)
{
	json_t *o = json_object();
	struct tide_report report = {o, put_number, put_real, put_text, put_list};
	for (int i = 0; i < TD_BOXES; i++) {
		const struct td_engine_box *box = &e->box[i];
		if (box->self && box->choice.policy->report)
			box->choice.policy->report(box->self, &report);
	}
	if (e->tiers.on)
		json_object_set_new(o, "transfers", tiers(e));
	if (*e->ejected)
		json_object_set_new(o, "ejected", td_lib_text(e->ejected));
	return o;
}
