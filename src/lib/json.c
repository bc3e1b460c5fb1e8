/* What the JSON documents of simulated and live runs share. */
#include "json.h"

#include <errno.h>
#include <stdio.h>

#include "engine/report.h"
#include "stats/json.h"
#include "tide/tide.h"

json_t *td_lib_integer(uint64_t value)
{
	return td_stats_integer(value);
}

json_t *td_lib_text(const char *value)
{
	return td_stats_text(value);
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

json_t *td_lib_policy_json(struct td_engine *e)
{
	json_t *o = json_object();
	td_engine_report(e, o);
	if (e->tiers.on)
		json_object_set_new(o, "transfers", tiers(e));
	return o;
}
